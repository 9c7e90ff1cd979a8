"""Laplace's approximation and influence: values of laplace-torch and of dense matrices."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
import functorch_lite.nn as nn
import functorch_lite.nn.functional as F
from functorch_lite.func import curvature, functional_call, grad, influence, laplace
from tests.support.full import FULL

from . import nets
from .facts import check, facts, of_calls


def posterior(fact):
    model = nets.net(fact["net"])
    likelihood = "classification" if fact["loss"] == "cross_entropy" else "regression"
    return laplace.laplace(
        model, likelihood, nets.parameters(model), nets.data(fact["data"]), structure=fact["structure"],
        prior_precision=fact["prior_precision"], noise=fact["noise"] or 1.0,
    )  # fmt: skip


LAPLACES = of_calls("laplace_marglik", "laplace_variance", "laplace_probit")


@pytest.mark.parametrize("structure", ["full", "kron", "diag", "last_layer"] if FULL else ["kron"])
def test_samples_predictions_and_the_prior(structure):
    fact = {**facts()[LAPLACES[0]], "structure": structure}
    p = posterior(fact)
    ((x, _),) = nets.data(facts()[of_calls("laplace_probit")[0]]["test"])
    torch.manual_seed(0)
    draws = p.parameters.flat(list(p.sample(4000).values()), 1)
    cov = torch.cov(draws.T)
    exact = p._solved(torch.eye(p.parameters.size).double())
    assert (cov - exact).norm() < 0.15 * exact.norm()
    for link in ("probit", "mc", "bridge"):
        np.testing.assert_allclose(p.predict(x, link).sum(-1).detach().numpy(), 1, rtol=1e-9)
    t = torch.tensor(0.7).double()
    slope = grad(p.log_marginal_likelihood)(t).item()
    ahead, behind = (p.log_marginal_likelihood(t + e).item() for e in (1e-5, -1e-5))
    assert slope == pytest.approx((ahead - behind) / 2e-5, rel=1e-5)
    before = p.log_marginal_likelihood().item()
    assert p.optimize_prior(30).log_marginal_likelihood().item() > before


@pytest.mark.parametrize("name", of_calls("influence") if FULL else of_calls("influence")[2:])
def test_influence(name):
    fact = facts()[name]
    model = nets.net(fact["net"])
    (test,) = nets.data(fact["test"])
    given = (
        model,
        nets.loss(fact["loss"], fact["reduction"]),
        nets.parameters(model),
        nets.data(fact["data"]),
    )
    options = {"damping": fact["damping"], "reduction": fact["reduction"]}
    check(fact, influence.influence(*given, test, operator=fact["operator"], **options))
    mine = influence.self_influence(*given, operator=fact["operator"], **options)
    both = torch.cat(
        [influence.influence(*given, batch, operator=fact["operator"], **options) for batch in given[3]]
    )
    np.testing.assert_allclose(
        mine.detach().numpy(), -both.diagonal().detach().numpy(), rtol=1e-8, atol=1e-10
    )
    op = curvature.EKFAC(*given, reduction=fact["reduction"])
    assert influence.influence(*given, test, operator=op, damping=0.1).shape == (3, 12)


def test_errors():
    model, data = nn.Linear(2, 3), (torch.ones(4, 2), torch.tensor([0, 1, 2, 0]))
    params = nets.parameters(model)
    with pytest.raises(ValueError, match="classification"):
        laplace.laplace(model, "poisson", params, data)
    with pytest.raises(ValueError, match="last_layer"):
        laplace.laplace(model, "classification", params, data, structure="banded")
    with pytest.raises(ValueError, match="prior_precision must be positive"):
        laplace.laplace(model, "classification", params, data, prior_precision=-1.0)
    with pytest.raises(ValueError, match="names"):
        laplace.laplace(model, "classification", params, data, structure="subnet", names=["w"])
    for more, words in (
        (nn.BatchNorm1d(3), "1 is a BatchNorm1d in training"),
        (nn.Dropout(), "1 is an active Dropout"),
    ):
        mixed = nn.Sequential(model, more)
        with pytest.raises(RuntimeError, match=words):
            laplace.laplace(mixed, "classification", nets.parameters(mixed), data)
        with pytest.raises(RuntimeError, match=words):
            influence.influence(
                mixed, F.cross_entropy, nets.parameters(mixed), data, data, operator="GGN", damping=1.0
            )
    with pytest.raises(ValueError, match="damping"):
        influence.influence(model, F.cross_entropy, params, data, data, operator="GGN", damping=-1.0)
    with pytest.raises(ValueError, match="KFAC"):
        influence.influence(model, nn.CrossEntropyLoss(), params, data, data, operator="FIM", damping=1.0)


def test_the_last_layer_by_its_factors():
    """As of the same parameters by their Jacobians: with and without a bias, and with an op after the layer."""
    rng = np.random.RandomState(0)
    x, y = torch.tensor(rng.randn(9, 4)), torch.tensor(rng.randint(0, 3, 9))
    for bias in (True, False):
        net = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3, bias=bias)).double()
        params = nets.parameters(net)
        for model in (net, lambda p, x, net=net: torch.log_softmax(functional_call(net, p, (x,)), 1)):
            last = laplace.laplace(model, "classification", params, (x, y), structure="last_layer")
            names = tuple(last.mean)
            assert names == (("2.weight", "2.bias") if bias else ("2.weight",))
            plain = laplace.laplace(model, "classification", params, (x, y), structure="subnet", names=names)
            np.testing.assert_allclose(
                last.functional_variance(x).numpy(), plain.functional_variance(x).numpy(), atol=1e-12
            )


def test_the_module_is_the_function_too():
    x = torch.tensor([[1.0], [2.0]])
    found = [
        f(lambda w, x: x * w, "regression", torch.ones(1), (x, x), prior_precision=1.0)
        for f in (laplace, laplace.laplace)
    ]
    assert [round(f.functional_variance(x)[1].item(), 4) for f in found] == [0.6667] * 2
    assert repr(found[0]) == (
        "Posterior(regression, structure='full', 1 parameters, prior_precision=1.0, noise=1.0)"
    )
