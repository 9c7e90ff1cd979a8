"""torch.version: what scripts ask of it. There is no CUDA, ROCm or MPS build here: JAX brings its own."""

from __future__ import annotations

__all__ = ["cuda", "debug", "hip"]

cuda: str | None = None
hip: str | None = None
debug: bool = False
