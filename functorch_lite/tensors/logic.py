"""Conditions: where, isin; and conditions that are evaluated at once, as a Python bool: allclose, equal, is_nonzero,
_assert."""

from __future__ import annotations

from .._core.api import (
    OPS,
    UNSET,
    VMAP_ONE_ANSWER,
    Tensor,
    advise,
    bind,
    check,
    composite,
    invalid_combination,
    uint8,
    values_of,
)
from .._core.api import functions as torch
from .index import _indices
from .over_ops import plain_op

_where = None


@composite
def where(condition: Tensor, input=UNSET, other=UNSET, *, out=None):
    """Elements of `input` where condition holds, else of `other`; with the condition alone, nonzero(as_tuple=True).

    >>> torch.where(torch.tensor([[0, 1], [2, 0]]) > 0, 1, -1)
    tensor([[-1,  1],
            [ 1, -1]])
    """
    global _where
    if input is UNSET or other is UNSET:
        alone = input is other and out is None
        check(alone, TypeError, "where() received an invalid combination of arguments")
        return _indices(condition, as_tuple=True, name="where")
    if out is not None:
        for position, (name, x) in enumerate((("input", input), ("other", other)), 2):
            refusal = (
                f"where(): argument '{name}' (position {position}) must be Tensor, not {type(x).__name__}"
            )
            check(isinstance(x, Tensor), TypeError, refusal)
    if isinstance(condition, Tensor) and condition._aval.dtype is uint8:
        advise(
            "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version of PyTorch. "
            "Use a boolean condition instead."
        )
    if _where is None:
        _where = bind.make_function(OPS["where"], "where")
    return _where(condition, input, other, out=out)


@composite(namespace="Tensor", method="where", name="where")
def _where_method(self: Tensor, condition: Tensor, other) -> Tensor:
    """The elements of this tensor where condition holds, else of `other`; the three broadcast, and the dtype is
    promoted.

    >>> torch.tensor([1, 2, 3]).where(torch.tensor([True, False, True]), 0)
    tensor([1, 0, 3])
    """
    return where(condition, self, other)


_isin = plain_op("isin")


@composite
def isin(*args, assume_unique: bool = False, invert: bool = False, out=None, **named) -> Tensor:
    """isin(elements, test_elements): whether each of `elements` is among `test_elements` (or, with invert, is not).

    One of both may be a number, which is then called `element` or `test_element`.

    >>> torch.isin(torch.tensor([1, 2, 3]), torch.tensor([2, 5]))
    tensor([False,  True, False])
    """
    given = list(args)
    for plural in ("elements", "test_elements")[len(args) :]:
        kind, name = (Tensor, plural) if plural in named else ((int, float, complex), plural[:-1])
        if name not in named or not isinstance(named[name], kind):
            raise invalid_combination("isin", *args, *named.values())
        given.append(named.pop(name))
    if named:
        raise TypeError(f"isin() got an unexpected keyword argument '{next(iter(named))}'")
    if len(given) != 2 or not any(isinstance(x, Tensor) for x in given):
        raise invalid_combination("isin", *given)
    return _isin(*given, assume_unique=assume_unique, invert=invert, out=out)


@composite(method=True)
def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Returns whether |input - other| <= atol + rtol * |other| for all elements.

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
    """Returns whether shapes and all elements are equal.

    >>> torch.equal(torch.ones(2), torch.ones(2))
    True
    """
    return input.shape == other.shape and bool(
        values_of((input == other).all(), VMAP_ONE_ANSWER.format("equal"))
    )


@composite(method=True)
def is_nonzero(input: Tensor) -> bool:
    """Returns whether a tensor of one element is not zero.

    >>> torch.is_nonzero(torch.tensor(2.))
    True
    """
    if input.numel() != 1:
        raise RuntimeError(
            f"Boolean value of Tensor with {'no values' if not input.numel() else 'more than one value'} is ambiguous"
        )
    return bool(input)


@composite
def _assert(condition, message):
    """Raises AssertionError with the message unless the condition is true.

    >>> torch._assert(torch.ones(1).sum() > 2, "too small")
    Traceback (most recent call last):
    AssertionError: too small
    """
    if not condition:
        raise AssertionError(message)


@composite
def _assert_async(self, assert_msg="Expected Tensor with single nonzero value, but got zero"):
    """Raises RuntimeError if the only element of the tensor is zero.

    Nothing here waits for a device, so the condition is checked at once.

    >>> torch._assert_async(torch.tensor(2.) > 1)
    """
    if not is_nonzero(self):
        raise RuntimeError(assert_msg)


@composite
def _shape_as_tensor(self):
    """The shape, as a tensor of int64.

    >>> torch._shape_as_tensor(torch.ones(2, 3))
    tensor([2, 3])
    """
    return torch.tensor(list(self.shape), dtype=torch.int64)
