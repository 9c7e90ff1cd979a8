"""A backend of which forward and backward are Graphs of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...compiler.aot import aot_function
from ...fx import GraphModule

__all__ = ["aot_autograd"]


def aot_autograd(**kwargs: Any) -> Callable:
    """A backend for torch.compile that hands forward and backward, as Graphs, to fw_compiler and bw_compiler: the
    arguments of `functorch.compile.aot_function`.

    >>> from functorch_lite._dynamo.backends.common import aot_autograd
    >>> f = torch.compile(lambda x: x.sin(), backend=aot_autograd(fw_compiler=lambda gm, inputs: gm.forward))
    >>> f(torch.zeros(2))
    tensor([0., 0.])
    """

    def backend(gm: GraphModule, example_inputs: Sequence[Any]) -> Callable:
        return aot_function(gm, **kwargs)

    return backend
