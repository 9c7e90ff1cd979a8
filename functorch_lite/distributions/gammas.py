"""Families made of gamma functions: Gamma, Exponential, Chi2, Beta, Dirichlet, FisherSnedecor, VonMises.

Formulas: Johnson, Kotz & Balakrishnan, "Continuous univariate distributions", 2nd edition, chapters 17–19, 25, 27; Kotz
et al., "Continuous multivariate distributions", chapter 49; Mardia & Jupp, "Directional statistics", 3.5.
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
from .utils import broadcast_all, lazy_property, special

__all__ = ["Beta", "Chi2", "Dirichlet", "Exponential", "FisherSnedecor", "Gamma", "VonMises"]


def draw_gamma(concentration: Tensor, shape) -> Tensor:
    """Gamma draws of rate 1 and this shape, with implicit gradients for the concentration."""
    return torch._standard_gamma(concentration.expand(shape))


class Gamma(ExponentialFamily):
    """The gamma distribution: density rate^a x^(a-1) exp(-rate x) / Gamma(a), a = concentration.

    Args:
        concentration: the concentration, positive.
        rate: the rate, positive.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> Gamma(1., 1.).log_prob(torch.tensor(2.))
    tensor(-2.)
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}  # type: ignore[assignment]
    support = constraints.nonnegative  # type: ignore[assignment]
    has_rsample = True
    _mean_carrier_measure = 0  # type: ignore[assignment]
    _parameters = {"concentration": 0, "rate": 0}

    def __init__(
        self, concentration: Tensor | float, rate: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.shape, validate_args=validate_args)

    @property
    def mean(self):
        """a / rate."""
        return self.concentration / self.rate

    @property
    def mode(self):
        """(a - 1) / rate, at least 0."""
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self):
        """a / rate^2."""
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Any = Size(())) -> Tensor:
        """Draws with implicit gradients for the concentration."""
        drawn = draw_gamma(self.concentration, self._extended_shape(sample_shape)) / self.rate
        return drawn.clamp(min=torch.finfo(drawn.dtype).tiny)

    def log_prob(self, value: Tensor) -> Tensor:
        """a log(rate) + (a - 1) log(x) - rate x - log Gamma(a)."""
        a, rate = self.concentration, self.rate
        value = torch.as_tensor(value, dtype=rate.dtype, device=rate.device)
        value = self._check(value)
        return torch.xlogy(a, rate) + torch.xlogy(a - 1, value) - rate * value - torch.lgamma(a)

    def cdf(self, value: Tensor) -> Tensor:
        """The regularized lower incomplete gamma function at rate x."""
        value = self._check(value)
        return torch.igamma(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        """a - log(rate) + log Gamma(a) + (1 - a) psi(a)."""
        a = self.concentration
        return a - torch.log(self.rate) + torch.lgamma(a) + (1.0 - a) * torch.digamma(a)

    @property
    def _natural_params(self):
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x, y):
        return torch.lgamma(x + 1) + (x + 1) * torch.log(-y.reciprocal())


class Chi2(Gamma):
    """The chi-squared distribution with df degrees of freedom: Gamma(df / 2, 1/2).

    df > 0 of any shape, which is the batch's; else ValueError.

    Args:
        df: the degrees of freedom, positive.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> Chi2(torch.tensor(2.)).mean
    tensor(2.)
    """

    arg_constraints = {"df": constraints.positive}  # type: ignore[assignment]

    def __init__(self, df: Tensor | float, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """The distribution with its batch shape expanded."""
        return super().expand(batch_shape, self._get_checked_instance(Chi2, _instance))

    @property
    def df(self):
        """The degrees of freedom."""
        return self.concentration * 2


class Exponential(ExponentialFamily):
    """The exponential distribution: density rate exp(-rate x).

    rate > 0 of any shape, which is the batch's; else ValueError.

    Args:
        rate: the rate, positive.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> Exponential(torch.tensor(2.)).log_prob(torch.tensor([0., 1.]))
    tensor([ 0.6931, -1.3069])
    """

    arg_constraints = {"rate": constraints.positive}  # type: ignore[assignment]
    support = constraints.nonnegative  # type: ignore[assignment]
    has_rsample = True
    _mean_carrier_measure = 0  # type: ignore[assignment]
    _parameters = {"rate": 0}

    def __init__(self, rate: Tensor | float, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    @property
    def mean(self):
        """1 / rate."""
        return self.rate.reciprocal()

    @property
    def mode(self):
        """0."""
        return torch.zeros_like(self.rate)

    @property
    def stddev(self):
        """1 / rate."""
        return self.rate.reciprocal()

    @property
    def variance(self):
        """1 / rate^2."""
        return self.rate.pow(-2)

    def rsample(self, sample_shape: Any = Size(())) -> Tensor:
        """Standard exponential draws over the rate."""
        size = self._extended_shape(sample_shape)
        return torch.empty(size, dtype=self.rate.dtype, device=self.rate.device).exponential_() / self.rate

    def log_prob(self, value: Tensor) -> Tensor:
        """log(rate) - rate x."""
        value = self._check(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value: Tensor) -> Tensor:
        """1 - exp(-rate x)."""
        value = self._check(value)
        return 1 - torch.exp(-self.rate * value)

    def icdf(self, value: Tensor) -> Tensor:
        """-log(1 - p) / rate."""
        return -torch.log1p(-value) / self.rate

    def entropy(self) -> Tensor:
        """1 - log(rate)."""
        return 1.0 - torch.log(self.rate)

    @property
    def _natural_params(self):
        return (-self.rate,)

    def _log_normalizer(self, x):
        return -torch.log(-x)


class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution on the simplex: density proportional to the product of x_i^(a_i - 1).

    concentration > 0 (…, K): events of shape (K,). ValueError for values that do not sum to 1.

    Args:
        concentration: the concentrations of the categories in the last dim, positive.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> Dirichlet(torch.tensor([1., 3.])).mean
    tensor([0.2500, 0.7500])
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}  # type: ignore[assignment]
    support = constraints.simplex  # type: ignore[assignment]
    has_rsample = True
    _parameters = {"concentration": 1}

    def __init__(self, concentration: Tensor | float, validate_args: bool | None = None) -> None:
        if concentration.ndim < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        shape = concentration.shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape: Any = Size(())) -> Tensor:
        """Draws with implicit gradients, as gamma draws divided by their sum."""
        a = self.concentration.expand(self._extended_shape(sample_shape))
        return torch._sample_dirichlet(a)

    def log_prob(self, value: Tensor) -> Tensor:
        """sum (a - 1) log(x) + log Gamma(sum a) - sum log Gamma(a)."""
        value = self._check(value)
        a = self.concentration
        return torch.xlogy(a - 1.0, value).sum(-1) + torch.lgamma(a.sum(-1)) - torch.lgamma(a).sum(-1)

    @property
    def mean(self):
        """a / sum a."""
        return self.concentration / self.concentration.sum(-1, keepdim=True)

    @property
    def mode(self):
        """(a - 1) / sum (a - 1) with a at least 1; where all a < 1, the corner of the largest."""
        less_one = (self.concentration - 1).clamp(min=0.0)
        mode = less_one / less_one.sum(-1, keepdim=True)
        corner = torch.zeros_like(mode).scatter(-1, mode.argmax(-1, keepdim=True), 1.0)
        return torch.where((self.concentration < 1).all(-1, keepdim=True), corner, mode)

    @property
    def variance(self):
        """a (s - a) / (s^2 (s + 1)), s = sum a."""
        a = self.concentration
        s = a.sum(-1, keepdim=True)
        return a * (s - a) / (s.pow(2) * (s + 1))

    def entropy(self) -> Tensor:
        """log B(a) + (s - k) psi(s) - sum (a - 1) psi(a)."""
        a, k = self.concentration, self.concentration.shape[-1]
        s = a.sum(-1)
        log_beta = torch.lgamma(a).sum(-1) - torch.lgamma(s)
        return log_beta - (k - s) * torch.digamma(s) - ((a - 1.0) * torch.digamma(a)).sum(-1)

    @property
    def _natural_params(self):
        return (self.concentration,)

    def _log_normalizer(self, x):
        return x.lgamma().sum(-1) - torch.lgamma(x.sum(-1))


class Beta(ExponentialFamily):
    """The beta distribution: density x^(a-1) (1-x)^(b-1) / B(a, b), a = concentration1, b = concentration0.

    Both concentrations > 0, of shapes that broadcast to the batch's; else ValueError.

    Args:
        concentration1: the exponent a, positive.
        concentration0: the exponent b, positive.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> Beta(torch.tensor(1.), torch.tensor(3.)).mean
    tensor(0.2500)
    """

    arg_constraints = {  # type: ignore[assignment]
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval  # type: ignore[assignment]
    has_rsample = True

    def __init__(
        self,
        concentration1: Tensor | float,
        concentration0: Tensor | float,
        validate_args: bool | None = None,
    ) -> None:
        both = broadcast_all(concentration1, concentration0)
        self._dirichlet = Dirichlet(torch.stack(both, -1), validate_args=validate_args)
        super().__init__(self._dirichlet.batch_shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """The distribution with its batch shape expanded."""
        new = self._get_checked_instance(Beta, _instance)
        new._dirichlet = self._dirichlet.expand(batch_shape)
        Distribution.__init__(new, batch_shape, validate_args=False)
        self._validate_like(new)
        return new

    @property
    def concentration1(self):
        """a."""
        return self._dirichlet.concentration.select(-1, 0)

    @property
    def concentration0(self):
        """b."""
        return self._dirichlet.concentration.select(-1, 1)

    @property
    def mean(self):
        """a / (a + b)."""
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self):
        """(a - 1) / (a + b - 2)."""
        return self._dirichlet.mode.select(-1, 0)

    @property
    def variance(self):
        """a b / ((a + b)^2 (a + b + 1))."""
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Any = Size(())) -> Tensor:
        """Draws with implicit gradients."""
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value: Tensor) -> Tensor:
        """The log density of the Dirichlet distribution at (x, 1 - x)."""
        value = self._check(value)
        return self._dirichlet.log_prob(torch.stack([value, 1.0 - value], -1))

    def entropy(self) -> Tensor:
        """The entropy of the Dirichlet distribution."""
        return self._dirichlet.entropy()

    @property
    def _natural_params(self):
        return self.concentration1, self.concentration0

    def _log_normalizer(self, x, y):
        return torch.lgamma(x) + torch.lgamma(y) - torch.lgamma(x + y)


class FisherSnedecor(Distribution):
    """The F-distribution with df1 and df2 degrees of freedom.

    df1, df2 > 0, of shapes that broadcast to the batch's; else ValueError.

    Args:
        df1: the degrees of freedom of the numerator, positive.
        df2: the degrees of freedom of the denominator, positive.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> FisherSnedecor(torch.tensor(4.), torch.tensor(6.)).mean
    tensor(1.5000)
    """

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}  # type: ignore[assignment]
    support = constraints.positive  # type: ignore[assignment]
    has_rsample = True
    _parameters = {"df1": 0, "df2": 0}

    def __init__(self, df1: Tensor | float, df2: Tensor | float, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        super().__init__(self.df1.shape, validate_args=validate_args)

    @property
    def mean(self):
        """df2 / (df2 - 2) where df2 > 2, else nan."""
        defined = self.df2 > 2
        safe = torch.where(defined, self.df2, 3.0)
        return torch.where(defined, safe / (safe - 2), math.nan)

    @property
    def mode(self):
        """(df1 - 2) / df1 * df2 / (df2 + 2) where df1 > 2, else nan."""
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return torch.where(self.df1 > 2, mode, math.nan)

    @property
    def variance(self):
        """2 df2^2 (df1 + df2 - 2) / (df1 (df2 - 2)^2 (df2 - 4)) where df2 > 4, else nan."""
        defined = self.df2 > 4
        b, a = torch.where(defined, self.df2, 5.0), self.df1
        return torch.where(defined, 2 * b.pow(2) * (a + b - 2) / (a * (b - 2).pow(2) * (b - 4)), math.nan)

    def rsample(self, sample_shape: Any = Size(())) -> Tensor:
        """A ratio of gamma draws."""
        shape = self._extended_shape(sample_shape)
        x1 = draw_gamma(self.df1 * 0.5, shape) / self.df1
        x2 = draw_gamma(self.df2 * 0.5, shape) / self.df2
        tiny = torch.finfo(x2.dtype).tiny
        return (x1 / x2.clamp(min=tiny)).clamp(min=tiny)

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of (df1/df2)^(df1/2) x^(df1/2-1) (1 + x df1/df2)^(-(df1+df2)/2) / B(df1/2, df2/2)."""
        value = self._check(value)
        a, b = self.df1 * 0.5, self.df2 * 0.5
        ratio = self.df1 / self.df2
        t1 = (a + b).lgamma() - a.lgamma() - b.lgamma()
        t2 = a * ratio.log() + (a - 1) * torch.log(value)
        return t1 + t2 - (a + b) * torch.log1p(ratio * value)


def log_bessel(order: int, x: Tensor) -> Tensor:
    """log I0(x) or log I1(x) for x > 0."""
    x = torch.abs(x)  # refuses bools
    scaled = special.i0e(x) if order == 0 else special.i1e(x)
    return torch.log(scaled) + x


class VonMises(Distribution):
    """The von Mises distribution on the circle: density exp(k cos(x - loc)) / (2 pi I0(k)), k = concentration.

    loc and concentration > 0 broadcast to the batch's shape. Draws are in [-pi, pi), and have no gradient.

    Args:
        loc: the angle of the mode, in radians.
        concentration: the concentration, positive.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> VonMises(torch.tensor(0.), torch.tensor(1.)).log_prob(torch.tensor(0.))
    tensor(-1.0738)
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}  # type: ignore[assignment]
    support = constraints.real  # type: ignore[assignment]
    _parameters = {"loc": 0, "concentration": 0}

    def __init__(
        self, loc: Tensor | float, concentration: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """The distribution with its batch shape expanded, which may be an int."""
        shape = self.loc.expand(batch_shape).shape  # in which no size is -1
        return super().expand(shape, _instance)

    def sample(self, sample_shape: Any = Size(())) -> Tensor:
        """By rejection, computed in float64."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            k = self.concentration.double().expand(shape)
            angles = apply(OPS["_sample_von_mises"], (), (k, key_tensor()))
            wrapped = (angles + math.pi + self.loc.double()) % (2 * math.pi) - math.pi
            return wrapped.to(self.loc.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        """k cos(x - loc) - log(2 pi) - log I0(k)."""
        value = self._check(value)
        norm = math.log(2 * math.pi) + log_bessel(0, self.concentration)
        return self.concentration * torch.cos(value - self.loc) - norm

    mean = property(attrgetter("loc"), doc="loc: the circular mean.")
    mode = property(attrgetter("loc"), doc="loc.")

    @lazy_property
    def variance(self):  # type: ignore[override]
        """The circular variance 1 - I1(k) / I0(k)."""
        return 1 - (log_bessel(1, self.concentration) - log_bessel(0, self.concentration)).exp()
