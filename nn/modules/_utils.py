"""Small things that several families of modules share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from functorch_lite._core.api import functions as torch
from functorch_lite._core.api import tidied

__all__ = ["empty", "ntuple"]


def ntuple(value: Any, n: int) -> tuple:
    """`value` as a tuple: itself when it is iterable, else repeated n times."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * n


@tidied
def empty(size: Any, device: Any, dtype: Any):
    """An uninitialized tensor for a parameter."""
    return torch.empty(size, device=device, dtype=dtype)
