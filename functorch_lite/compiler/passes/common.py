"""Merging of equal steps."""

from __future__ import annotations

import weakref
from collections.abc import Collection
from typing import Any

from jax.extend.core import Literal

from ..._core.api import Applied, Builder, Graph, row, walk
from .simplify import depending

__all__ = ["merge_common"]

_found: weakref.WeakKeyDictionary[Applied, tuple[bool, bool]] = weakref.WeakKeyDictionary()


def _is_pure_and_commutes(applied: Applied) -> tuple[bool, bool]:
    found = _found.get(applied)
    if found is None:
        jaxpr = applied.jaxpr.jaxpr
        eqns = list(walk.steps(jaxpr))
        alone = len(eqns) == 1 and row(eqns[0]).commutes and len(jaxpr.invars) == 2
        swaps = alone and not any(isinstance(v, Literal) for v in eqns[0].invars)
        swaps = swaps and jaxpr.invars[0].aval == jaxpr.invars[1].aval
        found = _found[applied] = (not jaxpr.effects, swaps)
    return found


def merge_common(graph: Graph, differentiated: Collection[int] = ()) -> Graph:
    """Merges steps that do the same to the same values; a + b and b + a are the same. A draw is told from another by
    its key.

    differentiated: the inputs that gradients are wanted of. Steps that depend on them are unchanged: the gradient of
    one step that does the work of two is the sum of their gradients, rounded differently.
    """
    made = Builder(graph.in_avals, graph.n_inputs)
    now: dict[int, int] = {-1 - i: -1 - i for i in range(len(graph.in_avals))}
    first: dict[Any, list[int]] = {}
    taped = depending(graph, differentiated)
    for step in graph.steps:
        refs = tuple([now[r] for r in step.refs])
        pure, commutes = _is_pure_and_commutes(step.applied)
        key = (step.applied, tuple(sorted(refs)) if commutes else refs, step.stop)
        outs = first.get(key) if pure and not taped[step.base] else None
        if outs is None:
            outs = first[key] = made.add_applied(step.applied, refs, step.stop, step.source, step.avals)
        now.update(zip(range(step.base, step.base + step.n_out), outs))
    return made.graph([now[o] for o in graph.outputs])
