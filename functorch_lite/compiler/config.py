"""Settings of the passes: `torch._inductor.config`, which is this module's `config`; read when a Graph is compiled."""

from __future__ import annotations

import os
from typing import Any

from .partition.settings import SettableModule

__all__ = ["NOTHING_TO_CHOOSE", "config", "is_asked", "is_kept"]

_PASSES: dict[str, Any] = {
    "pre_grad_custom_pass": None,
    "joint_custom_pre_pass": None,
    "joint_custom_post_pass": None,
    "post_grad_custom_pre_pass": None,
    "post_grad_custom_post_pass": None,
}
"""Passes of the user's: functions of a torch.fx Graph, which they edit; the post-grad ones may be lists of such."""

_SWITCHES: dict[str, Any] = {
    "pattern_matcher": True,
    "joint_graph_constant_folding": True,
    "fx_passes_numeric_check": {},
}

_SAVED: dict[str, Any] = {
    "save_args": os.environ.get("TORCHINDUCTOR_SAVE_ARGS") == "1",
    "trace.enabled": os.environ.get("TORCH_COMPILE_DEBUG") == "1",
}
"""Whether each compile is kept in a file (`debugging/save_args.py`), and whether it has a folder of what it makes
(`debugging/folder.py`)."""

NOTHING_TO_CHOOSE: dict[str, tuple[Any, str]] = {
    "epilogue_fusion": (True, "XLA decides what it fuses"),
    "fallback_random": (False, "random draws are functions of a key, in programs too"),
    "guard_filter_fn": (None, "all that a function reads is watched"),
    "max_autotune": (False, "XLA chooses kernels"),
    "shape_padding": (True, "XLA pads operands where its kernels want it"),
    "trace.graph_diagram": (False, "torch.fx.passes.graph_drawer draws Graphs"),
    "triton.cudagraphs": (False, "a program is launched at once"),
}
"""Settings that are accepted and choose nothing: (initial value, why)."""


class _Config(SettableModule):
    _torchs = "torch._inductor.config"

    def __getattr__(self, name: str) -> Any:
        if name in ("trace", "triton"):
            return _Group(self, name)
        return super().__getattr__(name)


class _Group:
    """Settings whose names begin alike."""

    def __init__(self, of: SettableModule, name: str):
        self.__dict__.update(_of=of, _name=name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._of, f"{self._name}.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._of, f"{self._name}.{name}", value)


config: Any = _Config(
    "functorch_lite._inductor.config",
    "What may be set of the passes that torch.compile runs.",
    {**_PASSES, **_SWITCHES, **_SAVED, **{k: v for k, (v, _) in NOTHING_TO_CHOOSE.items()}},
    {},
)


def is_asked(options: dict[str, Any]) -> bool:
    """Returns whether passes are to run: some option says what they do, or a pass of the user's is set."""
    return any(name in _PASSES or name in _SWITCHES for name in options) or any(
        getattr(config, name) is not None for name in _PASSES
    )


def is_kept(options: dict[str, Any]) -> bool:
    """Returns whether a compile leaves something in a file."""
    return any(options.get(name, getattr(config, name)) for name in _SAVED)
