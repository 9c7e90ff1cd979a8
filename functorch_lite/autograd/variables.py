"""torch.autograd.Variable, a name from before tensors had gradients of their own."""

from __future__ import annotations

import warnings
from typing import Any

from .._core.api import Tensor, refuse_pytorchs

__all__ = ["Variable", "variable"]


class _IsTensor(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_IsTensor):
    """Variable(tensor, requires_grad=False) gives an alias of the tensor without its history; every Tensor is an
    instance.

    Args:
        data: the tensor.
        requires_grad: whether autograd records operations on the result. Default: False.
        volatile: the flag of old versions, which has no effect. None is the default.

    >>> torch.autograd.Variable(torch.ones(1), requires_grad=True)
    tensor([1.], requires_grad=True)
    """

    def __new__(cls, data: Any, requires_grad: bool = False, volatile: bool | None = None) -> Any:
        if volatile is not None:
            warnings.warn(
                "volatile was removed and now has no effect. Use `with torch.no_grad():` instead.",
                stacklevel=2,
            )
        if not isinstance(data, Tensor):
            refuse_pytorchs(data)
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        if requires_grad and not data._aval.taped:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        return data.detach().requires_grad_(requires_grad)  # type: ignore[attr-defined]


def variable(*args: Any, **kwargs: Any) -> Any:
    """Raises, as in torch."""
    raise RuntimeError("torch.autograd.variable(...) is deprecated, use torch.tensor(...) instead")
