"""torch.distributed.algorithms: `join`."""

from __future__ import annotations

from . import join

__all__ = ["join"]
