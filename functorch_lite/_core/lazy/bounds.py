"""Bounds: indices that must lie in a range, and divisors that must not be 0, as they stand in jaxprs; and jaxprs computed with a look at them.

An index is data, so an op cannot raise for one that is out of range: it says by `bounded` in which range it must be, which changes
nothing, and whoever computes the op looks. NumPy does it at once (`run/cold/own.py`). A program makes one small result of all its bounds, the
number and the value of the first that was broken (`Seen`), which is looked at when a value is read (`breaches.py`).

Looked into are calls, whatever rules of differentiation they have, and scans. In branches and loops of unknown length nothing is said
(`hushed`): under vmap all examples take both branches, and go on until the last one is done.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal, Primitive
from jax.interpreters import ad, batching, mlir

from .loop.rules import scan_counts

__all__ = ["DIVISOR", "Bound", "Seen", "bounded", "bounds_of", "hushed", "not_zero", "says_anything"]

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


_CALLS = {
    "jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr", "custom_jvp_call": "call_jaxpr",
    "custom_vjp_call": "call_jaxpr", "remat2": "jaxpr", "checkpoint": "jaxpr", "ruled": "jaxpr", "scan": "jaxpr",
}  # fmt: skip


def _inside(eqn: Any) -> Any:
    """The jaxpr that is looked into; None of other equations. What a checkpoint computes a second time was looked at before."""
    name = _CALLS.get(eqn.primitive.name)
    return None if name is None or eqn.params.get("differentiated") else eqn.params.get(name)


def bounds_of(jaxpr: Jaxpr | ClosedJaxpr) -> tuple[Bound, ...]:
    """What a jaxpr says, in the order in which `Seen` comes across it."""
    return tuple(_bounds_in(getattr(jaxpr, "jaxpr", jaxpr)))


def _bounds_in(jaxpr: Jaxpr) -> Iterator[Bound]:
    for eqn in jaxpr.eqns:
        if eqn.primitive is _bounded:
            if eqn.params["says"] != _HUSHED:
                yield Bound(**eqn.params)
        elif eqn.params and (inner := _inside(eqn)) is not None:
            yield from _bounds_in(getattr(inner, "jaxpr", inner))


def says_anything(eqn: Any) -> bool:
    """Whether there is anything of the kind in an equation that is looked into."""
    inner = _inside(eqn) if eqn.params else None
    return inner is not None and bool(bounds_of(inner))


def hushed(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The same, which says nothing."""
    return closed.replace(jaxpr=_hushed(closed.jaxpr))


def _hushed(jaxpr: Jaxpr) -> Jaxpr:
    eqns = []
    for eqn in jaxpr.eqns:
        if eqn.primitive is _bounded:
            eqn = eqn.replace(params={**eqn.params, "says": _HUSHED})
        elif eqn.params and (inner := _inside(eqn)) is not None:
            closed = hushed(inner) if isinstance(inner, ClosedJaxpr) else _hushed(inner)
            eqn = eqn.replace(params={**eqn.params, _CALLS[eqn.primitive.name]: closed})
        eqns.append(eqn)
    return jaxpr.replace(eqns=eqns)


class Seen:
    """What was seen while jaxprs are computed in a program: `run` computes one. `count`: how many bounds there were so far; `first`: the number of the
    first that was broken (-1 if none was), a value that did, and the size that it should be below."""

    def __init__(self, count: int = 0, first: Any = None):
        self.count = count
        self._first = first

    def run(self, closed: ClosedJaxpr | Jaxpr, args: Sequence[Any]) -> list:
        """The results of a jaxpr."""
        consts = closed.consts if isinstance(closed, ClosedJaxpr) else ()
        jaxpr = getattr(closed, "jaxpr", closed)
        known = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*consts, *args)))

        def of(v: Any) -> Any:
            return v.val if isinstance(v, Literal) else known[v]

        for eqn in jaxpr.eqns:
            given = list(map(of, eqn.invars))
            with eqn.ctx.manager:
                known.update(zip(eqn.outvars, self._computed(eqn, given)))
        return list(map(of, jaxpr.outvars))

    def _computed(self, eqn: Any, given: list) -> Sequence[Any]:
        if eqn.primitive is _bounded:
            if eqn.params["says"] != _HUSHED:
                self.see(given[0], Bound(**eqn.params))
            return given
        if says_anything(eqn):
            scans = eqn.primitive.name == "scan"
            return self._scanned(eqn, given) if scans else self.run(_inside(eqn), given)
        outs = eqn.primitive.bind(*given, **eqn.primitive.get_bind_params(eqn.params))
        return outs if eqn.primitive.multiple_results else [outs]

    def _scanned(self, eqn: Any, given: list) -> list:
        """A scan that carries what was seen, too."""
        p = eqn.params
        consts, carried = scan_counts(p)
        fixed, state, rows = given[:consts], given[consts : consts + carried], given[consts + carried :]

        def turn(carry: Any, row: Any) -> tuple:
            seen = Seen(self.count, carry[1])
            outs = seen.run(p["jaxpr"], [*fixed, *carry[0], *row])
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
