"""Taylor series through a jaxpr: of each value the derivatives of a path, equation by equation.

A value is an array, if it does not move, or a `Series` of derivatives x', x'', … of t -> x(t) at t = 0 (not divided
by factorials). Formulas: Griewank & Walther, "Evaluating derivatives", chapter 13. A primitive for which JAX's jet
has a rule uses it. For all others (loops, branches, sorts, solvers) the single equation is differentiated K times by
nested jvp along the path, so that a primitive without a rule slows down nothing else. Functions with their own
differentiation rules use the series of their first derivative.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import jet as jax_jet
from jax.extend.core import primitives

from ..._core.api import row, walk

__all__ = ["along_paths", "moves", "nested"]

Path = tuple[Any, list[Any]]
"""A value and its derivatives along the path."""


class Series:
    """A value that moves: x, and its derivatives along the path."""

    __slots__ = ("terms", "x")

    def __init__(self, x: Any, terms: Sequence[Any]):
        self.x = x
        self.terms = list(terms)


def along_paths(f: Callable[..., Sequence[Any]], paths: Sequence[Path]) -> list[Path]:
    """f of arrays, which returns several, along paths: of each result its value and as many derivatives as are
    given."""
    order = len(paths[0][1])
    traced = jax.make_jaxpr(lambda *xs: list(f(*xs)))(*[x for x, _ in paths])
    given = [Series(x, terms) if order else x for x, terms in paths]
    found = _through(traced, given, order)
    return [
        (v.x, v.terms) if isinstance(v, Series) else (v, [jnp.zeros_like(v)] * order)
        for v in map(_lifted, found)
    ]


def _lifted(v: Any) -> Any:
    return v if isinstance(v, Series) else jnp.asarray(v)


def _through(jaxpr: Any, given: Sequence[Any], order: int) -> list[Any]:
    def on_eqn(eqn: Any, args: list[Any]) -> Sequence[Any] | None:
        if not any(isinstance(a, Series) for a in args):
            return None
        if row(eqn).flat:
            return walk.bind(eqn, [a.x if isinstance(a, Series) else a for a in args])
        call = walk.called(eqn, ruled=False)
        if call is not None:
            return _through(call, args, order)
        return _of_equation(eqn, args, order)

    return walk.evaluated(jaxpr, given, on_eqn)


def _of_equation(eqn: Any, args: list[Any], order: int) -> list[Any]:
    at = [i for i, a in enumerate(args) if isinstance(a, Series) and moves(a.x)]

    def f(*xs: Any) -> list[Any]:
        full = [a.x if isinstance(a, Series) else a for a in args]
        for i, x in zip(at, xs):
            full[i] = x
        return walk.bind(eqn, full)

    primals, series = [args[i].x for i in at], [args[i].terms for i in at]
    if not at:
        return f()
    whole = all(moves(v) for v in eqn.outvars)
    if whole and _has_rule(eqn):
        outs, terms = jax_jet.jet(f, primals, series)
    elif whole and (row(eqn).ruled or eqn.primitive in _WITHOUT):
        outs, terms = _by_slopes(f, primals, series)
    else:
        outs, terms = nested(f, primals, series)
    return [Series(x, t) if moves(x) else x for x, t in zip(outs, terms)]


def moves(x: Any) -> bool:
    """Returns whether a value is of a dtype that has derivatives."""
    return jnp.issubdtype(getattr(x, "aval", x).dtype, jnp.inexact)


_WITHOUT = frozenset(
    # rules that JAX's jet has, but that are not those of its derivatives everywhere: it takes `custom_jvp_call` for its
    # function, and divides by zero in powers and roots where a nested jvp does not
    [
        primitives.custom_jvp_call_p, primitives.custom_vjp_call_p, primitives.pow_p, primitives.cumprod_p, primitives.cummax_p, primitives.cummin_p,
        primitives.reduce_max_p, primitives.reduce_min_p, primitives.max_p, primitives.min_p, primitives.scatter_p, primitives.gather_p, primitives.abs_p,
        primitives.clamp_p,
    ]
)  # fmt: skip


def _has_rule(eqn: Any) -> bool:
    return eqn.primitive in jax_jet.jet_rules and eqn.primitive not in _WITHOUT and not row(eqn).ruled


def _by_slopes(
    f: Callable[..., Sequence[Any]], primals: Sequence[Any], series: Sequence[Sequence[Any]]
) -> Any:
    """(f's results, of each its derivatives along the path): y' is the jvp of f at (x, x'), whose own derivatives
    along the path are one fewer. That jvp computes ordinary ops, and f once more, so that the work grows linearly
    with the order, whereas nested jvps double with each order."""

    def slopes(*both: Any) -> list[Any]:
        xs, ts = both[: len(primals)], both[len(primals) :]
        return jax.jvp(lambda *xs: list(f(*xs)), xs, ts)[1]

    paths = [(x, terms[:-1]) for x, terms in zip(primals, series)]
    paths += [(terms[0], terms[1:]) for terms in series]
    return f(*primals), [[first, *rest] for first, rest in along_paths(slopes, paths)]


def nested(f: Callable[..., Sequence[Any]], primals: Sequence[Any], series: Sequence[Sequence[Any]]) -> Any:
    """(f's results, of each its derivatives along the path), by jvp of jvp of …, of t -> f(path(t))."""
    order = len(series[0])
    one = jnp.ones((), primals[0].dtype if not jnp.iscomplexobj(primals[0]) else primals[0].real.dtype)

    def path(t: Any) -> list[Any]:
        out = []
        for x, terms in zip(primals, series):
            moved = terms[-1] / math.factorial(order)
            for k in range(order - 1, 0, -1):  # Horner's scheme; t is 0
                moved = terms[k - 1] / math.factorial(k) + moved * t.astype(moved.dtype)
            out.append(x + moved * t.astype(moved.dtype))
        return out

    def derivatives(t: Any, k: int) -> list[list[Any]]:
        """[results, their first derivatives, …, their k-th] at t: each jvp gives one more."""
        if not k:
            return [list(f(*path(t)))]
        lower, slopes = jax.jvp(lambda t: derivatives(t, k - 1), (t,), (one,))
        last = [d if moves(x) else jnp.zeros_like(x) for x, d in zip(lower[-1], slopes[-1])]
        return [*lower, last]

    found = derivatives(jnp.zeros((), one.dtype), order)
    return found[0], [[found[k][i] for k in range(1, order + 1)] for i in range(len(found[0]))]
