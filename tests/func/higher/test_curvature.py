"""Operators of curvature: values from dense matrices, and what they do under every other transform."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
import functorch_lite.nn as nn
import functorch_lite.nn.functional as F
from functorch_lite.func import curvature, grad, vmap
from tests.support.full import FULL

from . import nets
from .facts import check, check_mean, facts, of_calls
from .transforms import WAYS


def operator(fact, params=None, **more):
    model = nets.net(fact["net"])
    params = nets.parameters(model) if params is None else params
    loss = nets.loss(fact["loss"], fact["reduction"])
    kind = getattr(curvature, fact["operator"])
    return kind(model, loss, params, nets.data(fact["data"]), reduction=fact["reduction"], **more)


def value_of(fact: dict):
    """What the fact is of."""
    call = fact["call"]
    if call == "hvp":
        f = nets.FUNCTIONS[fact["function"]]
        x, v = (torch.tensor(fact[k], dtype=torch.float64) for k in "xv")
        return curvature.hvp(f, (x,), (v,))
    if call == "jacobian":
        model = nets.net(fact["net"])
        J = curvature.Jacobian(model, nets.parameters(model), nets.data(fact["data"]))
        return (J.T if fact["transpose"] else J) @ nets.vector(fact["v"])
    op = operator(fact)
    if call == "matvec":
        return op @ nets.vector(fact["v"])
    if call == "diagonal":
        return curvature.diagonal(op)
    if call == "trace_fro":
        return [curvature.trace(op), curvature.frobenius_norm_squared(op)]
    if call == "block":
        return op.block(fact["rows"], fact["cols"])
    if call == "submatrix":
        return op.submatrix(fact["rows"], fact["cols"])
    if call == "eigsh":
        torch.manual_seed(0)
        return curvature.eigsh(op, fact["k"], fact["which"])[0]
    b = nets.vector(fact["b"])
    if call == "neumann":
        return curvature.solve(
            op, b, damping=fact["damping"], method="neumann", terms=fact["terms"], scale=fact["scale"]
        )
    return curvature.solve(op, b, damping=fact["damping"], method=fact["method"], rtol=1e-12)


EXACT = (
    "hvp",
    "jacobian",
    "matvec",
    "diagonal",
    "trace_fro",
    "block",
    "submatrix",
    "eigsh",
    "neumann",
    "solve",
)
NAMES = [n for n in of_calls(*EXACT) if facts()[n].get("operator") not in ("KFAC", "EKFAC")]
SHORT = 5
"""Every so many of the facts are looked at when tests are to be short."""


@pytest.mark.parametrize("name", NAMES if FULL else NAMES[::SHORT])
def test_facts(name):
    check(facts()[name], value_of(facts()[name]))
