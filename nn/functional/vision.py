"""Images: padding, shuffling between channels and pixels, and sliding blocks (unfold, fold)."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np

from functorch_lite._core.api import ENDS, Array, Number, SymInt, check, reads
from functorch_lite.ops._pointwise import category
from functorch_lite.ops.shape import fills, padded

from ._contracts import vision as contract
from ._declare import nn_op

__all__ = ["channel_shuffle", "fold", "pad", "pixel_shuffle", "pixel_unshuffle", "unfold"]


def _places(size: int, before: int, after: int, mode: str) -> np.ndarray:
    """Returns for each place of the padded dim the place of the input that it shows."""
    i = np.arange(-before, size + after)
    if mode == "replicate":
        return np.clip(i, 0, size - 1)
    if mode == "circular":
        return i % size
    i = np.abs(i)
    return np.where(i >= size, 2 * (size - 1) - i, i)


def take_runs(x, axis: int, places: np.ndarray):
    """x[places] along `axis` as slices of runs, so that the derivative is slices too, not a scatter."""
    parts, start = [], 0
    while start < len(places):
        stop, step = start + 1, None
        while stop < len(places):
            d = int(places[stop] - places[stop - 1])
            if d not in (-1, 0, 1) or (step is not None and d != step):
                break
            step, stop = d, stop + 1
        first, last = int(places[start]), int(places[stop - 1])
        part = jax.lax.slice_in_dim(x, min(first, last), max(first, last) + 1, axis=axis)
        if step == 0:
            shape = list(x.shape)
            shape[axis] = stop - start
            part = jnp.broadcast_to(part, shape)
        elif step == -1:
            part = jax.lax.rev(part, (axis,))
        parts.append(part)
        start = stop
    return parts[0] if len(parts) == 1 else jnp.concatenate(parts, axis)


def _zero_or_refused(value):
    """The value of a mode that takes none, which may be 0."""
    return None if value == 0 else value


_VALUE = (
    ("value.__class__ is int", "value", float),
    ("value is not None and mode != 'constant'", "value", _zero_or_refused),
)


def _is_reflected(static: tuple, inputs) -> bool:
    """Returns whether PyTorch pads by a kernel of its table of autocast."""
    width, mode = static[0], static[1]
    return mode == "replicate" or (mode == "reflect" and len(width) < 6)


@nn_op(asks=_VALUE, numbers=fills, autocast=("float", None), autocast_if=_is_reflected, float8=True)
def pad(input: Array, pad: tuple[int, ...], mode: str = "constant", value: Number | None = None):
    """input with borders; `pad` gives (before, after) from the last dim backwards, negative crops.

    mode: "constant" (with `value`, 0 by default), "reflect", "replicate" or "circular".

    >>> F.pad(torch.tensor([1.0, 2.0]), (1, 0))
    tensor([0., 1., 2.])
    """
    widths = contract.pad_widths(input, tuple(pad), mode, value)
    if mode == "constant":
        return padded(input, 0 if value is None else value, [(a, b, 0) for a, b in widths])
    out = input
    for axis, (before, after) in enumerate(widths):
        size = input.shape[axis]
        if (before, after) == (0, 0):
            continue
        places = _places(size, before, after, mode) if size else np.zeros(0, int)
        if mode == "circular" and (before < 0 or after < 0):  # torch crops first, and wraps what is left
            left = np.arange(size)[max(-before, 0) : size - max(-after, 0)]
            head, tail = left[max(len(left) - before, 0) :] if before > 0 else left[:0], left[: max(after, 0)]
            places = np.concatenate([head, left, tail])
            check(len(places) == size + before + after, RuntimeError, contract.WRAPS_TWICE)
        if len(places) == 0:
            out = jax.lax.slice_in_dim(out, 0, 0, axis=axis)
        else:
            out = take_runs(out, axis, places)
    return out if mode == "circular" else reads(out, input, then=ENDS)


@nn_op()
def pixel_shuffle(input: Array, upscale_factor: int):
    """(..., C r^2, H, W) to (..., C, H r, W r) (Shi et al. 2016, arXiv:1609.05158).

    Raises RuntimeError if r^2 does not divide the channels.

    >>> F.pixel_shuffle(torch.arange(4.).view(1, 4, 1, 1), 2).tolist()
    [[[[0.0, 1.0], [2.0, 3.0]]]]
    """
    contract.check_pixel_shuffle(input, upscale_factor)
    r = upscale_factor
    *lead, c, h, w = input.shape
    n = len(lead)
    x = input.reshape((*lead, c // (r * r), r, r, h, w))
    x = x.transpose((*range(n), n, n + 3, n + 1, n + 4, n + 2))
    return x.reshape((*lead, c // (r * r), h * r, w * r))


@nn_op()
def pixel_unshuffle(input: Array, downscale_factor: int):
    """The inverse of pixel_shuffle: (..., C, H r, W r) to (..., C r^2, H, W).

    Raises RuntimeError if r does not divide H and W.

    >>> tuple(F.pixel_unshuffle(torch.ones(1, 1, 4, 6), 2).shape)
    (1, 4, 2, 3)
    """
    contract.check_pixel_unshuffle(input, downscale_factor)
    r = downscale_factor
    *lead, c, h, w = input.shape
    if input.size == 0:
        return input  # as torch does, whose result then has input's shape
    n = len(lead)
    x = input.reshape((*lead, c, h // r, r, w // r, r))
    x = x.transpose((*range(n), n, n + 2, n + 4, n + 1, n + 3))
    return x.reshape((*lead, c * r * r, h // r, w // r))


@nn_op()
def channel_shuffle(input: Array, groups: SymInt):
    """Interleaves `groups` groups of channels (dim 1) (Zhang et al. 2018, arXiv:1707.01083).

    Raises RuntimeError if groups does not divide the channels.

    >>> F.channel_shuffle(torch.arange(4.).view(1, 4, 1), 2).flatten().tolist()
    [0.0, 2.0, 1.0, 3.0]
    """
    contract.check_channel_shuffle(input, groups)
    c = input.shape[1]
    split = input.reshape((input.shape[0], groups, c // groups, *input.shape[2:]))
    return split.swapaxes(1, 2).reshape(input.shape)


def _unfold(x, kernel, spread, border, step):
    """(N, C, H, W) to (N, C kh kw, blocks)."""
    counts = contract.block_counts(x.shape[2:], kernel, spread, border, step)
    x = jnp.pad(x, [(0, 0), (0, 0), (border[0],) * 2, (border[1],) * 2])
    parts = []
    for i in range(kernel[0]):
        rows = jax.lax.slice_in_dim(
            x, i * spread[0], i * spread[0] + (counts[0] - 1) * step[0] + 1, step[0], 2
        )
        for j in range(kernel[1]):
            start = j * spread[1]
            parts.append(jax.lax.slice_in_dim(rows, start, start + (counts[1] - 1) * step[1] + 1, step[1], 3))
    blocks = jnp.stack(parts, 2)
    return blocks.reshape((x.shape[0], x.shape[1] * len(parts), math.prod(counts)))


@nn_op()
def unfold(
    input: Array,
    kernel_size: int | tuple[int, ...],
    dilation: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    stride: int | tuple[int, ...] = 1,
):
    """The sliding blocks of (N, C, H, W) as columns: (N, C kh kw, blocks).

    >>> F.unfold(torch.arange(3.).view(1, 1, 1, 3), (1, 2)).tolist()
    [[[0.0, 1.0], [1.0, 2.0]]]
    """
    geometry = contract.blocks(kernel_size, dilation, padding, stride)
    contract.check_unfold(input, *geometry)
    out = _unfold(input if input.ndim == 4 else input[None], *geometry)
    return out if input.ndim == 4 else out[0]


@nn_op(grad="Col2Im")
def fold(
    input: Array,
    output_size: int | tuple[int, ...],
    kernel_size: int | tuple[int, ...],
    dilation: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    stride: int | tuple[int, ...] = 1,
):
    """The transpose of unfold: sums columns (N, C kh kw, blocks) into an image (N, C, *output_size).

    Raises RuntimeError for a number of blocks that does not fit.

    >>> F.fold(torch.ones(1, 2, 2), (1, 3), (1, 2)).tolist()
    [[[[1.0, 2.0, 1.0]]]]
    """
    sizes = contract.pair(output_size, "output_size")
    geometry = contract.blocks(kernel_size, dilation, padding, stride)
    contract.check_fold(input, sizes, *geometry)
    x = input if input.ndim == 3 else input[None]
    if category(x) == 0:  # the sum of bools is their disjunction
        return fold(input.astype(jnp.float32), output_size, kernel_size, dilation, padding, stride) != 0
    image = jax.ShapeDtypeStruct((x.shape[0], x.shape[1] // math.prod(geometry[0]), *sizes), x.dtype)
    (out,) = jax.linear_transpose(lambda a: _unfold(a, *geometry), image)(x)
    return out if input.ndim == 3 else out[0]
