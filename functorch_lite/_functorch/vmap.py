"""`torch._functorch.vmap`: vmap, and reshapes by which rules of batches move dims."""

from __future__ import annotations

from typing import Any

from .._C._functorch import _add_batch_dim as _add_batch_dim
from .._C._functorch import _remove_batch_dim, is_batchedtensor
from .._core.api import Tensor
from ..func import vmap
from ..func._trees import name_of as _get_name  # noqa: F401
from ..utils._pytree import _broadcast_to_and_flatten as _broadcast_to_and_flatten
from ..utils._pytree import tree_flatten as tree_flatten
from ..utils._pytree import tree_unflatten as tree_unflatten

__all__ = ["reshape_dim_into", "reshape_dim_outof", "restore_vmap", "vmap"]


def reshape_dim_into(src: int, dst: int, x: Tensor) -> Tensor:
    """Moves the dim `src` to the front of the dim that is `dst` without it, and makes one of both.

    >>> reshape_dim_into(0, 1, torch.zeros(2, 3, 5)).shape
    torch.Size([3, 10])
    """
    n = x.ndim
    src, dst = src % n, dst % (n - 1)
    return x.movedim(src, dst).flatten(dst, dst + 1)


def reshape_dim_outof(src: int, size: int, x: Tensor) -> Tensor:
    """Splits the dim `src` in two, the first of which is of this size.

    >>> reshape_dim_outof(1, 2, torch.zeros(3, 10)).shape
    torch.Size([3, 2, 5])
    """
    src = src % x.ndim
    if x.shape[src] % size != 0:
        raise AssertionError(f"a dim of {x.shape[src]} cannot be split in {size}")
    return x.reshape(*x.shape[:src], size, x.shape[src] // size, *x.shape[src + 1 :])


def restore_vmap(func, in_dims, batch_size: int, randomness: str):
    """`func` mapped over, as a function that gives (outputs, their dims): each has its batch at dim 0."""

    def mapped(*args, **kwargs):
        out = vmap(func, in_dims=in_dims, randomness=randomness)(*args, **kwargs)
        dims = tuple(0 for _ in out) if isinstance(out, tuple) else 0
        return out, dims

    return mapped


def _maybe_remove_batch_dim(
    name: str, batched_output: Any, vmap_level: int, batch_size: int, out_dim: int | None
) -> Any:
    """An output that is not mapped over, for which out_dim is None; for others NotImplementedError, as they are not
    wrapped here."""
    if out_dim is None and isinstance(batched_output, Tensor) and is_batchedtensor(batched_output):
        raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
    if out_dim is not None and not isinstance(batched_output, Tensor):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(batched_output)}. "
            "Did you mean to set out_dims= to None for output?"
        )
    return (
        batched_output
        if out_dim is None
        else _remove_batch_dim(batched_output, vmap_level, batch_size, out_dim)
    )
