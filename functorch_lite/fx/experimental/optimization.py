"""Modules made of modules, for inference: batch norm folded into the convolution before it, dropout removed."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from ...api_names import listed
from ...nn.modules import batchnorm, conv, dropout, linear
from ...nn.modules.module import Module
from ...nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval
from .._symbolic_trace import Tracer
from ..graph import Graph
from ..graph_module import GraphModule
from ..interpreter import Transformer
from ..node import Argument, Node, Target

__all__ = ["extract_subgraph", "fuse", "matches_module_pattern", "remove_dropout", "replace_node_module"]
__dir__ = listed(__name__, "Argument", "Target", "fuse_conv_bn_eval", "fuse_linear_bn_eval")


def matches_module_pattern(pattern: Iterable[type], node: Node, modules: dict[str, Any]) -> bool:
    """Returns whether a Node calls a module of the second type, on the result of one of the first.

    modules: the modules by their qualified names.
    """
    if not node.args or not isinstance(node.args[0], Node):
        return False
    for kind, current in zip(pattern, (node.args[0], node)):
        if (
            current.op != "call_module"
            or current.target not in modules
            or type(modules[current.target]) is not kind
        ):
            return False
    return True


def replace_node_module(node: Node, modules: dict[str, Any], new_module: Module) -> None:
    """Puts a module in the place of the one that a Node calls."""
    parent, _, name = node.target.rpartition(".")
    modules[node.target] = new_module
    setattr(modules[parent], name, new_module)


_PAIRS = (
    (conv.Conv1d, batchnorm.BatchNorm1d),
    (conv.Conv2d, batchnorm.BatchNorm2d),
    (conv.Conv3d, batchnorm.BatchNorm3d),
    (linear.Linear, batchnorm.BatchNorm1d),
)


def fuse(model: Module, inplace: bool = False, no_trace: bool = False) -> Module:
    """A GraphModule in which every batch norm that follows a convolution, or a Linear, is part of it.

    For modules in evaluation.

    Args:
        inplace: whether the modules of `model` itself are changed; otherwise of a copy.
        no_trace: whether `model` is a GraphModule already.

    A convolution whose result is read elsewhere too stays, as does a batch norm without running statistics.

    >>> model = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 1), torch.nn.BatchNorm2d(2)).eval()
    >>> [type(m).__name__ for m in fuse(model).children()]
    ['Conv2d']
    """
    if not inplace:
        model = copy.deepcopy(model)
    if no_trace and isinstance(model, GraphModule):
        fx_model = model
    else:
        tracer = Tracer()
        fx_model = GraphModule(model, tracer.trace(model))
    modules = dict(fx_model.named_modules())
    graph = copy.deepcopy(fx_model.graph)
    for pair in _PAIRS:
        for node in list(graph.nodes):
            if not matches_module_pattern(pair, node, modules):
                continue
            before = node.args[0]
            first, norm = modules[before.target], modules[node.target]
            calls = [
                n for n in graph.nodes if n.op == "call_module" and n.target in (before.target, node.target)
            ]
            if len(before.users) > 1 or not norm.track_running_stats or len(calls) != 2:
                continue
            join = fuse_linear_bn_eval if pair[0] is linear.Linear else fuse_conv_bn_eval
            replace_node_module(before, modules, join(first, norm))
            node.replace_all_uses_with(before)
            graph.erase_node(node)
    return GraphModule(fx_model, graph)


def remove_dropout(model: Module) -> Module:
    """A GraphModule without the Dropout modules."""

    class DropoutRemover(Transformer):
        def call_module(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
            if isinstance(self.submodules[target], dropout.Dropout):  # type: ignore[index]
                if len(args) != 1:
                    raise AssertionError(f"Expected 1 arg for Dropout, got {len(args)}")
                return args[0]
            return super().call_module(target, args, kwargs)

    tracer = Tracer()
    return DropoutRemover(GraphModule(model, tracer.trace(model))).transform()


def extract_subgraph(
    orig_module: Module, nodes: list[Node], inputs: list[Node], outputs: list[Node]
) -> GraphModule:
    """A GraphModule of some Nodes, with these inputs and outputs."""
    made = Graph()
    copies: dict[Node, Node] = {node: made.placeholder(node.name) for node in inputs}
    for node in nodes:
        copies[node] = made.node_copy(node, copies.__getitem__)
    made.output([copies[node] for node in outputs])
    made.lint()
    return GraphModule(orig_module, made)
