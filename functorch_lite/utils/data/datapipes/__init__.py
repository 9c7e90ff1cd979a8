"""torch.utils.data.datapipes: the classes that datasets of chained steps derive from, and the decorator that names a step.

PyTorch's own steps (`map`, `shuffle`, `batch`, …) are no longer developed there, and are not here.
"""

from __future__ import annotations

from . import _decorator, datapipe

__all__ = ["_decorator", "datapipe"]
