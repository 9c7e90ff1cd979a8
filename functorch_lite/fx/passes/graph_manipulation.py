"""Replacing targets, and the bytes that Nodes take."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...api_names import listed
from ..graph import Graph
from ..graph_module import GraphModule
from ..node import Node, Target, map_arg
from .shape_prop import ShapeProp, TensorMetadata

__all__ = [
    "get_size_of_all_nodes", "get_size_of_node", "get_tensor_meta", "replace_target_nodes_with", "size_bytes",
]  # fmt: skip
__dir__ = listed(__name__, "Graph", "GraphModule", "Node", "ShapeProp", "Target", "TensorMetadata", "map_arg")


class size_bytes(NamedTuple):
    """Bytes of a Node's parameters with its output, and of its output."""

    output_size: int
    total_size: int


def replace_target_nodes_with(
    fx_module: GraphModule, old_op: str, old_target: Target, new_op: str, new_target: Target
) -> None:
    """Replaces every Node of an op and target by one of another, with the same arguments."""
    made = Graph()
    copies: dict[Node, Node] = {}
    for node in fx_module.graph.nodes:
        if node.op == old_op and node.target == old_target:
            args, kwargs = map_arg(node.args, copies.__getitem__), map_arg(node.kwargs, copies.__getitem__)
            copies[node] = made.create_node(new_op, new_target, args, kwargs, node.name)
        else:
            copies[node] = made.node_copy(node, copies.__getitem__)
    fx_module.graph = made


def get_size_of_all_nodes(fx_module: GraphModule, args: list[Any] | None = None) -> None:
    """Gives every Node `size_bytes`; args: example inputs, on which the Graph is run first."""
    if args is not None:
        ShapeProp(fx_module).propagate(*args)
    for node in fx_module.graph.nodes:
        if node.op == "output":
            break
        node.size_bytes = get_size_of_node(fx_module, node)


def get_tensor_meta(node: Node) -> TensorMetadata:
    """Returns the tensor metadata that ShapeProp noted; RuntimeError if it noted none."""
    meta = node.meta.get("tensor_meta")
    if not meta:
        raise RuntimeError(
            f"Node {node} has no tensor metadata associated with it! Check that shape propagation has run."
        )
    return meta


def get_size_of_node(fx_module: GraphModule, node: Node) -> size_bytes:
    """The bytes of a Node's output, and of that with its module's parameters and buffers."""
    total = 0
    if node.op == "call_module":
        module = dict(fx_module.named_modules())[node.target]
        total = sum(t.numel() * t.element_size() for t in (*module.parameters(), *module.buffers()))
    meta = get_tensor_meta(node)
    output = meta.shape.numel() * meta.dtype.itemsize
    return size_bytes(output, total + output)
