"""Per-sample statistics: values from gradients of single samples, and what the functions do under every other
transform."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
import functorch_lite.nn as nn
import functorch_lite.nn.functional as F
from functorch_lite.func import grad, per_sample, privacy, vmap
from tests.support.full import FULL

from . import nets
from .facts import facts, flat, of_calls
from .transforms import WAYS


def arguments(fact):
    model, ((x, y),) = nets.net(fact["net"]), nets.data(fact["data"])
    return model, nets.loss(fact["loss"], fact["reduction"]), nets.parameters(model), x, y


def _private(fact, **more):
    return privacy.private_gradient(
        *arguments(fact), max_norm=fact["max_norm"], noise_multiplier=fact["noise_multiplier"], **more
    )


@pytest.mark.parametrize("name", of_calls("dp_noise"))
def test_noise(name):
    fact = facts()[name]
    torch.manual_seed(0)
    draws = np.stack([flat(_private(fact)) for _ in range(fact["draws"])])
    n = len(arguments(fact)[3])
    assert np.std(draws, 0).mean() == pytest.approx(fact["noise_multiplier"] * fact["max_norm"] / n, rel=0.03)
    exact = flat(privacy.private_gradient(*arguments(fact), max_norm=fact["max_norm"], noise_multiplier=0.0))
    assert np.abs(draws.mean(0) - exact).max() < 5 * fact["noise_multiplier"] * fact[
        "max_norm"
    ] / n / np.sqrt(len(draws))


def test_the_noise_for_an_epsilon():
    pytest.importorskip("dp_accounting")
    sigma = privacy.noise_multiplier_for(3.0, 0.01, 1000, 1e-5)
    assert privacy.epsilon(sigma, 0.01, 1000, 1e-5) <= 3 < privacy.epsilon(sigma - 2e-3, 0.01, 1000, 1e-5)


@pytest.mark.parametrize("name", of_calls("poisson"))
def test_poisson_sampling(name):
    fact = facts()[name]
    torch.manual_seed(1)
    sizes = [len(b) for b in privacy.PoissonSampler(fact["n"], fact["rate"], steps=fact["batches"])]
    error = np.sqrt(fact["variance"][0] / len(sizes))
    assert (
        abs(np.mean(sizes) - fact["n"] * fact["rate"]) < 4 * error
        and 0.8 < np.var(sizes) / fact["variance"][0] < 1.25
    )


def test_padding_and_empty_batches():
    fact = facts()[of_calls("dp_step")[0]]
    model, loss, params, x, y = arguments(fact)
    (px, py), weights = privacy.padded((x[:5], y[:5]), [8, 16])
    assert len(px) == 8
    given = {"max_norm": 1.0, "noise_multiplier": 0.0, "batch_size": 5}
    one = privacy.private_gradient(model, loss, params, x[:5], y[:5], **given)
    other = privacy.private_gradient(model, loss, params, px, py, weights=weights, **given)
    np.testing.assert_allclose(flat(one), flat(other), atol=1e-12)
    empty = privacy.private_gradient(model, loss, params, x[:0], y[:0], **given)
    assert np.abs(flat(empty)).max() == 0


def test_private_training():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
    x = torch.randn(64, 4)
    y = (x[:, 0] > 0).long()
    private = privacy.DPOptimizer(
        torch.optim.Adam(model.parameters(), lr=0.05),
        model,
        F.cross_entropy,
        max_norm=1.0,
        noise_multiplier=0.1,
    )
    before = F.cross_entropy(model(x), y).item()
    for _ in range(20):
        private.step(x, y)
    assert F.cross_entropy(model(x), y).item() < 0.6 * before and private.steps == 20


class Odd(nn.Module):
    """Ifs, `F.` calls, a tied weight, a layer used twice, and a weight that is used by no layer's op."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(7, 4)
        self.twice = nn.Linear(4, 4)
        self.scale = nn.Parameter(torch.ones(4))
        self.free = nn.Parameter(torch.randn(4, 4))
        self.norm = nn.LayerNorm(4)
        self.lstm = nn.LSTM(4, 4, batch_first=True)
        self.deep = True

    def forward(self, ids):
        x = self.embed(ids) * self.scale
        if self.deep:
            x = torch.tanh(self.twice(torch.tanh(self.twice(x)))) @ self.free
        x = self.norm(self.lstm(x)[0])
        return F.linear(x.mean(1), self.embed.weight)


def _by_vmap(model, params, x, y):
    def loss(params, x, y):
        return F.cross_entropy(torch.func.functional_call(model, params, (x[None],)), y[None])

    return vmap(grad(loss), in_dims=(None, 0, 0))(params, x, y)


def test_any_module():
    """Beside vmap(grad(loss)): norms, clipped sums, Gram matrices, moments."""
    torch.manual_seed(0)
    model = Odd().double()
    params = nets.parameters(model)
    x, y = torch.randint(0, 7, (5, 6)), torch.randint(0, 7, (5,))
    each = _by_vmap(model, params, x, y)
    rows = torch.cat([g.reshape(5, -1) for g in each.values()], 1)
    norms = rows.square().sum(1).sqrt()
    given = (model, F.cross_entropy, params, x, y)
    np.testing.assert_allclose(per_sample.gradient_norms(*given).numpy(), norms.numpy())
    clipped = (rows * (0.5 / norms).clamp(max=1)[:, None]).sum(0).numpy()
    np.testing.assert_allclose(flat(per_sample.clipped_gradient_sum(*given, 0.5)), clipped, atol=1e-12)
    np.testing.assert_allclose(per_sample.gradient_gram(*given).numpy(), (rows @ rows.T).numpy(), atol=1e-12)
    np.testing.assert_allclose(
        flat(per_sample.gradient_second_moment(*given)), rows.square().mean(0).numpy(), atol=1e-12
    )
    np.testing.assert_allclose(
        flat(per_sample.gradient_variance(*given)), rows.var(0, correction=0).numpy(), atol=1e-12
    )
    bound = 0.3 / len(each) ** 0.5
    parts = [
        (g.reshape(5, -1) * (bound / g.reshape(5, -1).norm(dim=1)).clamp(max=1)[:, None]).sum(0)
        for g in each.values()
    ]
    np.testing.assert_allclose(
        flat(per_sample.clipped_gradient_sum(*given, 0.3, per_parameter=True)),
        torch.cat(parts).numpy(),
        atol=1e-12,
    )
    some = {k: params[k] for k in ("twice.weight", "free")}
    few = per_sample.gradient_norms(model, F.cross_entropy, some, x, y, per_parameter=True)
    for k, found in few.items():
        np.testing.assert_allclose(found.detach().numpy(), each[k].reshape(5, -1).norm(dim=1).numpy())


WHAT = ("gradient_norms", "clipped_gradient_sum", "gradient_gram", "ggn_diagonal")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("what", WHAT if FULL else WHAT[:1])
def test_under_transforms(what, way):
    fact = facts()["gradient norms: conv stride 2 padding 1" if FULL else "a DP-SGD step without noise"]
    model, loss, params, x, y = arguments(fact)
    x, y = x[:3], y[:3]
    p = {k: v for k, v in params.items() if k.startswith("0.")}
    shapes = {k: tuple(v.shape) for k, v in p.items()}

    def of_flat(v):
        sizes = [int(np.prod(s)) for s in shapes.values()]
        tree = {k: t.reshape(s) for (k, s), t in zip(shapes.items(), v.split(sizes))}
        more = (0.7,) if what == "clipped_gradient_sum" else ()
        return getattr(per_sample, what)(model, loss, tree, x, y, *more)

    at = torch.cat([v.reshape(-1) for v in p.values()])
    if what == "ggn_diagonal" and way == "grad":
        pytest.skip("a root of the loss' Hessian by eigenvalues, two of which are equal, has no derivative")
    WAYS[way](of_flat, at)


@pytest.mark.parametrize(
    "options", [{}, {"per_parameter": True}, {"weights": torch.tensor([1.0, 0, 1, 1, 2])}]
)
def test_clipped_sums_by_chunks(options):
    """Two whole chunks and a rest, one after the other: the same sum."""
    model, x, y = nn.Linear(2, 3), torch.randn(5, 2), torch.tensor([0, 1, 2, 0, 1])
    given = (model, F.cross_entropy, nets.parameters(model), x, y, 0.3)
    wanted = per_sample.clipped_gradient_sum(*given, **options)
    found = per_sample.clipped_gradient_sum(*given, chunk_size=2, **options)
    for name, g in wanted.items():
        np.testing.assert_allclose(found[name].numpy(), g.numpy(), atol=1e-6)


@pytest.mark.parametrize("per_parameter", [False, True])
def test_what_is_clipped_is_what_was_measured(per_parameter):
    """Of a model that draws: one sample's clipped gradient has the norm that it is clipped at, and other draws each
    time."""
    model = nn.Sequential(nn.Linear(2, 8), nn.Dropout(0.5), nn.Linear(8, 1))
    x, y = torch.ones(1, 2), torch.full((1, 1), 9.0)
    found = []
    for _ in range(4):  # the last ones are replayed
        params = nets.parameters(model)
        g = per_sample.clipped_gradient_sum(model, F.mse_loss, params, x, y, 0.1, per_parameter=per_parameter)
        found.append(torch.cat([t.reshape(-1) for t in g.values()]).numpy())
    np.testing.assert_allclose([np.linalg.norm(g) for g in found], 0.1, rtol=1e-5)
    assert len({g.tobytes() for g in found}) == 4


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda m, p, x, y: per_sample.gradient_norms(nn.Sequential(m, nn.BatchNorm1d(3)), F.cross_entropy, p, x, y), RuntimeError, "1 is a BatchNorm1d in training"),
        (lambda m, p, x, y: privacy.private_gradient(nn.Sequential(m, nn.BatchNorm1d(3)).eval(), F.cross_entropy, p, x, y, max_norm=1.0, noise_multiplier=1.0), RuntimeError, "1 is a BatchNorm1d"),
        (lambda m, p, x, y: per_sample.gradient_norms(m, F.cross_entropy, p, x, y[:2]), ValueError, r"\[\(4, 2\), \(2,\)\]"),
        (lambda m, p, x, y: per_sample.clipped_gradient_sum(m, F.cross_entropy, p, x, y, 0.0), ValueError, "max_norm must be positive"),
        (lambda m, p, x, y: per_sample.clipped_gradient_sum(m, F.cross_entropy, p, x, y, 1.0, chunk_size=0), ValueError, "chunk_size"),
        (lambda m, p, x, y: per_sample.clipped_gradient_sum(m, F.cross_entropy, p, x, y, 1.0, chunk_size="auto"), ValueError, "'auto'"),
        (lambda m, p, x, y: per_sample.clipped_gradient_sum(m, F.cross_entropy, p, x, y, {"weight": 1.0}), ValueError, "differ in .'bias'"),
        (lambda m, p, x, y: per_sample.ggn_diagonal(m, nn.CrossEntropyLoss(reduction="sum"), p, x, y), ValueError, "reduction='sum'"),
        (lambda m, p, x, y: per_sample.gradient_norms(m, lambda o, y: o.sum(1), p, x, y), RuntimeError, "scalar Tensor"),
        (lambda m, p, x, y: per_sample.gradient_gram(m, F.cross_entropy, p, x, y, x), ValueError, "given together"),
        (lambda m, p, x, y: privacy.private_gradient(m, F.cross_entropy, p, x, y, max_norm=-1.0, noise_multiplier=1.0), ValueError, "max_norm"),
        (lambda m, p, x, y: privacy.private_gradient(m, F.cross_entropy, p, x, y, max_norm=1.0, noise_multiplier=-1.0), ValueError, "noise_multiplier"),
        (lambda m, p, x, y: privacy.PoissonSampler(10, 1.5), ValueError, "rate in"),
        (lambda m, p, x, y: privacy.epsilon(1.0, 0.1, 10, 2.0), ValueError, "delta"),
        (lambda m, p, x, y: privacy.padded((x, y), [2]), ValueError, "larger than all"),
    ],
)  # fmt: skip
def test_errors(call, error, words):
    model, x, y = nn.Linear(2, 3), torch.ones(4, 2), torch.zeros(4, dtype=torch.int64)
    with pytest.raises(error, match=words):
        call(model, nets.parameters(model), x, y)
