"""Settings of the budget: `torch._functorch.config`, which is this module's `settings`."""

from __future__ import annotations

import contextlib
import os
from typing import Any

from ..._elsewhere import ImportedModule

__all__ = ["NOTHING_TO_CHOOSE", "SettableModule", "of_budget", "settings"]

_ACTS: dict[str, Any] = {
    "activation_memory_budget": 1.0,
    "activation_memory_budget_solver": "dp",
    "activation_memory_budget_runtime_estimator": "flops",
    "aggressive_recomputation": False,
    "ban_recompute_long_fusible_chains": True,
    "ban_recompute_materialized_backward": True,
    "ban_recompute_not_in_allowlist": True,
    "ban_recompute_reductions": True,
    "ban_recompute_used_far_apart": True,
    "memory_budget_pareto_dir": os.environ.get("PARTITIONER_MEMORY_BUDGET_PARETO_DIR"),
    "recompute_views": False,
    "treat_parameters_as_free_to_save": True,
    "visualize_memory_budget_pareto": os.environ.get("PARTITIONER_MEMORY_BUDGET_PARETO", "0") == "1",
}
"""Initial value of each setting."""

NOTHING_TO_CHOOSE: dict[str, tuple[Any, str]] = {
    "cse": (True, "equal steps are merged by XLA"),
    "debug_assert": (False, "there are no assertions to leave out"),
    "debug_partitioner": (False, "functorch_lite.debug.residuals says what is kept"),
    "donated_buffer": (False, "memory that nobody refers to any more is always donated"),
    "enable_autograd_cache": (True, "programs are kept on disk: see FUNCTORCH_LITE_CACHE"),
    "fake_tensor_allow_meta": (True, "shapes are worked out without fake tensors"),
    "fake_tensor_propagate_real_tensors": (False, "shapes are worked out without fake tensors"),
    "functionalize_rng_ops": (False, "random draws are functions of a key"),
    "is_non_builtin_to_include": (False, "every op may run again"),
    "max_dist_from_bw": (1000, "no distance limits what runs again"),
    "static_weight_shapes": (True, "programs are compiled for the shapes they see"),
    "strict_autograd_cache": (False, "programs are kept on disk: see FUNCTORCH_LITE_CACHE"),
    "unlift_effect_tokens": (False, "there are no effect tokens"),
    "view_replay_for_aliased_outputs": (True, "views are views"),
}
"""Settings that are accepted and choose nothing: (initial value, why)."""

_NOT_HERE = {
    "enable_activation_offloading": (False, "keep values on the CPU with torch.autograd.graph.save_on_cpu"),
    "activation_offload_separate_stream": (False, "values are not offloaded"),
}
"""Settings that raise when they are set to anything else: (initial value, what to do instead)."""


class SettableModule(ImportedModule):
    """A module of settings: an unknown name is an AttributeError, and `patch` sets some for a time."""

    def __init__(self, name: str, about: str, values: dict[str, Any], refused: dict[str, tuple[Any, str]]):
        super().__init__(name, about)
        own = self.__dict__
        own["_refused"] = refused
        own["_values"] = dict(values) | {k: v for k, (v, _) in refused.items()}

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__.get("_values", {})
        if name not in values:
            raise AttributeError(f"{self.__name__} does not exist: {name}" if not values else _UNKNOWN.format(self._torchs, name))  # fmt: skip
        return values[name]

    _torchs = "torch._functorch.config"

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__"):
            super().__setattr__(name, value)
            return
        if name not in self._values:
            raise AttributeError(_UNKNOWN.format(self._torchs, name))
        refused = self._refused.get(name)
        if refused is not None and value != refused[0]:
            raise NotImplementedError(
                f"{self._torchs}.{name} can only be {refused[0]!r} here; instead: {refused[1]}"
            )
        self._values[name] = value

    def __dir__(self) -> list[str]:
        return sorted([*self._values, "get_config_copy", "patch", "shallow_copy_dict"])

    def patch(self, arg1: str | dict[str, Any] | None = None, arg2: Any = None, **kwargs: Any) -> _Patch:
        """Sets some for a time: a context and a decorator.

        `patch(name=value)`, `patch("name", value)`, or `patch({"name": value})`."""
        if isinstance(arg1, str):
            changes = {arg1: arg2, **kwargs}
        else:
            changes = {**(arg1 or {}), **kwargs}
        if not changes:
            raise AssertionError("patch: nothing to set is given")
        return _Patch(self, changes)

    def get_config_copy(self) -> dict[str, Any]:
        """Returns all settings, by name."""
        return dict(self._values)

    shallow_copy_dict = get_config_copy


_UNKNOWN = "{}.{} does not exist"


class _Patch(contextlib.ContextDecorator):
    def __init__(self, of: SettableModule, changes: dict[str, Any]):
        self.of, self.changes = of, changes
        self.before: list[dict[str, Any]] = []

    def _recreate_cm(self) -> _Patch:
        return _Patch(self.of, self.changes)

    def __enter__(self) -> None:
        before = {name: getattr(self.of, name) for name in self.changes}
        try:
            for name, value in self.changes.items():
                setattr(self.of, name, value)
        except BaseException:
            self.of._values.update(before)
            raise
        self.before.append(before)

    def __exit__(self, *exception: object) -> None:
        self.of._values.update(self.before.pop())


settings = SettableModule(
    "functorch_lite._functorch.config",
    "What may be set of the budget for activation memory.",
    {**_ACTS, **{k: v for k, (v, _) in NOTHING_TO_CHOOSE.items()}},
    _NOT_HERE,
)


def of_budget() -> tuple:
    """Returns all settings that plans depend on, where torch.compile makes any plan."""
    values = settings._values
    if values["activation_memory_budget"] == 1:
        return ()
    return tuple([values[name] for name in _ACTS])
