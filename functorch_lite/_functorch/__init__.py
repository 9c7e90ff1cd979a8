"""torch._functorch: where PyTorch keeps torch.func, for programs that import from there, and what may be set of
activation memory (docs/memory.md)."""

from __future__ import annotations

from ..api_names import lookup_of
from . import apis, config, eager_transforms, functional_call, make_functional, vmap

__all__ = ["apis", "config", "eager_transforms", "functional_call", "make_functional", "vmap"]

__getattr__ = lookup_of(__name__)
