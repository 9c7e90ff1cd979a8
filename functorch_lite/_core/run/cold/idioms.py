"""Idioms: what JAX, or an op, writes in several equations, and NumPy does in one step, or in none.

An idiom is told from its last equation; what only the others of it read is left out by the Plan. It gives what these
give, but for the signs of zeros and of nans where NumPy and XLA do not say them either.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from jax import lax

from ...jaxprs.primitives import SIZE
from ...lazy.bounds import Bound
from ...lazy.breaches import look_at
from .interpreter import NARROW, Plan, idiom, known, same
from .places import filling

__all__: list[str] = []

Found = tuple[Any, Sequence[int]] | None


@idiom("div")
def _divided(eqn: Any, ins: Sequence[int], plan: Plan) -> Found:
    """x / where(x == x, y, x), by which derivatives divide: nan divided by anything is nan."""
    dtype, chosen = eqn.outvars[0].aval.dtype, plan.maker(ins[1], "select_n")
    if chosen is None or not (dtype.kind == "f" or dtype in NARROW):
        return None
    which, no, *yes = chosen[1]
    asked = plan.maker(which, "eq")
    if no != ins[0] or len(yes) != 1 or asked is None or list(asked[2]) != [no, no]:
        return None
    return eqn, (ins[0], *yes)


@idiom("neg")
def _least(eqn: Any, ins: Sequence[int], plan: Plan) -> Found:
    """-max(-x, -y)."""
    largest = plan.maker(ins[0], "max")
    if largest is None or eqn.outvars[0].aval.dtype.kind != "f":
        return None
    negated = [plan.maker(i, "neg") for i in largest[2]]
    if None in negated:
        return None
    x, y = [n[0].invars[0] for n in negated]  # type: ignore[index]
    return largest[0].replace(primitive=lax.min_p, invars=[x, y]), [n[2][0] for n in negated]  # type: ignore[index]


@idiom("ne")
def _is_true(eqn: Any, ins: Sequence[int], plan: Plan) -> Found:
    """x != 0 of bools that became numbers."""
    number, zero = plan.maker(ins[0], "convert_element_type"), plan.constant(ins[1])
    if number is None or number[0].invars[0].aval.dtype != np.bool_ or zero is None or zero.any():
        return None
    if number[0].outvars[0].aval.shape != eqn.outvars[0].aval.shape:
        return None
    return same, number[2]


@idiom("select_n")
def _chosen(eqn: Any, ins: Sequence[int], plan: Plan) -> Found:
    """One of the cases, where it is known which."""
    which = plan.constant(ins[0])
    if which is None or which.ndim:
        return None
    case = 1 + int(which)
    return (same, (ins[case],)) if eqn.invars[case].aval.shape == eqn.outvars[0].aval.shape else None


@idiom("reshape", "squeeze", "broadcast_in_dim")
def _reshaped(eqn: Any, ins: Sequence[int], plan: Plan) -> Found:
    """The shape of a shape: that of what was there first may be the last one, or differ from it in dims of one
    element."""
    if not _reshapes(eqn):
        return None
    (at,), given, shape = ins, eqn.invars[0].aval.shape, eqn.outvars[0].aval.shape
    while given != shape:
        before = [plan.maker(at, name) for name in _RESHAPES]
        first = next((m for m in before if m is not None and _reshapes(m[0])), None)
        if first is None:
            key = _ones(given, shape)
            return (eqn, (at,)) if key is None else (itemgetter(key), (at,))
        (at,), given = first[2], first[0].invars[0].aval.shape
    return same, (at,)


def _ones(given: Sequence[Any], shape: Sequence[Any]) -> tuple | None:
    """The index that makes one shape of another which differs in dims of one element alone; None of others."""
    key: list = []
    i = j = 0
    while i < len(given) or j < len(shape):
        if i < len(given) and j < len(shape) and given[i] == shape[j]:
            key.append(slice(None))
            i, j = i + 1, j + 1
        elif j < len(shape) and shape[j] == 1:
            key.append(None)
            j += 1
        elif i < len(given) and given[i] == 1:
            key.append(0)
            i += 1
        else:
            return None
    return (*key, ...)


_RESHAPES = "reshape", "squeeze", "broadcast_in_dim"


def _reshapes(eqn: Any) -> bool:
    """Whether an equation changes a shape and nothing else: its rule takes an array of any shape then."""
    if len(eqn.invars) != 1:
        return False
    if eqn.primitive is not lax.broadcast_in_dim_p:
        return eqn.params.get("dimensions") is None or eqn.primitive is lax.squeeze_p
    given, dims = eqn.invars[0].aval.shape, tuple(eqn.params["broadcast_dimensions"])
    for d, n in enumerate(eqn.params["shape"]):
        if (given[dims.index(d)] if d in dims else 1) != n:
            return False
    return True


@idiom("cond")
def _branch(eqn: Any, ins: Sequence[int], plan: Plan) -> Found:
    """One of the branches, where it is known which."""
    which, branches = plan.constant(ins[0]), eqn.params["branches"]
    return None if which is None else (branches[min(max(int(which), 0), len(branches) - 1)], ins[1:])


@idiom("gather")
def _taken(eqn: Any, ins: Sequence[int], plan: Plan) -> Found:
    """x[:, …, i, …], where the indices below 0 count from the end, or are out of range."""
    p = eqn.params
    numbers, fills = p["dimension_numbers"], p["mode"] == lax.GatherScatterMode.FILL_OR_DROP
    if not fills and p["mode"] != lax.GatherScatterMode.PROMISE_IN_BOUNDS:
        return None
    if numbers.operand_batching_dims or numbers.collapsed_slice_dims != numbers.start_index_map:
        return None
    dims, shape = numbers.start_index_map, eqn.invars[0].aval.shape
    at = _Places.of(eqn, ins, plan, dims, numbers.offset_dims)
    if at is None or any(n != shape[d] for d, n in enumerate(p["slice_sizes"]) if d not in dims):
        return None
    known(eqn)
    value, before = filling(eqn) if fills else None, at.before
    along = dims[0] if len(dims) == 1 else None

    def run(x: np.ndarray, *indices: Any) -> np.ndarray:
        try:
            at.look(indices)
            return x[at.key(indices)] if along is None else x.take(indices[0], along)
        except IndexError:
            counted, out = at.counted(indices, x.shape)
            made = x[at.key([np.where(out, 0, i) for i in counted])]
            if value is not None:
                made[(*before, out)] = value
            return made

    return run, (ins[0], *at.places)


@idiom("scatter")
def _put(eqn: Any, ins: Sequence[int], plan: Plan) -> Found:
    """x with x[:, …, i, …] = y, where the indices below 0 count from the end, or are out of range."""
    p = eqn.params
    numbers, part, shape = p["dimension_numbers"], eqn.invars[2], eqn.invars[0].aval.shape
    if p["mode"] != lax.GatherScatterMode.FILL_OR_DROP or p["update_jaxpr"] is not None:
        return None
    if numbers.operand_batching_dims or numbers.inserted_window_dims != numbers.scatter_dims_to_operand_dims:
        return None
    dims, kept = numbers.scatter_dims_to_operand_dims, numbers.update_window_dims
    at = _Places.of(eqn, ins, plan, dims, kept)
    if at is None or [part.aval.shape[d] for d in kept] != [n for d, n in enumerate(shape) if d not in dims]:
        return None
    known(eqn)

    def run(x: np.ndarray, y: np.ndarray, *indices: Any) -> np.ndarray:
        made = np.array(x, order="C")
        try:
            at.look(indices)
            made[at.key(indices)] = y
        except IndexError:
            counted, out = at.counted(indices, x.shape)
            made = np.array(x, order="C")
            made[at.key([i[~out] for i in counted])] = y[(*at.before, ~out)]
        return made

    return run, (ins[0], ins[2], *at.places)


class _Index(NamedTuple):
    """An index of one dim. place: where it is as the user gave it; says: what is said where it is out of range, if it
    is looked at; forward: whether it is below 0; narrow: whether it becomes 32 bits."""

    place: int
    says: str
    forward: bool
    narrow: bool


class _Places(NamedTuple):
    """Indices of the dims `dims` of an array; where they are (`places`), and what is said of each (`indices`). before:
    the slices of the dims before theirs in the part that they show."""

    dims: Sequence[int]
    indices: Sequence[_Index]
    before: tuple[slice, ...]

    @property
    def places(self) -> list[int]:
        """Where the indices are."""
        return [i.place for i in self.indices]

    @staticmethod
    def of(
        eqn: Any, ins: Sequence[int], plan: Plan, dims: Sequence[int], kept: Sequence[int]
    ) -> _Places | None:
        """The indices of a gather or scatter, whose slices are of one element along `dims` and of all along the others:
        the dims `kept` of the part that it reads or writes."""
        part = eqn.outvars[0] if len(eqn.invars) == 2 else eqn.invars[2]
        columns, shape = [ins[1]], eqn.invars[0].aval.shape
        if len(dims) > 1:
            joined = plan.maker(ins[1], "concatenate")
            columns = [] if joined is None else joined[2]
        if len(columns) != len(dims):
            return None
        found, rows = [], eqn.invars[1].aval.shape[:-1]
        for d, place in zip(dims, columns):
            column = plan.maker(place, "broadcast_in_dim")
            if column is None or not _reshapes(column[0]) or column[0].outvars[0].aval.shape != (*rows, 1):
                return None
            if column[0].invars[0].aval.shape != rows:
                return None
            index = _index(plan, column[2][0], shape[d])
            if index is None:
                return None
            found.append(index)
        first = dims[0] if tuple(dims) == tuple(range(dims[0], dims[0] + len(dims))) else 0
        if list(kept) != [d for d in range(len(part.aval.shape)) if not first <= d < first + len(rows)]:
            return None
        return _Places(tuple(dims), found, (slice(None),) * first)

    def key(self, indices: Sequence[np.ndarray]) -> tuple:
        """The key by which NumPy reads or writes there."""
        key: list = [slice(None)] * (self.dims[-1] + 1)
        for d, i in zip(self.dims, indices):
            key[d] = i
        return tuple(key)

    def look(self, indices: Sequence[np.ndarray]) -> None:
        """Raises IndexError for what is below 0 where that is out of range."""
        for index, i in zip(self.indices, indices):
            if index.forward and i.size and np.minimum.reduce(i, None) < 0:
                raise IndexError

    def counted(self, indices: Sequence[np.ndarray], shape: Sequence[int]) -> tuple[list[np.ndarray], Any]:
        """The indices, of which some are out of range, counted from the front; and where one is."""
        found, out = [], np.False_
        for index, d, i in zip(self.indices, self.dims, indices):
            n = shape[d]
            if index.says:
                look_at(i, Bound(0 if index.forward else -n, n, index.says))
            i = np.where(i < 0, n if index.forward else i + n, i)
            if index.narrow:
                i = i.astype(np.int32).astype(np.int64)
            found.append(i)
            out = out | (i < 0) | (i >= n)
        return found, out


def _index(plan: Plan, place: int, size: Any) -> _Index | None:
    """An index of a dim of this size, as JAX counts it from the front; None if it is none."""
    narrow = False
    cast = plan.maker(place, "convert_element_type")
    if cast is not None and (cast[0].invars[0].aval.dtype, cast[0].outvars[0].aval.dtype) == (
        np.int64,
        np.int32,
    ):
        place, narrow = cast[2][0], True
    backward = _below_0(plan, place, "add", size)
    at = place if backward is None else backward
    forward = _below_0(plan, at, "", size)
    if forward is not None:
        at = forward
    looked = plan.maker(at, "bounded")
    if looked is None:
        return None if backward is None else _Index(at, "", forward is not None, narrow)
    low = looked[0].params["low"]
    if looked[0].params["size"] != size or low != (0 if backward is None or forward is not None else -size):
        return None
    return _Index(looked[2][0], looked[0].params["says"], type(low) is int and low == 0, narrow)


def _below_0(plan: Plan, place: int, name: str, size: Any) -> int | None:
    """Where x is, if at this place is where(x < 0, size, x), or for "add" where(x < 0, x + size, x)."""
    chosen = plan.maker(place, "select_n")
    if chosen is None or len(chosen[2]) != 3:
        return None
    which, x, other = chosen[2]
    below = plan.maker(which, "lt")
    if below is None or below[2][0] != x:
        return None
    if name:
        moved = plan.maker(other, name)
        if moved is None or moved[2][0] != x:
            return None
        other = moved[2][1]
    zero = plan.constant(below[2][1])
    return x if zero is not None and not zero.any() and _is_size(plan, other, size) else None


def _is_size(plan: Plan, place: int, size: Any) -> bool:
    """Returns whether this size, which may be symbolic, stands at a place."""
    spread = plan.maker(place, "broadcast_in_dim")
    if spread is not None:
        place = spread[2][0]
    made, number = plan.maker(place, SIZE), plan.constant(place)
    if made is not None:
        return made[0].params["dim"] == size
    return number is not None and type(size) is int and number.size > 0 and not (number != size).any()
