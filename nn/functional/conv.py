"""Convolutions and transposed convolutions over one, two and three dimensions, batched or not."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from functorch_lite._core.api import (
    PRECISION,
    Array,
    SymInt,
    advise,
    for_cpu,
    pays_from,
    result_dtype,
)
from functorch_lite.ops._pointwise import category

from ._contracts import conv as contract
from ._convolve import Window, convolution, gradient_apart, input_gradient, places
from ._declare import beside, compute, nn_op, of_dims

__all__ = [
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
]


def _of_nothing(shape, batched, weight, bias):
    """The convolution where there is nothing to add up: torch makes it of the input and one element of the weight."""
    contract.check_nothing(batched, weight, bias)
    one = jax.ShapeDtypeStruct((), weight.dtype)
    return jnp.zeros(shape, result_dtype(batched, one).np)


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


def _has_form(x, w) -> bool:
    """Returns whether a convolution is better computed as `_convolve` does it than by XLA."""
    return for_cpu() and category(x) == 2 and 0 not in x.shape and 0 not in w.shape


def convolve(x, w, stride, pads, dilation, groups: int):
    """The convolution of batched x with w, in the form that is fastest on this platform."""
    if _has_form(x, w):
        return convolution(x, w, Window(stride, pads, dilation), groups)
    return _xla_convolve(x, w, stride, pads, dilation, groups)


_MANY = 1 << 14
"""Elements of a result from which on its gradient is kept apart."""


def _with_bias(out, b, has_form: bool):
    """The convolution plus a bias for each channel, if there is one."""
    out = out if b is None else out + b.reshape((-1,) + (1,) * (out.ndim - 2))
    return gradient_apart(out) if has_form and pays_from(out.size, _MANY) else out


def _conv(
    name: str,
    n: int,
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: int | tuple[int, ...] = 1,
    padding: str | int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    groups: SymInt = 1,
):
    stride, around, dilation, _ = contract.spread(name, n, stride, padding, dilation)
    contract.check_shapes(name, n, input, weight, bias, stride, around, dilation, groups)
    batched = input if input.ndim == n + 2 else input[None]
    reach = [d * (k - 1) for d, k in zip(dilation, weight.shape[2:])]
    if around == "valid":
        pads = [(0, 0)] * n
    elif around == "same":
        pads = [(r // 2, r - r // 2) for r in reach]
    else:
        pads = [(p, p) for p in around]
    padded = [s + sum(p) for s, p in zip(batched.shape[2:], pads)]
    contract.check_window(n, input, weight, bias, padded, [r + 1 for r in reach])
    if 0 in batched.shape[:2]:  # torch gives no channels out for none in
        sizes = places(batched.shape[2:], Window(stride, tuple(pads), dilation), weight.shape[2:])
        shape = (batched.shape[0], weight.shape[0] if batched.shape[1] else 0, *sizes)
        out = _of_nothing(shape, batched, weight, bias)
        return out if input.ndim == n + 2 else out[0]
    dilated = any(d != 1 for d in dilation)
    plain = "compute_columns3d" if n == 3 else "slow_conv2d_cpu"
    contract.check_kernel("slow_conv_dilated<>" if dilated else plain, n, batched, weight, bias, dilated)
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


@of_dims(_conv, asks=(_UNEVEN,), grad="Convolution", autocast="lower")
def conv1d():
    """Cross-correlates input (N, C, L) with weight (O, C / groups, K).

    The result is (N, O, (L + 2 padding − dilation (K − 1) − 1) // stride + 1). padding: a number for each dim, "valid"
    or "same". Raises RuntimeError for channels that do not fit.

    >>> F.conv1d(torch.tensor([[[1., 2., 3.]]]), torch.tensor([[[1., -1.]]])).tolist()
    [[[-1.0, -1.0]]]
    """


@of_dims(_conv, asks=(_UNEVEN,), grad="Convolution", autocast="lower")
def conv2d():
    """Cross-correlates input (N, C, H, W) with weight (O, C / groups, KH, KW).

    >>> F.conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 3, 3))
    tensor([[[[9.]]]])
    """


@of_dims(_conv, asks=(_UNEVEN,), grad="Convolution", autocast="lower")
def conv3d():
    """Cross-correlates input (N, C, D, H, W) with weight (O, C / groups, KD, KH, KW).

    padding: a number for each dim, "valid" or "same". Raises RuntimeError for channels that do not fit.

    >>> tuple(F.conv3d(torch.ones(1, 2, 5, 6, 7), torch.ones(4, 2, 3, 3, 3), padding=1).shape)
    (1, 4, 5, 6, 7)
    """


@nn_op(autocast="lower", float8=True)
def conv_tbc(input: Array, weight: Array, bias: Array, pad: int = 0):
    """conv1d of input (T, N, C) with weight (K, C, O): time first, channels last.

    >>> tuple(F.conv_tbc(torch.ones(7, 2, 3), torch.ones(3, 3, 5), torch.zeros(5), pad=1).shape)
    (7, 2, 5)
    """
    contract.check_tbc(input, weight, bias, pad)
    steps = input.shape[0] + 2 * pad - weight.shape[0] + 1
    meets = any(min(input.shape[0] + pad - k, steps) > max(0, pad - k) for k in range(weight.shape[0]))
    if meets:
        contract.check_types("addmm_impl_cpu_", input, weight)
    if not (weight.size and meets):
        return jnp.broadcast_to(bias.astype(input.dtype), (steps, input.shape[1], weight.shape[2]))
    # the result starts as a copy of the bias, in the input's dtype
    x, w, b = _widen(input.transpose(1, 2, 0), weight.transpose(2, 1, 0), bias.astype(input.dtype))
    out = convolve(x, w, (1,), ((pad, pad),), (1,), 1).transpose(2, 0, 1)
    return (out + b).astype(input.dtype)


def _conv_transpose(
    name: str,
    n: int,
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    output_padding: int | tuple[int, ...] = 0,
    groups: SymInt = 1,
    dilation: int | tuple[int, ...] = 1,
):
    stride, padding, dilation, extra = contract.spread(name, n, stride, padding, dilation, output_padding)
    contract.check_shapes(name, n, input, weight, bias, stride, padding, dilation, groups, extra)
    batched = input if input.ndim == n + 2 else input[None]
    reach = [d * (k - 1) for d, k in zip(dilation, weight.shape[2:])]
    sizes = [
        (size - 1) * s - 2 * p + r + e + 1
        for size, s, p, r, e in zip(batched.shape[2:], stride, padding, reach, extra)
    ]
    spread = [(size - 1) * s + 1 for size, s in zip(batched.shape[2:], stride)]
    contract.check_transposed(n, input, weight, sizes, spread, [r + 1 for r in reach])
    if not batched.shape[0]:
        return _of_nothing((0, weight.shape[1] * groups, *sizes), batched, weight, bias)
    contract.check_kernel(f"slow_conv_transpose{max(n, 2)}d_out_cpu", n, batched, weight, bias, True)
    x, w, b = _widen(batched, weight, beside(bias, input, weight))
    if _has_form(x, w):
        # the last rows that output_padding adds are read by no window
        pads = tuple((p, p - e) for p, e in zip(padding, extra))
        out = input_gradient(w, x, Window(stride, pads, dilation), tuple(sizes), groups)
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


@of_dims(_conv_transpose, grad="Convolution", autocast="lower")
def conv_transpose1d():
    """The transpose (the gradient with respect to the input) of conv1d; weight: (C, O / groups, K).

    The result's length is (L − 1) stride − 2 padding + dilation (K − 1) + output_padding + 1.

    >>> F.conv_transpose1d(torch.tensor([[[1., 2.]]]), torch.tensor([[[1., 10.]]]), stride=2).tolist()
    [[[1.0, 10.0, 2.0, 20.0]]]
    """


@of_dims(_conv_transpose, grad="Convolution", autocast="lower")
def conv_transpose2d():
    """The transpose (the gradient with respect to the input) of conv2d; weight: (C, O / groups, KH, KW).

    >>> tuple(F.conv_transpose2d(torch.ones(1, 3, 4, 4), torch.ones(3, 2, 2, 2), stride=2).shape)
    (1, 2, 8, 8)
    """


@of_dims(_conv_transpose, grad="Convolution", autocast="lower")
def conv_transpose3d():
    """The transpose (the gradient with respect to the input) of conv3d; weight: (C, O / groups, KD, KH, KW).

    >>> tuple(F.conv_transpose3d(torch.ones(1, 3, 4, 4, 4), torch.ones(3, 2, 2, 2, 2), stride=2).shape)
    (1, 2, 8, 8, 8)
    """
