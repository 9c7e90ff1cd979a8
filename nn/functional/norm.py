"""Normalization: batch, layer, group, instance, root-mean-square and local response.

All compute in float32 at least. The batch statistics carry a derivative written by hand (exact, to every order): it
spares the pass over the data that would compute the mean of deviations from the mean, which is 0.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from functorch_lite._core.api import (
    ENDS,
    Array,
    Number,
    Real,
    check,
    dtype_of,
    is_int,
    need_kind,
    no_kernel,
    reads,
    scalar_name,
)
from functorch_lite.ops._pointwise import category
from functorch_lite.ops.decompose import without_derivative

from ._declare import beside, compute, nn_op, shape_text
from .pool import window_slices

__all__ = ["group_norm", "instance_norm", "layer_norm", "local_response_norm", "rms_norm"]


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def moments(x, axes):
    """The mean and the biased variance over `axes`, kept as dims of size 1."""  # hot path
    mean = jnp.mean(x, axes, keepdims=True)
    centred = x - mean
    return mean, jnp.mean(centred * centred, axes, keepdims=True)


@moments.defjvp
def _moments_jvp(axes, primals, tangents):
    (x,), (dx,) = primals, tangents
    mean, var = moments(x, axes)
    return (mean, var), (
        jnp.mean(dx, axes, keepdims=True),
        2 * jnp.mean((x - mean) * dx, axes, keepdims=True),
    )


def _scale_and_shift(x, mean, var, eps, weight, bias):
    """(x - mean) / sqrt(var + eps) * weight + bias; weight and bias broadcast."""
    scale = jax.lax.rsqrt(var + eps)
    if weight is not None:
        scale = scale * compute(weight)
    out = (x - mean) * scale
    return out if bias is None else out + compute(bias)


def _check_mixed(input, *parameters) -> None:
    """Parameters have the input's dtype, or float32 when that is half precision."""
    given = [p for p in parameters if p is not None]
    half = input.dtype in (jnp.float16, jnp.bfloat16)
    for p in given:
        if p.dtype == input.dtype or (half and p.dtype == jnp.float32):
            continue
        if input.dtype == jnp.float64:
            raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")
        raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")


def _check_sizes(channels: int, **parameters) -> None:
    for name, p in parameters.items():
        check(
            p is None or p.size == channels,
            RuntimeError,
            f"{name} should contain {channels} elements not {0 if p is None else p.size}",
        )


def _by_channel(p, ndim: int):
    return None if p is None else p.reshape((1, -1) + (1,) * (ndim - 2))


def _check_batch_norm(input, weight, bias, running_mean, running_var) -> int:
    channels = input.shape[1] if input.ndim > 1 else 0
    _check_sizes(channels, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    no_channels = "Dimension out of range (expected to be in range of [-1, 0], but got 1)"
    check(input.ndim > 1 or input.size == 0, IndexError, no_channels)
    need_kind(input, "f", "batch_norm")
    _check_mixed(input, weight, bias, running_mean, running_var)
    for p in (running_mean, running_var):
        if p is not None and p.ndim != 1 and input.size:
            raise RuntimeError(f"TensorAccessor expected 1 dims but tensor has {p.ndim}")
    _check_first(input, weight, bias)
    return channels


def _check_first(input, *parameters) -> None:
    """Of an input without elements torch reads a parameter's first element, which is there if there are channels."""
    none = input.size == 0 and any(p is not None and p.size == 0 for p in parameters)
    check(not none, IndexError, "select(): index 0 out of range for tensor of size [0] at dimension 0")


@nn_op(grad="NativeBatchNorm")
def _batch_norm_train(
    input: Array,
    weight: Array | None,
    bias: Array | None,
    running_mean: Array | None,
    running_var: Array | None,
    momentum: Number = 0.1,
    eps: Number = 1e-5,
):
    """(input normalized by its own statistics over all dims but 1, new running mean, new running variance).

    Where a running statistic is None, the batch's own takes its place in the result.
    """
    count = input.size // max(input.shape[1] if input.ndim > 1 else 1, 1)
    check(
        count != 1,
        ValueError,
        f"Expected more than 1 value per channel when training, got input size torch.Size({shape_text(input)})",
    )
    channels = _check_batch_norm(input, weight, bias, running_mean, running_var)
    x = compute(input)
    if count == 0:  # a batch of nothing has no statistics: the running ones stay
        out = _scale_and_shift(
            x,
            0.0,
            jnp.ones((), x.dtype),
            eps,
            _by_channel(weight, x.ndim),
            _by_channel(beside(bias, input, weight), x.ndim),
        )
        kept = [jnp.zeros(channels, x.dtype) if r is None else r for r in (running_mean, running_var)]
        return out.astype(input.dtype), *kept
    mean, var = moments(x, tuple(i for i in range(input.ndim) if i != 1))
    out = _scale_and_shift(
        x, mean, var, eps, _by_channel(weight, x.ndim), _by_channel(beside(bias, input, weight), x.ndim)
    )

    def updated(running, batch):
        batch = jax.lax.stop_gradient(batch.reshape(channels))
        if running is None:
            return batch
        return (compute(running) * (1 - momentum) + batch * momentum).astype(running.dtype)

    unbiased = var * (count / max(count - 1, 1))
    return out.astype(input.dtype), updated(running_mean, mean), updated(running_var, unbiased)


@nn_op(grad="NativeBatchNorm")
def _batch_norm_eval(
    input: Array,
    weight: Array | None,
    bias: Array | None,
    running_mean: Array | None,
    running_var: Array | None,
    eps: Number = 1e-5,
):
    """input normalized by the running statistics."""
    check(running_mean is not None, RuntimeError, "running_mean must be defined in evaluation mode")
    check(running_var is not None, RuntimeError, "running_var must be defined in evaluation mode")
    _check_batch_norm(input, weight, bias, running_mean, running_var)
    x, n = compute(input), input.ndim
    mean, var = _by_channel(compute(running_mean), n), _by_channel(compute(running_var), n)
    out = _scale_and_shift(
        x, mean, var, eps, _by_channel(weight, n), _by_channel(beside(bias, input, weight), n)
    )
    if weight is None:
        out = reads(out, input, then=ENDS)
    return out.reshape(input.shape).astype(input.dtype)  # a vector without elements stays one


def _check_shape(name, input, normalized_shape, star: str, **parameters) -> tuple[int, ...]:
    if isinstance(normalized_shape, int):
        raise TypeError(f"{name}(): argument 'normalized_shape' (position 2) must be tuple of ints, not int")
    shape = tuple(normalized_shape)
    check(
        len(shape) > 0,
        RuntimeError,
        "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
        f"normalized_shape = {list(shape)}",
    )
    for what, p in parameters.items():
        check(
            p is None or p.shape == shape,
            RuntimeError,
            f"Expected {what} to be of same shape as normalized_shape, but got {what} of shape {shape_text(p)} and "
            f"normalized_shape = {list(shape)}",
        )
    check(
        input.ndim >= len(shape) or name != "rms_norm",
        ValueError,
        f"Input tensor must have at least {len(shape)} dimensions, but got {input.ndim}",
    )
    check(
        input.shape[max(input.ndim - len(shape), 0) :] == shape,
        RuntimeError,
        f"Given normalized_shape={list(shape)}, expected input with shape [*{star}"
        f"{', '.join(str(s) for s in shape)}], but got input of size{shape_text(input)}",
    )
    return shape


@nn_op(grad="NativeLayerNorm", autocast=(None, "float"))
def layer_norm(
    input: Array,
    normalized_shape: tuple[int, ...],
    weight: Array | None = None,
    bias: Array | None = None,
    eps: Real = 1e-5,
):
    """input normalized over its last dims, which have `normalized_shape` (Ba et al. 2016, arXiv:1607.06450).

    >>> F.layer_norm(torch.tensor([[1.0, 3.0]]), (2,), eps=0.0)
    tensor([[-1.,  1.]])
    """
    shape = _check_shape("layer_norm", input, normalized_shape, ", ", weight=weight, bias=bias)
    need_kind(input, "f", "LayerNormKernelImpl")
    _check_mixed(input, weight, bias)
    x = compute(input)
    mean, var = moments(x, tuple(range(input.ndim - len(shape), input.ndim)))
    return _scale_and_shift(x, mean, var, eps, weight, beside(bias, input, weight)).astype(input.dtype)


@nn_op()
def rms_norm(
    input: Array, normalized_shape: tuple[int, ...], weight: Array | None = None, eps: Real | None = None
):
    """input divided by the root of the mean square over its last dims (Zhang & Sennrich 2019, arXiv:1910.07467).

    eps is the dtype's resolution when it is None.

    Raises RuntimeError for an input that does not end in normalized_shape.

    >>> F.rms_norm(torch.tensor([[3., 3.]]), (2,), eps=0).tolist()
    [[1.0, 1.0]]
    """
    shape = _check_shape("rms_norm", input, normalized_shape, "", weight=weight)
    if category(input) < 2:
        raise no_kernel("rms_norm", input)
    x = compute(input)
    eps = float(jnp.finfo(x.dtype).eps) if eps is None else eps
    square = jnp.mean(x * x, tuple(range(input.ndim - len(shape), input.ndim)), keepdims=True)
    out = x * jax.lax.rsqrt(square + eps)
    if weight is not None:
        out = out * weight.astype(out.dtype)
    return out.astype(input.dtype)


@nn_op(grad="NativeGroupNorm", autocast=(None, "float"))
def group_norm(
    input: Array, num_groups: int, weight: Array | None = None, bias: Array | None = None, eps: Real = 1e-5
):
    """input normalized over groups of channels and all further dims (Wu & He 2018, arXiv:1803.08494).

    input: (N, C, …), weight and bias (C). Raises RuntimeError if num_groups does not divide C.

    >>> F.group_norm(torch.tensor([[1., 3.]]), 1)
    tensor([[-1.0000,  1.0000]])
    """
    check(
        input.ndim >= 2,
        RuntimeError,
        f"Expected at least 2 dimensions for input tensor but received {input.ndim}",
    )
    if num_groups == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    check(num_groups > 0, RuntimeError, f"Expected num groups to be greater than 0, got {num_groups}")
    batch, channels = input.shape[:2]
    check(
        batch == 0 or input.size // max(batch, 1) * batch // num_groups != 1,
        ValueError,
        f"Expected more than 1 value per channel when training, got input size {shape_text(input)}",
    )
    check(
        channels % num_groups == 0,
        RuntimeError,
        "Expected number of channels in input to be divisible by num_groups, but got input of shape "
        f"{shape_text(input)} and num_groups={num_groups}",
    )
    for name, p in (("weight", weight), ("bias", bias)):
        check(
            p is None or p.shape == (channels,),
            RuntimeError,
            f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
            f"shape {shape_text(p)} and input of shape {shape_text(input)}",
        )
    need_kind(input, "f", "GroupNormKernelImpl")
    _check_mixed(input, weight, bias)
    if input.size == 0:
        return input
    x = compute(input).reshape((batch, num_groups, channels // num_groups, -1))
    mean, var = moments(x, (2, 3))
    grouped = (1, num_groups, channels // num_groups, 1)
    weight, bias = (None if p is None else p.reshape(grouped) for p in (weight, bias))
    return _scale_and_shift(x, mean, var, eps, weight, bias).reshape(input.shape).astype(input.dtype)


def _check_instance_norm(input, need_spatial: bool, **parameters) -> None:
    check(
        not need_spatial or math.prod(input.shape[2:]) != 1,
        ValueError,
        f"Expected more than 1 spatial element when training, got input size torch.Size({shape_text(input)})",
    )
    batch, channels = input.shape[:2]
    for name, p in parameters.items():
        check(
            p is None or p.size == channels,
            RuntimeError,
            f"{name} should contain {batch * channels} elements not {0 if p is None else batch * p.size}",
        )
        check(
            p is None or p.ndim < 2,
            RuntimeError,
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
        )
    need_kind(input, "f", "batch_norm")
    _check_mixed(input, parameters["weight"], parameters["bias"])  # running statistics are cast
    if batch * channels == 0:
        affine = (parameters["weight"], parameters["bias"])
        _check_first(input, *[None if p is None else p[:0] for p in affine])


@nn_op()
def _instance_norm_train(
    input: Array,
    weight: Array | None,
    bias: Array | None,
    running_mean: Array | None,
    running_var: Array | None,
    momentum: Number = 0.1,
    eps: Number = 1e-5,
):
    """(input normalized over all dims but 0 and 1, new running mean, new running variance).

    Where a running statistic is None, the mean over the batch of this input's own takes its place in the result.
    """
    _check_instance_norm(
        input, True, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias
    )
    x, n = compute(input), input.ndim
    mean, var = moments(x, tuple(range(2, n)))
    out = _scale_and_shift(
        x, mean, var, eps, _by_channel(weight, n), _by_channel(beside(bias, input, weight), n)
    )
    count = input.size // max(input.shape[0] * input.shape[1], 1)

    def updated(running, own):
        own = jax.lax.stop_gradient(jnp.mean(own, 0).reshape(input.shape[1]))
        if running is None:
            return own
        return (running.astype(own.dtype) * (1 - momentum) + own * momentum).astype(running.dtype)

    unbiased = var * (count / max(count - 1, 1))
    return out.astype(input.dtype), updated(running_mean, mean), updated(running_var, unbiased)


@nn_op()
def instance_norm(
    input: Array,
    running_mean: Array | None = None,
    running_var: Array | None = None,
    weight: Array | None = None,
    bias: Array | None = None,
    use_input_stats: bool = True,
    momentum: Real = 0.1,
    eps: Real = 1e-5,
):
    """input normalized over all dims but 0 and 1, or by the running statistics where use_input_stats is False.

    Running statistics are not updated here; `_instance_norm_train` returns the new ones.
    """
    if use_input_stats:
        if running_mean is not None or running_var is not None:
            raise NotImplementedError(
                "instance_norm: running_mean and running_var are not updated by the pure function; "
                "use _instance_norm_train"
            )
        return _instance_norm_train(input, weight, bias, None, None, momentum, eps)[0]
    check(
        running_mean is not None and running_var is not None,
        RuntimeError,
        "Expected running_mean and running_var to be defined when use_input_stats is false",
    )
    _check_instance_norm(
        input, False, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias
    )
    mean, var = (r.astype(compute(input).dtype) for r in (running_mean, running_var))
    return _batch_norm_eval(input, weight, bias, mean, var, eps)


def _has_channels(static: tuple, inputs) -> bool:
    """Whether the input has dims beyond its channels: PyTorch computes the others by a kernel that autocast leaves alone."""
    return inputs[0].ndim > 3


@nn_op(autocast=("float", None), autocast_if=_has_channels)
def local_response_norm(
    input: Array,
    size: int | Any,
    alpha: Array | Number = 1e-4,
    beta: Array | Number = 0.75,
    k: Array | Number = 1.0,
):
    """input / (k + alpha * mean of squares over `size` neighbouring channels) ** beta."""
    check(
        input.ndim >= 3,
        ValueError,
        f"Expected 3D or higher dimensionality                          input (got {input.ndim} dimensions)",
    )
    kind = type(size).__name__
    whole = is_int(size)
    check(
        whole,
        TypeError,
        f"avg_pool2d(): argument 'kernel_size' (position 2) must be tuple of ints, not {kind}",
    )
    check(size > 0, RuntimeError, f"kernel size should be greater than zero, but got kH: {size} kW: 1")
    if category(input) != 2:
        raise NotImplementedError(
            f"local_response_norm of {scalar_name(input)} is not supported; cast it to float"
        )
    if input.size == 0:
        return input
    x = compute(input)

    def rounded(step):  # halves are rounded after each step, as by PyTorch
        return step.astype(input.dtype).astype(x.dtype) if dtype_of(input).is_narrow else step

    total = sum(window_slices(rounded(x * x), 1, size, 1, size // 2, 1, x.shape[1], 0))
    scale = rounded(k + rounded(alpha * rounded(total / size)))
    result = x / rounded(jnp.power(scale, beta))
    return result.astype(dtype_of(input).to_complex().np if category(result) == 3 else input.dtype)


def _window_sum(x, before: int, after: int):
    """The sum over channels c - before .. c + after; those outside count 0."""
    pad = [(0, 0)] * x.ndim
    pad[1] = (before, after)
    padded = jnp.pad(x, pad)
    parts = [jax.lax.slice_in_dim(padded, i, i + x.shape[1], axis=1) for i in range(before + after + 1)]
    return sum(parts[1:], parts[0])


def _cross_map_scale(x, size: int, alpha, k):
    reach = int((size - 1) / 2)
    square = x * x
    total = _window_sum(square, reach, reach)
    # torch's running sum never lets go of channel 0
    gone = jnp.arange(x.shape[1]) > reach
    total = total + jnp.where(_by_channel(gone, x.ndim), square[:, :1], jnp.zeros((), x.dtype))
    # and is nan from where it lets go of what is not finite
    odd = jnp.cumsum(~jnp.isfinite(square[:, 1:]), 1) > 0
    left = jnp.pad(odd, [(0, 0), (reach + 2, 0)] + [(0, 0)] * (x.ndim - 2))[:, : x.shape[1]]
    total = jnp.where(left, jnp.nan, total)
    return k + alpha / size * total


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def _cross_map(x, size, alpha, beta, k):
    return x * jnp.power(_cross_map_scale(x, size, alpha, k), -beta)


@_cross_map.defjvp
def _cross_map_jvp(size, primals, tangents):
    # torch's derivative, which is not that of its value: its window lies one channel off, and knows nothing of channel 0.
    # So it has none of its own, in torch neither.
    alpha, beta, k = primals[1:]
    if jnp.iscomplexobj(primals[0]):
        raise NotImplementedError("CrossMapLRN2d has no derivative of complex numbers")
    x = _differentiated_once(primals[0])
    scale = _cross_map_scale(x, size, alpha, k)
    power = jnp.power(scale, -beta)
    after = int(size - (size - 1) / 2) if size > 1 else 0
    near = _window_sum(x * tangents[0], int(size) - 1 - after, after)
    tangent = power * tangents[0] - 2 * alpha * beta / size * x * power / scale * near
    return _cross_map(primals[0], size, alpha, beta, k), tangent


_differentiated_once = without_derivative(lambda x: x, "CrossMapLRN2d has no second derivative")


@nn_op()
def _cross_map_lrn(input: Array, size: int, alpha: Number, beta: Number, k: Number):
    """input / (k + alpha * mean of squares over `size` neighbouring channels) ** beta, as nn.CrossMapLRN2d has it."""
    check(
        input.ndim == 4,
        ValueError,
        f"CrossMapLRN2d: Expected input to be 4D, got {input.ndim}D instead.",
    )
    message = f"select(): index 0 out of range for tensor of size {list(input.shape)} at dimension 1"
    check(input.shape[1] > 0, IndexError, message)
    computed = "Long" if category(input) == 0 else "Float"
    check(
        category(input) >= 2,
        RuntimeError,
        f"result type {computed} can't be cast to the desired output type {scalar_name(input)}",
    )
    need_kind(input, "fc", "cross_map_lrn")
    check(size != 0, ZeroDivisionError, "float division by zero")
    check(size >= 1, ValueError, f"CrossMapLRN2d: size must be at least 1, but got {size}")
    return _cross_map(compute(input), size, alpha, beta, k).astype(input.dtype)
