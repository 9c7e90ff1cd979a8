"""Memory formats: their names, and for which tensors PyTorch refuses them.

A tensor made in one is laid out by XLA, and counts as contiguous whatever was asked for.
"""

from __future__ import annotations

from typing import Any

from .tracebacks import raiser

__all__ = ["ORDERS", "channels_last", "channels_last_3d", "check_memory_format", "contiguous_format", "memory_format", "preserve_format"]  # fmt: skip


class memory_format:
    """The order of dims in memory: XLA chooses it, and this says what PyTorch would have chosen.

    >>> torch.ones(1, 2, 3, 4).to(memory_format=torch.channels_last).stride()
    (24, 12, 4, 1)
    """

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

ORDERS = {channels_last: (0, 2, 3, 1), channels_last_3d: (0, 2, 3, 4, 1)}
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
    order = ORDERS.get(given)
    if order is not None and ndim != len(order):
        raise RuntimeError(f"required rank {len(order)} tensor to use {given.name} format")
