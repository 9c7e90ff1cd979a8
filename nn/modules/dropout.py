"""Dropout, of elements and of whole channels."""

from __future__ import annotations

import functorch_lite.nn.functional as F
from functorch_lite._core.api import Tensor

from .module import Module

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


class _DropoutNd(Module):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """In training: zeroes each element with probability p and scales the rest by 1/(1−p). Shape: any, kept.

    Args:
        p: the probability that an element is dropped, in [0, 1]. Default: 0.5.
        inplace: whether the result is written into the input. Default: False.

    Raises ValueError for p outside [0, 1]. In eval mode the input is the result.

    >>> drop = nn.Dropout(0.5)
    >>> set(drop(torch.ones(1000)).tolist())
    {0.0, 2.0}
    >>> drop.eval()(torch.ones(2)).tolist()
    [1.0, 1.0]
    """

    def forward(self, input: Tensor) -> Tensor:  # hot path
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """Zeroes whole channels. Shape: (N, C, L) or (C, L), kept.

    Args:
        p: the probability that a channel is dropped, in [0, 1]. Default: 0.5.
        inplace: whether the result is written into the input. Default: False.

    Raises ValueError for p outside [0, 1]. In eval mode the input is the result.

    >>> y = nn.Dropout1d(0.5)(torch.ones(1, 4, 3))
    >>> all(len(set(channel.flatten().tolist())) == 1 for channel in y[0])
    True
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """Zeroes whole channels. Shape: (N, C, H, W) or (C, H, W), kept.

    Args:
        p: the probability that a channel is dropped, in [0, 1]. Default: 0.5.
        inplace: whether the result is written into the input. Default: False.

    Raises ValueError for p outside [0, 1]. In eval mode the input is the result.

    >>> y = nn.Dropout2d(0.5)(torch.ones(1, 4, 2, 2))
    >>> all(len(set(channel.flatten().tolist())) == 1 for channel in y[0])
    True
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """Zeroes whole channels. Shape: (N, C, D, H, W) or (C, D, H, W), kept.

    Args:
        p: the probability that a channel is dropped, in [0, 1]. Default: 0.5.
        inplace: whether the result is written into the input. Default: False.

    Raises ValueError for p outside [0, 1]. In eval mode the input is the result.

    >>> y = nn.Dropout3d(0.5)(torch.ones(1, 4, 2, 2, 2))
    >>> all(len(set(channel.flatten().tolist())) == 1 for channel in y[0])
    True
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Dropout that keeps mean and variance, for SELU networks (Klambauer et al., 2017). Shape: any, kept.

    Args:
        p: the probability that an element is dropped, in [0, 1]. Default: 0.5.
        inplace: whether the result is written into the input. Default: False.

    Raises ValueError for p outside [0, 1]. In eval mode the input is the result.

    >>> drop = nn.AlphaDropout(0.5)
    >>> tuple(drop(torch.ones(2, 3)).shape), drop.eval()(torch.ones(2)).tolist()
    ((2, 3), [1.0, 1.0])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """AlphaDropout of whole channels. Shape: (N, C, *), kept.

    Args:
        p: the probability that a channel is dropped, in [0, 1]. Default: 0.5.
        inplace: whether the result is written into the input. Default: False.

    Raises ValueError for p outside [0, 1]. In eval mode the input is the result.

    >>> y = nn.FeatureAlphaDropout(0.5)(torch.ones(1, 4, 3))
    >>> all(len(set(channel.tolist())) == 1 for channel in y[0])
    True
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.feature_alpha_dropout(input, self.p, self.training)
