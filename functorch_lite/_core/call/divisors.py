"""Integers divided by a tensor of integers that holds a 0: torch's error, where the tensor's values are at hand."""

from __future__ import annotations

from typing import Any

from ..lazy.apply import apply
from ..lazy.known import at_hand
from ..lazy.tensor import Tensor

__all__ = ["apply_division", "check_divisor"]


def check_divisor(input: Any, other: Tensor) -> tuple[Any, Tensor]:
    """Raises torch's ZeroDivisionError, a RuntimeError; gives back what it was given."""
    kind = other._aval.dtype.category
    known = at_hand(other) if kind < 2 else None
    if known is not None and known.size and not known.all():
        if isinstance(input, Tensor):
            whole = max(kind, input._aval.dtype.category) == 1 and 0 not in input._aval.shape
        else:
            whole = isinstance(input, int) and (kind == 1 or not isinstance(input, bool))
        if whole:
            raise RuntimeError("ZeroDivisionError")
    return input, other


def apply_division(op, static, inputs) -> Any:
    """`apply` for the operators // and %."""
    if isinstance(inputs[1], Tensor):
        check_divisor(*inputs)
    return apply(op, static, inputs)
