"""PixelShuffle and its inverse: channels into space and back."""

from __future__ import annotations

import functorch_lite.nn.functional as F
from functorch_lite._core.api import Tensor

from .module import Module

__all__ = ["PixelShuffle", "PixelUnshuffle"]


class PixelShuffle(Module):
    """(*, C·r², H, W) to (*, C, H·r, W·r), r = upscale_factor (Shi et al., 2016).

    Args:
        upscale_factor: the factor r by which the image grows.

    Raises RuntimeError if r² does not divide the channels.

    >>> nn.PixelShuffle(2)(torch.arange(4.).view(1, 4, 1, 1)).tolist()
    [[[[0.0, 1.0], [2.0, 3.0]]]]
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """(*, C, H·r, W·r) to (*, C·r², H, W), r = downscale_factor.

    Args:
        downscale_factor: the factor r by which the image shrinks.

    Raises RuntimeError if r does not divide height and width.

    >>> tuple(nn.PixelUnshuffle(2)(torch.ones(1, 1, 4, 6)).shape)
    (1, 4, 2, 3)
    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"
