"""Fold and Unfold: sliding blocks as columns, and back."""

from __future__ import annotations

from typing import Any

import functorch_lite.nn.functional as F
from functorch_lite._core.api import Tensor

from .module import Module

__all__ = ["Fold", "Unfold"]


class Fold(Module):
    """Sums sliding blocks into an image. Shape: (N, C·∏kernel_size, L) to (N, C, *output_size).

    Places that several blocks cover get their sum. Raises RuntimeError for an L that is not the number of blocks.

    Args:
        output_size: the sizes (H, W) of the image.
        kernel_size: the size of the blocks: an int or a pair.
        dilation: the distance between the elements of a block: an int or a pair. Default: 1.
        padding: the zeros around the image: an int or a pair. Default: 0.
        stride: the distance between blocks: an int or a pair. Default: 1.

    >>> nn.Fold((2, 2), kernel_size=(1, 2))(torch.ones(1, 2, 2)).tolist()
    [[[[1.0, 1.0], [1.0, 1.0]]]]
    """

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, dilation={self.dilation}, "
            f"padding={self.padding}, stride={self.stride}"
        )


class Unfold(Module):
    """Sliding blocks of an image as columns. Shape: (N, C, H, W) to (N, C·∏kernel_size, L).

    Args:
        kernel_size: the size of the blocks: an int or a pair.
        dilation: the distance between the elements of a block: an int or a pair. Default: 1.
        padding: the zeros around the image: an int or a pair. Default: 0.
        stride: the distance between blocks: an int or a pair. Default: 1.

    >>> nn.Unfold(kernel_size=(1, 2))(torch.arange(3.).view(1, 1, 1, 3)).tolist()
    [[[0.0, 1.0], [1.0, 2.0]]]
    """

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"
