"""Settings of the compiler: `torch._dynamo.config`; those with nothing to choose have a reason, others raise."""

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any

from .._elsewhere import ImportedModule

recompile_limit = 8
"""Kinds of calls that are kept of a function whose `recompile_limit` is None; the oldest one goes for another."""

fail_on_recompile_limit_hit = False
"""More kinds of calls than `recompile_limit` raise FailOnRecompileLimitHit."""

error_on_recompile = False
"""A call of a kind that a function was not called in before raises RecompileError, but for the first."""

suppress_errors = False
"""A function whose backend raises is run as it stands."""

repro_after: str | None = os.environ.get("TORCHDYNAMO_REPRO_AFTER") or None
"""Kind of programs for which a script is written that reproduces what fails: "dynamo" (what torch.compile was given),
"aot" (programs as they are compiled, derivatives and all), or None."""

repro_level = int(os.environ.get("TORCHDYNAMO_REPRO_LEVEL", "2"))
"""1: a script of the whole program after an error; 2: a script that shrinks it; 3: that, written before each run, which
may end the process; 4: results are compared with those of ops run one by one."""

repro_forward_only = os.environ.get("TORCHDYNAMO_REPRO_FORWARD_ONLY") == "1"
"""Level 4 compares results alone, not gradients."""

repro_tolerance = 1e-3
"""Tolerance: how far results may be apart."""

repro_ignore_non_fp = os.environ.get("TORCHDYNAMO_REPRO_IGNORE_NON_FP") == "1"
"""Whole numbers and bools are not compared."""

same_two_models_use_fp64 = True
"""Whether float64 is asked which of two results is nearer."""

debug_dir_root: str | None = os.environ.get("TORCHDYNAMO_DEBUG_DIR") or None
"""The folder of scripts and launchers; None is one among the temporary files, named when it is first needed."""


OTHER_NAMES = {
    "cache_size_limit": "recompile_limit",
    "fail_on_cache_limit_hit": "fail_on_recompile_limit_hit",
}
"""Older names, and what they are now."""

NOTHING_TO_CHOOSE: dict[str, dict[str, Any]] = {
    "sizes that vary are found by themselves (docs/recording.md)": {
        "accumulated_cache_size_limit": 256, "accumulated_recompile_limit": 256, "allow_ignore_mark_dynamic": False, "allow_unspec_int_on_nn_module": False,
        "assume_static_by_default": True, "automatic_dynamic_local_pgo": True, "automatic_dynamic_remote_pgo": None, "automatic_dynamic_shapes": True,
        "dynamic_shapes": True, "force_nn_module_property_static_shapes": True, "force_parameter_static_shapes": True,
        "prefer_deferred_runtime_asserts_over_guards": False, "specialize_float": False, "specialize_int": False,
    },
    "all that a function reads is watched": {
        "assume_dunder_attributes_remain_unchanged": True, "enable_cpp_symbolic_shape_guards": False, "guard_nn_modules": True,
        "guard_nn_modules_using_dict_tags": True, "install_free_tensors": False, "report_guard_failures": True, "skip_fsdp_guards": True,
        "skip_guards_on_constant_func_defaults": False, "skip_nnmodule_hook_guards": True, "skip_no_tensor_aliasing_guards_on_parameters": True,
        "skip_tensor_guards_with_matching_dict_tags": True, "use_recursive_dict_tags_for_guards": False,
    },
    "no bytecode is analysed: functions are run, and recorded": {
        "allow_rnn": False, "capture_autograd_function": True, "capture_func_transforms": True, "capture_sparse_compute": True, "dead_code_elimination": None,
        "enable_faithful_generator_behavior": True, "enable_trace_contextlib": True, "enable_trace_unittest": False, "inline_inbuilt_nn_modules": True,
        "minimum_call_count": 1, "nested_graph_breaks": False, "reorderable_logging_functions": set(), "replay_record_enabled": False,
        "replay_side_effects": True, "rewrite_assert_with_torch_assert": True, "skip_torchrec": True, "trace_numpy": True, "use_lazy_graph_module": True,
    },
    "backward() in a marked function is recorded with it": {"compiled_autograd": False, "trace_autograd_ops": False},
    "equal stretches of a recording share a program": {"use_graph_deduplication": False},
    "collectives are part of programs, and XLA schedules them": {"optimize_ddp": True, "optimize_ddp_lazy_compile": False},
    "functorch_lite.debug.explain() says what was compiled": {"log_compilation_metrics": True, "log_file_name": None, "verbose": False},
}  # fmt: skip
"""Settings that are accepted and choose nothing, by the reason, with their initial values."""

NOT_HERE: dict[str, tuple[Any, str]] = {
    "capture_dynamic_output_shape_ops": (False, "a result whose size depends on values ends a recording"),
    "capture_scalar_outputs": (False, "item() ends a recording: return the tensor, and read it outside"),
    "disable": (False, "torch.compiler.set_stance('force_eager')"),
    "numpy_default_float": ("float64", "np.float32 where the program says so"),
    "use_numpy_random_stream": (False, "numpy.random by itself, outside"),
    "verify_correctness": (False, "repro_after and repro_level=4"),
}
"""Settings that raise when they are set to anything else: (initial value, what to do instead)."""

_free: dict[str, Any] = {k: v for group in NOTHING_TO_CHOOSE.values() for k, v in group.items()}
_free |= {k: v for k, (v, _) in NOT_HERE.items()}


class _Settings(ImportedModule):
    """This module: names of it are set if they are there."""

    def __getattr__(self, name: str) -> Any:
        if name in OTHER_NAMES:
            return getattr(self, OTHER_NAMES[name])
        if name not in _free:
            raise AttributeError(f"torch._dynamo.config.{name} does not exist")
        return _free[name]

    def __setattr__(self, name: str, value: Any) -> None:
        name = OTHER_NAMES.get(name, name)
        if name in NOT_HERE and value != NOT_HERE[name][0]:
            first, instead = NOT_HERE[name]
            raise NotImplementedError(
                f"torch._dynamo.config.{name} can only be {first!r} here; instead: {instead}"
            )
        if name in _free:
            _free[name] = value
        elif name not in globals() and not name.startswith("__"):
            raise AttributeError(f"torch._dynamo.config.{name} does not exist")
        else:
            super().__setattr__(name, value)


@contextlib.contextmanager
def patch(changes: str | dict[str, Any] | None = None, value: Any = None, **more: Any) -> Iterator[None]:
    """Sets some for a time: a context and a decorator.

    `patch(name=value)`, `patch("name", value)`, or `patch({"name": value})`.

    >>> with torch._dynamo.config.patch(repro_after="dynamo", repro_level=4):
    ...     torch._dynamo.config.repro_level
    4
    """
    wanted = {**({changes: value} if isinstance(changes, str) else changes or {}), **more}
    here = sys.modules[__name__]
    before = {name: getattr(here, name) for name in wanted if not name.startswith("_")}
    if len(before) < len(wanted):
        raise AttributeError(
            f"torch._dynamo.config.{next(n for n in wanted if n not in before)} does not exist"
        )
    try:
        for name, new in wanted.items():
            setattr(here, name, new)
        yield
    finally:
        for name, old in before.items():
            setattr(here, name, old)


sys.modules[__name__].__class__ = _Settings
