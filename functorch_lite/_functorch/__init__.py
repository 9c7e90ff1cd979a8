"""torch._functorch: where PyTorch keeps torch.func, for programs that import from there."""

from __future__ import annotations

from . import apis, eager_transforms, functional_call, make_functional, vmap

__all__ = ["apis", "eager_transforms", "functional_call", "make_functional", "vmap"]
