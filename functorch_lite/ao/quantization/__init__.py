"""torch.ao.quantization: smaller weights. Layers with int8 and 4-bit weights, observers, training with rounding, and
models that are observed and converted. Converted layers compute in float32."""

from __future__ import annotations

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
)
from .fusing import fuse_modules, fuse_modules_qat
from .histogram import HistogramObserver
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
from .qconfigs import (
    QConfigMapping,
    get_default_qat_qconfig_mapping,
    get_default_qconfig,
    get_default_qconfig_mapping,
)
from .quantizing import (
    Int4WeightOnlyConfig,
    Int8DynamicActivationInt8WeightConfig,
    Int8WeightOnlyConfig,
    quantize_,
    quantize_dynamic,
)
from .static import convert, prepare, prepare_qat, propagate_qconfig_, quantize, quantize_qat
from .stubs import DeQuantStub, QuantStub

__all__ = [
    "DeQuantStub", "FakeQuantize", "FakeQuantizeBase", "FusedMovingAvgObsFakeQuantize", "HistogramObserver",
    "Int4WeightOnlyConfig", "Int8DynamicActivationInt8WeightConfig", "Int8WeightOnlyConfig", "MinMaxObserver",
    "MovingAverageMinMaxObserver", "MovingAveragePerChannelMinMaxObserver", "NoopObserver", "ObserverBase",
    "PerChannelMinMaxObserver", "PlaceholderObserver", "QConfig", "QConfigMapping", "QuantStub",
    "UniformQuantizationObserverBase", "convert", "default_dynamic_qconfig", "default_dynamic_quant_observer",
    "default_fake_quant", "default_observer", "default_per_channel_weight_fake_quant",
    "default_per_channel_weight_observer", "default_placeholder_observer", "default_qconfig",
    "default_weight_fake_quant", "default_weight_observer", "disable_fake_quant", "disable_observer",
    "enable_fake_quant", "enable_observer", "fuse_modules", "fuse_modules_qat", "get_default_qat_qconfig",
    "get_default_qat_qconfig_mapping", "get_default_qconfig", "get_default_qconfig_mapping", "prepare", "prepare_qat",
    "propagate_qconfig_", "quantize", "quantize_", "quantize_dynamic", "quantize_qat",
]  # fmt: skip
