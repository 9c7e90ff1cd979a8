"""torch._dynamo: what programs ask of it that is here. There is no bytecode to analyse; see `functorch_lite.compiler`."""

from __future__ import annotations

from ..api_names import lookup_of
from ..compiler import disable, is_compiling, reset
from ..compiler.torch_compile import OptimizedModule
from . import config, exc

__all__ = ["OptimizedModule", "config", "disable", "exc", "is_compiling", "reset"]

__getattr__ = lookup_of(__name__)
