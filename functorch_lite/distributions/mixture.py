"""MixtureSameFamily: mixtures of components that are one batched distribution."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from .._core.api import Size, Tensor
from .._core.api import functions as torch
from ..autograd.grad_mode import no_grad
from . import constraints
from .categorical import Categorical
from .distribution import Distribution

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """A mixture: a Categorical chooses among the last batch dim of the component distribution.

    Args:
        mixture_distribution: a Categorical with the weights of the components.
        component_distribution: the components, in the last batch dim.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> from functorch_lite.distributions import Normal
    >>> weights = Categorical(torch.ones(2))
    >>> MixtureSameFamily(weights, Normal(torch.tensor([-1., 1.]), 1.)).mean
    tensor(0.)
    """

    arg_constraints = {}  # type: ignore[assignment]
    has_rsample = False

    def __init__(self, mixture_distribution, component_distribution, validate_args=None) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(
                " The Mixture distribution needs to be an  instance of torch.distributions.Categorical"
            )
        if not isinstance(component_distribution, Distribution):
            raise ValueError(
                "The Component distribution needs to be an instance of torch.distributions.Distribution"
            )
        mixed, batch = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        for a, b in zip(reversed(mixed), reversed(batch)):
            if a != 1 and b != 1 and a != b:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({mixed}) is not compatible with "
                    f"`component_distribution.batch_shape`({batch})"
                )
        k, n = mixture_distribution.logits.shape[-1], component_distribution.batch_shape[-1]
        if k is not None and n is not None and k != n:
            raise ValueError(
                f"`mixture_distribution component` ({k}) does not equal `component_distribution.batch_shape[-1]` ({n})"
            )
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        self._num_component = k
        self._event_ndims = len(component_distribution.event_shape)
        super().__init__(batch, component_distribution.event_shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """The distribution with its batch shape expanded."""
        new = self._get_checked_instance(MixtureSameFamily, _instance)
        batch_shape = Size(batch_shape)
        new._component_distribution = self._component_distribution.expand(
            batch_shape + (self._num_component,)
        )
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        new._num_component, new._event_ndims = self._num_component, self._event_ndims
        Distribution.__init__(new, batch_shape, self._event_shape, validate_args=False)
        self._validate_like(new)
        return new

    @constraints.dependent_property
    def support(self):
        """The components'."""
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    mixture_distribution = property(attrgetter("_mixture_distribution"), doc="The Categorical.")
    component_distribution = property(attrgetter("_component_distribution"), doc="The components.")

    def _weights(self):
        """The probabilities of the components, against their batch and event dims."""
        probs = self._mixture_distribution.probs
        return probs.reshape(probs.shape + (1,) * self._event_ndims)

    @property
    def _dim(self) -> int:
        return -1 - self._event_ndims

    @property
    def mean(self):
        """The weighted mean of the components' means."""
        return (self._weights() * self._component_distribution.mean).sum(self._dim)

    @property
    def variance(self):
        """The law of total variance."""
        w = self._weights()
        within = (w * self._component_distribution.variance).sum(self._dim)
        distance = self._component_distribution.mean - self._spread(self.mean)
        return within + (w * distance.pow(2.0)).sum(self._dim)

    def _spread(self, x):
        return x.unsqueeze(self._dim)

    def cdf(self, x):
        """The weighted mean of the components' distribution functions."""
        found = self._component_distribution.cdf(self._spread(x))
        return (found * self._mixture_distribution.probs).sum(-1)

    def log_prob(self, x):
        """log of the sum over components of weight times density."""
        x = self._check(x)
        log_prob = self._component_distribution.log_prob(self._spread(x))
        return torch.logsumexp(log_prob + torch.log_softmax(self._mixture_distribution.logits, -1), -1)

    def sample(self, sample_shape: Any = Size(())) -> Tensor:
        """Draws of all components, of which one is chosen."""
        with no_grad():
            chosen = self._mixture_distribution.sample(sample_shape)
            draws = self._component_distribution.sample(sample_shape)
            event = self._event_shape
            index = chosen.reshape(chosen.shape + (1,) * (self._event_ndims + 1))
            index = index.expand(chosen.shape + (1,) + event)
            return torch.gather(draws, self._dim, index).squeeze(self._dim)

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
