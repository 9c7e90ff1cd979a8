"""torch.ao.quantization: smaller weights. Layers of int8 and 4-bit weights, observers, and training that knows of
rounding; no quantized tensor is computed with."""

from __future__ import annotations

from ...api_names import refusing
from .fake_quantize import (
    FakeQuantize,
    FakeQuantizeBase,
    FusedMovingAvgObsFakeQuantize,
    QConfig,
    default_dynamic_qconfig,
    default_fake_quant,
    default_per_channel_weight_fake_quant,
    default_qconfig,
    default_weight_fake_quant,
    disable_fake_quant,
    disable_observer,
    enable_fake_quant,
    enable_observer,
    get_default_qat_qconfig,
    get_default_qconfig,
)
from .modules import bytes_of as bytes_of
from .observers import (
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    NoopObserver,
    ObserverBase,
    PerChannelMinMaxObserver,
    PlaceholderObserver,
    UniformQuantizationObserverBase,
    default_dynamic_quant_observer,
    default_observer,
    default_per_channel_weight_observer,
    default_placeholder_observer,
    default_weight_observer,
)
from .quantizing import (
    Int4WeightOnlyConfig,
    Int8DynamicActivationInt8WeightConfig,
    Int8WeightOnlyConfig,
    quantize_,
    quantize_dynamic,
)
from .stubs import DeQuantStub, QuantStub

__all__ = [
    "DeQuantStub", "FakeQuantize", "FakeQuantizeBase", "FusedMovingAvgObsFakeQuantize", "Int4WeightOnlyConfig",
    "Int8DynamicActivationInt8WeightConfig",
    "Int8WeightOnlyConfig", "MinMaxObserver", "MovingAverageMinMaxObserver", "MovingAveragePerChannelMinMaxObserver",
    "NoopObserver", "ObserverBase",
    "PerChannelMinMaxObserver", "PlaceholderObserver", "QConfig", "QuantStub", "UniformQuantizationObserverBase",
    "default_dynamic_qconfig",
    "default_dynamic_quant_observer", "default_fake_quant", "default_observer",
    "default_per_channel_weight_fake_quant", "default_per_channel_weight_observer",
    "default_placeholder_observer", "default_qconfig", "default_weight_fake_quant", "default_weight_observer",
    "disable_fake_quant", "disable_observer",
    "enable_fake_quant", "enable_observer", "get_default_qat_qconfig", "get_default_qconfig", "quantize_",
    "quantize_dynamic",
]  # fmt: skip

_REFUSED = frozenset(
    """
    HistogramObserver convert fuse_modules fuse_modules_qat prepare prepare_qat quantize quantize_qat
    """.split()
)

__getattr__ = refusing(
    "torch.ao.quantization",
    _REFUSED,
    "no program is computed in quantized tensors here; quantize_dynamic and quantize_ make a model's weights "
    "smaller, FakeQuantize trains for it",
)
