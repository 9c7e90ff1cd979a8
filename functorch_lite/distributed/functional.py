"""torch.distributed.nn.functional: collectives with gradients. Of one process each is the identity."""

from __future__ import annotations

from typing import Any

from .._core.api import Tensor
from .groups import checked

__all__ = ["all_gather", "all_reduce", "broadcast", "gather", "reduce"]


def all_reduce(tensor: Tensor, op: Any = None, group: Any = None) -> Tensor:
    """The tensor."""
    checked(None)
    return tensor.clone()


def all_gather(tensor: Tensor, group: Any = None) -> tuple[Tensor, ...]:
    """The tensor, as a tuple of one."""
    return (all_reduce(tensor),)


def gather(tensor: Tensor, dst: int = 0, group: Any = None) -> tuple[Tensor, ...]:
    """The tensor, as a tuple of one."""
    return (all_reduce(tensor),)


def broadcast(tensor: Tensor, src: int, group: Any = None) -> Tensor:
    """The tensor."""
    return all_reduce(tensor)


def reduce(tensor: Tensor, dst: int, op: Any = None, group: Any = None) -> Tensor:
    """The tensor."""
    return all_reduce(tensor)
