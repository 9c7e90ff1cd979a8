"""Modules that PyTorch keeps under torch.fx.experimental."""

from __future__ import annotations

from ...api_names import listed

__all__: list[str] = []
__dir__ = listed(__name__)
