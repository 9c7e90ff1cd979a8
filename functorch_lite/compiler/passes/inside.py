"""Passes on the Graphs inside of a Graph: bodies of loops, branches, checkpoints, and functions of transforms."""

from __future__ import annotations

from collections.abc import Callable, Collection

from ..._core.api import Builder, DerivedOp, Graph, apply_once

__all__ = ["changed_inside", "has_inside"]

_RUN = ("cond", "while_loop", "scan", "map", "associative_scan", "vmap", "checkpoint")
"""Kinds of steps that run their Graphs, and differentiate them only where the step is differentiated."""

Pass = Callable[[Graph, Collection[int]], Graph]
"""A pass: (Graph, the inputs that gradients are wanted of) -> a Graph."""


def has_inside(graph: Graph) -> bool:
    """Returns whether some step runs a Graph."""
    return any(isinstance(s.op, DerivedOp) and s.op.of is not None for s in graph.steps)


def changed_inside(
    graph: Graph, change: Pass, differentiated: Collection[int], done: dict[tuple, Graph] | None = None
) -> Graph:
    """The Graph with `change` done to the Graphs in it, innermost first, and once to one that several steps share."""
    done = {} if done is None else done
    if not has_inside(graph):
        return graph

    def inner(g: Graph, name: str) -> Graph:
        wanted = range(len(g.in_avals)) if differentiated or name not in _RUN else ()
        key = (g, bool(wanted))
        if key not in done:
            done[key] = change(changed_inside(g, change, wanted, done), wanted)
        return done[key]

    made = Builder(graph.in_avals, graph.n_inputs)
    now: dict[int, int] = {-1 - i: -1 - i for i in range(len(graph.in_avals))}
    for step in graph.steps:
        applied, op = step.applied, step.op
        if isinstance(op, DerivedOp) and op.of is not None:
            graphs, again = op.of
            new = [inner(g, op.name) for g in graphs]
            if any(a is not b for a, b in zip(new, graphs)):
                applied = apply_once(again(*new), step.static, applied.inputs)
                if applied.avals != step.applied.avals:
                    applied = step.applied
        outs = made.add_applied(applied, [now[r] for r in step.refs], step.stop, step.source, step.avals)
        now.update(zip(range(step.base, step.base + step.n_out), outs))
    return made.graph([now[o] for o in graph.outputs])
