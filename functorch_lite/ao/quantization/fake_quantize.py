"""FakeQuantize: training that knows of quantization. Numbers are rounded as integers would be, and gradients pass."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..._core.api import Tensor, int32, uint8
from ..._core.api import functions as torch
from ...nn import Module
from .observers import (
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    _Partial,
    default_dynamic_quant_observer,
    default_observer,
    default_weight_observer,
)
from .schemes import (
    QINT8,
    fake_quantize_per_channel_affine,
    fake_quantize_per_tensor_affine,
    per_channel_affine,
    per_channel_symmetric,
    per_tensor_symmetric,
)

__all__ = [
    "FakeQuantize", "FakeQuantizeBase", "FusedMovingAvgObsFakeQuantize", "QConfig", "default_dynamic_qconfig",
    "default_fake_quant",
    "default_per_channel_weight_fake_quant", "default_qconfig", "default_weight_fake_quant", "disable_fake_quant",
    "disable_observer", "enable_fake_quant",
    "enable_observer", "get_default_qat_qconfig",
]  # fmt: skip


class FakeQuantizeBase(Module):
    """Base of fake quantization: rounding and noting can be turned off."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("fake_quant_enabled", torch.tensor([1], dtype=uint8))
        self.register_buffer("observer_enabled", torch.tensor([1], dtype=uint8))

    def enable_fake_quant(self, enabled: bool = True) -> None:
        """Rounds, or does not."""
        self.fake_quant_enabled[0] = 1 if enabled else 0

    def disable_fake_quant(self) -> None:
        """Does not round any more."""
        self.enable_fake_quant(False)

    def enable_observer(self, enabled: bool = True) -> None:
        """Notes what passes, or does not."""
        self.observer_enabled[0] = 1 if enabled else 0

    def disable_observer(self) -> None:
        """Does not note any more."""
        self.enable_observer(False)

    @classmethod
    def with_args(cls, **kwargs: Any) -> _Partial:
        """A constructor with these arguments."""
        import functools

        return _Partial(functools.partial(cls, **kwargs))


class FakeQuantize(FakeQuantizeBase):
    """An observer, and the rounding to the integers that it says.

    observer: its class; the other arguments are the observer's. quant_min, quant_max: the integers.

    >>> from functorch_lite.ao.quantization import FakeQuantize, MinMaxObserver
    >>> fq = FakeQuantize(observer=MinMaxObserver, quant_min=0, quant_max=255)
    >>> fq(torch.tensor([0.0, 1.0, 2.55, 0.004]))
    tensor([0.0000, 1.0000, 2.5500, 0.0000])
    """

    def __init__(
        self,
        observer: Any = MovingAverageMinMaxObserver,
        quant_min: int | None = None,
        quant_max: int | None = None,
        is_dynamic: bool = False,
        **observer_kwargs: Any,
    ):
        super().__init__()
        if quant_min is not None and quant_max is not None:
            assert quant_min <= quant_max, "quant_min must be less than or equal to quant_max"
            observer_kwargs.update(quant_min=quant_min, quant_max=quant_max)
        if is_dynamic and getattr(observer, "averaging_constant", 1) != 1:
            raise NotImplementedError("Dynamic quantization doesn't support Moving Average observers")
        self.activation_post_process = observer(is_dynamic=is_dynamic, **observer_kwargs)
        noted = self.activation_post_process
        self.quant_min, self.quant_max = noted.quant_min, noted.quant_max
        self.is_dynamic, self.dtype, self.qscheme = is_dynamic, noted.dtype, noted.qscheme
        self.ch_axis = getattr(noted, "ch_axis", -1)
        self.is_per_channel = self.qscheme in (per_channel_affine, per_channel_symmetric)
        self.register_buffer("scale", torch.tensor([1.0]))
        self.register_buffer("zero_point", torch.tensor([0], dtype=int32))

    def calculate_qparams(self) -> tuple[Tensor, Tensor]:
        """The observer's scale and zero point."""
        return self.activation_post_process.calculate_qparams()

    def _rounding(self) -> tuple[Tensor, Tensor]:
        """The scale and zero point that the next numbers are rounded with."""
        return self.calculate_qparams()

    def forward(self, X: Tensor) -> Tensor:
        if self.observer_enabled[0] == 1:
            self.activation_post_process(X.detach())
            scale, zero_point = self._rounding()
            self.scale, self.zero_point = scale, zero_point.to(int32)
        if self.fake_quant_enabled[0] != 1:
            return X
        if self.is_per_channel:
            return fake_quantize_per_channel_affine(
                X, self.scale, self.zero_point, self.ch_axis, self.quant_min, self.quant_max
            )
        return fake_quantize_per_tensor_affine(X, self.scale, self.zero_point, self.quant_min, self.quant_max)

    def extra_repr(self) -> str:
        return (
            f"fake_quant_enabled={self.fake_quant_enabled}, observer_enabled={self.observer_enabled}, "
            f"quant_min={self.quant_min}, quant_max={self.quant_max}, "
            f"dtype={self.dtype}, qscheme={self.qscheme}, ch_axis={self.ch_axis}, scale={self.scale}, "
            f"zero_point={self.zero_point}"
        )


class FusedMovingAvgObsFakeQuantize(FakeQuantize):
    """A FakeQuantize with a moving average that rounds as PyTorch's fused kernel does: in a symmetric scheme the least
    integer stands for the least number, or the largest for the largest, so that the range is not widened to both."""

    def _rounding(self) -> tuple[Tensor, Tensor]:
        scale, zero_point = self.calculate_qparams()
        if self.qscheme in (per_tensor_symmetric, per_channel_symmetric):
            noted = self.activation_post_process
            least, most = torch.clamp(noted.min_val, max=0.0), torch.clamp(noted.max_val, min=0.0)
            half = (self.quant_max - self.quant_min) // 2
            found = torch.maximum(-least / (half + 1), most / half)
            scale = torch.maximum(found, noted.eps).reshape(scale.shape)
        return scale, zero_point


def _on_each(name: str):
    def call(mod: Module) -> None:
        if isinstance(mod, FakeQuantizeBase):
            getattr(mod, name)()

    call.__name__ = name
    call.__doc__ = f"Calls `{name}` of a module that has it: `model.apply(torch.ao.quantization.{name})`."
    return call


enable_fake_quant, disable_fake_quant = _on_each("enable_fake_quant"), _on_each("disable_fake_quant")
enable_observer, disable_observer = _on_each("enable_observer"), _on_each("disable_observer")


class QConfig(NamedTuple):
    """Pair of factories of an observer, or a FakeQuantize, for activations and for weights."""

    activation: Any
    weight: Any


default_fake_quant = FakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver, quant_min=0, quant_max=255, reduce_range=True
)
default_weight_fake_quant = FakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver,
    quant_min=-128,
    quant_max=127,
    dtype=QINT8,
    qscheme=per_tensor_symmetric,
    reduce_range=False,
)
default_per_channel_weight_fake_quant = FakeQuantize.with_args(
    observer=MovingAveragePerChannelMinMaxObserver,
    quant_min=-128,
    quant_max=127,
    dtype=QINT8,
    qscheme=per_channel_symmetric,
    reduce_range=False,
    ch_axis=0,
)
default_qconfig = QConfig(default_observer, default_weight_observer)
default_dynamic_qconfig = QConfig(default_dynamic_quant_observer, default_weight_observer)


_FUSED = {"observer": MovingAverageMinMaxObserver, "quant_min": 0, "quant_max": 255}
_FUSED_WEIGHT = {"quant_min": -128, "quant_max": 127, "dtype": QINT8}
_QAT: dict[str, tuple[bool, bool]] = {
    "fbgemm": (True, True),
    "x86": (True, True),
    "onednn": (False, True),
    "qnnpack": (False, False),
}
"""Backends: whether activations have 7 bits, and whether each channel of a weight has a scale."""


def get_default_qat_qconfig(backend: str = "x86", version: int = 1) -> QConfig:
    """Return the configuration of a backend for training that knows of quantization.

    Args:
        backend: "x86", "fbgemm", "qnnpack" or "onednn".
        version: 1: FusedMovingAvgObsFakeQuantize. 0: FakeQuantize.

    Raises:
        AssertionError: For another backend or version.
    """
    if backend not in _QAT:
        raise AssertionError(
            f"backend: {backend} not supported. backend must be one of {['fbgemm', 'x86', 'qnnpack', 'onednn']}"
        )
    if version not in (0, 1):
        raise AssertionError(
            f"Version number: {version}in get_default_qat_qconfig is not supported. Version number must be 0 or 1"
        )
    narrow, channels = _QAT[backend]
    kind = FusedMovingAvgObsFakeQuantize if version else FakeQuantize
    if channels:
        weight = kind.with_args(
            observer=MovingAveragePerChannelMinMaxObserver, qscheme=per_channel_symmetric, **_FUSED_WEIGHT
        )
    else:
        weight = kind.with_args(
            observer=MovingAverageMinMaxObserver, qscheme=per_tensor_symmetric, **_FUSED_WEIGHT
        )
    return QConfig(kind.with_args(reduce_range=narrow, **_FUSED), weight)
