"""autograd.grad inside a reverse transform, by the transform's own tensors: they require grad there, but have no tape.

The ops that the level has recorded so far form a Graph, and the gradient is one more op, derived from the Graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from .._core.api import Formula, Graph, Tensor, apply_op, detach, make_tensor, read, state
from .._core.lazy.cutting import counts_transforms
from .._core.lazy.dependence import differentiable_places
from .._core.lazy.graph import intern_graph, replay
from .cuts import notes_of

__all__ = ["gradients"]


@jax.custom_jvp
def _moved(x, by):
    """x, which is differentiated as x + by."""
    return x


@_moved.defjvp
def _(primals, tangents):
    return primals[0], tangents[0] + tangents[1]


class _Moved(dict):
    """Slots, of which some are moved by something when they are filled."""

    def __init__(self, by: dict[int, Any]):
        self.by = by

    def __setitem__(self, slot: int, x: Any) -> None:
        super().__setitem__(slot, _moved(x, self.by[slot]) if slot in self.by else x)


def _op(graph: Graph, places: tuple[int, ...]) -> Formula:
    """(inputs, cotangents of the outputs) -> gradients by the values at these places: slots, or inputs (negative)."""
    n = len(graph.in_avals)
    slots = {node.base + i: a for node in graph.steps for i, a in enumerate(node.avals)}

    def fn(*arrays):
        arrays, cts = arrays[:n], arrays[n:]

        def f(*by):
            inputs, values = list(arrays), _Moved(dict(zip(places, by)))
            for p, b in zip(places, by):
                if p < 0:
                    inputs[-1 - p] = _moved(inputs[-1 - p], b)
            replay(graph.steps, values, inputs)
            return [values[o] if o >= 0 else inputs[-1 - o] for o in graph.outputs]

        zeros = [
            jnp.zeros_like(arrays[-1 - p]) if p < 0 else jnp.zeros(slots[p].shape, slots[p].dtype.np)
            for p in places
        ]
        _, pull = jax.vjp(f, *zeros)
        return [jnp.conj(g) for g in pull([jnp.conj(c) for c in cts])]

    return Formula(fn, "grad")


def gradients(
    pairs: Sequence[tuple[Tensor, Tensor | None]], chosen: Sequence[Tensor], create_graph: bool
) -> list[Tensor | None]:
    """Gradients by `chosen` of outputs along their cotangents (ones for None); None where the outputs do not depend on
    one."""
    rec = state.rec
    values, wanted = [read(o) for o, _ in pairs], [read(t) for t in chosen]
    if notes_of(rec).cuts:
        raise NotImplementedError(
            f"autograd.grad by a tensor that {rec.kind} differentiates by, after an autograd.Function or a hook in the same function: "
            f"use func.{rec.kind} for the inner derivative too"
        )
    if any(v.rec is not rec for v in (*values, *wanted)):
        raise NotImplementedError(
            f"autograd.grad inside {rec.kind}: the outputs and what they are differentiated by must all be of the innermost transform"
        )
    graph = intern_graph(
        rec.path,
        rec.node,
        tuple([v.aval for v in rec.ext]),
        len(rec.inputs),
        tuple([v.index for v in values]),
    )
    if any(
        counts_transforms(s.op, s.stop) for s in graph.steps
    ):  # this derivative would count as one of them
        raise NotImplementedError(
            f"autograd.grad by a tensor that {rec.kind} differentiates by, after .data or no_grad under several transforms: "
            "use detach(), or a transform for the inner derivative too"
        )
    reached = differentiable_places(graph.steps, graph.outputs)
    used = [p for p in dict.fromkeys([v.index for v in wanted]) if p in reached]
    inputs = [make_tensor(v, rec.level, rec.edges.get(v)) for v in rec.ext]
    cts = [c if c is not None else o.new_ones(()).expand(o.shape) for o, c in pairs]  # type: ignore[attr-defined]
    op = graph.derive(("within", tuple(used)), lambda: _op(graph, tuple(used)))
    found = dict(zip(used, apply_op(op, None, (*inputs, *cts)))) if used else {}
    out = [found.get(v.index) for v in wanted]
    return out if create_graph else [None if g is None else detach(g) for g in out]
