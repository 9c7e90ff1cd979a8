"""split_module: a GraphModule as several, one for each part that a function assigns its Nodes to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...api_names import listed
from ...nn.modules.module import Module
from ..graph import Graph
from ..graph_module import GraphModule
from ..node import Node, map_arg

__all__ = ["Partition", "split_module"]
__dir__ = listed(__name__, "GraphModule", "Node")


class Partition:
    """One part: its Nodes, what they read from elsewhere and what is read from them, and its Graph."""

    def __init__(self, name: str):
        self.name = name
        self.submod_name = f"submod_{name}"
        self.node_names: list[str] = []
        self.inputs: dict[str, None] = {}
        self.outputs: dict[str, None] = {}
        self.dependencies: dict[str, None] = {}
        self.dependents: dict[str, None] = {}
        self.graph: Graph = Graph()
        self.environment: dict[Node, Node] = {}
        self.targets: dict[str, Any] = {}

    def __repr__(self) -> str:
        return (
            f"name: {self.name},\n nodes: {self.node_names},\n inputs: {self.inputs},\n outputs: {self.outputs},\n "
            f"partitions depended on: {self.dependencies},\n partition dependents: {self.dependents}"
        )


_OUTSIDE = ("placeholder", "get_attr", "output")


def split_module(
    m: GraphModule,
    root_m: Module,
    split_callback: Callable[[Node], int],
    qualname_map: dict[str, str] | None = None,
    keep_original_order: bool | None = False,
    keep_original_node_name: bool | None = False,
    keep_original_input_name: bool = True,
    *,
    partition_affix: str | None = None,
    tuple_return: bool = False,
) -> GraphModule:
    """A GraphModule that calls `submod_0`, `submod_1`, …: the Nodes for which split_callback gave 0, 1, ….

    Args:
        root_m: the module that m was traced from, whose members the parts take.
        split_callback: Node -> the number of its part; not asked for inputs, members and the output.
        qualname_map: gets, from the names of members of the result, those they had in root_m.
        keep_original_order: whether the calls stand where the first Nodes of the parts stood.
        keep_original_node_name: whether Nodes keep their names in the parts.
        keep_original_input_name: whether the inputs of parts have the names of what they take.
        partition_affix: put between `submod` and the number.
        tuple_return: whether a part with one result returns a tuple too.

    Raises RuntimeError where two parts would need each other.

    >>> gm = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    >>> split = split_module(gm, gm, lambda node: 0 if node.target is torch.relu else 1)
    >>> print(split.code.strip())
    def forward(self, x):
        submod_0 = self.submod_0(x);  x = None
        submod_1 = self.submod_1(submod_0);  submod_0 = None
        return submod_1
    """
    if m.graph._codegen.__class__.__name__ != "CodeGen":
        raise NotImplementedError(
            "split_module: the GraphModule has arguments or results that were nested containers"
        )
    split = _Split(m.graph.nodes, root_m, {} if qualname_map is None else qualname_map, tuple_return)
    split.assign(split_callback, "submod_" if partition_affix is None else f"submod_{partition_affix}_")
    ordered = list(split.parts.values()) if keep_original_order else _sorted(split.parts)
    split.fill(ordered, keep_original_node_name, keep_original_input_name)
    return split.whole(ordered, keep_original_order)


class _Split:
    """The parts of a Graph, and the Graph that calls them."""

    def __init__(self, nodes: Any, root: Any, qualnames: dict[str, str], tuple_return: bool):
        self.nodes, self.root, self.qualnames, self.tuple_return = nodes, root, qualnames, tuple_return
        self.by_name: dict[str, Node] = {node.name: node for node in nodes}
        self.parts: dict[str, Partition] = {}
        self.part_of: dict[Node, Partition] = {}
        self.base = Graph()
        self.env: dict[Node, Any] = {}
        self.members: dict[str, Any] = {}

    def assign(self, split_callback: Callable[[Node], int], prefix: str) -> None:
        """Finds the part of each Node, and what parts take of each other."""
        for node in self.nodes:
            if node.op in _OUTSIDE:
                continue
            name = str(split_callback(node))
            if name not in self.parts:
                self.parts[name] = Partition(name)
                self.parts[name].submod_name = f"{prefix}{name}"
            self.part_of[node] = self.parts[name]
            self.parts[name].node_names.append(node.name)
        for node in self.nodes:
            for read in node.all_input_nodes:
                _crossing(read, self.part_of.get(read), node, self.part_of.get(node))

    def fill(self, ordered: list[Partition], keep_node_name: bool | None, keep_input_name: bool) -> None:
        """Makes the Graphs of the parts."""
        for part in ordered:
            for name in part.inputs:
                given = self.by_name[name]
                label = name if keep_input_name else f"arg_{len(part.environment)}"
                made = part.environment[given] = part.graph.placeholder(label, given.type)
                made.meta = given.meta.copy()
        for node, part in self.part_of.items():
            args, kwargs = (map_arg(a, part.environment.__getitem__) for a in (node.args, node.kwargs))
            target = node.target
            if node.op == "call_module":
                target = node.target.replace(".", "_")
                part.targets[target] = self.root.get_submodule(node.target)
                self.qualnames[f"{part.submod_name}.{target}"] = node.target
            name = node.name if keep_node_name else None
            made = part.graph.create_node(node.op, target, args, kwargs, name, node.type)
            made.meta = node.meta.copy()
            part.environment[node] = made

    def call(self, part: Partition) -> None:
        """Ends a part, and calls it."""
        env, outputs = self.env, [part.environment[self.by_name[name]] for name in part.outputs]
        alone = len(outputs) == 1 and not self.tuple_return
        part.graph.output(outputs[0] if alone else tuple(outputs))
        self.members[part.submod_name] = GraphModule(part.targets, part.graph)
        made = self.base.call_module(part.submod_name, tuple(env[self.by_name[name]] for name in part.inputs))
        for i, name in enumerate(part.outputs):
            env[self.by_name[name]] = made if alone else _item(self.base, made, i)

    def whole(self, ordered: list[Partition], keep_order: bool | None) -> GraphModule:
        """The GraphModule that calls the parts."""
        waiting = list(ordered)
        for node in self.nodes:
            if node.op == "placeholder" or (node.op == "get_attr" and not keep_order):
                self.env[node] = self.base.node_copy(node)
            if node.op == "get_attr":
                self.members[node.target] = _member(self.root, node.target)
        for node in self.nodes:
            if node.op == "get_attr" and keep_order:
                first = next((p for p in waiting if node.name in p.inputs), None)
                while waiting and first is not None and waiting[0] is not first:
                    self.call(waiting.pop(0))
                self.env[node] = self.base.node_copy(node)
        for part in waiting:
            self.call(part)
        for node in self.nodes:
            if node.op == "output":
                made = self.base.output(map_arg(node.args[0], self.env.__getitem__), node.type)
                made.meta = node.meta.copy()
        return GraphModule(self.members, self.base)


def _item(graph: Graph, node: Node, i: int) -> Node:
    import operator

    return graph.call_function(operator.getitem, (node, i))


def _member(root: Any, path: str) -> Any:
    for part in path.split("."):
        root = getattr(root, part)
    return root


def _crossing(read: Node, here: Partition | None, user: Node, there: Partition | None) -> None:
    """Notes a value that one part takes from outside."""
    if here is there:
        return
    if here is not None:
        here.outputs.setdefault(read.name)
        if there is not None:
            here.dependents.setdefault(there.name)
    if there is not None:
        there.inputs.setdefault(read.name)
        if here is not None:
            there.dependencies.setdefault(here.name)


def _sorted(parts: dict[str, Partition]) -> list[Partition]:
    """Each part after the parts that it depends on, and within that in the order of their first Nodes."""
    left = dict(parts)
    ordered: list[Partition] = []
    done: set[str] = set()
    while left:
        free = next((p for p in left.values() if all(d in done for d in p.dependencies)), None)
        if free is None:
            raise RuntimeError("cycle exists between partitions!")
        ordered.append(left.pop(free.name))
        done.add(free.name)
    return ordered
