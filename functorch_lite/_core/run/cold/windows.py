"""Rules for windows that move over an array: sums, maxima and their like, and what the largest of each window picks.

No op of the library is made of these: they come with JAX functions, as flax's pools. An operand is padded, and what
stands at one place of all windows is computed at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...jaxprs.walk import steps
from .elementwise import selected
from .interpreter import COSTS, NARROW, NoRule, elements, known, rule

__all__ = ["Steps", "meetings"]

Slices = tuple[slice, ...]


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


class _Laid(NamedTuple):
    """How the windows of an equation are read: of arrays that hold what they read and no more, by a tuple of slices for
    each place in a window. met: the elements there, as slices of such an array and of the operand."""

    spans: tuple[int, ...]
    places: list[Slices]
    met: tuple[Slices, Slices] | None

    @classmethod
    def of(cls, p: dict[str, Any], shape: Sequence[int], counts: Sequence[int]) -> _Laid:
        """Made of an equation's parameters, and the shapes of its operand and its result."""
        ones = (1,) * len(shape)
        sizes, strides, pads = p["window_dimensions"], p["window_strides"], p["padding"]
        spreads, apart = p.get("base_dilation") or ones, p.get("window_dilation") or ones
        spans = [max((c - 1) * s + (n - 1) * d + 1, 0) for c, s, n, d in zip(counts, strides, sizes, apart)]
        met = [meetings(size, span, 0, Steps(low=low, spread=spread)) for size, span, (low, _), spread in zip(shape, spans, pads, spreads)]  # fmt: skip
        places = [
            tuple([slice(k * d, k * d + max((c - 1) * s + 1, 0), s) for k, c, s, d in zip(place, counts, strides, apart)])
            for place in np.ndindex(*sizes)
        ]  # fmt: skip
        there, here = [tuple([m and m[side] for m in met]) for side in (0, 1)]
        return cls(tuple(spans), places, None if None in met else (there, here))  # type: ignore[arg-type]

    def lay(self, x: np.ndarray, fill: Any, dtype: np.dtype) -> np.ndarray:
        """Such an array of an operand."""
        full = np.full(self.spans, fill, dtype)
        if self.met is not None:
            full[self.met[0]] = x[self.met[1]]
        return full


def _reduced(eqn: Any, name: str) -> Callable[..., np.ndarray]:
    """A function that reduces every window of its argument, and what it starts from where that is given."""
    known(eqn)
    aval, out = eqn.invars[0].aval, eqn.outvars[0].aval
    laid, op, dtype = _Laid.of(eqn.params, aval.shape, out.shape), _OPS[name], np.dtype(aval.dtype)
    wide = np.dtype(np.float32) if dtype in NARROW else dtype
    identity = _identities(name, wide)

    def run(x: np.ndarray, first: np.ndarray | None = None) -> np.ndarray:
        full = laid.lay(x, identity, wide)
        total = np.array(full[laid.places[0]])
        for place in laid.places[1:]:
            op(total, full[place], out=total)
        return np.asarray(total if first is None else op(total, first.astype(wide))).astype(dtype, copy=False)

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
    dtype = np.dtype(aval.dtype)
    if any(low < 0 or high < 0 for low, high in p["padding"]):
        raise NoRule("select_and_scatter_add with negative padding")
    wide = np.dtype(np.float32) if dtype in NARROW else dtype
    laid = _Laid.of(p, aval.shape, source.shape)
    identity = _identities("max" if stays is np.greater_equal else "min", wide)

    def run(source: np.ndarray, x: np.ndarray) -> np.ndarray:
        full, made, out = laid.lay(x, identity, wide), np.zeros(laid.spans, wide), np.zeros(aval.shape, dtype)
        best, source = np.array(full[laid.places[0]]), source.astype(wide, copy=False)
        at, none = np.zeros(best.shape, np.int32), np.zeros_like(source)
        for k, place in enumerate(laid.places[1:], 1):
            gone = ~stays(best, full[place])
            best = selected(gone, best, full[place].copy())
            np.maximum(at, gone * np.int32(k), out=at)
        for k, place in enumerate(laid.places):
            part = made[place]
            np.add(part, selected(at == k, none, source), out=part)
        if laid.met is not None:
            out[laid.met[1]] = made[laid.met[0]]
        return out

    return run


@rule("select_and_gather_add")
def _gathered(eqn: Any) -> Callable:
    """The tangent at the element that each window selects, or 0 where none is larger than what the reduction starts
    from."""
    stays = _selecting(eqn)
    aval, out = eqn.invars[1].aval, eqn.outvars[0].aval
    dtype = np.dtype(aval.dtype)
    if dtype.kind != "f" and dtype not in NARROW:
        raise NoRule(f"select_and_gather_add of {dtype}")
    laid = _Laid.of(eqn.params, aval.shape, out.shape)
    start = -np.inf if stays is np.greater_equal else np.inf
    inside = laid.lay(np.ones(aval.shape, bool), False, np.dtype(bool))

    def run(tangents: np.ndarray, x: np.ndarray) -> np.ndarray:
        given, full = laid.lay(tangents, 0, dtype), laid.lay(x, start, dtype)
        best, found = np.full(out.shape, start, dtype), np.zeros(out.shape, dtype)
        for place in laid.places:
            gone = inside[place] & ~stays(best, full[place])
            best, found = selected(gone, best, full[place].copy()), selected(gone, found, given[place].copy())
        return found

    return run


def _places(eqn: Any) -> int:
    return math.prod(eqn.params["window_dimensions"])


for _name in ("reduce_window_sum", "reduce_window_max", "reduce_window_min", "reduce_window"):
    COSTS[_name] = lambda eqn: 20.0 * elements(eqn.outvars[0]) * _places(eqn)
COSTS["select_and_scatter_add"] = lambda eqn: 100.0 * elements(eqn.invars[0]) * _places(eqn)
COSTS["select_and_gather_add"] = lambda eqn: 100.0 * elements(eqn.outvars[0]) * _places(eqn)
