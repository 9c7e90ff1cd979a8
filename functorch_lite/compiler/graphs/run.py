"""Running a Graph on Tensors step by step: what is recorded is what its function would record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._core.api import DETACH, Aval, Graph, Tensor, apply_op, make_tensor, read, state

__all__ = ["run_graph"]


def run_graph(graph: Graph, inputs: Sequence[Any]) -> list[Tensor]:
    """The Graph's results, each a tensor of its own. Ops that its function ran under no_grad run under no_grad."""
    env: dict[int, Any] = {-1 - i: x for i, x in enumerate(inputs)}
    here = state.here
    grad = here.grad
    try:
        for step in graph.steps:
            given = iter([env[r] for r in step.refs])
            full = [_input(spec, given) for spec in step.applied.inputs]
            if step.op is DETACH:
                env[step.base] = full[0].detach()
                continue
            here.grad = grad and not step.stop
            for k, out in enumerate(apply_op(step.op, step.static, tuple(full))):
                env[step.base + k] = out
    finally:
        here.grad = grad
    return [_own(env[o]) for o in graph.outputs]


def _input(spec: Any, given: Any) -> Any:
    if type(spec) is Aval:
        return next(given)
    return None if spec is None else spec[0](spec[1])


def _own(t: Tensor) -> Tensor:
    return make_tensor(read(t), state.rec.level, t._edge)
