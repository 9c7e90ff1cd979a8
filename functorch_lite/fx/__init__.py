"""torch.fx: programs as Graphs of Nodes that are read, edited, and run again as Python."""

from __future__ import annotations

from .graph import CodeGen as CodeGen
from .graph import Graph
from .graph_module import GraphModule
from .node import Node, has_side_effect, map_arg

__all__ = ["Graph", "GraphModule", "Node", "has_side_effect", "map_arg"]
