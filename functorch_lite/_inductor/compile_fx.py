"""`functorch_lite.compiler.pipeline.compile_graph`, where PyTorch has it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..compiler.pipeline import compile_graph
from ..fx import GraphModule

__all__ = ["compile_fx"]


def compile_fx(
    model_: GraphModule,
    example_inputs_: Sequence[Any],
    inner_compile: Callable | None = None,
    config_patches: dict[str, Any] | None = None,
    decompositions: dict[Any, Callable] | None = None,
) -> Callable:
    """`compile_graph` under PyTorch's name: a backend that runs all passes.

    >>> f = torch.compile(lambda x: (x + 0).sin(), backend=torch._inductor.compile_fx)
    >>> f(torch.zeros(2))
    tensor([0., 0.])
    """
    return compile_graph(model_, example_inputs_, inner_compile, config_patches, decompositions)
