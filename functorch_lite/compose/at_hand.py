"""Values that torch reads and a compiled program cannot: looked at before an op is recorded, where they are at hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._core.api import OPS, Tensor, at_hand, check, check_divisor

__all__ = []

# -- integers divided by 0 ---------------------------------------------------------------------------------------------

for _name in ("floor_divide", "remainder", "fmod"):
    OPS[_name].asks += (("isinstance(other, Tensor)", "input, other", check_divisor),)
OPS["div"].asks += (
    ("rounding_mode is not None and isinstance(other, Tensor)", "input, other", check_divisor),
)


# -- pivots, quantiles and places at hand -------------------------------------------------------------------------------


def _looks_at_pivots(below: str, beyond: str, signed: bool = False) -> Callable:
    """Raises `below` for a pivot less than 1, `beyond` for one past the rows. Their shape and dtype are for the op to look at: int32, or,
    where they are signed and count by their absolute values, any integer."""

    def look(factors: Tensor, pivots: Tensor) -> tuple[Tensor, Tensor]:
        known = at_hand(pivots)
        if known is None or not known.size or not known.ndim or factors.ndim < 2:
            return factors, pivots
        if known.dtype.kind not in "iu" or (not signed and known.dtype != np.int32):
            return factors, pivots
        rows = np.abs(known.astype(np.int64)) if signed else known
        count = min(factors.shape[-2:])
        if count and known.shape[:-1] == factors.shape[:-2] and known.shape[-1] >= count:
            read = rows[..., :count]
            check(not read.size or read.min() >= 1, RuntimeError, below)
            check(not read.size or read.max() <= factors.shape[-2], RuntimeError, beyond)
        return factors, pivots

    return look


_SOLVE = "Pivots given to lu_solve must all be {}. Did you properly pass the result of lu_factor?"
_UNPACK = "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive.Did you properly pass the result of lu_factor?"
_LDL = (
    "Pivots given to ldl_solve must all satisfy |pivot| {}. Did you properly pass the result of ldl_factor?"
)
_solve = _looks_at_pivots(
    _SOLVE.format("greater or equal to 1"), _SOLVE.format("smaller or equal to LU.size(-2)")
)
_unpack = _looks_at_pivots(_UNPACK, _UNPACK)
_ldl = _looks_at_pivots(_LDL.format(">= 1"), _LDL.format("<= LD.size(-2)"), signed=True)

for _name, _names, _look, _where in (
    ("lu_unpack", ("LU_data", "LU_pivots"), _unpack, "unpack_pivots and "),
    ("linalg.lu_solve", ("LU", "pivots"), _solve, ""),
    ("lu_solve", ("LU_data", "LU_pivots"), _solve, ""),
    ("linalg.ldl_solve", ("LD", "pivots"), _ldl, ""),
):
    _tensors = " and ".join(f"isinstance({n}, Tensor)" for n in _names)
    OPS[_name].asks += ((_where + _tensors, ", ".join(_names), _look),)


def _within_sequence(sorter: Tensor) -> Tensor:
    known = at_hand(sorter)
    if known is not None and known.ndim and known.size and known.dtype == np.int64:
        inside = known.min() >= 0 and known.max() < known.shape[-1]
        check(inside, RuntimeError, "torch.searchsorted(): sorter index out of range")
    return sorter


OPS["searchsorted"].asks += (("isinstance(sorter, Tensor)", "sorter", _within_sequence),)
