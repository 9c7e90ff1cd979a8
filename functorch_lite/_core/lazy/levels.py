"""Levels: a function is run once on fresh slots and becomes a Graph; what it captured from outside becomes inputs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..words.device import ANY, CPU, NO_DATA
from ..words.errors import NotOneOp
from ..words.interrupts import interruption
from . import engine
from .applied import DerivedOp
from .apply import apply_op, read, replace, write
from .breaches import look, pending
from .cutting import ALL, DETACH, INNERMOST, NONE, keep
from .dependence import depends_on_inputs, reached_inputs
from .graph import Graph, intern_graph
from .kinds import KINDS, VMAP_ITEM, Kind
from .known import computed_part, known_part
from .meta import on_meta
from .recorder import ESCAPED, Recorder, admit, state, take_back
from .tensor import Cell, Tensor, make_tensor, set_cell
from .trie import level_root
from .value import Aval, Noting, Value, aval, make_value

__all__ = ["BatchedUpdate", "Level", "Recorded", "pass_through", "record_function", "update", "values_of"]

_ids = itertools.count(1)


class Level(Recorder):
    """A function's recording, while it runs.

    inputs      what its external values stand for in the recording around it: tensors, and Python numbers that have
                become inputs
    n_inputs    how many of them, the first ones, are the function's arguments; `given`: its fresh tensors for these,
                and what they held
    edges       where in the tape captured values come from
    sources     the numbers of the inputs that its transform differentiates by
    aliases     cells with the same numbers whose derivatives differ, each with a mark: those that `.data` alone keeps
                apart share it
    written     cells from outside that the function wrote to, each with its tensor and its value before: while the
                level runs they hold values of its own. None where it has no place for such writes; `taped`: those whose
                write the tape is to know of
    randomness  of a vmap: its mode, and a tensor numbering the lanes; `axes`: which dimension of an input it maps over;
                `batched`: the inputs that are batched though they came in later
    """

    __slots__ = (
        "aliases", "axes", "batched", "given", "n_inputs", "randomness", "sources", "taped", "written",
    )  # fmt: skip

    def __init__(self, kind: Kind, avals: Sequence[Aval], tensors: Sequence[Tensor], writes: bool):
        outer = state.rec
        avals = [a if not a.device.is_mesh else aval(a.shape, a.dtype, a.device.home, a.weak) for a in avals]
        on = next((a.device for a in avals if a.device not in (CPU, ANY)), CPU if avals else outer.device)
        super().__init__(level_root(tuple(avals)), on, next(_ids), kind, outer)
        self.within = interruption()
        self.stops = kind.letters + (outer.stops or ALL)
        if "F" not in self.stops:
            self.stops = ALL
        self.inputs: list[Any] = list(tensors)
        self.n_inputs = len(avals)
        self.edges: dict[Value, Any] = {}
        self.sources: set[int] = set()
        self.aliases: dict[Cell, dict[Cell, object]] = {}
        self.written: dict[Cell, tuple[Tensor, Value]] | None = {} if writes else None
        self.taped: set[Cell] = set()
        self.randomness: tuple[str, Any] = ("same", None)
        self.axes: dict[int, int | None] | None = None
        self.batched: set[int] = set()
        self.given: list[tuple[Tensor, Value]] = []
        for i, a in enumerate(avals):
            v = make_value(a, self, -1 - i)
            self.ext[v] = -1 - i
            self.given.append((make_tensor(v, self.level), v))

    def close(self) -> None:
        """Ends it: what was written to cells from outside is taken back there (`Recorded.write_back` says when they get
        it)."""
        for cell, (_, v) in (self.written or {}).items():
            cell.value = v
        if not self.kind.finished:
            self.kind = self.kind.after()
        self.session.close()

    def let_go(self) -> None:
        """Breaks the cycles with its Values, which know it.

        Otherwise what the function was given and computed would live until the next collection of garbage: programs
        would yield it, and could not overwrite it."""
        self.inputs, self.slots, self.numbers, self.given = [], [], [], []
        self.ext, self.edges, self.aliases, self.written = {}, {}, {}, None
        self.taped = set()
        self.randomness = ("same", None)

    # -- what no_grad cuts -------------------------------------------------------------------------------------------

    def word_of_cut(self, inputs: Sequence[Any]) -> str:
        """The word (see `cutting`) for what no_grad cuts of an op.

        A transform that the op's inputs do not depend on has no letter in it: it would not come to differentiate the
        op, and the next one would take the letter for its own."""
        word = self.stops
        return word if len(word) == 1 or self.is_moved(inputs) else word[len(self.kind.letters) :]

    def is_moved(self, inputs: Sequence[Any]) -> bool:
        """Whether some of these values change, to first order, with what the transform differentiates by.

        True where it does not differentiate: then it is for the next one to say."""
        if not self.kind.letters:
            return True
        places = {v.index for v in inputs if type(v) is Value and v.rec is self and v.aval.taped}
        for step in reversed(self.path):
            mine = any(a.taped and step.base + i in places for i, a in enumerate(step.avals))
            if mine and step.stop != ALL and step.op is not DETACH:
                places.update(step.refs)
        return any(-1 - number in places for number in self.sources)

    # -- writes ------------------------------------------------------------------------------------------------------

    def note_write(self, t: Tensor, new: Value) -> None:
        """Notes that a tensor from outside, which has no lenses, is about to be written to: the level below then writes
        the last value there. In a vmap, a value that differs from example to example raises."""
        cell = t._cell
        if self.written is None:
            super().note_write(t, new)
        if _differs_between_examples(self, new, cell.level):
            raise RuntimeError(_BATCHED_WRITE)
        self.written.setdefault(cell, (t, cell.value))  # type: ignore[union-attr]

    def store(self, cell: Cell, value: Value) -> None:
        """Where no_grad keeps the write from derivatives, they stay those of the old value; so they do in the cell's
        aliases (see `apply.detach`), which get the same numbers."""
        together = self.aliases.get(cell, {})
        if any(c.level != self.level for c in together) and cell.level == self.level:
            if self.kind.one_op:
                raise NotOneOp("a tensor from outside is written to in place")
            raise RuntimeError(_CAPTURED_ALIAS.format(self.kind))
        if state.grad:
            self.taped.add(cell)
        else:
            value = _kept(cell.value, value, self.word_of_cut((cell.value, value)))
        set_cell(cell, value)
        for other, mark in together.items():
            if other is not cell:
                where = ALL
                if mark is together[cell]:
                    where = INNERMOST if self.is_moved((other.value, value)) else NONE
                set_cell(other, _kept(other.value, value, where))

    # -- reading values ----------------------------------------------------------------------------------------------

    def value_of(self, v: Value, message: str = VMAP_ITEM) -> Any:
        """The array of one of its slots: its inputs are known, so the prefix that leads to the slot is run below.

        `message`: the error inside vmap."""
        kind = self.kind
        if kind.finished:
            raise RuntimeError(ESCAPED)
        if kind.batches and depends_on_inputs(self, v):
            raise RuntimeError(message)
        if kind.no_value:
            raise RuntimeError(kind.no_value)
        here = state.here
        top = here.rec
        if v.index < 0:
            return _value_below(read(self.inputs[-1 - v.index]), message)
        graph = intern_graph(
            self.path, self.node, tuple([a.aval for a in self.ext]), len(self.inputs), (v.index,)
        )
        run = graph.derive("run", lambda: DerivedOp(lambda *arrays: graph(*arrays), "prefix"))
        grad = here.grad
        here.rec, here.grad = self.outer, False
        try:
            return _value_below(read(apply_op(run, None, tuple(self.inputs))[0]), message)
        finally:
            self.outer = here.rec
            here.rec, here.grad = top, grad


def _value_below(v: Value, message: str) -> Any:
    if v.rec is not None and v.array is None and v.rec.level:
        return v.rec.value_of(v, message)
    return engine.force(v)


def values_of(t: Tensor, message: str = VMAP_ITEM) -> np.ndarray:
    """The numbers of a tensor, as a numpy array that must not be written to; runs what is pending.

    `message`: the error inside vmap."""
    if Noting.reading is not None:
        Noting.reading(t._cell.value)
    if t._lenses:
        known = known_part(t)
        if known is not None:
            if pending:
                look()
            if t._value is not None or t._origin is not None:
                take_back(t)
            return known
        known = computed_part(t)
        if known is not None:
            return known
    v = read(t)
    if on_meta(v):
        raise NotImplementedError(NO_DATA)
    if v.array is None and v.rec is not None and v.rec.level:
        return np.asarray(v.rec.value_of(v, message))
    return engine.force_array(v)


# -- running a function at a level ------------------------------------------------------------------------------------


class Recorded:
    """Outcome of running a function at a level: its Graph, the tensors of the level below that its inputs stand for
    (explicit ones first, then captured ones), and whatever `run` returned besides the output tensors.

    `written`: what the function wrote to, as (tensor of the level below, number of the explicit input it is, or None
    when it was captured, whether the tape is to know of it). The new values are the Graph's last outputs, and it is for
    the transform to hand their results to `write_back`.
    """

    __slots__ = ("graph", "inputs", "result", "written")

    def __init__(
        self, graph: Graph, inputs: list, result: Any, written: list[tuple[Tensor, int | None, bool]]
    ):
        self.graph = graph
        self.inputs = inputs
        self.result = result
        self.written = written

    def write_back(self, results: Sequence[Tensor]) -> None:
        """Lets the level below see what was written: `results` are new values, in the order of `written`."""
        for (t, _, taped), new in zip(self.written, results, strict=True):
            if taped:
                write(t, new)
            else:
                update(t, new)


def record_function(
    kind: str,
    avals: Sequence[Aval],
    tensors: Sequence[Tensor],
    run: Callable[[list[Tensor]], tuple[list[Tensor], Any]],
    writes: bool = False,
    owns: bool = False,
) -> Recorded:
    """Runs `run(fresh tensors)` at a new level. It returns (output tensors, anything).

    kind: of the level, by its name in `kinds`; avals: of the fresh tensors (per example in vmap); tensors: what they
    stand for in the level below.
    writes: what was written to tensors of the level below becomes further outputs, listed in `written`; the caller
    hands their results to `write_back`. owns: the fresh tensors belong to the function, as those of a step of a loop
    do, and writes to them are seen nowhere else.
    """
    rec = Level(KINDS[kind], avals, tensors, writes)
    written: list[tuple[Tensor, int | None, bool]] = []
    here = state.here
    grad = here.grad
    here.rec, here.grad = rec, True
    try:
        outputs, result = run([t for t, _ in rec.given])
        refs = [_output(rec, t) for t in outputs]
        if rec.written is not None:
            for i, (t, v) in enumerate(() if owns else rec.given):
                if t._cell.value is not v:
                    written.append((tensors[i], i, t._cell in rec.taped))
                    refs.append(_number(rec, t._cell.value))
            for cell, (t, _) in rec.written.items():
                written.append((t, None, cell in rec.taped))
                refs.append(_number(rec, cell.value))
    finally:
        here.rec, here.grad = rec.outer, grad
        try:
            rec.close()
        except BaseException:  # an interrupt: what was captured must not go on holding values of this level
            rec.close()
            raise
    graph = intern_graph(rec.path, rec.node, tuple([v.aval for v in rec.ext]), len(avals), tuple(refs))
    inputs = rec.inputs
    rec.let_go()
    return Recorded(graph, inputs, result, written)


def _output(rec: Level, t: Tensor) -> int:
    v = read(t)
    if t._edge is not None and v.rec is not rec and v not in rec.ext:
        rec.edges[v] = t._edge
    return _number(rec, v)


def _number(rec: Level, v: Value) -> int:
    if v.rec is rec:
        return v.index
    number = rec.ext.get(v)
    if number is None:
        admit(rec, v)
        number = rec.ext[v] = -1 - len(rec.ext)
    return number


# -- writing to what comes from outside ------------------------------------------------------------------------------


class BatchedUpdate(RuntimeError):
    """A tensor from outside a vmap was to be updated with a value that differs from example to example."""


def update(t: Tensor, new: Tensor) -> None:
    """Overwrites t, without the tape, even when it comes from outside the running transform: statistics, counters.

    The transform then has the new value as one more output, and writes it to t when it is done. Under vmap the new
    value must be the same for all examples, else BatchedUpdate is raised.
    """
    rec = state.here.rec
    cell = t._cell
    if rec.level:
        rec.taped.discard(cell)
    if cell.level != rec.level:
        if rec.kind.one_op:
            raise NotOneOp("a tensor from outside is updated")
        if not rec.level or rec.written is None or t._lenses:
            raise NotImplementedError(
                f"{rec.kind}: this tensor from outside cannot be updated inside. Pass it as an argument and return its new value."
            )
        if _differs_between_examples(rec, read(new), cell.level):
            raise BatchedUpdate(
                "vmap: a tensor from outside was to be updated with a value that differs from example to example"
            )
        rec.written.setdefault(cell, (t, cell.value))
    replace(t, new)


_BATCHED_WRITE = (
    "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has more "
    "elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over in a vmap. Please try to "
    "use out-of-place operators instead of inplace arithmetic, or make `self` inside, or map over it too."
)


_CAPTURED_ALIAS = (
    "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation that would mutate a "
    "captured Tensor, through its detach() or .data. This is not supported; please clone() it before writing, or rewrite the function "
    "being transformed to explicitly accept the mutated Tensor(s) as inputs. (The transform is {}.)"
)


def _kept(old: Value, new: Value, where: str) -> Value:
    """The numbers of `new` with the derivative of `old` (see `cutting`), whatever the grad mode."""
    if not new.aval.taped:
        return new
    level = state.rec.level
    here = state.here
    grad, here.grad = here.grad, True
    try:
        return read(apply_op(keep(where), None, (make_tensor(old, level), make_tensor(new, level)))[0])
    finally:
        here.grad = grad


def _differs_between_examples(rec: Any, v: Value, home: int) -> bool:
    """Whether a value depends on what a vmap maps over, in this level or one between it and the level `home`."""
    reached = reached_inputs(rec, v)
    if rec.kind.batches and any(i < rec.n_inputs for i in reached):
        return True
    below = rec.outer
    if below is None or below.level == home or not below.level:
        return False
    inputs = [rec.inputs[i] for i in reached]
    return any(_differs_between_examples(below, read(t), home) for t in inputs if isinstance(t, Tensor))


def pass_through(t: Tensor, passed: Tensor) -> None:
    """From here on `t`, a tensor of the running transform that nothing was computed from yet, stands for `passed`, its
    own value on the way through a cut. Whoever reads it reads that; for the transform it is not written to."""
    rec, cell = state.rec, t._cell
    v = cell.value
    if t._lenses or v.rec is not rec or any(v.index in step.refs for step in rec.path[:-1]):
        raise NotImplementedError(
            f"{rec.kind}: a hook on a tensor that was used already, or that is a view. Register it right after the tensor is made, or write "
            "the change of gradients as an autograd.Function."
        )
    cell.value = new = read(passed)
    rec.given = [(x, new if x._cell is cell and was is v else was) for x, was in rec.given]
