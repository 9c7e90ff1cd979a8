"""Refusals of the functions that create tensors."""

from __future__ import annotations

import numpy as np

from ..._core.api import check, check_memory, dtypes, no_kernel
from ..._core.api import dtype as DType


def check_ends(name: str, start, end) -> None:
    for which, value in (("start", start), ("end", end)):
        ndim = np.ndim(value)
        check(
            ndim == 0,
            RuntimeError,
            f"{name} only supports 0-dimensional start and end tensors, but got {which} with {ndim} dimension(s).",
        )


def check_steps(name: str, start, end, steps: int, dtype: DType | None, inferred: DType) -> None:
    """Checks the arguments of linspace and logspace; `inferred` is the dtype if none is given."""
    check_ends(name, start, end)
    d = dtype or inferred
    message = f"torch.{name}(): inferred dtype {inferred.cpp_name} can't be safely cast to passed dtype "
    check(d.is_complex or not inferred.is_complex, RuntimeError, message + d.scalar_name)
    check(steps >= 0, RuntimeError, "number of steps must be non-negative")
    if d.category == 0 or d.is_float8:
        raise no_kernel(f"{name}_cpu", d)


def check_triangle(name: str, row: int, col: int, count: int, d: DType) -> None:
    """Checks the arguments of tril_indices and triu_indices, which have `count` elements."""
    check_memory((count, 2), d.itemsize)
    check(row >= 0, RuntimeError, f"row must be non-negative, got{row}")
    check(col >= 0, RuntimeError, f"col must be non-negative, got{col}")
    if d not in (dtypes.int64, dtypes.int32):
        raise no_kernel(name, d)
