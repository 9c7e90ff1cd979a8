"""Factorizations by LAPACK as NumPy and SciPy call it, and Fourier transforms."""

from __future__ import annotations

import functools
import importlib
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...jaxprs import walk
from .interpreter import COSTS, NoRule, Plan, elements, idiom, plan_of, rule, several

__all__: list[str] = []


def _cubic(eqn: Any) -> float:
    return 40.0 * elements(eqn.invars[0]) * max(eqn.invars[0].aval.shape[-2:], default=1) + 4e5


for _name in (
    "cholesky",
    "custom_linear_solve",
    "eig",
    "eigh",
    "geqrf",
    "lu",
    "qr",
    "svd",
    "triangular_solve",
):
    COSTS[_name] = _cubic


@rule("cholesky")
def _cholesky(eqn: Any) -> Callable:
    symmetrized, d = eqn.params.get("symmetrize_input", False), eqn.outvars[0].aval.dtype

    def factor(x: np.ndarray) -> np.ndarray:
        if symmetrized:
            x = (x + np.swapaxes(x.conj(), -1, -2)) / 2
        try:
            return np.linalg.cholesky(x)
        except np.linalg.LinAlgError:
            out = np.full(x.shape, np.nan, d)
        for at in np.ndindex(x.shape[:-2]):
            try:
                out[at] = np.linalg.cholesky(x[at])
            except np.linalg.LinAlgError:  # nan, as XLA gives it
                pass
        return np.tril(out)

    if not eqn.outvars[0].aval.shape[-1]:
        raise NoRule("cholesky of nothing")
    return factor


@rule("eigh")
def _eigh(eqn: Any) -> Callable:
    lower = eqn.params["lower"]
    if eqn.params.get("subset_by_index") is not None or not eqn.invars[0].aval.shape[-1]:
        raise NoRule("some eigenvalues")

    @several
    def run(x: np.ndarray) -> tuple:
        values, vectors = np.linalg.eigh(x, "L" if lower else "U")
        return vectors, values

    return run


def _side_by_side(batch: Sequence[int], n: int) -> bool:
    """Whether it takes less to go through columns, all matrices at once, than from matrix to matrix."""
    return math.prod(batch) > _LANES * n


_LANES = 4
"""Matrices for each column from which on they are factored side by side: 64 of 6×6 take 480 µs one by one, so 110."""


def _beside(x: np.ndarray) -> np.ndarray:
    """A copy of matrices with equal elements of all of them side by side."""
    return x.reshape(-1, *x.shape[-2:]).transpose(1, 2, 0).copy()


def _lu_side_by_side(x: np.ndarray) -> tuple:
    """The factors of square matrices, pivots and order of rows, as LAPACK's `getrf` gives them.

    Of what is not finite a program says what comes of it."""
    if not np.isfinite(x).all():
        raise np.linalg.LinAlgError("not finite")
    n, packed = x.shape[-1], _beside(x)
    each = np.arange(packed.shape[-1])
    pivots, order = np.empty((n, len(each)), np.int32), np.empty((n, len(each)), np.int32)
    order[:] = np.arange(n)[:, None]
    for k in range(n):
        column = packed[k:, k]
        size = np.abs(column) if x.dtype.kind == "f" else np.abs(column.real) + np.abs(column.imag)
        pivots[k] = row = size.argmax(0) + k
        if np.count_nonzero(row != k):
            for rows in (packed, order[:, None]):
                other = rows[row, :, each]
                rows[row, :, each] = rows[k].T
                rows[k] = other.T
        pivot = packed[k, k]
        packed[k + 1 :, k] /= np.where(pivot == 0, 1, pivot)
        packed[k + 1 :, k + 1 :] -= packed[k + 1 :, k, None] * packed[k, k + 1 :]
    made = packed.transpose(2, 0, 1).reshape(x.shape)
    return made, pivots.T.reshape(x.shape[:-1]), order.T.reshape(x.shape[:-1])


@rule("lu")
def _lu(eqn: Any) -> Callable:
    *batch, m, n = eqn.invars[0].aval.shape
    if not elements(eqn.invars[0]):
        raise NoRule("lu of nothing")

    if m == n and _side_by_side(batch, n):
        return several(_lu_side_by_side)

    @several
    def factor(x: np.ndarray) -> tuple:
        getrf = importlib.import_module("scipy.linalg.lapack").get_lapack_funcs("getrf", (x,))
        factors, pivots = np.empty(x.shape, x.dtype), np.empty((*batch, min(m, n)), np.int32)
        order = np.empty((*batch, m), np.int32)
        for at in np.ndindex(*batch):
            factors[at], pivots[at], _ = getrf(x[at])
            rows = list(range(m))
            for row, other in enumerate(pivots[at].tolist()):
                rows[row], rows[other] = rows[other], rows[row]
            order[at] = rows
        return factors, pivots, order

    return factor


@idiom("custom_linear_solve")
def _at_once(eqn: Any, ins: Sequence[int], plan: Plan) -> tuple[Callable, Sequence[int]] | None:
    """Matrices and right sides, at once: solve 64×6×6 fwd+bwd takes 780 µs step by step, so 330.

    It reads no factors, so that they are not computed."""
    lengths, jaxprs = eqn.params["const_lengths"], eqn.params["jaxprs"]
    transposed = _is_product(jaxprs.matvec.jaxpr) if lengths.matvec == 1 else None
    if transposed is None:
        return None
    return _solves(eqn.invars[0].aval.ndim, transposed), (ins[0], ins[-1])


@rule("custom_linear_solve")
def _custom_linear_solve(eqn: Any) -> Callable:
    lengths, jaxprs = eqn.params["const_lengths"], eqn.params["jaxprs"]
    plan = plan_of(jaxprs.solve)
    first = sum(lengths[: lengths._fields.index("solve")])
    n, total = lengths.solve, sum(lengths)

    def run(*arrays: np.ndarray) -> list:
        return plan(*arrays[first : first + n], *arrays[total:])

    return several(run, plan.cost)


def _is_product(jaxpr: Any) -> bool | None:
    """Whether a linear map is the product of transposed matrices, its constant, with the rows of its operand; None of
    any other map than that or the product with the matrices as they are."""
    steps = list(walk.equations(jaxpr))
    if len(steps) not in (1, 2) or len(jaxpr.invars) != 2:
        return None
    (a, b), first, last = jaxpr.invars, steps[0], steps[-1]
    if first.primitive.name != "dot_general" or last.outvars[0] is not jaxpr.outvars[0]:
        return None
    dims, rows = tuple(range(a.aval.ndim - 2)), b.aval.ndim == a.aval.ndim
    if not rows and b.aval.ndim != a.aval.ndim - 1:
        return None
    (left, right), (one, other) = first.params["dimension_numbers"]
    if tuple(one) != dims or tuple(other) != dims:
        return None
    given, at = list(first.invars), b.aval.ndim - 1
    if given == [a, b] and tuple(right) == (at,):
        turned, along = rows, tuple(left)
    elif given == [b, a] and tuple(left) == (at,):
        turned, along = False, tuple(right)
    else:
        return None
    if first is last:
        fits = not turned
    elif last.invars[0] is not first.outvars[0]:
        return None
    elif last.primitive.name == "transpose":
        fits = turned and last.params["permutation"] == (*dims, len(dims) + 1, len(dims))
    else:
        fits = last.primitive.name == "reduce_sum" and not last.params["axes"] and not turned
    n = a.aval.ndim
    return along == (n - 2,) if fits and along in ((n - 1,), (n - 2,)) else None


def _solves(ndim: int, transposed: bool) -> Callable:
    """The solution of systems: of matrices, and right sides as rows. A singular one raises, and what is not finite."""

    def run(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if not np.isfinite(a).all():
            raise np.linalg.LinAlgError("not finite")
        a, vector = np.swapaxes(a, -1, -2) if transposed else a, b.ndim < ndim
        x = np.linalg.solve(a, b[..., None] if vector else np.swapaxes(b, -1, -2))
        return x[..., 0] if vector else np.swapaxes(x, -1, -2)

    return run


@rule("lu_pivots_to_permutation")
def _permutation(eqn: Any) -> Callable:
    size = eqn.params["permutation_size"]

    def run(pivots: np.ndarray) -> np.ndarray:
        order = np.empty((*pivots.shape[:-1], size), np.int32)
        order[...] = np.arange(size)
        lanes = order.reshape(-1, size)
        each = np.arange(len(lanes))
        for row, other in enumerate(pivots.reshape(len(lanes), -1).T):
            lanes[each, row], lanes[each, other] = lanes[each, other], lanes[each, row]
        return order

    return run


@rule("qr")
def _qr(eqn: Any) -> Callable:
    if eqn.params["pivoting"] or not elements(eqn.invars[0]):
        raise NoRule("qr with pivots, or of nothing")
    mode = "complete" if eqn.params["full_matrices"] else "reduced"
    return several(lambda x: tuple(np.linalg.qr(x, mode)))


@rule("geqrf")
def _geqrf(eqn: Any) -> Callable:
    if not elements(eqn.invars[0]):
        raise NoRule("geqrf of nothing")
    shapes = [(v.aval.shape, v.aval.dtype) for v in eqn.outvars]

    @several
    def factor(x: np.ndarray) -> tuple:
        geqrf = importlib.import_module("scipy.linalg.lapack").get_lapack_funcs("geqrf", (x,))
        packed, taus = [np.empty(*s) for s in shapes]
        for at in np.ndindex(x.shape[:-2]):
            packed[at], taus[at] = geqrf(x[at])[:2]
        return packed, taus

    return factor


@rule("svd")
def _svd(eqn: Any) -> Callable:
    p = eqn.params
    if p.get("subset_by_index") is not None or not elements(eqn.invars[0]):
        raise NoRule("some singular values, or those of nothing")

    @several
    def run(x: np.ndarray) -> tuple:
        if not p["compute_uv"]:
            return (np.linalg.svd(x, compute_uv=False),)
        u, values, vectors = np.linalg.svd(x, p["full_matrices"])
        return values, u, vectors

    return run


@rule("eig")
def _eig(eqn: Any) -> Callable:
    p, d = eqn.params, eqn.outvars[0].aval.dtype
    if p["compute_left_eigenvectors"] or not elements(eqn.invars[0]):
        raise NoRule("left eigenvectors, or those of nothing")

    @several
    def run(x: np.ndarray) -> tuple:
        if not p["compute_right_eigenvectors"]:
            return (np.linalg.eigvals(x).astype(d),)
        values, vectors = np.linalg.eig(x)
        return values.astype(d), vectors.astype(d)

    return run


@rule("triangular_solve")
def _triangular_solve(eqn: Any) -> Callable:
    p = eqn.params
    if not elements(eqn.invars[1]) or not elements(eqn.invars[0]):
        raise NoRule("a system of nothing")

    lower, unit, dtype = p["lower"], p["unit_diagonal"], eqn.outvars[0].aval.dtype
    transposed, conjugated, left = p["transpose_a"], p["conjugate_a"] and dtype.kind == "c", p["left_side"]

    def solve(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """A singular system raises, so that a program gives infinities and nan."""
        singular = not unit and np.count_nonzero(np.diagonal(a, 0, -2, -1)) < a.shape[-1] * math.prod(
            a.shape[:-2]
        )
        if singular or not np.isfinite(a).all():
            raise np.linalg.LinAlgError("singular")
        a = a.conj() if conjugated else a
        # x a = b is a' x' = b'; LAPACK's matrices lie the other way round in memory, so that it is given the transpose
        # of each
        b = b if left else np.swapaxes(b, -1, -2)
        as_given = transposed != left
        if _side_by_side(b.shape[:-2], b.shape[-2]):
            a, down = (a if as_given else np.swapaxes(a, -1, -2)), lower == as_given
            x = _substituted(a, b, down, unit)
            return x if left else np.swapaxes(x, -1, -2)
        trtrs = _trtrs(dtype.char)
        out = np.empty(b.shape, dtype)
        for at in np.ndindex(b.shape[:-2]):
            out[at] = trtrs(a[at].T, b[at], not lower, 1 if as_given else 0, unit)[0]
        return out if left else np.swapaxes(out, -1, -2)

    return solve


def _substituted(a: np.ndarray, b: np.ndarray, down: bool, unit: bool) -> np.ndarray:
    """The solutions of triangular systems, side by side: of lower ones from the first row down."""
    a, x, n = _beside(a), _beside(b), a.shape[-1]
    for k in range(n) if down else range(n - 1, -1, -1):
        rest = slice(k + 1, n) if down else slice(0, k)
        if not unit:
            x[k] /= a[k, k]
        x[rest] -= a[rest, k, None] * x[k]
    return x.transpose(2, 0, 1).reshape(b.shape)


@functools.cache
def _trtrs(char: str) -> Callable:
    """LAPACK's solver of triangular systems for a dtype: (matrix, right sides, lower, transposed, unit diagonal) ->
    (solution, info)."""
    return importlib.import_module("scipy.linalg.lapack").get_lapack_funcs("trtrs", dtype=np.dtype(char))


@rule("fft")
def _fft(eqn: Any) -> Callable:
    kind, lengths = int(eqn.params["fft_type"]), tuple(eqn.params["fft_lengths"])
    d = eqn.outvars[0].aval.dtype
    axes = tuple(range(-len(lengths), 0))
    name = ("fftn", "ifftn", "rfftn", "irfftn")[kind]
    if 0 in eqn.invars[0].aval.shape or 0 in lengths:
        raise NoRule("a transform of nothing")
    return lambda x: getattr(np.fft, name)(x, lengths, axes).astype(d)


COSTS["fft"] = lambda eqn: elements(eqn.outvars[0]) * 2000
