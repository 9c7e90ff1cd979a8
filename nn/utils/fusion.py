"""Fusing a batch normalization in eval mode into the convolution or linear layer before it."""

from __future__ import annotations

import copy
from typing import Any

from functorch_lite._core.api import Tensor
from functorch_lite._core.api import functions as torch
from functorch_lite.nn.parameter import Parameter

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]


def _fused(w: Tensor, b: Tensor | None, bn: tuple, shape: list[int]) -> tuple[Parameter, Parameter]:
    mean, var, eps, weight, bias = bn
    b = torch.zeros_like(mean) if b is None else b
    weight = torch.ones_like(mean) if weight is None else weight
    bias = torch.zeros_like(mean) if bias is None else bias
    scale = weight * torch.rsqrt(var + eps)
    fused_w = (w * scale.reshape(shape)).to(dtype=w.dtype)
    fused_b = ((b - mean) * scale + bias).to(dtype=b.dtype)
    return Parameter(fused_w.detach(), w.requires_grad), Parameter(fused_b.detach(), b.requires_grad)


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """(weight, bias) of the convolution that does what convolution and batch normalization in eval mode do.

    Args:
        conv_w: the weight of the convolution.
        conv_b: the bias of the convolution, or None.
        bn_rm: the running mean.
        bn_rv: the running variance.
        bn_eps: the `eps` of the batch normalization.
        bn_w: the weight of the batch normalization, or None.
        bn_b: the bias of the batch normalization, or None.
        transpose: whether the convolution is transposed. Default: False.

    >>> zero, one = torch.zeros(1), torch.ones(1)
    >>> w, b = nn.utils.fuse_conv_bn_weights(torch.ones(1, 1, 1), zero, zero, one, 0.0, 2 * one, 3 * one)
    >>> w.tolist(), b.tolist()
    ([[[2.0]]], [3.0])
    """
    shape = [1, -1] if transpose else [-1, 1]
    shape += [1] * (conv_w.dim() - 2)
    return _fused(conv_w, conv_b, (bn_rm, bn_rv, bn_eps, bn_w, bn_b), shape)


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A copy of `conv` that does what bn(conv(x)) does in eval mode.

    Args:
        conv: the convolution, in eval mode.
        bn: the batch normalization, in eval mode.
        transpose: whether the convolution is transposed. Default: False.

    Raises AssertionError unless both are in eval mode.

    >>> conv, bn, x = nn.Conv1d(2, 3, 1).eval(), nn.BatchNorm1d(3).eval(), torch.ones(1, 2, 4)
    >>> torch.allclose(nn.utils.fuse_conv_bn_eval(conv, bn)(x), bn(conv(x)), atol=1e-5)
    True
    """
    if conv.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    fused = copy.deepcopy(conv)
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor,
    bn_b: Tensor,
) -> tuple[Parameter, Parameter]:
    """(weight, bias) of the linear layer that does what linear layer and batch normalization in eval mode do.

    Args:
        linear_w: the weight of the linear layer.
        linear_b: the bias of the linear layer, or None.
        bn_rm: the running mean.
        bn_rv: the running variance.
        bn_eps: the `eps` of the batch normalization.
        bn_w: the weight of the batch normalization, or None.
        bn_b: the bias of the batch normalization, or None.

    >>> zero, one = torch.zeros(1), torch.ones(1)
    >>> w, b = nn.utils.fuse_linear_bn_weights(torch.ones(1, 1), zero, zero, one, 0.0, 2 * one, 3 * one)
    >>> w.tolist(), b.tolist()
    ([[2.0]], [3.0])
    """
    return _fused(linear_w, linear_b, (bn_rm, bn_rv, bn_eps, bn_w, bn_b), [-1, 1])


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """A copy of `linear` that does what bn(linear(x)) does in eval mode.

    Args:
        linear: the linear layer, in eval mode.
        bn: the batch normalization, in eval mode.

    Raises AssertionError unless both are in eval mode.

    >>> linear, bn, x = nn.Linear(2, 3).eval(), nn.BatchNorm1d(3).eval(), torch.ones(4, 2)
    >>> torch.allclose(nn.utils.fuse_linear_bn_eval(linear, bn)(x), bn(linear(x)), atol=1e-5)
    True
    """
    if linear.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
            f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        )
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
    fused = copy.deepcopy(linear)
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused
