"""Memory formats: where PyTorch would copy a tensor to lay it out anew, and which formats it refuses.

A tensor made by such a copy is laid out by XLA, and counts as contiguous whatever was asked for.
"""

from __future__ import annotations

from typing import Any

from .strides import is_contiguous, strides_of
from .tensor import Tensor
from .tracebacks import raiser

__all__ = ["channels_last", "channels_last_3d", "check_memory_format", "contiguous_format", "lies_in", "memory_format", "preserve_format", "stays"]  # fmt: skip


class memory_format:
    """The order of dims in memory: XLA chooses it, and this says what PyTorch would have chosen."""

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self):
        return self.name


contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")

_ORDERS = {channels_last: (0, 2, 3, 1), channels_last_3d: (0, 2, 3, 4, 1)}
"""The dims, from the outermost in memory to the innermost."""


@raiser
def check_memory_format(function: str, given: Any, ndim: int) -> None:
    """torch's errors for a `memory_format=` argument; None is none."""
    if given is None:
        return
    if not isinstance(given, memory_format):
        raise TypeError(
            f"{function}(): argument 'memory_format' must be torch.memory_format, not {type(given).__name__}"
        )
    order = _ORDERS.get(given)
    if order is not None and ndim != len(order):
        raise RuntimeError(f"required rank {len(order)} tensor to use {given.name} format")


def lies_in(t: Tensor, given: memory_format) -> bool:
    """Whether t's elements would lie in this format in PyTorch, without gaps: is_contiguous(memory_format=given)."""
    order = _ORDERS.get(given)
    if order is None:
        return is_contiguous(t)
    strides = strides_of(t)
    if strides is None or len(order) != len(strides):
        return False
    step = 1
    for d in reversed(order):
        n = t._aval.shape[d]
        if n != 1:
            if strides[d] != step:
                return False
            step *= n
    return True


def stays(t: Tensor, given: memory_format | None) -> bool:
    """Whether `t.to(memory_format=given)` is t itself: a tensor is in the format with channels last that its strides say, else in that of rows."""
    if given is None or given is preserve_format:
        return True
    order, strides = _ORDERS.get(given), strides_of(t)
    if order is None:
        return not any(_says(t, strides, o) for o in _ORDERS.values())
    return _says(t, strides, order)


def _says(t: Tensor, strides: tuple[int, ...] | None, order: tuple[int, ...]) -> bool:
    """Whether strides can only be those of dims in this order: with one channel, or one place, they are those of rows as well."""
    shape = t._aval.shape
    if strides is None or len(shape) != len(order) or strides[1] == 0 or 0 in shape:
        return False
    least = 0
    for d in reversed(order):
        if strides[d] < least or (d == 0 and least == strides[1]):
            return False
        least = strides[d] * shape[d]
    return True
