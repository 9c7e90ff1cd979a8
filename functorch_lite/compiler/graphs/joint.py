"""A Graph and its derivative as one Graph: forward and backward, step by step, as the tape would walk it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._core.api import ADD, DETACH, Builder, Graph

__all__ = ["joint"]


def joint(graph: Graph, wanted: Sequence[int]) -> tuple[Graph, list[int], list[int | None]]:
    """The Graph of (inputs, tangents of those results that have a gradient) -> (results, gradients of the inputs in
    `wanted`).

    Beside it the numbers of the results that have a tangent, and for each of `wanted` the number of the result that is
    its gradient, or None where it has none.
    """
    depends = {-1 - i: i in set(wanted) for i in range(len(graph.in_avals))}
    for step in graph.steps:
        cut = bool(step.stop) or step.op is DETACH
        of = any(depends[r] for r in step.applied.reached_refs(range(step.n_out), step.refs))
        depends.update({step.base + k: of and not cut and a.taped for k, a in enumerate(step.avals)})
    tangents = [k for k, o in enumerate(graph.outputs) if depends[o]]
    n = len(graph.in_avals)
    out_avals = graph.out_avals()
    made = Builder([*graph.in_avals, *[out_avals[k] for k in tangents]], graph.n_inputs)
    now: dict[int, int] = {-1 - i: -1 - i for i in range(n)}
    for step in graph.steps:
        refs = [now[r] for r in step.refs]
        outs = made.add_applied(step.applied, refs, step.stop, step.source, step.avals)
        now.update(zip(range(step.base, step.base + step.n_out), outs))
    gradients: dict[int, int] = {}

    def add(at: int, gradient: int) -> None:
        if depends[at]:
            before = gradients.get(at)
            gradients[at] = gradient if before is None else made.add(ADD, None, [before, gradient])[0]

    for j, k in enumerate(tangents):
        add(graph.outputs[k], -1 - n - j)
    for step in reversed(graph.steps):
        slots = range(step.base, step.base + step.n_out)
        given = [k for k, s in enumerate(slots) if s in gradients]
        if given:
            _pull(step, given, [gradients[slots[k]] for k in given], depends, now, made, add)
    places: list[int | None] = []
    results = [now[o] for o in graph.outputs]
    for i in wanted:
        gradient = gradients.get(-1 - i)
        places.append(None if gradient is None else len(results))
        results += [] if gradient is None else [gradient]
    return made.graph(results), tangents, places


def _pull(
    step: Any, given: list[int], cotangents: list[int], depends: Any, now: Any, made: Builder, add: Any
) -> None:
    """Adds the derivative of a step, and the gradients that it gives."""
    refs = iter(step.refs)
    at = [x if x is None or type(x) is tuple else next(refs) for x in step.applied.inputs]
    mask = sum(1 << k for k, r in enumerate(at) if type(r) is int and depends[r])
    backward = step.applied.backward(mask, sum(1 << k for k in given))
    if backward.op is None:
        return
    saved = [now[at[k]] if type(at[k]) is int else at[k] for k in backward.saved]
    found = backward.spread(made.add(backward.op, None, [*saved, *cotangents], source=step.source))
    for k, gradient in zip([k for k in range(len(at)) if mask >> k & 1], found):
        if gradient is not None:
            add(at[k], gradient)
