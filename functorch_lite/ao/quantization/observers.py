"""Observers: modules that note the least and the largest numbers that pass, and say which scale and zero point are
for them."""

from __future__ import annotations

import functools
import warnings
from typing import Any

from ..._core.api import Tensor, int32, int64
from ..._core.api import functions as torch
from ...nn import Module
from .schemes import (
    QINT8,
    QUINT8,
    bounds,
    per_channel_affine,
    per_channel_affine_float_qparams,
    per_channel_symmetric,
    per_tensor_affine,
    per_tensor_symmetric,
)

__all__ = [
    "MinMaxObserver", "MovingAverageMinMaxObserver", "MovingAveragePerChannelMinMaxObserver", "NoopObserver",
    "ObserverBase", "PerChannelMinMaxObserver",
    "PlaceholderObserver", "UniformQuantizationObserverBase", "default_dynamic_quant_observer", "default_observer",
    "default_per_channel_weight_observer",
    "default_placeholder_observer", "default_weight_observer",
]  # fmt: skip

_EPS = 1.1920928955078125e-07
_SYMMETRIC = (per_tensor_symmetric, per_channel_symmetric)


class _Partial:
    """A constructor with some arguments; `with_args` gives one with more."""

    def __init__(self, made: functools.partial):
        self.p = made

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.p(*args, **kwargs)

    def with_args(self, **kwargs: Any) -> _Partial:
        """One with more arguments."""
        return _Partial(functools.partial(self.p, **kwargs))

    def __repr__(self) -> str:
        return repr(self.p)


class ObserverBase(Module):
    """Base of observers: `forward(x)` notes and gives x, `calculate_qparams()` gives a scale and a zero point."""

    def __init__(self, dtype: Any, is_dynamic: bool = False):
        super().__init__()
        self.dtype, self.is_dynamic = dtype, is_dynamic

    @classmethod
    def with_args(cls, **kwargs: Any) -> _Partial:
        """A constructor with these arguments."""
        return _Partial(functools.partial(cls, **kwargs))

    def forward(self, x: Tensor) -> Tensor:
        """Notes x."""
        raise NotImplementedError

    def calculate_qparams(self, **kwargs: Any) -> Any:
        """A scale and a zero point."""
        raise NotImplementedError


class UniformQuantizationObserverBase(ObserverBase):
    """An observer whose integers are evenly spaced.

    reduce_range: of one bit less. quant_min, quant_max: the integers, if they are not all of the dtype's.
    """

    def __init__(
        self,
        dtype: Any = QUINT8,
        qscheme: Any = per_tensor_affine,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        factory_kwargs: Any = None,
        eps: float = _EPS,
        is_dynamic: bool = False,
        **kwargs: Any,
    ):
        super().__init__(dtype, is_dynamic)
        self.qscheme, self.reduce_range = qscheme, reduce_range
        self.has_customized_qrange = quant_min is not None and quant_max is not None
        low, high = (quant_min, quant_max) if self.has_customized_qrange else bounds(dtype)
        if reduce_range:
            low, high = low // 2, high // 2  # type: ignore[operator]
        self.quant_min, self.quant_max = low, high
        self.register_buffer("eps", torch.tensor([eps]))

    def reset_min_max_vals(self) -> None:
        """Forgets what passed."""
        raise NotImplementedError

    def _calculate_qparams(self, min_val: Tensor, max_val: Tensor) -> tuple[Tensor, Tensor]:
        if min_val.numel() == 0 or max_val.numel() == 0:
            warnings.warn(
                "must run observer before calling calculate_qparams. Returning default values.", stacklevel=3
            )
            return torch.tensor([1.0]), torch.tensor([0], dtype=int64)
        low, high = self.quant_min, self.quant_max
        least, most = torch.clamp(min_val, max=0.0), torch.clamp(max_val, min=0.0)
        zero = torch.zeros_like(least).to(int64)
        if self.qscheme in _SYMMETRIC:
            scale = torch.maximum(-least, most) / ((high - low) / 2)
            if self.dtype.name in ("quint8", "uint8"):
                zero = zero + ((low + high) // 2 if self.has_customized_qrange else 128)
            return torch.maximum(scale, self.eps), zero
        if self.qscheme is per_channel_affine_float_qparams:
            scale = (max_val - min_val) / (high - low)
            scale = torch.where(scale > self.eps, scale, torch.ones_like(scale))
            return scale, -min_val / scale
        scale = torch.maximum((most - least) / (high - low), self.eps)
        return scale, torch.clamp(low - torch.round(least / scale).to(int32), low, high)

    def calculate_qparams(self) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        """A scale and a zero point for what passed."""
        return self._calculate_qparams(self.min_val, self.max_val)

    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}"


class MinMaxObserver(UniformQuantizationObserverBase):
    """Notes the least and the largest number of all that passed.

    >>> observer = torch.ao.quantization.MinMaxObserver()
    >>> _ = observer(torch.tensor([-1.0, 4.1]))
    >>> observer.calculate_qparams()
    (tensor([0.0200]), tensor([50], dtype=torch.int32))
    """

    def __init__(self, dtype: Any = QUINT8, qscheme: Any = per_tensor_affine, *args: Any, **kwargs: Any):
        if qscheme not in (per_tensor_affine, per_tensor_symmetric):
            raise NotImplementedError(
                f"{type(self).__name__}'s qscheme only support torch.per_tensor_symmetric and torch.per_tensor_affine."
            )
        super().__init__(dtype, qscheme, *args, **kwargs)
        self.register_buffer("min_val", torch.tensor(float("inf")))
        self.register_buffer("max_val", torch.tensor(float("-inf")))

    def forward(self, x: Tensor) -> Tensor:
        if x.numel():
            still = x.detach().to(self.min_val.dtype)
            self._note(still.amin(), still.amax())
        return x

    def _note(self, least: Tensor, most: Tensor) -> None:
        self.min_val.copy_(torch.minimum(least, self.min_val))
        self.max_val.copy_(torch.maximum(most, self.max_val))

    def calculate_qparams(self) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        if float(self.min_val) > float(self.max_val):
            warnings.warn(
                "must run observer before calling calculate_qparams. Returning default values.", stacklevel=2
            )
            return torch.tensor([1.0]), torch.tensor([0], dtype=int64)
        scale, zero = super().calculate_qparams()
        return scale.reshape(1), zero.reshape(1)

    def reset_min_max_vals(self) -> None:
        self.min_val.fill_(float("inf"))
        self.max_val.fill_(float("-inf"))


class MovingAverageMinMaxObserver(MinMaxObserver):
    """Notes moving averages of the least and the largest number of each tensor that passed."""

    def __init__(
        self,
        averaging_constant: float = 0.01,
        dtype: Any = QUINT8,
        qscheme: Any = per_tensor_affine,
        **kwargs: Any,
    ):
        super().__init__(dtype, qscheme, **kwargs)
        self.averaging_constant = averaging_constant

    def _note(self, least: Tensor, most: Tensor) -> None:
        for held, now in ((self.min_val, least), (self.max_val, most)):
            first = torch.isinf(held)
            before = torch.where(first, now, held)  # inf - inf is nan
            held.copy_(before + self.averaging_constant * (now - before))


class PerChannelMinMaxObserver(UniformQuantizationObserverBase):
    """Notes the least and the largest number for each index along `ch_axis`."""

    def __init__(
        self,
        ch_axis: int = 0,
        dtype: Any = QUINT8,
        qscheme: Any = per_channel_affine,
        *args: Any,
        **kwargs: Any,
    ):
        super().__init__(dtype, qscheme, *args, **kwargs)
        self.ch_axis = ch_axis
        self.register_buffer("min_val", torch.tensor([]))
        self.register_buffer("max_val", torch.tensor([]))

    def forward(self, x: Tensor) -> Tensor:
        if x.numel():
            still = x.detach().to(self.min_val.dtype)
            dims = [d for d in range(x.ndim) if d != self.ch_axis % x.ndim]
            self._note(*[f(still, dim=dims) if dims else still for f in (torch.amin, torch.amax)])
        return x

    def _note(self, least: Tensor, most: Tensor) -> None:
        first = self.min_val.numel() == 0
        self.min_val = least if first else torch.minimum(least, self.min_val)
        self.max_val = most if first else torch.maximum(most, self.max_val)

    def reset_min_max_vals(self) -> None:
        self.min_val, self.max_val = torch.tensor([]), torch.tensor([])


class MovingAveragePerChannelMinMaxObserver(PerChannelMinMaxObserver):
    """Notes moving averages for each index along `ch_axis`."""

    def __init__(
        self,
        averaging_constant: float = 0.01,
        ch_axis: int = 0,
        dtype: Any = QUINT8,
        qscheme: Any = per_channel_affine,
        **kwargs: Any,
    ):
        super().__init__(ch_axis, dtype, qscheme, **kwargs)
        self.averaging_constant = averaging_constant

    def _note(self, least: Tensor, most: Tensor) -> None:
        first = self.min_val.numel() == 0
        self.min_val = least if first else self.min_val + self.averaging_constant * (least - self.min_val)
        self.max_val = most if first else self.max_val + self.averaging_constant * (most - self.max_val)


class PlaceholderObserver(ObserverBase):
    """Notes nothing; says of which dtype the numbers are to be."""

    def __init__(
        self,
        dtype: Any = None,
        custom_op_name: str = "",
        compute_dtype: Any = None,
        quant_min: Any = None,
        quant_max: Any = None,
        qscheme: Any = None,
        eps: Any = None,
        is_dynamic: bool = False,
    ):
        super().__init__(dtype, is_dynamic or compute_dtype is not None)
        self.qscheme, self.quant_min, self.quant_max, self.eps = (
            qscheme or per_tensor_affine,
            quant_min,
            quant_max,
            eps,
        )
        self.custom_op = custom_op_name

    def forward(self, x: Tensor) -> Tensor:
        return x

    def calculate_qparams(self, **kwargs: Any) -> Any:
        raise Exception("calculate_qparams should not be called for PlaceholderObserver")


class NoopObserver(ObserverBase):
    """Notes nothing."""

    def __init__(self, dtype: Any = None, custom_op_name: str = ""):
        super().__init__(dtype)
        self.custom_op = custom_op_name

    def forward(self, x: Tensor) -> Tensor:
        return x

    def calculate_qparams(self, **kwargs: Any) -> Any:
        raise Exception("calculate_qparams should not be called for NoopObserver")


default_observer = MinMaxObserver.with_args(quant_min=0, quant_max=127)
default_weight_observer = MinMaxObserver.with_args(dtype=QINT8, qscheme=per_tensor_symmetric)
default_per_channel_weight_observer = PerChannelMinMaxObserver.with_args(
    dtype=QINT8, qscheme=per_channel_symmetric
)
default_dynamic_quant_observer = PlaceholderObserver.with_args(
    dtype=QUINT8, quant_min=0, quant_max=255, is_dynamic=True
)
default_placeholder_observer = PlaceholderObserver
