"""Pooling over windows: max, average and power-average, in one, two and three dimensions, batched or not.

A window's maximum is found dim by dim from shifted slices, so every derivative exists. As in torch the gradient goes
to the first of several equal maxima, and nan wins.
"""

from __future__ import annotations

import math
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from functorch_lite._core.api import (
    ENDS,
    Array,
    DynamicInt,
    Order,
    check,
    default_dtype,
    dtype_of,
    for_cpu,
    reads,
)
from functorch_lite.ops._pointwise import FLOAT, category, check_fit, needs, structure
from functorch_lite.ops._special import divide
from functorch_lite.ops.unary import abs as magnitude  # its derivative at 0 is 0, as torch's

from ._contracts import pool as contract
from ._declare import compute, nn_op, of_dims

__all__ = ["avg_pool1d", "avg_pool2d", "avg_pool3d", "lp_pool1d", "lp_pool2d", "lp_pool3d", "max_pool1d", "max_pool2d", "max_pool3d"]  # fmt: skip


def _taps(size: int, k: int, s: int, p: int, d: int, count: int) -> range:
    """Returns the range of a window's k places that lie within the input, in any of the windows; at least one of
    them."""
    first = min(max(0, -(((count - 1) * s - p) // d)), k - 1)
    return range(first, max(first, min(k - 1, (size - 1 + p) // d)) + 1)


def window_slices(x, axis: int, k: int, s: int, p: int, d: int, count: int, fill):
    """The shifted strided slices, one for each tap, whose elementwise combination is the pooling along `axis`."""
    size, taps = x.shape[axis], _taps(x.shape[axis], k, s, p, d, count)
    before = p - taps[0] * d
    need = (count - 1) * s + d * (len(taps) - 1) + 1
    if before or need > size:
        widths = [(0, 0, 0)] * x.ndim
        widths[axis] = (before, max(need - size - before, 0), 0)
        x = jax.lax.pad(x, jnp.asarray(fill, x.dtype), widths)
    return [
        jax.lax.slice_in_dim(x, j * d, j * d + (count - 1) * s + 1, s, axis) for j in range(len(taps))
    ]  # hot path


def _tile(x, axis: int, k: int, count: int):
    """x with `axis` cut into `count` windows of `k`."""
    return x.reshape(x.shape[:axis] + (count, k) + x.shape[axis + 1 :])


def _tiled(x, axis, k, s, p, d, count) -> bool:
    """Returns whether the windows tile `axis`: then a derivative needs no scattering."""
    return k == s and p == 0 and d == 1 and x.shape[axis] == k * count


def _first_max(x, axis, k, s, p, d, count):
    """The maximum of each window along `axis`, and which of its k slices holds it: the first, or the last nan."""
    lowest = -jnp.inf if category(x) == 2 else jnp.iinfo(x.dtype).min
    parts = window_slices(x, axis, k, s, p, d, count, lowest)
    inside = None
    if p:  # a padded place never holds the maximum, even where all is -inf
        taps = np.array(_taps(x.shape[axis], k, s, p, d, count))
        place = np.arange(count) * s - p + taps[:, None] * d
        inside = ((place >= 0) & (place < x.shape[axis])).reshape(
            (len(taps), -1) + (1,) * (x.ndim - axis - 1)
        )
    best = parts[0]
    which = jnp.zeros(best.shape, jnp.int32)
    for i, part in enumerate(parts[1:], 1):
        take = part > best
        if category(x) == 2:
            take = take | (part != part)
        if inside is not None:
            take = (take & inside[i]) | (inside[i] & ~inside[:i].any(0))
        best, which = jnp.where(take, part, best), jnp.where(take, i, which)
    return best, which


@partial(jax.custom_jvp, nondiff_argnums=tuple(range(1, 7)))
def _max_1d(x, axis, k, s, p, d, count):
    return _first_max(x, axis, k, s, p, d, count)[0]  # hot path


@_max_1d.defjvp
def _max_1d_jvp(axis, k, s, p, d, count, primals, tangents):
    # a selection; where the windows tile the dim it is made from a split, whose transpose is a concatenation: on CPU
    # that is three times as fast as the scatter or the padded sums that slices or indexing transpose to
    (x,), (dx,) = primals, tangents
    which = _first_max(x, axis, k, s, p, d, count)[1]
    out = _max_1d(x, axis, k, s, p, d, count)
    zero = jnp.zeros((), dx.dtype)
    if _tiled(x, axis, k, s, p, d, count):
        parts = [
            jax.lax.squeeze(part, (axis + 1,))
            for part in jax.lax.split(_tile(dx, axis, k, count), (1,) * k, axis + 1)
        ]
    else:
        parts = window_slices(dx, axis, k, s, p, d, count, 0)
    chosen = [jnp.where(which == i, part, zero) for i, part in enumerate(parts)]
    return out, sum(chosen[1:], chosen[0])


def _channels_last(x, n: int):
    """Moves the channels of x last on CPU, where convolutions have them last; returns x, the first of the n pooled
    dims, and the way back."""
    if not for_cpu():
        return x, x.ndim - n, lambda x: x
    return jnp.moveaxis(x, -n - 1, -1), x.ndim - n - 1, lambda x: jnp.moveaxis(x, -1, -n - 1)


def max_over_windows(x, kernel, step, pad, spread, out, indices: bool):
    """The maxima over windows of the last dims, and (if `indices`) their places in the flattened last dims."""
    n = len(kernel)
    input, (x, first, back) = x, _channels_last(x, n)
    where = None
    if indices:
        sizes = x.shape[first : first + n]
        where = jnp.arange(math.prod(sizes), dtype=jnp.int64).reshape(sizes + (1,) * (x.ndim - first - n))
    for i in reversed(range(n)):
        geometry = (first + i, kernel[i], step[i], pad[i], spread[i], out[i])
        if indices:
            which = _first_max(x, *geometry)[1]
            places = window_slices(jnp.broadcast_to(where, x.shape), *geometry, 0)
            where = sum(jnp.where(which == j, place, 0) for j, place in enumerate(places))
        x = _max_1d(x, *geometry)
    return reads(back(x), input, then=ENDS), where if where is None else back(where)


def _max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode):
    """Pools in two dims, as torch has it, with the sentences of two dims."""
    k, s, p, d = contract.windows_with_indices(input, kernel_size, stride, padding, dilation)
    plane = jnp.expand_dims(input, -2)
    pooled = _max_pool("max_pool2d", 2, plane, (1, k), (1, s), (0, p), (1, d), ceil_mode, True)
    return tuple([jnp.squeeze(x, -2) for x in pooled])


def _max_pool(
    name: str,
    n: int,
    input: Array,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
):
    if n == 1 and return_indices:
        return _max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    geometry = contract.of_maxima(name, n, input, kernel_size, stride, padding, dilation, ceil_mode)
    values, where = max_over_windows(input, *geometry, return_indices)
    return (values, where) if return_indices else values


@of_dims(_max_pool, grad="SqueezeBackward1")
def max_pool1d():
    """The maximum of each window of the last dim; with return_indices also its place there.

    input: (N, C, L) or (C, L). Raises RuntimeError for a padding of more than half a window.

    >>> F.max_pool1d(torch.arange(6.).view(1, 1, 6), 2).tolist()
    [[[1.0, 3.0, 5.0]]]
    """


@of_dims(_max_pool, grad="MaxPool2DWithIndices")
def max_pool2d():
    """The maximum of each window of the last two dims; with return_indices also its place in the flattened plane.

    >>> F.max_pool2d(torch.arange(16.0).reshape(1, 4, 4), 2)
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """


@of_dims(_max_pool, grad="MaxPool3DWithIndices", autocast=("float", None))
def max_pool3d():
    """The maximum of each window of the last three dims; with return_indices also its place in the flattened volume.

    input: (N, C, D, H, W) or (C, D, H, W). Raises RuntimeError for a padding of more than half a window.

    >>> F.max_pool3d(torch.arange(8.).view(1, 1, 2, 2, 2), 2).tolist()
    [[[[[7.0]]]]]
    """


@partial(jax.custom_jvp, nondiff_argnums=tuple(range(1, 6)))
def _sum_1d(x, axis, k, s, p, count):
    parts = window_slices(x, axis, k, s, p, 1, count, 0)
    return sum(parts[1:], parts[0])  # hot path


@_sum_1d.defjvp
def _sum_1d_jvp(axis, k, s, p, count, primals, tangents):
    # written so that its transpose is a broadcast where the windows tile the dim
    (x,), (dx,) = primals, tangents
    if _tiled(x, axis, k, s, p, 1, count):
        return _sum_1d(x, axis, k, s, p, count), jnp.sum(_tile(dx, axis, k, count), axis + 1)
    parts = window_slices(dx, axis, k, s, p, 1, count, 0)
    return _sum_1d(x, axis, k, s, p, count), sum(parts[1:], parts[0])


def _sum_over_windows(x, kernel, step, pad, out):
    n = len(kernel)
    x, first, back = _channels_last(x, n)
    for i in reversed(range(n)):
        axis = first + i
        if out[i] == 1 and not pad[i] and kernel[i] == x.shape[axis]:
            x = jnp.sum(x, axis, keepdims=True, dtype=x.dtype)
        else:
            x = _sum_1d(x, axis, kernel[i], step[i], pad[i], out[i])
    return back(x)


def _window_counts(size, k, s, p, count, include_pad: bool):
    start = np.arange(count) * s - p
    end = np.minimum(start + k, size + p)
    return end - start if include_pad else np.minimum(end, size) - np.maximum(start, 0)


def _avg_pool(
    name: str,
    n: int,
    input: Array,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: DynamicInt | None = None,
):
    kernel, step, pad, out = contract.of_means(
        name, n, input, kernel_size, stride, padding, ceil_mode, divisor_override
    )
    total = _sum_over_windows(compute(input), kernel, step, pad, out)
    if divisor_override is not None:
        divisor = jnp.asarray(divisor_override)
    else:
        divisor = np.ones((), np.int64)
        for size, k, s, p, count in zip(input.shape[-n:], kernel, step, pad, out):
            divisor = divisor[..., None] * _window_counts(size, k, s, p, count, count_include_pad)
        if divisor.size and (divisor == divisor.flat[0]).all():
            divisor = divisor.flat[0]
    divisor = jnp.broadcast_to(jnp.asarray(divisor, total.dtype), total.shape)
    quotient = divide if category(total) == FLOAT else jax.lax.div
    return reads(quotient(total, divisor), input, then=ENDS).astype(input.dtype)


@nn_op(grad="SqueezeBackward1")
def avg_pool1d(
    input: Array,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
):
    """The mean of each window of the last dim.

    input: (N, C, L) or (C, L). Raises RuntimeError for a padding of more than half a window.

    >>> F.avg_pool1d(torch.arange(6.).view(1, 1, 6), 2).tolist()
    [[[0.5, 2.5, 4.5]]]
    """
    return _avg_pool("avg_pool1d", 1, input, kernel_size, stride, padding, ceil_mode, count_include_pad)


_DIVISOR = needs("divisor_override", lambda n: n != 0, RuntimeError, lambda n: "divisor must be not zero")


@of_dims(_avg_pool, out="exact", numbers=_DIVISOR, grad="AvgPool2D")
def avg_pool2d():
    """The mean of each window of the last two dims.

    input: (N, C, H, W) or (C, H, W). divisor_override: what the sums are divided by. Raises RuntimeError for a padding
    of more than half a window.

    >>> F.avg_pool2d(torch.arange(16.).view(1, 1, 4, 4), 2).tolist()
    [[[[2.5, 4.5], [10.5, 12.5]]]]
    """


@of_dims(_avg_pool, out="exact", numbers=_DIVISOR, grad="AvgPool3D", autocast=("float", None))
def avg_pool3d():
    """The mean of each window of the last three dims.

    input: (N, C, D, H, W) or (C, D, H, W). divisor_override: what the sums are divided by. Raises RuntimeError for a
    padding of more than half a window.

    >>> F.avg_pool3d(torch.arange(8.).view(1, 1, 2, 2, 2), 2).tolist()
    [[[[[3.5]]]]]
    """


def _lp_pool(
    name: str,
    n: int,
    input: Array,
    norm_type: Order,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    ceil_mode: bool = False,
):
    contract.check_kernel_of_lp(name, n, kernel_size)
    kernel = kernel_size if isinstance(kernel_size, tuple) else (kernel_size,) * n
    kind = structure(norm_type)
    if abs(kind) == math.inf:
        size, sign = magnitude(input), 1 if kind > 0 else -1
        return sign * _max_pool(
            name.replace("lp", "max"), n, sign * size, kernel_size, stride, 0, 1, ceil_mode, False
        )
    if dtype_of(input).is_narrow:
        check_fit(kind, dtype_of(input))
    if category(input) < 2:  # as torch's pow: an int keeps integers, whose means are cut to integers too
        whole = not isinstance(kind, float)
        check(kind >= 0 or not whole, RuntimeError, "Integers to negative integer powers are not allowed.")
        if category(input) == 0 and isinstance(kind, bool):  # a bool, which is not averaged
            _avg_pool(name.replace("lp", "avg"), n, input, kernel_size, stride, 0, ceil_mode, True)
        kept = input.dtype if category(input) else jnp.int64
        input = input.astype(kept if whole else default_dtype().np)
    whole = float(kind).is_integer()
    power = jax.lax.integer_pow(input, int(norm_type)) if whole else jnp.power(input, norm_type)
    mean = _avg_pool(name.replace("lp", "avg"), n, power, kernel_size, stride, 0, ceil_mode, True)
    total = mean * math.prod(kernel)
    total = total if category(total) == 2 else total.astype(default_dtype().np)
    # the root's derivative at 0 is taken as 0 instead of torch's nan
    zero = total == 0
    root = jnp.power(jnp.where(zero, jnp.ones((), total.dtype), total), 1.0 / norm_type)
    return jnp.where(zero, total if kind > 0 else jnp.full_like(total, jnp.inf), root)


@of_dims(_lp_pool)
def lp_pool1d():
    """(sum of input ** norm_type) ** (1 / norm_type) over each window of the last dim.

    >>> F.lp_pool1d(torch.tensor([[[3., 4., 6., 8.]]]), 2, 2).tolist()
    [[[5.0, 10.0]]]
    """


@of_dims(_lp_pool)
def lp_pool2d():
    """(sum of input ** norm_type) ** (1 / norm_type) over each window of the last two dims.

    >>> F.lp_pool2d(torch.ones(1, 1, 2, 2), 1, 2).tolist()
    [[[[4.0]]]]
    """


@of_dims(_lp_pool)
def lp_pool3d():
    """(sum of input ** norm_type) ** (1 / norm_type) over each window of the last three dims.

    >>> F.lp_pool3d(torch.ones(1, 1, 2, 2, 2), 1, 2).tolist()
    [[[[[8.0]]]]]
    """
