"""Refusals of the ops of torch.linalg."""

from __future__ import annotations

import math

from ..._core.api import check, from_numpy, scalar_name
from ..decompose import check_floating, check_matrix


def check_lstsq(input, b, driver: str | None) -> None:
    name = "torch.linalg.lstsq"
    check(input.ndim >= 2, RuntimeError, f"{name}: input must have at least 2 dimensions.")
    check(b.ndim >= 1, RuntimeError, f"{name}: other must have at least 1 dimension.")
    check(
        input.dtype == b.dtype,
        RuntimeError,
        f"{name}: Expected input and other to have the same dtype, but got input's dtype {scalar_name(input)} and "
        f"other's dtype {scalar_name(b)}",
    )
    kind = from_numpy(input.dtype)
    check(
        kind.category >= 2 and kind.itemsize >= 4,
        RuntimeError,
        "This function doesn't handle types other than float and double",
    )
    check(
        driver in (None, "gels", "gelsy", "gelsd", "gelss"),
        RuntimeError,
        f"{name}: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)",
    )
    check(
        0 <= input.ndim - b.ndim <= 1,
        RuntimeError,
        f"{name}: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1",
    )
    vector = b.shape == input.shape[:-1] or (b.ndim == 1 and input.ndim == 2)
    rows = b.shape[-1 if vector else -2]
    check(
        input.shape[-2] == rows and (vector or b.ndim == input.ndim),
        RuntimeError,
        f"{name}: input.size(-2) should match other.size({-1 if vector else -2})",
    )


def check_cond(input, p) -> None:
    check(input.ndim >= 2, RuntimeError, "linalg.cond: The input tensor must have at least 2 dimensions.")
    known = p is None or p in ("fro", "nuc") or (not isinstance(p, str) and abs(p) in (1, 2, math.inf))
    check(
        known,
        RuntimeError,
        f"linalg.cond got an invalid norm type: {p if isinstance(p, str) else f'{p:g}' if p else p}",
    )
    if p is None or p in (2, -2):
        return
    name = f"linalg.cond(ord={p if isinstance(p, str) else f'{p:g}'})"
    check_matrix(name, input, square=isinstance(p, str) or input.size > 0)
    check_floating("linalg.cond", input)
