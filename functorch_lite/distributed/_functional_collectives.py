"""torch.distributed._functional_collectives: collectives that return a new tensor, with gradients.
They are done when they return."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._core.api import Tensor
from .._core.api import functions as torch
from . import functional
from .collectives import ReduceOp
from .groups import ProcessGroup, checked

__all__ = [
    "all_gather_into_tensor_coalesced", "all_gather_tensor", "all_gather_tensor_autograd", "all_reduce", "all_reduce_coalesced", "all_to_all_single",
    "all_to_all_single_autograd", "broadcast", "reduce_scatter_tensor", "reduce_scatter_tensor_autograd", "wait_tensor",
]  # fmt: skip


def _group(group: Any) -> ProcessGroup:
    """A group that is given as one, or as the ranks of all processes."""
    if isinstance(group, ProcessGroup) or group is None:
        return checked(group)
    world = checked(None)
    if isinstance(group, Sequence) and not isinstance(group, str) and list(group) == world._ranks:
        return world
    raise NotImplementedError(
        f"functional collectives: group={group!r} is not supported; pass a group from new_group, or group.WORLD"
    )


def _op(name: str) -> Any:
    found = getattr(ReduceOp, str(name).upper(), None)
    if found is None:
        raise ValueError(
            f"functional collectives: reduceOp={name!r} is none of sum, avg, product, min, max, band, bor, bxor"
        )
    return found


def wait_tensor(tensor: Tensor) -> Tensor:
    """Returns the tensor, which is already available."""
    return tensor


def all_reduce(self: Tensor, reduceOp: str, group: Any, tag: str = "") -> Tensor:
    """The sum ('sum') or average ('avg') of everyone's tensor."""
    return functional.all_reduce(self, _op(reduceOp), _group(group))


def all_reduce_coalesced(self: Sequence[Tensor], reduceOp: str, group: Any, tag: str = "") -> list[Tensor]:
    """The same of several."""
    return [all_reduce(t, reduceOp, group, tag) for t in self]


def broadcast(self: Tensor, src: int, group: Any, tag: str = "") -> Tensor:
    """The tensor of process `src`."""
    return functional.broadcast(self, src, _group(group))


def all_gather_tensor(self: Tensor, gather_dim: int, group: Any, tag: str = "") -> Tensor:
    """Everyone's tensor, one after the other along a dimension."""
    return torch.cat(list(functional.all_gather(self, _group(group))), gather_dim)


def all_gather_into_tensor_coalesced(self: Sequence[Tensor], group: Any, tag: str = "") -> list[Tensor]:
    """The same of several, along the first dimension."""
    return [all_gather_tensor(t, 0, group, tag) for t in self]


def reduce_scatter_tensor(self: Tensor, reduceOp: str, scatter_dim: int, group: Any, tag: str = "") -> Tensor:
    """The reduction of everyone's tensor, of which each gets its part along a dimension."""
    of = _group(group)
    if self.shape[scatter_dim] % of.size():
        raise ValueError(
            f"input dimension {scatter_dim} ({self.shape[scatter_dim]}) must be a multiple of group_size {of.size()}"
        )
    parts = self.chunk(of.size(), scatter_dim)  # type: ignore[attr-defined]
    return functional.reduce_scatter(parts[of.rank()], list(parts), _op(reduceOp), of)


def all_to_all_single(
    self: Tensor,
    output_split_sizes: Sequence[int] | None,
    input_split_sizes: Sequence[int] | None,
    group: Any,
    tag: str = "",
) -> Tensor:
    """The parts along the first dimension that everyone gives for this process, one after the other."""
    rows = sum(output_split_sizes) if output_split_sizes else self.shape[0]
    like = self.new_empty((rows, *self.shape[1:]))  # type: ignore[attr-defined]
    return functional.all_to_all_single(like, self, output_split_sizes, input_split_sizes, _group(group))


all_gather_tensor_autograd = all_gather_tensor
reduce_scatter_tensor_autograd = reduce_scatter_tensor
all_to_all_single_autograd = all_to_all_single
