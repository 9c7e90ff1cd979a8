"""Calls, branches and loops: primitives that hold jaxprs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...jaxprs.primitives import Kind, of_kind
from ...jaxprs.walk import called, scan_counts
from .interpreter import NAMED, NoRule, plan_of, rule, several

__all__: list[str] = []


@rule(*of_kind(Kind.CALL))
def _call(eqn: Any) -> Callable:
    if (make := NAMED.get(eqn.params.get("name"))) is not None and (run := make(eqn)) is not None:
        return run
    inner = called(eqn)
    if inner is None:
        raise NoRule(eqn.primitive.name)
    return plan_of(inner)


@rule("optimization_barrier")
def _barrier(eqn: Any) -> Callable:
    return several(lambda *arrays: arrays)


@rule("platform_index")
def _platform(eqn: Any) -> Callable:
    number = next(i for i, names in enumerate(eqn.params["platforms"]) if names is None or "cpu" in names)
    return lambda: np.int32(number)


@rule("cond")
def _cond(eqn: Any) -> Callable:
    plans = [plan_of(b) for b in eqn.params["branches"]]
    last = len(plans) - 1

    def run(which: np.ndarray, *arrays: np.ndarray) -> list:
        return plans[min(max(int(which), 0), last)](*arrays)

    return several(run, max(p.cost for p in plans))


GUESSED_TURNS = 50
MOST_SECONDS = 0.3
"""Seconds that a while loop may be guessed to have taken before it is left to a program."""


@rule("while")
def _while(eqn: Any) -> Callable:
    p = eqn.params
    test, body = plan_of(p["cond_jaxpr"]), plan_of(p["body_jaxpr"])
    n_test, n_body = p["cond_nconsts"], p["body_nconsts"]

    def run(*arrays: np.ndarray) -> list:
        of_test, of_body, carried = (
            arrays[:n_test],
            arrays[n_test : n_test + n_body],
            list(arrays[n_test + n_body :]),
        )
        for _ in range(most):
            (going,) = test(*of_test, *carried)
            if not going:
                return carried
            carried = body(*of_body, *carried)
        raise NoRule("a while loop of many turns")

    if p["cond_jaxpr"].out_avals[0].shape:
        raise NoRule("while loops in a batch")
    turn = test.cost + body.cost
    most = max(GUESSED_TURNS, int(MOST_SECONDS / turn))
    return several(run, GUESSED_TURNS * turn)


@rule("scan")
def _scan(eqn: Any) -> Callable:
    p = eqn.params
    plan, length = plan_of(p["jaxpr"]), p["length"]
    n_consts, n_carry = scan_counts(p)
    order = range(length - 1, -1, -1) if p["reverse"] else range(length)
    stacked = [v.aval for v in eqn.outvars[n_carry:]]

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

    return several(run, length * plan.cost)
