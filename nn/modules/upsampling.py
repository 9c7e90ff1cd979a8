"""Upsampling of signals, images and volumes."""

from __future__ import annotations

from typing import Any

import functorch_lite.nn.functional as F
from functorch_lite._core.api import Tensor

from .module import Module

__all__ = ["Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"]


class Upsample(Module):
    """Resizes the spatial dims to `size`, or by `scale_factor`.

    Args:
        size: the sizes of the output: an int, or one for each dim. Give this or `scale_factor`;
            None is the default.
        scale_factor: the factors of the sizes: a number, or one for each dim. Give this or
            `size`; None is the default.
        mode: "nearest", "nearest-exact", "linear" (3-D), "bilinear", "bicubic" (4-D) or
            "trilinear" (5-D). Default: "nearest".
        align_corners: whether the corners of input and output coincide. None (the default) means
            False.
        recompute_scale_factor: whether the scale is computed from the rounded sizes. None (the
            default) means False.

    Shape: (N, C, *) to (N, C, *size).

    Raises ValueError if both or neither of size and scale_factor are given, NotImplementedError for a mode that does
    not fit the dims.

    >>> nn.Upsample(scale_factor=2)(torch.tensor([[[1., 2.]]])).tolist()
    [[[1.0, 1.0, 2.0, 2.0]]]
    >>> tuple(nn.Upsample((6, 8), mode="bilinear")(torch.ones(1, 3, 2, 2)).shape)
    (1, 3, 6, 8)
    """

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor: Any = tuple(float(factor) for factor in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def __setstate__(self, state: dict) -> None:
        # absent in what old versions pickled, which computed it
        super().__setstate__({"recompute_scale_factor": True} | state)

    def forward(self, input: Tensor) -> Tensor:
        return F.interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        how = (
            f"scale_factor={self.scale_factor!r}" if self.scale_factor is not None else f"size={self.size!r}"
        )
        return f"{how}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Upsample with mode "nearest". Shape: (N, C, H, W) to (N, C, H_out, W_out).

    Args:
        size: the sizes (H, W) of the output. Give this or `scale_factor`; None is the default.
        scale_factor: the factor of the sizes. Give this or `size`; None is the default.

    >>> nn.UpsamplingNearest2d(scale_factor=2)(torch.tensor([[[[1., 3.]]]])).tolist()
    [[[[1.0, 1.0, 3.0, 3.0], [1.0, 1.0, 3.0, 3.0]]]]
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Upsample with mode "bilinear", corners aligned. Shape: (N, C, H, W) to (N, C, H_out, W_out).

    Args:
        size: the sizes (H, W) of the output. Give this or `scale_factor`; None is the default.
        scale_factor: the factor of the sizes. Give this or `size`; None is the default.

    >>> nn.UpsamplingBilinear2d((1, 3))(torch.tensor([[[[1., 3.]]]])).tolist()
    [[[[1.0, 2.0, 3.0]]]]
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
