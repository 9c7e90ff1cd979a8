"""One spelling for each step: views are `permute` and `reshape`, conversions `_cast`, dims are counted from the front.
It is what patterns are matched in."""

from __future__ import annotations

from typing import Any

from ..._core.api import OPS, Applied, Builder, Graph, Op, apply_once, from_numpy
from ..graphs.calls import TWINS
from .known import Moved, known, normal

__all__ = ["canonical"]

_DIMS = ("dim", "dim0", "dim1", "dims")
_ONE_MORE = ("stack", "unsqueeze")
"""Ops of which dims are the result's, which has one more."""


def canonical(graph: Graph, moved: dict[int, int] | None = None) -> Graph:
    """Rewrites each step of a Graph in the canonical spelling of its result. moved: receives the positions of values
    in the new Graph."""
    made = Builder(graph.in_avals, graph.n_inputs)
    now: dict[int, int] = {-1 - i: -1 - i for i in range(len(graph.in_avals))}
    for step in graph.steps:
        refs = [now[r] for r in step.refs]
        outs = made.add_applied(_spelled(step.applied), refs, step.stop, step.source, step.avals)
        now.update(zip(range(step.base, step.base + step.n_out), outs))
    if moved is not None:
        moved.update(now)
    return made.graph([now[o] for o in graph.outputs])


def _spelled(applied: Applied) -> Applied:
    op = applied.op
    if not isinstance(op, Op) or len(applied.avals) != 1 or not applied.in_avals:
        return applied
    if op.name in TWINS:
        return apply_once(OPS[TWINS[op.name]], (), applied.inputs)
    if len(applied.inputs) == 1:
        (fact,) = known(applied, [None])
        if isinstance(fact, Moved):
            aval = applied.in_avals[0]
            how = normal(aval.shape, aval.dtype.np, fact.how)
            if len(how) == 1:
                return _as_one(applied, aval, *how[0])
    static, at = list(applied.static), 0
    for p in op.params:
        if p.kind in ("array", "number"):
            continue
        if p.name in _DIMS and p.kind in ("static", "size") and not p.typed:
            rank = len(applied.in_avals[0].shape) + (op.name in _ONE_MORE)
            static[at] = _wrapped(static[at], rank)
        at += 1
    if tuple(static) == applied.static:
        return applied
    same = apply_once(op, tuple(static), applied.inputs)
    return same if same.avals == applied.avals else applied


def _as_one(applied: Applied, aval: Any, what: str, to: Any) -> Applied:
    if what == "convert":
        same = apply_once(OPS["_cast"], (from_numpy(to),), (aval,))
    else:
        same = apply_once(OPS["permute" if what == "transpose" else "reshape"], (to,), (aval,))
    return same if same.avals == applied.avals else applied


def _wrapped(dim: Any, rank: int) -> Any:
    if type(dim) is int:
        return dim + rank if -rank <= dim < 0 else dim
    return tuple([_wrapped(d, rank) for d in dim]) if type(dim) is tuple else dim
