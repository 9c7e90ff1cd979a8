"""Draws: their distribution against cdf, moments or probabilities; gradients of reparameterized draws; vmap and
grad."""

from __future__ import annotations

import math

import numpy as np
import pytest

import functorch_lite as torch
import functorch_lite.distributions as D
from functorch_lite.func import grad, vmap

N = 4000


def _t(*x):
    return torch.tensor(x)


CONTINUOUS = [
    D.Normal(_t(0.5), 2.0), D.Laplace(_t(0.5), 2.0), D.Cauchy(_t(0.5), 2.0), D.Uniform(_t(-1.0), 2.0), D.Exponential(_t(0.7)),
    D.Gamma(_t(0.3, 2.5), _t(2.0, 0.5)), D.Chi2(_t(3.0)), D.LogNormal(_t(0.1), 0.5), D.HalfNormal(_t(2.0)), D.HalfCauchy(_t(2.0)),
    D.Gumbel(_t(0.5), 2.0), D.Weibull(_t(2.0), 1.5), D.Pareto(_t(1.0), 2.5), D.Kumaraswamy(_t(2.0), 0.7), D.InverseGamma(_t(2.0), 0.7),
    D.ContinuousBernoulli(_t(0.2, 0.5)), D.GeneralizedPareto(_t(0.0), 1.0, 0.3),
]  # fmt: skip


@pytest.mark.parametrize("d", CONTINUOUS, ids=repr)
def test_draws_follow_the_cdf(d):
    """Kolmogorov and Smirnov's distance is below 1.63 / sqrt(n) with 99 % probability; the seed is fixed."""
    torch.manual_seed(0)
    draws = d.sample((N,))
    assert draws.shape == (N, *d.batch_shape)
    assert not draws.requires_grad
    u = np.sort(d.cdf(draws).numpy().reshape(N, -1), axis=0)
    steps = np.arange(1, N + 1)[:, None] / N
    distance = np.maximum(np.abs(u - steps), np.abs(u - steps + 1 / N)).max()
    assert distance < 1.63 / math.sqrt(N)


BY_MOMENTS = [
    D.StudentT(_t(9.0), 0.5, 2.0), D.Beta(_t(0.3, 2.0), _t(0.7, 3.0)), D.Dirichlet(_t(0.5, 1.0, 3.0)), D.FisherSnedecor(_t(5.0), 20.0),
    D.Bernoulli(_t(0.3)), D.Binomial(10, _t(0.3)), D.Geometric(_t(0.3)), D.NegativeBinomial(3.5, _t(0.4)), D.Poisson(_t(0.5, 20.0)),
    D.OneHotCategorical(_t(1.0, 2.0, 0.0)), D.Multinomial(10, _t(0.5, 0.2, 0.3)),
    D.MultivariateNormal(_t(0.5, -1.0), torch.tensor([[2.0, 0.5], [0.5, 1.0]])),
    D.LowRankMultivariateNormal(_t(0.5, -1.0), torch.tensor([[1.0], [0.5]]), _t(0.5, 1.0)),
    D.Wishart(_t(5.0)[0], torch.tensor([[2.0, 0.5], [0.5, 1.0]])),
    D.MixtureSameFamily(D.Categorical(_t(0.3, 0.7)), D.Normal(_t(-1.0, 3.0), _t(0.5, 1.0))),
    D.MixtureSameFamily(D.Categorical(_t(0.3, 0.7)), D.Independent(D.Normal(torch.tensor([[-1.0, 0.0], [3.0, 1.0]]), 0.5), 1)),
]  # fmt: skip


@pytest.mark.parametrize("d", BY_MOMENTS, ids=lambda d: type(d).__name__)
def test_draws_have_the_mean_and_variance(d):
    """The mean to 4.5 standard errors; the variance to 25 %."""
    torch.manual_seed(1)
    draws = d.sample((N,)).double().numpy()
    assert draws.shape == (N, *d.batch_shape, *d.event_shape)
    mean, variance = d.mean.numpy(), d.variance.numpy()
    np.testing.assert_array_less(np.abs(draws.mean(0) - mean), 4.5 * np.sqrt(variance / N) + 1e-6)
    np.testing.assert_allclose(draws.var(0), variance, rtol=0.25, atol=1e-6)


def test_categories_have_their_frequencies():
    torch.manual_seed(2)
    d = D.Categorical(torch.tensor([[0.2, 0.0, 0.8], [0.5, 0.25, 0.25]]))
    draws = d.sample((N,))
    assert draws.dtype is torch.int64
    found = np.stack([(draws == k).double().mean(0).numpy() for k in range(3)], -1)
    np.testing.assert_allclose(found, d.probs.numpy(), atol=0.03)
    assert found[0, 1] == 0


def test_von_mises_draws_have_the_circular_mean_and_variance():
    torch.manual_seed(3)
    d = D.VonMises(_t(3.0, -1.0), _t(4.0, 0.3))
    x = d.sample((N,)).numpy()
    assert np.abs(x).max() <= np.float32(np.pi)
    np.testing.assert_allclose(1 - np.cos(x - d.loc.numpy()).mean(0), d.variance.numpy(), atol=0.05)
    np.testing.assert_allclose(np.sin(x - d.loc.numpy()).mean(0), 0, atol=0.05)


def test_lkj_draws_are_factors_of_correlations_with_the_right_spread():
    """An off-diagonal correlation is 2 B - 1 with B of Beta(a, a), a = c - 1 + n / 2: its variance is 1 / (2 a + 1)."""
    torch.manual_seed(4)
    d = D.LKJCholesky(3, 1.5)
    lower = d.sample((N,))
    assert bool(D.constraints.corr_cholesky.check(lower).all())
    correlations = (lower @ lower.mT).numpy()
    for i, j in ((1, 0), (2, 0), (2, 1)):
        np.testing.assert_allclose(correlations[:, i, j].var(), 1 / 5, rtol=0.1)


RELAXED = [
    D.RelaxedBernoulli(_t(0.5), _t(0.3)),
    D.RelaxedOneHotCategorical(_t(0.5), _t(0.2, 0.3, 0.5)),
    D.LogisticNormal(_t(0.1, 0.2), 0.5),
]


@pytest.mark.parametrize("d", RELAXED, ids=lambda d: type(d).__name__)
def test_densities_integrate_to_one(d):
    """By importance sampling: E[u(X) / p(X)] is the volume, u uniform on the support."""
    torch.manual_seed(5)
    x = d.sample((N,))
    n = x.shape[-1] if d.event_shape else 1
    volume = 1.0 if not d.event_shape else 1 / math.factorial(n - 1)
    inside = ((x > 0.15).all(-1) if d.event_shape else (x > 0.15) & (x < 0.85)).double()
    found = (inside * (-d.log_prob(x).double()).exp()).mean().item()
    expected = 0.7 if not d.event_shape else volume * (1 - 0.15 * n) ** (n - 1)
    assert found == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize(
    ("make", "theta"),
    [
        (lambda a: D.Gamma(a, 1.5), 2.0), (lambda a: D.Beta(a, 2.0), 1.5), (lambda a: D.StudentT(a, 0.0, 1.0), 8.0),
        (lambda a: D.Chi2(a), 3.0), (lambda a: D.Normal(a, a), 1.5), (lambda a: D.Dirichlet(torch.stack([a, a * 0 + 2.0])), 1.5),
    ],
    ids=["Gamma", "Beta", "StudentT", "Chi2", "Normal", "Dirichlet"],
)  # fmt: skip
def test_gradients_of_draws(make, theta):
    """E[d X^2 / d theta] is d E[X^2] / d theta, of mean and variance."""
    torch.manual_seed(6)
    a = torch.tensor(theta, dtype=torch.float64).requires_grad_()
    d = make(a)
    draws = d.rsample((N,))
    (got,) = torch.autograd.grad((draws * draws).mean(0).sum(), [a], retain_graph=True)
    (expected,) = torch.autograd.grad((d.variance + d.mean * d.mean).sum(), [a])
    assert got.item() == pytest.approx(expected.item(), rel=0.2, abs=0.02)


def test_inside_vmap_and_grad():
    """A batch of distributions as a function of one; different draws for each; gradients of draws and densities."""
    torch.manual_seed(7)
    loc, scale = torch.tensor([0.0, 100.0, -100.0]), torch.tensor([1.0, 2.0, 3.0])

    def one(m, s):
        d = D.Normal(m, s)
        x = d.rsample((5,))
        return (
            x,
            d.log_prob(x),
            D.kl_divergence(d, D.Gumbel(m, s)),
            D.Categorical(logits=torch.stack([m, s])).sample(),
        )

    x, log_prob, kl, category = vmap(one, randomness="different")(loc, scale)
    np.testing.assert_allclose(log_prob.numpy(), D.Normal(loc, scale).log_prob(x.T).T.numpy(), rtol=1e-5)
    assert len(np.unique(((x - loc[:, None]) / scale[:, None]).numpy().round(4))) == 15
    assert kl.shape == (3,)
    np.testing.assert_array_equal(category.numpy()[1:], [0, 1])
    slopes = vmap(grad(lambda a: D.Gamma(a, 1.0).log_prob(torch.tensor(2.0))))(scale)
    np.testing.assert_allclose(slopes.numpy(), (math.log(2) - torch.digamma(scale)).numpy(), rtol=1e-5)
    drawn = grad(lambda a: D.Gamma(a, 1.0).rsample((3,)).sum())(torch.tensor(2.0))
    assert drawn.item() > 0
    with pytest.raises(RuntimeError, match="randomness"):
        vmap(lambda m: D.Normal(m, 1.0).sample())(loc)


def test_a_fixed_seed_gives_the_same_draws():
    d = D.Gamma(_t(0.5, 2.0), 1.0)
    torch.manual_seed(8)
    a, b = d.sample((3,)), d.sample((3,))
    torch.manual_seed(8)
    np.testing.assert_array_equal(d.sample((3,)).numpy(), a.numpy())
    assert not np.array_equal(a.numpy(), b.numpy())


def test_expand_shares_parameters_and_draws_differ():
    d = D.Normal(_t(0.0), 1.0).expand((3, 4))
    assert d.batch_shape == (3, 4)
    assert len(np.unique(d.sample().numpy())) == 12


def test_subclasses_and_registered_divergences():
    class Mine(D.Normal):
        pass

    class Other(D.Normal):
        def __init__(self):
            super().__init__(0.0, 1.0)

    assert repr(Mine(0.0, 1.0).expand((2,))) == "Mine(loc: torch.Size([2]), scale: torch.Size([2]))"
    with pytest.raises(NotImplementedError, match="must also define a custom"):
        Other().expand((2,))
    assert D.kl_divergence(Mine(0.0, 1.0), Mine(1.0, 1.0)).item() == 0.5
    D.register_kl(Mine, Mine)(lambda p, q: torch.tensor(7.0))
    assert D.kl_divergence(Mine(0.0, 1.0), Mine(1.0, 1.0)).item() == 7.0
    with pytest.warns(RuntimeWarning, match="Ambiguous kl_divergence"):
        D.register_kl(Mine, D.Distribution)(lambda p, q: torch.tensor(8.0))
        D.kl_divergence(Mine(0.0, 1.0), D.Normal(0.0, 1.0))


def test_a_cached_transform_gives_back_its_input():
    t = D.TanhTransform(cache_size=1)
    x = torch.tensor([20.0])
    y = t(x)
    assert t.inv(y) is x
    assert t.inv(torch.tensor([1.0])).isinf().item()


def test_modules_have_pytorchs_names():
    from functorch_lite.distributions.multivariate_normal import MultivariateNormal
    from functorch_lite.distributions.normal import Normal

    assert (Normal, MultivariateNormal) == (D.Normal, D.MultivariateNormal)
    assert D.transforms.StickBreakingTransform is D.StickBreakingTransform


def test_arguments_are_not_checked_when_asked_not_to():
    assert D.Normal(0.0, -1.0, validate_args=False).scale.item() == -1
    with pytest.raises(ValueError, match="Expected parameter scale"):
        D.Normal(0.0, -1.0)
