"""Checks of normalizations' arguments."""

from __future__ import annotations

import math

import jax.numpy as jnp

from functorch_lite._core.api import check, check_type, is_int, need_kind, scalar_name
from functorch_lite.ops._pointwise import category

from .._declare import shape_text


def _check_mixed(input, *parameters) -> None:
    """Parameters have the input's dtype, or float32 when that is half precision."""
    half = input.dtype in (jnp.float16, jnp.bfloat16)
    what = (
        "all inputs must share same datatype."
        if input.dtype == jnp.float64
        else "expect parameter to have scalar type of Float"
    )
    for p in parameters:
        right = p is None or p.dtype == input.dtype or (half and p.dtype == jnp.float32)
        check(right, RuntimeError, f"mixed dtype (CPU): {what}")


def _check_first(input, *parameters) -> None:
    """Refuses an input without elements where a parameter has none either: torch reads a parameter's first element,
    which is there if there are channels."""
    none = input.size == 0 and any(p is not None and p.size == 0 for p in parameters)
    check(not none, IndexError, "select(): index 0 out of range for tensor of size [0] at dimension 0")


def _check_sizes(channels: int, copies: int | None, **parameters) -> None:
    """`copies`: how often torch repeats each, if it does."""
    times = 1 if copies is None else copies
    for name, p in parameters.items():
        if p is not None:
            message = f"{name} should contain {times * channels} elements not {times * p.size}"
            check(p.size == channels, RuntimeError, message)
            message = (
                "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
            )
            check(copies is None or p.ndim < 2, RuntimeError, message)


def _check_count(count: int, size: str) -> None:
    message = f"Expected more than 1 value per channel when training, got input size {size}"
    check(count != 1, ValueError, message)


def check_batch_norm(input, weight, bias, running_mean, running_var, count: int = 0) -> None:
    """`count`: of how many elements the statistics are made."""
    _check_count(count, f"torch.Size({shape_text(input)})")
    channels, running = input.shape[1] if input.ndim > 1 else 0, (running_mean, running_var)
    _check_sizes(channels, None, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    no_channels = "Dimension out of range (expected to be in range of [-1, 0], but got 1)"
    check(input.ndim > 1 or input.size == 0, IndexError, no_channels)
    need_kind(input, "f", "batch_norm")
    _check_mixed(input, weight, bias, *running)
    for p in running:
        if p is not None and input.size:
            check(p.ndim == 1, RuntimeError, f"TensorAccessor expected 1 dims but tensor has {p.ndim}")
    _check_first(input, weight, bias)


def check_running(running_mean, running_var) -> None:
    for name, p in (("running_mean", running_mean), ("running_var", running_var)):
        check(p is not None, RuntimeError, f"{name} must be defined in evaluation mode")


def _checked_shape(input, normalized_shape, name: str, star: str, **parameters) -> tuple[int, ...]:
    several = not isinstance(normalized_shape, int)
    check_type(several, normalized_shape, "tuple of ints", name, "normalized_shape", 2)
    shape = tuple(normalized_shape)
    given = f"normalized_shape = {list(shape)}"
    check(
        len(shape) > 0,
        RuntimeError,
        f"Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got {given}",
    )
    for what, p in parameters.items():
        same, message = "of same shape as normalized_shape", f"{what} of shape {shape_text(p)} and {given}"
        check(p is None or p.shape == shape, RuntimeError, f"Expected {what} to be {same}, but got {message}")
    message = f"Input tensor must have at least {len(shape)} dimensions, but got {input.ndim}"
    check(input.ndim >= len(shape) or name != "rms_norm", ValueError, message)
    check(
        input.shape[max(input.ndim - len(shape), 0) :] == shape,
        RuntimeError,
        f"Given normalized_shape={list(shape)}, expected input with shape [*{star}{', '.join(map(str, shape))}], but got input "
        f"of size{shape_text(input)}",
    )
    return shape


def of_layer_norm(input, normalized_shape, weight, bias) -> tuple[int, ...]:
    """The sizes over which is normalized."""
    shape = _checked_shape(input, normalized_shape, "layer_norm", ", ", weight=weight, bias=bias)
    need_kind(input, "f", "LayerNormKernelImpl")
    _check_mixed(input, weight, bias)
    return shape


def of_rms_norm(input, normalized_shape, weight) -> tuple[int, ...]:
    """The sizes over which is normalized."""
    shape = _checked_shape(input, normalized_shape, "rms_norm", "", weight=weight)
    need_kind(input, "fc", "rms_norm")
    return shape


def check_group_norm(input, groups: int, weight, bias) -> None:
    message = f"Expected at least 2 dimensions for input tensor but received {input.ndim}"
    check(input.ndim >= 2, RuntimeError, message)
    check(groups != 0, ZeroDivisionError, "integer division or modulo by zero")
    check(groups > 0, RuntimeError, f"Expected num groups to be greater than 0, got {groups}")
    (batch, channels), size = input.shape[:2], shape_text(input)
    _check_count(0 if batch == 0 else input.size // groups, size)
    check(
        channels % groups == 0,
        RuntimeError,
        f"Expected number of channels in input to be divisible by num_groups, but got input of shape {size} and "
        f"num_groups={groups}",
    )
    for name, p in (("weight", weight), ("bias", bias)):
        check(
            p is None or p.shape == (channels,),
            RuntimeError,
            f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of shape "
            f"{shape_text(p)} and input of shape {size}",
        )
    need_kind(input, "f", "GroupNormKernelImpl")
    _check_mixed(input, weight, bias)


def check_instance_norm(input, need_spatial: bool, weight, bias, running_mean, running_var) -> None:
    message = (
        f"Expected more than 1 spatial element when training, got input size torch.Size({shape_text(input)})"
    )
    check(not need_spatial or math.prod(input.shape[2:]) != 1, ValueError, message)
    batch, channels = input.shape[:2]
    _check_sizes(
        channels, batch, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias
    )
    need_kind(input, "f", "batch_norm")
    _check_mixed(input, weight, bias)  # running statistics are cast
    if batch * channels == 0:
        _check_first(input, *[None if p is None else p[:0] for p in (weight, bias)])


def check_local_response_norm(input, size) -> None:
    message = "Expected 3D or higher dimensionality                          input "
    check(input.ndim >= 3, ValueError, f"{message}(got {input.ndim} dimensions)")
    check_type(is_int(size), size, "tuple of ints", "avg_pool2d", "kernel_size", 2)
    check(size > 0, RuntimeError, f"kernel size should be greater than zero, but got kH: {size} kW: 1")
    name = scalar_name(input)
    need_kind(input, "f", f"local_response_norm of {name} is not supported; cast it to float")


def check_cross_map_lrn(input, size) -> None:
    message = f"CrossMapLRN2d: Expected input to be 4D, got {input.ndim}D instead."
    check(input.ndim == 4, ValueError, message)
    message = f"select(): index 0 out of range for tensor of size {list(input.shape)} at dimension 1"
    check(input.shape[1] > 0, IndexError, message)
    computed = "Long" if category(input) == 0 else "Float"
    message = f"result type {computed} can't be cast to the desired output type {scalar_name(input)}"
    check(category(input) >= 2, RuntimeError, message)
    need_kind(input, "fc", "cross_map_lrn")
    check(size != 0, ZeroDivisionError, "float division by zero")
    check(size >= 1, ValueError, f"CrossMapLRN2d: size must be at least 1, but got {size}")
