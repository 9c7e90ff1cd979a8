"""Rules for windows that move over an array: sums, maxima and their like, and what the largest of each window picks.

Nothing is padded and no zeros are put between elements where that can be avoided: of each place in the window it is
known, when the rule is made, which results meet which elements there. Dimensions are reduced one after the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ...jaxprs.walk import steps
from .interpreter import COSTS, NARROW, NoRule, elements, known, rule

__all__ = ["Steps", "meetings"]

Slices = tuple[slice, ...]

_MANY = 12
"""Places in a window, from where one reduction over a view of the windows beats a loop over the places."""


class Steps(NamedTuple):
    """How windows lie along a dimension: from one to the next; what is padded before; from one element to the next; and
    within a window."""

    stride: int = 1
    low: int = 0
    spread: int = 1
    dilation: int = 1


def meetings(size: int, count: int, k: int, steps: Steps) -> tuple[slice, slice] | None:
    """Returns which of `count` results meet which of `size` elements at place k of the window, as two slices. None:
    none does.

    Result p meets element s where p * stride + k * dilation == s * spread + low.
    """
    stride, low, spread, dilation = steps
    common = math.gcd(stride, spread)
    shift = low - k * dilation
    if shift % common:
        return None
    step, across = spread // common, stride // common
    first = (shift // common) * pow(across, -1, step) % step if step > 1 else 0
    s = (first * stride - shift) // spread
    skipped = max(-(s // across), 0)
    first, s = first + skipped * step, s + skipped * across
    n = min((count - 1 - first) // step, (size - 1 - s) // across) + 1
    if n <= 0:
        return None
    return slice(first, first + (n - 1) * step + 1, step), slice(s, s + (n - 1) * across + 1, across)


def _identities(name: str, dtype: np.dtype) -> Any:
    """Returns the number that changes nothing under an operation."""
    if name in ("max", "min"):
        least = name == "max"
        if dtype.kind == "b":
            return not least
        if dtype.kind in "iu":
            return np.iinfo(dtype).min if least else np.iinfo(dtype).max
        if dtype.kind == "f":
            return -np.inf if least else np.inf
        raise NoRule(f"reduce_window of {dtype}")
    if name == "and":
        return ~np.zeros((), dtype)
    return int(name == "mul")


_OPS: dict[str, np.ufunc] = {
    "add": np.add,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
}


class _Windows:
    """The windows of an equation, with `meet`: for each dimension and each place, the results and the elements that
    meet there."""

    def __init__(self, eqn: Any, shape: Sequence[int], counts: Sequence[int]):
        p = eqn.params
        ones = (1,) * len(shape)
        self.shape, self.counts = tuple(shape), tuple(counts)
        self.sizes, self.strides, self.pads = p["window_dimensions"], p["window_strides"], p["padding"]
        self.spreads = p.get("base_dilation") or ones
        self.dilations = p.get("window_dilation") or ones
        self.meet = [[self._met(d, k) for k in range(n)] for d, n in enumerate(self.sizes)]

    def _met(self, d: int, k: int) -> tuple[slice, slice] | None:
        low, spread, dilation = self.pads[d][0], self.spreads[d], self.dilations[d]
        return meetings(self.shape[d], self.counts[d], k, Steps(self.strides[d], low, spread, dilation))

    def idle(self, d: int) -> bool:
        """Whether the windows do nothing in a dimension."""
        return (
            self.sizes[d] == 1
            and self.meet[d] == [(slice(0, self.shape[d], 1),) * 2]
            and self.spreads[d] == 1
        )

    def whole(self, d: int) -> bool:
        """Whether every place of every window of a dimension has an element."""
        every = slice(0, self.counts[d], 1)
        return all(m is not None and m[0] == every for m in self.meet[d])


def _along(w: _Windows, d: int, op: np.ufunc, identity: Any) -> Callable[[np.ndarray], np.ndarray]:
    """A function that reduces the windows of one dimension."""
    n, count, before = w.sizes[d], w.counts[d], (slice(None),) * d
    if w.whole(d):
        if count == 1 and w.shape[d] == n:
            return lambda x: op.reduce(x, axis=d, keepdims=True, dtype=x.dtype)
        parts = [(*before, m[1]) for m in w.meet[d] if m is not None]
        if n <= _MANY:
            return lambda x: _over_parts(x, parts, op)
    if n > _MANY:
        span = (count - 1) * w.strides[d] + (n - 1) * w.dilations[d] + 1
        met = meetings(w.shape[d], span, 0, Steps(low=w.pads[d][0], spread=w.spreads[d]))

        def over_padded(x: np.ndarray) -> np.ndarray:
            full = np.full((*x.shape[:d], span, *x.shape[d + 1 :]), identity, x.dtype)
            if met is not None:
                full[(*before, met[0])] = x[(*before, met[1])]
            return _over_views(full, d, (count, n), (w.strides[d], w.dilations[d]), op)

        return over_padded
    pairs = [((*before, m[0]), (*before, m[1])) for m in w.meet[d] if m is not None]

    def over_pairs(x: np.ndarray) -> np.ndarray:
        total = np.full((*x.shape[:d], count, *x.shape[d + 1 :]), identity, x.dtype)
        for there, here in pairs:
            part = total[there]
            op(part, x[here], out=part)
        return total

    return over_pairs


def _over_parts(x: np.ndarray, parts: list[Slices], op: np.ufunc) -> np.ndarray:
    """The parts of an array, one for each place of the window, combined."""
    if len(parts) == 1:
        return x[parts[0]]
    total = op(x[parts[0]], x[parts[1]])
    for part in parts[2:]:
        op(total, x[part], out=total)
    return total


def _over_views(
    x: np.ndarray, d: int, sizes: tuple[int, int], steps: tuple[int, int], op: np.ufunc
) -> np.ndarray:
    """The windows of dimension d, none of which reaches over the edge, as a view with one dimension more, reduced."""
    (count, n), (stride, dilation) = sizes, steps
    step = x.strides[d]
    shape = (*x.shape[:d], count, *x.shape[d + 1 :], n)
    strides = (*x.strides[:d], step * stride, *x.strides[d + 1 :], step * dilation)
    return op.reduce(as_strided(x, shape, strides), axis=-1, dtype=x.dtype)


def _reduced(eqn: Any, name: str) -> Callable[..., np.ndarray]:
    """A function that reduces every window of its argument, and what it starts from where that is given."""
    known(eqn)
    aval, out = eqn.invars[0].aval, eqn.outvars[0].aval
    w, op, dtype = _Windows(eqn, aval.shape, out.shape), _OPS[name], np.dtype(aval.dtype)
    wide = np.dtype(np.float32) if dtype in NARROW else dtype
    identity = _identities(name, wide)
    # the last dimension, whose elements lie side by side, comes when the others have left less of it
    steps = [_along(w, d, op, identity) for d in range(len(out.shape)) if not w.idle(d)]

    def run(x: np.ndarray, first: np.ndarray | None = None) -> np.ndarray:
        if wide is not dtype:
            x = x.astype(wide)
        for step in steps:
            x = step(x)
        if first is not None:
            x = np.asarray(op(x, first.astype(wide)))
        return x if wide is dtype else x.astype(dtype)

    return run


@rule("reduce_window_sum")
def _sum(eqn: Any) -> Callable:
    return _reduced(eqn, "add")


@rule("reduce_window_max")
def _max(eqn: Any) -> Callable:
    return _reduced(eqn, "max")


@rule("reduce_window_min")
def _min(eqn: Any) -> Callable:
    return _reduced(eqn, "min")


@rule("reduce_window")
def _general(eqn: Any) -> Callable:
    """Reduces windows of one operand by one operation. XLA lets the first value in once for each window; what is padded
    stays out."""
    inner = eqn.params["jaxpr"]
    if not eqn.outvars[0].aval.shape:
        raise NoRule("reduce_window of no dimensions")  # where XLA leaves out what it starts from
    if len(eqn.invars) != 2 or len(steps(inner)) != 1 or inner.constvars:
        raise NoRule("reduce_window by more than one operation")
    (only,) = steps(inner)
    name, read = only.primitive.name, only.invars
    if name not in _OPS or set(map(id, read)) != set(map(id, inner.invars)) or only.outvars != inner.outvars:
        raise NoRule(f"reduce_window by {name}")
    return _reduced(eqn, name)


def _selecting(eqn: Any) -> np.ufunc:
    """By what a window's element is chosen: of an earlier and a later one, whether the earlier stays."""
    name = eqn.params["select_prim"].name
    if name not in ("ge", "le"):
        raise NoRule(f"{eqn.primitive.name} by {name}")
    known(eqn)
    aval = eqn.invars[1].aval
    if aval.dtype.kind == "c" or not aval.shape:
        raise NoRule(f"{eqn.primitive.name} of {aval}")
    return np.greater_equal if name == "ge" else np.less_equal


@rule("select_and_scatter_add")
def _scattered(eqn: Any) -> Callable:
    """Adds each of `source` to the place of the element that its window selects.

    As XLA does, the window is read in order, and an element gives way to a later one unless it compares as at least as
    large: of equal ones the first is selected, and a nan gives way to whatever follows. On a CPU, JAX pads `x` with the
    least value there is, which can be selected; what is added there is lost.
    """
    stays = _selecting(eqn)
    p, (source, aval) = eqn.params, (v.aval for v in eqn.invars)
    pads, dtype = p["padding"], np.dtype(aval.dtype)
    if any(low < 0 or high < 0 for low, high in pads):
        raise NoRule("select_and_scatter_add with negative padding")
    wide = np.dtype(np.float32) if dtype in NARROW else dtype
    padded = tuple(n + low + high for n, (low, high) in zip(aval.shape, pads))
    inner = (
        tuple(slice(low, low + n) for n, (low, _) in zip(aval.shape, pads)) if any(map(any, pads)) else None
    )
    identity = _identities("max" if stays is np.greater_equal else "min", wide)
    steps, counts = p["window_strides"], source.shape
    places = [
        tuple(slice(k, k + (n - 1) * s + 1, s) for k, n, s in zip(place, counts, steps))
        for place in np.ndindex(*p["window_dimensions"])
    ]
    apart = all(s >= n for s, n in zip(steps, p["window_dimensions"]))
    if not math.prod(counts) or not math.prod(aval.shape):
        return lambda source, x: np.zeros(aval.shape, dtype)

    def run(source: np.ndarray, x: np.ndarray) -> np.ndarray:
        if inner is not None:
            full = np.full(padded, identity, wide)
            full[inner] = x
            x = full
        elif wide is not dtype:
            x = x.astype(wide)
        if wide is not dtype:
            source = source.astype(wide)
        at = _selected(x, places, stays)
        out = np.zeros(padded, wide)
        for k, place in enumerate(places):
            part, chosen = out[place], _where(at == k, source)
            if apart:
                part[...] = chosen
            else:
                np.add(part, chosen, out=part)
        if inner is not None:
            out = out[inner]
        return out if wide is dtype else out.astype(dtype)

    return run


_BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def _where(mask: np.ndarray, x: np.ndarray) -> np.ndarray:
    """x where the mask is true, or else 0.

    Of bits, since `np.where` and its like wait for branches that nothing foretells."""
    return np.multiply(x.view(_BITS[x.itemsize]), mask).view(x.dtype)


def _either(first: np.ndarray, mask: np.ndarray, rest: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The first where `mask` is true, the second where `rest`, its inverse, is."""
    bits = _BITS[first.itemsize]
    kept = np.multiply(first.view(bits), mask)
    return np.bitwise_or(kept, np.multiply(second.view(bits), rest), out=kept).view(first.dtype)


def _selected(x: np.ndarray, places: list[Slices], stays: np.ufunc) -> np.ndarray:
    """The number of the place that each window selects."""
    best = x[places[0]]
    number = np.uint8 if len(places) <= 256 else np.int32
    at = np.zeros(best.shape, number)
    for k, place in enumerate(places[1:], 1):
        new = x[place].copy()
        kept = stays(best, new)
        gone = np.logical_not(kept)
        best = _either(best, kept, gone, new)
        np.maximum(at, np.multiply(gone, number(k)), out=at)
    return at


@rule("select_and_gather_add")
def _gathered(eqn: Any) -> Callable:
    """The tangent at the element that each window selects, or 0 where none is larger than what the reduction starts
    from."""
    stays = _selecting(eqn)
    aval, out = eqn.invars[1].aval, eqn.outvars[0].aval
    dtype = np.dtype(aval.dtype)
    if dtype.kind != "f" and dtype not in NARROW:
        raise NoRule(f"select_and_gather_add of {dtype}")
    w = _Windows(eqn, aval.shape, out.shape)
    start = -np.inf if stays is np.greater_equal else np.inf
    # in the order of the window, which decides between equal ones
    pairs = [
        (tuple(m[0] for m in met), tuple(m[1] for m in met))
        for met in product(*w.meet)
        if all(m is not None for m in met)
    ]

    def run(tangents: np.ndarray, x: np.ndarray) -> np.ndarray:
        best, found = np.full(out.shape, start, dtype), np.zeros(out.shape, dtype)
        for there, here in pairs:
            new, earlier, part = x[here], best[there], found[there]
            kept = stays(earlier, new)
            gone = np.logical_not(kept)
            earlier[...] = _either(earlier, kept, gone, new)
            part[...] = _either(part, kept, gone, tangents[here])
        return found

    return run


def _places(eqn: Any) -> int:
    return math.prod(eqn.params["window_dimensions"])


for _name in ("reduce_window_sum", "reduce_window_max", "reduce_window_min", "reduce_window"):
    COSTS[_name] = lambda eqn: 20.0 * elements(eqn.outvars[0]) * _places(eqn)
COSTS["select_and_scatter_add"] = lambda eqn: 100.0 * elements(eqn.invars[0]) * _places(eqn)
COSTS["select_and_gather_add"] = lambda eqn: 100.0 * elements(eqn.outvars[0]) * _places(eqn)
