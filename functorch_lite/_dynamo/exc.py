"""Errors of torch.compile, where PyTorch has them."""

from __future__ import annotations

from ..compiler.errors import (
    BackendCompilerFailed,
    FailOnRecompileLimitHit,
    InvalidBackend,
    RecompileError,
    Unsupported,
    UserError,
    UserErrorType,
)

__all__ = [
    "BackendCompilerFailed",
    "FailOnRecompileLimitHit",
    "InvalidBackend",
    "RecompileError",
    "Unsupported",
    "UserError",
    "UserErrorType",
]
