"""`torch._functorch.apis`: vmap, grad, grad_and_value."""

from __future__ import annotations

from ..func import grad, grad_and_value, vmap

__all__ = ["grad", "grad_and_value", "vmap"]
