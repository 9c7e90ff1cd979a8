"""torch.ao.quantization: the modules that mark where a model would be quantized. Nothing is: what would do it raises."""

from __future__ import annotations

from typing import Any

from ..api_names import refusing
from ..nn import Module

__all__ = ["DeQuantStub", "QuantStub"]

_REFUSED = frozenset(
    """
    QConfig convert default_observer default_per_channel_weight_observer default_weight_observer fuse_modules fuse_modules_qat
    get_default_qat_qconfig get_default_qconfig prepare prepare_qat quantize quantize_dynamic quantize_qat
    """.split()
)


class QuantStub(Module):
    """Where quantized numbers would begin; the identity until a model is converted, which raises here."""

    def __init__(self, qconfig: Any = None):
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x):
        return x


class DeQuantStub(QuantStub):
    """Where quantized numbers would end; the identity."""


__getattr__ = refusing(
    "torch.ao.quantization",
    _REFUSED,
    "there are no quantized tensors here; bfloat16 by torch.autocast, or model.half(), is what saves memory",
)
