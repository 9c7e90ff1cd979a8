"""Products with int8 weights."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from ..._core.api import Tensor
from ..._core.api import namespace as functions_of
from ...compat.jax_function import jax_function
from ...compiler.noting import noting

__all__ = ["int8_linear"]

F: Any = functions_of("nn.functional")

FEW_ROWS = 128
"""Rows of input up to which blocks are quicker: of 128 a product takes 1.1 times as long as with floats, and 1.3 times
by the whole weight."""

BLOCK = 64
"""Rows of the weight that become floats at a time: they stay in the cache."""


def int8_linear(input: Tensor, weight: Tensor) -> Tensor:
    """input @ weight.T, of floats and int8. The sums are floats: XLA's own product of int8 on a CPU takes ten times
    as long (27 ms for 768 x 12288).

    XLA on a CPU writes the whole weight as floats before it multiplies, which takes longer than reading floats. A few
    rows are multiplied by a block of it at a time: 0.8 ms for 768 x 3072, where float32 takes 1.0 and the whole 2.3.
    """
    if input.numel() <= FEW_ROWS * weight.shape[1] and input.device.type == "cpu" and not _seen():
        return _by_blocks(input, weight)
    return F.linear(input, weight.to(input.dtype))


def _seen() -> bool:
    """Returns whether the Graph is for a reader, who should find a linear layer in it."""
    return noting.compiling


def _blocks(input: jax.Array, weight: jax.Array) -> jax.Array:
    n, k = weight.shape
    whole = n // BLOCK * BLOCK

    def product(rows: jax.Array) -> jax.Array:
        return jax.lax.dot_general(x, rows.astype(x.dtype), (((1,), (1,)), ((), ())))

    x = input.reshape(-1, k)
    parts = jax.lax.map(product, weight[:whole].reshape(-1, BLOCK, k))
    out = jnp.moveaxis(parts, 0, 1).reshape(x.shape[0], whole)
    if whole < n:
        out = jnp.concatenate([out, product(weight[whole:])], 1)
    return out.reshape(*input.shape[:-1], n)


_op: Any = None


def _by_blocks(input: Tensor, weight: Tensor) -> Tensor:
    global _op
    if _op is None:
        _op = jax_function(_blocks)
    return _op(input, weight)
