"""torch._functorch: what programs set there of how much memory activations may take. See docs/memory.md."""

from __future__ import annotations

from ..api_names import lookup_of
from . import config

__all__ = ["config"]

__getattr__ = lookup_of(__name__)
