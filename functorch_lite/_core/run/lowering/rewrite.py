"""A jaxpr with the equations of the table (`table.py`) computed by their lowerings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal, jaxpr_as_fun
from jax.extend.core.primitives import closed_call_p

from . import products  # noqa: F401  (it registers its lowerings, as the others do)
from .table import TABLE, Site, switch

__all__ = ["lowered_jaxpr", "with_lowerings"]


def with_lowerings(traced: Any, how: dict[str, Any]) -> Any:
    """What `jax.jit(f, **how).trace(…)` gave, with the lowerings for CPU in it; the same object if there are none."""
    closed = lowered_jaxpr(traced.jaxpr)
    if closed is traced.jaxpr:
        return traced
    run = jaxpr_as_fun(closed)

    def program(*arrays: Any) -> Sequence[Any]:
        return run(*arrays)

    program.__name__ = traced.fun_name
    return jax.jit(program, **how).trace(
        *[jax.ShapeDtypeStruct(a.shape, a.dtype, weak_type=a.weak_type) for a in closed.in_avals]
    )


def lowered_jaxpr(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The same computation by the lowerings of the table; the same object if none of them fits."""
    if not switch["on"]:
        return closed
    jaxpr = _lowered(closed.jaxpr)
    return closed if jaxpr is closed.jaxpr else closed.replace(jaxpr=jaxpr)


def _lowered(jaxpr: Jaxpr) -> Jaxpr:
    made = {v: eqn for eqn in jaxpr.eqns for v in eqn.outvars}

    def made_by(v: Any) -> Any:
        return None if isinstance(v, Literal) else made.get(v)

    eqns = [_lowered_eqn(eqn, made_by) for eqn in jaxpr.eqns]
    same = all(a is b for a, b in zip(eqns, jaxpr.eqns))
    return jaxpr if same else jaxpr.replace(eqns=eqns)


def _lowered_eqn(eqn: Any, made_by: Callable[[Any], Any]) -> Any:
    for choose in TABLE.get(eqn.primitive.name, ()):
        run = choose(Site(eqn, made_by))
        if run is not None:
            return eqn.replace(
                primitive=closed_call_p, params={"call_jaxpr": _traced(run, eqn)}, effects=frozenset()
            )
    params = {k: _lowered_param(p) for k, p in eqn.params.items()}
    same = all(params[k] is p for k, p in eqn.params.items())
    return eqn if same else eqn.replace(params=params)


def _lowered_param(p: Any) -> Any:
    if type(p) in (tuple, list):
        made = [_lowered_param(x) for x in p]
        return p if all(a is b for a, b in zip(made, p)) else type(p)(made)
    if isinstance(p, ClosedJaxpr):
        return lowered_jaxpr(p)
    return _lowered(p) if isinstance(p, Jaxpr) else p


def _traced(run: Callable, eqn: Any) -> ClosedJaxpr:
    """The jaxpr of a lowering at an equation's operands."""
    several = eqn.primitive.multiple_results

    def call(*arrays: Any) -> Sequence[Any]:
        out = run(*arrays)
        return list(out) if several else [out]

    closed = jax.make_jaxpr(call)(*[jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in eqn.invars])
    made = [(a.shape, a.dtype) for a in closed.out_avals]
    asked = [(v.aval.shape, v.aval.dtype) for v in eqn.outvars]
    if made != asked:
        raise AssertionError(f"the lowering of {eqn.primitive.name} makes {made}, not {asked}")
    return closed
