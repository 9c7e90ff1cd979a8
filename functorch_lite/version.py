"""torch.version: what scripts ask of it. This library has no CUDA, ROCm or MPS build: JAX brings its own."""

from __future__ import annotations

from .api_names import listed

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]
__dir__ = listed(__name__)

__version__ = "2.13.0"
"""The release of PyTorch whose documentation is the specification; `functorch_lite.__version__` is this library's
own."""
debug: bool = False
cuda: str | None = None
git_version: str = "Unknown"
hip: str | None = None
rocm: str | None = None
xpu: str | None = None
