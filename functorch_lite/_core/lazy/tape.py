"""The tape: one Node for each applied op whose inputs need gradients, and the walk that applies derivatives in reverse.

A Node refers to its inputs and to the nodes that made them, never to its outputs: the tape has no reference cycles,
because what is live is decided by reference counts. A Leaf is where gradients accumulate.
"""

from __future__ import annotations

import functools
import itertools
import operator
import sys
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from typing import Any

from .tensor import Tensor, make_tensor, same_version, writes
from .value import Aval, Value

__all__ = ["Edge", "Leaf", "Node", "onlookers", "replay_key", "run_backward", "target_key"]

Edge = tuple[Any, int]
"""(node, output number) of the tape, or (leaf, 0)."""

_BACKWARD_TWICE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)

order = itertools.count()
"""Numbers the nodes of all tapes in the order of their making."""


class _Onlookers:
    """`any`: whether something of the user's may see gradients in the midst of a walk, in this process: a hook, or
    the backward of a Function. Then walks tell beforehand when each leaf has all of its gradient, which takes a tenth
    as long as they do."""

    __slots__ = ("any",)


onlookers = _Onlookers()
onlookers.any = False


class Leaf:
    """Where a leaf tensor's gradient accumulates: shared by the tensor and the tape, so that neither refers to the
    other.

    `held` is the gradient: a Tensor, or a bare Value until someone asks for `grad`, or None.
    """

    __slots__ = ("aval", "held", "hooks", "post_hooks")
    is_leaf = True

    def __init__(self, aval: Aval):
        self.aval = aval
        self.held: Tensor | Value | None = None
        self.hooks: dict[int, Callable] | None = None
        self.post_hooks: dict[int, Callable] | None = None

    @property
    def grad(self) -> Tensor | None:
        """The gradient as a Tensor, always the same one."""
        held = self.held
        if isinstance(held, Value):
            self.held = held = make_tensor(held, 0)
        return held

    @grad.setter
    def grad(self, grad: Tensor | None) -> None:
        self.held = grad

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"

    def forget(self, cell) -> None:
        """A leaf watches nothing."""

    def watch_result(self, cell) -> None:
        """A leaf watches nothing."""


@functools.cache
def _picker(places: tuple[int, ...], attribute: str = "") -> Callable[[Sequence], tuple]:
    """A function of a sequence: what stands at these places, or an attribute of it, as a tuple (one expression: it runs
    for every op)."""
    text = f"lambda xs: ({''.join(f'xs[{i}]{attribute}, ' for i in places)})"
    return eval(compile(text, "<functorch_lite tape>", "eval"))


class TapePlan:
    """Plan for taping the op of a trie node: which inputs have edges, which the derivative reads, which cells to watch.

    `pick(inputs)` gives the saved ones, `pick_cells(inputs)` the cells to watch and `pick_seen(cells)` what they hold.
    `saves_cells`: what is saved is what the watched cells hold, unless a tensor is a view. `result`: it is the op's
    result that must not be overwritten, not its inputs. `cts`: which results (bits) have a place on the tape. `kept`:
    which of the inputs' edges lead anywhere, None if all do: a formula may read an input in a way that has no
    derivative.
    """

    __slots__ = (
        "cells",
        "cts",
        "edges",
        "kept",
        "mask",
        "pick",
        "pick_cells",
        "pick_seen",
        "result",
        "saved",
        "saves_cells",
    )

    def __init__(self, step, mask: int, inputs: Sequence[Any]):
        applied = step.applied
        self.cts, self.kept = applied.all_cts, None
        given = [i for i in range(len(inputs)) if mask >> i & 1]
        if step.op.formulas:
            reach = [r & mask if a.taped else 0 for r, a in zip(applied.reach, applied.avals)]
            self.cts = sum(1 << o for o, r in enumerate(reach) if r)
            mask = functools.reduce(operator.or_, reach)
            if any(not mask >> i & 1 for i in given):
                self.kept = [at for at, i in enumerate(given) if mask >> i & 1]
        self.mask = mask
        self.edges = [i for i in given if mask >> i & 1]
        try:
            self.saved = applied.backward(mask, self.cts).saved if mask else ()
        except (RuntimeError, ValueError):
            # a derivative refuses when it is asked for, as in PyTorch, not before
            self.saved = tuple([i for i, a in enumerate(applied.inputs) if type(a) is Aval])
        self.cells = (
            [i for i in self.saved if isinstance(inputs[i], Tensor)] if step.op.saves == "inputs" else []
        )
        every = self.saved and tuple(self.saved) == tuple(range(len(inputs)))
        self.pick = tuple if every else _picker(tuple(self.saved))
        self.pick_cells = _picker(tuple(self.cells), "._cell")
        self.pick_seen = _picker(tuple(range(len(self.cells))), ".value")
        self.saves_cells = self.cells == list(self.saved)
        self.result = step.op.saves == "result"


class Node:
    """One taped application.

    `step` is the trie node it was recorded at; `saved` are the inputs its derivative reads (Values, or Python numbers);
    `edges` say where the gradients go, one for each input that needs one. `cells` must hold the values `seen` when the
    derivative is taken, or something was overwritten that must not be. `place` is its index in its recording's tape.
    Hooks: `hooks` on the node, fn(grad_inputs, grad_outputs); `pre_hooks` on tensors, by output; `retained`, by output,
    is where retain_grad keeps the gradient.
    """

    __slots__ = (
        "__dict__", "__weakref__", "cells", "edges", "freed", "order", "place", "saved", "seen", "session", "step",
    )  # fmt: skip
    is_leaf = False
    hooks: dict[int, Callable] | None = None
    pre_hooks: dict[int, dict[int, Callable]] | None = None
    retained: dict[int, Leaf] | None = None

    def __init__(self, step, edges: Sequence[Edge], session):  # (`apply` makes its nodes by itself)
        self.order = next(order)
        self.step = step
        self.edges = edges
        self.session = session
        nodes = session.nodes
        self.place = len(nodes)
        nodes.append(self)
        self.freed = False
        self.saved: Sequence[Any] = ()
        self.cells: Sequence[Any] = ()
        self.seen: Sequence[Any] = ()

    def edge_of(self, i: int) -> Edge | None:
        """The edge of input i."""
        at = self.step.taped.edges
        return self.edges[at.index(i)] if i in at else None  # type: ignore

    def name(self) -> str:
        return self.step.applied.name_of_derivative

    def out_avals(self) -> tuple[Aval, ...]:
        symbols = self.session.symbols
        return self.step.avals if symbols is None else tuple(map(symbols.aval, self.step.avals))

    def derivative(self, cts: int) -> Any:
        """The derivative, a Backward, for cotangents of these results."""
        symbols = self.session.symbols
        if (
            symbols is not None and symbols.are_settled and self.step.at_symbols
        ):  # its recording is over: at its sizes alone
            self.step = self.step.settled(symbols.sizes)
        return self.step.applied.backward(self.step.taped.mask, cts)

    def forget(self, cell) -> None:
        """Stops watching a cell, once: an operand that is the same tensor is watched still."""
        if cell in self.cells:
            at = list(self.cells).index(cell)
            self.cells = [*self.cells[:at], *self.cells[at + 1 :]]
            self.seen = [*self.seen[:at], *self.seen[at + 1 :]]

    def watch_result(self, cell) -> None:
        """Watches the cell that an op's result was written into, when it is the result that must not be overwritten."""
        if self.step.taped is not None and self.step.taped.result:
            self.cells, self.seen = (cell,), (cell.value,)

    def check_usable(self) -> None:
        if self.freed:
            raise RuntimeError(_BACKWARD_TWICE)
        for cell, value in zip(self.cells, self.seen):
            if not same_version(value, cell.value):
                a = value.aval
                raise RuntimeError(
                    "one of the variables needed for gradient computation has been modified by an inplace operation: "
                    f"[torch.{a.dtype.scalar_name}Tensor {list(a.shape)}], which is an input or output of {self.name()}, is at "
                    f"version {cell.version}; an earlier version was expected. Hint: write out of place, or work on a clone()."
                )

    def saved_for(self, cts: int) -> Sequence[Any]:
        """The saved inputs that the derivative reads when only these results have cotangents."""
        plan = self.step.taped
        if cts == plan.cts:
            return self.saved
        had = dict(zip(plan.saved, self.saved))
        return tuple([had[i] for i in self.step.applied.backward(plan.mask, cts).saved])

    def release(self) -> None:
        """Forgets what was saved; where it leads is known still, since of a later walk it may be no part."""
        if self.saved:
            self.freed = True
            self.saved = self.cells = self.seen = ()


def replay_key(session) -> tuple[tuple, list[Leaf]] | None:  # hot path
    """Where every edge of a recording's tape leads, as places of nodes (≥ 0) and numbers of leaves (< 0), None for a
    node that has none any more, and the leaves by number. None if a backward over it must be walked: it leads
    elsewhere, a saved tensor was overwritten, a leaf has a gradient."""
    untouched = session.began is writes.last
    sources: list[int | None] = []
    numbers: dict[Leaf, int] = {}
    for node in session.nodes:
        if not untouched:
            for cell, value in zip(node.cells, node.seen):
                if cell.value is not value:
                    return None
        edges = () if node.freed else node.edges
        if not edges:
            sources.append(None)
        for source, out in edges:
            if type(source) is Leaf:
                new = -1 - len(numbers)
                number = numbers.setdefault(source, new)
                if number == new and (
                    source.held is not None or source.hooks is not None or source.post_hooks is not None
                ):
                    return None
                sources.append(number)
            elif source.session is session:
                sources.append((source.place << 8) + out)
            else:
                return None
    return tuple(sources), list(numbers)


def target_key(targets: Sequence[Edge], session, leaves: list[Leaf]) -> tuple | None:
    """Returns where edges lead, in the words of `replay_key`; None if one leads elsewhere."""
    places = []
    for source, out in targets:
        if type(source) is Leaf:
            if source not in leaves:
                return None
            places.append(-1 - leaves.index(source))
        elif source.session is session:
            places.append((source.place << 8) + out)
        else:
            return None
    return tuple(places)


def run_backward(
    roots: Sequence[tuple[Edge, Any]],
    engine,
    keep_graph: bool,
    targets: Sequence[Edge] | None = None,
    used: list[Node] | None = None,
    accumulate: bool = False,
) -> list[Any]:
    """Walks the tape from `roots` ((edge, gradient) pairs) in reverse order of recording.

    `engine` gives the arithmetic on gradients (see `gradients.ValueEngine` and `gradients.TensorEngine`): add(a, b),
    backward(node, cts) -> gradients of the inputs, to_tensor, from_tensor, accumulate(leaf, grad).
    Where somebody may see it, a leaf gets its gradient as soon as that is complete; otherwise leaves come last.
    targets: edges whose gradients are returned (then only what leads to them is walked, and leaves are untouched);
    accumulate: those of leaves among them are accumulated instead. used: gets the nodes that were walked. Returns the
    targets' gradients, None where no path leads there.
    """
    walk = _Walk(engine, roots, targets, accumulate)
    due = walk.due
    try:
        _walk_nodes(walk, keep_graph, used)
    except Exception:
        for order, _, leaf in reversed([] if onlookers.any else _due([r[0][0] for r in roots])):
            if order > walk.reached:  # torch has accumulated it by now
                walk.reach_in_turn(leaf)
        raise
    while due:
        walk.reach_in_turn(due.pop()[2])
    for leaf, grad in walk.leaves.items():
        walk.reach(leaf, grad)
    return walk.results


def _walk_nodes(walk: _Walk, keep_graph: bool, used: list[Node] | None) -> None:
    """Visits the nodes that have gradients, the last recorded first."""
    engine, due = walk.engine, walk.due
    while walk.queue:
        node = heappop(walk.queue)[2]
        walk.reached = node.order
        while due and due[-1][0] > node.order:
            walk.reach_in_turn(due.pop()[2])
        cts = walk.pending.pop(id(node))
        if node.pre_hooks is not None or node.retained is not None:
            _run_output_hooks(node, cts, engine)
        if walk.wanted and not walk.leads_on(node, cts):
            continue
        node.check_usable()
        grads = engine.backward(node, cts)
        if node.hooks is not None:
            grads = _run_node_hooks(node, grads, cts, engine)
        for edge, grad in zip(node.edges, grads):
            if grad is not None:
                walk.give(edge, grad)
        if used is not None:
            used.append(node)
        if not keep_graph:
            node.release()


class _Walk:
    """State of a walk over the tape: what it has still to visit, and what it found.

    pending: gradients of results, by node and number of the result; leaves: those of leaves.
    due: (order of the last node that gives to a leaf, rank, leaf), the next one last. reached: the order of the node
    that is visited.
    """

    def __init__(
        self, engine, roots: Sequence[tuple[Edge, Any]], targets: Sequence[Edge] | None, accumulate: bool
    ):
        self.engine = engine
        self.accumulate = accumulate or targets is None
        self.wanted: dict[tuple[int, int], list[int]] = {}
        self.results: list[Any] = [None] * len(targets or ())
        self.reached = sys.maxsize
        self.useful: set[int] | None = None
        if targets is not None:
            for i, (node, out) in enumerate(targets):
                self.wanted.setdefault((id(node), out), []).append(i)
            self.useful = _leading_to([r[0][0] for r in roots], {id(t[0]) for t in targets})
        self.pending: dict[int, dict[int, Any]] = {}
        self.leaves: dict[Leaf, Any] = {}
        self.due = _due([r[0][0] for r in roots]) if onlookers.any else []
        self.queue: list[tuple[int, int, Node]] = []
        for edge, grad in roots:
            self.give(edge, grad)

    def give(self, edge: Edge, grad) -> None:
        """Adds a gradient to what an edge leads to."""
        node, out = edge
        if type(node) is Leaf:
            had = self.leaves.get(node)
            self.leaves[node] = grad if had is None else self.engine.add(had, grad)
            return
        cts = self.pending.get(id(node))
        if cts is not None:
            had = cts.get(out)
            cts[out] = grad if had is None else self.engine.add(had, grad)
        elif self.useful is None or id(node) in self.useful:
            self.pending[id(node)] = {out: grad}
            heappush(self.queue, (-node.order, id(node), node))

    def leads_on(self, node: Node, cts: dict[int, Any]) -> bool:
        """Takes the gradients that were wanted of a node's results; whether more lies behind it."""
        for out, grad in cts.items():
            for i in self.wanted.get((id(node), out), ()):
                on = node.out_avals()[out].device
                self.results[i] = self.engine.laid_out(grad, on) if on.is_mesh else grad
        return any(id(e[0]) in self.useful for e in node.edges)  # type: ignore[operator]

    def reach_in_turn(self, leaf: Leaf) -> None:
        """Does `reach` with what was found so far, if anything was."""
        grad = self.leaves.pop(leaf, None)
        if grad is not None:
            self.reach(leaf, grad)

    def reach(self, leaf: Leaf, grad: Any) -> None:
        """Accumulates the gradient of a leaf, or returns it if it was asked for."""
        asked = self.wanted.get((id(leaf), 0)) if self.useful is not None else None
        if self.useful is not None and asked is None:
            return
        if leaf.aval.device.is_mesh:
            grad = self.engine.laid_out(grad, leaf.aval.device)
        if leaf.hooks is not None:
            grad = _call_hooks(leaf.hooks, grad, self.engine)
        if self.accumulate:
            self.engine.accumulate(leaf, grad)
            return
        for i in asked or ():
            self.results[i] = grad


def _due(starts: Sequence[Any]) -> list[tuple[int, int, Leaf]]:
    """When the leaves behind some nodes have their whole gradients: after the node of this order, the last that gives
    to them. The next one is the last of the list."""
    last: dict[Leaf, Any] = {}
    found, left = set(), []
    for node in starts:
        if type(node) is Leaf:
            last[node] = None
        elif node not in found:
            found.add(node)
            left.append(node)
    while left:
        node = left.pop()
        for source, _ in node.edges:
            if type(source) is Leaf:
                before = last.get(source)
                if before is None or node.order < before.order:
                    last[source] = node
            elif source not in found:
                found.add(source)
                left.append(source)
    return sorted([_turn(node, leaf) for leaf, node in last.items()], key=operator.itemgetter(0, 1))


def _turn(node: Node | None, leaf: Leaf) -> tuple[int, int, Leaf]:
    """When a leaf's turn comes that this node is the last to give to. Of several of one node, that of what the op
    adds last comes first, as torch's formula has it."""
    if node is None:
        return sys.maxsize, 0, leaf
    sources = [edge[0] for edge in node.edges]
    place = sources.index(leaf)
    added = getattr(node.step.op, "adds_last", "")
    if added and node.step.op.params[node.step.taped.edges[place]].name == added:
        place = -1
    return node.order, -place, leaf


def _leading_to(starts: Sequence[Any], goals: set[int]) -> set[int]:
    """Ids of the nodes from which some goal can be reached."""
    useful: dict[int, bool] = {}
    stack: list[tuple[Any, bool]] = [(n, False) for n in starts]
    while stack:
        node, done = stack.pop()
        if done:
            reached = id(node) in goals or any(
                id(e[0]) in goals or useful.get(id(e[0]), False) for e in node.edges
            )
            useful[id(node)] = reached
        elif id(node) not in useful:
            if type(node) is Leaf:
                useful[id(node)] = id(node) in goals
                continue
            useful[id(node)] = False
            stack.append((node, True))
            stack.extend((e[0], False) for e in node.edges if id(e[0]) not in useful)
    return {i for i, reached in useful.items() if reached}


def _call_hooks(hooks: dict[int, Callable], grad, engine):
    for hook in list(hooks.values()):
        given = engine.to_tensor(grad)
        replaced = hook(given)
        if replaced is not None:
            _check_replacement(hook, given, replaced)
            grad = engine.from_tensor(replaced)
        else:
            grad = engine.from_tensor(given)
    return grad


def _check_replacement(hook: Callable, given: Any, replaced: Any) -> None:
    """Raises, as PyTorch does, when a hook returns something that is no gradient in place of `given`."""
    if not isinstance(replaced, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(replaced).__name__}'")
    name = getattr(hook, "__name__", "<unknown>")
    if given is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if given.dtype != replaced.dtype or given.device != replaced.device:
        raise RuntimeError(
            f"hook '{name}' has changed the type of value (was {given.type()} got {replaced.type()})"
        )
    if given.shape != replaced.shape:
        raise RuntimeError(f"hook '{name}' has changed the size of value")


def _run_output_hooks(node: Node, cts: dict[int, Any], engine) -> None:
    for out in list(cts):
        if node.pre_hooks is not None and out in node.pre_hooks:
            cts[out] = _call_hooks(node.pre_hooks[out], cts[out], engine)
        if node.retained is not None and out in node.retained:
            engine.accumulate(node.retained[out], cts[out])


def _run_node_hooks(node: Node, grads: Sequence[Any], cts: dict[int, Any], engine):
    full_in = [None if g is None else engine.to_tensor(g) for g in grads]
    full_out = tuple(engine.to_tensor(cts[o]) if o in cts else None for o in range(len(node.out_avals())))
    for hook in list(node.hooks.values()):  # type: ignore[union-attr]
        replaced = hook(tuple(full_in), full_out)
        if replaced is not None:
            replaced = replaced if isinstance(replaced, tuple | list) else (replaced,)
            if len(replaced) != len(full_in):
                raise RuntimeError(
                    f"hook '{getattr(hook, '__name__', '<unknown>')}' has returned an incorrect number of values "
                    f"(got {len(replaced)}, but expected {len(full_in)})"
                )
            for given, new in zip(full_in, replaced):
                if new is not None:
                    _check_replacement(hook, given, new)
            full_in = list(replaced)
    return [None if g is None else engine.from_tensor(g) for g in full_in]
