"""torch._inductor: what programs set and import of it. XLA compiles; the passes before it are `functorch_lite.compiler`'s."""

from __future__ import annotations

from ..api_names import lookup_of
from . import config, debug, pattern_matcher
from .compile_fx import compile_fx

__all__ = ["compile_fx", "config", "debug", "pattern_matcher"]

__getattr__ = lookup_of(__name__)
