"""Checks of convolutions' arguments; `n` is the number of dims that are convolved."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from functorch_lite._core.api import (
    check,
    check_memory,
    check_scalar_type,
    check_type,
    cpp_name,
    for_cpu,
    no_kernel,
)
from functorch_lite.ops._pointwise import category

from .._declare import ntuple, shape_text

_AXES = ("depth", "height", "width")


def _spread(value, n: int, name: str) -> tuple[int, ...]:
    given = value if isinstance(value, int) else list(value)
    message = f"expected {name} to be a single integer value or a list of {n} values to match the convolution dimensions"
    return ntuple(value, n, f"{message}, but got {name}={given}")


def spread(
    name, n, stride, padding, dilation, extra=None
) -> tuple[tuple[int, ...], Any, tuple[int, ...], Any]:
    """Each as a number for each dim; padding may be a word, but of a transposed convolution, which has `extra`, its
    output_padding."""
    word = isinstance(padding, str)
    check_type(extra is None or not word, padding, "tuple of ints", name, "padding")
    stride, dilation = _spread(stride, n, "stride"), _spread(dilation, n, "dilation")
    padding = padding if word else _spread(padding, n, "padding")
    check(not word or padding in ("same", "valid"), RuntimeError, f"Invalid padding string: '{padding}'")
    fits = padding != "same" or all(s == 1 for s in stride)
    check(fits, RuntimeError, "padding='same' is not supported for strided convolutions")
    return stride, padding, dilation, extra if extra is None else _spread(extra, n, "output_padding")


def check_shapes(name, n, input, weight, bias, stride, padding, dilation, groups, extra=None) -> None:
    """extra: the output_padding of a transposed convolution."""
    check(min(extra or (0,)) >= 0, RuntimeError, "negative output_padding is not supported")
    check(
        input.ndim in (n + 1, n + 2),
        RuntimeError,
        f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {name}, but got input of size: {shape_text(input)}",
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
    size, sentence = shape_text(weight), f"Given groups={groups}, expected weight to be"
    message = f"{sentence} at least {groups} at dimension 0, but got weight of size {size} instead"
    check(weight.shape[0] >= groups, RuntimeError, message)
    message = f"{sentence} divisible by {groups} at dimension 0, but got weight of size [{size}] instead"
    check(weight.shape[0] % groups == 0, RuntimeError, message)
    _check_channels(n, input, weight, bias, groups, extra is not None)
    if extra is not None:
        _check_output_padding(n, extra, stride, dilation)


def _check_channels(n, input, weight, bias, groups, transposed: bool) -> None:
    size, got = shape_text(weight), input.shape[-n - 1]
    wanted, out = weight.shape[1] * groups, weight.shape[0]
    given = f"groups={groups}, ", ""
    if transposed:
        wanted, out, given = out, wanted, ("transposed=1, ",) * 2
    check(
        got == wanted,
        RuntimeError,
        f"Given {given[0]}weight of size {size}, expected input{shape_text(input)} to have {wanted} channels, but got {got} "
        "channels instead",
    )
    check(
        bias is None or bias.shape == (out,),
        RuntimeError,
        f"Given {given[1]}weight of size {size}, expected bias to be 1-dimensional with {out} elements, but got bias of size "
        f"{shape_text(bias)} instead",
    )


def _named(what: str, values, n: int) -> str:
    return " ".join(f"{what}_{axis}: {value}" for axis, value in zip(_AXES[-n:], values))


def _check_output_padding(n, extra, stride, dilation) -> None:
    parts = _named("output_padding", extra, n), _named("stride", stride, n), _named("dilation", dilation, n)
    message = f"output padding must be smaller than either stride or dilation, but got {' '.join(parts)}"
    check(all(e < s or e < d for e, s, d in zip(extra, stride, dilation)), RuntimeError, message)


def _by_x(sizes) -> str:
    return "(" + " x ".join(str(s) for s in sizes) + ")"


def _check_memory(n, input, weight, sizes, kernel) -> None:
    """Beyond, XLA would end the process."""
    lead = input.shape[:2] if input.ndim == n + 2 else (1, input.shape[0])
    for shape in ((*lead, *sizes), (*weight.shape[:2], *kernel)):
        check_memory(shape, input.dtype.itemsize)


def check_window(n, input, weight, bias, padded, kernel) -> None:
    """`padded`: the sizes with their padding; `kernel`: the sizes of the kernel, dilated."""
    check(
        all(size >= k for size, k in zip(padded, kernel)),
        RuntimeError,
        f"Calculated padded input size per channel: {_by_x(padded)}. Kernel size: {_by_x(kernel)}. Kernel size can't be greater "
        "than actual input size",
    )
    _check_memory(n, input, weight, padded, kernel)
    check_bias_type(input, bias)


def check_transposed(n, input, weight, sizes, spread, kernel) -> None:
    """`sizes` are the sizes of the result; `spread` are the sizes of the input, with zeros between."""
    check(
        min(sizes) > 0,
        RuntimeError,
        f"Given input size per channel: {_by_x(input.shape[-n:])}. Calculated output size per channel: {_by_x(sizes)}. Output "
        "size is too small",
    )
    _check_memory(n, input, weight, spread, kernel)


def check_bias_type(input, bias) -> None:
    if bias is not None:
        message = f"Input type ({cpp_name(input)}) and bias type ({cpp_name(bias)}) should be the same"
        check(bias.dtype == input.dtype, RuntimeError, message)


def check_nothing(batched, weight, bias) -> None:
    check_bias_type(batched, bias)
    check(weight.size, IndexError, "select(): index 0 out of range for tensor of size [0] at dimension 0")
    message = f"Input type ({cpp_name(batched)}) and weight type ({cpp_name(weight)}) should be the same"
    check(category(batched) < 3 or batched.dtype == weight.dtype, RuntimeError, message)


def check_kernel(kernel: str, n: int, batched, weight, bias, only_long: bool = False) -> None:
    """Checks that there is something to add up in a window, and that torch's kernel has these dtypes."""
    message = (
        f"Only zero batch or zero channel inputs are supported, but got input shape: {shape_text(batched)}"
    )
    check(0 not in batched.shape[2:], RuntimeError, message)
    sizes = (1, *weight.shape[2:]) if n == 1 else weight.shape[2:]
    message = f"kernel size should be greater than zero, but got {_named('kernel', sizes, len(sizes))}"
    check(0 not in sizes, RuntimeError, message)
    check(weight.size > 0, RuntimeError, f"non-empty weight tensor expected, but got: {shape_text(weight)}")
    check_types(kernel, batched, weight, only_long)
    check_bias_type(batched, bias)


def check_types(kernel: str, input, weight, only_long: bool = False) -> None:
    """only_long: the kernel has int64 of the integers."""
    if category(input) == 0 or (only_long and category(input) == 1 and input.dtype != jnp.int64):
        raise no_kernel(kernel, input)
    if category(input) == 1 and not for_cpu():  # nor has torch's
        raise NotImplementedError(
            f"{no_kernel('convolution', input)} on this device: cuDNN has none of integers; use .cpu() or .double()"
        )
    check_scalar_type(input, weight)


def check_tbc(input, weight, bias, pad: int) -> None:
    check(input.ndim == 3, RuntimeError, "Input must have 3 dims: time, batch, in_channel")
    message = "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels."
    check(weight.ndim == 3, RuntimeError, message)
    check(bias.ndim == 1, RuntimeError, "Bias must be 1-D")
    message = "Input dim 2 (input channels) is not == dim 1 in the weight tensor"
    check(input.shape[2] == weight.shape[1], RuntimeError, message)
    message = "Bias size must equal dim 2 in the weight tensor (output channels)."
    check(bias.shape[0] == weight.shape[2], RuntimeError, message)
    steps = input.shape[0] + 2 * pad - weight.shape[0] + 1
    shape = [steps, input.shape[1], weight.shape[2]]
    check(steps >= 0, RuntimeError, f"Trying to create tensor with negative dimension {steps}: {shape}")
