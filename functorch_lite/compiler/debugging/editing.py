"""Edits of torch.fx Graphs that make them smaller: beginnings of them, and values that were computed before in the
place of steps."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from ..._core.api import Tensor
from ...autograd.grad_mode import is_grad_enabled, set_grad_enabled
from ...fx import Graph, GraphModule, Node
from ...fx._code import CodeGen
from ...fx.node import map_arg
from ...random.generator import key_tensor
from ..graphs.view import SWITCHES

__all__ = ["Filed", "beginning", "clean", "flat", "inputs_of", "is_part", "is_step", "outputs_of", "replaced", "size_of", "steps_of", "unused_inputs", "value_of"]  # fmt: skip


def is_part(node: Node) -> bool:
    """Returns whether a Node takes a part of the tuple that another gives."""
    if node.target is not operator.getitem or not isinstance(node.args[0], Node):
        return False
    value = node.args[0].meta.get("val", node.args[0].meta.get("concrete_value"))
    return isinstance(value, tuple | list)


def is_step(node: Node) -> bool:
    """Returns whether a Node computes something: no input, no member, no part of a tuple, no switch of the grad mode."""
    return node.op.startswith("call") and node.target not in SWITCHES and not is_part(node)


def steps_of(graph: Graph) -> list[Node]:
    """The Nodes that compute something."""
    return [n for n in graph.nodes if is_step(n)]


def size_of(graph: Graph) -> int:
    """Returns the number of ops that a Graph has."""
    return len(steps_of(graph))


def inputs_of(graph: Graph) -> list[Node]:
    """The placeholders."""
    return graph.find_nodes(op="placeholder")


def outputs_of(graph: Graph) -> list[Node]:
    """The Nodes that a Graph returns, each once."""
    found: dict[Node, None] = {}
    map_arg(graph.output_node().args, lambda n: found.setdefault(n))
    return list(found)


def flat(gm: GraphModule, inputs: Sequence[Any]) -> tuple[GraphModule, list[Any]]:
    """A copy of a module that takes its placeholders' values, and these."""
    made = copy.deepcopy(gm)
    given = list(made.graph.process_inputs(*inputs))
    made.graph._codegen = CodeGen()
    made.recompile()
    return made, given


def _is_kept(node: Node) -> bool:
    """Returns whether a Node that nothing reads does something all the same.

    A random draw does not: each Graph is run from the same state of the generator."""
    if node.op in ("placeholder", "output"):
        return True
    return node.target is not key_tensor and node.is_impure(impure_random=False)


def clean(graph: Graph) -> Graph:
    """Removes unused nodes, and switches of the grad mode that enclose no step or change nothing."""
    graph.lint()
    for node in reversed(graph.nodes):
        if not node.users and not _is_kept(node):
            graph.erase_node(node)
    graded, last = True, None
    for node in list(graph.nodes):
        if node.target is set_grad_enabled and not node.users:
            if last is not None:
                graph.erase_node(last)
            last = node
        elif last is not None and (is_step(node) or node.op == "output"):
            now = last.args[0] is not False
            if now is graded:
                graph.erase_node(last)
            graded, last = now, None
    for node in graph.find_nodes(op="call_function", target=is_grad_enabled):
        if not node.users:
            graph.erase_node(node)
    if not graded:  # a Graph leaves the mode as it was
        with graph.inserting_before(graph.output_node()):
            graph.call_function(set_grad_enabled, (True,))
    return graph


def _ends(nodes: Collection[Node], values: Callable[[Node], Any]) -> Iterator[Node]:
    """Yields the Nodes among `nodes` that compute a tensor and that none of the others reads."""
    read = {r for n in nodes for r in n.all_input_nodes}
    for n in nodes:
        if n not in read and n.op.startswith("call") and isinstance(values(n), Tensor):
            yield n


class Filed:
    """A tensor that is kept in a file. load: reads it."""

    def __init__(self, load: Callable[[], Tensor]):
        self.load = load


def value_of(node: Node) -> Any:
    """Returns the value that a Node had when the Graph was run, or a tensor of the same kind."""
    found = node.meta.get("concrete_value", node.meta.get("val"))
    return found.load() if isinstance(found, Filed) else found


def beginning(graph: Graph, last: Node) -> Graph:
    """The Graph up to a Node. It returns whatever is computed there and read by nothing before."""
    made, env = Graph(), {}
    nodes = []
    for node in graph.nodes:
        if node.op == "output" or (nodes and nodes[-1] is last and not is_part(node)):
            break
        nodes.append(node)
    for node in graph.nodes:
        if node.op == "placeholder" or (node in nodes and node.op != "output"):
            env[node] = made.node_copy(node, env.__getitem__)
    made.output(tuple([env[n] for n in _ends(nodes, value_of)]))
    return clean(made)


def replaced(
    graph: Graph, steps: Collection[str], keep: bool
) -> tuple[Graph, dict[str, Any], dict[str, Node]] | None:
    """The Graph with inputs in the place of these steps (by name), and the values of the new inputs by name.

    None if none of them is read.

    keep: what only they read is returned; otherwise it goes.
    """
    made, env = Graph(), {}
    nodes = list(graph.nodes)
    gone = {n for n in nodes if n.name in steps}
    gone |= {n for n in nodes if is_part(n) and n.args[0] in gone}
    for n in nodes:  # a number that others read cannot become an input
        if n in gone and not isinstance(value_of(n), Tensor) and any(u not in gone for u in n.users):
            gone.discard(n)
    values: dict[str, Any] = {}
    news: list[Node] = [
        n
        for n in nodes
        if n in gone and isinstance(value_of(n), Tensor) and any(u not in gone for u in n.users)
    ]
    if not gone or (not news and not keep):
        return None
    for node in nodes:
        if node.op == "placeholder":
            env[node] = made.node_copy(node, env.__getitem__)
    for node in news:
        env[node] = placed = made.placeholder(node.name)
        placed.meta.update(node.meta)
        values[placed.name] = value_of(node)
    for node in nodes:
        if node.op not in ("placeholder", "output") and node not in gone:
            env[node] = made.node_copy(node, env.__getitem__)
    out = map_arg(graph.output_node().args[0], env.__getitem__)
    if keep:
        lost = [
            env[r]
            for n in nodes
            if n in gone
            for r in n.all_input_nodes
            if r in env and r.op.startswith("call") and not (set(r.users) - gone)
        ]
        lost = [n for n in dict.fromkeys(lost) if isinstance(value_of(n), Tensor)]
        out = (*(out if isinstance(out, tuple | list) else (out,)), *lost)
    if isinstance(out, tuple | list):  # an input that is returned says nothing
        out = tuple([o for o in out if not (isinstance(o, Node) and o.name in values)]) or tuple(out)
    made.output(out)
    return made, values, env


def unused_inputs(graph: Graph) -> list[int]:
    """The placeholders that nothing reads, by number."""
    return [i for i, n in enumerate(inputs_of(graph)) if not n.users]
