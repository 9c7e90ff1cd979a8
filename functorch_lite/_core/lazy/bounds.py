"""Bounds: indices that must lie in a range, and divisors that must not be 0, as they stand in jaxprs; and jaxprs computed with a look at them.

An index is data, so an op cannot raise for one that is out of range: it says by `bounded` in which range it must be, which changes
nothing, and whoever computes the op looks. NumPy does it at once (`run/cold/own.py`). A program makes one small result of all its bounds, the
number and the value of the first that was broken (`Seen`), which is looked at when a value is read (`breaches.py`).

Looked into are calls, whatever rules of differentiation they have, and scans. In branches and loops of unknown length nothing is said
(`hushed`): under vmap all examples take both branches, and go on until the last one is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Primitive
from jax.interpreters import ad, batching, mlir

from ..jaxprs.primitives import Kind, row
from ..jaxprs.walk import called, closed, equations, evaluated, flows, opened, rewritten, scan_counts

__all__ = [
    "DIVISOR",
    "Bound",
    "Seen",
    "bounded",
    "bounds_of",
    "fed_by",
    "hushed",
    "not_zero",
    "says_anything",
]

DIVISOR = "divisor"
_HUSHED = ""

_bounded = Primitive("bounded")
"""An array of integers, as it is. low, size: they are to be in range(low, size), or (`says` is DIVISOR) not 0. says: what is said of others (see breaches.py)."""
_bounded.def_impl(lambda x, **_: x)
_bounded.def_abstract_eval(lambda x, **_: x)
mlir.register_lowering(_bounded, lambda ctx, x, **_: [x])
batching.primitive_batchers[_bounded] = lambda args, dims, **params: (
    _bounded.bind(*args, **params),
    dims[0],
)


def _pushed(primals, tangents, **params):
    out = _bounded.bind(*primals, **params)
    return out, ad.Zero(jax.typeof(out).to_tangent_aval())


ad.primitive_jvps[_bounded] = _pushed


def bounded(index: Any, size: int, says: str = "index", low: int = 0) -> Any:
    """index, whose elements are to be in range(low, size). says: what is wrong otherwise, a word of `breaches.SENTENCES` and what it wants to know.

    >>> bounded(jnp.array([0, 2]), 3).tolist()
    [0, 2]
    """
    index = jnp.asarray(index)
    if not index.size or not jnp.issubdtype(index.dtype, jnp.integer):
        return index
    return _bounded.bind(index, low=_int(low), size=_int(size), says=says)


def _int(size: Any) -> Any:
    """A size as an int, if it is not symbolic."""
    return size if jax.export.is_symbolic_dim(size) else int(size)


def not_zero(divisor: Any) -> Any:
    """divisor, whose elements are not to be 0 if they are integers."""
    return bounded(divisor, 0, DIVISOR)


class Bound(NamedTuple):
    """What a place of a jaxpr says: see `bounded`."""

    low: int
    size: int
    says: str


def _inside(eqn: Any) -> Any:
    """The jaxpr that is looked into; None of other equations. What a checkpoint computes a second time was looked at before."""
    if not eqn.params or eqn.params.get("differentiated"):
        return None
    return eqn.params["jaxpr"] if row(eqn).turns else called(eqn)


def bounds_of(jaxpr: Jaxpr | ClosedJaxpr) -> tuple[Bound, ...]:
    """What a jaxpr says, in the order in which `Seen` comes across it."""
    found = [e.params for e in equations(jaxpr, _is_looked_into) if e.primitive is _bounded]
    return tuple([Bound(**params) for params in found if params["says"] != _HUSHED])


def _is_looked_into(eqn: Any) -> bool:
    return _inside(eqn) is not None


def fed_by(jaxpr: Jaxpr | ClosedJaxpr) -> tuple[int, ...]:
    """For each of `bounds_of` the argument whose elements are in its range only if none breaks it; -1 if that hangs on more than one argument's
    elements.

    >>> fed_by(jax.make_jaxpr(lambda x, i: x[bounded(i, 3)])(jnp.ones(3), jnp.array([0, 2])))
    (1,)
    """
    feeds: list[int] = []

    def rule(eqn: Any, ins: list) -> Sequence[Any] | None:
        if eqn.primitive is _bounded:
            if eqn.params["says"] != _HUSHED:
                feeds.append(_feeding(ins[0], Bound(**eqn.params)))
            return ins
        if (inner := _inside(eqn)) is not None:
            if not row(eqn).turns:
                return flow(inner, ins)
            feeds.extend([-1] * len(bounds_of(inner)))
        primitive = row(eqn)
        first = 0 if primitive.kind == Kind.VIEW else primitive.picks
        if (
            first is None
            or None in ins[first:]
            or not all(map(_is_whole, (*eqn.invars[first:], *eqn.outvars)))
        ):
            return None
        return [frozenset().union(*ins[first:])] * len(eqn.outvars)

    def flow(jaxpr: Jaxpr | ClosedJaxpr, given: Sequence[Any]) -> list:
        constants = list(map(_constant, closed(jaxpr).consts))
        return flows(jaxpr, given, rule, literal=lambda v: _constant(v.val), constants=constants)

    flow(jaxpr, [frozenset([_Argument(k)]) for k in range(len(opened(jaxpr).invars))])
    return tuple(feeds)


def _is_whole(v: Any) -> bool:
    return jnp.issubdtype(v.aval.dtype, np.integer)


class _Argument(NamedTuple):
    """An argument of a jaxpr, by its number; beside numbers, which are constants."""

    number: int


def _constant(value: Any) -> frozenset | None:
    """The elements of a constant that has one."""
    return frozenset([int(value)]) if np.size(value) == 1 and np.asarray(value).dtype.kind in "iu" else None


def _feeding(elements: frozenset | None, bound: Bound) -> int:
    """The one argument which all elements come from that may break a bound; -1 if there is no such argument."""
    if elements is None or bound.says == DIVISOR:
        return -1
    arguments = [e.number for e in elements if type(e) is _Argument]
    kept = all(bound.low <= e < bound.size for e in elements if type(e) is int)
    return arguments[0] if kept and len(arguments) == 1 else -1


def says_anything(eqn: Any) -> bool:
    """Whether there is anything of the kind in an equation that is looked into."""
    inner = _inside(eqn)
    return inner is not None and bool(bounds_of(inner))


def hushed(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The same, which says nothing."""
    return rewritten(closed, _without_a_word)


def _without_a_word(eqn: Any) -> Any:
    if eqn.primitive is _bounded:
        return eqn.replace(params={**eqn.params, "says": _HUSHED})
    return None if _is_looked_into(eqn) else eqn


class Seen:
    """What was seen while jaxprs are computed in a program: `run` computes one. `count`: how many bounds there were so far; `first`: the number of the
    first that was broken (-1 if none was), a value that did, and the size that it should be below."""

    def __init__(self, count: int = 0, first: Any = None):
        self.count = count
        self._first = first

    def run(self, closed: ClosedJaxpr | Jaxpr, args: Sequence[Any]) -> list:
        """The results of a jaxpr."""
        return evaluated(closed, args, self._computed)

    def _computed(self, eqn: Any, given: list) -> Sequence[Any] | None:
        if eqn.primitive is _bounded:
            if eqn.params["says"] != _HUSHED:
                self.see(given[0], Bound(**eqn.params))
            return given
        if not says_anything(eqn):
            return None
        return self._scanned(eqn, given) if row(eqn).turns else self.run(_inside(eqn), given)

    def _scanned(self, eqn: Any, given: list) -> list:
        """A scan that carries what was seen, too."""
        p = eqn.params
        consts, carried = scan_counts(p)
        fixed, state, rows = given[:consts], given[consts : consts + carried], given[consts + carried :]

        def turn(carry: Any, xs: Any) -> tuple:
            seen = Seen(self.count, carry[1])
            outs = seen.run(p["jaxpr"], [*fixed, *carry[0], *xs])
            after.append(seen.count)
            return (outs[:carried], seen.first), outs[carried:]

        after: list[int] = []
        further = {"length": p["length"], "reverse": p["reverse"], "unroll": p.get("unroll", 1)}
        (state, self._first), made = jax.lax.scan(turn, (state, self.first), rows, **further)
        self.count = after[-1]
        return [*state, *made]

    def see(self, x: Any, bound: Bound, size: Any = None, counts: Any = None) -> None:
        """Looks at one array. size: of a range that is known when the program runs; counts: which elements are no padding."""
        number, self.count = self.count, self.count + 1
        if not x.size:
            return
        x = x.astype(np.int64)
        if bound.says == DIVISOR:
            wrong = x == 0 if counts is None else (x == 0) & counts
            broken, value, below = jnp.any(wrong), np.int64(0), np.int64(0)
        else:
            below = jnp.int64(bound.size) if size is None else jnp.asarray(size, np.int64)
            low = -below if bound.low < 0 and bound.low == -bound.size else np.int64(bound.low)
            # those below the range are large numbers without a sign: so the largest tells of both ends
            places = (x - low).astype(np.uint64)
            farthest = jnp.max(places if counts is None else jnp.where(counts, places, np.uint64(0)))
            broken, value = farthest >= (below - low).astype(np.uint64), farthest.astype(np.int64) + low
        mine = (np.int64(number), value, below)
        found = [jnp.where(broken, new, old) for new, old in zip(mine, _NONE)]
        if self._first is None:
            self._first = found
        else:
            before = self._first[0] >= 0
            self._first = [jnp.where(before, old, new) for old, new in zip(self._first, found)]

    def skip(self, bounds: int) -> None:
        """Passes over as many bounds."""
        self.count += bounds

    @property
    def first(self) -> list:
        """The first that was broken, as three scalars."""
        return list(map(jnp.asarray, _NONE)) if self._first is None else list(self._first)

    def flag(self) -> Any:
        """The same as one array."""
        return jnp.stack(self.first)


_NONE = (np.int64(-1), np.int64(0), np.int64(0))
