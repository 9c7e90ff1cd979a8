"""Questions about tensors that are answered at once: allclose, equal, is_tensor, numel, result_type."""

from __future__ import annotations

import numpy as np

from .._core.api import (
    VMAP_ONE_ANSWER,
    Tensor,
    composite,
    dtype,
    dtypes,
    plain,
    promote,
    values_of,
    write_inplace,
)
from .._core.api import functions as torch


@composite(method=True)
def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Whether |input - other| <= atol + rtol * |other| for all elements.

    >>> torch.allclose(torch.tensor([1.]), torch.tensor([1.000001]))
    True
    """
    tolerances = isinstance(rtol, int | float | Tensor) and isinstance(atol, int | float | Tensor)
    if input.dtype is not other.dtype and tolerances:
        raise RuntimeError(f"{input.dtype.scalar_name} did not match {other.dtype.scalar_name}")
    close = torch.isclose(input, other, rtol, atol, equal_nan).all()
    return bool(close) if close.is_meta else bool(values_of(close, VMAP_ONE_ANSWER.format("allclose")))


@composite(method=True)
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether shapes and all elements are equal.

    >>> torch.equal(torch.ones(2), torch.ones(2))
    True
    """
    return input.shape == other.shape and bool(
        values_of((input == other).all(), VMAP_ONE_ANSWER.format("equal"))
    )


@composite
def is_tensor(obj) -> bool:
    """Whether obj is a Tensor.

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
    """Whether the dtype is a floating point dtype.

    >>> torch.is_floating_point(torch.ones(1))
    True
    """
    return input.dtype.is_floating_point


@composite
def is_complex(input: Tensor) -> bool:
    """Whether the dtype is a complex dtype.

    >>> torch.is_complex(torch.ones(1))
    False
    """
    return input.dtype.is_complex


@composite(method=True)
def is_nonzero(input: Tensor) -> bool:
    """Whether a tensor of one element is not zero.

    >>> torch.is_nonzero(torch.tensor(2.))
    True
    """
    if input.numel() != 1:
        raise RuntimeError(
            f"Boolean value of Tensor with {'no values' if not input.numel() else 'more than one value'} is ambiguous"
        )
    return bool(input)


@composite
def result_type(*given, **named) -> dtype:
    """The dtype of arithmetic between two tensors or numbers, which are called (tensor, other), (scalar, tensor) or (scalar1, scalar2).

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
    """Whether a result of dtype `from_` may be written into a tensor of dtype `to`.

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
    from .._core.api import flush, forget_programs

    flush()
    dtypes.set_default_dtype(d)
    forget_programs()


@composite(namespace="Tensor", method="polygamma", name="polygamma")
def _polygamma(self: Tensor, n: int) -> Tensor:
    """torch.polygamma(n, self).

    Same shape and dtype; integers give the default dtype.

    >>> torch.tensor([1., 2.]).polygamma(1)
    tensor([1.6449, 0.6449])
    """
    return torch.polygamma(n, self)


@composite(namespace="Tensor", method="polygamma_", name="polygamma_")
def _polygamma_(self: Tensor, n: int) -> Tensor:
    """self = torch.polygamma(n, self), in place.

    >>> torch.tensor([1., 2.]).polygamma_(1)
    tensor([1.6449, 0.6449])
    """
    return write_inplace(self, torch.polygamma(n, self))
