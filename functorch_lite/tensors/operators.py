"""Operators of Tensors: arithmetic, comparisons, indexing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from .._core.api import (
    OPS,
    Tensor,
    apply,
    apply_division,
    attach,
    autocast,
    bind,
    check_writable,
    from_array,
    getitem,
    is_numpys,
    overrides,
    plain_number,
    python_number,
    setitem,
    tidied,
    tidy,
    write_inplace,
)

_OPERAND = (Tensor, int, float, complex)


def operand(x):
    """x as an operand of arithmetic: a Tensor or Python number; numpy arrays and scalars are converted.

    None if neither."""
    if isinstance(x, _OPERAND):
        return x if x.__class__ in (int, float, bool, complex) or isinstance(x, Tensor) else plain_number(x)
    if is_numpys(x):
        return python_number(x)
    if isinstance(x, np.ndarray):
        return from_array(np.array(x))
    if isinstance(x, jax.Array):
        return from_array(x)
    overrides.meet(x)
    return None


def _binary(
    name: str,
    dunder: str = "",
    static: tuple = (),
    reflected: str | None = "",
    swapped: bool = True,
    inplace: bool = True,
    tensors_only: bool = False,
    divides: bool = False,
) -> None:
    """`a OP b`, `b OP a` and `a OP= b` from one op. `b OP a` uses the op `reflected` if it differs (None: it is not
    defined here), with a first unless `swapped`; `tensors_only`: b may not be a number; `divides`: b may not
    contain 0 if both are integers."""

    dunder = dunder or name
    op: Any = None
    record: Any = None

    def declared() -> None:
        nonlocal op, record
        op = OPS[name]
        record = autocast.apply if op.autocast else apply_division if divides else apply

    def forward(self, other):  # hot path
        if op is None:
            declared()
        try:
            if other.__class__ is not Tensor and (
                (other := operand(other)) is None or (tensors_only and not isinstance(other, Tensor))
            ):
                return NotImplemented
            return record(op, static, (self, other))
        except overrides.Foreign:
            return overrides.method_anew(forward.__name__, self, other)
        except BaseException as error:
            tidy(error)
            raise

    @tidied
    def backward(self, other):
        try:
            other = operand(other)
        except overrides.Foreign:
            return overrides.method_anew(f"__r{dunder}__", self, other)
        if other is None or (tensors_only and not isinstance(other, Tensor)):
            return NotImplemented
        if op is None:
            declared()
        return record(OPS[reflected or name], static, (other, self) if swapped else (self, other))

    @tidied
    def update(self, other):
        check_writable(self)
        result = forward(self, other)
        return NotImplemented if result is NotImplemented else write_inplace(self, result)

    forward.__name__ = f"__{dunder}__"
    setattr(Tensor, f"__{dunder}__", forward)
    if reflected is not None:
        setattr(Tensor, f"__r{dunder}__", backward)
    if inplace:
        setattr(Tensor, f"__i{dunder}__", update)


_binary("add", swapped=False)
_binary("sub", reflected="rsub", swapped=False)
_binary("mul", swapped=False)
_binary("div", "truediv", (None,), reflected=None)
_binary("floor_divide", "floordiv", divides=True)
_binary("remainder", "mod", divides=True)
_binary("matmul", tensors_only=True)
_binary("bitwise_and", "and")
_binary("bitwise_or", "or")
_binary("bitwise_xor", "xor")
_binary("bitwise_left_shift", "lshift")
_binary("bitwise_right_shift", "rshift")
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _binary(_name, reflected=None, inplace=False)


def _power_or_quotient(fn: Callable) -> Callable:
    """A method of operators whose `other` was made a Tensor or number; NotImplemented where it is neither."""

    @tidied
    def method(self, other):
        try:
            other = operand(other)
        except overrides.Foreign:
            return overrides.method_anew(fn.__name__, self, other)
        return NotImplemented if other is None else fn(self, other)

    method.__name__ = fn.__name__
    return attach()(method)


@_power_or_quotient
def __rtruediv__(self, other):
    return self.reciprocal() * other  # in two roundings, as PyTorch does it


@_power_or_quotient
def __rdiv__(self, other):
    return other / self


@_power_or_quotient
def __pow__(self, other):
    return bind.functions.pow(self, other)


@_power_or_quotient
def __rpow__(self, other):
    return bind.functions.pow(other, self)


@_power_or_quotient
def __ipow__(self, other):
    return self.pow_(other)


@attach()
def __neg__(self):
    return apply(OPS["neg"], (), (self,))


@attach()
def __pos__(self):
    return self


@attach()
def __abs__(self):
    return apply(OPS["abs"], (), (self,))


@attach()
def __invert__(self):
    return apply(OPS["bitwise_not"], (), (self,))


@attach()
def __getitem__(self, index):
    try:
        return getitem(self, index)
    except overrides.Foreign:
        return overrides.method_anew("__getitem__", self, index)
    except BaseException as error:
        tidy(error)
        raise


@attach()
@tidied
def __setitem__(self, index, value) -> None:
    setitem(self, index, value)
