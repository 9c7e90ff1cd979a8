"""torch.distributed.tensor.parallel: styles of tensor parallelism."""

from __future__ import annotations

from ....api_names import listed, lookup_of

__all__: list[str] = []
__dir__ = listed(__name__)
__getattr__ = lookup_of(__name__)
