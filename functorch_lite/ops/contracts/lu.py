"""Refusals of LU factorizations, and of the solvers made of them."""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np

from ..._core.api import at_hand, check, need_kind, require, required, requirement, scalar_name
from ..decompose import check_floating, check_matrix


def check_lu(name, x, pivot=True):
    check(
        x.ndim >= 2,
        RuntimeError,
        f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(x.shape)} instead",
    )
    need_kind(x, "Fc", "lu_cpu")
    check(pivot, RuntimeError, "linalg.lu_factor: LU without pivoting is not implemented on the CPU")


def check_lu_unpack(LU_data, LU_pivots, unpack_pivots: bool) -> None:
    check(
        LU_data.ndim >= 2,
        RuntimeError,
        f"torch.lu_unpack: Expected tensor with 2 or more dimensions. Got size: {list(LU_data.shape)} instead",
    )
    if not unpack_pivots:
        return
    check(
        LU_pivots.dtype == np.int32,
        RuntimeError,
        "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\n"
        "Note: this function is intended to be used with the output produced by torch.linalg.lu_factor",
    )
    check(
        LU_pivots.ndim > 0,
        RuntimeError,
        "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive.",
    )
    batch = LU_pivots.shape[:-1]
    check(
        batch in (LU_data.shape[:-2], (1,) * len(batch)),
        RuntimeError,
        "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive."
        "Did you properly pass the result of lu_factor?",
    )
    check(
        LU_pivots.shape[-1] >= min(LU_data.shape[-2:]),
        RuntimeError,  # torch reads beyond them
        f"torch.lu_unpack: expected {min(LU_data.shape[-2:])} pivots, but got {LU_pivots.size} in all",
    )


def check_lu_solve(packed, pivots, b, left: bool) -> None:
    check_matrix("torch.linalg.lu_solve", packed)
    check_floating("torch.linalg.lu_solve", packed, "linalg.lu_solve_cpu")
    check(
        pivots.dtype == np.int32,
        RuntimeError,
        "linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32",
    )
    check(b.ndim >= 2, RuntimeError, "linalg.lu_solve: The input tensor B must have at least 2 dimensions.")
    check(
        packed.shape[-1] == b.shape[-2 if left else -1],
        RuntimeError,
        f"linalg.lu_solve: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} "
        f"({packed.shape[-2]}x{packed.shape[-1]} and {b.shape[-2]}x{b.shape[-1]})",
    )
    check(
        packed.dtype == b.dtype,
        RuntimeError,
        f"linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type {scalar_name(packed)} and B of "
        f"type {scalar_name(b)} instead",
    )
    check(pivots.ndim > 0, IndexError, "Dimension specified as -1 but tensor has no dimensions")
    check(
        pivots.shape[-1] == packed.shape[-1],
        RuntimeError,
        "linalg.lu_solve: Number of pivots per batch should be same as the dimension of the matrix",
    )
    check(
        pivots.shape[:-1] == packed.shape[:-2],
        RuntimeError,
        f"linalg.lu_solve: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
        f"{list(pivots.shape)} instead",
    )


def check_sides(name, a, b, left):
    """Checks that a matrix and right-hand sides fit each other."""
    check(
        a.shape[-1] == b.shape[-2 if left else -1],
        RuntimeError,
        f"{name}: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} "
        f"({a.shape[-2]}x{a.shape[-1]} and {b.shape[-2]}x{b.shape[-1]})",
    )


def same_dtype(name, a, b, first="A", second="B"):
    """Checks that two operands have one dtype."""
    check(
        a.dtype == b.dtype,
        RuntimeError,
        f"{name}: Expected {first} and {second} to have the same dtype, but found {first} of type {scalar_name(a)} and "
        f"{second} of type {scalar_name(b)} instead",
    )


def check_solve(A, B, left: bool, vector: bool) -> None:
    """`vector`: whether B is a vector, or a batch of vectors."""
    check_matrix("linalg.solve", A)
    same_dtype("linalg.solve", A, B)
    check_floating("linalg.solve", A, "lu_cpu")
    check(
        left or not vector,
        RuntimeError,
        "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case "
        "linalg.solve is equivalent to B / A.squeeze(-1)",
    )
    check(
        vector or B.ndim >= 2,
        RuntimeError,
        "linalg.solve: The input tensor B must have at least 2 dimensions.",
    )


# -- pivots at hand ----------------------------------------------------------------------------------------------------


def _look_at_pivots(below: str, beyond: str, signed: bool = False) -> Callable:
    """Raises `below` for a pivot less than 1, `beyond` for one past the rows.

    Their shape and dtype are for the op to look at: int32, or, where they are signed and count by their absolute
    values, any integer."""

    def look(factors, pivots):
        known = at_hand(pivots)
        if known is None or not known.size or not known.ndim or factors.ndim < 2:
            return factors, pivots
        if known.dtype.kind not in "iu" or (not signed and known.dtype != np.int32):
            return factors, pivots
        rows = np.abs(known.astype(np.int64)) if signed else known
        count = min(factors.shape[-2:])
        if count and known.shape[:-1] == factors.shape[:-2] and known.shape[-1] >= count:
            read = rows[..., :count]
            require(not read.size or read.min() >= 1, below)
            require(not read.size or read.max() <= factors.shape[-2], beyond)
        return factors, pivots

    return look


def valid_pivots(pivots, rows: int, says: tuple[str, str]):
    """Pivots, which must be in range(1, rows + 1), or, where they are signed, their absolute values. says: what is
    wrong with those below, and with those beyond."""
    below, beyond = says
    places = jnp.abs(pivots)
    return required(required(pivots, jnp.any(places < 1), below), jnp.any(places > rows), beyond)


_SOLVE = "Pivots given to lu_solve must all be {}. Did you properly pass the result of lu_factor?"
_UNPACK = "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive.Did you properly pass the result of lu_factor?"
_LDL = (
    "Pivots given to ldl_solve must all satisfy |pivot| {}. Did you properly pass the result of ldl_factor?"
)


def _both(below: str, beyond: str) -> tuple[str, str]:
    return requirement("RuntimeError", below), requirement("RuntimeError", beyond)


IN_SOLVE = _both(_SOLVE.format("greater or equal to 1"), _SOLVE.format("smaller or equal to LU.size(-2)"))
IN_UNPACK = _both(_UNPACK, _UNPACK)
IN_LDL = _both(_LDL.format(">= 1"), _LDL.format("<= LD.size(-2)"))

look_at_solve = _look_at_pivots(*IN_SOLVE)
look_at_unpack = _look_at_pivots(*IN_UNPACK)
look_at_ldl = _look_at_pivots(*IN_LDL, signed=True)


def of_pivots(factors: str, pivots: str, look: Callable, where: str = "True") -> tuple:
    """For `asks=`: pivots are looked at where they, and the factors, are tensors."""
    tensors = f"isinstance({factors}, Tensor) and isinstance({pivots}, Tensor)"
    return ((f"{where} and {tensors}", f"{factors}, {pivots}", look),)
