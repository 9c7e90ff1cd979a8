"""Matrices handed to LAPACK at once, as NumPy and SciPy call it, where their numbers are read in any case.

Each function of this kind is followed by a check for singular matrices, so each would be a program of its own, which
takes 100 µs for matrices that LAPACK handles in 5. (Rows `cholesky`, `inv` and `solve 16×16`: 4 to 11 x PyTorch's
time, and NumPy's run of the op, primitive by primitive, as much.) What is on the tape, inside of a transform, or of
another dtype or device is recorded; so is what LAPACK refuses, of which the op tells more. On the tape a matrix is
checked here (`is_regular`, `is_definite`), and its factors stay part of the program from which the derivative is
taken.
"""

from __future__ import annotations

import functools
import importlib
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from .._core.api import (
    CPU,
    Noting,
    Tensor,
    autocast,
    counting,
    force,
    from_array,
    overrides,
    read,
    state,
    values_of,
)

__all__ = ["cholesky", "inv", "is_definite", "is_regular", "lstsq", "solve", "svd"]

MOST = 1 << 14
"""Elements of the largest matrices: an inverse or a decomposition of more is no quicker here (200 × 200: 1.5 x the
program)."""
MOST_LOOKED_AT = 1 << 10
"""Elements of the largest matrices on the tape that are looked at: a program's call costs as much as the inverse of 32
× 32."""
MOST_EQUATIONS = 1 << 22
"""Elements of the largest matrix of equations: a program takes singular values, twice the work and more
(`lstsq 400×400`: 5 x PyTorch's time, 2.3 x so)."""


def _numbers(*tensors: Any, most: int = MOST, taped: bool = False) -> Sequence[np.ndarray] | None:
    """The numbers of real matrices, if it is for LAPACK to compute with them now. taped: also of what is on the tape,
    but then of what is computed already."""
    here = state.here
    if (
        here.rec.level
        or here.rec.session.follows  # dual numbers, whose tangents go along a recording
        or Noting.reading is not None
        or here.run_at_once
        or here.saved_hooks
        or overrides.here.modes
        or counting
        or autocast.STATE.on
    ):
        return None
    first = tensors[0]
    if type(first) is not Tensor or first._aval.dtype.name not in ("float32", "float64"):
        return None
    for t in tensors:
        if type(t) is not Tensor or (t._edge is not None and not taped):
            return None
        a = t._aval
        if (
            a.device is not CPU
            or a.dtype is not first._aval.dtype
            or len(a.shape) < 2
            or not 0 < t.numel() <= most
        ):
            return None
    if taped and any(read(t).array is None for t in tensors):
        return None
    if any(isinstance(force(read(t)), jax.core.Tracer) for t in tensors):
        return None
    return [values_of(t) for t in tensors]


def _is_square(x: Any) -> bool:
    return type(x) is Tensor and x.ndim > 1 and x.shape[-1] == x.shape[-2]


def _done(function: Callable, numbers: Sequence[np.ndarray] | None) -> Any:
    """The function of the numbers as a tensor, or a tuple of them; None where LAPACK fails or anything of it is not
    finite."""
    if numbers is None:
        return None
    try:
        made = function(*numbers)
    except np.linalg.LinAlgError:
        return None
    several = made if isinstance(made, tuple) else (made,)
    if not all(math.isfinite(np.vdot(x, x)) for x in several):  # inf where it overflows, too
        return None
    out = tuple([from_array(x) for x in several])
    return out if isinstance(made, tuple) else out[0]


def cholesky(input: Any, upper: bool) -> Tensor | None:
    """The lower factor of positive definite matrices; None where it is to be recorded."""
    return _done(np.linalg.cholesky, _numbers(input)) if _is_square(input) and not upper else None


def inv(A: Any) -> Tensor | None:
    """The inverses of matrices; None where they are to be recorded."""
    return _done(np.linalg.inv, _numbers(A)) if _is_square(A) else None


def solve(A: Any, B: Any, left: bool) -> Tensor | None:
    """The X of A @ X = B, of as many matrices B; None where it is to be recorded."""
    fits = _is_square(A) and left and type(B) is Tensor and A.shape[:-1] == B.shape[:-1] and A.ndim == B.ndim
    return _done(np.linalg.solve, _numbers(A, B)) if fits else None


def is_regular(A: Any) -> bool:
    """Returns whether a quick bound shows that matrices are far from singular, so that no elimination meets a zero,
    whatever it rounds: their size times the size of their inverses is small compared with the rounding errors."""
    numbers = _numbers(A, most=MOST_LOOKED_AT, taped=True) if _is_square(A) else None
    if numbers is None:
        return False
    (x,) = numbers
    try:
        y = np.linalg.inv(x)
    except np.linalg.LinAlgError:
        return False
    return bool(float(np.vdot(x, x)) * float(np.vdot(y, y)) < _room(x) ** 2)


def is_definite(A: Any, upper: bool) -> bool:
    """Returns whether a quick bound shows that matrices are positive definite, whatever a factorization rounds: none
    of its pivots is small compared with the rounding errors."""
    numbers = _numbers(A, most=MOST_LOOKED_AT, taped=True) if _is_square(A) else None
    if numbers is None:
        return False
    (x,) = numbers
    try:
        factor = np.linalg.cholesky(np.swapaxes(x, -1, -2) if upper else x)
    except np.linalg.LinAlgError:
        return False
    pivots, largest = np.diagonal(factor, 0, -2, -1).min(), np.diagonal(x, 0, -2, -1).max()
    return bool(largest < _room(x) * pivots**2)


def _room(x: np.ndarray) -> float:
    """How large a condition may be where rounding decides nothing."""
    return 1 / (16 * x.shape[-1] * float(np.finfo(x.dtype).eps))


def svd(A: Any, full_matrices: Any) -> tuple[Tensor, ...] | None:
    """U, S and Vh; None where they are to be recorded."""
    if type(full_matrices) is not bool:
        return None
    return _done(lambda x: tuple(np.linalg.svd(x, full_matrices)), _numbers(A))


def lstsq(A: Any, B: Any) -> tuple[Tensor, int] | None:
    """The X of least norm that minimizes |A @ X - B|, of a matrix each, as "gelsy" does; and the rank.

    None where it is to be recorded."""
    if (
        type(A) is not Tensor
        or type(B) is not Tensor
        or A.ndim != 2
        or B.ndim != 2
        or A.shape[0] != B.shape[0]
    ):
        return None
    numbers = _numbers(A, B, most=MOST_EQUATIONS)
    if numbers is None:
        return None
    (n, m), k = A.shape, B.shape[1]
    query, gelsy = _gelsy(numbers[0].dtype.char)
    rcond = float(np.finfo(numbers[0].dtype).eps) * max(n, m)
    room = int(query(n, m, k, rcond)[0].real)
    other = np.zeros((max(n, m), k), numbers[1].dtype)
    other[:n] = numbers[1]
    *_, x, _, rank, info = gelsy(numbers[0], other, np.zeros((m, 1), np.int32), rcond, room, False, False)
    if info or not np.isfinite(x[:m]).all():
        return None
    return from_array(np.ascontiguousarray(x[:m])), int(rank)


@functools.cache
def _gelsy(char: str) -> Sequence[Callable]:
    """LAPACK's solver of least squares for a dtype: how much room it needs, and the solver."""
    names = "gelsy_lwork", "gelsy"
    return importlib.import_module("scipy.linalg.lapack").get_lapack_funcs(names, dtype=np.dtype(char))
