"""Lazy modules: their parameters get their shapes from the first input; then they become the ordinary class."""

from __future__ import annotations

from typing import Any

from functorch_lite._core.api import Tensor
from functorch_lite._core.api import functions as torch
from functorch_lite.nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy

from .batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from .conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from .instancenorm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from .linear import Linear

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin:
    """Mixin that makes a module lazy: put it before the ordinary class among the bases, make the parameters
    Uninitialized, and define `initialize_parameters`, which materializes them for the arguments of the first call.

    Attributes:
        cls_to_become: the class the module has from then on; None keeps its own.
    """

    cls_to_become: type | None = None

    def __init_subclass__(cls, becomes: type | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if becomes is not None:
            cls.cls_to_become = becomes

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)  # type: ignore[attr-defined]
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)  # type: ignore[attr-defined]

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Materializes the parameters for these arguments of `forward`: every lazy module defines it."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self) -> bool:
        """Returns whether a parameter or buffer of this module (not of its children) has no shape yet."""
        return any(is_lazy(t) for members in (self._parameters, self._buffers) for t in members.values())  # type: ignore[attr-defined]

    def _save_to_state_dict(self, destination: dict, prefix: str, keep_vars: bool) -> None:
        kept = self._non_persistent_buffers_set  # type: ignore[attr-defined]
        members = dict(self._parameters)  # type: ignore[attr-defined]
        members.update((k, b) for k, b in self._buffers.items() if k not in kept)  # type: ignore[attr-defined]
        for name, t in members.items():
            if t is not None:
                destination[prefix + name] = t if keep_vars or is_lazy(t) else t.detach()

    def _lazy_load_hook(self, state_dict: dict, prefix: str, *rest: Any) -> None:
        for members in (self._parameters, self._buffers):  # type: ignore[attr-defined]
            for name, mine in members.items():
                given = state_dict.get(prefix + name)
                if mine is not None and given is not None and is_lazy(mine) and not is_lazy(given):
                    with torch.no_grad():
                        mine.materialize(given.shape)

    def _load_member(self, name: str, mine: Any, key: str, given: Any, *rest: Any) -> None:
        if not (is_lazy(mine) and is_lazy(given)):
            super()._load_member(name, mine, key, given, *rest)  # type: ignore[misc]

    def _infer_parameters(self, module: Any, args: tuple, kwargs: dict | None = None) -> None:
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")  # type: ignore[attr-defined]
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become


def _uninitialized(bias: bool, device: Any, dtype: Any) -> UninitializedParameter | None:
    return UninitializedParameter(device=device, dtype=dtype) if bias else None


class LazyLinear(LazyModuleMixin, Linear, becomes=Linear):
    """Linear whose in_features is the size of the first input's last dim.

    Args:
        out_features: the number of features of the output.
        bias: whether a bias is added. Default: True.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    >>> LazyLinear(3)(torch.zeros(2, 5)).shape  # doctest: +SKIP
    torch.Size([2, 3])
    """

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        self.bias = _uninitialized(bias, device, dtype)

    def reset_parameters(self) -> None:
        """Draws weight and bias afresh, once they have shapes."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:  # type: ignore[override]
        """Takes in_features from input."""
        if self.has_uninitialized_params():
            with torch.no_grad():
                self.in_features = input.shape[-1]
                self.weight.materialize((self.out_features, self.in_features))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()
        if self.in_features == 0:  # the weight was loaded
            self.in_features = self.weight.shape[-1]


class _LazyConv(LazyModuleMixin):
    """Mixin of the lazy convolutions; in_channels is the size of the first input's channel dim."""

    _n: int

    def _start(self, out_channels: int, bias: bool, device: Any, dtype: Any) -> None:
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        self.bias = _uninitialized(bias, device, dtype)

    def reset_parameters(self) -> None:
        """Draws weight and bias afresh, once they have shapes."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Takes in_channels from input."""
        if not self.has_uninitialized_params():
            if self.in_channels == 0:  # the weight was loaded
                self.in_channels = self.weight.shape[0 if self.transposed else 1] * (
                    1 if self.transposed else self.groups
                )  # type: ignore[attr-defined]
            return
        n = self._n
        if input.dim() not in (n + 1, n + 2):
            raise RuntimeError(
                f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {type(self).__name__}, but got input of size: "
                f"{input.shape}"
            )
        self.in_channels = input.shape[-n - 1]
        if self.in_channels % self.groups != 0:  # type: ignore[attr-defined]
            raise ValueError("in_channels must be divisible by groups")
        channels = (
            (self.in_channels, self.out_channels // self.groups)  # type: ignore[attr-defined]
            if self.transposed  # type: ignore[attr-defined]
            else (self.out_channels, self.in_channels // self.groups)  # type: ignore[attr-defined]
        )
        with torch.no_grad():
            self.weight.materialize((*channels, *self.kernel_size))  # type: ignore[attr-defined]
            if self.bias is not None:
                self.bias.materialize((self.out_channels,))
            self.reset_parameters()


class _LazyPlainConv(_LazyConv):
    def __init__(
        self,
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
        windows = kernel_size, stride, padding, dilation
        super().__init__(0, 0, *windows, groups, False, padding_mode, device, dtype)
        self._start(out_channels, bias, device, dtype)


class LazyConv1d(_LazyPlainConv, Conv1d, becomes=Conv1d):
    """Conv1d whose in_channels follows from the first input.

    Args:
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

    >>> conv = nn.LazyConv1d(4, kernel_size=3, padding=1)
    >>> tuple(conv(torch.ones(2, 3, 8)).shape), conv.in_channels
    ((2, 4, 8), 3)
    """


class LazyConv2d(_LazyPlainConv, Conv2d, becomes=Conv2d):
    """Conv2d whose in_channels follows from the first input.

    Args:
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

    >>> conv = nn.LazyConv2d(4, kernel_size=3, padding=1)
    >>> tuple(conv(torch.ones(2, 3, 8, 8)).shape), conv.in_channels
    ((2, 4, 8, 8), 3)
    """


class LazyConv3d(_LazyPlainConv, Conv3d, becomes=Conv3d):
    """Conv3d whose in_channels follows from the first input.

    Args:
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

    >>> conv = nn.LazyConv3d(4, kernel_size=3, padding=1)
    >>> tuple(conv(torch.ones(2, 3, 8, 8, 8)).shape), conv.in_channels
    ((2, 4, 8, 8, 8), 3)
    """


class _LazyConvTranspose(_LazyConv):
    def __init__(
        self,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        windows = kernel_size, stride, padding, output_padding
        super().__init__(0, 0, *windows, groups, False, dilation, padding_mode, device, dtype)
        self._start(out_channels, bias, device, dtype)


class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d, becomes=ConvTranspose1d):
    """ConvTranspose1d whose in_channels follows from the first input.

    Args:
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

    >>> up = nn.LazyConvTranspose1d(4, kernel_size=2, stride=2)
    >>> tuple(up(torch.ones(2, 3, 8)).shape), up.in_channels
    ((2, 4, 16), 3)
    """


class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d, becomes=ConvTranspose2d):
    """ConvTranspose2d whose in_channels follows from the first input.

    Args:
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

    >>> up = nn.LazyConvTranspose2d(4, kernel_size=2, stride=2)
    >>> tuple(up(torch.ones(2, 3, 8, 8)).shape), up.in_channels
    ((2, 4, 16, 16), 3)
    """


class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d, becomes=ConvTranspose3d):
    """ConvTranspose3d whose in_channels follows from the first input.

    Args:
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

    >>> up = nn.LazyConvTranspose3d(4, kernel_size=2, stride=2)
    >>> tuple(up(torch.ones(2, 3, 8, 8, 8)).shape), up.in_channels
    ((2, 4, 16, 16, 16), 3)
    """


class _LazyNorm(LazyModuleMixin):
    """Mixin of the lazy normalizations; num_features is the size of the first input's dim 1."""

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, False, False, device, dtype)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(device=device, dtype=dtype)
            self.bias = _uninitialized(bias, device, dtype)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = torch.tensor(0, dtype=torch.long, device=device)

    def reset_parameters(self) -> None:
        """Weight 1, bias 0, statistics forgotten, once they have shapes."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self, input: Tensor) -> None:  # type: ignore[override]
        """Takes num_features from input."""
        if not self.has_uninitialized_params():
            return
        self.num_features = input.shape[1]
        if self.affine:
            self.weight.materialize((self.num_features,))
            if self.bias is not None:
                self.bias.materialize((self.num_features,))
        if self.track_running_stats:
            self.running_mean.materialize((self.num_features,))
            self.running_var.materialize((self.num_features,))
        self.reset_parameters()


class LazyBatchNorm1d(_LazyNorm, BatchNorm1d, becomes=BatchNorm1d):
    """BatchNorm1d whose num_features follows from the first input.

    Args:
        eps: a small number added to the variance. Default: 1e-05.
        momentum: the weight of a new batch in the running statistics. None averages over all
            batches. Default: 0.1.
        affine: whether there are a learned weight and bias. Default: True.
        track_running_stats: whether running statistics are kept. False always uses those of the
            batch. Default: True.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.
        bias: whether there is a bias, if `affine`. Default: True.

    >>> norm = nn.LazyBatchNorm1d()
    >>> tuple(norm(torch.ones(2, 3, 8)).shape), norm
    ((2, 3, 8), BatchNorm1d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True))
    """


class LazyBatchNorm2d(_LazyNorm, BatchNorm2d, becomes=BatchNorm2d):
    """BatchNorm2d whose num_features follows from the first input.

    Args:
        eps: a small number added to the variance. Default: 1e-05.
        momentum: the weight of a new batch in the running statistics. None averages over all
            batches. Default: 0.1.
        affine: whether there are a learned weight and bias. Default: True.
        track_running_stats: whether running statistics are kept. False always uses those of the
            batch. Default: True.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.
        bias: whether there is a bias, if `affine`. Default: True.

    >>> norm = nn.LazyBatchNorm2d()
    >>> tuple(norm(torch.ones(2, 3, 8, 8)).shape), norm
    ((2, 3, 8, 8), BatchNorm2d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True))
    """


class LazyBatchNorm3d(_LazyNorm, BatchNorm3d, becomes=BatchNorm3d):
    """BatchNorm3d whose num_features follows from the first input.

    Args:
        eps: a small number added to the variance. Default: 1e-05.
        momentum: the weight of a new batch in the running statistics. None averages over all
            batches. Default: 0.1.
        affine: whether there are a learned weight and bias. Default: True.
        track_running_stats: whether running statistics are kept. False always uses those of the
            batch. Default: True.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.
        bias: whether there is a bias, if `affine`. Default: True.

    >>> norm = nn.LazyBatchNorm3d()
    >>> tuple(norm(torch.ones(2, 3, 8, 8, 8)).shape), norm
    ((2, 3, 8, 8, 8), BatchNorm3d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True))
    """


class LazyInstanceNorm1d(_LazyNorm, InstanceNorm1d, becomes=InstanceNorm1d):
    """InstanceNorm1d whose num_features follows from the first input.

    Args:
        eps: a small number added to the variance. Default: 1e-05.
        momentum: the weight of a new batch in the running statistics. None averages over all
            batches. Default: 0.1.
        affine: whether there are a learned weight and bias. Default: True.
        track_running_stats: whether running statistics are kept. False always uses those of the
            input. Default: True.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.
        bias: whether there is a bias, if `affine`. Default: True.

    >>> norm = nn.LazyInstanceNorm1d(affine=True)
    >>> tuple(norm(torch.ones(2, 3, 8)).shape), norm.num_features
    ((2, 3, 8), 3)
    """


class LazyInstanceNorm2d(_LazyNorm, InstanceNorm2d, becomes=InstanceNorm2d):
    """InstanceNorm2d whose num_features follows from the first input.

    Args:
        eps: a small number added to the variance. Default: 1e-05.
        momentum: the weight of a new batch in the running statistics. None averages over all
            batches. Default: 0.1.
        affine: whether there are a learned weight and bias. Default: True.
        track_running_stats: whether running statistics are kept. False always uses those of the
            input. Default: True.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.
        bias: whether there is a bias, if `affine`. Default: True.

    >>> norm = nn.LazyInstanceNorm2d(affine=True)
    >>> tuple(norm(torch.ones(2, 3, 8, 8)).shape), norm.num_features
    ((2, 3, 8, 8), 3)
    """


class LazyInstanceNorm3d(_LazyNorm, InstanceNorm3d, becomes=InstanceNorm3d):
    """InstanceNorm3d whose num_features follows from the first input.

    Args:
        eps: a small number added to the variance. Default: 1e-05.
        momentum: the weight of a new batch in the running statistics. None averages over all
            batches. Default: 0.1.
        affine: whether there are a learned weight and bias. Default: True.
        track_running_stats: whether running statistics are kept. False always uses those of the
            input. Default: True.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.
        bias: whether there is a bias, if `affine`. Default: True.

    >>> norm = nn.LazyInstanceNorm3d(affine=True)
    >>> tuple(norm(torch.ones(2, 3, 8, 8, 8)).shape), norm.num_features
    ((2, 3, 8, 8, 8), 3)
    """
