"""Rules for parts of arrays: gathers and scatters, slices at places that are computed, and what takes arrays apart and
joins them.

An index that is out of range never raises. As XLA does, gathers read the nearest window that is in range, unless they
fill, and scatters leave out every window that is not in range as a whole, unless they clip.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from jax.lax import GatherScatterMode

from .interpreter import COSTS, NARROW, NoRule, elements, known, rule, several

__all__ = ["filling"]

_LONG = 512
"""Elements in a row, from where combining row by row beats combining all elements by their numbers."""


class _Windows:
    """The windows of a gather or scatter: which sizes they have, and which dimensions are `kept`, the others being
    `gone`.

    mapped: the dimension that each number of an index is of; batching: by dimension, the dimension of the indices that
    goes along it.
    """

    def __init__(
        self,
        eqn: Any,
        sizes: Sequence[int],
        gone: Iterable[int],
        mapped: Sequence[int],
        batching: dict[int, int],
    ):
        known(eqn)
        mode, indices = eqn.params["mode"], eqn.invars[1].aval
        self.shape, self.sizes, self.mapped, self.batching = eqn.invars[0].aval.shape, sizes, mapped, batching
        self.gone = frozenset(gone)
        self.kept = [d for d in range(len(sizes)) if d not in self.gone]
        self.batch, self.dtype = indices.shape[:-1], indices.dtype
        self.n = math.prod(self.batch)
        self.limits = [self.shape[d] - sizes[d] for d in mapped]
        self.fills = mode == GatherScatterMode.FILL_OR_DROP
        self.clips = mode == GatherScatterMode.CLIP
        if not (self.fills or self.clips or mode == GatherScatterMode.PROMISE_IN_BOUNDS):
            raise NoRule(f"{eqn.primitive.name} with {mode}")
        if any(sizes[d] != 1 for d in self.gone):
            raise NoRule(f"{eqn.primitive.name} of windows without elements")

    def integers(self, wraps: bool) -> Callable[[np.ndarray], np.ndarray]:
        """A function that makes indices int64. wraps: by way of int32, as JAX does where a gather fills."""
        if wraps and self.dtype.itemsize == 8 and max(self.shape, default=0) < 2**31:
            return lambda at: at.astype(np.int32).astype(np.int64)
        if self.dtype == np.uint64:
            return lambda at: np.minimum(at, 2**63 - 1).astype(np.int64)
        return lambda at: at.astype(np.int64, copy=False)

    def single(self, integers: Callable, clips: bool) -> Callable[[np.ndarray], tuple | None]:
        """Returns the function for a single window: of its indices it makes slices, or None where they are not in
        range."""
        template: list = [*[slice(0, n) for n in self.sizes], ...]  # with which even a number is a view
        which = list(zip(self.mapped, self.limits, [self.sizes[d] for d in self.mapped]))

        def found(indices: np.ndarray) -> tuple | None:
            at = template.copy()
            for (d, limit, size), start in zip(which, integers(indices).reshape(-1).tolist()):
                if not 0 <= start <= limit:
                    if not clips:
                        return None
                    start = 0 if start < 0 else limit
                at[d] = slice(start, start + size)
            return tuple(at)

        return found


class _Rows:
    """An array, read as rows of `width` elements, and the windows, each of as many rows as there are offsets.

    A row is as long as the last dimensions that windows have all of, or, with `whole` false, one element.
    """

    def __init__(self, windows: _Windows, integers: Callable, clips: bool, whole: bool = True):
        w, last = windows, len(windows.shape)
        while whole and last and w.sizes[last - 1] == w.shape[last - 1]:
            last -= 1
        self.width = math.prod(w.shape[last:])
        steps = [math.prod(w.shape[d + 1 : last]) if d < last else 0 for d in range(len(w.shape))]
        offsets = np.zeros((), np.int64)
        for d in range(last):
            offsets = np.add.outer(offsets, np.arange(w.sizes[d]) * steps[d])
        self.offsets = offsets.reshape(-1) if offsets.size != 1 else None
        first = np.zeros(w.batch, np.int64)
        for d, at in w.batching.items():
            first += (np.arange(w.shape[d]) * steps[d]).reshape(-1, *[1] * (len(w.batch) - 1 - at))
        self.first = first.reshape(-1) if w.batching else None
        self.one = len(w.mapped) == 1
        self.shape = (w.n,) if self.one else (w.n, len(w.mapped))
        self.limits = w.limits[0] if self.one else np.array(w.limits, np.int64)
        self.beyond = self.limits if self.one else np.array(w.limits, np.uint64)
        self.steps = steps[w.mapped[0]] if self.one else np.array([steps[d] for d in w.mapped], np.int64)
        self.integers, self.clips = integers, clips

    def starts(self, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """The first row of each window, and which windows are in range: None for all of them. Of others the row is
        any."""
        at, there = self.integers(indices).reshape(self.shape), None
        if self.clips:
            at = np.minimum(np.maximum(at, 0), self.limits)
        else:
            out = at.view(np.uint64) > self.beyond  # those below 0 are huge
            if np.count_nonzero(out):  # faster than any()
                at = np.where(out, 0, at)
                there = ~(out if self.one else out.any(1))
        at = at * self.steps if self.one else at.dot(self.steps)
        return (at if self.first is None else at + self.first), there

    def spread(self, starts: np.ndarray) -> np.ndarray:
        """The rows of the windows that start there."""
        return starts if self.offsets is None else np.add.outer(starts, self.offsets).reshape(-1)


def filling(eqn: Any) -> Any:
    """Returns the number that stands where nothing is gathered."""
    value, dtype = eqn.params["fill_value"], eqn.outvars[0].aval.dtype
    if value is None and dtype.kind in "iu":
        value = np.iinfo(dtype).min if dtype.kind == "i" else np.iinfo(dtype).max
    return np.asarray(np.nan if value is None else value).astype(dtype)  # nan is True


def _turned(order: Sequence[int]) -> Callable[[np.ndarray], np.ndarray] | None:
    """A function that transposes; None where nothing changes."""
    order = tuple(order)
    return None if order == tuple(range(len(order))) else lambda x: x.transpose(order)


@rule("gather")
def _gather(eqn: Any) -> Callable:
    p, out = eqn.params, eqn.outvars[0].aval
    numbers, sizes = p["dimension_numbers"], p["slice_sizes"]
    gone = (*numbers.collapsed_slice_dims, *numbers.operand_batching_dims)
    batching = dict(zip(numbers.operand_batching_dims, numbers.start_indices_batching_dims))
    w = _Windows(eqn, sizes, gone, numbers.start_index_map, batching)
    if not elements(eqn.outvars[0]):
        return lambda x, indices: np.empty(out.shape, out.dtype)
    value, integers = filling(eqn) if w.fills else None, w.integers(w.fills)
    if w.n == 1 and not batching:
        return _one_gathered(w, integers, value, out)
    # where each dimension of the result is found when those of the indices come before dimension `axis` of the window
    if w.gone == set(w.mapped) and len(w.mapped) == 1 and all(sizes[d] == w.shape[d] for d in w.kept):
        axis = w.mapped[0]
        run = _taken(w, integers, value, axis)
    else:
        axis = 0
        run = _gathered(w, _Rows(w, integers, not w.fills), value)
    kept = iter([*range(axis), *range(axis + len(w.batch), len(out.shape))])
    batch = iter(range(axis, axis + len(w.batch)))
    turn = _turned([next(kept if d in numbers.offset_dims else batch) for d in range(len(out.shape))])
    return run if turn is None else lambda x, indices: turn(run(x, indices))


def _one_gathered(w: _Windows, integers: Callable, value: Any, out: Any) -> Callable:
    """One window, as a view."""
    find, shape, dtype = w.single(integers, not w.fills), out.shape, out.dtype

    def run(x: np.ndarray, indices: np.ndarray) -> np.ndarray:
        at = find(indices)
        return np.full(shape, value, dtype) if at is None else x[at].reshape(shape)

    return run


def _taken(w: _Windows, integers: Callable, value: Any, axis: int) -> Callable:
    """Elements along one axis, all of the others."""
    limit, batch, before = w.limits[0], w.batch, (slice(None),) * axis
    as_they_are = w.dtype.itemsize < 8 or (w.dtype == np.int64 and not w.fills)
    unsigned = f"u{w.dtype.itemsize if as_they_are else 8}"

    def run(x: np.ndarray, indices: np.ndarray) -> np.ndarray:
        at = (indices if as_they_are else integers(indices)).reshape(batch)
        made = x.take(at, axis, mode="clip")
        if value is not None:
            out = at.view(unsigned) > limit  # those below 0 are huge
            if np.count_nonzero(out):  # faster than any()
                made[(*before, out)] = value
        return made

    return run


def _gathered(w: _Windows, rows: _Rows, value: Any) -> Callable:
    """Windows anywhere: the dimensions of the indices, then those of the window."""
    shape = (*w.batch, *[w.sizes[d] for d in w.kept])
    into = -1 if rows.width == 1 else (-1, rows.width)

    def run(x: np.ndarray, indices: np.ndarray) -> np.ndarray:
        starts, there = rows.starts(indices)
        made = x.reshape(into).take(rows.spread(starts), 0)
        if there is not None:
            made.reshape(w.n, -1)[~there] = value
        return made.reshape(shape)

    return run


_COMBINE: dict[str, np.ufunc | None] = {
    "scatter": None,
    "scatter-add": np.add,
    "scatter-sub": np.subtract,
    "scatter-mul": np.multiply,
    "scatter-min": np.minimum,
    "scatter-max": np.maximum,
}


@rule(*_COMBINE)
def _scatter(eqn: Any) -> Callable:
    """Where windows meet, the last one stays, or all of them are combined in the order of the indices; halves are, in
    float32."""
    p, name, dtype = eqn.params, eqn.primitive.name, eqn.outvars[0].aval.dtype
    numbers, shape, given = p["dimension_numbers"], eqn.invars[0].aval.shape, eqn.invars[2].aval.shape
    gone = {*numbers.inserted_window_dims, *numbers.operand_batching_dims}
    kept = iter(numbers.update_window_dims)
    sizes = [1 if d in gone else given[next(kept)] for d in range(len(shape))]
    batching = dict(zip(numbers.operand_batching_dims, numbers.scatter_indices_batching_dims))
    w = _Windows(eqn, sizes, gone, numbers.scatter_dims_to_operand_dims, batching)
    combine = _COMBINE[name]
    if combine is None and p["update_jaxpr"] is not None:
        raise NoRule("scatter by a function")
    if dtype.kind == "c" and name in ("scatter-min", "scatter-max"):
        raise NoRule(f"{name} of complex numbers")
    if not elements(eqn.invars[2]) or not elements(eqn.invars[0]):
        return lambda x, indices, updates: x
    if w.n > 1 and not w.mapped:
        raise NoRule(f"{name} without indices")  # XLA leaves some windows out, unless all is constant
    integers = w.integers(wraps=False)
    if w.n == 1 and not batching:
        run = _one_scattered(w, integers, combine)
    else:
        others = [d for d in range(len(given)) if d not in numbers.update_window_dims]
        turn = _turned([*others, *numbers.update_window_dims])
        run = _scattered(w, integers, combine, p["unique_indices"] and not w.clips, turn)
    if dtype not in NARROW or combine is None:
        return lambda x, indices, updates: run(np.array(x, order="C"), indices, updates)
    wide = np.float32
    return lambda x, *others: run(np.array(x, wide, order="C"), *others).astype(dtype)


def _one_scattered(w: _Windows, integers: Callable, combine: np.ufunc | None) -> Callable:
    """One window, into an array that nobody else has."""
    find, sizes = w.single(integers, w.clips), tuple(w.sizes)

    def run(x: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
        at = find(indices)
        if at is not None:
            part = x[at]
            if combine is None:
                part[...] = updates.reshape(sizes)
            else:
                combine(part, updates.reshape(sizes), out=part, dtype=part.dtype)
        return x

    return run


def _scattered(
    w: _Windows, integers: Callable, combine: np.ufunc | None, unique: bool, turn: Callable | None
) -> Callable:
    """Windows anywhere, into an array that nobody else has."""
    rows = _Rows(w, integers, w.clips)
    at_once = combine is None or unique
    if not at_once and rows.width < _LONG:
        rows = _Rows(w, integers, w.clips, whole=False)
    into = -1 if rows.width == 1 else (-1, rows.width)

    def run(x: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
        starts, there = rows.starts(indices)
        if turn is not None:
            updates = turn(updates)
        if there is not None:
            starts, updates = starts[there], updates.reshape(w.n, -1)[there]
        at, parts, all_rows = rows.spread(starts), updates.reshape(into), x.reshape(into)
        if combine is None:
            all_rows[at] = parts
        elif unique:
            all_rows[at] = combine(all_rows[at], parts, dtype=x.dtype)
        elif rows.width == 1:
            combine.at(all_rows, at, parts.astype(x.dtype, copy=False))
        else:
            for k, part in zip(at.tolist(), parts):
                row = all_rows[k]
                combine(row, part, out=row, dtype=x.dtype)
        return x

    return run


@rule("dynamic_slice")
def _dynamic_slice(eqn: Any) -> Callable:
    known(eqn)
    sizes = eqn.params["slice_sizes"]
    limits = [(n - size, size) for n, size in zip(eqn.invars[0].aval.shape, sizes)]
    if len(eqn.invars) != 1 + len(sizes):
        raise NoRule("dynamic_slice of a size that is not known")

    def run(x: np.ndarray, *starts: np.ndarray) -> np.ndarray:
        return x[_within(starts, limits)]

    return run


def _within(starts: Sequence[np.ndarray], limits: list[tuple[int, int]]) -> tuple[slice, ...]:
    """The slices of a window that start there, or as near as they can. limits: the last start and the size."""
    at = []
    for start, (limit, size) in zip(starts, limits):
        k = start.item()
        k = 0 if k < 0 else limit if k > limit else k
        at.append(slice(k, k + size))
    return tuple(at)


@rule("dynamic_update_slice")
def _dynamic_update_slice(eqn: Any) -> Callable:
    known(eqn)
    shape, sizes = (v.aval.shape for v in eqn.invars[:2])
    limits = [(n - size, size) for n, size in zip(shape, sizes)]
    if shape == sizes:
        return lambda x, part, *starts: part

    def run(x: np.ndarray, part: np.ndarray, *starts: np.ndarray) -> np.ndarray:
        made = np.array(x)
        made[_within(starts, limits)] = part
        return made

    return run


@rule("slice")
def _slice(eqn: Any) -> Callable:
    known(eqn)
    p = eqn.params
    steps = p["strides"] or [1] * len(p["start_indices"])
    at = tuple(map(slice, p["start_indices"], p["limit_indices"], steps))
    return lambda x: x[at]


@rule("rev")
def _rev(eqn: Any) -> Callable:
    known(eqn)
    dims = eqn.params["dimensions"]
    at = tuple(slice(None, None, -1 if d in dims else 1) for d in range(len(eqn.invars[0].aval.shape)))
    return lambda x: x[at]


@rule("concatenate")
def _concatenate(eqn: Any) -> Callable:
    known(eqn)
    dim = eqn.params["dimension"]
    if len(eqn.invars) == 1:
        return lambda x: x
    return lambda *xs: np.concatenate(xs, dim)


@rule("split")
def _split(eqn: Any) -> Callable:
    known(eqn)
    before, parts, start = (slice(None),) * eqn.params["axis"], [], 0
    for size in eqn.params["sizes"]:
        parts.append((*before, slice(start, start + size)))
        start += size
    return several(lambda x: [x[part] for part in parts])


@rule("pad")
def _pad(eqn: Any) -> Callable:
    """Negative padding takes away what is there, after `interior` was put between the elements."""
    known(eqn)
    out, there, here = eqn.outvars[0].aval, [], []
    for n, m, (low, _, interior) in zip(eqn.invars[0].aval.shape, out.shape, eqn.params["padding_config"]):
        step = interior + 1
        # element k comes to low + k * step, if the result reaches there
        first, last = max(-(low // step), 0), min((m - 1 - low) // step, n - 1)
        if last < first:
            there, here = None, None
            break
        there.append(slice(low + first * step, low + last * step + 1, step))
        here.append(slice(first, last + 1))
    if there is None or here is None:
        return lambda x, value: np.full(out.shape, value, out.dtype)
    to, of, shape, dtype = tuple(there), tuple(here), out.shape, out.dtype

    def run(x: np.ndarray, value: np.ndarray) -> np.ndarray:
        made = np.empty(shape, dtype)
        made.fill(value)
        made[to] = x[of]
        return made

    return run


@rule("clamp")
def _clamp(eqn: Any) -> Callable:
    known(eqn)
    if eqn.outvars[0].aval.dtype.kind == "c":
        raise NoRule("clamp of complex numbers")
    return lambda low, x, high: np.minimum(np.maximum(x, low), high)


@rule("iota")
def _iota(eqn: Any) -> Callable:
    known(eqn)
    shape, dim, dtype = eqn.params["shape"], eqn.params["dimension"], np.dtype(eqn.params["dtype"])
    if eqn.invars:
        raise NoRule("iota of a shape that is not known")
    n, column = shape[dim], (-1, *[1] * (len(shape) - dim - 1))
    if len(shape) == 1:
        return lambda: np.arange(n).astype(dtype, copy=False)
    made = np.broadcast_to(np.arange(n).astype(dtype, copy=False).reshape(column), shape)
    return lambda: made


COSTS["gather"] = lambda eqn: 40.0 * elements(eqn.outvars[0])
for _name in _COMBINE:
    COSTS[_name] = lambda eqn: 80.0 * elements(eqn.invars[2])
