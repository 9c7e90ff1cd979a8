"""Types of tensors: dtype, device, number of elements; promotion of dtypes, and their default."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.api import Tensor, composite, dtype, dtypes, flush, forget_programs, plain, promote


@composite
def is_tensor(obj) -> bool:
    """Returns whether obj is a Tensor.

    Args:
        obj: any object.

    >>> torch.is_tensor(3)
    False
    """
    return isinstance(obj, Tensor)


@composite
def numel(input: Tensor) -> int:
    """The number of elements.

    >>> torch.numel(torch.ones(2, 3))
    6
    """
    return input.numel()


@composite
def is_floating_point(input: Tensor) -> bool:
    """Returns whether the dtype is a floating point dtype.

    >>> torch.is_floating_point(torch.ones(1))
    True
    """
    return input.dtype.is_floating_point


@composite
def is_complex(input: Tensor) -> bool:
    """Returns whether the dtype is a complex dtype.

    >>> torch.is_complex(torch.ones(1))
    False
    """
    return input.dtype.is_complex


@composite
def is_signed(input: Tensor) -> bool:
    """Returns whether the tensor's dtype has negative numbers.

    >>> torch.is_signed(torch.ones(2, dtype=torch.uint8))
    False
    """
    return input.is_signed()


@composite
def get_device(input: Tensor) -> int:
    """The number of the tensor's device; -1 for a CPU.

    >>> torch.get_device(torch.ones(2))
    -1
    """
    return input.get_device()


@composite
def typename(obj: Any) -> str:
    """The name of a tensor's type, such as "torch.FloatTensor", or the full name of another object's type.

    Args:
        obj: any object.

    >>> torch.typename(torch.ones(2)), torch.typename(1)
    ('torch.FloatTensor', 'int')
    """
    if isinstance(obj, Tensor):
        place = "" if obj.device.type == "cpu" else f"{obj.device.type}."
        return f"torch.{place}{obj.dtype.scalar_name}Tensor"
    kind = obj if hasattr(obj, "__qualname__") else type(obj)
    module = getattr(kind, "__module__", "") or ""
    name = kind.__qualname__
    return name if module in ("", "builtins") else f"{module}.{name}"


@composite
def result_type(*given, **named) -> dtype:
    """The dtype of arithmetic between two tensors or numbers, which are called (tensor, other), (scalar, tensor) or
    (scalar1, scalar2).

    >>> torch.result_type(torch.tensor([1]), 2.5)
    torch.float32
    """
    orders = (("tensor", "other"), ("scalar", "tensor"), ("scalar1", "scalar2"))
    fits = [
        names for names in orders if len(given) + len(named) == 2 and set(names[len(given) :]) == set(named)
    ]
    if not fits:
        raise TypeError("result_type() received an invalid combination of arguments")
    a, b = (*given, *(named[n] for n in fits[0][len(given) :]))

    def stand_in(x):
        x = plain(x)
        if not isinstance(x, Tensor | bool | int | float | complex):
            raise TypeError(f"result_type(): arguments must be Tensor or Number, not {type(x).__name__}")
        return np.zeros((1,) * min(x.ndim, 1), x.dtype.np) if isinstance(x, Tensor) else x

    return promote.result_dtype(stand_in(a), stand_in(b))


@composite
def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest dtype that both can be cast to.

    >>> torch.promote_types(torch.int64, torch.float32)
    torch.float32
    """
    return promote.promote_types(type1, type2)


@composite
def can_cast(from_: dtype, to: dtype) -> bool:
    """Returns whether a result of dtype `from_` may be written into a tensor of dtype `to`.

    >>> torch.can_cast(torch.float32, torch.int64)
    False
    """
    return promote.can_cast(from_, to)


@composite
def get_default_dtype() -> dtype:
    """The dtype of floating point tensors made of Python numbers.

    >>> torch.get_default_dtype()
    torch.float32
    """
    return dtypes.default_dtype()


@composite
def set_default_dtype(d: dtype) -> None:
    """Sets get_default_dtype(); recorded programs that depended on it are forgotten."""
    flush()
    dtypes.set_default_dtype(d)
    forget_programs()
