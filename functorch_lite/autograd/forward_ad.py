"""torch.autograd.forward_ad: dual numbers. Values carry tangents while a dual level is entered.

The mechanism costs nothing when no level is entered. Ops are recorded as always; a tangent belongs to a Value.
Whatever asks for a tangent, and the end of a recording (its flush), first walks the steps recorded since the last
time and appends, for each that read a Value with a tangent, the op's jvp. Because Values are immutable, views and
in-place writes need no care, except for views of a dual tensor and of its primal: they show the same memory and have
a tangent each, which a lens stores (`_Apart`).
"""

from __future__ import annotations

import contextlib
import copy
import threading
import weakref
from collections.abc import Iterator, Sequence
from sys import getrefcount
from typing import Any, NamedTuple

import jax

from .._core.api import (
    OPS,
    Aval,
    DerivedOp,
    Tensor,
    Value,
    apply_op,
    apply_view,
    check_type,
    composite,
    detach,
    make_tensor,
    make_value,
    read,
    set_cell,
    set_property,
    state,
    wrong_type,
)
from .._core.lazy.applied import Applied
from .._core.lazy.apply import put_op
from .._core.lazy.cutting import DATA, DETACH
from .._core.lazy.recorder import Recorder, Session
from .._core.lazy.tape import Edge
from .._core.lazy.tensor import Lens
from .._core.lazy.trie import TrieNode
from . import tensor_methods as grad_methods
from .grad_mode import _DecoratorContextManager

__all__ = [
    "UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual",
]  # fmt: skip


class UnpackedDualTensor(NamedTuple):
    """Result of `unpack_dual`.

    Args:
        primal: the value.
        tangent: the tangent, or None.
    """

    primal: Tensor
    tangent: Tensor | None


class _Tangent:
    """The tangent of a Value, and its place on the tape."""

    __slots__ = ("edge", "value")

    def __init__(self, value: Value, edge: Edge | None):
        self.value = value
        self.edge = edge


class _Level:
    """A dual level that is entered.

    `home` is the level of the recorder in which it was entered; `held` are the tangents of Values that are not
    pending in the recording (arrays, and inputs of a transform); `apart` are the tangents of views that share only
    memory with their base."""

    def __init__(self, home: int):
        self.home = home
        self.held: dict[Value, _Tangent] = {}
        self.apart: weakref.WeakKeyDictionary[_Apart, _Tangent] = weakref.WeakKeyDictionary()
        self.paused = 0 if _active.enabled else 1


class _Active(threading.local):
    level: _Level | None = None
    enabled: bool = True


_active = _Active()


class _DualSession(Session):
    """The tape of a recording in a dual level, with the tangents of its slots.

    When the recording ends it lets them catch up."""

    __slots__ = ("done", "late", "level", "nodes_done", "rec", "slots", "tangents")
    follows = True

    def __init__(self, rec: Recorder, level: _Level):
        super().__init__()
        self.nodes = rec.session.nodes
        # a replayed backward would be as good, but whoever walks the steps walks the nodes beside them
        self.regular = False
        self.rec: Recorder | None = rec
        self.level = level
        self.slots = rec.slots
        self.tangents: dict[int, _Tangent] = {}
        self.late: _Late | None = None
        self.done = len(rec.path)
        self.nodes_done = len(self.nodes)
        for node in self.nodes:
            node.session = self

    def settle(self) -> None:
        if self.rec is state.rec:
            _catch_up(self.rec, self)

    def has_tangent(self, v: Value) -> bool:
        rec, level = self.rec, self.level
        if rec is None or level.paused:
            return False
        _catch_up(rec, self)
        return v.index in self.tangents if v.rec is rec and v.index >= 0 else v in level.held

    def close(self) -> None:
        rec, self.rec = self.rec, None
        if rec is not None and _active.level is self.level and rec.level == 0:
            slots, rec.slots = rec.slots, self.slots
            late = _catch_up(rec, self, ending=True)
            rec.slots = slots
            super().close()
            self._hold()
            _install(_bottom(), self.level).late = late
        else:
            super().close()
        self.slots = []
        self.tangents = {}

    def _hold(self) -> None:
        """Keeps the tangents of slots that are still referenced."""
        held = self.level.held
        for v in list(held):
            if getrefcount(v) <= _UNHELD:
                del held[v]
        for i in sorted(self.tangents, reverse=True):  # what a later one's tape refers to dies with it
            t = self.tangents.pop(i)
            if getrefcount(self.slots[i]) > _DEAD:
                held[self.slots[i]] = t
            del t


def _refcounts() -> tuple[int, int]:
    """Returns the getrefcount, in `_hold`, of a held Value, and of a slot, without further references."""
    held = {make_value(None, None, 0): None}  # type: ignore[arg-type]
    for v in list(held):
        unheld = getrefcount(v)
    del v
    slots = list(held)
    held.clear()
    return unheld, getrefcount(slots[0])


_UNHELD, _DEAD = _refcounts()


def _bottom() -> Recorder:
    rec = state.rec
    while rec.outer is not None:
        rec = rec.outer
    return rec


def _install(rec: Recorder, level: _Level) -> _DualSession:
    """Makes a recording carry tangents from here on."""
    session = rec.session = _DualSession(rec, level)
    return session


def _session(level: _Level) -> _DualSession | None:
    """The session of the recording on top; None if its level is not the dual level's."""
    rec = state.rec
    if rec.level != level.home:
        return None
    if type(rec.session) is not _DualSession or rec.session.level is not level:
        return _install(rec, level)
    return rec.session


# -- tangents along the recording ------------------------------------------------------------------------------------

_WITHOUT = DerivedOp(lambda x: (x,), "unpack_dual")
"""The identity, which tangents do not pass."""

_APART = copy.copy(OPS["alias"])
"""The identity as a view, which tangents do not pass either: neither from the base to the view, nor, in a write, from
the view to the base."""
_APART.derived, _APART.grad = {}, "View"
_WRITTEN_APART = put_op(_APART)


class _Apart(Lens):
    """The step from a tensor to its dual, or from a dual to its primal: the same numbers, with a tangent of its own."""

    __slots__ = ("__weakref__",)

    def shows(self, part: Tensor) -> None:
        found = None if _active.level is None else _active.level.apart.get(self)
        if found is not None and _session(_active.level) is not None:  # type: ignore[arg-type]
            _give(part, found)

    def takes(self, part: Tensor) -> None:
        if _active.level is not None:
            _note(self, _find(part))


def _note(lens: _Apart, tangent: _Tangent | None) -> None:
    apart = _active.level.apart  # type: ignore[union-attr]
    if tangent is None:
        apart.pop(lens, None)
    else:
        apart[lens] = tangent


def _view_apart(t: Tensor, tangent: _Tangent | None) -> Tensor:
    """A view of all of t, which has this tangent."""
    view = apply_view(_APART, (), t)
    lens = _Apart(_APART, (), ())
    view._lenses = (*view._lenses[:-1], lens)
    _note(lens, tangent)
    lens.shows(view)
    return view


_jvps: weakref.WeakKeyDictionary[Applied, dict[int, DerivedOp]] = weakref.WeakKeyDictionary()


def _jvp_op(applied: Applied, mask: int) -> DerivedOp:
    """The jvp of an applied op along its inputs in `mask`: (inputs, tangents) -> tangents of the differentiable
    results."""
    ops = _jvps.setdefault(applied, {})
    found = ops.get(mask)
    if found is None:
        run, n = applied.run, len(applied.in_avals)
        moved = [i for i in range(n) if mask >> i & 1]
        differentiable = applied.differentiable
        dtypes = [applied.in_avals[i].dtype.np for i in moved]

        def fn(*arrays):
            inputs = arrays[:n]
            tangents = [t.astype(d) for t, d in zip(arrays[n:], dtypes)]

            def restricted(*chosen):
                full = list(inputs)
                for i, x in zip(moved, chosen):
                    full[i] = x
                outs = run(*full)
                return [outs[o] for o in differentiable]

            return jax.jvp(restricted, [inputs[i] for i in moved], tangents)[1]

        found = ops[mask] = DerivedOp(fn, f"{getattr(applied.op, 'name', 'op')}_jvp")
    return found


class _Late:
    """A step that is still to be taped though its recording has ended (`debug.eager` runs an op before it is taped)."""

    __slots__ = ("outs", "step", "tangents", "values")

    def __init__(self, step, values: list[Value], tangents: dict[int, _Tangent], outs: list[Value]):
        self.step = step
        self.values = values
        self.tangents = tangents
        self.outs = outs


def _catch_up(rec: Recorder, session: _DualSession, ending: bool = False) -> _Late | None:
    """Gives tangents to the results of the steps that were recorded since the last time; returns what is still to be
    taped."""
    level = session.level
    end = len(rec.path)
    if level.paused or not (session.tangents or level.held or session.late):
        session.done, session.nodes_done = end, len(session.nodes)
    if session.done == end and session.late is None:
        return None
    here = state.here
    before, grad, number = here.rec, here.grad, rec.level
    if number == 0:
        rec.level = -1  # so that nothing is flushed meanwhile
        rec.inputs, rec.edges = [], {}
    here.rec = rec
    waiting = None
    try:
        nodes = [n for n in session.nodes[session.nodes_done :] if type(n.step) is TrieNode]  # no Function's
        place = 0
        if session.late is not None:
            late, session.late = session.late, None
            node = nodes[0] if nodes and nodes[0].step is late.step else None
            place = 0 if node is None else 1
            for o, t in _push(rec, late.step, node, late.values, late.tangents):
                level.held[late.outs[o]] = t
        for k in range(session.done, end):
            step = rec.path[k]
            node = nodes[place] if place < len(nodes) and nodes[place].step is step else None
            if node is not None:
                place += 1
            if step.op is _WITHOUT or step.op is _APART or not step.applied.differentiable:
                continue
            values, tangents = _inputs_of(rec, session, step)
            if not tangents:
                continue
            if step.op is _WRITTEN_APART:
                if 0 in tangents:
                    session.tangents[step.base] = tangents[0]
                continue
            if ending and state.run_at_once is True and k == end - 1 and node is None:
                waiting = _Late(step, values, tangents, session.slots[step.base : step.base + step.n_out])
                break
            for o, t in _push(rec, step, node, values, tangents):
                session.tangents[step.base + o] = t
    finally:
        here.rec, here.grad = before, grad
        if number == 0:
            rec.level = 0
            del rec.inputs, rec.edges
    session.done, session.nodes_done = len(rec.path), len(session.nodes)
    return waiting


def _inputs_of(rec: Recorder, session: _DualSession, step) -> tuple[list[Value], dict[int, _Tangent]]:
    """The Values that a step reads, and the tangents of the ones that have a tangent."""
    held = session.level.held
    values: list[Value] = []
    externals: list[Value] = []
    tangents: dict[int, _Tangent] = {}
    for i, ref in enumerate(step.refs):
        if ref >= 0:
            v = session.slots[ref]
            t = session.tangents.get(ref)
        else:
            externals = externals or list(rec.ext)
            v = externals[-1 - ref]
            t = held.get(v)
        values.append(v)
        if t is not None and v.aval.taped:
            tangents[i] = t
    return values, tangents


def _push(
    rec: Recorder, step, node, values: list[Value], tangents: dict[int, _Tangent]
) -> list[tuple[int, _Tangent]]:
    """Records the jvp of a step: (index of the result, its tangent) for the results that have a tangent."""
    op = _jvp_op(step.applied, sum([1 << i for i in tangents]))
    edges: list[Any] = [None] * len(values)
    if node is not None:
        positions = [i for i, a in enumerate(step.applied.inputs) if type(a) is Aval]
        edges = [node.edge_of(i) for i in positions]
    if rec.level > 0:
        state.grad = not step.stop
    else:
        state.grad = node is not None or any(t.edge is not None for t in tangents.values())
    primals = [make_tensor(v, rec.level, e) for v, e in zip(values, edges)]
    moves = [make_tensor(t.value, rec.level, t.edge) for t in tangents.values()]
    results = apply_op(op, None, (*primals, *moves))
    return [(o, _Tangent(t._cell.value, t._edge)) for o, t in zip(step.applied.differentiable, results)]


def _find(t: Tensor) -> _Tangent | None:
    level = _active.level
    session = None if level is None else _session(level)
    if level is None or session is None:
        return None
    v = read(t)
    rec = state.rec
    session = _session(level)  # reading may have ended the recording
    _catch_up(rec, session)  # type: ignore[arg-type]
    return session.tangents.get(v.index) if v.rec is rec and v.index >= 0 else level.held.get(v)  # type: ignore[union-attr]


def set_tangent(t: Tensor, tangent: Tensor) -> None:
    """Gives the Value that t holds a tangent."""
    _give(t, _Tangent(read(tangent), tangent._edge))


def _give(t: Tensor, found: _Tangent) -> None:
    level = _active.level
    v = read(t)
    session = _session(level)  # type: ignore[arg-type]
    if v.rec is state.rec and v.index >= 0:
        session.tangents[v.index] = found  # type: ignore[union-attr]
    else:
        level.held[v] = found  # type: ignore[union-attr]


def without_tangent(t: Tensor) -> Tensor:
    """t, or if it has a tangent a copy that has none."""
    return t if _find(t) is None else apply_op(_WITHOUT, None, (t,))[0]


def tangents_of(args: Sequence) -> list[Tensor | None] | None:
    """The tangents of those arguments that are dual tensors; None when there is none."""
    if _active.level is None:
        return None
    found = [_find(a) if isinstance(a, Tensor) else None for a in args]
    if not any(found):
        return None
    return [None if t is None else make_tensor(t.value, state.rec.level, t.edge) for t in found]


@contextlib.contextmanager
def paused(really: bool) -> Iterator[None]:
    """Ops inside take no tangents on."""
    level = _active.level
    if not really or level is None:
        yield
        return
    level.paused += 1
    try:
        yield
    finally:
        session = _session(level)
        if session is not None:
            _catch_up(state.rec, session)
        level.paused -= 1


# -- what users call -------------------------------------------------------------------------------------------------


def enter_dual_level() -> int:
    """Enters a dual level, and returns its number. Dual levels can not be nested."""
    if _active.level is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    _active.level = _Level(state.rec.level)
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Leaves the dual level: tangents are forgotten, values stay.

    Args:
        level: the level, as `enter_dual_level` returns it. None (the default) is the current one.
    """
    if _active.level is None:
        raise RuntimeError("Dual level must be a positive number.")
    if level is not None and level != 0:
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    _active.level.held.clear()
    _active.level.apart.clear()
    _active.level = None
    rec: Recorder | None = state.rec
    while rec is not None:
        if type(rec.session) is _DualSession:
            rec.session.tangents, rec.session.slots = {}, []
        rec = rec.outer


class dual_level(_DecoratorContextManager):
    """Context in which dual tensors can be made; their tangents are forgotten at its end.

    >>> with dual_level():
    ...     x = make_dual(torch.tensor(3.), torch.tensor(1.))
    ...     unpack_dual(x * x).tangent
    tensor(6.)
    """

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *exc) -> None:
        exit_dual_level()


class _set_fwd_grad_enabled(_DecoratorContextManager):
    """Context in which ops take tangents on (`mode`), or take none, and tensors show none.

    >>> with dual_level():
    ...     x = make_dual(torch.tensor(3.), torch.tensor(1.))
    ...     with _set_fwd_grad_enabled(False):
    ...         y = x * x
    ...     print(unpack_dual(y).tangent, unpack_dual(x).tangent)
    None tensor(1.)
    """

    def __init__(self, mode: bool) -> None:
        self.mode = bool(mode)

    def __enter__(self) -> None:
        self.before = (_active.enabled, _active.level, 0 if _active.level is None else _active.level.paused)
        _set_enabled(self.mode, 0 if self.mode else 1)

    def __exit__(self, *exc) -> None:
        enabled, level, pauses = self.before
        if level is None:
            pauses = 0 if enabled else 1
        _set_enabled(enabled, pauses)


def _set_enabled(enabled: bool, pauses: int) -> None:
    level = _active.level
    _active.enabled = enabled
    if level is None:
        return
    session = _session(level)
    if session is not None:
        _catch_up(state.rec, session)  # what was recorded until now
    level.paused = pauses


def _level_for(what: str) -> _Level:
    level = _active.level
    assert level is not None
    if state.rec.level != level.home:
        raise NotImplementedError(
            f"{what} inside a transform, in a dual level that was entered outside of it. Enter the dual level inside the function that "
            "is transformed, or use torch.func.jvp."
        )
    return level


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A tensor with the value of `tensor` and a tangent, which later ops propagate.

    Errors for integers, other shapes, and outside of a dual level. The result is a view of `tensor`, which has no
    tangent itself: a write to one is seen in the other. Unlike torch's, it has no part in tangent's memory.

    Args:
        tensor: the value.
        tangent: the tangent, of the same shape.
        level: the level, as `enter_dual_level` returns it. None (the default) is the current one.

    >>> x = torch.tensor([1., 2.])
    >>> with dual_level():
    ...     dual = make_dual(x, torch.tensor([1., 0.]))
    ...     x, unpack_dual(dual.mul_(3)).tangent
    (tensor([3., 6.]), tensor([3., 0.]))
    """
    if _active.level is None or (level is not None and level < 0):
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    if level:
        raise RuntimeError("Invalid level given to _make_dual")
    _level_for("make_dual")
    for what, t in (("primal", tensor), ("tangent", tangent)):
        if not t.is_floating_point() and not t.is_complex():  # type: ignore[attr-defined]
            raise ValueError(f"Expected {what} to be floating point or complex, but got: {t.dtype}")  # type: ignore[attr-defined]
    if tensor._aval.shape != tangent._aval.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not supported. "
            f"Tensor is of size {list(tensor._aval.shape)} while the given forward gradient is of size {list(tangent._aval.shape)}."
        )
    if _find(tensor) is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not supported."
        )
    return _view_apart(tensor, _Tangent(read(tangent), tangent._edge))


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """(primal, tangent) of a tensor; the tangent is None if it has none.

    The primal is a view. Both are differentiable in reverse mode.

    Args:
        tensor: the tensor.
        level: the level, as `enter_dual_level` returns it. None (the default) is the current one.
    """
    check_type(isinstance(tensor, Tensor), tensor, "Tensor", "_unpack_dual", "dual", 1)
    if _active.level is None or not _active.enabled or (level is not None and level < 0):
        return UnpackedDualTensor(tensor, None)
    if level:
        raise RuntimeError("Invalid level given to _fw_primal")
    _level_for("unpack_dual")
    found = _find(tensor)
    if found is None:
        return UnpackedDualTensor(tensor, None)
    return UnpackedDualTensor(
        _view_apart(tensor, None), make_tensor(found.value, state.rec.level, found.edge)
    )


def _detach(self: Tensor) -> Tensor:
    """An alias without history, and without tangent.

    Same shape, dtype and memory.

    >>> x = torch.ones(2, requires_grad=True)
    >>> x.detach().requires_grad
    False
    """
    return _cut_off(self, DETACH)


def _cut_off(self: Tensor, op: DerivedOp) -> Tensor:
    """Returns what `detach` and `.data` give. op: cuts derivatives inside a transform."""
    if not isinstance(self, Tensor):
        raise wrong_type(self, "Tensor", "detach", "input", 1)
    if _active.level is None or state.rec.level != _active.level.home or _find(self) is None:
        return detach(self, op)
    return detach(_view_apart(self, None), op)


def _detach_of(input: Tensor) -> Tensor:
    """input.detach(). A separate function, because overrides receive the function that was called.

    >>> torch.detach(torch.ones(2, requires_grad=True)).requires_grad
    False
    """
    return _detach(input)


def _detach_in_place(self: Tensor) -> Tensor:
    """Takes the tensor out of the graph; it becomes a leaf, without tangent.

    RuntimeError for a view.

    >>> x = torch.ones(2, requires_grad=True) * 2
    >>> x.detach_().requires_grad
    False
    """
    if _active.level is not None and not self._lenses:
        set_cell(self._cell, read(_detach(self)))
    return _plain_detach_in_place(self)


def _as_class(cls: type, data: Tensor, require_grad: bool = False) -> Tensor:
    """A tensor of class `cls` that shares data's storage, without tangent."""
    return _plain_as_class(cls, data if _active.level is None else _detach(data), require_grad)


_plain_detach_in_place, _plain_as_class = Tensor.detach_, Tensor._make_subclass  # type: ignore[attr-defined]
Tensor.detach_ = _detach_in_place  # type: ignore[attr-defined]
Tensor._make_subclass = staticmethod(_as_class)  # type: ignore[attr-defined]
Tensor.detach = _detach  # type: ignore[attr-defined]
composite(_detach_of, name="detach")
set_property("data", lambda t: _cut_off(t, DATA), grad_methods._set_data)


def is_active() -> bool:
    """Returns whether a dual level is entered."""
    return _active.level is not None
