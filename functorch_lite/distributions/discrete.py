"""Families on integers: Bernoulli, Binomial, Geometric, NegativeBinomial, Poisson; and ContinuousBernoulli, given like
Bernoulli.

Formulas: Johnson, Kemp & Kotz, "Univariate discrete distributions", 3rd edition; Loaiza-Ganem & Cunningham 2019, "The
continuous Bernoulli: fixing a pervasive error in variational autoencoders".
"""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Any

from .._core.api import OPS, Size, Tensor, apply
from .._core.api import functions as torch
from ..autograd.grad_mode import no_grad
from ..random import key_tensor
from . import constraints
from .distribution import Distribution, ExponentialFamily
from .gammas import Gamma
from .utils import F, broadcast_all, clamp_probs, lazy_property, logits_to_probs, probs_to_logits

__all__ = ["Bernoulli", "Binomial", "ContinuousBernoulli", "Geometric", "NegativeBinomial", "Poisson"]


def one_of(probs, logits) -> None:
    """Raises unless exactly one of them is given."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


class OfProbabilities(Distribution):
    """Base of the families that are given `probs` or `logits`, and give the other when asked."""

    @property
    def _param(self) -> Tensor:
        return self.__dict__["probs"] if "probs" in self.__dict__ else self.__dict__["logits"]

    param_shape = property(attrgetter("_param.shape"), doc="The shape of the parameter that was given.")


class Binary(OfProbabilities):
    """Such families of a single probability."""

    _parameters = {"probs": 0, "logits": 0}

    def _take(self, probs, logits) -> None:
        one_of(probs, logits)
        if probs is not None:
            (self.probs,) = broadcast_all(probs)
        else:
            (self.logits,) = broadcast_all(logits)

    @lazy_property
    def logits(self):
        """The log odds."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self):
        """The probability of 1."""
        return logits_to_probs(self.logits, is_binary=True)


_PROBABILITY = {"probs": constraints.unit_interval, "logits": constraints.real}


class Bernoulli(Binary, ExponentialFamily):
    """1 with probability `probs` (or sigmoid(logits)), else 0.

    Args:
        probs: the probabilities; give this or `logits`. None is the default.
        logits: the logits; give this or `probs`. None is the default.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> Bernoulli(torch.tensor(0.25)).mean
    tensor(0.2500)
    """

    arg_constraints = _PROBABILITY  # type: ignore[assignment]
    support = constraints.boolean  # type: ignore[assignment]
    has_enumerate_support = True
    _mean_carrier_measure = 0  # type: ignore[assignment]
    _parameters = {"probs": 0, "logits": 0}

    def __init__(
        self,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._take(probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)

    mean = property(attrgetter("probs"), doc="probs.")

    @property
    def mode(self):
        """1 where probs > 1/2, 0 where it is less, nan where both are as likely."""
        mode = (self.probs >= 0.5).to(self.probs.dtype)
        return torch.where(self.probs == 0.5, math.nan, mode)

    @property
    def variance(self):
        """p (1 - p)."""
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = Size(())) -> Tensor:
        """Zeros and ones in the parameter's dtype."""
        with no_grad():
            return torch.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """x log(p) + (1 - x) log(1 - p), from the logits."""
        value = self._check(value)
        logits, value = broadcast_all(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        """-p log(p) - (1 - p) log(1 - p)."""
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True):
        """0 and 1."""
        values = torch.arange(2, dtype=self._param.dtype, device=self._param.device)
        return spread(values, self._batch_shape, expand)

    @property
    def _natural_params(self):
        return (torch.logit(self.probs),)

    def _log_normalizer(self, x):
        return torch.log1p(torch.exp(x))


def spread(values: Tensor, batch_shape, expand: bool) -> Tensor:
    """Values along a new first dim, expanded over the batch if asked to."""
    values = values.reshape((-1,) + (1,) * len(batch_shape))
    return values.expand((-1, *batch_shape)) if expand else values


class Geometric(Binary):
    """The number of failures before the first success: p (1 - p)^x.

    probs or logits of any shape, which is the batch's; probs in (0, 1], else ValueError. Values are floats.

    Args:
        probs: the probabilities; give this or `logits`. None is the default.
        logits: the logits; give this or `probs`. None is the default.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> Geometric(torch.tensor(0.5)).log_prob(torch.tensor(2.)).exp()
    tensor(0.1250)
    """

    arg_constraints = _PROBABILITY  # type: ignore[assignment]
    support = constraints.nonnegative_integer  # type: ignore[assignment]
    _parameters = {"probs": 0, "logits": 0}

    def __init__(
        self,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._take(probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)
        if probs is not None and self._checks():
            p = self.probs
            if not bool((p > 0).all()):
                raise ValueError(
                    f"Expected parameter probs ({type(p).__name__} of shape {tuple(p.shape)}) of distribution {self!r} to be "
                    f"positive but found invalid values:\n{p.detach()[~(p > 0)]}"
                )

    @property
    def mean(self):
        """1/p - 1."""
        return 1.0 / self.probs - 1.0

    @property
    def mode(self):
        """0."""
        return torch.zeros_like(self.probs)

    @property
    def variance(self):
        """(1/p - 1) / p."""
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Any = Size(())) -> Tensor:
        """By inverting the distribution function."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            tiny = torch.finfo(self.probs.dtype).tiny
            u = torch.rand(shape, dtype=self.probs.dtype, device=self.probs.device).clamp(min=tiny)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        """x log(1 - p) + log(p)."""
        value = self._check(value)
        value, probs = broadcast_all(value, self.probs)
        sure = (probs == 1) & (value == 0)
        return value * (-probs.masked_fill(sure, 0)).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        """The entropy of a Bernoulli trial over p."""
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs


class _Counted(Binary):
    """Base of Binomial and NegativeBinomial, which have `total_count` besides the probability."""

    _parameters = {"total_count": 0, "probs": 0, "logits": 0}

    def _take_counted(self, total_count, probs, logits) -> None:
        one_of(probs, logits)
        if probs is not None:
            self.total_count, self.probs = broadcast_all(total_count, probs)
        else:
            self.total_count, self.logits = broadcast_all(total_count, logits)
        self.total_count = self.total_count.to(self._param.dtype)


class Binomial(_Counted):
    """The number of successes among total_count trials.

    total_count and probs (or logits) broadcast to the batch's shape. ValueError for values above total_count.

    Args:
        total_count: the number of trials. Default: 1.
        probs: the probabilities; give this or `logits`. None is the default.
        logits: the logits; give this or `probs`. None is the default.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> Binomial(2, torch.tensor(0.5)).log_prob(torch.tensor([0., 1., 2.])).exp()
    tensor([0.2500, 0.5000, 0.2500])
    """

    arg_constraints = {"total_count": constraints.nonnegative_integer, **_PROBABILITY}  # type: ignore[assignment]
    has_enumerate_support = True
    _parameters = {"total_count": 0, "probs": 0, "logits": 0}

    def __init__(
        self,
        total_count: Tensor | float = 1,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._take_counted(total_count, probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        """The integers from 0 to total_count."""
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self):
        """n p."""
        return self.total_count * self.probs

    @property
    def mode(self):
        """floor((n + 1) p), at most n."""
        return torch.minimum(((self.total_count + 1) * self.probs).floor(), self.total_count)

    @property
    def variance(self):
        """n p (1 - p)."""
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = Size(())) -> Tensor:
        """Counts in the parameter's dtype."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return torch.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """log C(n, x) + x log(p) + (n - x) log(1 - p), from the logits."""
        value = self._check(value)
        n = self.total_count
        choices = torch.lgamma(n + 1) - torch.lgamma(value + 1) - torch.lgamma(n - value + 1)
        logits = self.logits if self.logits.is_floating_point() else self.logits.to(torch.get_default_dtype())
        # nan for infinite logits, as in torch
        positive = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2
        return value * logits - n * (positive + torch.log1p(torch.exp(-abs(logits)))) + choices

    def _one_count(self, who: str) -> int:
        counts = self.total_count.detach()
        most = int(counts.max())
        if not bool((counts == most).all()):
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{who}`.")
        return most

    def entropy(self) -> Tensor:
        """Minus the sum of p log(p) over all counts."""
        self._one_count("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(torch.exp(log_prob) * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True):
        """0, 1, …, total_count."""
        n = self._one_count("enumerate_support")
        values = torch.arange(1 + n, dtype=self._param.dtype, device=self._param.device)
        return spread(values, self._batch_shape, expand)


class NegativeBinomial(_Counted):
    """The number of successes, each of probability p, before total_count failures.

    total_count and probs (or logits) broadcast to the batch's shape; probs in [0, 1), else ValueError.

    Args:
        total_count: the number of failures at which counting ends, not negative.
        probs: the probability of success, in [0, 1); give this or `logits`. None is the default.
        logits: the logits; give this or `probs`. None is the default.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> NegativeBinomial(torch.tensor(1.), torch.tensor(0.5)).log_prob(torch.tensor([0., 1.])).exp()
    tensor([0.5000, 0.2500])
    """

    arg_constraints = {  # type: ignore[assignment]
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer  # type: ignore[assignment]
    _parameters = {"total_count": 0, "probs": 0, "logits": 0}

    def __init__(
        self,
        total_count: Tensor | float,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._take_counted(total_count, probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)

    @property
    def mean(self):
        """n p / (1 - p)."""
        return self.total_count * torch.exp(self.logits)

    @property
    def mode(self):
        """floor((n - 1) p / (1 - p)), at least 0."""
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self):
        """mean / (1 - p)."""
        return self.mean / torch.sigmoid(-self.logits)

    def sample(self, sample_shape: Any = Size(())) -> Tensor:
        """Poisson draws whose rates are gamma draws."""
        with no_grad():
            rate = Gamma(self.total_count, torch.exp(-self.logits), validate_args=False).sample(sample_shape)
            return apply(OPS["_sample_poisson"], (), (rate, key_tensor()))

    def log_prob(self, value: Tensor) -> Tensor:
        """log C(n + x - 1, x) + n log(1 - p) + x log(p)."""
        value = self._check(value)
        n = self.total_count
        weights = n * F.logsigmoid(-self.logits) + value * F.logsigmoid(self.logits)
        norm = -torch.lgamma(n + value) + torch.lgamma(1.0 + value) + torch.lgamma(n)
        return weights - torch.where(n + value == 0, 0.0, norm)


class Poisson(ExponentialFamily):
    """The Poisson distribution: rate^x exp(-rate) / x!.

    rate >= 0 of any shape, which is the batch's; else ValueError. Draws have no gradient.

    Args:
        rate: the rate, not negative.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> Poisson(torch.tensor(2.)).log_prob(torch.tensor([0., 2.])).exp()
    tensor([0.1353, 0.2707])
    """

    arg_constraints = {"rate": constraints.nonnegative}  # type: ignore[assignment]
    support = constraints.nonnegative_integer  # type: ignore[assignment]
    _parameters = {"rate": 0}

    def __init__(self, rate: Tensor | float, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    mean = property(attrgetter("rate"), doc="rate.")

    @property
    def mode(self):
        """floor(rate)."""
        return self.rate.floor()

    variance = property(attrgetter("rate"), doc="rate.")

    def sample(self, sample_shape: Any = Size(())) -> Tensor:
        """Counts in the rate's dtype."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return apply(OPS["_sample_poisson"], (), (self.rate.expand(shape), key_tensor()))

    def log_prob(self, value: Tensor) -> Tensor:
        """x log(rate) - rate - log(x!)."""
        value = self._check(value)
        rate, value = broadcast_all(self.rate, value)
        return torch.xlogy(value, rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self):
        return (torch.log(self.rate),)

    def _log_normalizer(self, x):
        return torch.exp(x)


class ContinuousBernoulli(Binary, ExponentialFamily):
    """A distribution on [0, 1] with density C(p) p^x (1 - p)^(1 - x); for p within `lims` around 1/2, Taylor series are
    used.

    probs or logits of any shape, which is the batch's.

    Args:
        probs: the probabilities; give this or `logits`. None is the default.
        logits: the logits; give this or `probs`. None is the default.
        lims: the interval around 1/2 in which Taylor series are used. Default: (0.499, 0.501).
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> ContinuousBernoulli(torch.tensor([0.5, 0.9])).mean
    tensor([0.5000, 0.6699])
    """

    arg_constraints = _PROBABILITY  # type: ignore[assignment]
    support = constraints.unit_interval  # type: ignore[assignment]
    has_rsample = True
    _mean_carrier_measure = 0  # type: ignore[assignment]
    _parameters = {"probs": 0, "logits": 0}
    _kept = ("_lims",)

    def __init__(
        self,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        one_of(probs, logits)
        if probs is not None:
            (self.probs,) = broadcast_all(probs)
            invalid = not constraints.is_satisfied(constraints.unit_interval, self.probs)
            if validate_args is not None and invalid:  # with False too, as in torch
                raise ValueError("The parameter probs has invalid values")
            self.probs = clamp_probs(self.probs)
        else:
            (self.logits,) = broadcast_all(logits)
        self._lims = lims
        super().__init__(self._param.shape, validate_args=validate_args)

    @lazy_property
    def probs(self):
        """The parameter p, kept a rounding error away from 0 and 1."""
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _outside(self) -> Tensor:
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut(self) -> Tensor:
        """probs, and a place where nothing cancels where they are near 1/2."""
        return torch.where(self._outside(), self.probs, self._lims[0])

    def _log_norm(self) -> Tensor:
        p = self._cut()
        low = torch.where(p <= 0.5, p, 0.0)
        high = torch.where(p >= 0.5, p, 1.0)
        width = torch.where(p <= 0.5, torch.log1p(-2.0 * low), torch.log(2.0 * high - 1.0))
        log_norm = torch.log(torch.abs(torch.log1p(-p) - torch.log(p))) - width
        x = torch.pow(self.probs - 0.5, 2)
        return torch.where(self._outside(), log_norm, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x)

    @property
    def mean(self):
        """p / (2 p - 1) + 1 / (log(1 - p) - log(p))."""
        p = self._cut()
        mean = p / (2.0 * p - 1.0) + 1.0 / (torch.log1p(-p) - torch.log(p))
        x = self.probs - 0.5
        return torch.where(self._outside(), mean, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * torch.pow(x, 2)) * x)

    @property
    def stddev(self):
        """The square root of the variance."""
        return torch.sqrt(self.variance)

    @property
    def variance(self):
        """p (p - 1) / (1 - 2 p)^2 + 1 / (log(1 - p) - log(p))^2."""
        p = self._cut()
        variance = p * (p - 1.0) / torch.pow(1.0 - 2.0 * p, 2) + 1.0 / torch.pow(
            torch.log1p(-p) - torch.log(p), 2
        )
        x = torch.pow(self.probs - 0.5, 2)
        return torch.where(self._outside(), variance, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    def rsample(self, sample_shape: Any = Size(())) -> Tensor:
        """By inverting the distribution function."""
        shape = self._extended_shape(sample_shape)
        return self.icdf(torch.rand(shape, dtype=self.probs.dtype, device=self.probs.device))

    def log_prob(self, value: Tensor) -> Tensor:
        """x log(p) + (1 - x) log(1 - p) + log C(p)."""
        value = self._check(value)
        logits, value = broadcast_all(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none") + self._log_norm()

    def cdf(self, value: Tensor) -> Tensor:
        """(p^x (1 - p)^(1 - x) + p - 1) / (2 p - 1)."""
        value = self._check(value)
        p = self._cut()
        found = (torch.pow(p, value) * torch.pow(1.0 - p, 1.0 - value) + p - 1.0) / (2.0 * p - 1.0)
        inside = torch.where(self._outside(), found, value)
        return torch.where(value <= 0.0, 0.0, torch.where(value >= 1.0, 1.0, inside))

    def icdf(self, value: Tensor) -> Tensor:
        """(log(1 - p + q (2 p - 1)) - log(1 - p)) / (log(p) - log(1 - p))."""
        p = self._cut()
        found = (torch.log1p(-p + value * (2.0 * p - 1.0)) - torch.log1p(-p)) / (
            torch.log(p) - torch.log1p(-p)
        )
        return torch.where(self._outside(), found, value)

    def entropy(self) -> Tensor:
        """mean (log(1 - p) - log(p)) - log C(p) - log(1 - p)."""
        log0, log1 = torch.log1p(-self.probs), torch.log(self.probs)
        return self.mean * (log0 - log1) - self._log_norm() - log0

    @property
    def _natural_params(self):
        return (self.logits,)

    def _log_normalizer(self, x):
        outside = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        cut = torch.where(outside, x, self._lims[0] - 0.5)
        log_norm = torch.log(torch.abs(torch.expm1(cut))) - torch.log(torch.abs(cut))
        return torch.where(outside, log_norm, 0.5 * x + torch.pow(x, 2) / 24.0 - torch.pow(x, 4) / 2880.0)
