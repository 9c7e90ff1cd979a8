"""An op computed step by step, where XLA's partitioner must be told more than where arguments and results are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jax.experimental.layout import Layout as InMemory
from jax.experimental.layout import with_layout_constraint
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal, jaxpr_as_fun

from ._propagation import jaxprs_in

__all__ = ["BITS", "computed"]

BITS = "functorch_lite_bits"
"""What draws random bits is called."""


def computed(closed: ClosedJaxpr, args: Sequence[Any], whole: Callable[[Any], Any]) -> list:
    """The results of a jaxpr, step by step. Random bits: every device draws all of them, as XLA would otherwise exchange what it cuts badly. Fourier
    transforms: on CPU XLA's want the last dimension last in memory, also where a collective follows that would have it otherwise.
    whole: puts an array on every device."""
    jaxpr, known = closed.jaxpr, {}
    known.update(zip(jaxpr.constvars, closed.consts))
    known.update(zip(jaxpr.invars, args))

    def of(v: Any) -> Any:
        return v.val if isinstance(v, Literal) else known[v]

    for eqn in jaxpr.eqns:
        given = [of(v) for v in eqn.invars]
        if eqn.primitive.name in ("jit", "pjit"):
            outs = computed(eqn.params["jaxpr"], given, whole)
        elif jaxprs_in(eqn.params):
            outs = _bound(eqn, jaxpr, given)
        else:
            outs = eqn.primitive.bind(*given, **eqn.params)
            outs = outs if eqn.primitive.multiple_results else [outs]
        if eqn.params.get("name") == BITS:
            outs = list(map(whole, outs))
        if eqn.primitive.name == "fft":
            outs = [with_layout_constraint(x, InMemory(tuple(range(x.ndim)))) for x in outs]
        known.update(zip(eqn.outvars, outs))
    return [of(v) for v in jaxpr.outvars]


def _bound(eqn: Any, jaxpr: Jaxpr, given: Sequence[Any]) -> list:
    """The results of one equation of a jaxpr, whatever it calls."""
    places = {v: i for i, v in enumerate(eqn.invars) if not isinstance(v, Literal)}
    names = jaxpr.debug_info.with_unknown_names()
    outvars = [v for v in eqn.outvars if type(v).__name__ != "DropVar"]
    alone = jaxpr.replace(constvars=[], invars=list(places), outvars=outvars, eqns=[eqn], debug_info=names)
    found = iter(jaxpr_as_fun(ClosedJaxpr(alone, []))(*[given[i] for i in places.values()]))
    return [next(found) if v in outvars else None for v in eqn.outvars]
