"""torch._inductor: what programs set and import of it.
XLA compiles; the passes before it are `functorch_lite.compiler`'s."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..api_names import lookup_of
from ..fx import GraphModule
from . import compile_fx, config, debug, pattern_matcher

__all__ = ["compile", "compile_fx", "config", "debug", "list_mode_options", "list_options", "pattern_matcher"]

_MODES: dict[str, dict[str, Any]] = {
    "default": {},
    "lite": {},
    "reduce-overhead": {"triton.cudagraphs": True},
    "max-autotune-no-cudagraphs": {"max_autotune": True},
    "max-autotune": {"max_autotune": True, "triton.cudagraphs": True},
}
"""Settings of each of PyTorch's modes, those that are names here."""


def compile(
    gm: GraphModule, example_inputs: Sequence[Any], options: dict[str, Any] | None = None
) -> Callable:
    """Runs all passes on a GraphModule, and returns the callable of what they leave. options: settings of
    `torch._inductor.config` for this compilation.

    >>> gm = torch.fx.symbolic_trace(lambda x: (x + 0).sin())
    >>> torch._inductor.compile(gm, [torch.zeros(2)])(torch.zeros(2))
    (tensor([0., 0.]),)
    """
    return compile_fx.compile_fx(gm, example_inputs, config_patches=options)


def list_mode_options(mode: str | None = None, dynamic: bool | None = None) -> dict[str, Any]:
    """The settings that a `mode=` of torch.compile stands for, or the settings of all modes by name.

    None of them has anything to choose: XLA does.

    >>> torch._inductor.list_mode_options("reduce-overhead")
    {'triton.cudagraphs': True}
    """
    if mode is not None and mode not in _MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
    return {k: dict(v) for k, v in _MODES.items()} if mode is None else dict(_MODES[mode])


def list_options() -> list[str]:
    """The names that `options=` of torch.compile may have.

    >>> "pattern_matcher" in torch._inductor.list_options()
    True
    """
    return list(config.get_config_copy())


__getattr__ = lookup_of(__name__)
