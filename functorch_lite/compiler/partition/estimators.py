"""Estimators of the cost of running a step again: by counting operations, by measuring, or by a user's function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr, Literal, jaxpr_as_fun

from .program import INPUT, Program

__all__ = ["ESTIMATORS", "costs_by"]

ESTIMATORS = ("flops", "profile", "testing")


def costs_by(estimator: Any, program: Program, equations: Sequence[Any], like: Any) -> Program:
    """The program with costs as the setting says.

    "flops": multiplications and additions of products, and about one operation for each number that anything else
    makes. "profile": seconds, measured. "testing": 1 each. A callable gets a Step, and returns its cost. equations:
    the equation of each step; like: a jaxpr.
    """
    if callable(estimator):
        return _checked(program, lambda i: float(estimator(program.steps[i])))
    if estimator == "flops":
        return program
    if estimator == "testing":
        return _checked(program, lambda i: 1.0)
    if estimator == "profile":
        return _checked(program, lambda i: _seconds(equations[i], like) if program.steps[i].cost > 0 else 0.0)
    raise RuntimeError(
        f"Not aware of runtime estimator: {estimator}: there are {', '.join(map(repr, ESTIMATORS))}, and callables"
    )


def _checked(program: Program, cost: Callable[[int], float]) -> Program:
    costs = [0.0 if s.kind == INPUT or s.backward else cost(i) for i, s in enumerate(program.steps)]
    for i, c in enumerate(costs):
        if not 0 <= c < float("inf"):
            raise RuntimeError(
                f"activation_memory_budget_runtime_estimator gave {c} for {program.steps[i].op}"
            )
    return program.with_costs(costs)


_measured: dict[Any, float] = {}
_RUNS = 5


def _seconds(eqn: Any, like: Any) -> float:
    """Measures the seconds of an equation, compiled alone: the shortest of five runs. Equations alike are measured
    once."""
    if eqn is None:
        return 0.0
    invars = list(dict.fromkeys([v for v in eqn.invars if not isinstance(v, Literal)]))
    key = (eqn.primitive.name, str(eqn.params), tuple([str(v.aval) for v in eqn.invars]))
    if key not in _measured:
        alone = like.replace(
            invars=invars, constvars=[], eqns=[eqn], outvars=list(eqn.outvars),
            debug_info=like.debug_info.with_unknown_names(),
        )  # fmt: skip
        run = jax.jit(jaxpr_as_fun(ClosedJaxpr(alone, [])))
        with jax.ensure_compile_time_eval():
            args = [_numbers(v.aval) for v in invars]
            jax.block_until_ready(run(*args))
            took = []
            for _ in range(_RUNS):
                began = perf_counter()
                jax.block_until_ready(run(*args))
                took.append(perf_counter() - began)
        _measured[key] = min(took)
    return _measured[key]


def _numbers(aval: Any) -> np.ndarray:
    return np.ones(aval.shape, aval.dtype)
