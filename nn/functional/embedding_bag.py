"""Sums, means and maxima of embedding vectors, bag by bag; rows renormalized to a maximal norm."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from functorch_lite._core.errors import check
from functorch_lite._core.op import Array, Number

from ._declare import compute, nn_op, type_name
from .sparse import by_frequency, look_up

__all__: list[str] = []


@nn_op()
def _embedding_bag(
    input: Array,
    weight: Array,
    offsets: Array,
    per_sample_weights: Array | None = None,
    mode: str = "mean",
    scale_grad_by_freq: bool = False,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
):
    """The sum, mean or max of the rows of weight that each bag names: (bags, features).

    input: (N,) indices; offsets: where each bag begins in it (and where the last ends, with include_last_offset). The row padding_idx
    takes no part; an empty bag gives zeros.
    """
    check(
        weight.dtype == (weight if per_sample_weights is None else per_sample_weights).dtype,
        RuntimeError,
        f"Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 'per_sample_weights'; but type "
        f"torch.{type_name(weight)}Tensor does not equal torch.{'' if per_sample_weights is None else type_name(per_sample_weights)}"
        "Tensor (while checking arguments for embedding_bag)",
    )
    (count,), number = input.shape, weight.shape[0]
    bags = offsets.shape[0] - include_last_offset
    rows = compute(look_up(input, weight, "embedding_bag"))
    rows = by_frequency(rows, input, number) if scale_grad_by_freq else rows
    places = jnp.arange(count, dtype=offsets.dtype)
    bag = jnp.searchsorted(offsets, places, side="right") - 1
    bag = jnp.where((bag < 0) | (bag >= bags), bags, bag)  # what is in no bag goes to one that is dropped
    if padding_idx is not None:
        check(
            -number <= padding_idx < number,
            RuntimeError,
            f"padding_idx must be within the number of embeddings, {-number} through {number - 1}, but got {padding_idx}",
        )
        bag = jnp.where(input == padding_idx % number, bags, bag)
    if mode == "max":
        return _maxima(rows, bag, bags).astype(weight.dtype)
    rows = rows if per_sample_weights is None else rows * compute(per_sample_weights)[:, None]
    out = jax.ops.segment_sum(rows, bag, bags + 1)[:bags]
    if mode == "mean":
        sizes = jax.ops.segment_sum(jnp.ones(count, rows.dtype), bag, bags + 1)[:bags]
        out = out / jnp.maximum(sizes, 1)[:, None]
    return out.astype(weight.dtype)


def _maxima(rows, bag, bags: int):
    """The largest of each feature in each bag; the gradient goes to the first of equals."""
    if not rows.shape[0]:
        return jnp.zeros((bags, rows.shape[1]), rows.dtype)
    fixed, last = jax.lax.stop_gradient(rows), rows.shape[0]
    top = jax.ops.segment_max(fixed, bag, bags + 1)
    places = jnp.arange(last)[:, None]
    first = jax.ops.segment_min(jnp.where(fixed == top[bag], places, last), bag, bags + 1)[:bags]
    some = first < last
    found = jnp.take_along_axis(rows, jnp.where(some, first, 0), 0)
    return jnp.where(some, found, 0)


@nn_op(saves="nothing")
def _renormed_rows(weight: Array, indices: Array, max_norm: Number, norm_type: Number):
    """weight (number, features) with the rows that indices name scaled down to a norm of at most max_norm."""
    used = jnp.zeros(weight.shape[0], bool).at[indices.reshape(-1)].set(True, mode="drop")
    w = compute(weight)
    size = jnp.abs(w)
    largest, total = jnp.max(size, 1, initial=0), jnp.sum(size**norm_type, 1)
    norm = jnp.where(jnp.isinf(norm_type), largest, total ** (1 / jnp.asarray(norm_type, w.dtype)))
    scale = jnp.where(used & (norm > max_norm), max_norm / (norm + 1e-7), 1).astype(w.dtype)
    return (w * scale[:, None]).astype(weight.dtype)
