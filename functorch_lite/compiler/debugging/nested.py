"""Steps that hold a Graph: a transform of a function is one op, made of what the function recorded. Here it is opened, and called again of another Graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..._core.api import Graph, Tensor
from ...fx import GraphModule, Node
from ..graphs.calls import OpCall
from ..graphs.view import view_of

__all__ = ["Nested", "called_again", "edited", "first_example", "nested_of"]


class Nested(NamedTuple):
    """A transform ("vmap" or "grad") of a Graph; `how`: its axes, or how many inputs are differentiated by."""

    kind: str
    graph: Graph
    how: tuple

    def view(self) -> GraphModule:
        """The Graph as a GraphModule."""
        return view_of(self.graph)


def nested_of(node: Node) -> Nested | None:
    """The transform that a step applies; None if it applies another op."""
    made = getattr(node.target.op, "made_of", None) if isinstance(node.target, OpCall) else None
    if not (isinstance(made, tuple) and len(made) == 2 and isinstance(made[0], Graph)):
        return None
    key = made[1]
    if (
        type(key) is not tuple
        or not key
        or key[0] not in ("vmap", "grad")
        or (key[0] == "grad" and not key[2])
    ):
        return None
    how = key[1:3] if key[0] == "vmap" else key[1:2]
    return Nested(key[0], made[0], how)


def called_again(kind: str, how: tuple, fn: Callable) -> Callable[..., tuple]:
    """The transform of a function that takes the Graph's inputs and gives its results as a tuple: a function of the step's inputs that gives the step's results."""
    from ...func import grad_and_value, vmap

    if kind == "vmap":
        in_axes, out_axes = how

        def batched(*inputs: Any) -> tuple:
            axes = (*in_axes, *[None] * (len(inputs) - len(in_axes)))
            return tuple(
                vmap(lambda *a: tuple(fn(*a)), in_dims=axes, out_dims=tuple(out_axes), randomness="same")(
                    *inputs
                )
            )

        return batched
    (n,) = how

    def differentiated(*inputs: Any) -> tuple:
        def scalar(*a: Any) -> Any:
            out, *rest = fn(*a)
            return out, tuple(rest)

        gradients, (value, rest) = grad_and_value(scalar, argnums=tuple(range(n)), has_aux=True)(*inputs)
        return (*gradients, value, *rest)

    return differentiated


def first_example(found: Nested, inputs: Sequence[Any]) -> list[Any]:
    """Inputs of the Graph inside, given those of the step: of what is batched the first example."""
    if found.kind == "grad":
        return list(inputs)
    axes = (*found.how[0], *[None] * (len(inputs) - len(found.how[0])))
    return [
        x.detach().select(a, 0).clone() if a is not None and isinstance(x, Tensor) else x
        for x, a in zip(inputs, axes)
    ]


def edited(gm: GraphModule, change: Callable[[Node], None]) -> GraphModule:
    """The module, in which `change` was called with each step, also those inside of transforms."""
    for node in list(gm.graph.nodes):
        if node.op.startswith("call"):
            found = nested_of(node)
            if found is not None:
                node.target = called_again(found.kind, found.how, edited(found.view(), change).forward)
            change(node)
    gm.recompile()
    return gm
