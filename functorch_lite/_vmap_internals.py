"""torch._vmap_internals: the first `vmap` of PyTorch, by which packages still map over the rows of a gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._core.api import functions as torch
from .api_names import listed
from .func.vmap import vmap

__all__ = ["vmap"]
__dir__ = listed(__name__)


def _as_tuple(value: Any, num_elements: int, error_message_lambda: Callable[[], str]) -> tuple:
    """Returns value if it is a tuple, which must have num_elements members; else a tuple of it, so many times."""
    if not isinstance(value, tuple):
        return (value,) * num_elements
    if len(value) != num_elements:
        raise ValueError(error_message_lambda())
    return value


def _vmap(func: Callable, in_dims: Any = 0, out_dims: Any = 0, allow_none_pass_through: bool = False) -> Callable:  # fmt: skip
    """`torch.vmap`. allow_none_pass_through: func may return None in place of a tensor, which stays None.

    >>> torch._vmap_internals._vmap(lambda x: (x * 2, None), allow_none_pass_through=True)(torch.ones(2))
    (tensor([2., 2.]), None)
    """
    if not allow_none_pass_through:
        return vmap(func, in_dims, out_dims)
    many, absent = [False], [()]

    def with_tensors(*args: Any) -> Any:
        result = func(*args)
        many[0] = isinstance(result, tuple | list)
        parts = tuple(result) if many[0] else (result,)
        absent[0] = tuple([part is None for part in parts])  # type: ignore[call-overload]
        parts = tuple([torch.zeros(()) if part is None else part for part in parts])
        return parts if many[0] else parts[0]

    def mapped(*args: Any) -> Any:
        result = vmap(with_tensors, in_dims, out_dims)(*args)
        parts = result if many[0] else (result,)
        parts = tuple([None if none else part for none, part in zip(absent[0], parts)])
        return parts if many[0] else parts[0]

    return mapped
