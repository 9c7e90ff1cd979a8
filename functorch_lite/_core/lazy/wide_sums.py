"""Sums of narrow floats are sums of float32, rounded once, as torch's are.

Ops see to that themselves; but the derivative of whatever repeats its input (`expand`, a broadcast operand, a gather)
is a sum that JAX makes in the input's own dtype, where a partial sum of bfloat16 in a hundred terms has lost all of its
digits but one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import ClosedJaxpr

from ..jaxprs.primitives import row
from ..jaxprs.walk import rewritten

__all__ = ["widen_sums"]

_NARROW = (jnp.float16, jnp.bfloat16)


def widen_sums(jaxpr: ClosedJaxpr) -> ClosedJaxpr:
    """The same computation, whose sums of float16 and bfloat16 are of float32."""
    return rewritten(jaxpr, _in_float32)


def _in_float32(eqn: Any) -> Callable | None:
    """The sum in float32 that stands for an equation, if it is a narrow one."""
    if not row(eqn).sums or eqn.outvars[0].aval.dtype not in _NARROW:
        return None
    narrow = eqn.outvars[0].aval.dtype
    run = partial(eqn.primitive.bind, **eqn.params)
    if "update_jaxpr" in eqn.params:  # a scatter, which holds a function of its own dtype
        names = ("dimension_numbers", "indices_are_sorted", "unique_indices", "mode")
        run = partial(jax.lax.scatter_add, **{n: eqn.params[n] for n in names})

    def summed(*args):
        wide = [a.astype(jnp.float32) if a.dtype == narrow else a for a in args]
        return run(*wide).astype(narrow)

    return summed
