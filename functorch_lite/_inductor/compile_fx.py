"""`functorch_lite.compiler.pipeline.compile_graph`, where PyTorch has it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..compiler.pipeline import compile_graph, compile_without_passes
from ..fx import GraphModule

__all__ = ["compile_fx", "compile_fx_inner"]


def compile_fx(
    model_: GraphModule,
    example_inputs_: Sequence[Any],
    inner_compile: Callable | None = None,
    config_patches: dict[str, Any] | None = None,
    decompositions: dict[Any, Callable] | None = None,
) -> Callable:
    """`compile_graph` under PyTorch's name: a backend that runs all passes.

    >>> f = torch.compile(lambda x: (x + 0).sin(), backend=torch._inductor.compile_fx.compile_fx)
    >>> f(torch.zeros(2))
    tensor([0., 0.])
    """
    return compile_graph(model_, example_inputs_, inner_compile, config_patches, decompositions)


def compile_fx_inner(gm: GraphModule, example_inputs: Sequence[Any], **kwargs: Any) -> Callable:
    """Returns the callable of a Graph, without running passes: the default `inner_compile` of `compile_fx`, for
    functions that wrap it.

    kwargs: PyTorch's, which control how its compiler makes kernels (`cudagraphs`, `is_backward`, `graph_id` and the
    like); they change nothing with XLA.

    >>> def inner(gm, inputs, **kwargs):
    ...     print(len(inputs), "inputs")
    ...     return torch._inductor.compile_fx.compile_fx_inner(gm, inputs, **kwargs)
    >>> gm = torch.fx.symbolic_trace(lambda x: x.sin())
    >>> torch._inductor.compile_fx.compile_fx(gm, [torch.zeros(2)], inner_compile=inner)(torch.zeros(2))
    1 inputs
    (tensor([0., 0.]),)
    """
    return compile_without_passes(gm, example_inputs)
