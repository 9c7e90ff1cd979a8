"""Modules that hold parts, and the comparison of two Graphs."""

from __future__ import annotations

from typing import Any

from ....api_names import listed
from ....nn.modules.module import Module
from ...graph import Graph
from ...graph_module import GraphModule
from .matcher_utils import SubgraphMatcher

__all__ = ["HolderModule", "compare_graphs", "lift_subgraph_as_module"]
__dir__ = listed(__name__, "Graph", "GraphModule", "SubgraphMatcher")


class HolderModule(Module):
    """A module with the members of a dict."""

    def __init__(self, d: dict[str, Any]):
        super().__init__()
        for name, m in d.items():
            self.add_module(name, m)


def lift_subgraph_as_module(
    gm: GraphModule, subgraph: Graph, comp_name: str = "", class_name: str = "GraphModule"
) -> tuple[GraphModule, dict[str, str]]:
    """(a GraphModule of a part of gm's Graph, from the names of its members to those they have in gm)."""
    prefix = f"{comp_name}." if comp_name else ""
    names = {
        f"{prefix}{node.target}": str(node.target)
        for node in subgraph.nodes
        if node.op in ("call_module", "get_attr")
    }
    return GraphModule(gm, subgraph, class_name), names


def compare_graphs(left: Graph, right: Graph) -> bool:
    """Returns whether two Graphs are the same but for the names of their Nodes."""
    matches = SubgraphMatcher(left, match_output=True, match_placeholder=True).match(right)
    return len(matches) > 0
