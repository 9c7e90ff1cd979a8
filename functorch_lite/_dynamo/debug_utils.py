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

__all__ = [
    "backend_accuracy_fails", "cast_dtype_args_to_fp64", "cast_to", "cast_to_fp64", "clone_inputs_retaining_gradness", "run_fwd_maybe_bwd",
    "same_two_models",
]  # fmt: skip
