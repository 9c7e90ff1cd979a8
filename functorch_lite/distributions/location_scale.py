"""Families given by a location and a scale: Normal, Laplace, Cauchy, StudentT, Uniform, GeneralizedPareto.

Formulas: Johnson, Kotz & Balakrishnan, "Continuous univariate distributions", 2nd edition, chapters 13, 16, 20, 24, 26
and 28.
"""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Any

from .._core.api import Size, Tensor, dtypes
from .._core.api import functions as torch
from . import constraints
from .distribution import Distribution, ExponentialFamily
from .gammas import Chi2
from .utils import broadcast_all, readable, standard_normal

__all__ = ["Cauchy", "GeneralizedPareto", "Laplace", "Normal", "StudentT", "Uniform"]


class Normal(ExponentialFamily):
    """The normal distribution: density exp(-z^2 / 2) / (scale sqrt(2 pi)), z = (x - loc) / scale.

    Args:
        loc: the mean.
        scale: the standard deviation, positive.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> Normal(0., 1.).log_prob(torch.tensor(0.))
    tensor(-0.9189)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}  # type: ignore[assignment]
    support = constraints.real  # type: ignore[assignment]
    has_rsample = True
    _mean_carrier_measure = 0  # type: ignore[assignment]
    _parameters = {"loc": 0, "scale": 0}

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)

    mean = property(attrgetter("loc"), doc="loc.")
    mode = property(attrgetter("loc"), doc="loc.")

    stddev = property(attrgetter("scale"), doc="scale.")

    @property
    def variance(self):
        """scale squared."""
        return self.scale.pow(2)

    def rsample(self, sample_shape: Any = Size(())) -> Tensor:
        """loc + scale times standard normal draws."""
        return self.loc + standard_normal(self._extended_shape(sample_shape), self.loc) * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        """-z^2 / 2 - log(scale) - log(2 pi) / 2."""
        value = self._check(value)
        variance = self.scale * self.scale
        distance = value - self.loc
        return -(distance * distance) / (2 * variance) - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Tensor) -> Tensor:
        """(1 + erf(z / sqrt(2))) / 2."""
        value = self._check(value)
        return 0.5 * (1 + torch.erf((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))

    def icdf(self, value: Tensor) -> Tensor:
        """loc + scale sqrt(2) erfinv(2 p - 1)."""
        return self.loc + self.scale * torch.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Tensor:
        """1/2 + log(2 pi) / 2 + log(scale)."""
        return 0.5 + 0.5 * math.log(2 * math.pi) + torch.log(self.scale)

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        variance = self.scale * self.scale
        return self.loc / variance, -0.5 * variance.reciprocal()

    def _log_normalizer(self, x, y):
        return -0.25 * x * x / y + 0.5 * torch.log(-math.pi / y)


class Laplace(Distribution):
    """The Laplace distribution: density exp(-|x - loc| / scale) / (2 scale).

    loc and scale > 0 broadcast to the batch's shape; else ValueError.

    Args:
        loc: the location.
        scale: the scale, positive.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> Laplace(torch.tensor(0.), torch.tensor(1.)).log_prob(torch.tensor([0., 1.]))
    tensor([-0.6931, -1.6931])
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}  # type: ignore[assignment]
    support = constraints.real  # type: ignore[assignment]
    has_rsample = True
    _parameters = {"loc": 0, "scale": 0}

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)

    mean = property(attrgetter("loc"), doc="loc.")
    mode = property(attrgetter("loc"), doc="loc.")

    @property
    def variance(self):
        """2 scale^2."""
        return 2 * self.scale.pow(2)

    @property
    def stddev(self):
        """sqrt(2) scale."""
        return math.sqrt(2) * self.scale

    def rsample(self, sample_shape: Any = Size(())) -> Tensor:
        """By inverting the distribution function at uniform draws in (-1, 1)."""
        shape, kind = self._extended_shape(sample_shape), self.loc.dtype
        limits = dtypes.finfo(kind)
        u = torch.rand(shape, dtype=kind, device=self.loc.device) * 2 - 1
        u = u.clamp(min=limits.eps - 1)
        return self.loc - self.scale * u.sign() * torch.log1p(-u.abs().clamp(min=limits.tiny))

    def log_prob(self, value: Tensor) -> Tensor:
        """-|x - loc| / scale - log(2 scale)."""
        value = self._check(value)
        return -torch.log(2 * self.scale) - torch.abs(value - self.loc) / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        """1/2 + sign(z) (1 - exp(-|z|)) / 2."""
        value = self._check(value)
        distance = value - self.loc
        return 0.5 - 0.5 * distance.sign() * torch.expm1(-distance.abs() / self.scale)

    def icdf(self, value: Tensor) -> Tensor:
        """loc - scale sign(p - 1/2) log(1 - 2 |p - 1/2|)."""
        term = value - 0.5
        return self.loc - self.scale * term.sign() * torch.log1p(-2 * term.abs())

    def entropy(self) -> Tensor:
        """1 + log(2 scale)."""
        return 1 + torch.log(2 * self.scale)


class Cauchy(Distribution):
    """The Cauchy distribution: density 1 / (pi scale (1 + z^2)); it has no mean and no variance (nan, inf).

    loc and scale > 0 broadcast to the batch's shape; else ValueError.

    Args:
        loc: the location.
        scale: the scale, positive.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> Cauchy(torch.tensor(0.), torch.tensor(1.)).cdf(torch.tensor([0., 1.]))
    tensor([0.5000, 0.7500])
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}  # type: ignore[assignment]
    support = constraints.real  # type: ignore[assignment]
    has_rsample = True
    _parameters = {"loc": 0, "scale": 0}

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def mean(self):
        """nan."""
        return torch.full(self._extended_shape(), math.nan, dtype=self.loc.dtype, device=self.loc.device)

    mode = property(attrgetter("loc"), doc="loc.")

    @property
    def variance(self):
        """inf."""
        return torch.full(self._extended_shape(), math.inf, dtype=self.loc.dtype, device=self.loc.device)

    def rsample(self, sample_shape: Any = Size(())) -> Tensor:
        """By inverting the distribution function."""
        shape = self._extended_shape(sample_shape)
        drawn = torch.empty(shape, dtype=self.loc.dtype, device=self.loc.device).cauchy_()
        return self.loc + drawn * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        """-log(pi) - log(scale) - log(1 + z^2)."""
        value = self._check(value)
        z = (value - self.loc) / self.scale
        return -math.log(math.pi) - self.scale.log() - (z * z).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        """atan(z) / pi + 1/2."""
        value = self._check(value)
        return torch.atan((value - self.loc) / self.scale) / math.pi + 0.5

    def icdf(self, value: Tensor) -> Tensor:
        """loc + scale tan(pi (p - 1/2))."""
        return torch.tan(math.pi * (value - 0.5)) * self.scale + self.loc

    def entropy(self) -> Tensor:
        """log(4 pi) + log(scale)."""
        return math.log(4 * math.pi) + self.scale.log()


class StudentT(Distribution):
    """Student's t-distribution with df degrees of freedom, shifted by loc and scaled by scale.

    df > 0, loc and scale > 0 broadcast to the batch's shape; else ValueError.

    Args:
        df: the degrees of freedom, positive.
        loc: the location. Default: 0.0.
        scale: the scale, positive. Default: 1.0.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> StudentT(torch.tensor(3.)).variance
    tensor(3.)
    """

    arg_constraints = {  # type: ignore[assignment]
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real  # type: ignore[assignment]
    has_rsample = True
    _parameters = {"df": 0, "loc": 0, "scale": 0}

    def __init__(
        self,
        df: Tensor | float,
        loc: Tensor | float = 0.0,
        scale: Tensor | float = 1.0,
        validate_args: bool | None = None,
    ) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        super().__init__(self.df.shape, validate_args=validate_args)

    @property
    def mean(self):
        """loc where df > 1, else nan."""
        return torch.where(self.df > 1, self.loc, math.nan)

    mode = property(attrgetter("loc"), doc="loc.")

    @property
    def variance(self):
        """scale^2 df / (df - 2) where df > 2; inf where df > 1; else nan."""
        safe = torch.where(self.df > 2, self.df, 3.0)
        finite = (self.scale.pow(2) * safe / (safe - 2)).to(self.df.dtype)
        return torch.where(
            self.df > 2, finite, torch.where(self.df > 1, math.inf, math.nan).to(self.df.dtype)
        )

    def rsample(self, sample_shape: Any = Size(())) -> Tensor:
        """loc + scale times normal draws over sqrt(chi-squared draws / df)."""
        shape = self._extended_shape(sample_shape)
        x = standard_normal(shape, self.df)
        z = Chi2(self.df, validate_args=False).rsample(sample_shape)
        return self.loc + self.scale * (x * torch.rsqrt(z / self.df))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of Gamma((df+1)/2) / (Gamma(df/2) sqrt(pi df) scale) (1 + z^2 / df)^(-(df+1)/2)."""
        value = self._check(value)
        y = (value - self.loc) / self.scale
        norm = (
            self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi)
            + torch.lgamma(0.5 * self.df) - torch.lgamma(0.5 * (self.df + 1.0))
        )  # fmt: skip
        return -0.5 * (self.df + 1.0) * torch.log1p(y * y / self.df) - norm

    def entropy(self) -> Tensor:
        """log(scale) + (df+1)/2 (psi((df+1)/2) - psi(df/2)) + log(df)/2 + log B(df/2, 1/2)."""
        half, more = 0.5 * self.df, 0.5 * (self.df + 1)
        log_beta = torch.lgamma(half) + math.lgamma(0.5) - torch.lgamma(more)
        return (
            self.scale.log() + more * (torch.digamma(more) - torch.digamma(half)) + 0.5 * self.df.log() + log_beta
        )  # fmt: skip


class Uniform(Distribution):
    """The uniform distribution on [low, high).

    low < high broadcast to the batch's shape; else ValueError.

    Args:
        low: the lower end of the interval.
        high: the upper end of the interval, which is excluded.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> Uniform(torch.tensor(0.), torch.tensor(4.)).log_prob(torch.tensor(1.)).exp()
    tensor(0.2500)
    """

    has_rsample = True
    _parameters = {"low": 0, "high": 0}

    def __init__(self, low: Tensor | float, high: Tensor | float, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast_all(low, high)
        super().__init__(self.low.shape, validate_args=validate_args)

    @property
    def arg_constraints(self):  # type: ignore[override]
        """low is below high."""
        return {
            "low": constraints.less_than(_plain(self.high)),
            "high": constraints.greater_than(_plain(self.low)),
        }

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        """The interval from low to high."""
        return constraints.interval(_plain(self.low), _plain(self.high))

    @property
    def mean(self):
        """(high + low) / 2."""
        return (self.high + self.low) / 2

    @property
    def mode(self):
        """nan: no value is more likely than others."""
        return math.nan * self.high

    @property
    def stddev(self):
        """(high - low) / sqrt(12)."""
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self):
        """(high - low)^2 / 12."""
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape: Any = Size(())) -> Tensor:
        """low + (high - low) times uniform draws."""
        shape = self._extended_shape(sample_shape)
        u = torch.rand(shape, dtype=self.low.dtype, device=self.low.device)
        return self.low + u * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        """-log(high - low) inside, -inf outside."""
        value = self._check(value)
        inside = ((self.low <= value) & (self.high > value)).to(self.low.dtype)
        return torch.log(inside) - torch.log(self.high - self.low)

    def cdf(self, value: Tensor) -> Tensor:
        """(x - low) / (high - low), in [0, 1]."""
        value = self._check(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Tensor) -> Tensor:
        """low + p (high - low)."""
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        """log(high - low)."""
        return torch.log(self.high - self.low)


def _plain(bound: Tensor):
    """A 0-d bound as a number where it may be read, so that it prints as one."""
    return bound.item() if bound.ndim == 0 and readable() else bound


class GeneralizedPareto(Distribution):
    """The generalized Pareto distribution: survival (1 + c z)^(-1/c), z = (x - loc) / scale; exp(-z) where c = 0.

    Source: Hosking & Wallis 1987, "Parameter and quantile estimation for the generalized Pareto distribution".

    loc, scale > 0 and concentration broadcast to the batch's shape; else ValueError.

    Args:
        loc: the location.
        scale: the scale, positive.
        concentration: the shape c, a real number.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> GeneralizedPareto(torch.tensor(0.), torch.tensor(1.), torch.tensor(0.)).cdf(torch.tensor(1.))
    tensor(0.6321)
    """

    arg_constraints = {  # type: ignore[assignment]
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True
    _parameters = {"loc": 0, "scale": 0, "concentration": 0}

    def __init__(
        self,
        loc: Tensor | float,
        scale: Tensor | float,
        concentration: Tensor | float,
        validate_args: bool | None = None,
    ) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        """From loc on; up to loc - scale / c where c < 0."""
        upper = torch.where(self.concentration < 0, self.loc - self.scale / self.concentration, math.inf)
        return constraints.interval(self.loc, upper)

    def _split(self):
        """Where c counts as 0, and c with 1 in these places."""
        small = torch.isclose(self.concentration, torch.zeros_like(self.concentration))
        return small, torch.where(small, torch.ones_like(self.concentration), self.concentration)

    def rsample(self, sample_shape: Any = Size(())) -> Tensor:
        """By inverting the distribution function."""
        shape = self._extended_shape(sample_shape)
        return self.icdf(torch.rand(shape, dtype=self.loc.dtype, device=self.loc.device))

    def log_prob(self, value: Tensor) -> Tensor:
        """-log(scale) - (1 + 1/c) log(1 + c z)."""
        value = self._check(value)
        z = (value - self.loc) / self.scale
        small, c = self._split()
        factor = 1 + 1 / c
        slope = torch.where(
            factor == 0, factor, factor * torch.log1p(c * z)
        )  # of a uniform one, beyond its end too
        return -torch.where(small, z, slope) - self.scale.log()

    def log_survival_function(self, value):
        """The logarithm of the probability to be above value."""
        value = self._check(value)
        z = (value - self.loc) / self.scale
        small, c = self._split()
        return -torch.where(small, z, torch.log1p(c * z) / c)

    def log_cdf(self, value):
        """The logarithm of the distribution function."""
        return torch.log1p(-torch.exp(self.log_survival_function(value)))

    def cdf(self, value: Tensor) -> Tensor:
        """1 - survival."""
        return torch.exp(self.log_cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        """loc + scale ((1 - p)^-c - 1) / c."""
        small, c = self._split()
        logs = torch.log1p(-value)
        return self.loc + self.scale * torch.where(small, -logs, torch.expm1(-c * logs) / c)

    @property
    def mean(self):
        """loc + scale / (1 - c) where c < 1, else nan."""
        finite = self.concentration < 1
        safe = torch.where(finite, self.concentration, 0.5)
        return torch.where(finite, self.loc + self.scale / (1 - safe), math.nan)

    @property
    def variance(self):
        """scale^2 / ((1 - c)^2 (1 - 2 c)) where c < 1/2, else nan."""
        finite = self.concentration < 0.5
        safe = torch.where(finite, self.concentration, 0.25)
        return torch.where(finite, self.scale**2 / ((1 - safe) ** 2 * (1 - 2 * safe)), math.nan)

    mode = property(attrgetter("loc"), doc="loc.")

    def entropy(self) -> Tensor:
        """log(scale) + c + 1."""
        return torch.log(self.scale) + self.concentration + 1
