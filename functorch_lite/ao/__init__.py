"""torch.ao, of which the names are here that packages import."""

from __future__ import annotations

from . import nn, quantization

__all__ = ["nn", "quantization"]
