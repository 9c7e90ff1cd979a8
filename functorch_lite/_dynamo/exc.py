"""Errors of torch.compile, where PyTorch has them."""

from __future__ import annotations

from ..compiler.errors import FailOnRecompileLimitHit, InvalidBackend, Unsupported

__all__ = ["FailOnRecompileLimitHit", "InvalidBackend", "Unsupported"]
