"""Identity, Linear, Bilinear."""

from __future__ import annotations

import math
from typing import Any

import functorch_lite.nn.functional as F
from functorch_lite._core.api import Tensor
from functorch_lite.nn import init
from functorch_lite.nn.parameter import Parameter

from ._utils import empty
from .module import Module

__all__ = ["Bilinear", "Identity", "Linear"]


class Identity(Module):
    """Gives back its input; takes any arguments and ignores them.

    >>> nn.Identity(54, unused=True)(torch.ones(2)).tolist()
    [1.0, 1.0]
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Module):
    """y = x Aᵀ + b.

    Args:
        in_features: the number of features of the input.
        out_features: the number of features of the output.
        bias: whether a bias is added. Default: True.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    Shape: (*, in_features) to (*, out_features).

    Attributes:
        weight: (out_features, in_features), uniform in ±1/√in_features at first.
        bias: (out_features), likewise; None if `bias=False`.

    >>> Linear(20, 30)(torch.randn(128, 20)).shape
    torch.Size([128, 30])
    """

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in_features), device, dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device, dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws weight and bias afresh."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:  # hot path
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
        )


class NonDynamicallyQuantizableLinear(Linear):
    """Linear under the name that MultiheadAttention shows for its output projection."""


class Bilinear(Module):
    """y = x1ᵀ A x2 + b.

    Args:
        in1_features: the number of features of the first input.
        in2_features: the number of features of the second input.
        out_features: the number of features of the output.
        bias: whether a bias is added. Default: True.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    Shape: (*, in1_features) and (*, in2_features) to (*, out_features).

    Attributes:
        weight: (out_features, in1_features, in2_features), uniform in ±1/√in1_features at first.
        bias: (out_features).

    Raises ValueError for in1_features below 1.

    >>> tuple(nn.Bilinear(3, 4, 5)(torch.ones(2, 3), torch.ones(2, 4)).shape)
    (2, 5)
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in1_features, in2_features), device, dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device, dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws weight and bias afresh."""
        if self.in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={self.in1_features})")
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )
