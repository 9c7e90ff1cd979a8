"""Estimates: within four standard errors of the exact value, and the errors that they report are those that there are,
within a factor of 2 over 200 seeds. (Those of traces, determinants and densities of operators are in
test_curvature.py.)"""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
import functorch_lite.nn as nn
import functorch_lite.nn.functional as F
from functorch_lite.func import curvature, per_sample, taylor
from tests.support.full import FULL

from . import nets
from .facts import check_mean, facts, flat, of_calls

TRACES = of_calls("trace_estimate", "trace_lowrank", "diagonal_estimate")


@pytest.mark.parametrize("name", TRACES if FULL else TRACES[5:7])
def test_stochastic_facts(name):
    fact = facts()[name]
    model = nets.net(fact["net"])
    op = getattr(curvature, fact["operator"])(
        model, nets.loss(fact["loss"], fact["reduction"]), nets.parameters(model), nets.data(fact["data"]), reduction=fact["reduction"]
    )  # fmt: skip
    torch.manual_seed(0)
    if fact["call"] == "trace_lowrank":
        for method in ("hutch++", "xtrace"):
            found = curvature.trace(op, samples=fact["samples"], method=method)
            assert abs(found.value.item() - fact["expect"]["values"][0]) <= fact["bound"]
        return
    estimator = curvature.trace if fact["call"] == "trace_estimate" else curvature.diagonal
    found = estimator(op, samples=fact["samples"])
    exact = np.sqrt(np.array(fact["variance"]) / fact["samples"])
    value, error = flat(found.value)[: exact.size], flat(found.standard_error)[: exact.size]
    check_mean(fact, value, fact["samples"])
    ratio = error / exact
    assert (ratio < 2).all() and (ratio > 0.5).all() and found.samples == fact["samples"]


def _function(x):
    return (x[0] * x[1] * x[2] ** 2 + (x**4).sum()) ** 2 / 100


def _field(x):
    return torch.stack([x[0] * x[1], x[1] * x[2] ** 2, x[0] * x[2]])


X = [0.5, -1.0, 2.0]
OF_FUNCTIONS = {
    "laplacian": (taylor.laplacian, _function, {"samples": 30}),
    "laplacian normal": (taylor.laplacian, _function, {"samples": 30, "distribution": "normal"}),
    "laplacian sparse": (taylor.laplacian, _function, {"samples": 2, "distribution": "sparse"}),
    "hessian_diagonal": (taylor.hessian_diagonal, _function, {"samples": 30}),
    "biharmonic": (taylor.biharmonic, _function, {"samples": 200}),
    "divergence": (taylor.divergence, _field, {"samples": 30}),
}


def _model():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 3)).double()
    return (
        model,
        F.cross_entropy,
        nets.parameters(model),
        torch.randn(6, 3).double(),
        torch.tensor([0, 1, 2, 0, 1, 2]),
    )


@pytest.mark.parametrize(
    "what", [*OF_FUNCTIONS, "ggn_diagonal", "loss hessian_diagonal"] if FULL else ["divergence"]
)
def test_the_reported_error(what):
    if what in OF_FUNCTIONS:
        make, f, options = OF_FUNCTIONS[what]
        x = torch.tensor(X).double()
        exact, estimate = make(f)(x), lambda: make(f, **options)(x)
    else:
        make, given = getattr(per_sample, what.split()[-1]), _model()
        exact, estimate = make(*given), lambda: make(*given, samples=30)
    torch.manual_seed(1)
    runs = [estimate() for _ in range(200)]
    values, exact = np.stack([flat(r.value) for r in runs]), flat(exact)
    spread = values.std(0)
    assert (np.abs(values.mean(0) - exact) <= 4 * spread / 200**0.5 + 1e-9 * np.abs(exact).max()).all()
    reported = np.sqrt(np.mean([flat(r.standard_error) ** 2 for r in runs], 0))
    clear = spread > 1e-6 * np.abs(exact).max()
    assert clear.any() and (reported[clear] < 2 * spread[clear]).all()
    assert (reported[clear] > spread[clear] / 2).all()
