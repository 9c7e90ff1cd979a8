"""torch.backends.cudnn: hints about which kernels to choose. They may be set and read; XLA decides for itself."""

from __future__ import annotations

__all__ = ["allow_tf32", "benchmark", "deterministic", "enabled", "is_available", "version"]

enabled = True
benchmark = False
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """Whether JAX has a GPU, which it drives through cuDNN where that is faster."""
    from .._core.device import is_available

    return is_available("cuda")


def version() -> int | None:
    """None: JAX does not tell."""
    return None
