"""Instance normalization in one, two and three dimensions."""

from __future__ import annotations

import warnings
from typing import Any

import functorch_lite.nn.functional as F
from functorch_lite._core.api import Tensor

from .batchnorm import _NormBase

__all__ = ["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"]


class _InstanceNorm(_NormBase):
    _n: int

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in (self._n + 1, self._n + 2):
            raise ValueError(f"expected {self._n + 1}D or {self._n + 2}D input (got {input.dim()}D input)")

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        feature_dim = input.dim() - self._n - 1
        if input.size(feature_dim) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={feature_dim} to match num_features ({self.num_features}), but got: "
                    f"{input.size(feature_dim)}."
                )
            warnings.warn(
                f"input's size at dim={feature_dim} does not match num_features. You can silence this warning by not "
                "passing in num_features, which is not used because affine=False",
                stacklevel=2,
            )
        batched = input if feature_dim == 1 else input.unsqueeze(0)
        out = F.instance_norm(
            batched,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            self.momentum if self.momentum is not None else 0.0,
            self.eps,
        )
        return out if feature_dim == 1 else out.squeeze(0)


class InstanceNorm1d(_InstanceNorm):
    """Normalizes each channel of each sample over its length (Ulyanov et al., 2017).

    Args:
        num_features: the number of channels C.
        eps: a small number added to the variance. Default: 1e-05.
        momentum: the weight of a new batch in the running statistics. None averages over all
            batches. Default: 0.1.
        affine: whether there are a learned weight and bias. Default: False.
        track_running_stats: whether running statistics are kept. False always uses those of the
            input. Default: False.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.
        bias: whether there is a bias, if `affine`. Default: True.

    Shape: (N, C, L) or (C, L), kept. Attributes as in BatchNorm1d; by default neither affine nor tracking.

    Raises ValueError for an input of other dims, and in training for one value per channel.

    >>> nn.InstanceNorm1d(1, eps=0)(torch.tensor([[[1., 3.]]])).tolist()
    [[[-1.0, 1.0]]]
    """

    _n = 1


class InstanceNorm2d(_InstanceNorm):
    """Instance normalization over (N, C, H, W) or (C, H, W); see InstanceNorm1d.

    Args:
        num_features: the number of channels C.
        eps: a small number added to the variance. Default: 1e-05.
        momentum: the weight of a new batch in the running statistics. None averages over all
            batches. Default: 0.1.
        affine: whether there are a learned weight and bias. Default: False.
        track_running_stats: whether running statistics are kept. False always uses those of the
            input. Default: False.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.
        bias: whether there is a bias, if `affine`. Default: True.

    Raises ValueError for an input of other dims, and in training for one value per channel.

    >>> tuple(nn.InstanceNorm2d(3)(torch.ones(2, 3, 4, 4)).shape)
    (2, 3, 4, 4)
    """

    _n = 2


class InstanceNorm3d(_InstanceNorm):
    """Instance normalization over (N, C, D, H, W) or (C, D, H, W); see InstanceNorm1d.

    Args:
        num_features: the number of channels C.
        eps: a small number added to the variance. Default: 1e-05.
        momentum: the weight of a new batch in the running statistics. None averages over all
            batches. Default: 0.1.
        affine: whether there are a learned weight and bias. Default: False.
        track_running_stats: whether running statistics are kept. False always uses those of the
            input. Default: False.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.
        bias: whether there is a bias, if `affine`. Default: True.

    Raises ValueError for an input of other dims, and in training for one value per channel.

    >>> tuple(nn.InstanceNorm3d(3)(torch.ones(2, 3, 4, 4, 4)).shape)
    (2, 3, 4, 4, 4)
    """

    _n = 3
