"""torch.utils.data._utils: where PyTorch keeps collation."""

from __future__ import annotations

from . import collate, worker

__all__ = ["collate", "worker"]
