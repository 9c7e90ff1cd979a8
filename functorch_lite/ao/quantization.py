"""torch.ao.quantization: the modules that mark where a model would be quantized. Nothing is: what would do it raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

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


def __getattr__(name: str) -> Callable[..., NoReturn]:
    if name not in _REFUSED:
        raise AttributeError(f"module 'torch.ao.quantization' has no attribute {name!r}")

    def refused(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(
            f"torch.ao.quantization.{name}: there are no quantized tensors here; bfloat16 by torch.autocast, or model.half(), is what saves memory"
        )

    refused.__name__ = name
    return refused
