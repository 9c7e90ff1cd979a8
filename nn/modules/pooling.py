"""Pooling: maximum, average, power-average, and their adaptive forms."""

from __future__ import annotations

from typing import Any

import functorch_lite.nn.functional as F
from functorch_lite._core.api import Tensor

from ._utils import ntuple
from .module import Module

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "FractionalMaxPool2d", "FractionalMaxPool3d",
    "LPPool1d", "LPPool2d", "LPPool3d", "MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d",
    "MaxUnpool3d",
]  # fmt: skip


class _MaxPoolNd(Module):
    _pool: Any

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Any:
        return type(self)._pool(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPoolNd):
    """The maximum of each window. Shape: (N, C, L) or (C, L) to (…, L_out), as for a convolution.

    Args:
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. None (the default) is
            `kernel_size`.
        padding: how far both ends of each dim are padded: an int, or one for each dim; at most
            half the window. Default: 0.
        dilation: the distance between the elements of a window: an int, or one for each dim.
            Default: 1.
        return_indices: whether to also return the positions of the maxima. Default: False.
        ceil_mode: whether the size of the output is rounded up, so that the last window may reach
            over the end. Default: False.

    Raises RuntimeError for a padding of more than half a window.

    >>> nn.MaxPool1d(2)(torch.arange(6.).view(1, 1, 6)).tolist()
    [[[1.0, 3.0, 5.0]]]
    >>> nn.MaxPool1d(2, return_indices=True)(torch.arange(6.).view(1, 1, 6))[1].tolist()
    [[[1, 3, 5]]]
    """

    _pool = staticmethod(F.max_pool1d)


class MaxPool2d(_MaxPoolNd):
    """The maximum of each window. Shape: (N, C, H, W) or (C, H, W) to (…, H_out, W_out); see MaxPool1d.

    Args:
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. None (the default) is
            `kernel_size`.
        padding: how far both ends of each dim are padded: an int, or one for each dim; at most
            half the window. Default: 0.
        dilation: the distance between the elements of a window: an int, or one for each dim.
            Default: 1.
        return_indices: whether to also return the positions of the maxima. Default: False.
        ceil_mode: whether the size of the output is rounded up, so that the last window may reach
            over the end. Default: False.

    >>> nn.MaxPool2d(2)(torch.arange(16.).view(1, 1, 4, 4)).tolist()
    [[[[5.0, 7.0], [13.0, 15.0]]]]
    >>> tuple(nn.MaxPool2d(3, stride=2, padding=1)(torch.ones(8, 3, 32, 32)).shape)
    (8, 3, 16, 16)
    """

    _pool = staticmethod(F.max_pool2d)


class MaxPool3d(_MaxPoolNd):
    """The maximum of each window. Shape: (N, C, D, H, W) or (C, D, H, W) to (…, D_out, H_out, W_out); see MaxPool1d.

    Args:
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. None (the default) is
            `kernel_size`.
        padding: how far both ends of each dim are padded: an int, or one for each dim; at most
            half the window. Default: 0.
        dilation: the distance between the elements of a window: an int, or one for each dim.
            Default: 1.
        return_indices: whether to also return the positions of the maxima. Default: False.
        ceil_mode: whether the size of the output is rounded up, so that the last window may reach
            over the end. Default: False.

    >>> nn.MaxPool3d(2)(torch.arange(8.).view(1, 1, 2, 2, 2)).item()
    7.0
    """

    _pool = staticmethod(F.max_pool3d)


class AvgPool1d(Module):
    """The mean of each window. Shape: (N, C, L) or (C, L) to (…, L_out), as for a convolution.

    Args:
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. None (the default) is
            `kernel_size`.
        padding: how far both ends of each dim are padded: an int, or one for each dim; at most
            half the window. Default: 0.
        ceil_mode: whether the size of the output is rounded up, so that the last window may reach
            over the end. Default: False.
        count_include_pad: whether the zeros of the padding count in the mean. Default: True.

    Raises RuntimeError for a padding of more than half a window.

    >>> nn.AvgPool1d(2)(torch.arange(6.).view(1, 1, 6)).tolist()
    [[[0.5, 2.5, 4.5]]]
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = ntuple(kernel_size, 1)
        self.stride = ntuple(stride if stride is not None else kernel_size, 1)
        self.padding = ntuple(padding, 1)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        )

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _AvgPoolNd(Module):
    _pool: Any

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        return type(self)._pool(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(_AvgPoolNd):
    """The mean of each window. Shape: (N, C, H, W) or (C, H, W) to (…, H_out, W_out).

    Args:
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. None (the default) is
            `kernel_size`.
        padding: how far both ends of each dim are padded: an int, or one for each dim; at most
            half the window. Default: 0.
        ceil_mode: whether the size of the output is rounded up, so that the last window may reach
            over the end. Default: False.
        count_include_pad: whether the zeros of the padding count in the mean. Default: True.
        divisor_override: the divisor of the mean. None (the default) is the size of the window.

    Raises RuntimeError for a padding of more than half a window.

    >>> nn.AvgPool2d(2)(torch.arange(16.).view(1, 1, 4, 4)).tolist()
    [[[[2.5, 4.5], [10.5, 12.5]]]]
    """

    _pool = staticmethod(F.avg_pool2d)


class AvgPool3d(_AvgPoolNd):
    """The mean of each window. Shape: (N, C, D, H, W) or (C, D, H, W) to (…, D_out, H_out, W_out); see AvgPool2d.

    Args:
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. None (the default) is
            `kernel_size`.
        padding: how far both ends of each dim are padded: an int, or one for each dim; at most
            half the window. Default: 0.
        ceil_mode: whether the size of the output is rounded up, so that the last window may reach
            over the end. Default: False.
        count_include_pad: whether the zeros of the padding count in the mean. Default: True.
        divisor_override: the divisor of the mean. None (the default) is the size of the window.

    >>> nn.AvgPool3d(2)(torch.arange(8.).view(1, 1, 2, 2, 2)).item()
    3.5
    """

    _pool = staticmethod(F.avg_pool3d)

    def __setstate__(self, state: dict) -> None:
        # absent in what old versions pickled
        super().__setstate__({"padding": 0, "ceil_mode": False, "count_include_pad": True} | state)


class _LPPoolNd(Module):
    _name: str

    def __init__(
        self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        pool = getattr(F, self._name)
        return pool(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPoolNd):
    """(Σ x^p)^(1/p) over each window, p = norm_type. Shape: (N, C, L) or (C, L) to (…, L_out).

    Args:
        norm_type: the exponent p.
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. None (the default) is
            `kernel_size`.
        ceil_mode: whether the size of the output is rounded up, so that the last window may reach
            over the end. Default: False.

    >>> nn.LPPool1d(2, 2)(torch.tensor([[[3., 4., 6., 8.]]])).tolist()
    [[[5.0, 10.0]]]
    """

    _name = "lp_pool1d"


class LPPool2d(_LPPoolNd):
    """(Σ x^p)^(1/p) over each window, p = norm_type. Shape: (N, C, H, W) or (C, H, W) to (…, H_out, W_out).

    Args:
        norm_type: the exponent p.
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. None (the default) is
            `kernel_size`.
        ceil_mode: whether the size of the output is rounded up, so that the last window may reach
            over the end. Default: False.

    >>> nn.LPPool2d(1, 2)(torch.ones(1, 1, 4, 4)).tolist()
    [[[[4.0, 4.0], [4.0, 4.0]]]]
    """

    _name = "lp_pool2d"


class LPPool3d(_LPPoolNd):
    """(Σ x^p)^(1/p) over each window, p = norm_type. Shape: (N, C, D, H, W) or without N to (…, D_out, H_out, W_out).

    Args:
        norm_type: the exponent p.
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. None (the default) is
            `kernel_size`.
        ceil_mode: whether the size of the output is rounded up, so that the last window may reach
            over the end. Default: False.

    >>> nn.LPPool3d(1, 2)(torch.ones(1, 1, 2, 2, 2)).item()
    8.0
    """

    _name = "lp_pool3d"


class _AdaptiveAvgPoolNd(Module):
    _pool: Any

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        return type(self)._pool(input, self.output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """The mean over windows that give the wanted output size. Shape: (N, C, L) or (C, L) to (…, output_size).

    Args:
        output_size: the size of the output: an int, or one for each dim; None keeps the size of a
            dim.

    >>> nn.AdaptiveAvgPool1d(2)(torch.arange(6.).view(1, 1, 6)).tolist()
    [[[1.0, 4.0]]]
    """

    _pool = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """The mean over windows that give the wanted output size; None in it keeps a size.

    Args:
        output_size: the size of the output: an int, or one for each dim; None keeps the size of a
            dim.

    Shape: (…, H, W) to (…, *output_size).

    >>> nn.AdaptiveAvgPool2d((2, 2))(torch.arange(16.).view(1, 1, 4, 4)).tolist()
    [[[[2.5, 4.5], [10.5, 12.5]]]]
    >>> tuple(nn.AdaptiveAvgPool2d((None, 1))(torch.ones(1, 3, 5, 7)).shape)
    (1, 3, 5, 1)
    """

    _pool = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """The mean over windows that give the wanted output size; None in it keeps a size.

    Args:
        output_size: the size of the output: an int, or one for each dim; None keeps the size of a
            dim.

    Shape: (…, D, H, W) to (…, *output_size).

    >>> nn.AdaptiveAvgPool3d(1)(torch.arange(8.).view(1, 1, 2, 2, 2)).item()
    3.5
    """

    _pool = staticmethod(F.adaptive_avg_pool3d)


class _AdaptiveMaxPoolNd(Module):
    _pool: Any

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        return type(self)._pool(input, self.output_size, self.return_indices)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The maximum over windows that give the wanted output size. Shape: (N, C, L) or (C, L) to (…, output_size).

    Args:
        output_size: the size of the output: an int, or one for each dim; None keeps the size of a
            dim.
        return_indices: whether to also return the positions of the maxima. Default: False.

    >>> nn.AdaptiveMaxPool1d(2)(torch.arange(6.).view(1, 1, 6)).tolist()
    [[[2.0, 5.0]]]
    """

    _pool = staticmethod(F.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The maximum over windows that give the wanted output size; None in it keeps a size.

    Args:
        output_size: the size of the output: an int, or one for each dim; None keeps the size of a
            dim.
        return_indices: whether to also return the positions of the maxima. Default: False.

    Shape: (…, H, W) to (…, *output_size).

    >>> nn.AdaptiveMaxPool2d((2, 2))(torch.arange(16.).view(1, 1, 4, 4)).tolist()
    [[[[5.0, 7.0], [13.0, 15.0]]]]
    """

    _pool = staticmethod(F.adaptive_max_pool2d)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """The maximum over windows that give the wanted output size; None in it keeps a size.

    Args:
        output_size: the size of the output: an int, or one for each dim; None keeps the size of a
            dim.
        return_indices: whether to also return the positions of the maxima. Default: False.

    Shape: (…, D, H, W) to (…, *output_size).

    >>> nn.AdaptiveMaxPool3d(1)(torch.arange(8.).view(1, 1, 2, 2, 2)).item()
    7.0
    """

    _pool = staticmethod(F.adaptive_max_pool3d)


class _MaxUnpoolNd(Module):
    _n: int
    _unpool: Any

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = ntuple(kernel_size, self._n)
        self.stride = ntuple(stride if stride is not None else kernel_size, self._n)
        self.padding = ntuple(padding, self._n)

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        return type(self)._unpool(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """Puts values back where MaxPool1d(return_indices=True) found them, zeros elsewhere. Shape: (N, C, L) or (C, L).

    Called with the values, the indices and, where several sizes are possible, output_size.

    Args:
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. None (the default) is
            `kernel_size`.
        padding: how far both ends of each dim are padded: an int, or one for each dim; at most
            half the window. Default: 0.

    >>> values, places = nn.MaxPool1d(2, return_indices=True)(torch.tensor([[[1., 3., 4., 2.]]]))
    >>> nn.MaxUnpool1d(2)(values, places).tolist()
    [[[0.0, 3.0, 4.0, 0.0]]]
    """

    _n = 1
    _unpool = staticmethod(F.max_unpool1d)


class MaxUnpool2d(_MaxUnpoolNd):
    """Puts values back where MaxPool2d(return_indices=True) found them, zeros elsewhere.

    Args:
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. None (the default) is
            `kernel_size`.
        padding: how far both ends of each dim are padded: an int, or one for each dim; at most
            half the window. Default: 0.

    Shape: (N, C, H, W) or (C, H, W).

    >>> values, places = nn.MaxPool2d(2, return_indices=True)(torch.tensor([[[1., 2.], [4., 3.]]]))
    >>> nn.MaxUnpool2d(2)(values, places).tolist()
    [[[0.0, 0.0], [4.0, 0.0]]]
    """

    _n = 2
    _unpool = staticmethod(F.max_unpool2d)


class MaxUnpool3d(_MaxUnpoolNd):
    """Puts values back where MaxPool3d(return_indices=True) found them, zeros elsewhere.

    Args:
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. None (the default) is
            `kernel_size`.
        padding: how far both ends of each dim are padded: an int, or one for each dim; at most
            half the window. Default: 0.

    Shape: (N, C, D, H, W) or (C, D, H, W).

    >>> values, places = nn.MaxPool3d(2, return_indices=True)(torch.arange(8.).view(1, 1, 2, 2, 2))
    >>> nn.MaxUnpool3d(2)(values, places).flatten().tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 7.0]
    """

    _n = 3
    _unpool = staticmethod(F.max_unpool3d)


class _FractionalMaxPoolNd(Module):
    _n: int
    _pool: Any

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        n, name = self._n, type(self).__name__
        sizes = kernel_size if isinstance(kernel_size, tuple | list) else (kernel_size,)
        if n == 3 and not all(k > 0 for k in sizes):
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        self.kernel_size = ntuple(kernel_size, n)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else ntuple(output_size, n)
        self.output_ratio = None if output_ratio is None else ntuple(output_ratio, n)
        if self.output_ratio is not None and not all(0 < r < 1 for r in self.output_ratio[:n]):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input: Tensor) -> Any:
        return type(self)._pool(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            _random_samples=self._random_samples,
        )


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """The maxima of randomly placed windows (Graham 2014, arXiv:1412.6071). Shape: (N, C, H, W) or (C, H, W).

    output_size, or output_ratio in (0, 1): one of them is given. `_random_samples` (N, C, 2) fixes the windows.

    Args:
        kernel_size: the size of the windows: an int, or one for each dim.
        output_size: the size of the output: an int, or one for each dim. Give this or
            `output_ratio`; None is the default.
        output_ratio: the size of the output as a fraction of the input's, in (0, 1). Give this or
            `output_size`; None is the default.
        return_indices: whether to also return the positions of the maxima. Default: False.

    Raises ValueError if both or neither are given, and for a ratio outside (0, 1).

    >>> tuple(nn.FractionalMaxPool2d(2, output_size=(5, 4))(torch.ones(1, 3, 9, 9)).shape)
    (1, 3, 5, 4)
    """

    _n = 2
    _pool = staticmethod(F.fractional_max_pool2d)


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """The maxima of randomly placed windows. Shape: (N, C, D, H, W) or (C, D, H, W); see FractionalMaxPool2d.

    Args:
        kernel_size: the size of the windows: an int, or one for each dim.
        output_size: the size of the output: an int, or one for each dim. Give this or
            `output_ratio`; None is the default.
        output_ratio: the size of the output as a fraction of the input's, in (0, 1). Give this or
            `output_size`; None is the default.
        return_indices: whether to also return the positions of the maxima. Default: False.

    >>> tuple(nn.FractionalMaxPool3d(2, output_ratio=0.5)(torch.ones(1, 3, 8, 8, 8)).shape)
    (1, 3, 4, 4, 4)
    """

    _n = 3
    _pool = staticmethod(F.fractional_max_pool3d)
