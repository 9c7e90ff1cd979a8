"""Normalization: batch, layer, group, instance, root-mean-square and local response.

All compute in float32 at least. The batch statistics carry a derivative written by hand (exact, to every order): it
spares the pass over the data that would compute the mean of deviations from the mean, which is 0.
"""

from __future__ import annotations

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
    reads,
)
from functorch_lite.ops._pointwise import category
from functorch_lite.ops._special import divide
from functorch_lite.ops.decompose import without_derivative

from ._contracts import norm as contract
from ._declare import beside, compute, nn_op
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


def _by_channel(p, ndim: int):
    return None if p is None else p.reshape((1, -1) + (1,) * (ndim - 2))


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
    channels = input.shape[1] if input.ndim > 1 else 0
    count = input.size // max(channels, 1)
    contract.check_batch_norm(input, weight, bias, running_mean, running_var, count)
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
    contract.check_running(running_mean, running_var)
    contract.check_batch_norm(input, weight, bias, running_mean, running_var)
    x, n = compute(input), input.ndim
    mean, var = _by_channel(compute(running_mean), n), _by_channel(compute(running_var), n)
    out = _scale_and_shift(
        x, mean, var, eps, _by_channel(weight, n), _by_channel(beside(bias, input, weight), n)
    )
    if weight is None:
        out = reads(out, input, then=ENDS)
    return out.reshape(input.shape).astype(input.dtype)  # a vector without elements stays one


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
    shape = contract.of_layer_norm(input, normalized_shape, weight, bias)
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
    shape = contract.of_rms_norm(input, normalized_shape, weight)
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
    contract.check_group_norm(input, num_groups, weight, bias)
    batch, channels = input.shape[:2]
    if input.size == 0:
        return input
    x = compute(input).reshape((batch, num_groups, channels // num_groups, -1))
    mean, var = moments(x, (2, 3))
    grouped = (1, num_groups, channels // num_groups, 1)
    weight, bias = (None if p is None else p.reshape(grouped) for p in (weight, bias))
    return _scale_and_shift(x, mean, var, eps, weight, bias).reshape(input.shape).astype(input.dtype)


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
    contract.check_instance_norm(input, True, weight, bias, running_mean, running_var)
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
    contract.check_instance_norm(input, False, weight, bias, running_mean, running_var)
    mean, var = (r.astype(compute(input).dtype) for r in (running_mean, running_var))
    return _batch_norm_eval(input, weight, bias, mean, var, eps)


def _has_channels(static: tuple, inputs) -> bool:
    """Returns whether the input has dims beyond its channels: PyTorch computes the others by a kernel that autocast leaves
    alone."""
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
    contract.check_local_response_norm(input, size)
    if input.size == 0:
        return input
    x = compute(input)

    def rounded(step):  # halves are rounded after each step, as by PyTorch
        return step.astype(input.dtype).astype(x.dtype) if dtype_of(input).is_narrow else step

    total = sum(window_slices(rounded(x * x), 1, size, 1, size // 2, 1, x.shape[1], 0))
    scale = rounded(k + rounded(alpha * rounded(total / size)))
    power = rounded(jnp.power(scale, beta))
    result = x / power if jnp.iscomplexobj(power) else divide(x, power)
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
    # torch's derivative, which is not that of its value: its window lies one channel off, and knows nothing of
    # channel 0. So it has none of its own, in torch neither.
    alpha, beta, k = primals[1:]
    if jnp.iscomplexobj(primals[0]):
        raise NotImplementedError("CrossMapLRN2d: complex inputs have no derivative; use real inputs")
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
    contract.check_cross_map_lrn(input, size)
    return _cross_map(compute(input), size, alpha, beta, k).astype(input.dtype)
