"""The tape: one Node for each applied op whose inputs need gradients, and the walk that applies derivatives in reverse.

A Node refers to its inputs and to the nodes that made them, never to its outputs: the tape has no reference cycles,
because what is live is decided by reference counts. A Leaf is where gradients accumulate.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from typing import Any

from .tensor import Tensor
from .value import Aval

__all__ = ["Edge", "Leaf", "Node", "run_backward"]

Edge = tuple[Any, int]
"""(node, output number) of the tape, or (leaf, 0)."""

_BACKWARD_TWICE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)

_order = itertools.count()


class Leaf:
    """Where a leaf tensor's gradient accumulates: shared by the tensor and the tape, so that neither refers to the other."""

    __slots__ = ("aval", "grad", "hooks", "post_hooks")

    def __init__(self, aval: Aval):
        self.aval = aval
        self.grad: Tensor | None = None
        self.hooks: dict[int, Callable] | None = None
        self.post_hooks: dict[int, Callable] | None = None

    def name(self) -> str:
        return "AccumulateGrad"


class Node:
    """One taped application. `step` is the trie node it was recorded at; `saved` are the inputs its derivative reads (Values, or
    Python numbers); `edges` say where the gradient of each input goes; `cells` lists the cells whose values must not be
    overwritten before the derivative is taken, each followed by that value.
    """

    freed = False
    saved: Sequence[Any] = ()
    cells: Sequence[Any] = ()
    hooks: dict[int, Callable] | None = None
    """On the node: fn(grad_inputs, grad_outputs)."""
    pre_hooks: dict[int, dict[int, Callable]] | None = None
    """By output: tensor hooks."""
    retained: dict[int, Leaf] | None = None
    """By output: where retain_grad keeps the gradient."""

    def __init__(self, step, mask: int, edges: Sequence[Edge | None], session=None):  # hot path
        self.order = next(_order)
        self.step = step
        self.mask = mask
        self.edges = edges
        self.session = session

    def name(self) -> str:
        words = getattr(self.step.op, "name", "op").rsplit(".", 1)[-1].strip("_").split("_")
        return "".join(w[:1].upper() + w[1:] for w in words) + "Backward0"

    def out_avals(self) -> tuple[Aval, ...]:
        return self.step.avals

    def input_edges(self) -> list[Edge]:
        """Edges in the order in which `backward_values` gives gradients."""
        return [e for e in self.edges if e is not None]

    def check_usable(self) -> None:
        if self.freed:
            raise RuntimeError(_BACKWARD_TWICE)
        cells = self.cells
        for i in range(0, len(cells), 2):
            if cells[i].value is not cells[i + 1]:
                kind = cells[i + 1].aval.dtype
                raise RuntimeError(
                    "one of the variables needed for gradient computation has been modified by an inplace operation: "
                    f"[{kind} {list(cells[i + 1].aval.shape)}], which is an input or output of {self.name()}, was written to after "
                    "it had been used. Hint: write out of place, or work on a clone()."
                )

    def saved_for(self, cts: int) -> Sequence[Any]:
        """The saved inputs that the derivative reads when only these results have cotangents."""
        applied = self.step.applied
        if cts == applied.all_cts:
            return self.saved
        had = dict(zip(applied.backward(self.mask).saved, self.saved))
        return tuple([had[i] for i in applied.backward(self.mask, cts).saved])

    def release(self) -> None:
        if self.saved:
            self.freed = True
            self.saved = ()
            self.edges = ()
            self.cells = ()


def run_backward(
    roots: Sequence[tuple[Edge, Any]],
    engine,
    keep_graph: bool,
    targets: Sequence[Edge] | None = None,
    used: list[Node] | None = None,
) -> list[Any]:
    """Walks the tape from `roots` ((edge, gradient) pairs) in reverse order of recording.

    `engine` gives the arithmetic on gradients (see `apply.ValueEngine` and `apply.TensorEngine`): add(a, b),
    backward(node, cts) -> gradients of the inputs, to_tensor, from_tensor, accumulate(leaf, grad).
    targets: edges whose gradients are returned (then only what leads to them is walked, and leaves are untouched).
    used: gets the nodes that were walked. Returns the targets' gradients, None where no path leads there.
    """
    wanted: dict[tuple[int, int], list[int]] = {}
    results: list[Any] = []
    if targets is not None:
        results = [None] * len(targets)
        for i, (node, out) in enumerate(targets):
            wanted.setdefault((id(node), out), []).append(i)
        useful = _leading_to([r[0][0] for r in roots], {id(t[0]) for t in targets})
    pending: dict[int, dict[int, Any]] = {}
    leaves: dict[int, list] = {}
    queue: list[tuple[int, int, Node]] = []

    def give(edge: Edge, grad) -> None:
        node, out = edge
        if type(node) is Leaf:
            entry = leaves.get(id(node))
            if entry is None:
                leaves[id(node)] = [node, grad]
            else:
                entry[1] = engine.add(entry[1], grad)
            return
        cts = pending.get(id(node))
        if cts is None:
            if targets is not None and id(node) not in useful:
                return
            pending[id(node)] = {out: grad}
            heappush(queue, (-node.order, id(node), node))
        else:
            had = cts.get(out)
            cts[out] = grad if had is None else engine.add(had, grad)

    for edge, grad in roots:
        give(edge, grad)
    while queue:
        node = heappop(queue)[2]
        cts = pending.pop(id(node))
        if node.pre_hooks is not None or node.retained is not None:
            _run_output_hooks(node, cts, engine)
        if wanted:
            for out, grad in cts.items():
                for i in wanted.get((id(node), out), ()):
                    results[i] = grad
            if not any(e is not None and (type(e[0]) is Leaf or id(e[0]) in useful) for e in node.edges):
                continue
        node.check_usable()
        grads = engine.backward(node, cts)
        if node.hooks is not None:
            grads = _run_node_hooks(node, grads, cts, engine)
        for edge, grad in zip(node.input_edges(), grads):
            if grad is not None:
                give(edge, grad)
        if used is not None:
            used.append(node)
        if not keep_graph:
            node.release()
    for leaf, grad in leaves.values():
        if leaf.hooks is not None:
            grad = _call_hooks(leaf.hooks, grad, engine)
        if targets is not None:
            for i in wanted.get((id(leaf), 0), ()):
                results[i] = grad
        else:
            engine.accumulate(leaf, grad)
    return results


def _leading_to(starts: Sequence[Any], goals: set[int]) -> set[int]:
    """Ids of the nodes from which some goal can be reached."""
    useful: dict[int, bool] = {}
    stack: list[tuple[Any, bool]] = [(n, False) for n in starts]
    while stack:
        node, done = stack.pop()
        if done:
            reached = id(node) in goals or any(
                e is not None and (id(e[0]) in goals or useful.get(id(e[0]), False)) for e in node.edges
            )
            useful[id(node)] = reached
        elif id(node) not in useful:
            if type(node) is Leaf:
                useful[id(node)] = id(node) in goals
                continue
            useful[id(node)] = False
            stack.append((node, True))
            stack.extend((e[0], False) for e in node.edges if e is not None and id(e[0]) not in useful)
    return {i for i, reached in useful.items() if reached}


def _call_hooks(hooks: dict[int, Callable], grad, engine):
    for hook in list(hooks.values()):
        given = engine.to_tensor(grad)
        replaced = hook(given)
        if replaced is not None:
            if not isinstance(replaced, Tensor):
                raise TypeError(f"hook returned {type(replaced).__name__}, expected a Tensor or None")
            grad = engine.from_tensor(replaced)
        else:
            grad = engine.from_tensor(given)
    return grad


def _run_output_hooks(node: Node, cts: dict[int, Any], engine) -> None:
    for out in list(cts):
        if node.pre_hooks is not None and out in node.pre_hooks:
            cts[out] = _call_hooks(node.pre_hooks[out], cts[out], engine)
        if node.retained is not None and out in node.retained:
            engine.accumulate(node.retained[out], cts[out])


def _run_node_hooks(node: Node, grads: Sequence[Any], cts: dict[int, Any], engine):
    full_in, it = [], iter(grads)
    for e in node.edges:
        g = next(it) if e is not None else None
        full_in.append(None if g is None else engine.to_tensor(g))
    full_out = tuple(engine.to_tensor(cts[o]) if o in cts else None for o in range(len(node.out_avals())))
    for hook in list(node.hooks.values()):  # type: ignore[union-attr]
        replaced = hook(tuple(full_in), full_out)
        if replaced is not None:
            full_in = list(replaced) if isinstance(replaced, tuple | list) else [replaced]
    return [None if g is None else engine.from_tensor(g) for e, g in zip(node.edges, full_in) if e is not None]
