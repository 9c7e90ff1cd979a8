"""Tests of whether a backend can run a Node."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...api_names import listed
from ...nn.modules.module import Module
from ..node import Node, _get_qualified_name
from .shape_prop import TensorMetadata

__all__ = ["OpSupports", "OperatorSupport", "OperatorSupportBase", "any_chain", "chain", "create_op_support"]
__dir__ = listed(
    __name__, "CALLABLE_NODE_OPS", "SupportedArgumentDTypes", "TargetTypeName", "get_node_target",
)  # fmt: skip

TargetTypeName = str
SupportedArgumentDTypes = tuple[Sequence[Sequence[Any]], dict[str, Sequence[Any]]] | None
SupportDict = Mapping[TargetTypeName, SupportedArgumentDTypes]
IsNodeSupported = Callable[[Mapping[str, Module], Node], bool]
CALLABLE_NODE_OPS = {"call_module", "call_function", "call_method"}


class OperatorSupportBase(abc.ABC):
    """Says whether a Node is supported."""

    @abc.abstractmethod
    def is_node_supported(self, submodules: Mapping[str, Module], node: Node) -> bool:
        """submodules: the modules by name."""


def get_node_target(submodules: Mapping[str, Module], node: Node) -> str:
    """The name of what a Node calls: the type of a module, the qualified name of a function, the name of a method."""
    if node.op not in CALLABLE_NODE_OPS:
        raise AssertionError(f"Expect op types of {', '.join(CALLABLE_NODE_OPS)}, but found {node.op}")
    if node.op == "call_module":
        kind = type(submodules[node.target])
        return f"{kind.__module__.replace('functorch_lite', 'torch', 1)}.{kind.__name__}"
    return _get_qualified_name(node.target) if node.op == "call_function" else node.target


class OperatorSupport(OperatorSupportBase):
    """Supports what a dict names: from the name of a target to the dtypes of its arguments, or None for any."""

    _support_dict: SupportDict

    def __init__(self, support_dict: SupportDict | None = None):
        self._support_dict = support_dict or {}

    def is_node_supported(self, submodules: Mapping[str, Module], node: Node) -> bool:
        if node.op not in CALLABLE_NODE_OPS:
            return True
        target = get_node_target(submodules, node)
        if target not in self._support_dict:
            return False
        wanted = self._support_dict[target]
        if wanted is None:
            return True
        positional, named = wanted
        return all(
            _dtype(a) in dtypes for a, dtypes in zip(node.args, positional) if isinstance(a, Node)
        ) and all(
            _dtype(node.kwargs[k]) in dtypes
            for k, dtypes in named.items()
            if isinstance(node.kwargs.get(k), Node)
        )


def _dtype(node: Any) -> Any:
    meta = node.meta.get("tensor_meta", node.meta.get("val"))
    return meta.dtype if isinstance(meta, TensorMetadata) or hasattr(meta, "dtype") else None


class _Function(OperatorSupportBase):
    def __init__(self, is_node_supported: IsNodeSupported):
        self.function = is_node_supported

    def is_node_supported(self, submodules: Mapping[str, Module], node: Node) -> bool:
        return self.function(submodules, node)


def create_op_support(is_node_supported: IsNodeSupported) -> OperatorSupportBase:
    """An OperatorSupportBase of a function (submodules, node) -> bool."""
    return _Function(is_node_supported)


def chain(*op_support: OperatorSupportBase) -> OperatorSupportBase:
    """Supports what all of them do."""
    return _Function(lambda submods, node: all(x.is_node_supported(submods, node) for x in op_support))


def any_chain(*op_support: OperatorSupportBase) -> OperatorSupportBase:
    """Supports what one of them does."""
    return _Function(lambda submods, node: any(x.is_node_supported(submods, node) for x in op_support))


class OpSupports:
    """Supports for common conditions."""

    @classmethod
    def decline_if_input_dtype(cls, dtype: Any) -> OperatorSupportBase:
        """Not what reads a tensor of this dtype."""
        return _Function(lambda submods, node: all(_dtype(a) != dtype for a in node.all_input_nodes))

    @classmethod
    def decline_if_node_in_names(cls, disallow_set: set[str]) -> OperatorSupportBase:
        """Not the Nodes of these names."""
        return _Function(lambda submods, node: node.name not in disallow_set)
