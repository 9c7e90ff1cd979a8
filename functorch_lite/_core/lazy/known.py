"""The values of tensors that are known without computing anything: those on the host, also through views that NumPy has
too."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from ..words.device import CPU
from . import engine
from .pack import Hidden
from .recorder import Recorder, take_back
from .tensor import Lens, Tensor
from .value import COMPUTED, COMPUTED_READ, Value, is_jax, is_tracer

__all__ = ["at_hand", "computed_part", "in_range", "known_part", "outside"]


def at_hand(t: Any) -> np.ndarray | None:
    """A tensor's values where looking at them costs nothing: made from data, and on the host.

    Others are not waited for; None then."""
    array = _of_root(t) if isinstance(t, Tensor) else None
    return array if array is None or not t._lenses else _part(array, t._lenses)


def _of_root(t: Tensor) -> np.ndarray | None:  # hot path
    """The values of the whole of which t may be a view, if they were made from data and are on the host."""
    return _of_value(t._cell.value)


def _of_value(value: Value) -> np.ndarray | None:  # hot path
    if type(value) is not Value:
        return None
    array = value.array
    uploaded = getattr(value, "uploaded", None)
    if uploaded is COMPUTED or uploaded is COMPUTED_READ:
        return None
    if isinstance(array, np.ndarray):
        return array
    if uploaded is None or value.aval.device is not CPU:
        return None
    if uploaded is True:  # seen without a copy; the same object each time, by which its range is remembered
        uploaded = value.uploaded = np.asarray(array)
    return uploaded


def outside(t: Tensor, low: int, high: int) -> np.ndarray | None:  # hot path
    """The values of a tensor of integers, where some of them are known not to be in range(low, high); else None."""
    values = _of_root(t)
    if values is None and type(hidden := t._cell.value.rec) is Hidden:
        hidden.ranges.append((low, high))
        values = _of_value(hidden.of)
    if values is None or not values.size or values.dtype.kind not in "iu":
        return None
    if not t._lenses or values.size <= MOST_COPIED:
        least, most = _range_of(values)
        if low <= least and most < high:
            return None  # nor is any of a part of them
    if t._lenses:
        values = _part(values, t._lenses)
        if values is None or not values.size or (low <= values.min() and values.max() < high):
            return None
    return values


def in_range(value: Value, low: int, high: int, unknown: bool = True) -> bool:  # hot path
    """Whether integers are all in range(low, high). unknown: what is said of those that are not at hand."""
    values = _of_value(value)
    if values is None:
        return unknown
    if not values.size or values.dtype.kind not in "iu":
        return True
    least, most = _range_of(values)
    return low <= least and most < high


_ranges: dict[int, tuple[weakref.ref, int, int]] = {}
FEW = 48


def _range_of(values: np.ndarray) -> tuple[int, int]:
    """The least and the greatest of the values, which never change: looked for once, however often a tensor is used."""
    at = id(values)
    known = _ranges.get(at)
    if known is None or known[0]() is not values:
        forget = weakref.ref(values, lambda gone: _ranges.pop(at, None))
        few = (
            values.ndim == 1 and values.size <= FEW
        )  # a batch's labels: a list of them is sooner looked through
        numbers = values.tolist() if few else (int(values.min()), int(values.max()))
        known = _ranges[at] = forget, min(numbers), max(numbers)
    return known[1:]


def known_part(view: Tensor) -> np.ndarray | None:  # hot path
    """A view's values, if those of its root are computed and on the host (waiting for them if need be)."""
    value = view._cell.value
    array = value.array
    if array.__class__ is not np.ndarray:
        if array is None or value.aval.device is not CPU or not is_jax(type(array)) or is_tracer(type(array)):
            return None
        array = np.asarray(array)
    return _part(array, view._lenses)


def computed_part(view: Tensor) -> np.ndarray | None:
    """A view's values, computing its root if that is pending: the view shows a window of it, has no derivative, and is
    not recorded, or was recorded last, so that the program is the same whatever is looked at. None for other views."""
    value = view._cell.value
    rec = value.rec
    if value.array is not None or rec is None or rec.level or value.aval.device is not CPU:
        return None
    if view._edge is not None or view._root._edge is not None:  # type: ignore[union-attr]
        return None
    for lens in view._lenses:
        if not (lens.op.window or lens.op.name == "slice"):
            return None
        for n in lens.numbers:
            if type(n) is not int:
                return None
    if view._seen is value:
        if type(rec) is not Recorder or not rec.slots or rec.slots[-1] is not view._value:
            return None
        take_back(view)
    return _part(engine.force_array(value), view._lenses)


def _part(array: np.ndarray, lenses: tuple[Lens, ...]) -> np.ndarray | None:  # hot path
    """Returns the part of an array on the host that lenses show, if they are at known places and NumPy has a view for
    each; else None."""
    for lens in lenses:
        op, static = lens.op, lens.static
        if op.window:
            if len(lens.numbers) != 1:
                return None
            (first,) = lens.numbers
            if type(first) is not int:
                return None
            dim = static[0] % array.ndim
            if len(static) == 2:
                array = array[(*_ALL * dim, slice(first, first + static[1]))]
            else:
                array = array[(*_ALL * dim, first, ...)] if dim else array[first, ...]
        elif op.on_host is None:
            return None
        else:
            array = op.on_host(array, *static)
            if array is None:
                return None
    return array


_ALL = (slice(None),)
MOST_COPIED = 1 << 16
"""Elements of what was expanded, or is reshaped by a copy, up to which they are looked at; and of a whole, to look at
it for a part."""
