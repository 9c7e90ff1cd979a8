"""kl_divergence and register_kl; the divergences within a family. Divergences between different families are in
kl_between.

Sources: Gil, Alajaji & Linder 2013, "Rényi divergence measures for commonly used univariate continuous distributions";
Nielsen & Nock 2010 (exponential families); Chyzak & Nielsen 2019 (Cauchy).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

from .._core.api import Tensor
from .._core.api import functions as torch
from .categorical import Categorical, OneHotCategorical
from .discrete import Bernoulli, Binomial, ContinuousBernoulli, Geometric, Poisson
from .distribution import Distribution, ExponentialFamily, Independent, normalizer_with_slopes
from .gammas import Beta, Dirichlet, Exponential, Gamma
from .location_scale import Cauchy, Laplace, Normal, Uniform
from .multivariate import (
    LowRankMultivariateNormal,
    MultivariateNormal,
    half_log_det,
    low_rank_log_det,
    low_rank_mahalanobis,
    mahalanobis,
)
from .transformed import Gumbel, HalfNormal, Pareto, TransformedDistribution
from .utils import F, euler_constant, linalg, sum_rightmost

__all__ = ["kl_divergence", "register_kl"]

_KL_REGISTRY: dict[tuple[type, type], Callable] = {}
_found: dict[tuple[type, type], Any] = {}


def register_kl(type_p: type, type_q: type) -> Callable:
    """Registers a function (p, q) -> KL(p || q) for two classes of distributions; a decorator.

    TypeError for an argument that is not a class.

    Args:
        type_p: the class of the first distribution.
        type_q: the class of the second distribution.

    >>> class Shifted(torch.distributions.Normal): pass
    >>> @register_kl(Shifted, Shifted)
    ... def kl(p, q):
    ...     return torch.zeros(p.batch_shape)
    >>> kl_divergence(Shifted(0., 1.), Shifted(1., 1.))
    tensor(0.)
    """
    if not isinstance(type_p, type) and issubclass(type_p, Distribution):
        raise TypeError(f"Expected type_p to be a Distribution subclass but got {type_p}")
    if not isinstance(type_q, type) and issubclass(type_q, Distribution):
        raise TypeError(f"Expected type_q to be a Distribution subclass but got {type_q}")

    def decorate(fn: Callable) -> Callable:
        _KL_REGISTRY[type_p, type_q] = fn
        _found.clear()
        return fn

    return decorate


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The Kullback–Leibler divergence E_p[log p(X) - log q(X)], over the batch shape.

    Args:
        p: the first distribution.
        q: the second distribution.

    >>> kl_divergence(Normal(0., 1.), Normal(1., 1.))
    tensor(0.5000)
    """
    key = type(p), type(q)
    fn = _found.get(key, _found)
    if fn is _found:
        fn = _found[key] = _dispatch(*key)
    if fn is None:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {p.__class__.__name__} and q type {q.__class__.__name__}"
        )
    return fn(p, q)


def _dispatch(p: type, q: type) -> Callable | None:
    """The function registered for the nearest base classes; a warning where the two sides disagree on what is
    nearest."""
    matches = [(a, b) for a, b in _KL_REGISTRY if issubclass(p, a) and issubclass(q, b)]
    if not matches:
        return None
    by_left = min(matches, key=lambda m: (p.__mro__.index(m[0]), q.__mro__.index(m[1])))
    by_right = min(matches, key=lambda m: (q.__mro__.index(m[1]), p.__mro__.index(m[0])))
    left, right = _KL_REGISTRY[by_left], _KL_REGISTRY[by_right]
    if left is not right:
        warnings.warn(
            f"Ambiguous kl_divergence({p.__name__}, {q.__name__}). Please register_kl({by_left[0].__name__}, {by_right[1].__name__})",
            RuntimeWarning,
            stacklevel=3,
        )
    return left


def infinite_like(t: Tensor) -> Tensor:
    """A tensor like t, all inf."""
    return torch.full_like(t, math.inf)


@register_kl(ExponentialFamily, ExponentialFamily)
def _expfamily(p, q):
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot                             "
            "be computed using Bregman divergences"
        )
    p_params, q_params = tuple(p._natural_params), tuple(q._natural_params)
    slopes, p_norm = normalizer_with_slopes(p, p_params)
    result = q._log_normalizer(*q_params) - p_norm
    for a, b, g in zip(p_params, q_params, slopes):
        result = result - sum_rightmost((b - a) * g, len(q.event_shape))
    return result


@register_kl(Independent, Independent)
def _independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p, q):
    if p.transforms != q.transforms:
        raise NotImplementedError
    if p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


# -- discrete ----------------------------------------------------------------------------------------------------------


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p, q):
    one = p.probs * (F.softplus(-q.logits) - F.softplus(-p.logits))
    one = torch.where(q.probs == 0, math.inf, one)
    one = torch.where(p.probs == 0, 0.0, one)
    zero = (1 - p.probs) * (F.softplus(q.logits) - F.softplus(p.logits))
    zero = torch.where(q.probs == 1, math.inf, zero)
    zero = torch.where(p.probs == 1, 0.0, zero)
    return one + zero


@register_kl(Binomial, Binomial)
def _binomial(p, q):
    if bool((p.total_count < q.total_count).any()):
        raise NotImplementedError(
            "KL between Binomials where q.total_count > p.total_count is not implemented"
        )
    kl = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    return torch.where(p.total_count > q.total_count, math.inf, kl)


@register_kl(Categorical, Categorical)
def _categorical(p, q):
    t = p.probs * (p.logits - q.logits)
    t = torch.where(q.probs == 0, math.inf, t)
    return torch.where(p.probs == 0, 0.0, t).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p, q):
    return _categorical(p._categorical, q._categorical)


@register_kl(Geometric, Geometric)
def _geometric(p, q):
    return -p.entropy() - torch.log1p(-q.probs) / p.probs - q.logits


@register_kl(Poisson, Poisson)
def _poisson(p, q):
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p, q):
    mine = p._log_norm() + torch.log1p(-p.probs)
    return p.mean * (p.logits - q.logits) + mine - q._log_norm() - torch.log1p(-q.probs)


# -- continuous --------------------------------------------------------------------------------------------------------


@register_kl(Beta, Beta)
def _beta(p, q):
    p1, p0, q1, q0 = p.concentration1, p.concentration0, q.concentration1, q.concentration0
    p_sum, q_sum = p1 + p0, q1 + q0
    norms = q1.lgamma() + q0.lgamma() + p_sum.lgamma() - (p1.lgamma() + p0.lgamma() + q_sum.lgamma())
    return norms + (p1 - q1) * p1.digamma() + (p0 - q0) * p0.digamma() + (q_sum - p_sum) * p_sum.digamma()


@register_kl(Cauchy, Cauchy)
def _cauchy(p, q):
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p, q):
    a, b = p.concentration, q.concentration
    norms = a.sum(-1).lgamma() - b.sum(-1).lgamma() - (a.lgamma() - b.lgamma()).sum(-1)
    return norms + ((a - b) * (a.digamma() - a.sum(-1, keepdim=True).digamma())).sum(-1)


@register_kl(Exponential, Exponential)
def _exponential(p, q):
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(Gamma, Gamma)
def _gamma(p, q):
    a, b = p.concentration, q.concentration
    return (
        b * (p.rate / q.rate).log() + torch.lgamma(b) - torch.lgamma(a) + (a - b) * torch.digamma(a)
        + (q.rate - p.rate) * (a / p.rate)
    )  # fmt: skip


@register_kl(Gumbel, Gumbel)
def _gumbel(p, q):
    ratio, q_loc, p_loc = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    tail = torch.exp(q_loc + (1 + ratio).lgamma() - p_loc)
    return -ratio.log() - q_loc + p_loc + ratio * euler_constant + tail - (1 + euler_constant)


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p, q):
    return _normal(p.base_dist, q.base_dist)


@register_kl(Laplace, Laplace)
def _laplace(p, q):
    ratio, distance = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * torch.exp(-distance / p.scale) - 1


@register_kl(Normal, Normal)
def _normal(p, q):
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(Pareto, Pareto)
def _pareto(p, q):
    alpha_ratio = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() - alpha_ratio.log() + alpha_ratio - 1
    return torch.where(p.scale < q.scale, math.inf, result)


@register_kl(Uniform, Uniform)
def _uniform(p, q):
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return torch.where((q.low > p.low) | (q.high < p.high), math.inf, result)


# -- vectors -----------------------------------------------------------------------------------------------------------


def _squares(m: Tensor) -> Tensor:
    return m.pow(2).sum((-2, -1))


def _solved_squares(lower: Tensor, m: Tensor) -> Tensor:
    """The trace of L^-1 M M^T L^-T, batch dims broadcast."""
    shape = torch.broadcast_shapes(lower.shape[:-2], m.shape[:-2])
    solved = linalg.solve_triangular(
        lower.expand(shape + lower.shape[-2:]), m.expand(shape + m.shape[-2:]), upper=False
    )
    return _squares(solved)


def _check_events(p, q, names: str) -> None:
    if p.event_shape != q.event_shape:
        raise ValueError(f"KL-divergence between two {names} with different event shapes cannot be computed")


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate(p, q):
    _check_events(p, q, "Multivariate Normals")
    a, b = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    distance = mahalanobis(b, q.loc - p.loc)
    return half_log_det(b) - half_log_det(a) + 0.5 * (_solved_squares(b, a) + distance - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _low_rank(p, q):
    _check_events(p, q, "Low Rank Multivariate Normals")
    log_dets = _low_rank_log_det(q) - _low_rank_log_det(p)
    return 0.5 * (log_dets + _low_rank_trace(q, p) + _low_rank_distance(p, q) - p.event_shape[0])


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _multivariate_low_rank(p, q):
    _check_events(p, q, "(Low Rank) Multivariate Normals")
    w, d, a = q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag, p._unbroadcasted_scale_tril
    scaled = a / d.sqrt().unsqueeze(-1)
    trace = _squares(scaled) - _solved_squares(q._capacitance_tril, (w.mT / d.unsqueeze(-2)) @ a)
    log_dets = _low_rank_log_det(q) - 2 * half_log_det(a)
    return 0.5 * (log_dets + trace + _low_rank_distance(p, q) - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _low_rank_multivariate(p, q):
    _check_events(p, q, "(Low Rank) Multivariate Normals")
    b = q._unbroadcasted_scale_tril
    distance = mahalanobis(b, q.loc - p.loc)
    trace = _solved_squares(b, p._unbroadcasted_cov_factor)
    trace = trace + _solved_squares(b, torch.diag_embed(p._unbroadcasted_cov_diag.sqrt()))
    return 0.5 * (2 * half_log_det(b) - _low_rank_log_det(p) + trace + distance - p.event_shape[0])


def _low_rank_log_det(d) -> Tensor:
    return low_rank_log_det(d._unbroadcasted_cov_diag, d._capacitance_tril)


def _low_rank_distance(p, q) -> Tensor:
    w, d = q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag
    return low_rank_mahalanobis(w, d, q.loc - p.loc, q._capacitance_tril)


def _low_rank_trace(q, p) -> Tensor:
    """tr(Q^-1 P), both of low rank and diagonal."""
    w, d, v, e = (
        q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag, p._unbroadcasted_cov_factor, p._unbroadcasted_cov_diag
    )  # fmt: skip
    scaled = w.mT / d.unsqueeze(-2)
    plain = (e / d).sum(-1) + _squares(v / d.sqrt().unsqueeze(-1))
    c = q._capacitance_tril
    return plain - _solved_squares(c, scaled * e.sqrt().unsqueeze(-2)) - _solved_squares(c, scaled @ v)
