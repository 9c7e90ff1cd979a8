"""Which objects are numbers: Python's, NumPy's scalars beside them, and what was a number before it was traced.

A bool is an int to Python; where torch says that it is none, `is_int` is asked.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["as_whole", "is_bool", "is_int", "is_number", "is_numpys", "is_python_number", "is_real", "is_scalar", "is_whole", "plain", "python_number"]  # fmt: skip


def is_python_number(x: Any) -> bool:
    """Whether x is one of Python's numbers or bools: of an op's argument, that its value is known while tracing."""
    return isinstance(x, bool | int | float | complex)


def is_number(x: Any) -> bool:
    """Whether x is a Python number, or was one whose value is not known while tracing (its aval is weak)."""
    return is_python_number(x) or bool(getattr(getattr(x, "aval", None), "weak_type", False))


def is_numpys(x: Any) -> bool:
    """Whether x is a scalar of NumPy's."""
    return isinstance(x, np.generic)


def is_scalar(x: Any) -> bool:
    """Whether x is a number of Python's or NumPy's."""
    return isinstance(x, int | float | complex | np.number | np.bool_)


def is_real(x: Any) -> bool:
    """Whether x is a real number of Python's or NumPy's, or a bool."""
    return isinstance(x, int | float | np.integer | np.floating | np.bool_)


def is_whole(x: Any) -> bool:
    """Whether x is an int of Python's or NumPy's; bools of Python's are."""
    return isinstance(x, int | np.integer)


def is_int(x: Any) -> bool:
    """The same, where bools are none."""
    return is_whole(x) and not isinstance(x, bool)


def is_bool(x: Any) -> bool:
    """Whether x is a bool of Python's or NumPy's."""
    return isinstance(x, bool | np.bool_)


def as_whole(x: Any) -> Any:
    """An int of NumPy's as Python's; anything else as it is."""
    return int(x) if isinstance(x, np.integer) else x


def plain(x: Any) -> Any:
    """A scalar of NumPy's as Python's number; anything else as it is."""
    return x.item() if isinstance(x, np.generic) else x


def python_number(x: Any) -> Any:
    """A scalar of NumPy's as the number that torch takes it for: a bool of NumPy's is a float to it. Anything else as it is."""
    return float(x) if isinstance(x, np.bool_) else plain(x)
