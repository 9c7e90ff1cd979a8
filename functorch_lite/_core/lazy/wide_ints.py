"""Python ints of more than 63 bits among the inputs of an op: no program takes them, and one that did would fail with
all that is pending.

torch takes one of 64 bits without sign for what it becomes beside a tensor:

>>> torch.tensor([1, 2]) ^ 0xFFFFFFFFFFFFFFFF
tensor([-2, -3])
>>> torch.tensor([1.0, 2.0]) * 2**63
tensor([9.2234e+18, 1.8447e+19])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..words.dtypes import dtype
from .value import Value

__all__ = ["WideInt", "check_wide"]


class WideInt(Exception):
    """Raised where the op is to be applied to the inputs `narrowed`; never seen by users."""

    def __init__(self, meant: Callable[[int], int | float]):
        self._meant = meant

    def narrowed(self, inputs) -> tuple:
        """The inputs with the numbers that are meant."""
        return tuple([self._meant(v) if _is_wide(v) else v for v in inputs])


def check_wide(op, static, inputs) -> None:
    """Raises WideInt if the op takes the wide ints among its inputs for other numbers, torch's error if it takes
    none."""
    for v in inputs:
        if _is_wide(v):
            break
    else:
        return
    if not all(0 < v < 2**64 for v in inputs if _is_wide(v)):
        raise OverflowError("int too big to convert")
    meant = _meant(op, static, inputs)
    if meant is None:
        raise RuntimeError("value cannot be converted to type int64_t without overflow")
    raise WideInt(meant)


def _is_wide(v: Any) -> bool:
    return type(v) is int and not -(2**63) <= v < 2**63


def _meant(op, static, inputs) -> Callable[[int], int | float] | None:
    """Beside floats, and where the result is one, a float; for an op of one tensor of ints and one number the int of
    the same bits."""
    kinds = [x.aval.dtype for x in inputs if type(x) is Value] or [d for d in static if isinstance(d, dtype)]
    if any(d.category >= 2 for d in kinds):
        return float
    of_ints = len(kinds) == 1 and kinds[0].category == 1 and (kinds[0].is_signed or kinds[0].itemsize == 1)
    if not of_ints or any(map(_is_wide, inputs[2:])):
        return None
    said = op.wide_ints or _BY_PROMOTION.get(op.promote_kind)
    said = said(static) if callable(said) else said
    return {"float": float, "int": lambda v: v - 2**64}.get(said or "")


_BY_PROMOTION = {"float": "float", "default": "int", "product": "int", "same": "int"}
