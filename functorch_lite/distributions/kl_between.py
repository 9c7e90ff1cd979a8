"""Divergences between different families, registered for kl_divergence. Each is E_p[log p] - E_p[log q], worked out.

Where q gives no density to a part of p's support, the divergence is infinite.
"""

from __future__ import annotations

import math

from .._core.api import functions as torch
from .discrete import Bernoulli, Binomial, ContinuousBernoulli, Poisson
from .gammas import Beta, Exponential, Gamma
from .kl import infinite_like, register_kl
from .location_scale import Laplace, Normal, Uniform
from .transformed import Gumbel, Pareto
from .utils import euler_constant

__all__: list[str] = []

_LOG_2PI = math.log(2 * math.pi)


def _infinite(p_type, name: str, *q_types) -> None:
    def infinite(p, q):
        return infinite_like(getattr(p, name))

    for q_type in q_types:
        register_kl(p_type, q_type)(infinite)


_infinite(Beta, "concentration1", Pareto)
_infinite(ContinuousBernoulli, "probs", Pareto)
_infinite(Exponential, "rate", Beta, ContinuousBernoulli, Pareto, Uniform)
_infinite(Gamma, "concentration", Beta, ContinuousBernoulli, Pareto, Uniform)
_infinite(Gumbel, "loc", Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)
_infinite(Laplace, "loc", Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)
_infinite(Normal, "loc", Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)
_infinite(Pareto, "scale", Beta, ContinuousBernoulli, Uniform)
_infinite(Poisson, "rate", Bernoulli, Binomial)


def _against_normal(mean, variance, q):
    """-E[log q] for q normal, from p's mean and variance."""
    return 0.5 * _LOG_2PI + q.scale.log() + 0.5 * (variance + (mean - q.loc).pow(2)) / q.scale.pow(2)


def _against_gamma(mean, mean_log, q):
    """-E[log q] for q gamma, from p's E[X] and E[log X]."""
    a = q.concentration
    return torch.lgamma(a) - a * q.rate.log() - (a - 1) * mean_log + q.rate * mean


def _against_exponential(mean, q):
    """-E[log q] for q exponential."""
    return q.rate * mean - q.rate.log()


def _against_continuous_bernoulli(mean, q):
    """-E[log q] for q a continuous Bernoulli distribution."""
    return -mean * q.logits - torch.log1p(-q.probs) - q._log_norm()


def _normal(p, q):
    return -p.entropy() + _against_normal(p.mean, p.variance, q)


def _exponential(p, q):
    return -p.entropy() + _against_exponential(p.mean, q)


for _type in (Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Laplace, Uniform):
    register_kl(_type, Normal)(_normal)
for _type in (Beta, ContinuousBernoulli, Gamma):
    register_kl(_type, Exponential)(_exponential)


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p, q):
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


# -- on the unit interval ----------------------------------------------------------------------------------------------


@register_kl(Beta, ContinuousBernoulli)
def _beta_continuous_bernoulli(p, q):
    return -p.entropy() + _against_continuous_bernoulli(p.mean, q)


@register_kl(Beta, Gamma)
def _beta_gamma(p, q):
    mean_log = p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    return -p.entropy() + _against_gamma(p.mean, mean_log, q)


@register_kl(Beta, Uniform)
@register_kl(ContinuousBernoulli, Uniform)
def _unit_uniform(p, q):
    result = -p.entropy() + (q.high - q.low).log()
    return torch.where((q.low > 0) | (q.high < 1), math.inf, result)


# -- Exponential, Gamma, Gumbel, Laplace, Normal -----------------------------------------------------------------------


@register_kl(Exponential, Gamma)
def _exponential_gamma(p, q):
    return -p.entropy() + _against_gamma(p.mean, -euler_constant - p.rate.log(), q)


@register_kl(Exponential, Gumbel)
def _exponential_gumbel(p, q):
    product, shift = p.rate * q.scale, q.loc / q.scale
    return product.log() - 1 - shift + torch.exp(shift) * product / (product + 1) + product.reciprocal()


@register_kl(Gamma, Gumbel)
def _gamma_gumbel(p, q):
    product, shift, a = p.rate * q.scale, q.loc / q.scale, p.concentration
    tail = torch.exp(shift) * (1 + product.reciprocal()).pow(-a) - shift
    return (a - 1) * a.digamma() - a.lgamma() - a + product.log() + a / product + tail


@register_kl(Normal, Gumbel)
def _normal_gumbel(p, q):
    y = (p.loc - q.loc) / q.scale
    return -p.entropy() + q.scale.log() + y + torch.exp(0.5 * (p.scale / q.scale).pow(2) - y)


@register_kl(Normal, Laplace)
def _normal_laplace(p, q):
    z = (p.loc - q.loc) / p.scale
    mean_distance = math.sqrt(2 / math.pi) * p.scale * torch.exp(-0.5 * z.pow(2))
    mean_distance = mean_distance + (p.loc - q.loc) * torch.erf(math.sqrt(0.5) * z)
    return -p.entropy() + (2 * q.scale).log() + mean_distance / q.scale


# -- Pareto ------------------------------------------------------------------------------------------------------------


@register_kl(Pareto, Exponential)
def _pareto_exponential(p, q):
    mean = p.alpha * p.scale / (p.alpha - 1)
    return torch.where(p.alpha <= 1, math.inf, -p.entropy() + _against_exponential(mean, q))


@register_kl(Pareto, Gamma)
def _pareto_gamma(p, q):
    mean = p.alpha * p.scale / (p.alpha - 1)
    mean_log = p.scale.log() + p.alpha.reciprocal()
    return torch.where(p.alpha <= 1, math.inf, -p.entropy() + _against_gamma(mean, mean_log, q))


@register_kl(Pareto, Normal)
def _pareto_normal(p, q):
    part = p.scale / (p.alpha - 1)
    result = -p.entropy() + _against_normal(p.alpha * part, p.alpha * part.pow(2) / (p.alpha - 2), q)
    return torch.where(p.alpha <= 2, math.inf, result)


# -- Uniform -----------------------------------------------------------------------------------------------------------


def _mean_log(low, high):
    """E[log X] for X uniform on [low, high], low >= 0."""
    return (torch.xlogy(high, high) - torch.xlogy(low, low)) / (high - low) - 1


@register_kl(Uniform, Beta)
def _uniform_beta(p, q):
    a, b = q.concentration1, q.concentration0
    log_beta = a.lgamma() + b.lgamma() - (a + b).lgamma()
    logs = (a - 1) * _mean_log(p.low, p.high) + (b - 1) * _mean_log(1 - p.high, 1 - p.low)
    return torch.where((p.high > 1) | (p.low < 0), math.inf, -p.entropy() + log_beta - logs)


@register_kl(Uniform, ContinuousBernoulli)
def _uniform_continuous_bernoulli(p, q):
    result = -p.entropy() + _against_continuous_bernoulli(p.mean, q)
    return torch.where((p.high > 1) | (p.low < 0), math.inf, result)


@register_kl(Uniform, Exponential)
def _uniform_exponential(p, q):
    return torch.where(p.low < 0, math.inf, -p.entropy() + _against_exponential(p.mean, q))


@register_kl(Uniform, Gamma)
def _uniform_gamma(p, q):
    result = -p.entropy() + _against_gamma(p.mean, _mean_log(p.low, p.high), q)
    return torch.where(p.low < 0, math.inf, result)


@register_kl(Uniform, Gumbel)
def _uniform_gumbel(p, q):
    width = (p.high - p.low) / q.scale
    low, high = (p.low - q.loc) / q.scale, (p.high - q.loc) / q.scale
    return 0.5 * (low + high) - width.log() - (torch.exp(-high) - torch.exp(-low)) / width


@register_kl(Uniform, Pareto)
def _uniform_pareto(p, q):
    logs = q.alpha.log() + q.alpha * q.scale.log() - (q.alpha + 1) * _mean_log(p.low, p.high)
    return torch.where(p.low < q.scale, math.inf, -p.entropy() - logs)
