"""Objects that need no watching: values that do not change, and what is kept of other functions."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from .._core.api import device, dtypes
from ..func.outermost import Fixed

__all__ = ["Unwatched", "is_simple"]

_SIMPLE = frozenset((
    bool, int, float, complex, str, bytes, type(None), type(Ellipsis), type(NotImplemented), range, slice, device, dtypes.dtype, Fixed,
))  # fmt: skip
"""Types whose instances do not change. (Those of the user's classes that inherit from them have attributes.)"""
_SIMPLE_BASES = (enum.Enum, np.generic, np.dtype, device, dtypes.dtype)


class Unwatched:
    """Base of objects that no result depends on: what is kept of other functions."""


def is_simple(x: Any) -> bool:
    """Returns whether it never changes, and nothing can be reached from it."""
    return type(x) in _SIMPLE or isinstance(x, _SIMPLE_BASES)
