"""Normalizations without statistics of the batch: layer, group, root mean square, local response."""

from __future__ import annotations

import numbers
from typing import Any

import functorch_lite.nn.functional as F
from functorch_lite._core.api import Tensor, lookup

from .batchnorm import Affine
from .module import Module

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]

_cross_map_lrn: Any = lookup("nn.functional", "_cross_map_lrn")


def _shape(normalized_shape: Any) -> tuple[int, ...]:
    return (normalized_shape,) if isinstance(normalized_shape, numbers.Integral) else tuple(normalized_shape)  # type: ignore


class LayerNorm(Affine):
    """Normalizes over the last dims: (x − mean) / √(var + eps) · weight + bias (Ba et al., 2016).

    Args:
        normalized_shape: the sizes of the last dims, over which the input is normalized: an int or a tuple
            of ints.
        eps: a small number added to the variance. Default: 1e-05.
        elementwise_affine: whether there is a learned weight (and bias). Default: True.
        bias: whether there is a bias, if `elementwise_affine`. Default: True.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    Shape: (*, *normalized_shape), kept.

    Attributes:
        weight, bias: of shape normalized_shape, None without `elementwise_affine` (bias also by `bias=False`).

    >>> LayerNorm(4)(torch.randn(2, 3, 4)).shape
    torch.Size([2, 3, 4])
    """

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._make_affine(
            self.normalized_shape, device, dtype, weight=elementwise_affine, bias=elementwise_affine and bias
        )
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:  # hot path
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class GroupNorm(Affine):
    """Normalizes over groups of channels and all that follows (Wu and He, 2018).

    Args:
        num_groups: the number of groups; it divides `num_channels`.
        num_channels: the number of channels.
        eps: a small number added to the variance. Default: 1e-05.
        affine: whether there are a learned weight and bias. Default: True.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.
        bias: whether there is a bias, if `affine`. Default: True.

    Shape: (N, num_channels, *), kept.

    Attributes:
        weight, bias: (num_channels), None without `affine` (bias also by `bias=False`).

    Raises ValueError if num_groups does not divide num_channels.

    >>> norm = nn.GroupNorm(num_groups=1, num_channels=2, eps=0)
    >>> norm(torch.tensor([[1., 3.]])).tolist()
    [[-1.0, 1.0]]
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._make_affine(num_channels, device, dtype, weight=affine, bias=affine and bias)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Affine):
    """x / √(mean(x²) + eps) · weight over the last dims (Zhang and Sennrich, 2019).

    Args:
        normalized_shape: the sizes of the last dims, over which the input is normalized: an int or a tuple
            of ints.
        eps: a small number added to the mean of squares. None (the default) is the epsilon of the
            dtype.
        elementwise_affine: whether there is a learned weight (and bias). Default: True.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    Shape: (*, *normalized_shape), kept.

    Attributes:
        weight: of shape normalized_shape, None without `elementwise_affine`.

    Raises RuntimeError for an input that does not end in normalized_shape.

    >>> nn.RMSNorm(2, eps=0)(torch.tensor([[3., 3.]])).tolist()
    [[1.0, 1.0]]
    >>> tuple(nn.RMSNorm((3, 4))(torch.ones(2, 3, 4)).shape)
    (2, 3, 4)
    """

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._make_affine(self.normalized_shape, device, dtype, weight=elementwise_affine)
        self.reset_parameters()

    def forward(self, x: Tensor) -> Tensor:  # hot path
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class LocalResponseNorm(Module):
    """x / (k + alpha / size · Σ x²)^beta, the sum over `size` neighbouring channels (Krizhevsky et al., 2012).

    Args:
        size: the number of neighbouring channels.
        alpha: the factor of the mean of squares. Default: 0.0001.
        beta: the exponent. Default: 0.75.
        k: the summand. Default: 1.0.

    Shape: (N, C, *), kept.

    >>> nn.LocalResponseNorm(1, alpha=3.0, beta=1.0)(torch.ones(1, 2, 1)).flatten().tolist()
    [0.25, 0.25]
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(Module):
    """LocalResponseNorm as PyTorch's older module has it, with that module's derivative. Shape: (N, C, H, W), kept.

    Args:
        size: the number of neighbouring channels.
        alpha: the factor of the mean of squares. Default: 0.0001.
        beta: the exponent. Default: 0.75.
        k: the summand. Default: 1.

    >>> tuple(nn.CrossMapLRN2d(3)(torch.ones(1, 4, 2, 2)).shape)
    (1, 4, 2, 2)
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        return _cross_map_lrn(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
