"""`functorch_lite.compiler.debugging`, where PyTorch has it: comparing models."""

from __future__ import annotations

from ..compiler.debugging.compare import (
    backend_accuracy_fails,
    cast_dtype_args_to_fp64,
    cast_to,
    cast_to_fp64,
    clone_inputs_retaining_gradness,
    run_fwd_maybe_bwd,
    same_two_models,
)
from ..compiler.debugging.levels import dump_compiler_graph_state, dump_to_minify, wrap_compiler_debug
from ..compiler.debugging.script import helper_for_dump_minify, minifier_dir, save_graph_repro
from ..compiler.errors import AccuracyError

__all__ = [
    "AccuracyError",
    "backend_accuracy_fails",
    "cast_dtype_args_to_fp64",
    "cast_to",
    "cast_to_fp64",
    "clone_inputs_retaining_gradness",
    "dump_compiler_graph_state",
    "dump_to_minify",
    "helper_for_dump_minify",
    "minifier_dir",
    "run_fwd_maybe_bwd",
    "same_two_models",
    "save_graph_repro",
    "wrap_compiler_debug",
]  # fmt: skip
