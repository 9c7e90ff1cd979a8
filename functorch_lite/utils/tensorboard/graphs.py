"""Graphs of modules, and of models of ONNX, as TensorBoard shows them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from tensorboard.compat.proto import (  # pyright: ignore[reportMissingImports]
    attr_value_pb2,
    config_pb2,
    graph_pb2,
    node_def_pb2,
    step_stats_pb2,
    tensor_shape_pb2,
    versions_pb2,
)

from ..._core.api import Tensor

__all__ = ["of_module", "of_onnx"]

_VERSIONS = versions_pb2.VersionDef(producer=22)


def _node(name: str, op: str, inputs: Any = (), attributes: str = "", shape: Any = None) -> Any:
    made = node_def_pb2.NodeDef(name=name, op=op, input=list(inputs))
    if attributes:
        made.attr["attr"].s = attributes.encode()
    if shape is not None:
        dims = [tensor_shape_pb2.TensorShapeProto.Dim(size=int(n)) for n in shape]
        shapes = attr_value_pb2.AttrValue.ListValue(shape=[tensor_shape_pb2.TensorShapeProto(dim=dims)])
        made.attr["_output_shapes"].list.CopyFrom(shapes)
    return made


def of_module(model: Any, inputs: Any, verbose: bool = False) -> tuple[Any, Any]:
    """Returns the graph of a module that is called with these inputs, and what is known of a run of it.

    An op that reads a parameter is shown in the part of the hierarchy that the parameter is of."""
    given = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
    exporting = importlib.import_module("functorch_lite.export")  # loaded for this alone
    program = exporting.export(model, given)
    signature, root = program.graph_signature, type(model).__name__
    known = {**signature.inputs_to_parameters, **signature.inputs_to_buffers}
    nodes = list(_nodes(program.graph, known, root))
    if verbose:
        print(program.graph)
    device = step_stats_pb2.DeviceStepStats(device="/device:CPU:0")
    stats = config_pb2.RunMetadata(step_stats=step_stats_pb2.StepStats(dev_stats=[device]))
    return graph_pb2.GraphDef(node=nodes, versions=_VERSIONS), stats


def _nodes(graph: Any, known: dict[str, str], root: str) -> Iterator[Any]:
    names: dict[Any, str] = {}
    scopes: dict[Any, str] = {}
    for node in graph.nodes:
        value = node.meta.get("val")
        shape = value.shape if isinstance(value, Tensor) else None
        read = list(node.all_input_nodes)
        if node.op == "placeholder":
            member = known.get(str(node.target))
            place, _, last = (member or "").rpartition(".")
            scopes[node] = f"{root}/{place.replace('.', '/')}".rstrip("/")
            names[node] = f"{scopes[node]}/{last}" if member else f"input/{node.name}"
            yield _node(names[node], "Parameter" if member else "IO Node", (), "", shape)
        elif node.op == "output":
            for k, source in enumerate(read):
                shape = getattr(source.meta.get("val"), "shape", None)
                yield _node(f"output/output.{k + 1}", "IO Node", [names[source]], "", shape)
        else:
            scopes[node] = next((scopes[n] for n in read if n.op == "placeholder" and n in scopes and str(n.target) in known), root)  # fmt: skip
            names[node] = f"{scopes[node]}/{node.name}"
            literal = repr((node.args, node.kwargs))  # a Node is shown as its name
            yield _node(names[node], str(node.target), [names[n] for n in read], literal, shape)


def of_onnx(file: str) -> Any:
    """Returns the graph of a model in a file of ONNX."""
    import onnx  # pyright: ignore[reportMissingImports]  # needed for this alone

    graph = onnx.load(file).graph
    nodes = []
    for kind, values in (("IO Node", graph.input), ("IO Node", graph.output)):
        for value in values:
            shape = [d.dim_value for d in value.type.tensor_type.shape.dim]
            nodes.append(_node(value.name, kind, (), "", shape))
    for node in graph.node:
        attributes = ", ".join([onnx.helper.printable_attribute(a) for a in node.attribute])
        nodes.append(_node(node.output[0], node.op_type, node.input, attributes))
    return graph_pb2.GraphDef(node=nodes, versions=_VERSIONS)
