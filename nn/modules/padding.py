"""Padding: constant, zero, reflection, replication and circular, in one, two and three dimensions."""

from __future__ import annotations

from typing import Any

import functorch_lite.nn.functional as F
from functorch_lite._core.api import Tensor

from ._utils import ntuple
from .module import Module

__all__ = [
    "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d", "ConstantPad3d",
    "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d",
    "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
]  # fmt: skip


class _ConstantPadNd(Module):
    """padding: an int for all sides, or (left, right, top, bottom, front, back) as far as there are dims."""

    _n: int

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__()
        self.padding = ntuple(padding, 2 * self._n)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Pads the last dim with `value`. Shape: (*, W) to (*, W + left + right).

    Negative numbers cut.

    Args:
        padding: the sizes to add: an int for all sides, or (before, after) of each dim from the
            last one backwards.
        value: the number to pad with.

    >>> nn.ConstantPad1d((1, 2), 9.0)(torch.tensor([[[1., 2., 3.]]])).tolist()
    [[[9.0, 1.0, 2.0, 3.0, 9.0, 9.0]]]
    """

    _n = 1


class ConstantPad2d(_ConstantPadNd):
    """Pads the last two dims with `value`. Shape: (*, H, W) to (*, H + top + bottom, W + left + right).

    Negative numbers cut.

    Args:
        padding: the sizes to add: an int for all sides, or (before, after) of each dim from the
            last one backwards.
        value: the number to pad with.

    >>> nn.ConstantPad2d((1, 0, 0, 1), 9.0)(torch.tensor([[[1., 2.], [3., 4.]]])).tolist()
    [[[9.0, 1.0, 2.0], [9.0, 3.0, 4.0], [9.0, 9.0, 9.0]]]
    """

    _n = 2


class ConstantPad3d(_ConstantPadNd):
    """Pads the last three dims with `value`. Shape: (*, D, H, W), each grown by its two sides.

    Negative numbers cut.

    Args:
        padding: the sizes to add: an int for all sides, or (before, after) of each dim from the
            last one backwards.
        value: the number to pad with.

    >>> tuple(nn.ConstantPad3d((1, 0, 0, 0, 2, 0), 9.0)(torch.arange(8.).view(1, 2, 2, 2)).shape)
    (1, 4, 2, 3)
    """

    _n = 3


class _ZeroPadNd(_ConstantPadNd):
    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad1d(_ZeroPadNd):
    """Pads the last dim with zeros.

    Negative numbers cut. Shape: (*, W) to (*, W + left + right).

    Args:
        padding: the sizes to add: an int for all sides, or (before, after) of each dim from the
            last one backwards.

    >>> nn.ZeroPad1d((1, -1))(torch.tensor([[[1., 2., 3.]]])).tolist()
    [[[0.0, 1.0, 2.0]]]
    """

    _n = 1


class ZeroPad2d(_ZeroPadNd):
    """Pads the last two dims with zeros.

    Negative numbers cut. Shape: (*, H, W).

    Args:
        padding: the sizes to add: an int for all sides, or (before, after) of each dim from the
            last one backwards.

    >>> nn.ZeroPad2d((1, 0, 0, 1))(torch.tensor([[[1., 2.], [3., 4.]]])).tolist()
    [[[0.0, 1.0, 2.0], [0.0, 3.0, 4.0], [0.0, 0.0, 0.0]]]
    """

    _n = 2


class ZeroPad3d(_ZeroPadNd):
    """Pads the last three dims with zeros.

    Negative numbers cut. Shape: (*, D, H, W).

    Args:
        padding: the sizes to add: an int for all sides, or (before, after) of each dim from the
            last one backwards.

    >>> tuple(nn.ZeroPad3d(1)(torch.arange(8.).view(1, 2, 2, 2)).shape)
    (1, 4, 4, 4)
    """

    _n = 3


class _ModePadNd(Module):
    """padding: an int for all sides, or (left, right, top, bottom, front, back) as far as there are dims."""

    _n: int
    _mode: str

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = ntuple(padding, 2 * self._n)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ReflectionPad1d(_ModePadNd):
    """Pads the last dim with its reflection at the border. Shape: (N, C, W) or (C, W).

    Args:
        padding: the sizes to add: an int for all sides, or (before, after) of each dim from the
            last one backwards.

    Raises RuntimeError for a padding that is not shorter than the input.

    >>> nn.ReflectionPad1d(2)(torch.tensor([[[1., 2., 3.]]])).tolist()
    [[[3.0, 2.0, 1.0, 2.0, 3.0, 2.0, 1.0]]]
    """

    _n, _mode = 1, "reflect"


class ReflectionPad2d(_ModePadNd):
    """Pads the last two dims with their reflection at the border. Shape: (N, C, H, W) or (C, H, W).

    Args:
        padding: the sizes to add: an int for all sides, or (before, after) of each dim from the
            last one backwards.

    Raises RuntimeError for a padding that is not shorter than the input.

    >>> nn.ReflectionPad2d((1, 0, 0, 1))(torch.tensor([[[1., 2.], [3., 4.]]])).tolist()
    [[[2.0, 1.0, 2.0], [4.0, 3.0, 4.0], [2.0, 1.0, 2.0]]]
    """

    _n, _mode = 2, "reflect"


class ReflectionPad3d(_ModePadNd):
    """Pads the last three dims with their reflection at the border. Shape: (N, C, D, H, W) or (C, D, H, W).

    Args:
        padding: the sizes to add: an int for all sides, or (before, after) of each dim from the
            last one backwards.

    Raises RuntimeError for a padding that is not shorter than the input.

    >>> tuple(nn.ReflectionPad3d(1)(torch.arange(8.).view(1, 2, 2, 2)).shape)
    (1, 4, 4, 4)
    """

    _n, _mode = 3, "reflect"


class ReplicationPad1d(_ModePadNd):
    """Pads the last dim with its border value. Shape: (N, C, W) or (C, W).

    Args:
        padding: the sizes to add: an int for all sides, or (before, after) of each dim from the
            last one backwards.

    >>> nn.ReplicationPad1d(2)(torch.tensor([[[1., 2., 3.]]])).tolist()
    [[[1.0, 1.0, 1.0, 2.0, 3.0, 3.0, 3.0]]]
    """

    _n, _mode = 1, "replicate"


class ReplicationPad2d(_ModePadNd):
    """Pads the last two dims with their border values. Shape: (N, C, H, W) or (C, H, W).

    Args:
        padding: the sizes to add: an int for all sides, or (before, after) of each dim from the
            last one backwards.

    >>> nn.ReplicationPad2d((1, 0, 0, 1))(torch.tensor([[[1., 2.], [3., 4.]]])).tolist()
    [[[1.0, 1.0, 2.0], [3.0, 3.0, 4.0], [3.0, 3.0, 4.0]]]
    """

    _n, _mode = 2, "replicate"


class ReplicationPad3d(_ModePadNd):
    """Pads the last three dims with their border values. Shape: (N, C, D, H, W) or (C, D, H, W).

    Args:
        padding: the sizes to add: an int for all sides, or (before, after) of each dim from the
            last one backwards.

    >>> tuple(nn.ReplicationPad3d(1)(torch.arange(8.).view(1, 2, 2, 2)).shape)
    (1, 4, 4, 4)
    """

    _n, _mode = 3, "replicate"


class _CircularPadNd(_ModePadNd):
    _mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        n = self._n
        if input.dim() not in (n + 1, n + 2):
            raise ValueError(f"expected {n + 1}D or {n + 2}D input (got {input.dim()}D input)")
        return super().forward(input)


class CircularPad1d(_CircularPadNd):
    """Pads the last dim from its other end. Shape: (N, C, W) or (C, W).

    Args:
        padding: the sizes to add: an int for all sides, or (before, after) of each dim from the
            last one backwards.

    Raises RuntimeError for a padding longer than the input.

    >>> nn.CircularPad1d((2, 1))(torch.tensor([[[1., 2., 3.]]])).tolist()
    [[[2.0, 3.0, 1.0, 2.0, 3.0, 1.0]]]
    """

    _n = 1


class CircularPad2d(_CircularPadNd):
    """Pads the last two dims from their other ends. Shape: (N, C, H, W) or (C, H, W).

    Args:
        padding: the sizes to add: an int for all sides, or (before, after) of each dim from the
            last one backwards.

    >>> nn.CircularPad2d((1, 0, 0, 1))(torch.tensor([[[1., 2.], [3., 4.]]])).tolist()
    [[[2.0, 1.0, 2.0], [4.0, 3.0, 4.0], [2.0, 1.0, 2.0]]]
    """

    _n = 2


class CircularPad3d(_CircularPadNd):
    """Pads the last three dims from their other ends. Shape: (N, C, D, H, W) or (C, D, H, W).

    Args:
        padding: the sizes to add: an int for all sides, or (before, after) of each dim from the
            last one backwards.

    >>> tuple(nn.CircularPad3d(1)(torch.arange(8.).view(1, 2, 2, 2)).shape)
    (1, 4, 4, 4)
    """

    _n = 3
