"""Convolutions and transposed convolutions in one, two and three dimensions."""

from __future__ import annotations

import math
from typing import Any

import functorch_lite.nn.functional as F
from functorch_lite._core.api import Tensor
from functorch_lite.nn import init
from functorch_lite.nn.parameter import Parameter

from ._utils import empty, ntuple
from .module import Module

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]

_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """Base of all convolutions: sizes, checks, weight and bias, repr."""

    _n: int

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple,
        stride: tuple,
        padding: str | tuple,
        dilation: tuple,
        transposed: bool,
        output_padding: tuple,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}")
            if padding == "same" and any(s != 1 for s in stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in _PADDING_MODES:
            raise ValueError(
                "padding_mode must be one of {'zeros', 'reflect', 'replicate', 'circular'}, but got "
                f"padding_mode='{padding_mode}'"
            )
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        # The padding as F.pad wants it: the last dim first, two numbers for each.
        if isinstance(padding, str):
            sides = []
            for d, k in zip(reversed(dilation), reversed(kernel_size)):
                total = d * (k - 1) if padding == "same" else 0
                sides += [total // 2, total - total // 2]
        else:
            sides = tuple([p for p in reversed(padding) for _ in range(2)])
        self._reversed_padding_repeated_twice = sides
        channels = (
            (in_channels, out_channels // groups) if transposed else (out_channels, in_channels // groups)
        )
        self.weight = Parameter(empty((*channels, *kernel_size), device, dtype))
        if bias:
            self.bias = Parameter(empty(out_channels, device, dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws weight and bias afresh, uniform in ±1/√fan_in."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        s = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        n = len(self.kernel_size)
        if self.padding != (0,) * n:
            s += f", padding={self.padding}"
        if self.dilation != (1,) * n:
            s += f", dilation={self.dilation}"
        if self.output_padding != (0,) * n:
            s += f", output_padding={self.output_padding}"
        if self.groups != 1:
            s += f", groups={self.groups}"
        if self.bias is None:
            s += ", bias=False"
        if self.padding_mode != "zeros":
            s += f", padding_mode={self.padding_mode}"
        return s

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        if not hasattr(self, "padding_mode"):  # absent in what old versions pickled
            self.padding_mode = "zeros"


class _Conv(_ConvNd):
    """The constructor and forward of the plain convolutions."""

    _conv: Any

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        n = self._n
        padding = padding if isinstance(padding, str) else ntuple(padding, n)
        windows = ntuple(kernel_size, n), ntuple(stride, n), padding, ntuple(dilation, n), False, (0,) * n
        super().__init__(in_channels, out_channels, *windows, groups, bias, padding_mode, device, dtype)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        conv = type(self)._conv
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return conv(input, weight, bias, self.stride, (0,) * self._n, self.dilation, self.groups)
        return conv(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:  # hot path
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Conv):
    """Cross-correlation over a signal with several channels.

    Args:
        in_channels: the number of channels of the input.
        out_channels: the number of channels of the output.
        kernel_size: the size of the kernel: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. Default: 1.
        padding: what is added at both ends of each dim: an int, one for each dim, "valid"
            (nothing) or "same" (the output has the size of the input; needs stride 1). Default:
            0.
        dilation: the distance between the elements of a kernel: an int, or one for each dim.
            Default: 1.
        groups: the number of groups of channels that are convolved apart; it divides both numbers
            of channels. Default: 1.
        bias: whether a bias is added. Default: True.
        padding_mode: how the input is padded: "zeros", "reflect", "replicate" or "circular". Default:
            "zeros".
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    Shape: (N, C_in, L) or (C_in, L) to (N, C_out, L_out), L_out = ⌊(L + 2·padding − dilation·(kernel_size−1) − 1) /
    stride⌋ + 1.

    Attributes:
        weight: (out_channels, in_channels / groups, kernel_size).
        bias: (out_channels), or None.

    Raises ValueError for groups that do not divide both channels and for an unknown padding_mode; RuntimeError for an
    input of other channels.

    >>> conv = nn.Conv1d(4, 8, kernel_size=3, stride=2, padding=1)
    >>> tuple(conv(torch.ones(2, 4, 10)).shape), tuple(conv.weight.shape)
    ((2, 8, 5), (8, 4, 3))
    """

    _n = 1
    _conv = staticmethod(F.conv1d)


class Conv2d(_Conv):
    """Cross-correlation over an image with several channels.

    Args:
        in_channels: the number of channels of the input.
        out_channels: the number of channels of the output.
        kernel_size: the size of the kernel: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. Default: 1.
        padding: what is added at both ends of each dim: an int, one for each dim, "valid"
            (nothing) or "same" (the output has the size of the input; needs stride 1). Default:
            0.
        dilation: the distance between the elements of a kernel: an int, or one for each dim.
            Default: 1.
        groups: the number of groups of channels that are convolved apart; it divides both numbers
            of channels. Default: 1.
        bias: whether a bias is added. Default: True.
        padding_mode: how the input is padded: "zeros", "reflect", "replicate" or "circular". Default:
            "zeros".
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    Shape: (N, C_in, H, W) or (C_in, H, W) to (N, C_out, H_out, W_out), each as in Conv1d.

    Attributes:
        weight: (out_channels, in_channels / groups, *kernel_size).
        bias: (out_channels), or None.

    >>> Conv2d(16, 33, (3, 5), stride=(2, 1), padding=(4, 2))(torch.randn(20, 16, 50, 100)).shape
    torch.Size([20, 33, 28, 100])
    """

    _n = 2
    _conv = staticmethod(F.conv2d)


class Conv3d(_Conv):
    """Cross-correlation over a volume with several channels.

    Args:
        in_channels: the number of channels of the input.
        out_channels: the number of channels of the output.
        kernel_size: the size of the kernel: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. Default: 1.
        padding: what is added at both ends of each dim: an int, one for each dim, "valid"
            (nothing) or "same" (the output has the size of the input; needs stride 1). Default:
            0.
        dilation: the distance between the elements of a kernel: an int, or one for each dim.
            Default: 1.
        groups: the number of groups of channels that are convolved apart; it divides both numbers
            of channels. Default: 1.
        bias: whether a bias is added. Default: True.
        padding_mode: how the input is padded: "zeros", "reflect", "replicate" or "circular". Default:
            "zeros".
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    Shape: (N, C_in, D, H, W) or (C_in, D, H, W) to (N, C_out, D_out, H_out, W_out), each as in Conv1d.

    Attributes:
        weight: (out_channels, in_channels / groups, *kernel_size).
        bias: (out_channels), or None.

    Raises ValueError for groups that do not divide both channels and for an unknown padding_mode; RuntimeError for an
    input of other channels.

    >>> conv = nn.Conv3d(2, 4, kernel_size=3, padding=1)
    >>> tuple(conv(torch.ones(1, 2, 5, 6, 7)).shape), tuple(conv.weight.shape)
    ((1, 4, 5, 6, 7), (4, 2, 3, 3, 3))
    """

    _n = 3
    _conv = staticmethod(F.conv3d)


class _ConvTransposeNd(_ConvNd):
    """The constructor and forward of the transposed convolutions."""

    _conv: Any

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        kernel_size, stride, padding, dilation, output_padding = (
            ntuple(size, self._n) for size in (kernel_size, stride, padding, dilation, output_padding)
        )
        windows = kernel_size, stride, padding, dilation, True, output_padding
        super().__init__(in_channels, out_channels, *windows, groups, bias, padding_mode, device, dtype)

    def _output_padding(self, input: Tensor, output_size: Any) -> tuple:
        """The output padding that gives the wanted `output_size`."""
        if output_size is None:
            return ntuple(self.output_padding, self._n)
        n = self._n
        batched = input.dim() == n + 2
        extra = 2 if batched else 1
        sizes = list(output_size)
        if len(sizes) == n + extra:
            sizes = sizes[extra:]
        if len(sizes) != n:
            raise ValueError(
                f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have {n} or {n + extra} elements "
                f"(got {len(sizes)})"
            )
        least = [
            (input.size(d + extra) - 1) * self.stride[d]
            - 2 * self.padding[d]
            + self.dilation[d] * (self.kernel_size[d] - 1)
            + 1
            for d in range(n)
        ]
        most = [low + self.stride[d] - 1 for d, low in enumerate(least)]
        if any(size < low or size > high for size, low, high in zip(sizes, least, most)):
            raise ValueError(
                f"requested an output size of {output_size}, but valid sizes range from {least} to {most} "
                f"(for an input of {input.size()[2:]})"
            )
        return tuple(size - low for size, low in zip(sizes, least))

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        return type(self)._conv(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            self._output_padding(input, output_size),
            self.groups,
            self.dilation,
        )


class ConvTranspose1d(_ConvTransposeNd):
    """Transposed convolution over a signal: the gradient of Conv1d with respect to its input.

    Args:
        in_channels: the number of channels of the input.
        out_channels: the number of channels of the output.
        kernel_size: the size of the kernel: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. Default: 1.
        padding: what is cropped from both ends of each dim: dilation * (kernel_size - 1) -
            padding zeros are added. Default: 0.
        output_padding: the size added to one end of each dim of the output: an int, or one for
            each dim. Default: 0.
        groups: the number of groups of channels that are convolved apart; it divides both numbers
            of channels. Default: 1.
        bias: whether a bias is added. Default: True.
        dilation: the distance between the elements of a kernel: an int, or one for each dim.
            Default: 1.
        padding_mode: only "zeros". Default: "zeros".
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    Shape: (N, C_in, L) to (N, C_out, (L − 1)·stride − 2·padding + dilation·(kernel_size − 1) + output_padding + 1).

    Attributes:
        weight: (in_channels, out_channels / groups, kernel_size).
        bias: (out_channels), or None.

    forward's output_size chooses among the sizes that are possible. Raises ValueError for any padding_mode but
    "zeros".

    >>> up = nn.ConvTranspose1d(8, 4, kernel_size=4, stride=2, padding=1)
    >>> tuple(up(torch.ones(2, 8, 5)).shape), tuple(up.weight.shape)
    ((2, 4, 10), (8, 4, 4))
    """

    _n = 1
    _conv = staticmethod(F.conv_transpose1d)


class ConvTranspose2d(_ConvTransposeNd):
    """Transposed convolution over an image: the gradient of Conv2d with respect to its input.

    Args:
        in_channels: the number of channels of the input.
        out_channels: the number of channels of the output.
        kernel_size: the size of the kernel: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. Default: 1.
        padding: what is cropped from both ends of each dim: dilation * (kernel_size - 1) -
            padding zeros are added. Default: 0.
        output_padding: the size added to one end of each dim of the output: an int, or one for
            each dim. Default: 0.
        groups: the number of groups of channels that are convolved apart; it divides both numbers
            of channels. Default: 1.
        bias: whether a bias is added. Default: True.
        dilation: the distance between the elements of a kernel: an int, or one for each dim.
            Default: 1.
        padding_mode: only "zeros". Default: "zeros".
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    Shape: (N, C_in, H, W) to (N, C_out, H_out, W_out), each as in ConvTranspose1d.

    Attributes:
        weight: (in_channels, out_channels / groups, *kernel_size).
        bias: (out_channels), or None.

    forward's output_size chooses among the sizes that are possible. Raises ValueError for any padding_mode but
    "zeros".

    >>> up = nn.ConvTranspose2d(8, 4, kernel_size=3, stride=2, padding=1)
    >>> x = torch.ones(2, 8, 5, 5)
    >>> tuple(up(x).shape), tuple(up(x, output_size=(10, 10)).shape)
    ((2, 4, 9, 9), (2, 4, 10, 10))
    """

    _n = 2
    _conv = staticmethod(F.conv_transpose2d)


class ConvTranspose3d(_ConvTransposeNd):
    """Transposed convolution over a volume: the gradient of Conv3d with respect to its input.

    Args:
        in_channels: the number of channels of the input.
        out_channels: the number of channels of the output.
        kernel_size: the size of the kernel: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. Default: 1.
        padding: what is cropped from both ends of each dim: dilation * (kernel_size - 1) -
            padding zeros are added. Default: 0.
        output_padding: the size added to one end of each dim of the output: an int, or one for
            each dim. Default: 0.
        groups: the number of groups of channels that are convolved apart; it divides both numbers
            of channels. Default: 1.
        bias: whether a bias is added. Default: True.
        dilation: the distance between the elements of a kernel: an int, or one for each dim.
            Default: 1.
        padding_mode: only "zeros". Default: "zeros".
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    Shape: (N, C_in, D, H, W) to (N, C_out, D_out, H_out, W_out), each as in ConvTranspose1d.

    Attributes:
        weight: (in_channels, out_channels / groups, *kernel_size).
        bias: (out_channels), or None.

    forward's output_size chooses among the sizes that are possible. Raises ValueError for any padding_mode but
    "zeros".

    >>> up = nn.ConvTranspose3d(4, 2, kernel_size=2, stride=2)
    >>> tuple(up(torch.ones(1, 4, 3, 3, 3)).shape)
    (1, 2, 6, 6, 6)
    """

    _n = 3
    _conv = staticmethod(F.conv_transpose3d)
