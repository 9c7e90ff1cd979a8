"""Images: padding, shuffling between channels and pixels, and sliding blocks (unfold, fold)."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np

from functorch_lite._core.api import ENDS, Array, Number, SymInt, check, need_kind, no_kernel, reads
from functorch_lite.ops._pointwise import category
from functorch_lite.ops.shape import fills, padded

from ._declare import nn_op, shape_text

__all__ = ["channel_shuffle", "fold", "pad", "pixel_shuffle", "pixel_unshuffle", "unfold"]

_COMBINATIONS = (
    "Supported combinations for non-constant padding:\n"
    "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
    "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
    "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
)


def _places(size: int, before: int, after: int, mode: str) -> np.ndarray:
    """For each place of the padded dim the place of the input that it shows."""
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
            part = jnp.flip(part, axis)
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
    """Whether PyTorch pads by a kernel of its table of autocast."""
    width, mode = static[0], static[1]
    return mode == "replicate" or (mode == "reflect" and len(width) < 6)


@nn_op(asks=_VALUE, numbers=fills, autocast=("float", None), autocast_if=_is_reflected, float8=True)
def pad(input: Array, pad: tuple[int, ...], mode: str = "constant", value: Number | None = None):
    """input with borders; `pad` gives (before, after) from the last dim backwards, negative crops.

    mode: "constant" (with `value`, 0 by default), "reflect", "replicate" or "circular".

    >>> F.pad(torch.tensor([1.0, 2.0]), (1, 0))
    tensor([0., 1., 2.])
    """
    message = f"pad(): argument 'mode' (position 3) must be str, not {type(mode).__name__}"
    check(isinstance(mode, str), TypeError, message)
    pad = tuple(pad)
    check(len(pad) % 2 == 0, RuntimeError, "Padding length must be divisible by 2")
    check(
        len(pad) <= 2 * input.ndim,
        RuntimeError,
        "Padding length should be less than or equal to two times the input dimension but got padding length "
        f"{len(pad)} and input of dimension {input.ndim}",
    )
    if mode not in ("constant", "reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    widths = [(0, 0)] * (input.ndim - len(pad) // 2) + [pad[i : i + 2] for i in range(len(pad) - 2, -1, -2)]
    check(
        not isinstance(value, complex),
        TypeError,
        "pad(): argument 'value' (position 4) must be float, not complex",
    )
    if mode == "constant":
        left = [s + min(a, 0) + min(b, 0) for s, (a, b) in zip(input.shape, widths)]  # torch crops first
        check(all(n >= 0 for n in left), RuntimeError, "narrow(): length must be non-negative.")
        return padded(input, 0 if value is None else value, [(a, b, 0) for a, b in widths])
    check(value is None, RuntimeError, f'Padding mode "{mode}" doesn\'t take in value argument')
    if (len(pad), input.ndim) not in ((2, 2), (2, 3), (4, 3), (4, 4), (6, 4), (6, 5)):
        raise NotImplementedError(
            f"Padding size {len(pad)} is not supported for {input.ndim}D input tensor.\n{_COMBINATIONS}"
        )
    out, n = input, len(pad) // 2
    image = input.shape if input.ndim == n + 1 else input.shape[1:]
    check(
        mode == "circular" or 0 not in image,
        RuntimeError,
        f"Expected {n + 1}D or {n + 2}D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
        f"but got: {shape_text(input)}",
    )
    lengths = [s + a + b for s, (a, b) in zip(input.shape, widths)][-n:]
    check(
        mode == "circular" or (max(lengths) >= 1 and min(lengths) >= 0),
        RuntimeError,
        f"input {shape_text(input)} is too small. Calculated output sizes: {lengths}",
    )
    if mode != "circular" and category(input) == 0:
        kernel = "reflection" if mode == "reflect" else "replication"
        raise no_kernel(f"{kernel}_pad{n}d", input)
    for axis, (before, after) in enumerate(widths):
        size = input.shape[axis]
        if (before, after) == (0, 0):
            continue
        if mode == "circular":
            check(
                before <= size and after <= size,
                RuntimeError,
                "Padding value causes wrapping around more than once.",
            )
        if mode == "reflect":
            check(
                before < size and after < size,
                RuntimeError,
                "Argument #4: Padding size should be less than the corresponding input dimension, but got: padding "
                f"({before}, {after}) at dimension {axis} of input {shape_text(input)}",
            )
        places = _places(size, before, after, mode) if size else np.zeros(0, int)
        if mode == "circular" and (before < 0 or after < 0):  # torch crops first, and wraps what is left
            left = np.arange(size)[max(-before, 0) : size - max(-after, 0)]
            head, tail = left[max(len(left) - before, 0) :] if before > 0 else left[:0], left[: max(after, 0)]
            places = np.concatenate([head, left, tail])
            check(
                len(places) == size + before + after,
                RuntimeError,
                "Padding value causes wrapping around more than once.",
            )
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
    check(
        input.ndim >= 3,
        RuntimeError,
        f"pixel_shuffle expects input to have at least 3 dimensions, but got input with {input.ndim} dimension(s)",
    )
    r = upscale_factor
    check(r > 0, RuntimeError, f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    overflowed = f"upscale factor is too large, (upscale_factor)^2 overflowed: upscale_factor={r}"
    check(r * r < 2**63, ValueError, overflowed)
    *lead, c, h, w = input.shape
    check(
        c % (r * r) == 0,
        RuntimeError,
        "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but "
        f"input.size(-3)={c} is not divisible by {r * r}",
    )
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
    check(
        input.ndim >= 3,
        RuntimeError,
        f"pixel_unshuffle expects input to have at least 3 dimensions, but got input with {input.ndim} dimension(s)",
    )
    r = downscale_factor
    check(r > 0, RuntimeError, f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    *lead, c, h, w = input.shape
    for what, size, at in (("height", h, -2), ("width", w, -1)):
        check(
            size % r == 0,
            RuntimeError,
            f"pixel_unshuffle expects {what} to be divisible by downscale_factor, but input.size({at})={size} is not "
            f"divisible by {r}",
        )
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
    check(
        input.ndim > 2,
        RuntimeError,
        f"channel_shuffle expects input with > 2 dims, but got input with sizes {shape_text(input)}",
    )
    check(
        groups > 0,
        RuntimeError,
        f"Number of groups to divide channels in must be positive. Value of groups:{groups}",
    )
    c = input.shape[1]
    check(
        c % groups == 0,
        RuntimeError,
        f"Number of channels must be divisible by groups. Got {c} channels and {groups} groups.",
    )
    split = input.reshape((input.shape[0], groups, c // groups, *input.shape[2:]))
    return split.swapaxes(1, 2).reshape(input.shape)


def _pair(value, name: str) -> tuple[int, int]:
    if isinstance(value, int):
        return value, value
    values = tuple(value)
    check(len(values) == 2, RuntimeError, f"It is expected {name} equals to 2, but got size {len(values)}")
    return values


def _block_geometry(kernel_size, dilation, padding, stride):
    kernel, spread = _pair(kernel_size, "kernel_size"), _pair(dilation, "dilation")
    border, step = _pair(padding, "padding"), _pair(stride, "stride")
    for what, short, values in (
        ("kernel size", "kernel", kernel),
        ("dilation", "dilation", spread),
        ("stride", "stride", step),
    ):
        check(
            min(values) > 0,
            RuntimeError,
            f"{what} should be greater than zero, but got {short}_height: {values[0]} {short}_width: {values[1]}",
        )
    check(
        min(border) >= 0,
        RuntimeError,
        f"padding should be non-negative, but got pad_height: {border[0]} pad_width: {border[1]}",
    )
    return kernel, spread, border, step


def _block_counts(sizes, kernel, spread, border, step) -> list[int]:
    return [
        (s + 2 * p - d * (k - 1) - 1) // t + 1 for s, k, d, p, t in zip(sizes, kernel, spread, border, step)
    ]


def _unfold(x, kernel, spread, border, step):
    """(N, C, H, W) to (N, C kh kw, blocks)."""
    counts = _block_counts(x.shape[2:], kernel, spread, border, step)
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
    kernel, spread, border, step = _block_geometry(kernel_size, dilation, padding, stride)
    if input.ndim < 3:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-input.ndim}, {input.ndim - 1}], but got 2)"
        )
    check(
        input.ndim in (3, 4) and 0 not in input.shape[-3:],
        RuntimeError,
        "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
        f"but got: {shape_text(input)}",
    )
    counts = _block_counts(input.shape[-2:], kernel, spread, border, step)
    check(
        min(counts) > 0,
        RuntimeError,
        f"Given input with spatial size {input.shape[-2:]}, kernel_size={kernel}, dilation={spread}, "
        f"padding={border}, calculated shape of the array of sliding blocks as {tuple(counts)}, but its components "
        "must be at least one.",
    )
    if category(input) == 1:
        raise no_kernel("im2col_out_cpu", input)
    out = _unfold(input if input.ndim == 4 else input[None], kernel, spread, border, step)
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
    sizes = _pair(output_size, "output_size")
    kernel, spread, border, step = _block_geometry(kernel_size, dilation, padding, stride)
    check(
        input.ndim in (2, 3) and 0 not in input.shape[-2:],
        RuntimeError,
        "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
        f"input, but got: {shape_text(input)}",
    )
    need_kind(input, "bfc", "col2im_out_cpu")
    x = input if input.ndim == 3 else input[None]
    area = math.prod(kernel)
    check(
        x.shape[1] % area == 0,
        RuntimeError,
        "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
        f"input.size(1)={x.shape[1]} and kernel_size={kernel}.",
    )
    counts = _block_counts(sizes, kernel, spread, border, step)
    check(
        x.shape[2] == math.prod(counts) and min(counts) > 0,
        RuntimeError,
        f"Given output_size={sizes}, kernel_size={kernel}, dilation={spread}, padding={border}, stride={step}, "
        f"expected size of input's dimension 2 to match the calculated number of sliding blocks {counts[0]} * "
        f"{counts[1]} = {math.prod(counts)}, but got input.size(2)={x.shape[2]}.",
    )
    if category(x) == 0:  # the sum of bools is their disjunction
        return fold(input.astype(jnp.float32), output_size, kernel_size, dilation, padding, stride) != 0
    image = jax.ShapeDtypeStruct((x.shape[0], x.shape[1] // area, *sizes), x.dtype)
    (out,) = jax.linear_transpose(lambda a: _unfold(a, kernel, spread, border, step), image)(x)
    return out if input.ndim == 3 else out[0]
