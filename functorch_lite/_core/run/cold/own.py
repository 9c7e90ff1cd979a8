"""The library's own primitives: those that are their first operand, and those that are made of others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from .interpreter import plan_of, rule, same

__all__: list[str] = []


@rule("reads", "forward_only", "gradient_apart")
def _first(eqn: Any) -> Callable:
    return same


@rule("nothing")
def _nothing(eqn: Any) -> Callable:
    zeros = np.zeros(eqn.params["shape"], eqn.params["dtype"])
    return lambda *others: zeros


@rule("whole_power", "ruled", "loop", "pushed_loop", "pulled_loop", "bent_loop", "convolution_form")
def _of_others(eqn: Any) -> Callable:
    """What the primitive does outside of programs, traced once."""
    structs = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in eqn.invars]
    with jax.enable_x64(True):
        return plan_of(jax.make_jaxpr(lambda *xs: eqn.primitive.impl(*xs, **eqn.params))(*structs))
