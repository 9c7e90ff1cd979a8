"""torch._dynamo: what programs ask of it that is here. There is no bytecode to analyse; see `functorch_lite.compiler`."""

from __future__ import annotations

import importlib
from typing import Any

from ..api_names import lookup_of
from ..compiler import disable, is_compiling, reset
from ..compiler.debugging.explaining import explain
from ..compiler.torch_compile import OptimizedModule
from . import config, exc

__all__ = ["OptimizedModule", "config", "disable", "exc", "explain", "is_compiling", "reset"]

_missing = lookup_of(__name__)


def __getattr__(name: str) -> Any:
    if name in ("debug_utils", "testing", "utils"):  # which need torch.fx
        return importlib.import_module(f"{__name__}.{name}")
    return _missing(name)
