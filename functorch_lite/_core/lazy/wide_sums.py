"""Sums of narrow floats are sums of float32, rounded once, as torch's are.

Ops see to that themselves; but the derivative of whatever repeats its input (`expand`, a broadcast operand, a gather) is a sum that JAX
makes in the input's own dtype, where a partial sum of bfloat16 in a hundred terms has lost all of its digits but one.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import ClosedJaxpr, Jaxpr
from jax.extend.core.primitives import closed_call_p

from .loop.rules import calls

__all__ = ["widen_sums"]

_SUMS = frozenset(["reduce_sum", "scatter-add", "reduce_window_sum", "select_and_scatter_add"])
_NARROW = (jnp.float16, jnp.bfloat16)


def widen_sums(jaxpr: ClosedJaxpr) -> ClosedJaxpr:
    """The same computation, whose sums of float16 and bfloat16 are of float32."""
    return jaxpr.replace(jaxpr=_widened(jaxpr.jaxpr)) if calls(jaxpr.jaxpr, _SUMS) else jaxpr


def _widened(jaxpr: Jaxpr) -> Jaxpr:
    return jaxpr.replace(eqns=[_widened_eqn(e) for e in jaxpr.eqns])


def _widened_eqn(eqn: Any) -> Any:
    if eqn.primitive.name in _SUMS and eqn.outvars[0].aval.dtype in _NARROW:
        return eqn.replace(primitive=closed_call_p, params={"call_jaxpr": _in_float32(eqn)})
    return eqn.replace(params={k: _in_param(p) for k, p in eqn.params.items()})


def _in_param(p: Any) -> Any:
    if type(p) in (tuple, list):
        return type(p)([_in_param(x) for x in p])
    if isinstance(p, ClosedJaxpr):
        return widen_sums(p)
    return _widened(p) if isinstance(p, Jaxpr) else p


def _in_float32(eqn: Any) -> ClosedJaxpr:
    narrow = eqn.outvars[0].aval.dtype
    run = partial(eqn.primitive.bind, **eqn.params)
    if eqn.primitive.name == "scatter-add":  # which holds a function of its own dtype
        names = ("dimension_numbers", "indices_are_sorted", "unique_indices", "mode")
        run = partial(jax.lax.scatter_add, **{n: eqn.params[n] for n in names})

    def summed(*args):
        wide = [a.astype(jnp.float32) if a.dtype == narrow else a for a in args]
        return [run(*wide).astype(narrow)]

    return jax.make_jaxpr(summed)(*[jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in eqn.invars])
