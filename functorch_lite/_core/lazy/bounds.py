"""Bounds: indices that must lie in a range, divisors that must not be 0, and other requirements of values, as they
stand in jaxprs; and jaxprs computed with a look at them.

An index is data, so an op cannot raise for one that is out of range: it says by `bounded` in which range it must be,
which changes nothing, and whoever computes the op looks. `required` is the general form: a result that is valid only
where flags are 0, such as the inverse of a matrix that turns out to be singular. NumPy does it at once
(`run/cold/own.py`). A program makes one small result of all its bounds, the number and the value of the first that was
broken (`Seen`), which is looked at when a value is read (`breaches.py`).

Looked into are calls, whatever rules of differentiation they have, and scans. In branches and loops of unknown length
nothing is said (`hushed`): under vmap all examples take both branches, and go on until the last one is done.
"""

from __future__ import annotations

import math
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
    "STATEMENTS",
    "Bound",
    "Origin",
    "Origins",
    "Seen",
    "bounded",
    "bounds_of",
    "hushed",
    "needed_range",
    "not_zero",
    "origins",
    "required",
    "requirement",
    "says_anything",
]

DIVISOR = "divisor"
_HUSHED = ""

_bounded = Primitive("bounded")
"""An array of integers, as it is. low, size: they are to be in range(low, size), or (`says` is DIVISOR) not 0. says:
what is said of others (see breaches.py)."""
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
    """index, whose elements are to be in range(low, size). says: what is wrong otherwise, a word of
    `breaches.SENTENCES` and what it wants to know.

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


_required = Primitive("required")
"""Its first operand, as it is; the second operand, an array of integers or bools, is to be 0 everywhere. says: see
`requirement`. low, size: 0 and 1, as the flags are to be in range(0, 1)."""
_required.def_impl(lambda x, wrong, **_: x)
_required.def_abstract_eval(lambda x, wrong, **_: x)
mlir.register_lowering(_required, lambda ctx, x, wrong, **_: [x])


def requirement(error: str, sentence: str) -> str:
    """Returns what `required` says: the name of an error (a key of `breaches.ERRORS`), and its message, in which
    {value} stands for the first flag that is not 0, and {batch} for "(Batch element i): " where there are several."""
    return f"{_REQUIRES}{error}: {sentence}"


_REQUIRES = "!"


def required(x: Any, wrong: Any, says: str) -> Any:
    """Returns x, which is valid only if `wrong` (integers or bools) is 0 everywhere. says: a `requirement`.

    Its derivatives require the same, as they may be computed where x is not.

    >>> required(jnp.ones(2), jnp.array(False), requirement("RuntimeError", "no")).tolist()
    [1.0, 1.0]
    """
    return _required.bind(jnp.asarray(x), jnp.asarray(wrong), low=0, size=1, says=says)


def _required_batched(args, dims, **params):
    x, wrong = args
    if dims[1] is not None:  # first, so that batch elements are counted as those of a batch
        wrong = jnp.moveaxis(wrong, dims[1], 0)
    return _required.bind(x, wrong, **params), dims[0]


def _required_pushed(primals, tangents, **params):
    out, t = _required.bind(*primals, **params), tangents[0]
    if type(t) is ad.Zero:
        return out, ad.Zero(jax.typeof(out).to_tangent_aval())
    return out, _required.bind(t, primals[1], **params)


def _required_pulled(ct, x, wrong, **params):
    if not ad.is_undefined_primal(x):
        return [None, None]
    return [ct if type(ct) is ad.Zero else _required.bind(ct, wrong, **params), None]


batching.primitive_batchers[_required] = _required_batched
ad.primitive_jvps[_required] = _required_pushed
ad.primitive_transposes[_required] = _required_pulled

_LOOKED_AT = {_bounded: 0, _required: 1}
"""Primitives that state a bound, and which operand they state it of."""
STATEMENTS = frozenset([p.name for p in _LOOKED_AT])
"""Their names."""


class Bound(NamedTuple):
    """A statement of a jaxpr about some of its numbers: see `bounded`."""

    low: int
    size: int
    says: str

    @property
    def is_requirement(self) -> bool:
        """Returns whether `required` states it."""
        return self.says.startswith(_REQUIRES)


def _inside(eqn: Any) -> Any:
    """The jaxpr that is looked into; None of other equations.

    What a checkpoint computes a second time was looked at before."""
    if not eqn.params or eqn.params.get("differentiated"):
        return None
    return eqn.params["jaxpr"] if row(eqn).turns else called(eqn)


def bounds_of(jaxpr: Jaxpr | ClosedJaxpr) -> tuple[Bound, ...]:
    """Returns the bounds that a jaxpr states, in the order in which `Seen` comes across them."""
    found = [e.params for e in equations(jaxpr, _is_looked_into) if e.primitive in _LOOKED_AT]
    return tuple([Bound(**params) for params in found if params["says"] != _HUSHED])


def _is_looked_into(eqn: Any) -> bool:
    return _inside(eqn) is not None


class Origin(NamedTuple):
    """Where the elements of an array of integers come from: they are elements of arguments, by their numbers, cast to
    dtypes that hold what is in range(least, beyond), or numbers in range(low, high)."""

    arguments: tuple[int, ...] = ()
    low: int = 0
    high: int = 0
    least: int = -(1 << 63)
    beyond: int = 1 << 64

    def within(self, low: int, high: int) -> tuple[int, int] | None:
        """The range that elements of the arguments must be in for all to be in range(low, high); None if numbers are
        not."""
        numbers_are = self.low >= self.high or (low <= self.low and self.high <= high)
        return (max(low, self.least), min(high, self.beyond)) if numbers_are else None


class _Known(NamedTuple):
    """Facts about an array in a jaxpr. looked: whether it was computed from something that is looked at."""

    origin: Origin | None
    looked: bool


class Origins(NamedTuple):
    """fed: for each of `bounds_of` where the elements come from that may break it; None if that is not known, or
    numbers do. given: the same of each result, if no bound is broken."""

    fed: tuple[Origin | None, ...]
    given: tuple[Origin | None, ...]


def origins(jaxpr: Jaxpr | ClosedJaxpr) -> Origins:
    """Tells which arguments may break the bounds of a jaxpr, and which arguments' elements its results have.

    >>> [o.arguments for o in origins(jax.make_jaxpr(lambda x, i: x[bounded(i, 3)])(jnp.ones(3), jnp.array([0, 2]))).fed]
    [(1,)]
    """
    feeds: list[Origin | None] = []

    def rule(eqn: Any, ins: list[_Known]) -> Sequence[_Known]:
        if (at := _LOOKED_AT.get(eqn.primitive)) is not None:
            if eqn.params["says"] != _HUSHED:
                feeds.append(_feeding(ins[at].origin, Bound(**eqn.params)))
            return [_Known(ins[0].origin, True)]
        if (inner := _inside(eqn)) is not None:
            if not row(eqn).turns:
                return flow(inner, ins)
            feeds.extend([None] * len(bounds_of(inner)))
        return [_Known(_origin(eqn, ins), any(x.looked for x in ins))] * len(eqn.outvars)

    def flow(jaxpr: Jaxpr | ClosedJaxpr, given: Sequence[_Known]) -> list[_Known]:
        constants = list(map(_constant, closed(jaxpr).consts))
        return flows(jaxpr, given, rule, _Known(None, False), lambda v: _constant(v.val), constants)

    given = flow(jaxpr, [_Known(Origin((k,)), False) for k in range(len(opened(jaxpr).invars))])
    return Origins(tuple(feeds), tuple([x.origin for x in given]))


def _origin(eqn: Any, ins: list[_Known]) -> Origin | None:
    """Where the elements of an equation's results come from."""
    p, primitive, v = row(eqn), eqn.primitive, eqn.outvars[0] if eqn.outvars else None
    if v is None or not _is_whole(v):
        return None
    if primitive is jax.lax.iota_p:
        return _range(eqn.params["shape"][eqn.params["dimension"]])
    if primitive in (jax.lax.argmax_p, jax.lax.argmin_p):
        return _range(*[eqn.invars[0].aval.shape[d] for d in eqn.params["axes"]])
    if primitive is jax.lax.convert_element_type_p and eqn.invars[0].aval.dtype == np.bool_:
        return _range(2)
    first = 0 if p.kind == Kind.VIEW else p.picks
    if first is None or (_may_fill(eqn) and not ins[1].looked):
        return None
    picked = range(first, len(ins) if p.places is None else p.places)
    found = [ins[k].origin for k in picked if _is_whole(eqn.invars[k])]
    if len(found) < len(picked) or None in found:
        return None
    return _cast(_together(found), v.aval.dtype)  # type: ignore[arg-type]


def _may_fill(eqn: Any) -> bool:
    """Returns whether an equation gives a number of its own at places that do not exist."""
    return eqn.params.get("mode") == jax.lax.GatherScatterMode.FILL_OR_DROP


def _range(*sizes: Any) -> Origin | None:
    """range(the product of sizes); None of sizes that are symbolic."""
    if any(jax.export.is_symbolic_dim(n) for n in sizes):
        return None
    return Origin((), 0, math.prod(sizes))


def _together(found: Sequence[Origin]) -> Origin:
    """Where elements come from that are those of several arrays."""
    arguments = sorted({k for o in found for k in o.arguments})
    ranges = [(o.low, o.high) for o in found if o.low < o.high]
    low, high = (min(r[0] for r in ranges), max(r[1] for r in ranges)) if ranges else (0, 0)
    return Origin(tuple(arguments), low, high, max(o.least for o in found), min(o.beyond for o in found))


def _cast(o: Origin, dtype: Any) -> Origin | None:
    """The same of elements that are cast to a dtype; None if numbers change."""
    least, beyond = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max) + 1
    if o.low < o.high and not (least <= o.low and o.high <= beyond):
        return None
    return o._replace(least=max(o.least, least), beyond=min(o.beyond, beyond))


def _is_whole(v: Any) -> bool:
    return jnp.issubdtype(v.aval.dtype, np.integer)


def _constant(value: Any) -> _Known:
    """The element of a constant that has one."""
    if np.size(value) != 1 or np.asarray(value).dtype.kind not in "iu":
        return _Known(None, False)
    number = int(np.asarray(value).item())
    return _Known(Origin((), number, number + 1), False)


def needed_range(bound: Bound) -> tuple[int, int]:
    """(low, high): elements in range(low, high) do not break a bound. (A divisor may be negative too.)"""
    return (1, 1 << 64) if bound.says == DIVISOR else (bound.low, bound.size)


def _feeding(origin: Origin | None, bound: Bound) -> Origin | None:
    """The origin of what a bound looks at, without the numbers, which do not break it; None if they do, or it is not
    known."""
    if origin is None:
        return None
    low, high = origin.low, origin.high
    if bound.says == DIVISOR:
        kept = low > 0 or high <= 0
    elif jax.export.is_symbolic_dim(bound.size):  # which stands for sizes of at least 5
        kept = low == 0 and high == 1
    else:
        kept = bound.low <= low and high <= bound.size
    return origin._replace(low=0, high=0) if low >= high or kept else None


def says_anything(eqn: Any) -> bool:
    """Returns whether there is anything of the kind in an equation that is looked into."""
    inner = _inside(eqn)
    return inner is not None and bool(bounds_of(inner))


def hushed(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The same, which says nothing."""
    return rewritten(closed, _without_a_word)


def _without_a_word(eqn: Any) -> Any:
    if eqn.primitive in _LOOKED_AT:
        return eqn.replace(params={**eqn.params, "says": _HUSHED})
    return None if _is_looked_into(eqn) else eqn


class Seen:
    """Broken bounds, as seen while jaxprs are computed in a program: `run` computes one. `count`: how many bounds there
    were so far; `first`: the number of the first that was broken (-1 if none was), a value that broke it, and the size
    that it should be below (of a requirement: the first place of a flag that is not 0, -1 if there is one flag)."""

    def __init__(self, count: int = 0, first: Any = None):
        self.count = count
        self._first = first

    def run(self, closed: ClosedJaxpr | Jaxpr, args: Sequence[Any]) -> list:
        """The results of a jaxpr."""
        return evaluated(closed, args, self._computed)

    def _computed(self, eqn: Any, given: list) -> Sequence[Any] | None:
        if (at := _LOOKED_AT.get(eqn.primitive)) is not None:
            if eqn.params["says"] != _HUSHED:
                self.see(given[at], Bound(**eqn.params))
            return given[:1]
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
        """Looks at one array. size: of a range that is known when the program runs; counts: which elements are no
        padding."""
        number, self.count = self.count, self.count + 1
        if not x.size:
            return
        x = x.astype(np.int64)
        if bound.is_requirement:
            flags = (x if counts is None else jnp.where(counts, x, 0)).reshape(-1)
            place = jnp.argmax(flags != 0)
            value, below = flags[place], (place if x.ndim else np.int64(-1))
            broken, below = value != 0, jnp.asarray(below, np.int64)
        elif bound.says == DIVISOR:
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
