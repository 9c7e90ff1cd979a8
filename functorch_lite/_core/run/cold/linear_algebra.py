"""Factorizations by LAPACK as NumPy and SciPy call it, and Fourier transforms."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from .interpreter import COSTS, NoRule, elements, rule, several

__all__: list[str] = []


def _cubic(eqn: Any) -> float:
    return 40.0 * elements(eqn.invars[0]) * max(eqn.invars[0].aval.shape[-2:], default=1) + 4e5


for _name in ("cholesky", "eigh", "lu", "triangular_solve"):
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


@rule("triangular_solve")
def _triangular_solve(eqn: Any) -> Callable:
    p = eqn.params
    if not elements(eqn.invars[1]) or not elements(eqn.invars[0]):
        raise NoRule("a system of nothing")

    def solve(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        scipy = importlib.import_module("scipy.linalg")
        lower, how = p["lower"], 2 if p["conjugate_a"] else 1
        out = np.empty(b.shape, b.dtype)
        for at in np.ndindex(b.shape[:-2]):
            m, rhs = a[at], b[at]
            with np.errstate(all="ignore"):
                if p["left_side"]:
                    trans = how if p["transpose_a"] else 0
                    if p["conjugate_a"] and not p["transpose_a"]:
                        m = m.conj()
                    found = _solved(scipy, m, rhs, lower=lower, trans=trans, unit_diagonal=p["unit_diagonal"])
                else:  # x a = b, so that a' x' = b'
                    m = m.conj() if p["conjugate_a"] else m
                    trans = 0 if p["transpose_a"] else 1
                    found = _solved(
                        scipy, m, rhs.T, lower=lower, trans=trans, unit_diagonal=p["unit_diagonal"]
                    ).T
            out[at] = found
        return out

    return solve


def _solved(scipy: Any, a: np.ndarray, b: np.ndarray, **how: Any) -> np.ndarray:
    """A singular system gives infinities and nan, as XLA's."""
    singular = not how["unit_diagonal"] and (np.diagonal(a) == 0).any()
    if singular or not np.isfinite(a).all():
        raise np.linalg.LinAlgError("singular")
    return scipy.solve_triangular(a, b, check_finite=False, **how)


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
