"""torch._dynamo: what programs ask of it that is here. There is no bytecode to analyse; see `functorch_lite.compiler`."""

from __future__ import annotations

import importlib
from typing import Any

from ..api_names import lookup_of
from ..compiler import (
    allow_in_graph,
    assume_constant_result,
    disable,
    is_compiling,
    list_backends,
    reset,
    set_stance,
)
from ..compiler.debugging.explaining import explain
from ..compiler.torch_compile import OptimizedModule
from . import config, exc

__all__ = [
    "OptimizedModule", "allow_in_graph", "assume_constant_result", "config", "disable", "exc", "explain", "is_compiling", "list_backends", "mark_dynamic",
    "mark_static", "mark_static_address", "maybe_mark_dynamic", "reset", "set_stance",
]  # fmt: skip


def mark_dynamic(t: Any, index: int | tuple[int, ...], **bounds: Any) -> None:
    """Nothing: a size that varies is found by itself (docs/recording.md)."""


maybe_mark_dynamic = mark_dynamic


def mark_static(t: Any, index: int | tuple[int, ...] | None = None) -> None:
    """Nothing: a size is a constant until it varies."""


mark_static_address = mark_static

_missing = lookup_of(__name__)


def __getattr__(name: str) -> Any:
    if name in ("debug_utils", "testing", "utils"):  # which need torch.fx
        return importlib.import_module(f"{__name__}.{name}")
    return _missing(name)
