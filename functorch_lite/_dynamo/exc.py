"""Errors of torch.compile, where PyTorch has them."""

from __future__ import annotations

from ..compiler.errors import (
    BackendCompilerFailed,
    FailOnRecompileLimitHit,
    InvalidBackend,
    RecompileError,
    Unsupported,
)

__all__ = [
    "BackendCompilerFailed",
    "FailOnRecompileLimitHit",
    "InvalidBackend",
    "RecompileError",
    "Unsupported",
]
