"""Parameter and Buffer: tensors that a Module registers by itself when they are assigned as attributes."""

from __future__ import annotations

from typing import Any

from functorch_lite._core.bind import functions as torch
from functorch_lite._core.tensor import Tensor

__all__ = ["Buffer", "Parameter"]


class _ParameterMeta(type(Tensor)):
    """Lets tensors of foreign classes that carry `_is_param = True` pass for a Parameter."""

    def __instancecheck__(cls, instance) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        return cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False)


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A tensor that is a module's parameter: assigned as an attribute, it shows up in `parameters()`.

    Args:
        data: the tensor whose storage it shares; an empty tensor when None.
        requires_grad: whether it takes gradients.

    >>> Parameter(torch.zeros(2))
    Parameter containing:
    tensor([0., 0.], requires_grad=True)
    """

    def __new__(cls, data: Any = None, requires_grad: bool = True):
        if data is None:
            data = torch.empty(0)
        if type(data) is Tensor or type(data) is cls or isinstance(data, Parameter):
            if requires_grad and not (data.is_floating_point() or data.is_complex()):
                raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
            return Tensor._make_subclass(cls, data, requires_grad)
        # A tensor of the user's own class keeps its class.
        made = data.detach().requires_grad_(requires_grad)
        if type(made) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns an "
                f"instance of the same type, but return type {type(made).__name__} was found instead. To use the type as "
                "a Parameter, please correct the detach() semantics defined by its __torch_dispatch__() implementation."
            )
        made._is_param = True
        return made

    def __init__(self, data: Any = None, requires_grad: bool = True):
        """Everything was done in `__new__`."""

    def __repr__(self, *args, **kwargs) -> str:
        return "Parameter containing:\n" + super().__repr__(*args, **kwargs)

    def __deepcopy__(self, memo: dict):
        done = memo.get(id(self))
        if done is None:
            done = type(self)(self.data.clone(), self.requires_grad)
            memo[id(self)] = done  # as in torch, the copy starts without a gradient
        return done

    def __reduce_ex__(self, protocol):
        return _rebuild_parameter, (type(self), self.data, self.requires_grad)


def _rebuild_parameter(cls: type, data: Tensor, requires_grad: bool):
    return cls(data, requires_grad)


class _BufferMeta(type(Tensor)):
    """A Buffer is any tensor that carries `_is_buffer = True`."""

    def __instancecheck__(cls, instance) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that is a module's buffer: state that is no parameter, such as a running mean.

    Args:
        data: the tensor whose storage it shares; an empty tensor when None.
        persistent: whether it is part of the module's `state_dict()`.
    """

    def __new__(cls, data: Any = None, *, persistent: bool = True):
        if data is None:
            data = torch.empty(0)
        made = data.detach().requires_grad_(data.requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made
