"""Levels: a function is run once on fresh slots and becomes a Graph; what it captured from outside becomes inputs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .applied import DerivedOp, used_inputs
from .apply import _store, apply_op, read, replace, write
from .cutting import ALL, CUTS, DETACH, INNERMOST, KEEPS, NONE, cuts_here, keep
from .device import ANY, CPU, NO_DATA
from .errors import NotOneOp
from .executor import force, force_array
from .graph import Graph, intern_graph
from .known import known_part
from .meta import on_meta
from .recorder import (
    ESCAPED,
    FORWARD_KINDS,
    LETTERS,
    REVERSE_KINDS,
    Recorder,
    TrieNode,
    is_moved,
    state,
    take_back,
    word_of_cut,
)
from .tensor import Cell, Tensor, make_tensor
from .value import Aval, Value, make_value

__all__ = [
    "BatchedUpdate",
    "Recorded",
    "check_storage",
    "depends_on_inputs",
    "differentiable_inputs",
    "differentiable_places",
    "differentiation_of",
    "force_in_level",
    "is_of_transform",
    "reached_inputs",
    "record_function",
    "requires_grad",
    "update",
    "values_of",
]

_ids = itertools.count(1)
_roots: dict[tuple[Aval, ...], TrieNode] = {}
MAX_ROOTS = 4_096


class Recorded:
    """What running a function at a level gave: its Graph, the tensors of the level below that its inputs stand for
    (explicit ones first, then captured ones), and whatever `run` returned besides the output tensors.

    `written`: what the function wrote to, as (tensor of the level below, number of the explicit input it is, or None when it was
    captured, whether the tape is to know of it). The new values are the Graph's last outputs, and it is for the transform to hand their results to `write_back`.
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


class _Open:
    """A level while its function runs: how many explicit inputs it has, and which cells from outside it wrote to.

    A cell from outside holds the level's own value while the level runs; `written` remembers the tensor and the value before.
    It is None when the level has no place for such writes. `taped`: cells whose write the tape is to know of. `batched`: of a vmap, the
    inputs that are batched though they came in later. `given`: its explicit inputs and what they held.
    """

    __slots__ = ("batched", "given", "n_inputs", "taped", "written")

    def __init__(self, n_inputs: int, writes: bool):
        self.n_inputs = n_inputs
        self.batched: set[int] = set()
        self.given: list[tuple[Tensor, Value]] = []
        self.taped: set[Cell] = set()
        self.written: dict[Cell, tuple[Tensor, Value]] | None = {} if writes else None


_open: dict[int, _Open] = {}
"""The levels that are running, by their ids."""


def record_function(
    kind: str,
    avals: Sequence[Aval],
    tensors: Sequence[Tensor],
    run: Callable[[list[Tensor]], tuple[list[Tensor], Any]],
    writes: bool = False,
) -> Recorded:
    """Runs `run(fresh tensors)` at a new level. It returns (output tensors, anything).

    avals: of the fresh tensors (per example in vmap); tensors: what they stand for in the level below.
    writes: what was written to tensors of the level below becomes further outputs, listed in `written`; the caller hands their
    results to `write_back`.
    """
    outer = state.rec
    key = tuple(avals)
    root = _roots.get(key)
    if root is None:
        if len(_roots) >= MAX_ROOTS:
            _roots.pop(next(iter(_roots)))
        root = _roots[key] = TrieNode()
    on = next((a.device for a in avals if a.device not in (CPU, ANY)), CPU if avals else outer.device)
    rec = Recorder(root, next(_ids), kind, on, outer)
    fresh = []
    for i, a in enumerate(avals):
        v = make_value(a, rec, -1 - i)
        rec.ext[v] = -1 - i
        fresh.append(make_tensor(v, rec.level))
    rec.inputs = list(tensors)
    opened = _open[rec.level] = _Open(len(avals), writes)
    opened.given = [(t, t._cell.value) for t in fresh]
    written: list[tuple[Tensor, int | None, bool]] = []
    here = state.here
    grad = here.grad
    here.rec, here.grad = rec, True
    try:
        outputs, result = run(fresh)
        refs = [_output(rec, t) for t in outputs]
        if opened.written is not None:
            for i, (t, v) in enumerate(opened.given):
                if t._cell.value is not v:
                    written.append((tensors[i], i, t._cell in opened.taped))
                    refs.append(_number(rec, t._cell.value))
            for cell, (t, _) in opened.written.items():
                written.append((t, None, cell in opened.taped))
                refs.append(_number(rec, cell.value))
    finally:
        here.rec, here.grad = rec.outer, grad
        try:
            _close(rec, opened)
        except BaseException:  # an interrupt: what was captured must not go on holding values of this level
            _close(rec, opened)
            raise
    graph = intern_graph(rec.path, rec.node, tuple([v.aval for v in rec.ext]), len(avals), tuple(refs))
    inputs = rec.inputs
    _let_go(rec)
    return Recorded(graph, inputs, result, written)


def _close(rec: Recorder, opened: _Open) -> None:
    """Ends a level: what it wrote to cells from outside is taken back there (`Recorded.write_back` says when they get it)."""
    for cell, (_, v) in (opened.written or {}).items():
        cell.value = v
    if not rec.kind.startswith("finished"):
        rec.kind = f"finished {rec.kind}"
    rec.session.close()
    _open.pop(rec.level, None)


def _let_go(rec: Recorder) -> None:
    """Breaks the cycles of a finished recorder and its Values, which know it. Otherwise what the function was given and computed
    would live until the next collection of garbage: programs would yield it, and could not overwrite it."""
    rec.inputs, rec.slots, rec.numbers = [], [], []
    rec.ext, rec.edges, rec.aliases = {}, {}, {}
    rec.randomness = ("same", None)


def _output(rec: Recorder, t: Tensor) -> int:
    v = read(t)
    if t._edge is not None and v.rec is not rec and v not in rec.ext:
        rec.edges[v] = t._edge
    return _number(rec, v)


def _number(rec: Recorder, v: Value) -> int:
    if v.rec is rec:
        return v.index
    number = rec.ext.get(v)
    if number is None:
        from .recorder import _admit

        _admit(rec, v)
        number = rec.ext[v] = -1 - len(rec.ext)
    return number


# -- writing to what comes from outside ------------------------------------------------------------------------------


class BatchedUpdate(RuntimeError):
    """A tensor from outside a vmap was to be updated with a value that differs from example to example."""


def update(t: Tensor, new: Tensor) -> None:
    """Overwrites t, without the tape, even when it comes from outside the running transform: statistics, counters.

    The transform then has the new value as one more output, and writes it to t when it is done. Under vmap the new value must be
    the same for all examples, else BatchedUpdate is raised.
    """
    rec = state.rec
    cell = t._cell
    opened = _open.get(rec.level)
    if opened is not None:
        opened.taped.discard(cell)
    if cell.level != rec.level:
        if rec.kind == "checkpoint":
            raise NotOneOp("a tensor from outside is updated")
        if opened is None or opened.written is None or t._lenses:
            raise NotImplementedError(
                f"{rec.kind}: this tensor from outside cannot be updated inside. Pass it as an argument and return its new value."
            )
        if _differs_between_examples(rec, read(new), cell.level):
            raise BatchedUpdate(
                "vmap: a tensor from outside was to be updated with a value that differs from example to example"
            )
        opened.written.setdefault(cell, (t, cell.value))
    replace(t, new)


_BATCHED_WRITE = (
    "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has more "
    "elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over in a vmap. Please try to "
    "use out-of-place operators instead of inplace arithmetic, or make `self` inside, or map over it too."
)


def note_write(t: Tensor, new: Value) -> None:
    """Notes that a tensor from outside a running vmap, which has no lenses, is about to be written to: the level below then writes
    the last value there. A value that differs from example to example raises."""
    rec, cell = state.rec, t._cell
    opened = _open.get(rec.level)
    if opened is None or opened.written is None:
        raise NotImplementedError(
            f"{rec.kind}: this tensor from outside cannot be written to inside. Pass it as an argument and return its new value."
        )
    if _differs_between_examples(rec, new, cell.level):
        raise RuntimeError(_BATCHED_WRITE)
    opened.written.setdefault(cell, (t, cell.value))


def store(cell: Cell, value: Value) -> None:
    """Lets a cell hold a new value inside a transform. Where no_grad keeps the write from derivatives, they stay those of the old value;
    so they do in its aliases (see `apply.detach`), which get the same numbers."""
    rec = state.rec
    together = rec.aliases.get(cell, {})
    if any(c.level != rec.level for c in together) and cell.level == rec.level:
        if rec.kind == "checkpoint":
            raise NotOneOp("a tensor from outside is written to in place")
        raise RuntimeError(_CAPTURED_ALIAS.format(rec.kind))
    if state.grad:
        _open[rec.level].taped.add(cell)
    else:
        value = _kept(cell.value, value, word_of_cut(rec, (cell.value, value)))
    _store(cell, value)
    for other, mark in together.items():
        if other is not cell:
            where = ALL
            if mark is together[cell]:
                where = INNERMOST if is_moved(rec, (other.value, value)) else NONE
            _store(other, _kept(other.value, value, where))


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


def _differs_between_examples(rec: Recorder, v: Value, home: int) -> bool:
    """Whether a value depends on what a vmap maps over, in this level or one between it and the level `home`."""
    reached = reached_inputs(rec, v)
    if rec.kind == "vmap" and any(i < _open[rec.level].n_inputs for i in reached):
        return True
    below = rec.outer
    if below is None or below.level == home or not below.level:
        return False
    inputs = [rec.inputs[i] for i in reached]
    return any(_differs_between_examples(below, read(t), home) for t in inputs if isinstance(t, Tensor))


def reached_inputs(rec: Recorder, v: Value) -> set[int]:
    """The numbers of a level's inputs, explicit and captured, that a value of the level depends on."""
    if v.rec is not rec:
        return {-1 - rec.ext[v]} if v in rec.ext else set()
    wanted = {v.index}
    for node in reversed(rec.path):
        outs = [node.base + i in wanted for i in range(node.n_out)]
        if any(outs):
            read_by = used_inputs(node.applied.jaxpr.jaxpr, outs)
            wanted |= {ref for ref, r in zip(node.refs, read_by) if r}
    return {-1 - i for i in wanted if i < 0}


def depends_on_inputs(rec: Recorder, v: Value) -> bool:
    """Whether a value of a running level depends on its explicit inputs (in vmap: differs from example to example)."""
    opened = _open[rec.level]
    return any(i < opened.n_inputs or i in opened.batched for i in reached_inputs(rec, v))


def note_batched(rec: Recorder, number: int) -> None:
    """Notes that an input which came into a running vmap later is batched, as its explicit inputs are."""
    _open[rec.level].batched.add(number)


# -- what a transform differentiates by ------------------------------------------------------------------------------


def is_differentiated(v: Value) -> bool:
    """Whether the running transform to which a value belongs differentiates by it, or by what it was computed from."""
    rec = v.rec
    return v.aval.taped and not rec.sources.isdisjoint(differentiable_inputs(rec.path, [v.index]))


def is_of_transform(t: Tensor) -> bool:
    """Whether a running reverse transform differentiates by t, or by what it was computed from."""
    if not state.rec.level or not t._cell.level:
        return False
    v = read(t)
    return v.rec is not None and v.rec.kind in REVERSE_KINDS and is_differentiated(v)


def requires_grad(t: Tensor) -> bool:
    """Whether t has a gradient: in a backward, or in a running reverse transform."""
    return t._edge is not None or is_of_transform(t)


def pass_through(t: Tensor, passed: Tensor) -> None:
    """From here on `t`, a tensor of the running transform that nothing was computed from yet, stands for `passed`, its own value on
    the way through a cut. Whoever reads it reads that; for the transform it is not written to."""
    rec, cell = state.rec, t._cell
    v = cell.value
    if t._lenses or v.rec is not rec or any(v.index in step.refs for step in rec.path[:-1]):
        raise NotImplementedError(
            f"{rec.kind}: a hook on a tensor that was used already, or that is a view. Register it right after the tensor is made, or write "
            "the change of gradients as an autograd.Function."
        )
    opened = _open[rec.level]
    cell.value = new = read(passed)
    opened.given = [(x, new if x._cell is cell and was is v else was) for x, was in opened.given]


def differentiable_places(steps: Sequence, outputs: Sequence[int], around: bool = False) -> set[int]:
    """Slots, and inputs (negative), from which a derivative reaches `outputs`: not through integers, detach, or what no_grad cut.

    The derivative is that of the level, or (`around`) of any transform around it: then what is cut for all of them counts as cut."""
    reached = set(outputs)
    if max(outputs, default=-1) < 0:
        return reached
    cuts = {DETACH} if around else CUTS
    for step in reversed(steps):
        mine = [i for i, a in enumerate(step.avals) if a.taped and step.base + i in reached]
        if mine and step.op not in cuts and not (step.stop == ALL if around else cuts_here(step.stop)):
            kept = step.op in KEEPS and not (around and KEEPS[step.op] != ALL)
            reached.update(step.refs[:1] if kept else step.applied.reached_refs(mine, step.refs))
    return reached


def differentiable_inputs(steps: Sequence, outputs: Sequence[int]) -> set[int]:
    """Numbers of the inputs from which a derivative reaches `outputs`."""
    return {-1 - place for place in differentiable_places(steps, outputs) if place < 0}


def differentiation_of(t: Tensor, grad: bool, tangents: bool = False, tape: bool = True) -> str:
    """Whose derivative is lost if t's numbers leave the recording, as the end of "Tensor that …"; "" if nobody's.

    grad: whether reverse mode counts: no_grad leaves it out, but not forward mode. tangents: whether those of `forward_ad` count. tape:
    whether the tape does, besides transforms. A transform around the running one may differentiate by t, through what that captured.
    """
    v = read(t)
    if grad and tape and t._edge is not None:
        return "requires grad"
    if not v.aval.taped:
        return ""
    rec = v.rec
    inside = v.array is None and rec is not None and rec.level > 0
    if tangents and any(r.session.has_tangent(v) for r in _recorders(rec if inside else state.rec)):
        return "has a tangent of forward_ad"
    if not inside or rec.kind.startswith("finished"):
        return ""
    if rec.kind in FORWARD_KINDS or (grad and rec.kind in REVERSE_KINDS):
        if not rec.sources.isdisjoint(differentiable_inputs(rec.path, [v.index])):
            return "requires grad" if rec.kind in REVERSE_KINDS else f"{rec.kind} differentiates by"
    reached = differentiable_places(rec.path, [v.index], around=rec.kind in LETTERS)
    outside = [rec.inputs[-1 - place] for place in sorted(reached) if place < 0]
    found = (differentiation_of(x, grad, tangents, tape) for x in outside if isinstance(x, Tensor))
    return next(filter(None, found), "")


def check_storage(t: Tensor) -> None:
    """Refuses to hand out the storage of what a running transform differentiates by, as torch does; that of a leaf may be read."""
    if state.rec.level and (whose := differentiation_of(t, True, tape=False)):
        raise NotImplementedError(
            f"Cannot access storage of a Tensor that {whose}. Use tensor.detach() first."
        )


def _recorders(rec: Recorder | None) -> Iterator[Recorder]:
    """A level, and those around it."""
    while rec is not None:
        yield rec
        rec = rec.outer


# -- reading values --------------------------------------------------------------------------------------------------

LOOPS = ("while_loop", "scan", "map", "associative_scan")
"""Levels whose function runs many times: what it computes has no one value."""

VMAP_ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, please "
    "try to rewrite what you're doing with other operations. To choose between two computations by a Tensor's value use torch.cond; between two values, torch.where."
)
VMAP_CONTROL_FLOW = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that yet. "
    "Use torch.cond instead of `if` (or torch.where, to choose "
    "between two values), and torch._higher_order_ops.while_loop instead of `while`: they are batched."
)
USE_JAX_FUNCTION = "functorch_lite.compat.jax_function(f) makes a JAX function f an op on Tensors, which every transform differentiates and batches"
VMAP_LEAVES = (
    "vmap: {} of a Tensor that it maps over is not possible: inside there is one example, whose numbers are not known. Write what is done with "
    "them with torch functions, or as an op: functorch_lite.compat.jax_function(f) makes one of a JAX function f."
)
VMAP_DYNAMIC = (
    "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over aten::{}. "
    "Call it outside of vmap, or keep a mask (torch.where), whose shape does not depend on the values."
)
VMAP_MASK = (
    "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over indexing with a boolean mask. "
    "Use torch.where, or write a number with x[mask] = 0, whose shapes do not depend on the mask: they are batched."
)
VMAP_ONE_ANSWER = "vmap over torch.{} isn't supported yet, because it gives one Python bool. Compare by torch.isclose or ==, and reduce by .all()."
FUNCTION_ITEM = (
    "a Tensor's value was asked for (by NumPy, .item(), bool(), `if`, …) by an autograd.Function in the body of torch.cond, while_loop, scan or map. "
    "There its forward, backward and jvp are recorded, once for all steps: write them with torch functions, or call the Function outside."
)
LOOP_ITEM = (
    "{kind}: a Tensor's value was asked for (by .item(), bool(), `if`, …) in the body of {kind}, which is recorded once for all its "
    "steps: it has another value in each. Use torch.cond instead of `if` (or torch.where, to choose between two values), and "
    "functorch_lite.compat.jax_function(f) for a JAX function f."
)


def force_in_level(v: Value, message: str = VMAP_ITEM) -> Any:
    """The array of a slot of a running transform: its inputs are known, so the prefix that leads to it is run below."""
    rec = v.rec
    if rec.kind.startswith("finished"):
        raise RuntimeError(ESCAPED)
    if rec.kind == "vmap" and depends_on_inputs(rec, v):
        raise RuntimeError(message)
    if rec.kind == "autograd.Function":
        raise RuntimeError(FUNCTION_ITEM)
    if rec.kind in LOOPS:
        raise RuntimeError(LOOP_ITEM.format(kind=rec.kind))
    here = state.here
    top = here.rec
    if v.index < 0:
        return _value_below(rec, read(rec.inputs[-1 - v.index]), message)
    graph = intern_graph(rec.path, rec.node, tuple([a.aval for a in rec.ext]), len(rec.inputs), (v.index,))
    run = graph.derive("run", lambda: DerivedOp(lambda *arrays: graph(*arrays), "prefix"))
    grad = here.grad
    here.rec, here.grad = rec.outer, False
    try:
        out = read(apply_op(run, None, tuple(rec.inputs))[0])
        return _value_below(rec, out, message)
    finally:
        rec.outer = here.rec
        here.rec, here.grad = top, grad


def values_of(t: Tensor, message: str = VMAP_ITEM) -> np.ndarray:
    """The numbers of a tensor, as a numpy array that must not be written to; runs what is pending. `message`: the error inside vmap."""
    if t._lenses and (known := known_part(t)) is not None:
        take_back(t)
        return known
    v = read(t)
    if on_meta(v):
        raise NotImplementedError(NO_DATA)
    if v.array is None and v.rec is not None and v.rec.level:
        return np.asarray(force_in_level(v, message))
    return force_array(v)


def _value_below(rec: Recorder, v: Value, message: str) -> Any:
    if v.rec is not None and v.array is None and v.rec.level:
        return force_in_level(v, message)
    return force(v)
