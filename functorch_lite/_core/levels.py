"""Levels: a function is run once on fresh slots and becomes a Graph; what it captured from outside becomes inputs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from .applied import DerivedOp
from .apply import apply_op, read
from .graph import Graph, intern_graph
from .recorder import ESCAPED, Recorder, TrieNode, state
from .tensor import Tensor, make_tensor
from .value import Aval, Value

__all__ = ["Recorded", "force_in_level", "record_function"]

_ids = itertools.count(1)
_roots: dict[tuple[Aval, ...], TrieNode] = {}
MAX_ROOTS = 4_096


class Recorded:
    """What running a function at a level gave: its Graph, the tensors of the level below that its inputs stand for
    (explicit ones first, then captured ones), and whatever `run` returned besides the output tensors."""

    __slots__ = ("graph", "inputs", "result")

    def __init__(self, graph: Graph, inputs: list, result: Any):
        self.graph = graph
        self.inputs = inputs
        self.result = result


def record_function(
    kind: str,
    avals: Sequence[Aval],
    tensors: Sequence[Tensor],
    run: Callable[[list[Tensor]], tuple[list[Tensor], Any]],
) -> Recorded:
    """Runs `run(fresh tensors)` at a new level. It returns (output tensors, anything).

    avals: of the fresh tensors (per example in vmap); tensors: what they stand for in the level below.
    """
    outer = state.rec
    key = tuple(avals)
    root = _roots.get(key)
    if root is None:
        if len(_roots) >= MAX_ROOTS:
            _roots.pop(next(iter(_roots)))
        root = _roots[key] = TrieNode()
    rec = Recorder(root, next(_ids), kind, outer.device, outer)
    fresh = []
    for i, a in enumerate(avals):
        v = Value(a, rec, -1 - i)
        rec.ext[v] = -1 - i
        fresh.append(make_tensor(v, rec.level))
    rec.inputs = list(tensors)
    grad = state.grad
    state.rec, state.grad = rec, True
    try:
        outputs, result = run(fresh)
        refs = tuple([_output(rec, t) for t in outputs])
    finally:
        state.rec, state.grad = rec.outer, grad
        rec.kind = f"finished {kind}"
        rec.session.close()
    graph = intern_graph(rec.path, rec.node, tuple([v.aval for v in rec.ext]), len(avals), refs)
    return Recorded(graph, rec.inputs, result)


def _output(rec: Recorder, t: Tensor) -> int:
    v = read(t)
    if v.rec is rec:
        return v.index
    number = rec.ext.get(v)
    if number is None:
        from .recorder import _admit

        if t._edge is not None:
            rec.edges[v] = t._edge
        _admit(rec, v)
        number = rec.ext[v] = -1 - len(rec.ext)
    return number


VMAP_ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, please "
    "try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch internals, "
    "please file a bug report."
)
VMAP_CONTROL_FLOW = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that yet, "
    "please file an issue at https://github.com/pytorch/pytorch/issues . Use torch.where instead: it is batched."
)


def force_in_level(v: Value, message: str = VMAP_ITEM) -> Any:
    """The array of a slot of a running transform: its inputs are known, so the prefix that leads to it is run below."""
    rec = v.rec
    if rec.kind.startswith("finished"):
        raise RuntimeError(ESCAPED)
    if rec.kind == "vmap":
        raise RuntimeError(message)
    top = state.rec
    if v.index < 0:
        return _value_below(rec, read(rec.inputs[-1 - v.index]), message)
    graph = intern_graph(rec.path, rec.node, tuple([a.aval for a in rec.ext]), len(rec.inputs), (v.index,))
    run = graph.derive("run", lambda: DerivedOp(lambda *arrays: graph(*arrays), "prefix"))
    grad = state.grad
    state.rec, state.grad = rec.outer, False
    try:
        out = read(apply_op(run, None, tuple(rec.inputs))[0])
        return _value_below(rec, out, message)
    finally:
        rec.outer = state.rec
        state.rec, state.grad = top, grad


def _value_below(rec: Recorder, v: Value, message: str) -> Any:
    from .executor import force

    if v.rec is not None and v.array is None and v.rec.level:
        return force_in_level(v, message)
    return force(v)
