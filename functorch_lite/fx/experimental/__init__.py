"""What PyTorch keeps under torch.fx.experimental."""

from __future__ import annotations

__all__: list[str] = []
