"""torch._inductor: what programs set and import of it. XLA compiles; the passes before it are `functorch_lite.compiler`'s."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..api_names import lookup_of
from ..fx import GraphModule
from . import compile_fx, config, debug, pattern_matcher

__all__ = ["compile", "compile_fx", "config", "debug", "pattern_matcher"]


def compile(
    gm: GraphModule, example_inputs: Sequence[Any], options: dict[str, Any] | None = None
) -> Callable:
    """What is called for a GraphModule after all passes. options: settings of `torch._inductor.config` for this compilation.

    >>> gm = torch.fx.symbolic_trace(lambda x: (x + 0).sin())
    >>> torch._inductor.compile(gm, [torch.zeros(2)])(torch.zeros(2))
    (tensor([0., 0.]),)
    """
    return compile_fx.compile_fx(gm, example_inputs, config_patches=options)


__getattr__ = lookup_of(__name__)
