"""Kind and cost of the step that an equation is: from its primitive and its shapes."""

from __future__ import annotations

import math
from typing import Any

from jax.extend.core import Literal

from ..._core.api import Kind, Rules, flops_of, row, walk
from .program import OTHER, POINTWISE, PRODUCT, RANDOM, REDUCTION, VIEW

__all__ = ["bytes_of", "cost_of", "kind_of"]

_KINDS = {
    **dict.fromkeys((Kind.VIEW, Kind.SAME), VIEW),
    **dict.fromkeys((Kind.REDUCTION, Kind.ALONG, Kind.WINDOW), REDUCTION),
    **dict.fromkeys((Kind.POINTWISE, Kind.JOINED, Kind.MADE), POINTWISE),
    Kind.PRODUCT: PRODUCT,
    Kind.RANDOM: RANDOM,
}
"""The planner's kinds of steps, by the kinds of primitives."""
Rules(
    "plans",
    "what it costs, and whether it is worth keeping",
    lambda p: f"by kind: {_KINDS.get(p.kind, 'as what is inside it')}",
)

_OF_A_DRAW = 20.0
"""Operations for a random number (threefry, 20 rounds)."""


def bytes_of(aval: Any) -> int:
    """Returns the bytes of an array. Keys and other things without a plain dtype count 0 for each element."""
    dtype, shape = getattr(aval, "dtype", None), getattr(aval, "shape", ())
    return math.prod(shape) * getattr(dtype, "itemsize", 0)


def kind_of(eqn: Any) -> str:
    """The kind of an equation.

    A call is of the kind of the costliest equation in it; a loop is OTHER, or PRODUCT if there is one inside."""
    p = row(eqn)
    if (kind := _KINDS.get(p.kind)) is not None:
        return kind
    kinds = {kind_of(e) for e in _inside(eqn)}
    if PRODUCT in kinds:
        return PRODUCT
    if not kinds or p.repeats or OTHER in kinds:
        return OTHER
    return next(k for k in (RANDOM, REDUCTION, POINTWISE, VIEW) if k in kinds)


def _inside(eqn: Any) -> list[Any]:
    """The equations of the jaxprs that an equation computes."""
    return [e for j in walk.inner(eqn, computed=True) for e in walk.steps(j)]


def cost_of(eqn: Any) -> float:
    """Operations: the operations of products, and for anything else about one for each element, more for slower
    functions."""
    found = flops_of(eqn)
    if found:
        return found
    kind = kind_of(eqn)
    if kind == VIEW:
        return 0.0
    made = sum(math.prod(getattr(v.aval, "shape", ())) for v in eqn.outvars)
    read = sum(math.prod(getattr(v.aval, "shape", ())) for v in eqn.invars if not isinstance(v, Literal))
    if kind == RANDOM:
        return _OF_A_DRAW * made
    if kind == REDUCTION:
        return float(max(made, read))
    if inside := _inside(eqn):
        return walk.turns(eqn) * sum(map(cost_of, inside))
    if kind == OTHER:
        return 4.0 * max(made, read)
    return (4.0 if row(eqn).costly else 1.0) * made
