"""functorch.experimental: names that were on trial in functorch, most of which torch.func took over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from functorch_lite.compat.functorch.deprecated import functionalize
from functorch_lite.compat.functorch.experimental import control_flow
from functorch_lite.func import hessian, jacfwd, jvp, replace_all_batch_norm_modules_, vmap
from functorch_lite.func._trees import flatten, spread

__all__ = [
    "chunk_vmap", "control_flow", "functionalize", "hessian", "jacfwd", "jvp", "replace_all_batch_norm_modules_",
]  # fmt: skip


def chunk_vmap(
    func: Callable, in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", chunks: int = 2
) -> Callable:
    """vmap in `chunks` pieces, one after the other: torch.func.vmap has `chunk_size=` for it, the size of a piece.

    >>> chunk_vmap(lambda x: x * 2, chunks=2)(torch.ones(4))
    tensor([2., 2., 2., 2.])
    """
    if chunks == 1:
        return vmap(func, in_dims=in_dims, out_dims=out_dims, randomness=randomness)

    def wrapped(*args, **kwargs):
        leaves, structure = flatten(args)
        dims = spread(in_dims, structure) or [None] * len(leaves)
        sizes = [x.shape[d] for x, d in zip(leaves, dims) if isinstance(d, int)]
        size = -(-sizes[0] // chunks) if sizes else None
        mapped = vmap(func, in_dims=in_dims, out_dims=out_dims, randomness=randomness, chunk_size=size)
        return mapped(*args, **kwargs)

    return wrapped
