"""Dtypes that torch's kernels take: names in its sentences, and the one sentence for a kernel that lacks a dtype."""

from __future__ import annotations

from typing import Any

from .dtypes import dtype
from .errors import check
from .promote import dtype_of

__all__ = ["check_scalar_type", "cpp_name", "need_kind", "no_kernel", "scalar_name"]


def scalar_name(x: Any) -> str:
    """Returns the name, in torch's sentences, of the dtype of an array, a tracer or a Python number: "Long" for
    int64."""
    return dtype_of(x).scalar_name


def cpp_name(x: Any) -> str:
    """Returns the name of that dtype in other sentences of torch: "long int"."""
    return dtype_of(x).cpp_name


def check_scalar_type(expected: Any, found: Any) -> None:
    """Raises torch's error unless two arrays have one dtype, that of the first."""
    message = f"expected scalar type {scalar_name(expected)} but found {scalar_name(found)}"
    check(expected.dtype == found.dtype, RuntimeError, message)


def no_kernel(kernel: str, x: Any) -> NotImplementedError:
    """torch's error where a kernel lacks a dtype: x is the dtype, or an array of it."""
    d = x if isinstance(x, dtype) else dtype_of(x)
    return NotImplementedError(f"\"{kernel}\" not implemented for '{d.scalar_name}'")


def need_kind(x: Any, kinds: str, kernel: str) -> None:
    """Raises NotImplementedError unless x, an array or a dtype, is of one of these kinds.

    kinds: letters of "bifc", for bools, integers, floating point and complex numbers; "F" for floating point of at
    least 32 bits. kernel: the name of torch's kernel; a whole sentence, if it has spaces.
    """
    d = x if isinstance(x, dtype) else dtype_of(x)
    if "bifc"[d.category] not in kinds and not (d.category == 2 and d.itemsize >= 4 and "F" in kinds):
        raise NotImplementedError(kernel) if " " in kernel else no_kernel(kernel, d)
