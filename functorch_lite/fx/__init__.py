"""torch.fx: programs as Graphs of Nodes that are read, edited, and run again as Python."""

from __future__ import annotations

from ..api_names import listed
from . import config as config
from . import experimental as experimental
from . import graph as graph
from . import graph_module as graph_module
from . import immutable_collections as immutable_collections
from . import interpreter as interpreter
from . import node as node
from . import operator_schemas as operator_schemas
from . import passes as passes
from . import proxy as proxy
from . import subgraph_rewriter as subgraph_rewriter
from . import traceback as traceback
from ._symbolic_trace import PH as PH
from ._symbolic_trace import ProxyableClassMeta as ProxyableClassMeta
from ._symbolic_trace import Tracer, symbolic_trace, wrap
from .graph import CodeGen as CodeGen
from .graph import Graph
from .graph_module import GraphModule
from .interpreter import Interpreter, Transformer
from .node import Node, has_side_effect, map_arg
from .proxy import Proxy
from .subgraph_rewriter import replace_pattern

__all__ = [
    "Graph", "GraphModule", "Interpreter", "Node", "Proxy", "Tracer", "Transformer", "has_side_effect", "map_arg", "replace_pattern",
    "symbolic_trace", "wrap",
]  # fmt: skip
__dir__ = listed(
    __name__, "CodeGen", "PH", "ProxyableClassMeta", "config", "experimental", "graph", "graph_module", "immutable_collections", "interpreter",
    "node", "operator_schemas", "passes", "proxy", "subgraph_rewriter", "traceback",
)  # fmt: skip
