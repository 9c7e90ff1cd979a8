"""torch.ao.nn: layers that are fused, that train for quantization, and that are quantized. They are defined in
`functorch_lite.ao.quantization`."""

from __future__ import annotations

from ..quantization import fused_layers as intrinsic
from ..quantization import static_layers as quantized
from ..quantization import training_layers as qat

__all__ = ["intrinsic", "qat", "quantized"]
