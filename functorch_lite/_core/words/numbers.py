"""Numbers, and the tests for them: Python's, NumPy's scalars beside them, and what was a number before it was traced.

A bool is an int to Python; where torch says that it is none, `is_int` is asked.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .dtypes import dtype

__all__ = [
    "as_whole", "check_number", "is_bool", "is_int", "is_number", "is_numpys", "is_python_number", "is_real", "is_scalar", "is_whole", "plain",
    "plain_number", "python_number",
]  # fmt: skip


def is_python_number(x: Any) -> bool:
    """Whether x is one of Python's numbers or bools: of an op's argument, that its value is known while tracing."""
    return isinstance(x, bool | int | float | complex)


def is_number(x: Any) -> bool:
    """Whether x is a Python number, or was one whose value is not known while tracing (its aval is weak)."""
    return is_python_number(x) or bool(getattr(getattr(x, "aval", None), "weak_type", False))


def is_numpys(x: Any) -> bool:
    """Returns whether x is a scalar of NumPy's."""
    return isinstance(x, np.generic)


def is_scalar(x: Any) -> bool:
    """Returns whether x is a number of Python's or NumPy's."""
    return isinstance(x, int | float | complex | np.number | np.bool_)


def is_real(x: Any) -> bool:
    """Returns whether x is a real number of Python's or NumPy's, or a bool."""
    return isinstance(x, int | float | np.integer | np.floating | np.bool_)


def is_whole(x: Any) -> bool:
    """Returns whether x is an int of Python's or NumPy's; bools of Python's are."""
    return isinstance(x, int | np.integer)


def is_int(x: Any) -> bool:
    """The same, where bools are none."""
    return is_whole(x) and not isinstance(x, bool)


def is_bool(x: Any) -> bool:
    """Returns whether x is a bool of Python's or NumPy's."""
    return isinstance(x, bool | np.bool_)


def as_whole(x: Any) -> Any:
    """An int of NumPy's as Python's; anything else as it is."""
    return int(x) if isinstance(x, np.integer) else x


def plain(x: Any) -> Any:
    """A scalar of NumPy's as Python's number; anything else as it is."""
    return x.item() if isinstance(x, np.generic) else x


def python_number(x: Any) -> Any:
    """A scalar of NumPy's as the number that torch takes it for: a bool of NumPy's is a float to it.

    Anything else as it is."""
    return float(x) if isinstance(x, np.bool_) else plain(x)


def plain_number(x: Any) -> Any:
    """A number of a class derived from Python's (an IntEnum, NumPy's float64) as Python's own; None for what is no
    number of Python's."""
    for kind in (bool, int, float, complex):
        if isinstance(x, kind):
            return kind(x)
    return None


_MOST = float(np.finfo(np.float32).max)


def check_number(x: bool | int | float | complex, d: dtype) -> None:
    """Raises torch's error when a number that is to be written into a tensor of dtype `d` does not fit."""
    if not _fits(x, d):
        if isinstance(x, int) and not -(2**63) <= x < 2**64:
            raise ValueError("Overflow when unpacking long long")
        raise RuntimeError(f"value cannot be converted to type {d.cast_name} without overflow")


def _fits(x: bool | int | float | complex, d: dtype) -> bool:
    if isinstance(x, int) and not -(2**63) <= x < 2**64:
        return False
    if isinstance(x, complex):
        if d.category == 3:
            return _fits(x.real, d.to_real()) and _fits(x.imag, d.to_real())
        return d.category == 0 or (x.imag == 0 and _fits(x.real, d))
    if d.category == 1:
        highest = 2 ** (8 * d.itemsize - d.is_signed) - 1
        lowest = (
            -highest - 1 if d.is_signed else -highest if isinstance(x, int) else 0
        )  # as in C, a negative int wraps around
        return math.isfinite(x) and lowest <= x <= highest
    if d.to_real().name == "float32":
        return not math.isfinite(x) or abs(x) <= _MOST
    return True
