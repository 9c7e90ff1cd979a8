"""Nodes of ops of aten, and the rules that say which ones an op is.

A rule is a function of an `Emit` and of the op's arguments, in the order of its signature: Nodes, numbers, and what is
static. It gives the Node of the result, or a tuple of Nodes; with it, as `Pulled`, how the derivative is computed:
`pull(gradients, wanted)` gives the gradients of the arguments that are wanted, by name.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from ... import _ops
from ..._core.api import UNSET, Tensor
from ...autograd.grad_mode import no_grad
from ...fx import Graph as FxGraph
from ...fx import Node

__all__ = ["RULES", "Emit", "Pulled", "is_number", "rule", "shape_of", "val_of"]

RULES: dict[str, Callable] = {}
"""Rules by the name of the op."""


class Pulled(NamedTuple):
    """A result, and the function that gives the gradients of the arguments: `pull(gradients of the results, names of
    the arguments that are wanted)`."""

    out: Any
    pull: Callable[[Sequence[Any], Collection[str]], dict[str, Any]]


def rule(*names: str) -> Callable[[Callable], Callable]:
    """Registers a rule for the ops of these names."""

    def register(fn: Callable) -> Callable:
        RULES.update(dict.fromkeys(names, fn))
        return fn

    return register


def val_of(x: Any) -> Any:
    """Returns what is known of an argument: the tensor without numbers in `meta["val"]` of a Node, else the argument
    itself."""
    return x.meta["val"] if isinstance(x, Node) else x


def is_number(x: Any) -> bool:
    """Returns whether an argument is a Python number, or stands for one."""
    return not isinstance(val_of(x), Tensor)


def shape_of(x: Any) -> tuple[int, ...]:
    """The shape of a Node's tensor; of a number ()."""
    found = val_of(x)
    return tuple(found.shape) if isinstance(found, Tensor) else ()


class Emit:
    """Makes nodes in a Graph of torch.fx.

    For the step that is lowered: `name` of the op, `aval` of the first result, `on_device` whether it is on an
    accelerator, `trace` the user's line.
    """

    def __init__(self, graph: FxGraph):
        self.graph = graph
        self.aval: Any = None
        self.name = ""
        self.on_device = False
        self.trace: str | None = None

    def __call__(self, name: str, *args: Any, val: Any = UNSET, **kwargs: Any) -> Node:
        """The Node of a call of `torch.ops.aten.<name>`. val: what is known of its result, if calling it must not be
        how to find out."""
        packet, _, overload = name.partition(".")
        target = getattr(getattr(_ops.namespace("aten"), packet), overload)
        given = tuple([_listed(a) for a in args])
        node = self.graph.create_node("call_function", target, given, kwargs, packet)
        if val is UNSET:
            with no_grad():
                val = target(*_map(given, val_of), **_map(kwargs, val_of))
        node.meta["val"] = val
        if self.trace is not None:
            node.meta["stack_trace"] = self.trace
        return node

    def parts(self, node: Node) -> list[Node]:
        """The Nodes of the results of an op that has several."""
        found = []
        for k, val in enumerate(node.meta["val"]):
            found.append(self.graph.call_function(operator.getitem, (node, k)))
            found[-1].meta["val"] = val
        return found

    def summed(self, g: Node, to: Any) -> Node:
        """The gradient of what was broadcast: sums along what was made longer."""
        shape, want = shape_of(g), shape_of(to)
        if shape == want:
            return g
        more = len(shape) - len(want)
        dims = [d for d in range(len(shape)) if d < more or (want[d - more] == 1 and shape[d] != 1)]
        out = self("sum.dim_IntList", g, dims, True) if dims else g
        return out if shape_of(out) == want else self("view.default", out, list(want))


def _listed(x: Any) -> Any:
    """Tuples as lists, as PyTorch shows them."""
    return [_listed(i) for i in x] if isinstance(x, tuple | list) else x


def _map(x: Any, fn: Callable) -> Any:
    if isinstance(x, dict):
        return {k: _map(v, fn) for k, v in x.items()}
    return type(x)([_map(i, fn) for i in x]) if type(x) in (list, tuple) else fn(x)
