"""LDL factorizations of symmetric and Hermitian matrices with pivoting, and what is solved with them; no derivatives.

The algorithm and the form of its result are LAPACK's sytf2: Bunch and Kaufman, Math. Comp. 31 (1977). Row i was
exchanged with row pivots[i] (from 1); two equal negative pivots mark a 2x2 block of D, whose second row was exchanged.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .._core.api import Array, check, scalar_name
from ._pointwise import INT, category
from .contracts.lu import IN_LDL, look_at_ldl, of_pivots, valid_pivots
from .decompose import check_floating, check_matrix, linalg_op, without_derivative
from .factors import broadcast_batches, check_batched
from .matmul import product

_ALPHA = (1 + 17**0.5) / 8
"""Bounds the growth of the elements: Bunch and Kaufman's choice."""


def _size(x):
    return jnp.abs(jnp.real(x)) + jnp.abs(jnp.imag(x))


def _exchanged(x, i, j):
    """x with its rows i and j exchanged."""
    a, b = x[i], x[j]
    return x.at[i].set(b).at[j].set(a)


def _factored(x, hermitian):
    """(L and D in one matrix, pivots, info) of one matrix, whose lower triangle is read."""
    n = x.shape[-1]
    at = jnp.arange(n, dtype=np.int32)

    def star(y):
        return jnp.conj(y) if hermitian else y

    lower = jnp.tril(x, -1)
    diagonal = jnp.diagonal(x)
    diagonal = jnp.real(diagonal).astype(x.dtype) if hermitian else diagonal
    whole = lower + star(lower).T + jnp.diag(diagonal)

    def step(state):
        k, w, pivots, info = state
        below = jnp.where(at > k, _size(w[:, k]), -1)
        largest = jnp.argmax(below).astype(np.int32)
        column = jnp.maximum(below[largest], 0)
        own = _size(w[k, k])
        zero = ((own == 0) & (column == 0)) | jnp.isnan(own)
        row = jnp.max(jnp.where((at >= k) & (at != largest), _size(w[largest]), 0))
        stay = zero | (own >= _ALPHA * column) | (own >= _ALPHA * column * (column / row))
        single = stay | (_size(w[largest, largest]) >= _ALPHA * row)
        other = jnp.where(stay, k, largest)
        here = jnp.where(single, k, k + 1)
        moved = _exchanged(_exchanged(w, here, other).T, here, other).T
        w = jnp.where((at[:, None] >= k) & (at >= k), moved, w)
        pivots = pivots.at[k].set(jnp.where(single, other + 1, -other - 1))
        pivots = jnp.where((at == k + 1) & ~single, -other - 1, pivots)
        two = _two if n > 1 else lambda w, k: w
        w = lax.cond(single, lambda w: _one(w, k, zero), lambda w: two(w, k), w)
        info = jnp.where((info == 0) & zero, k + 1, info)
        return k + jnp.where(single, 1, 2).astype(np.int32), w, pivots, info

    def _one(w, k, zero):
        d = jnp.where(zero, 1, w[k, k])
        vector = jnp.where(at > k, w[:, k], 0)
        factor = vector / d
        update = jnp.where((at[:, None] > k) & (at > k), factor[:, None] * star(vector)[None, :], 0)
        w = w - update
        return w.at[:, k].set(jnp.where((at > k) & ~zero, factor, w[:, k]))

    def _two(w, k):
        block = lax.dynamic_slice(w, (k, k), (2, 2))
        columns = jnp.where((at > k + 1)[:, None], lax.dynamic_slice(w, (np.int32(0), k), (n, 2)), 0)
        inverse = jnp.array([[block[1, 1], -block[0, 1]], [-block[1, 0], block[0, 0]]]) / (
            block[0, 0] * block[1, 1] - block[0, 1] * block[1, 0]
        )
        factor = product(columns, inverse)
        w = w - jnp.where((at[:, None] > k + 1) & (at > k + 1), product(factor, star(columns).T), 0)
        kept = lax.dynamic_slice(w, (np.int32(0), k), (n, 2))
        return lax.dynamic_update_slice(w, jnp.where((at > k + 1)[:, None], factor, kept), (np.int32(0), k))

    start = np.int32(0), whole, jnp.zeros((n,), np.int32), np.int32(0)
    _, w, pivots, info = lax.while_loop(lambda s: s[0] < n, step, start)
    return jnp.tril(w), pivots, info


def _each(fn, *arrays, cores):
    """`fn` for each of the matrices in the leading dims."""
    batch = arrays[0].shape[: arrays[0].ndim - cores[0]]
    flat = [a.reshape((-1, *a.shape[a.ndim - c :])) for a, c in zip(arrays, cores)]
    outs = jax.vmap(fn)(*flat)
    return jax.tree.map(lambda o: o.reshape((*batch, *o.shape[1:])), outs)


@linalg_op(returns=("LD", "pivots", "info"))
def ldl_factor_ex(input: Array, *, hermitian: bool = False, check_errors: bool = False):
    """A = L @ D @ L^T (L^H with hermitian=True) of symmetric matrices, whose lower triangle is read.

    `info` is 0, or the number of the first zero pivot. No derivative, as in torch. `check_errors` is seen to by the
    function on tensors.

    >>> A = torch.tensor([[4., 2.], [2., 3.]])
    >>> torch.linalg.ldl_factor_ex(A).info
    tensor(0, dtype=torch.int32)
    """
    name = "torch.linalg.ldl_factor_ex"
    check_matrix(name, input)
    check_floating(name, input, "ldl_factor_kernel_cpu")
    if input.size == 0:
        batch = input.shape[:-2]
        return input, jnp.zeros(input.shape[:-1], np.int32), jnp.zeros(batch, np.int32)
    hermitian = hermitian and jnp.iscomplexobj(input)
    factor = without_derivative(
        lambda x: _each(lambda m: _factored(m, hermitian), x, cores=(2,)),
        "derivative for aten::linalg_ldl_factor_ex is not implemented",
    )
    return factor(input)


def _solved(factors, pivots, b, hermitian):
    """The solution for one matrix."""
    n = factors.shape[-1]
    at = jnp.arange(n, dtype=np.int32)[:, None]

    def star(y):
        return jnp.conj(y) if hermitian else y

    def forward(state):
        k, y = state
        single = pivots[k] > 0
        here = jnp.where(single, k, k + 1)
        y = _exchanged(y, here, jnp.abs(pivots[k]) - 1)
        following = jnp.minimum(k + 1, n - 1)
        first = jnp.where(at > here, factors[:, k][:, None], 0)
        second = jnp.where((at > here) & ~single, factors[:, following][:, None], 0)
        y = y - first * y[k] - second * y[following]
        a, c, d = factors[k, k], factors[following, k], factors[following, following]
        u, v = y[k], y[following]
        determinant = jnp.where(single, 1, a * d - c * star(c))
        both = (d * u - star(c) * v) / determinant, (a * v - c * u) / determinant
        y = y.at[k].set(jnp.where(single, u / a, both[0]))
        y = y.at[following].set(jnp.where(single, y[following], both[1]))
        return k + jnp.where(single, 1, 2).astype(np.int32), y

    def backward(state):
        k, y = state
        single = pivots[k] > 0
        before = jnp.maximum(k - 1, 0)
        below = jnp.where(at > k, y, 0)
        y = y.at[k].add(-product(star(factors[:, k])[None, :], below)[0])
        y = y.at[before].add(jnp.where(single, 0, -product(star(factors[:, before])[None, :], below)[0]))
        y = _exchanged(y, k, jnp.abs(pivots[k]) - 1)
        return k - jnp.where(single, 1, 2).astype(np.int32), y

    _, y = lax.while_loop(lambda s: s[0] < n, forward, (np.int32(0), b))
    return lax.while_loop(lambda s: s[0] >= 0, backward, (np.int32(n - 1), y))[1]


def _check_ldl_solve(LD, pivots, B) -> None:
    name = "torch.linalg.ldl_solve"
    check_matrix(name, LD)
    check_floating(name, LD, "ldl_solve_kernel_cpu")
    if B.ndim < 2:
        raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got -2)")
    check_batched(name, B, LD)
    check(
        pivots.shape == LD.shape[:-1],
        RuntimeError,
        f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
        f"{list(pivots.shape)} instead",
    )
    check(
        category(pivots) == INT,
        RuntimeError,
        f"{name}: Expected pivots to be integers. Got {scalar_name(pivots)}",
    )


@linalg_op(asks=of_pivots("LD", "pivots", look_at_ldl))
def ldl_solve(LD: Array, pivots: Array, B: Array, *, hermitian: bool = False):
    """The solution X of A @ X = B from A's LDL factorization; no derivative, as in torch.

    >>> A = torch.tensor([[4., 2.], [2., 3.]])
    >>> LD, pivots = torch.linalg.ldl_factor(A)
    >>> torch.linalg.ldl_solve(LD, pivots, torch.tensor([[4.], [2.]]))
    tensor([[1.],
            [0.]])
    """
    _check_ldl_solve(LD, pivots, B)
    factors, b = broadcast_batches(LD, B)
    if b.size == 0:
        return b
    pivots = valid_pivots(pivots, LD.shape[-2], IN_LDL)
    pivots = jnp.broadcast_to(pivots.astype(np.int32), factors.shape[:-1])
    hermitian = hermitian and jnp.iscomplexobj(LD)
    solve = without_derivative(
        lambda f, p, y: _each(lambda *one: _solved(*one, hermitian), f, p, y, cores=(2, 1, 2)),
        "derivative for aten::linalg_ldl_solve is not implemented",
    )
    return solve(factors, pivots, b)
