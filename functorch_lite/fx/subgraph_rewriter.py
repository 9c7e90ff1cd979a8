"""Replacing the places of a Graph that look like a pattern."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..api_names import listed
from ..nn.modules.module import Module
from ._symbolic_trace import symbolic_trace
from .graph import Graph
from .graph_module import GraphModule
from .node import Node
from .passes.utils.matcher_utils import InternalMatch, SubgraphMatcher

__all__ = ["Match", "ReplacedPatterns", "replace_pattern", "replace_pattern_with_filters"]
__dir__ = listed(__name__, "Graph", "GraphModule", "Node", "symbolic_trace")


class Match(NamedTuple):
    """A place that was replaced: the Node of the pattern at which the search began, and from the pattern's Nodes to the
    Graph's."""

    anchor: Node
    nodes_map: dict[Node, Node]


@dataclass
class ReplacedPatterns:
    """A Match with the Nodes that took its place."""

    anchor: Node
    nodes_map: dict[Node, Node]
    replacements: list[Node]


def replace_pattern(
    gm: GraphModule, pattern: Callable | GraphModule, replacement: Callable | GraphModule
) -> list[Match]:
    """Replaces, in gm's Graph, every place that does what `pattern` does by what `replacement` does.

    Both are functions or GraphModules with as many arguments. Nodes match if they call the same with matching
    arguments; the pattern's arguments match anything. A place whose inner values are read elsewhere does not match.
    If matches overlap, one is replaced. Returns the Matches; their Nodes are no longer in the Graph.

    >>> gm = torch.fx.symbolic_trace(lambda x, w: torch.relu(x @ w) + 1)
    >>> matches = replace_pattern(gm, lambda a, b: torch.relu(a @ b), lambda a, b: torch.sigmoid(b) * a)
    >>> print(len(matches), gm.code)  # doctest: +NORMALIZE_WHITESPACE
    1
    def forward(self, x, w):
        sigmoid = torch.sigmoid(w);  w = None
        mul = sigmoid * x;  sigmoid = x = None
        add = mul + 1;  mul = None
        return add
    """
    return [Match(m.anchor, m.nodes_map) for m in _replace_pattern(gm, pattern, replacement)]


def replace_pattern_with_filters(
    gm: GraphModule,
    pattern: Callable | Graph | GraphModule,
    replacement: Callable | Graph | GraphModule | None = None,
    match_filters: list[Callable[[InternalMatch, Graph, Graph], bool]] | None = None,
    ignore_literals: bool = False,
    replacement_callback: Callable[[InternalMatch, Graph, Graph], Graph] | None = None,
    node_name_match: str = "",
) -> list[ReplacedPatterns]:
    """`replace_pattern` of those matches for which all filters hold.

    Args:
        match_filters: functions of (match, the Graph, the pattern's Graph).
        ignore_literals: whether numbers and strings of the pattern match any others.
        replacement_callback: makes the replacement's Graph for a match, instead of `replacement`.
        node_name_match: a Node whose name contains it matches whatever the pattern has there.
    """
    return _replace_pattern(
        gm, pattern, replacement, match_filters, ignore_literals, replacement_callback, node_name_match
    )


def _graph_of(x: Any) -> Graph:
    if isinstance(x, GraphModule):
        return x.graph
    return x if isinstance(x, Graph) else symbolic_trace(x).graph


def _replace_pattern(
    gm: GraphModule,
    pattern: Any,
    replacement: Any = None,
    match_filters: list[Callable] | None = None,
    ignore_literals: bool = False,
    replacement_callback: Callable | None = None,
    node_name_match: str = "",
) -> list[ReplacedPatterns]:
    original, pattern_graph = gm.graph, _graph_of(pattern)
    matcher = SubgraphMatcher(pattern_graph, remove_overlapping_matches=True, ignore_literals=ignore_literals)
    matches = [
        m for m in matcher.match(original, node_name_match)
        if all(f(m, original, pattern_graph) for f in match_filters or ())
    ]  # fmt: skip
    common: Graph | None = None
    if replacement is not None:
        common = _graph_of(replacement)
    elif replacement_callback is None:
        raise AssertionError("Must provide either a replacement GraphModule or a replacement callback")
    replaced: list[ReplacedPatterns] = []
    changed: dict[Node, Node] = {}
    """The Nodes that took the place of Nodes which a later match names as its inputs."""
    for match in matches:
        graph = (
            replacement_callback(match, original, pattern_graph)
            if replacement_callback is not None
            else common
        )
        assert graph is not None
        inputs = [n for n in graph.nodes if n.op == "placeholder"]
        if len(match.placeholder_nodes) != len(inputs):
            raise AssertionError(
                f"Expected {len(inputs)} placeholder nodes, got {len(match.placeholder_nodes)}"
            )
        val_map: dict[Node, Any] = {}
        for theirs, ours in zip(inputs, match.placeholder_nodes):
            val_map[theirs] = changed.get(ours, ours) if isinstance(ours, Node) else ours
        inside = [
            gn for pn, gn in match.nodes_map.items()
            if isinstance(gn, Node) and pn.op not in ("placeholder", "output") and gn.op not in ("placeholder", "output")
        ]  # fmt: skip
        place = _place({v for v in val_map.values() if isinstance(v, Node)}, inside, match.returning_nodes)
        if place is None:  # what the place gives is needed for what it takes
            continue
        before = set(original.nodes)
        with original.inserting_before(place):
            made = original.graph_copy(graph, val_map)
        returned = (made,) if isinstance(made, Node) else tuple(made or ())
        added = [n for n in original.nodes if n not in before]
        if len(match.returning_nodes) != len(returned):
            raise AssertionError(
                f"Expected {len(match.returning_nodes)} returning nodes, got {len(returned)}"
            )
        for old, new in zip(match.returning_nodes, returned):
            old.replace_all_uses_with(new)
            changed[old] = new
        for node in reversed(list(original.nodes)):
            if node in inside and not node.users:
                original.erase_node(node)
        replaced.append(ReplacedPatterns(match.anchors[0], match.nodes_map, added))
    gm.recompile()
    if isinstance(replacement, Module):
        _take_members(gm, replacement)
    return replaced


def _place(reads: set[Node], inside: list[Node], returning: list[Node]) -> Node | None:
    """The Node before which a replacement goes: the first that reads what it returns.

    None where it would read what comes later."""
    users = [u for r in returning for u in r.users if u not in inside]
    place = min(users) if users else max(inside)
    return place if all(r < place for r in reads) else None


def _take_members(gm: GraphModule, replacement: Module) -> None:
    """Gives gm the members of the replacement that its Graph names now, and removes members that it no longer names."""
    gm.delete_all_unused_submodules()
    for node in gm.graph.nodes:
        if node.op not in ("call_module", "get_attr"):
            continue
        there, new = _found(gm, node.target), _found(replacement, node.target)
        if there is not None and not (isinstance(there, Module) and node.op == "get_attr"):
            continue
        if new is not None:
            if isinstance(new, Module):
                gm.add_submodule(node.target, copy.deepcopy(new))
            else:
                *above, last = node.target.split(".")
                setattr(gm.get_submodule(".".join(above)) if above else gm, last, new)
        else:
            raise RuntimeError(
                f'Attempted to create a "{node.op}" node during subgraph rewriting with target {node.target}, but the referenced attribute '
                "does not exist in the replacement GraphModule"
            )
    gm.graph.lint()


def _found(root: Any, path: str) -> Any:
    for part in path.split("."):
        root = getattr(root, part, None)
    return root
