"""Primitives of the library's own, which are their first operand, or made of others, and functions that NumPy has."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import numpy as np

from ...lazy.bounds import Bound
from ...lazy.breaches import look_at
from ..whole_division import BY_NUMPY
from .interpreter import named, plan_of, rule, same

__all__: list[str] = []


@rule("reads", "forward_only", "gradient_apart")
def _first(eqn: Any) -> Callable:
    return same


@rule("bounded")
def _bounded(eqn: Any) -> Callable:
    bound = Bound(**eqn.params)
    return partial(look_at, bound=bound) if bound.says else same


@rule("required")
def _required(eqn: Any) -> Callable:
    bound = Bound(**eqn.params)

    def of(x: np.ndarray, wrong: np.ndarray) -> np.ndarray:
        look_at(wrong, bound)
        return x

    return of if bound.says else lambda x, wrong: x


@rule("nothing")
def _nothing(eqn: Any) -> Callable:
    zeros = np.zeros(eqn.params["shape"], eqn.params["dtype"])
    return lambda *others: zeros


@rule("loop", "pushed_loop", "pulled_loop", "bent_loop", "convolution_form")
def _of_others(eqn: Any) -> Callable:
    """Computes what the primitive does outside of programs, traced once."""
    structs = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in eqn.invars]
    with jax.enable_x64(True):
        return plan_of(jax.make_jaxpr(lambda *xs: eqn.primitive.impl(*xs, **eqn.params))(*structs))


def _division(name: str, by_numpy: np.ufunc) -> None:
    @named(name)
    def make(eqn: Any) -> Callable | None:
        """Under vmap the batch need not come first: then the function is what it consists of."""
        if any(v.aval.shape not in ((), eqn.outvars[0].aval.shape) for v in eqn.invars):
            return None
        with_zeros = plan_of(eqn.params["jaxpr"])
        return lambda a, b: by_numpy(a, b) if np.count_nonzero(b) == b.size else with_zeros(a, b)[0]


for _name, _by_numpy in BY_NUMPY.items():
    _division(_name, _by_numpy)
