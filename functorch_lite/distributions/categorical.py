"""Families on categories: Categorical, OneHotCategorical (and straight-through), Multinomial, and the relaxed ones.

Sources: Jang, Gu & Poole 2017; Maddison, Mnih & Teh 2017, "The concrete distribution" (the relaxed ones); Bengio et
al. 2013 (straight-through gradients).
"""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Any

from .._core.api import OPS, Size, Tensor, apply, dtypes
from .._core.api import functions as torch
from ..autograd.grad_mode import no_grad
from ..random import key_tensor
from ..random.generator import exact_source
from . import constraints
from .discrete import Binary, Binomial, OfProbabilities, one_of, spread
from .distribution import Distribution
from .transformed import TransformedDistribution
from .transforms import ExpTransform, SigmoidTransform
from .utils import (
    F,
    broadcast_all,
    clamp_probs,
    lazy_property,
    logits_to_probs,
    probs_to_logits,
    uniform_open,
)

__all__ = [
    "Categorical",
]  # fmt: skip

_OF_VECTORS = {"probs": constraints.simplex, "logits": constraints.real_vector}


class Categorical(OfProbabilities):
    """Integers from 0 to K - 1 with the probabilities of the last dim: `probs` (normalised), or softmax(logits).

    Args:
        probs: the weights of the categories in the last dim, which are normalized; give this or
            `logits`. None is the default.
        logits: the unnormalized logarithms of the weights; give this or `probs`. None is the
            default.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> Categorical(torch.tensor([1., 3.])).log_prob(torch.tensor(1)).exp()
    tensor(0.7500)
    """

    arg_constraints = _OF_VECTORS  # type: ignore[assignment]
    has_enumerate_support = True
    _parameters = {"probs": 1, "logits": 1}
    _kept = ("_num_events",)

    def __init__(self, probs=None, logits=None, validate_args=None) -> None:
        one_of(probs, logits)
        if probs is not None:
            if probs.ndim < 1:
                raise ValueError("`probs` parameter must be at least one-dimensional.")
            self.probs = probs / probs.sum(-1, keepdim=True)
        else:
            if logits.ndim < 1:
                raise ValueError("`logits` parameter must be at least one-dimensional.")
            self.logits = logits - logits.logsumexp(-1, keepdim=True)
        self._num_events = self._param.shape[-1]
        super().__init__(self._param.shape[:-1], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        """The integers below K."""
        return constraints.integer_interval(0, self._num_events - 1)

    @lazy_property
    def logits(self):
        """The log probabilities."""
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self):
        """The probabilities."""
        return logits_to_probs(self.logits)

    def _nan(self) -> Tensor:
        return torch.full(self._extended_shape(), math.nan, dtype=self.probs.dtype, device=self.probs.device)

    @property
    def mean(self):
        """nan: categories are not numbers."""
        return self._nan()

    @property
    def mode(self):
        """The most likely category."""
        return self.probs.argmax(dim=-1)

    @property
    def variance(self):
        """nan: categories are not numbers."""
        return self._nan()

    def sample(self, sample_shape: Any = Size(())) -> Tensor:
        """Categories (int64)."""
        if Size(sample_shape).numel() <= 0:
            raise RuntimeError("cannot sample n_sample <= 0 samples")
        if min(sample_shape, default=0) < 0:
            raise RuntimeError(f"a shape of samples has no negative sizes, but got {tuple(sample_shape)}")
        with no_grad():
            if exact_source(None) is not None:  # PyTorch's own numbers are those of multinomial
                rows = self.probs.reshape(-1, self._num_events)
                drawn = torch.multinomial(rows, Size(sample_shape).numel(), True)
                return drawn.t().reshape(self._extended_shape(sample_shape))
            logits = torch.log(self.probs) if "probs" in self.__dict__ else self.logits
            return apply(OPS["_sample_categorical"], (tuple(Size(sample_shape)),), (logits, key_tensor()))

    def log_prob(self, value: Tensor) -> Tensor:
        """The log probability of each category in value."""
        value = self._check(value)
        index, logits = value.long().unsqueeze(-1), self.logits
        if index.shape[:-1] != logits.shape[:-1]:
            index, logits = torch.broadcast_tensors(index, logits)
            index = index[..., :1]
        return logits.gather(-1, index).squeeze(-1)

    def entropy(self) -> Tensor:
        """-sum p log(p)."""
        logits = torch.clamp(self.logits, min=dtypes.finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True):
        """0, 1, …, K - 1."""
        values = torch.arange(self._num_events, dtype=torch.long, device=self._param.device)
        return spread(values, self._batch_shape, expand)


class _OverCategorical(Distribution):
    """Base of the families that hold a Categorical as `_categorical`."""

    _categorical: Categorical

    def _expand_into(self, new, batch_shape) -> None:
        new._categorical = self._categorical.expand(batch_shape)
        super()._expand_into(new, batch_shape)

    @property
    def _param(self) -> Tensor:
        return self._categorical._param

    probs = property(attrgetter("_categorical.probs"), doc="The probabilities.")
    logits = property(attrgetter("_categorical.logits"), doc="The log probabilities.")

    param_shape = property(
        attrgetter("_categorical.param_shape"), doc="The shape of the parameter that was given."
    )


class OneHotCategorical(_OverCategorical):
    """One-hot vectors with the probabilities of the last dim.

    probs or logits (…, K): events of shape (K,), batches of what is before. ValueError where values are checked and are
    not one-hot.

    Args:
        probs: the weights of the categories in the last dim, which are normalized; give this or
            `logits`. None is the default.
        logits: the unnormalized logarithms of the weights; give this or `probs`. None is the
            default.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> OneHotCategorical(torch.tensor([1., 3.])).log_prob(torch.tensor([0., 1.])).exp()
    tensor(0.7500)
    """

    arg_constraints = _OF_VECTORS  # type: ignore[assignment]
    support = constraints.one_hot  # type: ignore[assignment]
    has_enumerate_support = True
    _parameters = {}

    def __init__(self, probs=None, logits=None, validate_args=None) -> None:
        self._categorical = Categorical(probs, logits)
        super().__init__(
            self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args
        )

    mean = property(attrgetter("_categorical.probs"), doc="probs.")

    @property
    def mode(self):
        """The most likely category, one-hot."""
        return F.one_hot(self._categorical.mode, self._event_shape[-1]).to(self.probs.dtype)

    @property
    def variance(self):
        """p (1 - p)."""
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = Size(())) -> Tensor:
        """One-hot vectors in the parameter's dtype."""
        indices = self._categorical.sample(sample_shape)
        return F.one_hot(indices, self._event_shape[-1]).to(self.probs.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        """The log probability of the entry that is 1."""
        value = self._check(value)
        return self._categorical.log_prob(value.max(-1).indices)

    def entropy(self) -> Tensor:
        """The entropy of the Categorical."""
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True):
        """The unit vectors."""
        n = self._event_shape[0]
        values = torch.eye(n, dtype=self._param.dtype, device=self._param.device)
        values = values.reshape((n,) + (1,) * len(self._batch_shape) + (n,))
        return values.expand((n,) + self._batch_shape + (n,)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """OneHotCategorical whose draws have the gradient of `probs`: a biased estimator.

    probs or logits (…, K): events of shape (K,).

    Args:
        probs: the weights of the categories in the last dim, which are normalized; give this or
            `logits`. None is the default.
        logits: the unnormalized logarithms of the weights; give this or `probs`. None is the
            default.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> probs = torch.tensor([0.25, 0.75], requires_grad=True)
    >>> (OneHotCategoricalStraightThrough(probs).rsample() * torch.tensor([1., 2.])).sum().backward()
    >>> probs.grad is not None
    True
    """

    has_rsample = True

    def rsample(self, sample_shape: Any = Size(())) -> Tensor:
        """Draws with the gradient of the probabilities."""
        return self.sample(sample_shape) + (self.probs - self.probs.detach())


class Multinomial(_OverCategorical):
    """Counts of the categories among total_count draws.

    probs or logits (…, K), total_count an int: events of shape (K,), floats that are whole. ValueError for values that
    sum to more than total_count.

    Args:
        total_count: the number of draws, an int. Default: 1.
        probs: the weights of the categories in the last dim, which are normalized; give this or
            `logits`. None is the default.
        logits: the unnormalized logarithms of the weights; give this or `probs`. None is the
            default.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> Multinomial(2, torch.tensor([0.5, 0.5])).log_prob(torch.tensor([1., 1.])).exp()
    tensor(0.5000)
    """

    arg_constraints = _OF_VECTORS  # type: ignore[assignment]
    _parameters = {}
    _kept = ("total_count",)
    total_count: int

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count  # type: ignore[assignment]
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        super().__init__(
            self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args
        )

    def _expand_into(self, new, batch_shape) -> None:
        super()._expand_into(new, batch_shape)
        new._binomial = Binomial(total_count=new.total_count, probs=new.probs, validate_args=False)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self):
        """Counts that sum up to total_count."""
        return constraints.multinomial(self.total_count)

    @property
    def mean(self):
        """n p."""
        return self.probs * self.total_count

    @property
    def variance(self):
        """n p (1 - p)."""
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = Size(())) -> Tensor:
        """Counts in the parameter's dtype."""
        drawn = self._categorical.sample(Size((self.total_count, *sample_shape)))
        counts = F.one_hot(drawn, self._event_shape[-1]).sum(0)
        return counts.to(self.probs.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        """log(n!) - sum log(x!) + sum x log(p)."""
        value = self._check(value)
        logits, value = broadcast_all(self.logits, value)
        choices = torch.lgamma(value.sum(-1) + 1) - torch.lgamma(value + 1).sum(-1)
        impossible = (value == 0) & (logits == -math.inf)
        return choices + (torch.where(impossible, 0.0, logits) * value).sum(-1)

    def entropy(self) -> Tensor:
        """n H(p) - log(n!) + the sum of E[log(x_i!)]."""
        n = self.total_count
        support = self._binomial.enumerate_support(expand=False)[1:]
        weights = torch.exp(self._binomial.log_prob(support))
        expected = (weights * torch.lgamma(support + 1)).sum((0, -1))
        ways = torch.lgamma(torch.full((), n + 1.0))  # in the default dtype, as in torch
        return n * self._categorical.entropy() - ways + expected


# -- relaxed -----------------------------------------------------------------------------------------------------------


class LogitRelaxedBernoulli(Binary):
    """The logits of RelaxedBernoulli's draws."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}  # type: ignore[assignment]
    support = constraints.real  # type: ignore[assignment]
    has_rsample = True
    _parameters = {"probs": 0, "logits": 0}
    _kept = ("temperature",)

    def __init__(self, temperature, probs=None, logits=None, validate_args=None) -> None:
        self.temperature = temperature
        self._take(probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)

    def rsample(self, sample_shape: Any = Size(())) -> Tensor:
        """(logit(uniform draws) + logits) / temperature."""
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        u = clamp_probs(torch.rand(shape, dtype=probs.dtype, device=probs.device))
        return (u.log() - (-u).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        """log(T) + d - 2 log(1 + exp(d)), d = logits - T x."""
        value = self._check(value)
        logits, value = broadcast_all(self.logits, value)
        d = logits - value * self.temperature
        temperature = self.temperature
        log_t = temperature.log() if isinstance(temperature, Tensor) else math.log(temperature)
        return log_t + d - 2 * torch.log1p(torch.exp(d))


class _Relaxed(TransformedDistribution):
    """Base of the relaxed families, which have the parameters of the base distribution."""

    _parameters = {}

    temperature = property(
        attrgetter("base_dist.temperature"), doc="How far from discrete the draws are: 0 is discrete."
    )
    logits = property(attrgetter("base_dist.logits"), doc="The logits.")

    probs = property(attrgetter("base_dist.probs"), doc="The probabilities.")


class RelaxedBernoulli(_Relaxed):
    """Numbers in (0, 1), nearer to 0 and 1 the lower the temperature, with reparameterized draws.

    temperature, and probs or logits, which broadcast: a batch of numbers.

    Args:
        temperature: the temperature, positive.
        probs: the probabilities; give this or `logits`. None is the default.
        logits: the logits; give this or `probs`. None is the default.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> RelaxedBernoulli(torch.tensor(0.5), probs=torch.tensor([0.3, 0.6])).rsample().shape
    torch.Size([2])
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}  # type: ignore[assignment]
    support = constraints.unit_interval  # type: ignore[assignment]
    has_rsample = True  # type: ignore[assignment]
    _parameters = {}

    def __init__(self, temperature, probs=None, logits=None, validate_args=None) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)


class ExpRelaxedCategorical(_OverCategorical):
    """The logarithms of RelaxedOneHotCategorical's draws."""

    arg_constraints = _OF_VECTORS  # type: ignore[assignment]
    support = constraints.real_vector  # type: ignore[assignment]
    has_rsample = True
    _parameters = {}
    _kept = ("temperature",)

    def __init__(self, temperature, probs=None, logits=None, validate_args=None) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        super().__init__(
            self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args
        )

    def rsample(self, sample_shape: Any = Size(())) -> Tensor:
        """log softmax of (logits + Gumbel draws) / temperature."""
        shape = self._extended_shape(sample_shape)
        u = clamp_probs(uniform_open(shape, self.logits))
        scores = (self.logits.expand(shape) - (-u.log()).log()) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        """log((K-1)!) + (K - 1) log(T) + sum of log softmax(logits - T x)."""
        value = self._check(value)
        k = self._event_shape[-1]
        logits, value = broadcast_all(self.logits, value)
        temperature = self.temperature
        log_t = temperature.log() if isinstance(temperature, Tensor) else math.log(temperature)
        score = logits - value * temperature
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + math.lgamma(k) + (k - 1) * log_t


class RelaxedOneHotCategorical(_Relaxed):
    """Vectors in the simplex, nearer to one-hot the lower the temperature, with reparameterized draws.

    temperature of one element, probs or logits (…, K): events of shape (K,).

    Args:
        temperature: the temperature, positive.
        probs: the weights of the categories in the last dim, which are normalized; give this or
            `logits`. None is the default.
        logits: the unnormalized logarithms of the weights; give this or `probs`. None is the
            default.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> RelaxedOneHotCategorical(torch.tensor(0.5), probs=torch.tensor([0.2, 0.8])).rsample().shape
    torch.Size([2])
    """

    arg_constraints = _OF_VECTORS  # type: ignore[assignment]
    support = constraints.simplex  # type: ignore[assignment]
    has_rsample = True  # type: ignore[assignment]
    _parameters = {}

    def __init__(self, temperature, probs=None, logits=None, validate_args=None) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)
