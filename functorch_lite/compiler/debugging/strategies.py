"""Ways of making a Graph smaller.
Each gives candidates, largest changes first; the minifier asks which of them still fail.

PyTorch's strategies are first, under their names. The others find what these miss: ops that are needed together
although none reads the other (what is cut off is returned), ops in a chain (a step is bypassed), outputs, inputs and
switches that are not needed, sizes and numbers.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from ..._core.api import Tensor
from ...autograd.grad_mode import set_grad_enabled
from ...fx import Graph, Node
from ...fx.node import map_aggregate
from ..graphs.view import view_of
from .editing import beginning, clean, inputs_of, outputs_of, replaced, steps_of, unused_inputs, value_of
from .nested import first_example, nested_of

__all__ = ["REPAIRS", "State", "bypass", "cut", "delta_debugging", "eliminate_dead_code", "is_nested", "remove_outputs", "remove_unused_inputs", "shrink", "truncate_suffix"]  # fmt: skip


class State:
    """A Graph and the values of its inputs."""

    __slots__ = ("graph", "inputs")

    def __init__(self, graph: Graph, inputs: Sequence[Any]):
        self.graph, self.inputs = graph, list(inputs)

    @property
    def nodes(self) -> int:
        """The number of Nodes of the Graph, as PyTorch counts."""
        return len(self.graph.nodes)


def _copy(graph: Graph) -> Graph:
    return copy.deepcopy(graph)


def _without_unused(state: State) -> State:
    """A state whose inputs are all read."""
    clean(state.graph)
    for i in reversed(unused_inputs(state.graph)):
        state.graph.erase_node(inputs_of(state.graph)[i])
        del state.inputs[i]
    return state


def remove_outputs(state: State, granularity: int) -> Iterator[State]:
    """Remove outputs: a stretch of them."""
    step = max(1, granularity // 2)
    outs = outputs_of(state.graph)
    if len(outs) < 2 and not is_nested(state.graph):
        return
    for k in range(0, len(outs), step) if len(outs) > 1 else [1]:
        left = outs[:k] + outs[k + step :]
        if left:
            made = _copy(state.graph)
            by_name = {n.name: n for n in made.nodes}
            made.output_node().args = (tuple([by_name[n.name] for n in left]),)
            yield _without_unused(State(made, state.inputs))


def is_nested(graph: Graph) -> bool:
    """Returns whether its result is neither a tensor nor a plain list of tensors."""
    out = graph.output_node().args[0]
    return not isinstance(out, Node) and not (
        isinstance(out, tuple | list) and all(isinstance(o, Node) for o in out)
    )


def eliminate_dead_code(state: State, granularity: int) -> Iterator[State]:
    """Eliminate dead code."""
    made = clean(_copy(state.graph))
    if len(made.nodes) < state.nodes:
        yield State(made, state.inputs)


def remove_unused_inputs(state: State, granularity: int) -> Iterator[State]:
    """Remove unused inputs."""
    if unused_inputs(state.graph):
        yield _without_unused(State(_copy(state.graph), state.inputs))


def consolidate_inputs(state: State, granularity: int) -> Iterator[State]:
    """Consolidate Inputs: placeholders come first."""
    ops = [n.op == "placeholder" for n in state.graph.nodes]
    if ops != sorted(ops, reverse=True):
        made, env = Graph(), {}
        for node in sorted(state.graph.nodes, key=lambda n: n.op != "placeholder"):
            env[node] = made.node_copy(node, env.__getitem__)
        yield State(made, state.inputs)


def truncate_suffix(state: State, granularity: int) -> Iterator[State]:
    """Truncate suffix: the Graph ends earlier, and returns all that is computed there."""
    for k, node in enumerate(state.graph.nodes):
        if k % granularity == 0 and k % (2 * granularity) and node.op not in ("placeholder", "output"):
            made = beginning(state.graph, node)
            if len(made.nodes) < state.nodes and outputs_of(made):
                yield State(made, state.inputs)


def _converted(state: State, steps: Sequence[str], keep: bool = False) -> State | None:
    found = replaced(state.graph, steps, keep)
    if found is None:
        return None
    made, values, _ = found
    return _without_unused(State(made, [*state.inputs, *values.values()]))


def delta_debugging(state: State, granularity: int) -> Iterator[State]:
    """Delta Debugging: the results of a stretch of steps become inputs, and steps that only they read are removed."""
    nodes = list(state.graph.nodes)
    for start in range(0, len(nodes), granularity):
        stretch = [
            n.name for n in nodes[start : start + granularity] if n.op.startswith(("call", "get_attr"))
        ]
        made = _converted(state, stretch) if stretch else None
        if made is not None:
            yield made


def cut(state: State, granularity: int) -> Iterator[State]:
    """Cut: the results of a stretch of steps become inputs, and values that only they read are returned."""
    nodes = steps_of(state.graph)
    for start in range(0, len(nodes), granularity):
        stretch = [n.name for n in nodes[start : start + granularity]]
        made = _converted(state, stretch, keep=True)
        if made is not None and len(steps_of(made.graph)) < len(nodes):
            yield made


def bypass(state: State, granularity: int) -> Iterator[State]:
    """Bypass: a step gives one of its inputs that has its result's shape and dtype."""
    for node in reversed(steps_of(state.graph)):
        value = value_of(node)
        for read in node.all_input_nodes if isinstance(value, Tensor) else ():
            there = value_of(read)
            if isinstance(there, Tensor) and there.shape == value.shape and there.dtype is value.dtype:
                made = _copy(state.graph)
                by_name = {n.name: n for n in made.nodes}
                old = by_name[node.name]
                old.replace_all_uses_with(by_name[read.name])
                made.erase_node(old)
                yield _without_unused(State(made, state.inputs))


def remove_switches(state: State, granularity: int) -> Iterator[State]:
    """Remove switches: of the grad mode, all, then one by one."""
    names = [n.name for n in state.graph.nodes if n.target is set_grad_enabled]
    for gone in [names, *[[n] for n in names]] if len(names) > 1 else [names] if names else []:
        made = _copy(state.graph)
        for node in list(made.nodes):
            if node.name in gone:
                made.erase_node(node)
        yield _without_unused(State(made, state.inputs))


def merge_inputs(state: State, granularity: int) -> Iterator[State]:
    """Merge inputs: one of two of the same shape and dtype is enough."""
    values = state.inputs
    for j in range(len(values)):
        for i in range(j):
            if _kind(values[i]) == _kind(values[j]):
                made = _copy(state.graph)
                nodes = inputs_of(made)
                nodes[j].replace_all_uses_with(nodes[i])
                yield _without_unused(State(made, values))


def _kind(x: Any) -> Any:
    return (tuple(x.shape), x.dtype, x.requires_grad) if isinstance(x, Tensor) else type(x)


def inline(state: State, granularity: int) -> Iterator[State]:
    """Inline: where one transform, loop, branch or checkpoint is left, its function in its place, of the first
    example."""
    steps = steps_of(state.graph)
    found = nested_of(steps[0]) if len(steps) == 1 else None
    if found is None:
        return
    reads = iter([value_of(n) for n in steps[0].args if isinstance(n, Node)])
    graph, given = first_example(found, [next(reads) if isinstance(a, Node) else a for a in steps[0].args])
    yield _without_unused(State(_copy(view_of(graph).graph), given))


REPAIRS: dict[str, Callable[[State, int], Iterator[State]]] = {
    "Cut": cut,
    "Bypass": bypass,
    "Remove switches": remove_switches,
    "Merge inputs": merge_inputs,
    "Inline": inline,
}
"""Strategies to be tried after PyTorch's."""


def shrink(state: State, granularity: int) -> Iterator[State]:
    """Shrink: axes of one length become half as long, and numbers 1 or 0.

    The Graph may not run any more: it is tried before it is asked."""
    sizes = {d for x in state.inputs if isinstance(x, Tensor) for d in x.shape if d > 1}
    for d in sorted(sizes, reverse=True):
        for less in dict.fromkeys((1, d // 2)):
            made = _copy(state.graph)
            for node in steps_of(made):
                node.args = map_aggregate(node.args, partial(_less, d, less))
                node.kwargs = map_aggregate(node.kwargs, partial(_less, d, less))
            yield State(made, [_shorter(x, d, less) for x in state.inputs])
    for node in steps_of(state.graph):
        for k, number in enumerate(node.args):
            for simple in (1.0, 0.0) if type(number) is float and number not in (0.0, 1.0) else ():
                made = _copy(state.graph)
                same = next(n for n in made.nodes if n.name == node.name)
                same.update_arg(k, simple)
                yield State(made, state.inputs)


def _less(d: int, less: int, a: Any) -> Any:
    return less if type(a) is int and a == d else a


def _shorter(x: Any, d: int, less: int) -> Any:
    if not isinstance(x, Tensor):
        return x
    for axis, n in enumerate(x.shape):
        if n == d:
            x = x.detach().narrow(axis, 0, less).clone().requires_grad_(x.requires_grad)
    return x
