"""Files that compiles leave (`functorch_lite.compiler.debugging`), where PyTorch has this."""

from __future__ import annotations

from ..compiler.debugging.folder import DebugContext
from ..compiler.debugging.save_args import (
    TensorMetadataHolder,
    load_args_and_run_compile_fx_inner,
    save_args_for_compile_fx_inner,
)

__all__ = [
    "DebugContext",
    "TensorMetadataHolder",
    "load_args_and_run_compile_fx_inner",
    "save_args_for_compile_fx_inner",
]
