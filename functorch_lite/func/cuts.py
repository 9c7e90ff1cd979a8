"""Cuts: places in a running transform where Python has the say over what is computed and how it is differentiated.

A function that is run at a level becomes one Graph. An `autograd.Function` is not an op of a Graph: its forward,
backward, jvp and vmap rules are Python, and may read values. It is therefore applied at the level *below*, on the
values that its arguments have there, and its results become further inputs of the level: the Graph is cut. A
derivative of the Graph then goes from cut to cut, with the rules of each cut (`by_parts.py`); vmap only needs to know
which of the added inputs are batched.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax

from .._core.api import (
    Aval,
    DerivedOp,
    Graph,
    NotOneOp,
    Recorded,
    Tensor,
    apply_op,
    aval,
    differentiable_inputs,
    make_tensor,
    make_value,
    read,
    state,
)
from .._core.lazy import levels
from .._core.lazy.cutting import counts_transforms
from .._core.lazy.dependence import is_differentiated
from .._core.lazy.graph import intern_graph, prune
from .._core.lazy.kinds import KINDS
from .._core.lazy.recorder import Recorder, record

__all__ = [
    "Cut", "CutRecorded", "Notes", "below", "bring_in", "depends", "is_noted", "lowered", "notes_of", "number_of",
    "passed", "record_function",
]  # fmt: skip

_MARK = DerivedOp(lambda: (), "cut")


class Cut:
    """One call across a cut. `args`: the level's tensors that went in; `outs`: numbers of the inputs that came in.

    backward(cotangents of outs) gives the cotangents of args, jvp(tangents of args) the tangents of outs: lists with
    None for zero.
    """

    __slots__ = ("args", "at", "backward", "jvp", "outs")

    def __init__(self, args: list[Tensor], outs: list[int], backward: Callable | None, jvp: Callable | None):
        self.args = args
        self.outs = outs
        self.backward = backward
        self.jvp = jvp
        self.at: list[int] = []
        """Which of the Graph's outputs the arguments are."""


class Notes:
    """Memory of a running transform besides its recording: its cuts; of vmap, the batched inputs and the batch size."""

    def __init__(
        self,
        differentiated: int = 0,
        axes: Sequence[int | None] | None = None,
        size: int = 0,
        randomness: str = "error",
    ):
        self.differentiated = differentiated
        """How many of the inputs, the first ones, the transform differentiates by."""
        self.cuts: list[Cut] = []
        self.axes: dict[int, int | None] = dict(enumerate(axes or ()))
        self.size = size
        self.randomness = randomness
        self.grad = state.grad
        """Grad mode outside: what the function does to grad mode concerns its own level only."""

    def add(self, rec: Recorder, cut: Cut) -> None:
        """Notes a cut of the running level `rec`."""
        self.cuts.append(cut)
        rec.sources.update(cut.outs)


_running: dict[int, Notes] = {}
"""By level, while its function runs. Levels are numbered over all threads."""


def is_noted(rec: Recorder) -> bool:
    """Returns whether a level is a running transform that has notes: not a loop, a branch or a checkpoint."""
    return rec.level in _running


def notes_of(rec: Recorder) -> Notes:
    """The notes of a running level; raises for a transform that can not be cut."""
    found = _running.get(rec.level)
    if found is None:
        if rec.kind.one_op:
            raise NotOneOp("an autograd.Function is applied inside")
        raise NotImplementedError(
            f"an autograd.Function with its own derivative was applied inside {rec.kind}, which differentiates recorded ops only. "
            "Apply it outside, or use grad, vjp, jvp, jacrev, jacfwd, hessian or vmap."
        )
    return found


class CutRecorded(Recorded):
    """A Recorded with its notes."""

    __slots__ = ("notes",)
    notes: Notes

    def is_one_op(self) -> bool:
        """Returns whether JAX may differentiate the Graph as often as needed: it has no cuts, and nothing in it
        depends on the number of transforms around it, as ops under no_grad do."""
        return not self.notes.cuts and not any(counts_transforms(s.op, s.stop) for s in self.graph.steps)

    def without_cuts(self, results: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Results of the whole Graph without the arguments of cuts."""
        inner = {i for cut in self.notes.cuts for i in cut.at}
        return tuple([t for i, t in enumerate(results) if i not in inner])


NO_SAVED_HOOKS = "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with your use case."


def record_function(
    kind: str,
    avals: Sequence[Aval],
    tensors: Sequence[Tensor],
    run: Callable,
    notes: Notes,
    **options: Any,
) -> CutRecorded:
    """`levels.record_function` of a function that may be cut.

    The arguments of its cuts are further outputs of the Graph."""
    if state.here.saved_hooks and KINDS[kind].reverse:
        raise RuntimeError(NO_SAVED_HOOKS)

    def noted(fresh):
        level = state.rec.level
        _running[level] = notes
        state.rec.sources.update(range(notes.differentiated))
        try:
            outputs, result = run(fresh)
        finally:
            del _running[level]
        outputs = list(outputs)
        for cut in notes.cuts:
            cut.at = list(range(len(outputs), len(outputs) + len(cut.args)))
            outputs += cut.args
            cut.args = []
        return outputs, result

    recorded = levels.record_function(kind, avals, tensors, noted, **options)
    found = object.__new__(CutRecorded)
    for name in Recorded.__slots__:
        setattr(found, name, getattr(recorded, name))
    found.notes = notes
    found.inputs = _with_what_matters(found.graph, found.inputs)
    return found


def _with_what_matters(graph: Graph, inputs: list) -> list:
    """The inputs, without their history if no derivative reaches them, because the function used them detached or
    under no_grad."""
    if not any(isinstance(t, Tensor) and t._edge is not None for t in inputs):
        return inputs
    reached = graph.derive("reached", lambda: frozenset(differentiable_inputs(graph.steps, graph.outputs)))
    return [
        make_tensor(read(t), state.rec.level) if isinstance(t, Tensor) and i not in reached else t
        for i, t in enumerate(inputs)
    ]


# -- going below and coming back -------------------------------------------------------------------------------------


@contextlib.contextmanager
def below(rec: Recorder, notes: Notes) -> Iterator[None]:
    """Records its body one level below `rec`, which must be the level on top."""
    here = state.here
    grad = here.grad
    here.rec, here.grad = rec.outer, notes.grad
    try:
        yield
    finally:
        rec.outer = here.rec
        here.rec, here.grad = rec, grad


def lowered(rec: Recorder, notes: Notes, tensors: Sequence[Tensor]) -> list[tuple[Tensor, int | None]]:
    """Lowers the level's tensors by one level, each with its batch dimension (None when it is not batched)."""
    values = [read(t) for t in tensors]
    slots = list(dict.fromkeys([v.index for v in values if v.rec is rec and v.index >= 0]))
    found: dict[int, tuple[Tensor, int | None]] = {}
    if slots:
        graph = intern_graph(
            rec.path, rec.node, tuple([v.aval for v in rec.ext]), len(rec.inputs), tuple(slots)
        )
        axes = [notes.axes.get(i) for i in range(len(graph.in_avals))]
        batched = [_is_batched(graph, slot, axes) for slot in slots]
        op = graph.derive(("lowered", tuple(axes)), lambda: _lowered_op(graph, axes, batched))
        inputs = tuple(rec.inputs)
        with below(rec, notes):
            results = apply_op(op, None, inputs)
        found = {s: (t, 0 if b else None) for s, t, b in zip(slots, results, batched)}
    out = []
    for t, v in zip(tensors, values):
        if v.rec is rec and v.index >= 0:
            out.append(found[v.index])
        elif v.rec is rec:
            outside = rec.inputs[-1 - v.index]
            level = rec.outer.level  # type: ignore[union-attr]
            out.append((make_tensor(read(outside), level, outside._edge), notes.axes.get(-1 - v.index)))
        elif t._cell.level == rec.level:
            out.append((make_tensor(v, rec.outer.level, rec.edges.get(v)), None))  # type: ignore[union-attr]
        else:
            out.append((t, None))
    return out


def _is_batched(graph: Graph, slot: int, axes: list) -> bool:
    return any(axes[e] is not None for e in prune(graph.steps, [slot])[1])


def _lowered_op(graph: Graph, axes: list, batched: list[bool]) -> DerivedOp:
    if not any(batched):
        return DerivedOp(lambda *arrays: graph(*arrays), "prefix")
    out_axes = [0 if b else None for b in batched]
    return DerivedOp(jax.vmap(graph, in_axes=tuple(axes), out_axes=out_axes), "prefix")


def bring_in(
    rec: Recorder, notes: Notes, tensors: Sequence[Tensor], axes: Sequence[int | None]
) -> list[Tensor]:
    """Makes tensors of the level below further inputs of the level.

    The recording gets a mark: what follows depends on it."""
    avals = []
    for t, axis in zip(tensors, axes):
        a = t._aval
        if axis is not None:
            a = aval(a.shape[:axis] + a.shape[axis + 1 :], a.dtype, a.device)
        avals.append(a)
    record(rec, _MARK, tuple(avals), ())
    fresh = []
    for t, a, axis in zip(tensors, avals, axes):
        number = len(rec.ext)
        v = make_value(a, rec, -1 - number)
        rec.ext[v] = -1 - number
        rec.inputs.append(make_tensor(read(t), t._cell.level, t._edge))
        notes.axes[number] = axis
        if axis is not None:
            rec.batched.add(number)
        fresh.append(make_tensor(v, rec.level))
    return fresh


def passed(tensors: Sequence[Tensor], call: Callable[[Sequence], Sequence]) -> list[Tensor]:
    """Aliases of tensors that a running reverse transform differentiates by, for it to go on with.

    Their gradients, None for one that has none, go through `call`: it is called one level below, once, when all of them
    are known."""
    rec = state.rec
    notes = notes_of(rec)
    entering = [make_tensor(read(t), rec.level) for t in tensors]
    low = [t for t, _ in lowered(rec, notes, entering)]
    aliases = bring_in(rec, notes, low, [None] * len(low))
    notes.add(rec, Cut(entering, [number_of(t) for t in aliases], call, None))  # type: ignore[arg-type]
    return aliases


def number_of(t: Tensor) -> int:
    """The number of an input that was brought in."""
    return -1 - read(t).index


def depends(rec: Recorder, t: Tensor) -> bool:
    """Returns whether a derivative of the level flows through its tensor t."""
    v = read(t)
    if not rec.kind.forward and not state.grad:
        return False
    return v.rec is rec and is_differentiated(v)
