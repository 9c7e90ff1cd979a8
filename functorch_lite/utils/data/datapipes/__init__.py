"""torch.utils.data.datapipes: the classes that datasets of chained steps derive from, and the decorator that names a
step.

PyTorch's own steps (`map`, `shuffle`, `batch`, …) for datasets that are iterated are in `iter`.
"""

from __future__ import annotations

from . import _decorator, datapipe, iter

__all__ = ["_decorator", "datapipe", "iter"]
