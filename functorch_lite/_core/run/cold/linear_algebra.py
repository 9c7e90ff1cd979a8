"""Factorizations by LAPACK as NumPy and SciPy call it, and Fourier transforms."""

from __future__ import annotations

import functools
import importlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .interpreter import COSTS, NoRule, elements, rule, several

__all__: list[str] = []


def _cubic(eqn: Any) -> float:
    return 40.0 * elements(eqn.invars[0]) * max(eqn.invars[0].aval.shape[-2:], default=1) + 4e5


for _name in ("cholesky", "eig", "eigh", "geqrf", "lu", "qr", "svd", "triangular_solve"):
    COSTS[_name] = _cubic


@rule("cholesky")
def _cholesky(eqn: Any) -> Callable:
    symmetrized, d = eqn.params.get("symmetrize_input", False), eqn.outvars[0].aval.dtype

    def factor(x: np.ndarray) -> np.ndarray:
        if symmetrized:
            x = (x + np.swapaxes(x.conj(), -1, -2)) / 2
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


@rule("lu")
def _lu(eqn: Any) -> Callable:
    *batch, m, n = eqn.invars[0].aval.shape
    if not elements(eqn.invars[0]):
        raise NoRule("lu of nothing")

    @several
    def factor(x: np.ndarray) -> tuple:
        getrf = importlib.import_module("scipy.linalg.lapack").get_lapack_funcs("getrf", (x,))
        factors, pivots = np.empty(x.shape, x.dtype), np.empty((*batch, min(m, n)), np.int32)
        order = np.empty((*batch, m), np.int32)
        for at in np.ndindex(*batch):
            factors[at], pivots[at], _ = getrf(x[at])
            rows = list(range(m))
            for row, other in enumerate(pivots[at]):
                rows[row], rows[other] = rows[other], rows[row]
            order[at] = rows
        return factors, pivots, order

    return factor


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
        trtrs = _trtrs(dtype.char)
        out = np.empty(b.shape, dtype)
        for at in np.ndindex(b.shape[:-2]):
            out[at] = trtrs(a[at].T, b[at], not lower, 1 if as_given else 0, unit)[0]
        return out if left else np.swapaxes(out, -1, -2)

    return solve


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
