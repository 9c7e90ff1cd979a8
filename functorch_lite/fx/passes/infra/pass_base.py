"""PassBase: a pass with conditions before and after."""

from __future__ import annotations

import abc
from typing import Any, NamedTuple

from ....api_names import listed
from ...graph_module import GraphModule

__all__ = ["PassBase", "PassResult"]
__dir__ = listed(__name__, "GraphModule")


class PassResult(NamedTuple):
    """The module that a pass gives, and whether it was changed."""

    graph_module: GraphModule
    modified: bool


class PassBase(abc.ABC):
    """A pass: subclasses define `call`, and may check what they need (`requires`) and give (`ensures`) by raising.

    >>> class Count(PassBase):
    ...     def call(self, graph_module):
    ...         print(len(graph_module.graph.nodes))
    ...         return PassResult(graph_module, False)
    >>> Count()(torch.fx.symbolic_trace(torch.nn.ReLU())).modified
    3
    False
    """

    def __call__(self, graph_module: GraphModule) -> PassResult | None:
        self.requires(graph_module)
        result = self.call(graph_module)
        self.ensures(graph_module)
        return result

    @abc.abstractmethod
    def call(self, graph_module: GraphModule) -> PassResult | None:
        """The pass itself."""

    def requires(self, graph_module: GraphModule) -> Any:  # noqa: B027
        """Called before the pass."""

    def ensures(self, graph_module: GraphModule) -> Any:  # noqa: B027
        """Called after it."""
