"""Checks of the arguments of functions of images."""

from __future__ import annotations

from functorch_lite._core.api import check, check_type, need_kind

from .._declare import shape_text

_COMBINATIONS = (
    "Supported combinations for non-constant padding:\n"
    "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
    "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
    "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
)
_FILLED = "tensor with possibly 0 batch size and other non-zero dimensions for input, but got:"
WRAPS_TWICE = "Padding value causes wrapping around more than once."


# -- padding -----------------------------------------------------------------------------------------------------------


def pad_widths(input, pad: tuple[int, ...], mode: str, value) -> list[tuple[int, int]]:
    """(before, after) for each dim of input."""
    check_type(isinstance(mode, str), mode, "str", "pad", "mode", 3)
    check(len(pad) % 2 == 0, RuntimeError, "Padding length must be divisible by 2")
    check(
        len(pad) <= 2 * input.ndim,
        RuntimeError,
        "Padding length should be less than or equal to two times the input dimension but got padding length "
        f"{len(pad)} and input of dimension {input.ndim}",
    )
    known = mode in ("constant", "reflect", "replicate", "circular")
    check(known, NotImplementedError, f"Unrecognised padding mode {mode}")
    check_type(not isinstance(value, complex), value, "float", "pad", "value", 4)
    widths = [(0, 0)] * (input.ndim - len(pad) // 2) + [pad[i : i + 2] for i in range(len(pad) - 2, -1, -2)]
    if mode == "constant":
        left = [s + min(a, 0) + min(b, 0) for s, (a, b) in zip(input.shape, widths)]  # torch crops first
        check(all(n >= 0 for n in left), RuntimeError, "narrow(): length must be non-negative.")
        return widths
    check(value is None, RuntimeError, f'Padding mode "{mode}" doesn\'t take in value argument')
    supported = (len(pad), input.ndim) in ((2, 2), (2, 3), (4, 3), (4, 4), (6, 4), (6, 5))
    message = f"Padding size {len(pad)} is not supported for {input.ndim}D input tensor.\n{_COMBINATIONS}"
    check(supported, NotImplementedError, message)
    if mode != "circular":
        _check_kernel(input, len(pad) // 2, widths, mode)
    for axis, (size, width) in enumerate(zip(input.shape, widths)):
        check(mode != "circular" or max(width) <= size, RuntimeError, WRAPS_TWICE)
        check(
            mode != "reflect" or max(width) < size or width == (0, 0),
            RuntimeError,
            "Argument #4: Padding size should be less than the corresponding input dimension, but got: padding "
            f"({width[0]}, {width[1]}) at dimension {axis} of input {shape_text(input)}",
        )
    return widths


def _check_kernel(input, n: int, widths, mode: str) -> None:
    image = input.shape if input.ndim == n + 1 else input.shape[1:]
    message = f"Expected {n + 1}D or {n + 2}D (batch mode) {_FILLED} {shape_text(input)}"
    check(0 not in image, RuntimeError, message)
    lengths = [s + a + b for s, (a, b) in zip(input.shape, widths)][-n:]
    message = f"input {shape_text(input)} is too small. Calculated output sizes: {lengths}"
    check(max(lengths) >= 1 and min(lengths) >= 0, RuntimeError, message)
    need_kind(input, "ifc", f"{'reflection' if mode == 'reflect' else 'replication'}_pad{n}d")


# -- shuffling ---------------------------------------------------------------------------------------------------------


def _check_factor(input, factor: int, prefix: str) -> None:
    name = f"pixel_{prefix}shuffle"
    message = (
        f"{name} expects input to have at least 3 dimensions, but got input with {input.ndim} dimension(s)"
    )
    check(input.ndim >= 3, RuntimeError, message)
    what = f"{'down' if prefix else 'up'}scale_factor"
    check(factor > 0, RuntimeError, f"{name} expects a positive {what}, but got {factor}")


def check_pixel_shuffle(input, r: int) -> None:
    _check_factor(input, r, "")
    overflowed = f"upscale factor is too large, (upscale_factor)^2 overflowed: upscale_factor={r}"
    check(r * r < 2**63, ValueError, overflowed)
    c = input.shape[-3]
    check(
        c % (r * r) == 0,
        RuntimeError,
        "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but "
        f"input.size(-3)={c} is not divisible by {r * r}",
    )


def check_pixel_unshuffle(input, r: int) -> None:
    _check_factor(input, r, "un")
    for what, at in (("height", -2), ("width", -1)):
        size = f"input.size({at})={input.shape[at]} is not divisible by {r}"
        message = f"pixel_unshuffle expects {what} to be divisible by downscale_factor, but {size}"
        check(input.shape[at] % r == 0, RuntimeError, message)


def check_channel_shuffle(input, groups: int) -> None:
    message = f"channel_shuffle expects input with > 2 dims, but got input with sizes {shape_text(input)}"
    check(input.ndim > 2, RuntimeError, message)
    message = f"Number of groups to divide channels in must be positive. Value of groups:{groups}"
    check(groups > 0, RuntimeError, message)
    message = "Number of channels must be divisible by groups. Got "
    c = input.shape[1]
    check(c % groups == 0, RuntimeError, f"{message}{c} channels and {groups} groups.")


# -- sliding blocks ----------------------------------------------------------------------------------------------------


def pair(value, name: str) -> tuple[int, int]:
    """A number for each of two dims."""
    values = (value, value) if isinstance(value, int) else tuple(value)
    check(len(values) == 2, RuntimeError, f"It is expected {name} equals to 2, but got size {len(values)}")
    return values


def blocks(kernel_size, dilation, padding, stride) -> tuple:
    """(kernel, dilation, padding, stride), each with a number for each of two dims."""
    kernel, spread = pair(kernel_size, "kernel_size"), pair(dilation, "dilation")
    border, step = pair(padding, "padding"), pair(stride, "stride")
    for what, values in (("kernel size", kernel), ("dilation", spread), ("stride", step)):
        short = what.partition(" ")[0]
        sizes = f"{short}_height: {values[0]} {short}_width: {values[1]}"
        check(min(values) > 0, RuntimeError, f"{what} should be greater than zero, but got {sizes}")
    message = f"padding should be non-negative, but got pad_height: {border[0]} pad_width: {border[1]}"
    check(min(border) >= 0, RuntimeError, message)
    return kernel, spread, border, step


def block_counts(sizes, kernel, spread, border, step) -> list[int]:
    """The number of blocks along each dim."""
    return [
        (s + 2 * p - d * (k - 1) - 1) // t + 1 for s, k, d, p, t in zip(sizes, kernel, spread, border, step)
    ]


def check_unfold(input, kernel, spread, border, step) -> None:
    ndim = input.ndim
    message = f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got 2)"
    check(ndim >= 3, IndexError, message)
    message = f"Expected 3D or 4D (batch mode) {_FILLED} {shape_text(input)}"
    check(ndim in (3, 4) and 0 not in input.shape[-3:], RuntimeError, message)
    counts = block_counts(input.shape[-2:], kernel, spread, border, step)
    check(
        min(counts) > 0,
        RuntimeError,
        f"Given input with spatial size {input.shape[-2:]}, kernel_size={kernel}, dilation={spread}, "
        f"padding={border}, calculated shape of the array of sliding blocks as {tuple(counts)}, but its components "
        "must be at least one.",
    )
    need_kind(input, "bfc", "im2col_out_cpu")


def check_fold(input, sizes, kernel, spread, border, step) -> None:
    check(
        input.ndim in (2, 3) and 0 not in input.shape[-2:],
        RuntimeError,
        "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for input, but got: "
        f"{shape_text(input)}",
    )
    need_kind(input, "bfc", "col2im_out_cpu")
    columns, count = input.shape[-2:]
    check(
        columns % (kernel[0] * kernel[1]) == 0,
        RuntimeError,
        "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
        f"input.size(1)={columns} and kernel_size={kernel}.",
    )
    high, wide = block_counts(sizes, kernel, spread, border, step)
    check(
        count == high * wide and min(high, wide) > 0,
        RuntimeError,
        f"Given output_size={sizes}, kernel_size={kernel}, dilation={spread}, padding={border}, stride={step}, "
        f"expected size of input's dimension 2 to match the calculated number of sliding blocks {high} * {wide} = "
        f"{high * wide}, but got input.size(2)={count}.",
    )
