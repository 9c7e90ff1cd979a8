"""Fractional max pooling (Graham 2014, arXiv:1412.6071) as a pure function of its random numbers."""

from __future__ import annotations

import math

import jax.numpy as jnp

from functorch_lite._core.api import ENDS, Array, check, need_kind, reads

from ._declare import nn_op, shape_text
from .adaptive_pool import first_max

__all__: list[str] = []

_DIMS = {2: ("height", "width"), 3: ("time", "height", "width")}


def _starts(u, size: int, count: int, k: int):
    """Returns the places where the `count` windows of k places begin along a dim, for random numbers u in [0, 1): u's
    shape and (count,)."""
    if count == 1:
        return jnp.full((*u.shape, 1), size - k, jnp.int32)
    step = jnp.asarray((size - k) / (count - 1), u.dtype)
    i = jnp.arange(count - 1).astype(u.dtype)
    u = u[..., None]
    starts = ((i + u) * step).astype(jnp.int32) - (u * step).astype(jnp.int32)
    last = jnp.full((*starts.shape[:-1], 1), size - k, jnp.int32)
    return jnp.concatenate([starts, last], -1)


def _check_fractional(n: int, input, samples, kernel, output_size) -> None:
    expected = "Expect _random_samples"
    check(samples.ndim == 3, RuntimeError, f"{expected} to have 3 dimensions, got {samples.ndim}")
    message = f"{expected}.size(2) equals to {n}; got {samples.shape[2]}."
    check(samples.shape[2] == n, RuntimeError, message)
    check(samples.dtype == input.dtype, RuntimeError, f"{expected} to have the same dtype as input")
    need_kind(input, "f", f"fractional_max_pool{n}d")
    name, shape = f"fractional_max_pool{n}d{'()' if n == 2 else '_out()'}", shape_text(input)
    for dim in range(1, input.ndim):
        message = f"Expected input to have non-zero size for non-batch dimensions, but got{shape}"
        message = f"{name}: {message} with dimension {dim} being empty."
        check(input.shape[dim] > 0, RuntimeError, message)
    for dim, size, k, count in zip(_DIMS[n], input.shape[-n:], kernel, output_size):
        fits = count + k - 1 < size + (n == 2)  # in three dims torch wants one place more
        check(fits, RuntimeError, f"{name}: pool {dim} {k} too large relative to input {dim} {size}")
    batch, planes = input.shape[:2] if input.ndim == n + 2 else (1, input.shape[0])
    sizes = f"{batch} x {planes} planes, got {samples.shape[0]} x {samples.shape[1]}"
    check(samples.shape[0] >= batch and samples.shape[1] == planes, RuntimeError, f"{expected} for {sizes}")
    least, shape = min(output_size), [*input.shape[:-n], *output_size]
    check(least >= 0, RuntimeError, f"Trying to create tensor with negative dimension {least}: {shape}")


@nn_op(autocast=("float", None))
def _fractional_max_pool(
    input: Array, samples: Array, kernel: tuple[int, ...], output_size: tuple[int, ...], return_indices: bool
):
    """The maxima of randomly placed windows. input: (N, C, ...) or (C, ...), samples: (N, C, n) in [0, 1).

    The numbers of a plane are for width and height in two dims, for time, height and width in three.
    """
    n = len(kernel)
    _check_fractional(n, input, samples, kernel, output_size)
    batched = input if input.ndim == n + 2 else input[None]
    sizes = batched.shape[2:]
    lead = batched.shape[:2]
    samples = samples[: lead[0]]
    order = (1, 0) if n == 2 else (0, 1, 2)
    # the place in the flattened plane of each element of each window: (N, C, *windows, *elements)
    place = jnp.zeros((1,) * (2 * n + 2), jnp.int64)
    for axis, (size, k, count) in enumerate(zip(sizes, kernel, output_size)):
        starts = _starts(samples[..., order[axis]], size, count, k)[..., :count].astype(jnp.int64)
        shape = [1] * (2 * n)
        shape[axis], shape[n + axis] = count, max(k, 1)
        place = place * size + (starts[..., None] + jnp.arange(max(k, 1))).reshape((*lead, *shape))
    place = place.reshape((*lead, math.prod(output_size), math.prod(max(k, 1) for k in kernel)))
    if min(kernel) < 1:  # windows of nothing
        shape = (*input.shape[:-n], *output_size)
        values = jnp.full(shape, -jnp.inf, input.dtype)
        return (values, place[..., 0].reshape(shape)) if return_indices else values
    flat = batched.reshape((*lead, math.prod(sizes)))
    window = jnp.take_along_axis(flat, place.reshape((*lead, math.prod(place.shape[2:]))), 2).reshape(
        place.shape
    )
    best = first_max(window, 3)
    shape = (*input.shape[:-n], *output_size)
    values = reads(jnp.take_along_axis(window, best, 3).reshape(shape), input, then=ENDS)
    return (values, jnp.take_along_axis(place, best, 3).reshape(shape)) if return_indices else values
