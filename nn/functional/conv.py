"""Convolutions and transposed convolutions over one, two and three dimensions, batched or not."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np

from functorch_lite._core.api import (
    PRECISION,
    Array,
    SymInt,
    advise,
    check,
    check_memory,
    cpp_name,
    for_cpu,
    no_kernel,
    result_dtype,
    scalar_name,
)
from functorch_lite.ops._pointwise import category

from ._convolve import Window, convolution, gradient_apart, input_gradient, places
from ._declare import beside, compute, nn_op, ntuple, shape_text

__all__ = [
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
]


def _spread(value, n: int, name: str) -> tuple[int, ...]:
    given = value if isinstance(value, int) else list(value)
    return ntuple(
        value,
        n,
        f"expected {name} to be a single integer value or a list of {n} values to match the convolution "
        f"dimensions, but got {name}={given}",
    )


def _by_x(sizes) -> str:
    return "(" + " x ".join(str(s) for s in sizes) + ")"


def _check_bias_type(input, bias) -> None:
    check(
        bias is None or bias.dtype == input.dtype,
        RuntimeError,
        f"Input type ({cpp_name(input)}) and bias type ({cpp_name(input if bias is None else bias)}) should be the same",
    )


def _check_types(kernel: str, input, weight, only_long: bool = False) -> None:
    """only_long: the kernel has int64 of the integers."""
    if category(input) == 0 or (only_long and category(input) == 1 and input.dtype != jnp.int64):
        raise no_kernel(kernel, input)
    if category(input) == 1 and not for_cpu():  # nor has torch's
        raise NotImplementedError(
            f"{no_kernel('convolution', input)} on this device: cuDNN has none of integers; use .cpu() or .double()"
        )
    check(
        input.dtype == weight.dtype,
        RuntimeError,
        f"expected scalar type {scalar_name(input)} but found {scalar_name(weight)}",
    )


def _of_nothing(shape, batched, weight):
    """The convolution where there is nothing to add up: torch makes it of the input and one element of the weight."""
    check(weight.size, IndexError, "select(): index 0 out of range for tensor of size [0] at dimension 0")
    check(
        category(batched) < 3 or batched.dtype == weight.dtype,
        RuntimeError,
        f"Input type ({cpp_name(batched)}) and weight type ({cpp_name(weight)}) should be the same",
    )
    one = jax.ShapeDtypeStruct((), weight.dtype)
    return jnp.zeros(shape, result_dtype(batched, one).np)


def _check_elements(batched, weight, n: int) -> None:
    """Raises where there is nothing to add up in a window."""
    check(
        0 not in batched.shape[2:],
        RuntimeError,
        f"Only zero batch or zero channel inputs are supported, but got input shape: {shape_text(batched)}",
    )
    kernel = (1, *weight.shape[2:]) if n == 1 else weight.shape[2:]
    names = ("height", "width") if n < 3 else ("depth", "height", "width")
    check(
        0 not in kernel,
        RuntimeError,
        f"kernel size should be greater than zero, but got {' '.join(f'kernel_{k}: {v}' for k, v in zip(names, kernel))}",
    )


def _check_common(name, n, input, weight, stride, padding, dilation, groups) -> None:
    check(
        input.ndim in (n + 1, n + 2),
        RuntimeError,
        f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {name}, but got input of size: "
        f"{shape_text(input)}",
    )
    check(
        weight.ndim == n + 2,
        RuntimeError,
        f"expected stride to be a single integer value or a list of {weight.ndim - 2} values to match the convolution "
        f"dimensions, but got stride={list(stride)}",
    )
    check(groups > 0, RuntimeError, "non-positive groups is not supported")
    check(isinstance(padding, str) or min(padding) >= 0, RuntimeError, "negative padding is not supported")
    check(min(stride) > 0, RuntimeError, "non-positive stride is not supported")
    check(min(dilation) > 0, RuntimeError, f"dilation should be greater than zero, but got {list(dilation)}")
    check(
        weight.shape[0] >= groups,
        RuntimeError,
        f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size "
        f"{shape_text(weight)} instead",
    )
    check(
        weight.shape[0] % groups == 0,
        RuntimeError,
        f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
        f"size [{shape_text(weight)}] instead",
    )


def _check_bias(prefix, weight, bias, channels) -> None:
    check(
        bias is None or bias.shape == (channels,),
        RuntimeError,
        f"Given {prefix}weight of size {shape_text(weight)}, expected bias to be 1-dimensional with {channels} "
        f"elements, but got bias of size {shape_text(bias)} instead",
    )


def _widen(*arrays):
    """Half precision in float32 on CPU, which has no half arithmetic; elsewhere as it is."""
    if for_cpu():
        return tuple(None if a is None else compute(a) for a in arrays)
    return arrays


def _numbers(n: int):
    letters = "DHW"[-n:]
    return ("NC" + letters, "OI" + letters, "NC" + letters)


def _xla_convolve(x, w, stride, pads, dilation, groups):
    return jax.lax.conv_general_dilated(
        x,
        w,
        stride,
        pads,
        rhs_dilation=dilation,
        dimension_numbers=_numbers(x.ndim - 2),
        feature_group_count=groups,
        precision=PRECISION["convolution"],
    )


def _convolve_by_taps(x, w, stride, pads, dilation, groups: int):
    """The convolution as one batched matrix product for each tap of the kernel.

    With groups XLA's CPU convolution is slower (a depthwise one 4.4 ms to 0.12 ms, the weight gradient of 8 groups
    129 ms to 1.2 ms).
    """  # hot path
    batch, n = x.shape[0], x.ndim - 2
    x = jax.lax.pad(x, jnp.zeros((), x.dtype), [(0, 0, 0)] * 2 + [(a, b, 0) for a, b in pads])
    counts = places(x.shape[2:], Window(stride, ((0, 0),) * n, dilation), w.shape[2:])
    w = w.reshape((groups, w.shape[0] // groups) + w.shape[1:])
    out = None
    for tap in np.ndindex(*w.shape[3:]):
        starts = [i * d for i, d in zip(tap, dilation)]
        stops = [a + (c - 1) * s + 1 for a, c, s in zip(starts, counts, stride)]
        part = jax.lax.slice(x, (0, 0, *starts), (*x.shape[:2], *stops), (1, 1, *stride))
        part = part.reshape((batch, groups, w.shape[2], math.prod(counts)))
        weights = jnp.broadcast_to(w[(slice(None),) * 3 + tap], (batch, *w.shape[:3]))
        term = jnp.einsum("ngoc,ngcl->ngol", weights, part)
        out = term if out is None else out + term
    return out.reshape((batch, w.shape[0] * w.shape[1], *counts))


def _has_form(x, w) -> bool:
    """Whether a convolution without groups is better computed as `_convolve` does it than by XLA."""
    return for_cpu() and category(x) == 2 and 0 not in x.shape and 0 not in w.shape


def convolve(x, w, stride, pads, dilation, groups: int):
    """The convolution of batched x with w, in the form that is fastest on this platform."""
    if _has_form(x, w) and groups == 1:
        return convolution(x, w, Window(stride, pads, dilation))
    if _has_form(x, w) and math.prod(w.shape[2:]) <= 27:  # the taps cost compile time
        return _convolve_by_taps(x, w, stride, pads, dilation, groups)
    return _xla_convolve(x, w, stride, pads, dilation, groups)


_MANY = 1 << 14
"""Elements of a result from which on its gradient is kept apart."""


def _with_bias(out, b, has_form: bool):
    """The convolution plus a bias for each channel, if there is one."""
    if has_form and out.size >= _MANY:
        out = jnp.moveaxis(out, 1, -1)  # as it was computed
        out = gradient_apart(out if b is None else out + b)
        return jnp.moveaxis(out, -1, 1)
    return out if b is None else out + b.reshape((-1,) + (1,) * (out.ndim - 2))


def _conv(name, n, input, weight, bias, stride, padding, dilation, groups):
    stride, dilation = _spread(stride, n, "stride"), _spread(dilation, n, "dilation")
    if isinstance(padding, str):
        check(padding in ("same", "valid"), RuntimeError, f"Invalid padding string: '{padding}'")
        check(
            padding == "valid" or all(s == 1 for s in stride),
            RuntimeError,
            "padding='same' is not supported for strided convolutions",
        )
    else:
        padding = _spread(padding, n, "padding")
    _check_common(name, n, input, weight, stride, padding, dilation, groups)
    batched = input if input.ndim == n + 2 else input[None]
    check(
        batched.shape[1] == weight.shape[1] * groups,
        RuntimeError,
        f"Given groups={groups}, weight of size {shape_text(weight)}, expected input{shape_text(input)} to have "
        f"{weight.shape[1] * groups} channels, but got {batched.shape[1]} channels instead",
    )
    _check_bias("", weight, bias, weight.shape[0])
    reach = [d * (k - 1) for d, k in zip(dilation, weight.shape[2:])]
    if padding == "valid":
        pads = [(0, 0)] * n
    elif padding == "same":
        pads = [(r // 2, r - r // 2) for r in reach]
    else:
        pads = [(p, p) for p in padding]
    padded = [s + sum(p) for s, p in zip(batched.shape[2:], pads)]
    check(
        all(size > r for size, r in zip(padded, reach)),
        RuntimeError,
        f"Calculated padded input size per channel: {_by_x(padded)}. Kernel size: "
        f"{_by_x(r + 1 for r in reach)}. Kernel size can't be greater than actual input size",
    )
    for shape, sizes in ((batched.shape, padded), (weight.shape, [r + 1 for r in reach])):
        check_memory((*shape[:2], *sizes), input.dtype.itemsize)  # beyond, XLA would end the process
    _check_bias_type(input, bias)
    if 0 in batched.shape[:2]:  # torch gives no channels out for none in
        sizes = places(batched.shape[2:], Window(stride, tuple(pads), dilation), weight.shape[2:])
        shape = (batched.shape[0], weight.shape[0] if batched.shape[1] else 0, *sizes)
        out = _of_nothing(shape, batched, weight)
        return out if input.ndim == n + 2 else out[0]
    _check_elements(batched, weight, n)
    dilated = any(d != 1 for d in dilation)
    plain = "compute_columns3d" if n == 3 else "slow_conv2d_cpu"
    _check_types("slow_conv_dilated<>" if dilated else plain, input, weight, dilated)
    x, w, b = _widen(batched, weight, beside(bias, input, weight))
    out = convolve(x, w, stride, tuple(pads), dilation, groups)
    out = _with_bias(out, b, _has_form(x, w)).astype(input.dtype)
    return out if input.ndim == n + 2 else out[0]


def _uneven(weight, dilation):
    dilations = dilation if isinstance(dilation, tuple | list) else (dilation,) * (weight.ndim - 2)
    if any(d * (k - 1) % 2 for d, k in zip(dilations, weight.shape[2:])):
        advise(
            "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the input be created"
        )
    return weight, dilation


_UNEVEN = ("padding == 'same'", "weight, dilation", _uneven)


@nn_op(asks=(_UNEVEN,), grad="Convolution", autocast="lower")
def conv1d(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: int | tuple[int, ...] = 1,
    padding: str | int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    groups: SymInt = 1,
):
    """Cross-correlates input (N, C, L) with weight (O, C / groups, K).

    The result is (N, O, (L + 2 padding − dilation (K − 1) − 1) // stride + 1). padding: a number for each dim, "valid" or "same". Raises RuntimeError for channels that do not fit.

    >>> F.conv1d(torch.tensor([[[1., 2., 3.]]]), torch.tensor([[[1., -1.]]])).tolist()
    [[[-1.0, -1.0]]]
    """
    return _conv("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


@nn_op(asks=(_UNEVEN,), grad="Convolution", autocast="lower")
def conv2d(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: int | tuple[int, ...] = 1,
    padding: str | int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    groups: SymInt = 1,
):
    """Cross-correlates input (N, C, H, W) with weight (O, C / groups, KH, KW).

    >>> F.conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 3, 3))
    tensor([[[[9.]]]])
    """
    return _conv("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


@nn_op(asks=(_UNEVEN,), grad="Convolution", autocast="lower")
def conv3d(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: int | tuple[int, ...] = 1,
    padding: str | int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    groups: SymInt = 1,
):
    """Cross-correlates input (N, C, D, H, W) with weight (O, C / groups, KD, KH, KW).

    padding: a number for each dim, "valid" or "same". Raises RuntimeError for channels that do not fit.

    >>> tuple(F.conv3d(torch.ones(1, 2, 5, 6, 7), torch.ones(4, 2, 3, 3, 3), padding=1).shape)
    (1, 4, 5, 6, 7)
    """
    return _conv("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)


@nn_op(autocast="lower", float8=True)
def conv_tbc(input: Array, weight: Array, bias: Array, pad: int = 0):
    """conv1d of input (T, N, C) with weight (K, C, O): time first, channels last.

    >>> tuple(F.conv_tbc(torch.ones(7, 2, 3), torch.ones(3, 3, 5), torch.zeros(5), pad=1).shape)
    (7, 2, 5)
    """
    check(input.ndim == 3, RuntimeError, "Input must have 3 dims: time, batch, in_channel")
    check(
        weight.ndim == 3,
        RuntimeError,
        "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.",
    )
    check(bias.ndim == 1, RuntimeError, "Bias must be 1-D")
    check(
        input.shape[2] == weight.shape[1],
        RuntimeError,
        "Input dim 2 (input channels) is not == dim 1 in the weight tensor",
    )
    check(
        bias.shape[0] == weight.shape[2],
        RuntimeError,
        "Bias size must equal dim 2 in the weight tensor (output channels).",
    )
    steps = input.shape[0] + 2 * pad - weight.shape[0] + 1
    check(
        steps >= 0,
        RuntimeError,
        f"Trying to create tensor with negative dimension {steps}: {[steps, input.shape[1], weight.shape[2]]}",
    )
    meets = any(min(input.shape[0] + pad - k, steps) > max(0, pad - k) for k in range(weight.shape[0]))
    if meets:
        _check_types("addmm_impl_cpu_", input, weight)
    if not (weight.size and meets):
        return jnp.broadcast_to(bias.astype(input.dtype), (steps, input.shape[1], weight.shape[2]))
    # the result starts as a copy of the bias, in the input's dtype
    x, w, b = _widen(input.transpose(1, 2, 0), weight.transpose(2, 1, 0), bias.astype(input.dtype))
    out = convolve(x, w, (1,), ((pad, pad),), (1,), 1).transpose(2, 0, 1)
    return (out + b).astype(input.dtype)


def _conv_transpose(name, n, input, weight, bias, stride, padding, output_padding, groups, dilation):
    check(
        not isinstance(padding, str),
        TypeError,
        f"{name}(): argument 'padding' must be tuple of ints, not str",
    )
    stride, dilation = _spread(stride, n, "stride"), _spread(dilation, n, "dilation")
    padding, extra = _spread(padding, n, "padding"), _spread(output_padding, n, "output_padding")
    check(min(extra) >= 0, RuntimeError, "negative output_padding is not supported")
    _check_common(name, n, input, weight, stride, padding, dilation, groups)
    batched = input if input.ndim == n + 2 else input[None]
    check(
        batched.shape[1] == weight.shape[0],
        RuntimeError,
        f"Given transposed=1, weight of size {shape_text(weight)}, expected input{shape_text(input)} to have "
        f"{weight.shape[0]} channels, but got {batched.shape[1]} channels instead",
    )
    _check_bias("transposed=1, ", weight, bias, weight.shape[1] * groups)
    if any(e >= s and e >= d for e, s, d in zip(extra, stride, dilation)):
        axes = ("depth", "height", "width")[-n:]
        parts = [
            f"{what}_{axis}: {value}"
            for what, values in (("output_padding", extra), ("stride", stride), ("dilation", dilation))
            for axis, value in zip(axes, values)
        ]
        raise RuntimeError(
            f"output padding must be smaller than either stride or dilation, but got {' '.join(parts)}"
        )
    reach = [d * (k - 1) for d, k in zip(dilation, weight.shape[2:])]
    sizes = [
        (size - 1) * s - 2 * p + r + e + 1
        for size, s, p, r, e in zip(batched.shape[2:], stride, padding, reach, extra)
    ]
    check(
        min(sizes) > 0,
        RuntimeError,
        f"Given input size per channel: {_by_x(batched.shape[2:])}. Calculated output size per channel: "
        f"{_by_x(sizes)}. Output size is too small",
    )
    spread = [(size - 1) * s + 1 for size, s in zip(batched.shape[2:], stride)]
    for shape, wide in ((batched.shape, spread), (weight.shape, [r + 1 for r in reach])):
        check_memory((*shape[:2], *wide), input.dtype.itemsize)  # beyond, XLA would end the process
    if not batched.shape[0]:
        _check_bias_type(input, bias)
        return _of_nothing((0, weight.shape[1] * groups, *sizes), batched, weight)
    _check_elements(batched, weight, n)
    check(weight.size > 0, RuntimeError, f"non-empty weight tensor expected, but got: {shape_text(weight)}")
    _check_types(f"slow_conv_transpose{max(n, 2)}d_out_cpu", input, weight, True)
    _check_bias_type(input, bias)
    x, w, b = _widen(batched, weight, beside(bias, input, weight))
    if _has_form(x, w) and groups == 1:
        # the last rows that output_padding adds are read by no window
        pads = tuple((p, p - e) for p, e in zip(padding, extra))
        out = input_gradient(w, x, Window(stride, pads, dilation), tuple(sizes))
    else:
        # (in, out / groups, ...) -> (out, in / groups, ...), turned around
        w = w.reshape((groups, w.shape[0] // groups) + w.shape[1:]).swapaxes(1, 2)
        w = jnp.flip(w.reshape((-1,) + w.shape[2:]), range(2, n + 2))
        pads = [(r - p, r - p + e) for r, p, e in zip(reach, padding, extra)]
        out = jax.lax.conv_general_dilated(
            x, w, (1,) * n, pads, stride, dilation,
            dimension_numbers=_numbers(n), feature_group_count=groups, precision=PRECISION["convolution"],
        )  # fmt: skip
    out = _with_bias(out, b, _has_form(x, w)).astype(input.dtype)
    return out if input.ndim == n + 2 else out[0]


@nn_op(grad="Convolution", autocast="lower")
def conv_transpose1d(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    output_padding: int | tuple[int, ...] = 0,
    groups: SymInt = 1,
    dilation: int | tuple[int, ...] = 1,
):
    """The transpose (the gradient with respect to the input) of conv1d; weight: (C, O / groups, K).

    The result's length is (L − 1) stride − 2 padding + dilation (K − 1) + output_padding + 1.

    >>> F.conv_transpose1d(torch.tensor([[[1., 2.]]]), torch.tensor([[[1., 10.]]]), stride=2).tolist()
    [[[1.0, 10.0, 2.0, 20.0]]]
    """
    return _conv_transpose(
        "conv_transpose1d", 1, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


@nn_op(grad="Convolution", autocast="lower")
def conv_transpose2d(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    output_padding: int | tuple[int, ...] = 0,
    groups: SymInt = 1,
    dilation: int | tuple[int, ...] = 1,
):
    """The transpose (the gradient with respect to the input) of conv2d; weight: (C, O / groups, KH, KW).

    >>> tuple(F.conv_transpose2d(torch.ones(1, 3, 4, 4), torch.ones(3, 2, 2, 2), stride=2).shape)
    (1, 2, 8, 8)
    """
    return _conv_transpose(
        "conv_transpose2d", 2, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


@nn_op(grad="Convolution", autocast="lower")
def conv_transpose3d(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    output_padding: int | tuple[int, ...] = 0,
    groups: SymInt = 1,
    dilation: int | tuple[int, ...] = 1,
):
    """The transpose (the gradient with respect to the input) of conv3d; weight: (C, O / groups, KD, KH, KW).

    >>> tuple(F.conv_transpose3d(torch.ones(1, 3, 4, 4, 4), torch.ones(3, 2, 2, 2, 2), stride=2).shape)
    (1, 2, 8, 8, 8)
    """
    return _conv_transpose(
        "conv_transpose3d", 3, input, weight, bias, stride, padding, output_padding, groups, dilation
    )
