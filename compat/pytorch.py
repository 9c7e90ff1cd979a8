"""Real PyTorch together with this library in one process: tensors, and functions with their gradients, in both
directions.

PyTorch is never imported here: it is there if the program has imported it.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from functorch_lite._core.api import Tensor, tidied
from functorch_lite._core.api import functions as torch
from functorch_lite.autograd import grad
from functorch_lite.autograd.function import Function, once_differentiable
from functorch_lite.autograd.grad_mode import enable_grad
from functorch_lite.compat.install import is_installed

__all__ = ["from_pytorch", "function_for_pytorch", "pytorch_function", "to_pytorch"]


def _pytorch() -> Any:
    if is_installed():
        raise RuntimeError(
            "`torch` is functorch_lite in this process (install_as_torch); use real PyTorch in a separate process, or import it before install_as_torch"
        )
    found = sys.modules.get("torch")
    if found is None:
        raise RuntimeError("PyTorch is not loaded: `import torch` first")
    return found


@tidied
def to_pytorch(x: Tensor) -> Any:
    """A tensor of PyTorch's with the values of a tensor, a copy in memory of its own; of the same dtype, on the CPU if
    `x` is.

    Only the values are copied: TypeError for an argument that is not a Tensor, RuntimeError for a tensor that
    requires grad, whose history would be lost; pass `x.detach()`, or use `pytorch_function`, through which gradients
    flow.

    Args:
        x: a tensor of this library.

    >>> to_pytorch(torch.ones(2))  # doctest: +SKIP
    tensor([1., 1.])
    """
    pytorch = _pytorch()
    if not isinstance(x, Tensor):
        raise TypeError(f"to_pytorch(): expected a Tensor of functorch_lite, but got {type(x).__name__}")
    if x.requires_grad:
        raise RuntimeError(
            "to_pytorch(): the tensor requires grad, and its history would be lost. Give x.detach(), or use compat.pytorch_function, through "
            "which gradients flow"
        )
    return pytorch.from_dlpack(x.contiguous()).clone()


@tidied
def from_pytorch(x: Any, requires_grad: bool = False) -> Tensor:
    """A tensor with the values of one of PyTorch's, of the same dtype.

    The values alone: RuntimeError for one that requires grad there, unless it is given as `x.detach()`.

    Args:
        x: a tensor of PyTorch.
        requires_grad: whether the result is a leaf that requires grad. Default: False.

    >>> from_pytorch(pytorch.ones(2))  # doctest: +SKIP
    tensor([1., 1.])
    """
    pytorch = _pytorch()
    if not isinstance(x, pytorch.Tensor):
        raise TypeError(f"from_pytorch(): expected a tensor of PyTorch's, but got {type(x).__name__}")
    if x.requires_grad:
        raise RuntimeError(
            "from_pytorch(): the tensor requires grad in PyTorch, and its history would be lost. Give x.detach(), or use "
            "compat.function_for_pytorch, through which gradients flow"
        )
    made = torch.from_dlpack(x.contiguous())
    return made.requires_grad_() if requires_grad else made


def _differs(x: Any) -> bool:
    """Returns whether there are derivatives by it. Inside a transform nothing of the tape says whether one is wanted."""
    return x.is_floating_point() or x.is_complex()


class _Theirs(Function):
    """A function of PyTorch's tensors as a node of the tape here."""

    @staticmethod
    def forward(ctx, call, *inputs):
        pytorch = _pytorch()
        given = [to_pytorch(x.detach()).requires_grad_(_differs(x)) for x in inputs]
        with pytorch.enable_grad():
            found = call(*given)
        ctx.one = isinstance(found, pytorch.Tensor)
        outputs = [found] if ctx.one else list(found)
        ctx.given, ctx.outputs = given, outputs
        made = tuple([from_pytorch(y.detach()) for y in outputs])
        return made[0] if ctx.one else made

    @staticmethod
    @once_differentiable
    def backward(ctx, *gradients):
        pytorch = _pytorch()
        pairs = [(y, g) for y, g in zip(ctx.outputs, gradients) if y.requires_grad and g is not None]
        wanted = [x for x in ctx.given if x.requires_grad]
        found: Any = iter(
            pytorch.autograd.grad(
                [y for y, _ in pairs],
                wanted,
                [to_pytorch(g) for _, g in pairs],
                retain_graph=True,
                allow_unused=True,
            )
            if pairs and wanted
            else [None] * len(wanted)
        )
        slopes = [next(found) if x.requires_grad else None for x in ctx.given]
        return None, *[None if g is None else from_pytorch(g) for g in slopes]


def pytorch_function(f: Callable) -> Callable:
    """A function of PyTorch's tensors (a module there, say) as a function of tensors here, with gradients for
    `backward()`.

    Its arguments and results are tensors, or a tuple of them. It runs at once, in PyTorch, and has first derivatives
    alone: `backward()` and `torch.func.grad`. Tensors that it holds, such as a module's parameters, get no gradients
    from this library. RuntimeError under `vmap` (and `jacrev`), where no values are available, and for second
    derivatives; NotImplementedError for forward mode.

    Args:
        f: a function of tensors of PyTorch that returns one or a tuple of them.

    >>> y = pytorch_function(pytorch.nn.functional.gelu)(x)  # doctest: +SKIP
    """

    @functools.wraps(f)
    def called(*inputs: Tensor) -> Any:
        for x in inputs:
            if not isinstance(x, Tensor):
                raise TypeError(
                    f"pytorch_function(): expected a Tensor of functorch_lite as an argument, but got a {type(x).__name__}"
                )
        return _Theirs.apply(f, *inputs)

    return called


def function_for_pytorch(f: Callable) -> Callable:
    """The reverse: a function of tensors here as a function of PyTorch's tensors, with gradients for its `backward()`.

    `f` takes tensors, and gives one or a tuple of them. Gradients of second order end there (PyTorch says so).

    Args:
        f: a function of tensors of this library that returns one or a tuple of them.

    >>> y = function_for_pytorch(torch.special.i0)(pytorch.ones(2, requires_grad=True))  # doctest: +SKIP
    """

    @functools.wraps(f)
    def called(*inputs: Any) -> Any:
        return _ours(_pytorch()).apply(f, *inputs)

    return called


@functools.cache
def _ours(pytorch: Any) -> Any:
    """PyTorch's autograd.Function of a call of ours."""

    class Ours(pytorch.autograd.Function):
        @staticmethod
        def forward(ctx, call, *inputs):
            given = [from_pytorch(x.detach(), requires_grad=_differs(x)) for x in inputs]
            with enable_grad():
                found = call(*given)
            outputs = [found] if isinstance(found, Tensor) else list(found)
            ctx.given, ctx.outputs = given, outputs
            made = tuple([to_pytorch(y.detach()) for y in outputs])
            return made[0] if isinstance(found, Tensor) else made

        @staticmethod
        @pytorch.autograd.function.once_differentiable
        def backward(ctx, *gradients):
            pairs = [(y, from_pytorch(g)) for y, g in zip(ctx.outputs, gradients) if y.requires_grad]
            wanted = [x for x in ctx.given if x.requires_grad]
            found = iter(
                grad(
                    [y for y, _ in pairs], wanted, [g for _, g in pairs], retain_graph=True, allow_unused=True
                )
                if pairs and wanted
                else [None] * len(wanted)
            )
            slopes = [next(found) if x.requires_grad else None for x in ctx.given]
            return None, *[None if g is None else to_pytorch(g.detach()) for g in slopes]

    return Ours
