"""torch.backends.mkl: not used, as XLA compiles the kernels."""

from __future__ import annotations

__all__ = ["is_available"]


def is_available() -> bool:
    """False."""
    return False
