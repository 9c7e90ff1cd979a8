"""Primitives, a row each: what everyone who reads jaxprs knows of an equation by its name.

A reader that computes something of each equation has rules, functions under names (`@rule("gather")`); all else that is told
from a name stands here.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

__all__ = ["PRIMITIVES", "P", "row"]


class P(NamedTuple):
    """A primitive.

    call: the parameter that is the one jaxpr it computes, of its operands as they are and with its results; None if it is no call.
    ruled: of a call, whether it has a rule of differentiation of its own, which is not the derivative of its jaxpr.
    again: of a call, whether it is a checkpoint, whose jaxpr a derivative computes a second time.
    turns: of a loop whose jaxpr it runs as often as its parameters say, the parameter that says how often (`jaxpr` is the jaxpr).
    sums: whether it adds numbers of its first operand's dtype.
    told: parameters that hold jaxprs which say something of the others and are not computed.
    picks: the operand from which on each element of its results is an element of some operand, cast to the result's dtype; None: computes.
    """

    name: str
    call: str | None = None
    ruled: bool = False
    again: bool = False
    turns: str | None = None
    sums: bool = False
    told: Collection[str] = ()
    picks: int | None = None


_ROWS = (
    P("jit", call="jaxpr"),
    P("closed_call", call="call_jaxpr"),
    P("remat2", call="jaxpr", again=True),
    P("custom_jvp_call", call="call_jaxpr", ruled=True),
    P("custom_vjp_call", call="call_jaxpr", ruled=True),
    P("ruled", call="jaxpr", ruled=True),
    P("scan", turns="length"),
    P("reduce_sum", sums=True),
    P("scatter-add", sums=True),
    P("reduce_window_sum", sums=True),
    P("select_and_scatter_add", sums=True),
    P("coefficients", told=("of_inputs",)),
    P("select_n", picks=1),
    P("broadcast_in_dim", picks=0),
    P("reshape", picks=0),
    P("squeeze", picks=0),
    P("transpose", picks=0),
    P("slice", picks=0),
    P("rev", picks=0),
    P("concatenate", picks=0),
    P("convert_element_type", picks=0),
)

PRIMITIVES: dict[str, P] = {p.name: p for p in _ROWS}
"""By name."""


def row(eqn_or_name: object) -> P:
    """The row of an equation's primitive, or of a name; an empty one where there is none.

    >>> row("jit").call
    'jaxpr'
    """
    name = eqn_or_name if isinstance(eqn_or_name, str) else eqn_or_name.primitive.name  # type: ignore[attr-defined]
    return PRIMITIVES.get(name) or P(name)
