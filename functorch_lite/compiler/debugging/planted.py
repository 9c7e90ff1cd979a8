"""Backends with a fault, for tests: each does something wrong with every relu, also with those inside of transforms.

relu_compile_error     raises when it sees one
relu_runtime_error     gives a callable that raises there
relu_accuracy_error    adds 0.01 to its result
relu_nan               subtracts from it what overflows, from itself
relu_half              computes it in float16, where large numbers overflow
relu_abort             ends the process there
relu_derivative        has a wrong derivative
no_grad_dropped        differentiates through what is under no_grad
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ..._core.api import functions as torch
from ...autograd import Function
from ...autograd.grad_mode import set_grad_enabled
from ...fx import GraphModule, Node
from ..graphs.calls import op_called
from .nested import edited

__all__ = ["PLANTED", "ReluCompileError"]


class ReluCompileError(Exception):
    """Error that `relu_compile_error_TESTING_ONLY` raises."""


class _WrongDerivative(Function):
    """relu, whose derivative does not look at the sign."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return torch.relu(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, gradient):
        return gradient


def _is_relu(node: Node) -> bool:
    op = op_called(node.op, node.target)
    return getattr(op, "name", "").rpartition(".")[2] == "relu"


def _in_place_of_relu(name: str, f: Callable) -> Callable:
    def backend(gm: GraphModule, inputs: Sequence[Any]) -> Callable:
        def change(node: Node) -> None:
            if _is_relu(node):
                node.op, node.target, node.args, node.kwargs = "call_function", f, node.args[:1], {}

        made = edited(gm, change)
        return lambda *args: made(*args)

    backend.__name__ = backend.__qualname__ = f"{name}_TESTING_ONLY"
    return backend


def _refuses(x: Any) -> NoReturn:
    raise RuntimeError("ReluRuntimeError")


def _ends(x: Any) -> NoReturn:
    os.abort()


def _overflows(x: Any) -> Any:
    large = (torch.relu(x) + 1) * 3e38 * 10
    return torch.relu(x) + (large - large)


def _halved(x: Any) -> Any:
    large = (torch.relu(x) + 1) * 65504
    return large.to(torch.float16).to(x.dtype) / 65504 - 1


def relu_compile_error_TESTING_ONLY(gm: GraphModule, inputs: Sequence[Any]) -> Callable:
    """Raises where it sees a relu."""

    def look(node: Node) -> None:
        if _is_relu(node):
            raise ReluCompileError

    return edited(gm, look).forward


def no_grad_dropped_TESTING_ONLY(gm: GraphModule, inputs: Sequence[Any]) -> Callable:
    """Differentiates through what is under no_grad."""

    def change(node: Node) -> None:
        if node.target is set_grad_enabled:
            node.args = (True,)

    made = edited(gm, change)
    return lambda *args: made(*args)


PLANTED: dict[str, Callable] = {
    f.__name__: f
    for f in (
        relu_compile_error_TESTING_ONLY,
        no_grad_dropped_TESTING_ONLY,
        _in_place_of_relu("relu_runtime_error", _refuses),
        _in_place_of_relu("relu_accuracy_error", lambda x: torch.relu(x) + 0.01),
        _in_place_of_relu("relu_nan", _overflows),
        _in_place_of_relu("relu_half", _halved),
        _in_place_of_relu("relu_abort", _ends),
        _in_place_of_relu("relu_derivative", _WrongDerivative.apply),
    )
}
"""The backends, by the name that `torch.compile(backend=)` takes."""
