"""torch.utils.deterministic: a setting of deterministic algorithms.

`fill_uninitialized_memory`: whether `torch.empty` and the like give filled memory under
`torch.use_deterministic_algorithms(True)`. Here they always do, with zeros, so that setting it to False changes nothing.
"""

from __future__ import annotations

__all__ = ["fill_uninitialized_memory"]

fill_uninitialized_memory: bool = True
