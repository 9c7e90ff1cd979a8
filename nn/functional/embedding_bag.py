"""Sums, means and maxima of embedding vectors, bag by bag; rows renormalized to a maximal norm."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from functorch_lite._core.api import Array, Number, check, required, requirement, scalar_name
from functorch_lite.ops._pointwise import category, held

from ._declare import compute, nn_op
from .sparse import by_frequency, look_up

__all__: list[str] = []


def _check_weights(input, weight, by_sample) -> None:
    message = f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}"
    check(weight.ndim == 2, ValueError, message)
    expected, where = (
        "Expected tensor for argument #1 'weight' to have",
        "(while checking arguments for embedding_bag)",
    )
    kind = f"torch.{scalar_name(weight)}Tensor"
    message = f"one of the following scalar types: Half, BFloat16, Float, Double; but got {kind} instead"
    check(category(weight) == 2, RuntimeError, f"{expected} {message} {where}")
    if by_sample is not None:
        message = (
            f"the same type as tensor for argument #1 'per_sample_weights'; but type {kind} does not equal"
        )
        message = f"{expected} {message} torch.{scalar_name(by_sample)}Tensor {where}"
        check(weight.dtype == by_sample.dtype, RuntimeError, message)
    message = "Index 0 of input takes a value which is not in the valid range [0, 0)"
    check(weight.shape[0] or not input.shape[0], RuntimeError, message)


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

    input: (N,) indices; offsets: where each bag begins in it (and where the last ends, with include_last_offset). The
    row padding_idx takes no part; an empty bag gives zeros.
    """
    _check_weights(input, weight, per_sample_weights)
    (count,), number = input.shape, weight.shape[0]
    rows = compute(look_up(input, weight, "embedding_bag"))
    rows = by_frequency(rows, input, number) if scale_grad_by_freq else rows
    offsets = _valid_offsets(offsets, count)
    to_the_end = mode == "max" or padding_idx is not None or weight.dtype == jnp.float64
    bag, bags = _bags(offsets, count, include_last_offset, to_the_end)
    bag = _without_padding(bag, bags, input, number, padding_idx)
    if mode == "max":
        return _maxima(rows, bag, bags, (input < 0) | (input >= number)).astype(weight.dtype)
    rows = rows if per_sample_weights is None else rows * compute(per_sample_weights)[:, None]
    out = jax.ops.segment_sum(rows, bag, bags + 1)[:bags]
    if mode == "mean":
        bag = _without_padding(
            _bags(offsets, count, include_last_offset, True)[0], bags, input, number, padding_idx
        )
        sizes = jax.ops.segment_sum(jnp.ones(count, rows.dtype), bag, bags + 1)[:bags]
        out = out / jnp.maximum(sizes, 1)[:, None]
    return out.astype(weight.dtype)


def _maxima(rows, bag, bags: int, poison):
    """The largest of each feature in each bag; the gradient goes to the first of equals.

    A bag with an index in `poison` is nan."""
    if not rows.shape[0]:
        return jnp.zeros((bags, rows.shape[1]), rows.dtype)
    first, some = _first_of_the_largest(jax.lax.stop_gradient(rows), bag, bags)
    found = jnp.take_along_axis(rows, jnp.where(some, first, 0), 0)
    wrong = jax.ops.segment_max(poison.astype(jnp.int32), bag, bags + 1)[:bags, None] > 0
    return jnp.where(wrong, jnp.nan, jnp.where(some, found, 0))


def _first_of_the_largest(rows, bag, bags: int):
    """(the place among rows of the first of the largest of each feature in each bag, whether there is any).

    As in PyTorch, whose loop asks whether a row is larger than the largest so far, a nan counts only where it is the
    bag's first.
    """
    last = rows.shape[0]
    places = jnp.arange(last)[:, None]
    leads = places == jax.ops.segment_min(places, bag, bags + 1)[bag]
    rows = jnp.where(jnp.isnan(rows), jnp.where(leads, jnp.inf, -jnp.inf), rows)
    rows = held(rows)
    top = jax.ops.segment_max(rows, bag, bags + 1)
    first = jax.ops.segment_min(jnp.where(rows == top[bag], places, last), bag, bags + 1)[:bags]
    return first, first < last


_NOT_0 = requirement(
    "RuntimeError",
    "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got {value}",
)
_NOT_IN_ORDER = requirement("RuntimeError", "offsets has to be in order")


def _valid_offsets(offsets, count: int):
    """The offsets, which begin with 0, ascend, and end within `count` indices."""
    if not offsets.size:
        return offsets
    last = offsets[-1]
    beyond = requirement(
        "RuntimeError",
        f"offsets[-1] can not be greater than input's length {count} but got offsets[-1] of {{value}}",
    )
    offsets = required(offsets, offsets[0], _NOT_0)
    offsets = required(offsets, jnp.where(last > count, last, 0), beyond)
    return required(offsets, jnp.any(jnp.diff(offsets) < 0), _NOT_IN_ORDER)


def _bags(offsets, count: int, include_last_offset: bool, to_the_end: bool):
    """(for each of `count` indices its bag, how many bags there are): `bags` where it is in none.

    to_the_end: the last bag takes all that is left, even beyond the last offset, as it does in most of PyTorch's
    kernels; its sums in single precision end there (and means then are these sums by the sizes to the end).
    """
    bags = offsets.shape[0] - include_last_offset
    check(bags >= 0, RuntimeError, "include_last_offset: number of offset should be at least 1")
    places = jnp.arange(count, dtype=offsets.dtype)
    bag = jnp.searchsorted(offsets[:bags] if to_the_end else offsets, places, side="right") - 1
    return jnp.where((bag < 0) | (bag >= bags), bags, bag), bags


def _without_padding(bag, bags: int, input, number: int, padding_idx: int | None):
    """`bag` with the occurrences of the row padding_idx put into none."""
    if padding_idx is None:
        return bag
    check(
        -number <= padding_idx < number,
        RuntimeError,
        f"padding_idx must be within the number of embeddings, {-number} through {number - 1}, but got {padding_idx}",
    )
    return jnp.where(input == padding_idx % number, bags, bag)


@nn_op(saves="nothing")
def _bag_tables(
    input: Array,
    weight: Array,
    offsets: Array,
    mode: str = "mean",
    include_last_offset: bool = False,
    padding_idx: int | None = None,
):
    """Computes the further results of torch.embedding_bag for "mean" and "max": (the bag of each index, the sizes of
    the bags, and for "max" the rows of weight that the maxima come from, else the sizes again). Integers of the dtype
    of input and offsets together."""
    (count,), number = input.shape, weight.shape[0]
    found, bags = _bags(offsets, count, include_last_offset, True)
    bag = _without_padding(found, bags, input, number, padding_idx)
    sizes = jax.ops.segment_sum(jnp.ones(count, jnp.int32), bag, bags + 1)[:bags]
    chosen = sizes
    if mode == "max" and not count:
        chosen = jnp.zeros((bags, weight.shape[1]), jnp.int32)
    elif mode == "max":
        first, some = _first_of_the_largest(compute(look_up(input, weight, "embedding_bag")), bag, bags)
        chosen = jnp.where(some, input[jnp.where(some, first, 0)], 0)
    dtype = jnp.int64 if jnp.int64 in (input.dtype, offsets.dtype) else jnp.int32
    return found.astype(dtype), sizes.astype(dtype), chosen.astype(dtype)


@nn_op(saves="nothing")
def _renormed_rows(weight: Array, indices: Array, max_norm: Number, norm_type: Number):
    """weight (number, features) with the rows that indices name scaled down to a norm of at most max_norm; a tangent
    stays as it is."""
    check(
        category(weight) >= 2,
        RuntimeError,
        f"norm(): input dtype should be either floating point or complex. Got {scalar_name(weight)} instead.",
    )
    used = jnp.zeros(weight.shape[0], bool).at[indices.reshape(-1)].set(True, mode="drop")
    w = compute(weight)
    size = jnp.abs(w)
    norm = jnp.sum(size**norm_type, 1) ** (1 / jnp.asarray(norm_type, w.dtype))
    norm = jnp.where(jnp.isinf(norm_type), jnp.max(size, 1, initial=0), norm)
    norm = jnp.where(norm_type == -jnp.inf, jnp.min(size, 1, initial=jnp.inf), norm)
    norm = jnp.where(norm_type == 0, jnp.sum((size != 0).astype(norm.dtype), 1), norm)
    scale = jnp.where(used & (norm > max_norm), max_norm / (norm + 1e-7), 1).astype(w.dtype)
    return _with_tangent_of(weight, jax.lax.stop_gradient((w * scale[:, None]).astype(weight.dtype)))


@jax.custom_jvp
def _with_tangent_of(x, value):
    return value


_with_tangent_of.defjvp(lambda primals, tangents: (primals[1], tangents[0]))
