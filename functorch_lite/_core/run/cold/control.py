"""Calls, branches and loops: primitives that hold jaxprs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from jax.extend.core import ClosedJaxpr

from .interpreter import NoRule, Plan, plan_of, rule, several

__all__: list[str] = []


def _plan(jaxpr: Any) -> Plan:
    return plan_of(jaxpr) if isinstance(jaxpr, ClosedJaxpr) else Plan(jaxpr, ())


@rule(
    "pjit",
    "jit",
    "closed_call",
    "core_call",
    "remat2",
    "checkpoint",
    "remat",
    "custom_vjp_call",
    "custom_jvp_call",
    "custom_vjp_call_jaxpr",
)
def _call(eqn: Any) -> Callable:
    inner = next(eqn.params[k] for k in ("jaxpr", "call_jaxpr", "fun_jaxpr") if k in eqn.params)
    plan = _plan(inner)

    @several
    def run(*arrays: np.ndarray) -> list:
        return plan(*arrays)

    run.cost = plan.cost + 1e-6  # type: ignore[attr-defined]
    return run


@rule("optimization_barrier")
def _barrier(eqn: Any) -> Callable:
    return several(lambda *arrays: arrays)


@rule("cond")
def _cond(eqn: Any) -> Callable:
    plans = [_plan(b) for b in eqn.params["branches"]]
    last = len(plans) - 1

    @several
    def run(which: np.ndarray, *arrays: np.ndarray) -> list:
        return plans[min(max(int(which), 0), last)](*arrays)

    run.cost = max(p.cost for p in plans)  # type: ignore[attr-defined]
    return run


GUESSED_TURNS = 50


@rule("while")
def _while(eqn: Any) -> Callable:
    p = eqn.params
    test, body = _plan(p["cond_jaxpr"]), _plan(p["body_jaxpr"])
    n_test, n_body = p["cond_nconsts"], p["body_nconsts"]

    @several
    def run(*arrays: np.ndarray) -> list:
        of_test, of_body, carried = (
            arrays[:n_test],
            arrays[n_test : n_test + n_body],
            list(arrays[n_test + n_body :]),
        )
        while True:
            (going,) = test(*of_test, *carried)
            if np.ndim(going):
                raise NoRule("while loops in a batch")
            if not going:
                return carried
            carried = body(*of_body, *carried)

    if p["cond_jaxpr"].out_avals[0].shape:
        raise NoRule("while loops in a batch")
    run.cost = GUESSED_TURNS * (test.cost + body.cost)  # type: ignore[attr-defined]
    return run


@rule("scan")
def _scan(eqn: Any) -> Callable:
    p = eqn.params
    plan, length = _plan(p["jaxpr"]), p["length"]
    n_consts, n_carry = p["num_consts"], p["num_carry"]
    order = range(length - 1, -1, -1) if p["reverse"] else range(length)
    stacked = [v.aval for v in eqn.outvars[n_carry:]]

    @several
    def run(*arrays: np.ndarray) -> list:
        consts, carried, xs = (
            arrays[:n_consts],
            list(arrays[n_consts : n_consts + n_carry]),
            arrays[n_consts + n_carry :],
        )
        ys = [np.empty(a.shape, a.dtype) for a in stacked]
        for k in order:
            out = plan(*consts, *carried, *[x[k] for x in xs])
            carried = out[:n_carry]
            for y, part in zip(ys, out[n_carry:]):
                y[k] = part
        return [*carried, *ys]

    run.cost = length * plan.cost  # type: ignore[attr-defined]
    return run


@rule("custom_linear_solve")
def _custom_linear_solve(eqn: Any) -> Callable:
    lengths, jaxprs = eqn.params["const_lengths"], eqn.params["jaxprs"]
    plan = _plan(jaxprs.solve)
    first = sum(lengths[: lengths._fields.index("solve")])
    n, total = lengths.solve, sum(lengths)

    @several
    def run(*arrays: np.ndarray) -> list:
        return plan(*arrays[first : first + n], *arrays[total:])

    run.cost = plan.cost  # type: ignore[attr-defined]
    return run
