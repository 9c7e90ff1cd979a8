"""Slices, and indices that are ints, of untaped tensors: views that are not recorded before they are read, in one step
from what they are of.

`big[i:][:16]` shows 16 elements whatever i is, but `big[i:]` another number of them each time: recorded, it would make
each turn of a loop another program. As one window of `big` it is a `narrow` whose start is a number that changes. What
is taped is recorded at once, as the view between may be asked for its gradient. The starts are in range, or torch's
errors were raised, on the host.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from ..declare.op import OPS
from .apply import apply_view
from .recorder import state
from .tensor import Lens, Tensor
from .value import aval

__all__ = ["elements", "is_likely_read", "picked", "selected", "sliced"]

_new = object.__new__

_Window = tuple[int, int, int | None, int]
"""(dim of the root, first, how many, how far apart); a dim of which one is selected, and which is gone, has None of
them."""


def sliced(t: Tensor, dim: int, first: int, count: int, step: int = 1) -> Tensor:  # hot path
    """The view of `count` elements along dim from `first` on, `step` apart; dim and first count from the front."""
    shape = t._aval.shape
    if count < 2:
        step = 1
    if _is_recorded(t):
        for lens in _lenses(((dim, first, count, step),)):
            t = apply_view(lens.op, lens.static, t, lens.numbers)
        return t
    return _unread(t, (dim, first, count, step), (*shape[:dim], count, *shape[dim + 1 :]))


def selected(t: Tensor, dim: int, index: int) -> Tensor:  # hot path
    """The view of one element along dim, without that dim; both count from the front."""
    if _is_recorded(t):
        return apply_view(OPS["select"], (dim,), t, (index,))
    shape = t._aval.shape
    shape = shape[:dim] + shape[dim + 1 :]
    return _unread(t, (dim, index, None, 1), shape)


def picked(t: Tensor, indices: Sequence[int]) -> Tensor:  # hot path
    """The view at these indices of the first dims, which count from the front."""
    if t._lenses or _is_recorded(t):
        for i in indices:
            t = selected(t, 0, i)
        return t
    view, a = _view(t), t._aval
    if len(indices) == 1:
        view._aval = a.row()
        view._lenses = (_at(indices[0]),)
        return view
    for _ in indices:
        a = a.row()
    view._aval = a
    view._lenses = tuple([_at(i) for i in indices])
    return view


@functools.lru_cache(4096)
def _at(index: int) -> Lens:
    return Lens(OPS["select"], (0,), (index,))


def _view(root: Tensor) -> Tensor:  # hot path
    """A view of a tensor that was not read yet, and has no lenses and no aval so far."""
    view = _new(Tensor)
    view._cell, view._root = root._cell, root
    view._seen = view._value = view._origin = view._edge = view._more = None
    view._unseen = False
    return view


def elements(t: Tensor) -> list[Tensor] | None:  # hot path
    """The views of all elements of a tensor that are likely to be read and not recorded before; None of other
    tensors."""
    if t.__class__ is not Tensor or t._lenses or not is_likely_read(t) or _is_recorded(t):
        return None
    views, of_one = [], t._aval.row()
    for i in range(t._aval.shape[0]):
        view = _view(t)
        view._aval = of_one
        view._lenses = (_at(i),)
        views.append(view)
    return views


def is_likely_read(t: Tensor) -> bool:  # hot path
    """Whether elements of a tensor are likely to be read, not to be computed with: it has one dim, and is computed."""
    return len(t._aval.shape) == 1 and t._cell.value.array is not None


def _is_recorded(t: Tensor) -> bool:  # hot path
    """Whether views of t are recorded at once: it is taped or may be, of an outer level, or ops are run at once."""
    here = state.here
    rec = here.rec
    if (
        t._edge is not None
        or here.run_at_once
        or t._cell.level != rec.level
        or (rec.stops and not here.grad)
        or t._aval.device.is_mesh
    ):
        return True
    return bool(t._lenses) and t._root._edge is not None  # type: ignore[union-attr]


def _is_window(lens: Lens) -> bool:
    if lens.op.name == "slice":
        return lens.static[1] == 0
    return lens.op.window and type(lens.numbers[0]) is int


def _windows(lenses: tuple[Lens, ...]) -> tuple[_Window, ...]:
    """Returns the windows, by dim, that these lenses show; all of them are windows."""
    windows: tuple[_Window, ...] = ()
    for lens in lenses:
        if lens.op.name == "slice":
            at, _, end, by = lens.static
            windows = _with(windows, at, 0, -(-end // by), by)
        else:
            at, *length = lens.static
            windows = _with(windows, at, lens.numbers[0], length[0] if length else None, 1)
    return windows


def _with(
    windows: tuple[_Window, ...], dim: int, first: int, count: int | None, step: int
) -> tuple[_Window, ...]:
    before = 0
    for d, start, many, by in windows:
        if d > dim:
            break
        if many is not None and d == dim:
            merged = (d, start + first * by, count, by * step if count is None or count > 1 else 1)
            return (*windows[:before], merged, *windows[before + 1 :])
        dim += many is None
        before += 1
    return (*windows[:before], (dim, first, count, step), *windows[before:])


@functools.lru_cache(4096)
def _lenses(windows: tuple[_Window, ...]) -> tuple[Lens, ...]:
    """The steps that lead to windows: what is shown of a dim by its `narrow`, from a first element that may change;
    then its steps."""
    lenses, gone = [], 0
    for d, first, count, step in windows:
        dim = d - gone
        if count is None:
            lenses.append(Lens(OPS["select"], (dim,), (first,)))
            gone += 1
            continue
        span = (count - 1) * step + 1 if count else 0
        if step == 1 or first:
            lenses.append(Lens(OPS["narrow"], (dim, span), (first,)))
        if step > 1:
            lenses.append(Lens(OPS["slice"], (dim, 0, span, step), ()))
    return tuple(lenses)


def _unread(t: Tensor, window: _Window, shape: tuple[int, ...]) -> Tensor:
    """A further window on t, as a view that is recorded when it is read."""
    a, before = t._aval, t._lenses
    view = _view(t)
    view._aval = aval(shape, a.dtype, a.device)
    if not before:
        view._lenses = _lenses((window,))
        return view
    view._root, at = t._root, len(before)
    while at and _is_window(before[at - 1]):
        at -= 1
    view._lenses = before[:at] + _lenses(_with(_windows(before[at:]), *window))
    if at == len(before):
        view._origin = (t, before)
    elif t._value is None:
        view._origin = t._origin
    return view
