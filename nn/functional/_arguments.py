"""torch's checks of what functions written in terms of others are called with: a Tensor, a flag, an int, a float."""

from __future__ import annotations

from typing import Any

from functorch_lite._core.api import BOOL, INT, Tensor, checked, is_real, overriding, plain, wrong_type

__all__ = ["flag_argument", "float_argument", "int_argument", "tensor_argument"]


def tensor_argument(x: Any, who: str, name: str, position: int, none: bool = False) -> None:
    """Raises TypeError if x is not a Tensor (nor, if `none`, None)."""
    if not (isinstance(x, Tensor) or (none and x is None) or overriding(type(x))):
        raise wrong_type(x, "Tensor", who, name, position)


def float_argument(x: Any, who: str, name: str, position: int) -> Any:
    """x as a Python number: a NumPy number is converted, and an int that no float represents is rounded. Raises
    TypeError if x is neither a real number nor a tensor without gradient that holds one."""
    if x.__class__ is float:
        return x
    single = isinstance(x, Tensor) and not x.ndim and x.dtype.category < 3 and not x.requires_grad
    if not (is_real(x) or single or overriding(type(x))):
        raise wrong_type(x, "float", who, name, position)
    if x.__class__ is int and abs(x) > 2**53:
        return float(x)
    return plain(x)


def flag_argument(x: Any, who: str, name: str, position: int) -> None:
    """Raises TypeError if x is not a bool."""
    if x.__class__ is not bool:
        checked(x, BOOL, who, name, position)


def int_argument(x: Any, who: str, name: str, position: int) -> int:
    """x as an int; TypeError if it is none."""
    return x if x.__class__ is int else checked(x, INT, who, name, position)
