"""TransformedDistribution, and the families made with it: LogNormal, HalfNormal, HalfCauchy, Gumbel, Weibull, Pareto,
and more.

Formulas: Johnson, Kotz & Balakrishnan, "Continuous univariate distributions", chapters 14, 20–22; Jones 2009
(Kumaraswamy).
"""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Any

from .._core.api import Size, Tensor, dtypes
from .._core.api import functions as torch
from ..autograd.grad_mode import no_grad
from . import constraints
from .distribution import Distribution, Independent
from .gammas import Exponential, Gamma
from .location_scale import Cauchy, Normal, Uniform
from .transforms import (
    AbsTransform,
    AffineTransform,
    ComposeTransform,
    ExpTransform,
    PowerTransform,
    Transform,
)
from .transforms_of_events import StickBreakingTransform
from .utils import broadcast_all, euler_constant, sum_rightmost

__all__ = [
    "Gumbel", "HalfCauchy", "HalfNormal", "InverseGamma", "Kumaraswamy", "LogNormal", "LogisticNormal", "Pareto",
    "TransformedDistribution", "Weibull",
]  # fmt: skip


class TransformedDistribution(Distribution):
    """The distribution of f(X): X of a base distribution, f one or several transforms.

    Args:
        base_distribution: the distribution of X.
        transforms: a transform, or a list of them, applied in order.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> TransformedDistribution(Normal(0., 1.), ExpTransform()).log_prob(torch.tensor(1.))
    tensor(-0.9189)
    """

    arg_constraints = {}  # type: ignore[assignment]
    _parameters = {}

    def __init__(self, base_distribution, transforms, validate_args=None) -> None:
        if isinstance(transforms, Transform):
            self.transforms = [transforms]
        elif isinstance(transforms, list):
            if not all(isinstance(t, Transform) for t in transforms):
                raise ValueError("transforms must be a Transform or a list of Transforms")
            self.transforms = transforms
        else:
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        shape = base_distribution.batch_shape + base_distribution.event_shape
        transform = ComposeTransform(self.transforms)
        event_dim = transform.domain.event_dim
        if len(shape) < event_dim:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {event_dim}, but got {shape}."
            )
        forward = transform.forward_shape(shape)
        grown = Size(transform.inverse_shape(forward))
        if shape != grown:
            base_distribution = base_distribution.expand(
                grown[: len(grown) - len(base_distribution.event_shape)]
            )
        more = event_dim - len(base_distribution.event_shape)
        self.base_dist = Independent(base_distribution, more) if more > 0 else base_distribution
        change = transform.codomain.event_dim - event_dim
        dims = max(transform.codomain.event_dim, len(self.base_dist.event_shape) + change)
        at = len(forward) - dims
        super().__init__(Size(forward[:at]), Size(forward[at:]), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """The distribution with its batch shape expanded."""
        owner = next(
            c for c in type(self).__mro__ if "__init__" in c.__dict__ and "_parameters" in c.__dict__
        )
        new = self._get_checked_instance(owner, _instance)
        shape = Size(batch_shape) + self.event_shape
        for t in reversed(self.transforms):
            shape = t.inverse_shape(shape)
        new.transforms = self.transforms
        new.base_dist = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        self._expand_into(new, Size(batch_shape))
        return new

    @constraints.dependent_property(is_discrete=False)
    def support(self):
        """The last transform's codomain."""
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        more = len(self.event_shape) - support.event_dim
        return constraints.independent(support, more) if more > 0 else support

    has_rsample = property(attrgetter("base_dist.has_rsample"), doc="As the base distribution.")  # type: ignore[override]

    def sample(self, sample_shape: Any = Size(())) -> Tensor:
        """Transformed draws of the base distribution."""
        with no_grad():
            x = self.base_dist.sample(sample_shape)
            for transform in self.transforms:
                x = transform(x)
            return x

    def rsample(self, sample_shape: Any = Size(())) -> Tensor:
        """Transformed reparameterized draws of the base distribution."""
        x = self.base_dist.rsample(sample_shape)
        for transform in self.transforms:
            x = transform(x)
        return x

    def log_prob(self, value: Tensor) -> Tensor:
        """The base distribution's at the inverse, minus the log determinants of the Jacobians."""
        value = self._check(value)
        event_dim = len(self.event_shape)
        log_prob, y = 0.0, value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            event_dim += transform.domain.event_dim - transform.codomain.event_dim
            term = transform.log_abs_det_jacobian(x, y)
            log_prob = log_prob - sum_rightmost(term, event_dim - transform.domain.event_dim)
            y = x
        return log_prob + sum_rightmost(
            self.base_dist.log_prob(y), event_dim - len(self.base_dist.event_shape)
        )

    def _monotonize_cdf(self, value):
        """Turned around where the transforms fall."""
        sign = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        if isinstance(sign, int) and sign == 1:
            return value
        return sign * (value - 0.5) + 0.5

    def cdf(self, value: Tensor) -> Tensor:
        """The base distribution's at the inverse."""
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self._validate_args:
            value = self.base_dist._validate_sample(value)
        return self._monotonize_cdf(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        """The base distribution's, transformed."""
        value = self.base_dist.icdf(self._monotonize_cdf(value))
        for transform in self.transforms:
            value = transform(value)
        return value


class LogNormal(TransformedDistribution):
    """The distribution of exp(X), X normal.

    loc and scale > 0 broadcast to the batch's shape; else ValueError.

    Args:
        loc: the mean of the logarithm.
        scale: the standard deviation of the logarithm, positive.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> LogNormal(torch.tensor(0.), torch.tensor(1.)).mean
    tensor(1.6487)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}  # type: ignore[assignment]
    support = constraints.positive  # type: ignore[assignment]
    has_rsample = True  # type: ignore[assignment]
    _parameters = {}

    def __init__(self, loc, scale, validate_args=None) -> None:
        super().__init__(
            Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args
        )

    loc = property(attrgetter("base_dist.loc"), doc="The mean of the logarithm.")
    scale = property(attrgetter("base_dist.scale"), doc="The standard deviation of the logarithm.")

    @property
    def mean(self):
        """exp(loc + scale^2 / 2)."""
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self):
        """exp(loc - scale^2)."""
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self):
        """(exp(scale^2) - 1) exp(2 loc + scale^2)."""
        square = self.scale.pow(2)
        return square.expm1() * (2 * self.loc + square).exp()

    def entropy(self) -> Tensor:
        """The entropy of the normal distribution + loc."""
        return self.base_dist.entropy() + self.loc


class LogisticNormal(TransformedDistribution):
    """Normal vectors taken to the simplex by stick breaking.

    loc and scale (…, n): events of shape (n + 1,), which sum to 1.

    Args:
        loc: the means of the normal vectors.
        scale: the standard deviations of the normal vectors, positive.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> LogisticNormal(torch.zeros(2), torch.ones(2)).sample().shape
    torch.Size([3])
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}  # type: ignore[assignment]
    support = constraints.simplex  # type: ignore[assignment]
    has_rsample = True  # type: ignore[assignment]
    _parameters = {}

    def __init__(self, loc, scale, validate_args=None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    loc = property(attrgetter("base_dist.base_dist.loc"), doc="The base distribution's.")
    scale = property(attrgetter("base_dist.base_dist.scale"), doc="The base distribution's.")


class _Half(TransformedDistribution):
    """Base of HalfNormal and HalfCauchy: |X|, X symmetric around 0."""

    _parameters = {}

    scale = property(attrgetter("base_dist.scale"), doc="The base distribution's.")

    @property
    def mode(self):
        """0."""
        return torch.zeros_like(self.scale)

    def log_prob(self, value: Tensor) -> Tensor:
        """The base distribution's + log(2); -inf below 0."""
        value = self._check(value)
        return torch.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def cdf(self, value: Tensor) -> Tensor:
        """2 times the base distribution's - 1."""
        value = self._check(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob):
        """The base distribution's at (p + 1) / 2."""
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self) -> Tensor:
        """The base distribution's - log(2)."""
        return self.base_dist.entropy() - math.log(2)


class HalfNormal(_Half):
    """The distribution of |X|, X normal of mean 0.

    scale > 0 of any shape, which is the batch's; else ValueError.

    Args:
        scale: the scale, positive.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> HalfNormal(torch.tensor(1.)).mean
    tensor(0.7979)
    """

    arg_constraints = {"scale": constraints.positive}  # type: ignore[assignment]
    support = constraints.nonnegative  # type: ignore[assignment]
    has_rsample = True  # type: ignore[assignment]
    _parameters = {}

    def __init__(self, scale, validate_args=None) -> None:
        super().__init__(Normal(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def mean(self):
        """scale sqrt(2 / pi)."""
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self):
        """scale^2 (1 - 2 / pi)."""
        return self.scale.pow(2) * (1 - 2 / math.pi)


class HalfCauchy(_Half):
    """The distribution of |X|, X Cauchy around 0.

    scale > 0 of any shape, which is the batch's; else ValueError.

    Args:
        scale: the scale, positive.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> HalfCauchy(torch.tensor(1.)).cdf(torch.tensor(1.))
    tensor(0.5000)
    """

    arg_constraints = {"scale": constraints.positive}  # type: ignore[assignment]
    support = constraints.nonnegative  # type: ignore[assignment]
    has_rsample = True  # type: ignore[assignment]
    _parameters = {}

    def __init__(self, scale, validate_args=None) -> None:
        super().__init__(Cauchy(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    def log_prob(self, value: Tensor) -> Tensor:
        """The base distribution's + log(2); -inf below 0; of the value in the scale's dtype, as in torch."""
        value = self._check(value)
        return super().log_prob(torch.as_tensor(value, dtype=self.scale.dtype))

    @property
    def mean(self):
        """inf."""
        return torch.full_like(self.scale, math.inf).expand(self._extended_shape())

    variance = property(attrgetter("base_dist.variance"), doc="inf.")


class Gumbel(TransformedDistribution):
    """The Gumbel distribution: distribution function exp(-exp(-(x - loc) / scale)).

    loc and scale > 0 broadcast to the batch's shape; else ValueError.

    Args:
        loc: the location.
        scale: the scale, positive.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> Gumbel(torch.tensor(0.), torch.tensor(1.)).mean
    tensor(0.5772)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}  # type: ignore[assignment]
    support = constraints.real  # type: ignore[assignment]
    _parameters = {"loc": 0, "scale": 0}

    def __init__(self, loc, scale, validate_args=None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        info = dtypes.finfo(self.loc.dtype)
        low, high = torch.full_like(self.loc, info.tiny), torch.full_like(self.loc, 1 - info.eps)
        parts = [
            ExpTransform().inv,
            AffineTransform(loc=0, scale=-torch.ones_like(self.scale)),
            ExpTransform().inv,
            AffineTransform(loc=self.loc, scale=-self.scale),
        ]
        super().__init__(Uniform(low, high, validate_args=False), parts, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """The distribution with its batch shape expanded; its parameters say first whether they can be."""
        self.loc.expand(batch_shape)
        return super().expand(batch_shape, _instance)

    def log_prob(self, value: Tensor) -> Tensor:
        """y - exp(y) - log(scale), y = (loc - x) / scale."""
        value = self._check(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    @property
    def mean(self):
        """loc + scale times Euler's constant."""
        return self.loc + self.scale * euler_constant

    mode = property(attrgetter("loc"), doc="loc.")

    @property
    def stddev(self):
        """pi scale / sqrt(6)."""
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self):
        """(pi scale)^2 / 6."""
        return self.stddev.pow(2)

    def entropy(self) -> Tensor:
        """log(scale) + 1 + Euler's constant."""
        return self.scale.log() + (1 + euler_constant)


class Weibull(TransformedDistribution):
    """The Weibull distribution: distribution function 1 - exp(-(x / scale)^k), k = concentration.

    scale > 0 and concentration > 0 broadcast to the batch's shape; else ValueError.

    Args:
        scale: the scale, positive.
        concentration: the exponent k, positive.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> Weibull(torch.tensor(1.), torch.tensor(2.)).mean
    tensor(0.8862)
    """

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}  # type: ignore[assignment]
    support = constraints.positive  # type: ignore[assignment]
    _parameters = {"scale": 0, "concentration": 0, "concentration_reciprocal": 0}

    def __init__(self, scale, concentration, validate_args=None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        parts = [
            PowerTransform(exponent=self.concentration_reciprocal),
            AffineTransform(loc=0, scale=self.scale),
        ]
        base = Exponential(torch.ones_like(self.scale), validate_args=validate_args)
        super().__init__(base, parts, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """The distribution with its batch shape expanded; its parameters say first whether they can be."""
        self.scale.expand(batch_shape)
        return super().expand(batch_shape, _instance)

    @property
    def mean(self):
        """scale Gamma(1 + 1/k)."""
        return self.scale * torch.exp(torch.lgamma(1 + self.concentration_reciprocal))

    @property
    def mode(self):
        """scale ((k - 1) / k)^(1/k)."""
        k = self.concentration
        return self.scale * ((k - 1) / k) ** self.concentration_reciprocal

    @property
    def variance(self):
        """scale^2 (Gamma(1 + 2/k) - Gamma(1 + 1/k)^2)."""
        r = self.concentration_reciprocal
        return self.scale.pow(2) * (torch.exp(torch.lgamma(1 + 2 * r)) - torch.exp(2 * torch.lgamma(1 + r)))

    def entropy(self) -> Tensor:
        """Euler's constant times (1 - 1/k), + log(scale / k) + 1."""
        r = self.concentration_reciprocal
        return euler_constant * (1 - r) + torch.log(self.scale * r) + 1


class Pareto(TransformedDistribution):
    """The Pareto distribution: density alpha scale^alpha / x^(alpha + 1) from scale on.

    scale > 0 and alpha > 0 broadcast to the batch's shape; else ValueError.

    Args:
        scale: the least value, positive.
        alpha: the exponent, positive.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> Pareto(torch.tensor(1.), torch.tensor(2.)).mean
    tensor(2.)
    """

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}  # type: ignore[assignment]
    _parameters = {"scale": 0, "alpha": 0}

    def __init__(self, scale, alpha, validate_args=None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        parts = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, parts, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        """From scale on."""
        return constraints.greater_than_eq(self.scale)

    @property
    def mean(self):
        """alpha scale / (alpha - 1) where alpha > 1, else inf."""
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    mode = property(attrgetter("scale"), doc="scale.")

    @property
    def variance(self):
        """scale^2 alpha / ((alpha - 1)^2 (alpha - 2)) where alpha > 2, else inf."""
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    def entropy(self) -> Tensor:
        """log(scale / alpha) + 1 + 1/alpha."""
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


class InverseGamma(TransformedDistribution):
    """The distribution of 1 / X, X gamma distributed.

    concentration > 0 and rate > 0 broadcast to the batch's shape; else ValueError.

    Args:
        concentration: the concentration, positive.
        rate: the rate, positive.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> InverseGamma(torch.tensor(3.), torch.tensor(2.)).mean
    tensor(1.)
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}  # type: ignore[assignment]
    support = constraints.positive  # type: ignore[assignment]
    has_rsample = True  # type: ignore[assignment]
    _parameters = {}

    def __init__(self, concentration, rate, validate_args=None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        power = PowerTransform(-torch.ones((), dtype=base.rate.dtype, device=base.rate.device))
        super().__init__(base, power, validate_args=validate_args)

    concentration = property(attrgetter("base_dist.concentration"), doc="The base distribution's.")
    rate = property(attrgetter("base_dist.rate"), doc="The base distribution's.")

    @property
    def mean(self):
        """rate / (a - 1) where a > 1, else inf."""
        result = self.rate / (self.concentration - 1)
        return torch.where(self.concentration > 1, result, math.inf)

    @property
    def mode(self):
        """rate / (a + 1)."""
        return self.rate / (self.concentration + 1)

    @property
    def variance(self):
        """rate^2 / ((a - 1)^2 (a - 2)) where a > 2, else inf."""
        a = self.concentration
        return torch.where(a > 2, self.rate.square() / ((a - 1).square() * (a - 2)), math.inf)

    def entropy(self) -> Tensor:
        """a + log(rate) + log Gamma(a) - (1 + a) psi(a)."""
        a = self.concentration
        return a + self.rate.log() + a.lgamma() - (1 + a) * a.digamma()


class Kumaraswamy(TransformedDistribution):
    """The Kumaraswamy distribution: distribution function 1 - (1 - x^a)^b, a = concentration1, b = concentration0.

    Both concentrations > 0, of shapes that broadcast to the batch's; else ValueError.

    Args:
        concentration1: the exponent a, positive.
        concentration0: the exponent b, positive.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> Kumaraswamy(torch.tensor(1.), torch.tensor(1.)).mean
    tensor(0.5000)
    """

    arg_constraints = {  # type: ignore[assignment]
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval  # type: ignore[assignment]
    has_rsample = True  # type: ignore[assignment]
    _parameters = {"concentration1": 0, "concentration0": 0}

    def __init__(self, concentration1, concentration0, validate_args=None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        base = Uniform(
            torch.full_like(self.concentration0, 0),
            torch.full_like(self.concentration0, 1),
            validate_args=False,
        )
        parts = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        super().__init__(base, parts, validate_args=validate_args)

    def _moment(self, n: int):
        a, b = self.concentration1, self.concentration0
        arg = 1 + n / a
        return b * torch.exp(torch.lgamma(arg) + torch.lgamma(b) - torch.lgamma(arg + b))

    @property
    def mean(self):
        """b B(1 + 1/a, b)."""
        return self._moment(1)

    @property
    def mode(self):
        """((a - 1) / (a b - 1))^(1/a) where a >= 1 and b >= 1 (and not both are 1), else nan.

        (PyTorch's is nan everywhere.)"""
        a, b = self.concentration1, self.concentration0
        mode = ((a - 1) / (a * b - 1)).pow(1 / a)
        return torch.where((a < 1) | (b < 1), math.nan, mode)

    @property
    def variance(self):
        """The second moment minus the squared mean."""
        return self._moment(2) - torch.pow(self.mean, 2)

    def entropy(self) -> Tensor:
        """(1 - 1/b) + (1 - 1/a) H(b) - log(a b), H(b) the harmonic number."""
        a, b = self.concentration1, self.concentration0
        harmonic = torch.digamma(b + 1) + euler_constant
        return (1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic - torch.log(a) - torch.log(b)
