"""torch.ao, of which the names are here that packages import."""

from __future__ import annotations

from . import quantization

__all__ = ["quantization"]
