"""LU factorizations of matrices, what is solved with them, and inverses and solutions that tell where they failed.

A factorization is, as LAPACK's, one matrix (L below the diagonal, whose ones are left out, U above) and the row that
row i was exchanged with, counted from 1. `info` is 0, or the number of the first diagonal element of U that is 0.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .._core.api import Array, broadcast_shapes, op
from .contracts.lu import (
    IN_SOLVE,
    IN_UNPACK,
    check_lu,
    check_lu_solve,
    check_lu_unpack,
    check_sides,
    check_solve,
    look_at_solve,
    look_at_unpack,
    of_pivots,
    valid_pivots,
)
from .decompose import check_floating, check_matrix, linalg_op
from .matmul import product


def _first_zero(packed):
    """The number, from 1, of the first zero on the diagonal of U; 0 when there is none."""
    diagonal = jnp.diagonal(packed, axis1=-2, axis2=-1)
    if diagonal.shape[-1] == 0:
        return jnp.zeros(packed.shape[:-2], np.int32)
    zero = diagonal == 0
    return jnp.where(jnp.any(zero, -1), jnp.argmax(zero, -1) + 1, 0).astype(np.int32)


def lu_of(x):
    """(packed factors, pivots from 1, info)."""
    if x.size == 0:
        count = min(x.shape[-2:])
        ones = jnp.broadcast_to(jnp.arange(1, count + 1, dtype=np.int32), (*x.shape[:-2], count))
        return x, ones, jnp.zeros(x.shape[:-2], np.int32)
    packed, pivots, _ = lax.linalg.lu(x)
    return packed, pivots.astype(np.int32) + np.int32(1), _first_zero(lax.stop_gradient(packed))


@linalg_op(returns=("LU", "pivots", "info"), grad="LinalgLuFactorEx")
def lu_factor_ex(A: Array, *, pivot: bool = True, check_errors: bool = False):
    """A = P @ L @ U with partial pivoting: packed factors, pivots, and where U has a zero on its diagonal.

    Rectangular matrices and batches are allowed. `check_errors` is seen to by the function on tensors.

    >>> A = torch.tensor([[2., 0.], [1., 4.]])
    >>> torch.linalg.lu_factor_ex(A).info
    tensor(0, dtype=torch.int32)
    """
    check_lu("torch.lu_factor", A, pivot)
    return lu_of(A)


def _permutation(pivots, rows):
    """The order of rows that the exchanges make: A[order] = L @ U."""
    return lax.linalg.lu_pivots_to_permutation(pivots - np.int32(1), rows)


def _permutation_matrix(pivots, rows, dtype):
    order = _permutation(pivots, rows)
    return (jnp.arange(rows, dtype=np.int32)[:, None] == order[..., None, :]).astype(dtype)


def _are_rows(pivots, rows):
    """For each matrix whether its pivots are rows, shaped to broadcast with it: torch raises for a pivot that is not
    a row."""
    return jnp.all((pivots >= 1) & (pivots <= rows), -1)[..., None, None]


def _unpacked(packed):
    rows, columns = packed.shape[-2:]
    k = min(rows, columns)
    lower = jnp.tril(packed[..., :, :k], -1) + jnp.eye(rows, k, dtype=packed.dtype)
    return lower, jnp.triu(packed[..., :k, :])


@linalg_op(returns=("P", "L", "U"), grad="LinalgLu")
def lu(A: Array, *, pivot: bool = True):
    """A = P @ L @ U with a permutation matrix P, unit lower triangular L and upper triangular U.

    >>> P, L, U = lu(jnp.asarray([[1.0, 2.0], [3.0, 4.0]]))
    >>> P.tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    check_lu("torch.lu_factor", A, pivot)
    packed, pivots, _ = lu_of(A)
    return _permutation_matrix(pivots, A.shape[-2], A.dtype), *_unpacked(packed)


@op(
    returns=("P", "L", "U"),
    out="exact",
    asks=of_pivots("LU_data", "LU_pivots", look_at_unpack, "unpack_pivots"),
)
def lu_unpack(LU_data: Array, LU_pivots: Array, unpack_data: bool = True, unpack_pivots: bool = True):
    """P, L and U of a packed factorization; what is not asked for is an empty tensor.

    LU (…, m, n), pivots (…, min(m, n)) int32, else RuntimeError; P (…, m, m), L (…, m, k), U (…, k, n), k = min(m, n).

    >>> A = torch.tensor([[1., 2.], [3., 4.]])
    >>> P, L, U = torch.lu_unpack(*torch.linalg.lu_factor(A))
    >>> torch.allclose(P @ L @ U, A)
    True
    """
    check_lu_unpack(LU_data, LU_pivots, unpack_pivots)
    if unpack_pivots and LU_pivots.shape[:-1] == (1,) * (LU_pivots.ndim - 1):
        LU_pivots = LU_pivots.reshape(-1)
    empty = jnp.zeros((0,), LU_data.dtype)
    p, rows = empty, LU_data.shape[-2]
    if unpack_pivots:
        LU_pivots = LU_pivots[..., : min(LU_data.shape[-2:])]  # what follows is not looked at
        LU_pivots = valid_pivots(LU_pivots, rows, IN_UNPACK)
        p = _permutation_matrix(LU_pivots, rows, LU_data.dtype)
        if jnp.issubdtype(p.dtype, jnp.inexact):
            p = jnp.where(_are_rows(LU_pivots, rows), p, jnp.asarray(jnp.nan, p.dtype))
    if unpack_pivots and p.shape[:-2] != LU_data.shape[:-2]:
        p = jnp.broadcast_to(p, LU_data.shape[:-2] + p.shape[-2:])
    return p, *(_unpacked(LU_data) if unpack_data else (empty, empty))


def _with_factors(packed, order, b, transposed):
    """The solution of A @ X = B, or of A^T @ X = B, from the factors of A[order]."""

    def triangle(y, lower, transpose):
        return lax.linalg.triangular_solve(
            packed, y, left_side=True, lower=lower, transpose_a=transpose, unit_diagonal=lower
        )

    if not transposed:
        return triangle(
            triangle(jnp.take_along_axis(b, order[..., None], axis=-2), True, False), False, False
        )
    back = jnp.argsort(order, -1).astype(np.int32)
    return jnp.take_along_axis(triangle(triangle(b, False, True), True, True), back[..., None], axis=-2)


def _lu_solve(packed, pivots, b, left, adjoint):
    check_lu_solve(packed, pivots, b, left)
    batch = broadcast_shapes(packed.shape[:-2], b.shape[:-2])
    n = packed.shape[-1]
    if b.size == 0 or n == 0:
        return jnp.zeros(batch + b.shape[-2:], b.dtype)
    pivots = valid_pivots(pivots, n, IN_SOLVE)
    order = jnp.broadcast_to(_permutation(pivots, n), (*batch, n))
    packed = jnp.broadcast_to(packed, (*batch, n, n))
    b = jnp.broadcast_to(b, batch + b.shape[-2:])
    # X @ op(A) = B is op(A)^T @ X^T = B^T; a conjugated A is solved by conjugating both sides
    conjugate = adjoint
    if not left:
        b = jnp.swapaxes(b, -1, -2)
    b = jnp.conj(b) if conjugate else b
    x = _with_factors(packed, order, b, transposed=adjoint == left)
    x = jnp.conj(x) if conjugate else x
    x = jnp.where(_are_rows(pivots, n), x, jnp.asarray(jnp.nan, x.dtype))
    return x if left else jnp.swapaxes(x, -1, -2)


@linalg_op(
    name="lu_solve",
    asks=of_pivots("LU", "pivots", look_at_solve),
    grad="LinalgLuSolve",
    autocast=("float", None),
)
def linalg_lu_solve(LU: Array, pivots: Array, B: Array, *, left: bool = True, adjoint: bool = False):
    """The solution X of A @ X = B (X @ A = B with left=False; of A^H with adjoint=True) from A's LU factorization.

    >>> A, B = torch.tensor([[2., 0.], [1., 4.]]), torch.tensor([[2.], [9.]])
    >>> torch.linalg.lu_solve(*torch.linalg.lu_factor(A), B)
    tensor([[1.],
            [2.]])
    """
    return _lu_solve(LU, pivots, B, left, adjoint)


@op(
    out="exact",
    asks=of_pivots("LU_data", "LU_pivots", look_at_solve),
    grad="LinalgLuSolve",
    autocast=("float", None),
)
def lu_solve(input: Array, LU_data: Array, LU_pivots: Array):
    """The solution X of A @ X = input from A's LU factorization.

    input (…, n, k), LU (…, n, n), pivots (…, n) int32, which broadcast; float or complex.

    >>> LU, pivots = torch.linalg.lu_factor(torch.tensor([[2., 0.], [0., 4.]]))
    >>> torch.lu_solve(torch.tensor([[2.], [4.]]), LU, pivots)
    tensor([[1.],
            [1.]])
    """
    return _lu_solve(LU_data, LU_pivots, input, True, False)


# --- with info ----------------------------------------------------------------------------------------------------


def _info(x):
    return lu_of(lax.stop_gradient(x))[2]


@jax.custom_jvp
def _inverse(x):
    return jnp.linalg.inv(x)


@_inverse.defjvp
def _inverse_jvp(primals, tangents):
    """The derivative by the inverse itself, as in PyTorch: no system is solved for it."""
    out = _inverse(primals[0])
    return out, -product(out, product(tangents[0], out))


@linalg_op(returns=("inverse", "info"), grad="LinalgInvEx", autocast=("float", None))
def inv_ex(A: Array, *, check_errors: bool = False):
    """The inverse of square matrices, and 0 or the number of the diagonal element at which inversion failed.

    Where it failed the result is inf or nan. `check_errors` is seen to by the function on tensors.

    >>> A = torch.tensor([[2., 0.], [1., 4.]])
    >>> torch.linalg.inv_ex(A)[0]
    tensor([[ 0.5000,  0.0000],
            [-0.1250,  0.2500]])
    """
    check_matrix("linalg.inv", A)
    check_floating("linalg.inv", A)
    return (A if A.size == 0 else _inverse(A)), _info(A)


def solved(a, b):
    """The solution of a @ x = b for matrices of right-hand sides."""
    if a.ndim == 2 and b.ndim > 2:  # one factorization serves the whole batch
        columns = jnp.moveaxis(b, -2, 0)
        return jnp.moveaxis(
            jnp.linalg.solve(a, columns.reshape(b.shape[-2], -1)).reshape(columns.shape), 0, -2
        )
    batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = jnp.broadcast_to(a, batch + a.shape[-2:]), jnp.broadcast_to(b, batch + b.shape[-2:])
    return jnp.linalg.solve(a, b)


@linalg_op(returns=("result", "info"), grad="LinalgSolveEx", autocast=("float", None))
def solve_ex(A: Array, B: Array, *, left: bool = True, check_errors: bool = False):
    """The solution X of A @ X = B (X @ A = B with left=False), and 0 or the diagonal element at which solving failed.

    B may be a vector or a batch of vectors. `check_errors` is seen to by the function on tensors.

    >>> A, B = torch.tensor([[2., 0.], [1., 4.]]), torch.tensor([[2.], [9.]])
    >>> torch.linalg.solve_ex(A, B)[0]
    tensor([[1.],
            [2.]])
    """
    vector = B.ndim == 1 or (A.ndim - 1 == B.ndim and B.shape == A.shape[:-1])
    check_solve(A, B, left, vector)
    b = B[..., None] if vector else B
    check_sides("linalg.solve", A, b, left)
    batch = broadcast_shapes(A.shape[:-2], b.shape[:-2])
    if A.size == 0 or b.size == 0:
        out = jnp.zeros(batch + b.shape[-2:], b.dtype)
    elif left:
        out = solved(A, b)
    else:
        out = jnp.swapaxes(solved(jnp.swapaxes(A, -1, -2), jnp.swapaxes(b, -1, -2)), -1, -2)
    return (out[..., 0] if vector else out), _info(A)
