"""QuantStub and DeQuantStub: marks of where quantized numbers would begin and end."""

from __future__ import annotations

from typing import Any

from ...nn import Module

__all__ = ["DeQuantStub", "QuantStub"]


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
