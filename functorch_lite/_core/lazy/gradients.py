"""Gradients: what `run_backward` does arithmetic with, and backwards that are replayed where the same tape was walked
before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from ..words.device import device
from ..words.errors import NotOneOp
from .applied import DerivedOp
from .apply import apply, apply_op, detach, read, replace
from .recorder import OFF, apart, is_apart, record, state
from .tape import Edge, Leaf, Node, onlookers, replay_key, run_backward, target_key
from .tensor import Tensor, make_tensor
from .trie import BUSY, DYNAMIC
from .value import Value

__all__ = ["ADD", "ONES", "ZEROS", "TensorEngine", "ValueEngine", "backward", "starts"]


def _add(a, b):
    return (a + b,)


def _ones(x):
    return (jnp.ones_like(x),)


def _zeros(x):
    return (jnp.zeros_like(x),)


ADD = DerivedOp(_add, "add")
ONES = DerivedOp(_ones, "ones_like")
ZEROS = DerivedOp(_zeros, "zeros_like")


def _sum(a: Tensor, b: Tensor) -> Any:
    """Adds gradients of which one at least is sparse: the sum is sparse if both are."""
    return b + a if a._of_parts and not b._of_parts else a + b  # type: ignore[operator]


def _dense(grad: Tensor) -> Any:
    """A gradient for an op of ordinary tensors."""
    return grad.to_dense() if grad._of_parts else grad  # type: ignore[attr-defined]


class ValueEngine:
    """Arithmetic on gradients as bare Values: the fast way, when no graph of the gradient is wanted. Sparse ones are
    Tensors all the same."""

    @staticmethod
    def ones(t: Tensor) -> Value:
        return record(state.here.rec, ONES, None, (read(t),))[1][0]

    @staticmethod
    def add(a: Any, b: Any) -> Any:
        if type(a) is not Value or type(b) is not Value:
            return ValueEngine.from_tensor(_sum(ValueEngine.to_tensor(a), ValueEngine.to_tensor(b)))
        return record(state.here.rec, ADD, None, (a, b))[1][0]

    @staticmethod
    def backward(node: Node, cts: dict[int, Any]):
        backward_values = getattr(node, "backward_values", None)
        if backward_values is not None:
            grads = backward_values({o: ValueEngine.to_tensor(v) for o, v in cts.items()})
            return [None if g is None else ValueEngine.from_tensor(g) for g in grads]
        bits = 0
        for out, ct in cts.items():
            bits |= 1 << out
            if type(ct) is not Value:
                cts[out] = read(_dense(ct))
        given = [cts[o] for o in sorted(cts)] if len(cts) > 1 else list(cts.values())
        backward = node.derivative(bits)
        if backward.op is None:
            return [None] * len(node.edges)
        return backward.spread(record(state.here.rec, backward.op, None, [*node.saved_for(bits), *given])[1])

    @staticmethod
    def laid_out(v: Value, on: device) -> Value:
        """The same, placed as what it is the gradient of."""
        return read(on.receive(make_tensor(v, state.rec.level)))

    @staticmethod
    def to_tensor(v: Any) -> Tensor:
        return make_tensor(v, state.rec.level) if type(v) is Value else v

    @staticmethod
    def from_tensor(t: Tensor) -> Any:
        return t.detach() if t._of_parts else read(t)  # type: ignore[attr-defined]

    @staticmethod
    def accumulate(leaf: Leaf, grad: Any) -> None:
        had = leaf.grad
        if type(grad) is not Value or (had is not None and had._of_parts):
            _accumulate_parts(leaf, ValueEngine.to_tensor(grad))
        elif had is None:
            leaf.grad = make_tensor(grad, state.rec.level)
        else:
            total = record(state.rec, ADD, None, (read(had), grad))[1][0]
            replace(had, make_tensor(total, state.rec.level))
        _post_hooks(leaf)


class TensorEngine:
    """Arithmetic on gradients as Tensors, taped: `create_graph=True`."""

    @staticmethod
    def ones(t: Tensor) -> Tensor:
        return apply_op(ONES, None, (detach(t),))[0]

    @staticmethod
    def add(a: Tensor, b: Tensor) -> Tensor:
        return _sum(a, b) if a._of_parts or b._of_parts else apply(ADD, None, (a, b))[0]

    @staticmethod
    def backward(node: Node, cts: dict[int, Any]):
        backward_values = getattr(node, "backward_values", None)
        if backward_values is not None:
            return backward_values(cts)
        bits = 0
        for out in cts:
            bits |= 1 << out
        level = state.rec.level
        backward = node.derivative(bits)
        if backward.op is None:
            return [None] * len(node.edges)
        saved = []
        for i, v in zip(backward.saved, node.saved_for(bits)):
            saved.append(make_tensor(v, level, node.edge_of(i)) if type(v) is Value else v)
        return backward.spread(apply_op(backward.op, None, (*saved, *[_dense(cts[o]) for o in sorted(cts)])))

    @staticmethod
    def laid_out(t: Tensor, on: device) -> Tensor:
        return on.receive(t)

    @staticmethod
    def to_tensor(t: Tensor) -> Tensor:
        return t

    @staticmethod
    def from_tensor(t: Tensor) -> Tensor:
        return t

    @staticmethod
    def accumulate(leaf: Leaf, grad: Tensor) -> None:
        leaf.grad = grad if leaf.grad is None else TensorEngine.add(leaf.grad, grad)
        _post_hooks(leaf)


class SeenEngine(TensorEngine):
    """The same while a dispatch mode sees each op: gradients are accumulated as the fast way does, so that `.grad`
    stays the same tensor."""

    @staticmethod
    def accumulate(leaf: Leaf, grad: Tensor) -> None:
        had = leaf.grad
        if grad._of_parts or (had is not None and had._of_parts):
            _accumulate_parts(leaf, grad)
        elif had is None:
            leaf.grad = make_tensor(read(grad), state.rec.level)  # no view
        else:
            replace(had, TensorEngine.add(had, grad))
        _post_hooks(leaf)


def _accumulate_parts(leaf: Leaf, grad: Tensor) -> None:
    """Where the gradient, or the one that is there, is sparse. The one that is there is written to, unless it is
    sparse and the other is not."""
    had = leaf.grad
    if had is None:
        leaf.grad = grad
        return
    total = _sum(had, grad)
    if had._of_parts and not grad._of_parts:
        leaf.grad = total
    else:
        had._replace(total)  # type: ignore[attr-defined]


def _post_hooks(leaf: Leaf) -> None:
    if leaf.post_hooks is not None:
        for hook in list(leaf.post_hooks.values()):
            hook()


def starts(roots, engine) -> list[tuple[Edge, Any]]:
    """Where a walk begins: the edge of each root, and its gradient as the engine has them."""
    found = [(t._edge, engine.ones(t) if g is None else engine.from_tensor(g)) for t, g in roots]
    session = state.here.rec.session
    if not session.regular:
        session.settle()
    return found


def backward(
    roots, keep_graph: bool, create_graph: bool, targets=None, accumulate: bool = False
) -> list[Tensor | None]:
    """Gradients of `roots` ((tensor, gradient tensor, None for ones) pairs): accumulated in leaves, or returned for
    `targets` (edges). accumulate: those of leaves among them may be accumulated instead of returned, and are where
    somebody may see when."""
    here = state.here
    if is_apart(here.rec):
        return apart(backward, roots, keep_graph, create_graph, targets, accumulate)
    engine: Any = TensorEngine if create_graph else ValueEngine
    if not create_graph and here.run_at_once.__class__ is not bool:
        engine = SeenEngine
    if targets is None and here.rec.kind.one_op:
        raise NotOneOp("backward() is called inside, which accumulates gradients")
    grad, here.grad = here.grad, create_graph or (here.grad and OFF)
    try:
        begin = starts(roots, engine)
        rec = here.rec
        accumulate = accumulate and onlookers.any
        if engine is ValueEngine and not accumulate and len(roots) == 1 and rec.session.regular:
            loss = roots[0][0]
            if targets is None and isinstance(loss, Tensor):
                if not (loss._aval.shape or loss._lenses or rec.level) and loss._cell.value.rec is rec:
                    rec.roots.append(loss._cell.value.index)
            results = _backward_once(rec, *begin[0], keep_graph, targets)
        else:
            results = run_backward(begin, engine, keep_graph, targets, accumulate=accumulate)
        if here.after_backward:
            calls, here.after_backward = here.after_backward, []
            for call in calls:
                call()
        return [None if r is None else engine.to_tensor(r) for r in results]
    finally:
        here.grad = grad


class _Replay:
    """Effects of a walk on the recording that it ran in: the steps it added, the nodes it used up, and the gradients:
    (number of the leaf, or of the target, its slot)."""

    __slots__ = ("end", "gradients", "nodes", "path")

    def __init__(self, path, end, nodes, gradients):
        self.path = path
        self.end = end
        self.nodes = nodes
        self.gradients = gradients


def _backward_once(
    rec, root: Edge, value: Value, keep_graph: bool, targets: Sequence[Edge] | None
) -> list[Value | None]:
    """A walk from one root. When the recording has come to the same place with the same tape before, the walk over the
    tape is not repeated: the steps it recorded then are appended, which costs little per leaf and nothing per op."""
    session, (last, out) = rec.session, root
    mine = value.rec is rec and type(last) is Node and last.session is session
    found = replay_key(session) if mine else None
    wanted = None if targets is None or found is None else target_key(targets, session, found[1])
    if found is None or (targets is not None and wanted is None):
        return run_backward([(root, value)], ValueEngine, keep_graph, targets)
    signature, leaves = found
    start, rec.node = rec.node, BUSY
    if start is BUSY:
        return run_backward([(root, value)], ValueEngine, keep_graph, targets)
    rec.node = start
    key = (last.place, out, value.index, keep_graph, wanted, signature)
    if start.backwards is None:
        start.backwards = {}
    replay = start.backwards.get(key)
    if replay is None:
        return _note_backward(rec, root, value, keep_graph, targets, start, key, leaves)
    start, rec.node = rec.node, BUSY
    if start is BUSY:
        return run_backward([(root, value)], ValueEngine, keep_graph, targets)
    length = len(rec.path)
    try:
        return _replayed(rec, replay, keep_graph, targets, leaves)
    finally:
        rec.node = replay.end if len(rec.path) > length else start


def _replayed(
    rec, replay: _Replay, keep_graph: bool, targets: Sequence[Edge] | None, leaves: list
) -> list[Value | None]:
    """Appends to a recording what a walk added to it."""
    session = rec.session
    rec.path.extend(replay.path)
    slots, level, symbols = rec.slots, rec.level, rec.symbols
    results: list[Value | None] = [] if targets is None else [None] * len(targets)
    for number, index, a in replay.gradients:
        if targets is not None and slots and slots[-1].index == index:  # of two targets
            results[number] = slots[-1]
            continue
        v = Value()
        v.aval = a if symbols is None else symbols.aval(a)
        v.rec = rec
        v.index = index
        v.array = None
        slots.append(v)
        if targets is None:
            leaves[number].held = make_tensor(v, level) if level else v
        else:
            results[number] = v
    if not keep_graph:
        nodes = session.nodes
        for i in replay.nodes:
            node = nodes[i]  # as Node.release does
            if node.saved:
                node.freed = True
                node.saved = node.cells = node.seen = ()
    return results


def _note_backward(
    rec, root: Edge, value: Value, keep_graph: bool, targets: Sequence[Edge] | None, start, key: tuple, leaves: list
) -> list[Value | None]:  # fmt: skip
    """Walks the tape, and keeps what that did to the recording if nothing in it depended on more than the trie and tape
    say."""
    session = rec.session
    length, externals, first = len(rec.path), len(rec.ext), start.base + start.n_out
    used: list[Node] = []
    results = run_backward([(root, value)], ValueEngine, keep_graph, targets, used=used)
    if state.rec is not rec or len(rec.ext) != externals or not session.regular:
        return results
    path = rec.path[length:]
    if any(step.numbers == DYNAMIC for step in path) or start.at_symbols is (rec.symbols is None):
        return results
    generic = None if rec.symbols is None else rec.symbols.generic_avals(rec.path, path)
    if rec.symbols is not None and generic is None:
        return results
    held = (
        results
        if targets is not None
        else [None if leaf.grad is None else read(leaf.grad) for leaf in leaves]
    )
    gradients = []
    for number, v in enumerate(held):
        if v is not None:
            if v.rec is not rec or v.index < (0 if targets is None else first):
                return results
            gradients.append((number, v.index, v.aval if generic is None else generic[v.index]))
    gradients.sort(key=lambda g: g[1])  # slots are kept in order of their index
    start.backwards[key] = _Replay(path, rec.node, [n.place for n in used], gradients)
    return results
