"""torch._custom_ops, which packages import: the part of it that torch.library has too."""

from __future__ import annotations

from .library import get_ctx, impl_abstract, infer_schema

__all__ = ["get_ctx", "impl_abstract", "infer_schema"]
