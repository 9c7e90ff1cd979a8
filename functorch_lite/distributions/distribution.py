"""Distribution, the base class; ExponentialFamily; Independent."""

from __future__ import annotations

import warnings
from operator import attrgetter
from typing import Any

from .._core.api import Size, Tensor, requirement, tidied
from .._core.api import functions as torch
from ..autograd.grad_mode import no_grad
from ..func.derivatives import grad_and_value
from . import constraints
from .constraints import is_dependent, is_satisfied, requires
from .utils import lazy_property, readable, sum_rightmost

__all__ = ["Distribution"]


class Distribution:
    """A batch of independent distributions of events: `batch_shape` and `event_shape` tell their shapes.

    Parameters and values are checked unless `validate_args=False`. Inside vmap and in the body of a loop, where values
    cannot be read, the error is raised when a value computed from them is read.

    Draws have shape sample_shape + batch_shape + event_shape and the dtype of the parameters; `log_prob` has the
    batch's shape, broadcast with the value's. ValueError for a parameter or value outside of its constraint.

    Args:
        batch_shape: the shape of the batch of independent distributions.
        event_shape: the shape of one event.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> d = torch.distributions.Normal(torch.zeros(3, 1), torch.ones(2))
    >>> d.batch_shape, d.event_shape, d.sample((5,)).shape
    (torch.Size([3, 2]), torch.Size([]), torch.Size([5, 3, 2]))
    """

    has_rsample: Any = False
    has_enumerate_support: Any = False
    _validate_args: bool = __debug__
    _parameters: dict[str, int] = {}
    """The parameters of the batch, by name: how many of their last dims belong to an event.

    `expand` is made from it."""
    _kept: tuple[str, ...] = ()
    """Attributes that what is expanded has unchanged."""

    @tidied
    def __init__(self, batch_shape=Size(()), event_shape=Size(()), validate_args: bool | None = None):
        self._batch_shape = Size(batch_shape)
        self._event_shape = Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            now = readable()
            try:
                known = self.arg_constraints
            except NotImplementedError:
                known = {}
                warnings.warn(
                    f"{self.__class__} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize the "
                    "distribution with `validate_args=False` to turn off validation.",
                    stacklevel=3,
                )
            for name, constraint in known.items():
                if is_dependent(constraint):
                    continue
                if name not in self.__dict__ and isinstance(getattr(type(self), name, None), lazy_property):
                    continue
                value = getattr(self, name)
                if not now:
                    if name in self.__dict__ and isinstance(value, Tensor):
                        self.__dict__[name] = requires(
                            constraint, value, self._wrong_parameter(name, value, constraint)
                        )
                    continue
                if not is_satisfied(constraint, value):
                    raise ValueError(
                        f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                        f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{_shown(value)}"
                    )
        super().__init__()

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Returns whether arguments are checked where `validate_args` is not given.

        >>> Distribution.set_default_validate_args(True)
        """
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def _wrong_parameter(self, name: str, value: Tensor, constraint: Any) -> str:
        return requirement(
            "ValueError",
            f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
            f"{type(self).__name__} to satisfy the constraint {constraint!r}, but found invalid values",
        )

    def _checks(self) -> bool:
        return self._validate_args and readable()

    # -- shapes

    batch_shape = property(attrgetter("_batch_shape"), doc="The shape over which parameters are batched.")
    event_shape = property(attrgetter("_event_shape"), doc="The shape of one event.")

    def _extended_shape(self, sample_shape: Any = Size(())) -> Size:
        return Size(tuple(sample_shape) + tuple(self._batch_shape) + tuple(self._event_shape))

    def expand(self, batch_shape, _instance=None):
        """The distribution with its batch shape expanded; no memory is used for parameters.

        >>> torch.distributions.Normal(0., 1.).expand((2, 3)).batch_shape
        torch.Size([2, 3])
        """
        owner = next((c for c in type(self).__mro__ if "_parameters" in c.__dict__), Distribution)
        if owner is Distribution:
            raise NotImplementedError
        new = self._get_checked_instance(owner, _instance)
        self._expand_into(new, Size(batch_shape))
        return new

    def _expand_into(self, new, batch_shape) -> None:
        for name in self._kept:
            setattr(new, name, getattr(self, name))
        for name, dims in self._parameters.items():
            if name in self.__dict__:
                value = self.__dict__[name]
                new.__dict__[name] = value.expand(batch_shape + value.shape[value.ndim - dims :])
        Distribution.__init__(new, batch_shape, self._event_shape, validate_args=False)
        self._validate_like(new)

    def _validate_like(self, new) -> None:
        new.__dict__.pop("_validate_args", None)
        if "_validate_args" in self.__dict__:
            new._validate_args = self._validate_args

    def _get_checked_instance(self, cls, _instance=None):
        if _instance is None and type(self).__init__ != cls.__init__:
            raise NotImplementedError(
                f"Subclass {self.__class__.__name__} of {cls.__name__} that defines a custom __init__ method "
                "must also define a custom .expand() method."
            )
        return self.__new__(type(self)) if _instance is None else _instance

    # -- what a distribution says

    @property
    def arg_constraints(self) -> dict[str, Any]:
        """Constraints of the parameters, by name."""
        raise NotImplementedError

    @property
    def support(self) -> Any:
        """The constraint that values of the distribution satisfy."""
        raise NotImplementedError

    @property
    def mean(self) -> Tensor:
        """The mean."""
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """The mode."""
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = Size(())) -> Tensor:
        """Draws of shape `sample_shape + batch_shape + event_shape`, without gradient.

        >>> torch.distributions.Normal(torch.zeros(3), 1.).sample((2,)).shape
        torch.Size([2, 3])
        """
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = Size(())) -> Tensor:
        """Reparameterized draws: gradients flow to the parameters.

        Returns draws in the shape that `sample` returns; NotImplementedError for families without them (`has_rsample`
        is False).

        >>> scale = torch.tensor(2., requires_grad=True)
        >>> torch.distributions.Normal(0., scale).rsample((3,)).requires_grad
        True
        """
        raise NotImplementedError

    def sample_n(self, n: int) -> Tensor:
        """n draws (deprecated: sample((n,))).

        >>> import warnings
        >>> with warnings.catch_warnings(action="ignore"):
        ...     torch.distributions.Normal(torch.zeros(3), 1.).sample_n(2).shape
        torch.Size([2, 3])
        """
        warnings.warn("sample_n will be deprecated. Use .sample((n,)) instead", UserWarning, stacklevel=2)
        return self.sample(Size((n,)))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density or mass at `value`.

        The shape is batch_shape, broadcast with the shape of the value without its event dims. ValueError for a value
        outside of `support`.

        >>> torch.distributions.Normal(torch.zeros(2), 1.).log_prob(torch.tensor([0., 1.]))
        tensor([-0.9189, -1.4189])
        """
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """The cumulative distribution function.

        NotImplementedError for families that have none.

        >>> torch.distributions.Normal(0., 1.).cdf(torch.tensor(0.))
        tensor(0.5000)
        """
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """The inverse of the cumulative distribution function.

        NotImplementedError for families that have none.

        >>> torch.distributions.Normal(0., 1.).icdf(torch.tensor(0.5))
        tensor(0.)
        """
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values of a discrete distribution along a new first dim.

        expand: they are expanded over the batch. NotImplementedError for families that are not finite.

        >>> torch.distributions.Bernoulli(torch.tensor([0.2, 0.4])).enumerate_support()
        tensor([[0., 0.],
                [1., 1.]])
        """
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The entropy, over the batch shape.

        NotImplementedError for families that have none.

        >>> torch.distributions.Normal(torch.zeros(2), 1.).entropy()
        tensor([1.4189, 1.4189])
        """
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """The exponential of the entropy.

        >>> torch.distributions.Categorical(torch.ones(4)).perplexity()
        tensor(4.)
        """
        return torch.exp(self.entropy())

    # -- checks

    def _validate_sample(self, value: Tensor) -> Tensor:
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        at = value.ndim - len(self._event_shape)
        if value.shape[at if at > 0 else 0 :] != self._event_shape and self._event_shape:
            raise ValueError(
                f"The right-most size of value must match event_shape: {value.size()} vs {self._event_shape}."
            )
        expected = self._batch_shape + self._event_shape
        for i, j in zip(reversed(value.size()), reversed(expected)):
            if i != 1 and j != 1 and i != j:
                raise ValueError(
                    f"Value is not broadcastable with batch_shape+event_shape: {value.size()} vs {expected}."
                )
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{self.__class__} does not define `support` to enable sample validation. Please initialize the distribution with "
                "`validate_args=False` to turn off validation.",
                stacklevel=3,
            )
            return value
        if not readable():
            sentence = (
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the support "
                f"({support!r}) of the distribution {type(self).__name__}, but found invalid values"
            )
            return requires(support, value, requirement("ValueError", sentence))
        if not is_satisfied(support, value):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the support "
                f"({support!r}) of the distribution {self!r}, but found invalid values:\n{_shown(value)}"
            )
        return value

    def _check(self, value: Tensor) -> Tensor:
        """Returns the value, as `_validate_sample` does if values are to be checked."""
        return self._validate_sample(value) if self._validate_args else value

    def __repr__(self) -> str:
        names = [k for k in self.arg_constraints if k in self.__dict__]
        return f"{type(self).__name__}({', '.join(f'{k}: {_short(self.__dict__[k])}' for k in names)})"


def _shown(value: Tensor):
    return value.item() if value.ndim == 0 else value.detach()


def _short(value: Tensor) -> str:
    if value.numel() != 1:
        return str(value.size())
    if value.ndim or not readable():
        return str(value)
    return str(value.item())


class ExponentialFamily(Distribution):
    """A family with densities exp(<t(x), theta> - F(theta) + k(x)): `_natural_params` give theta, `_log_normalizer` F.

    Entropies and divergences come from derivatives of F: Nielsen & Nock 2010, "Entropies and cross-entropies of
    exponential families".

    Args:
        batch_shape: the shape of the batch of independent distributions.
        event_shape: the shape of one event.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> isinstance(torch.distributions.Normal(0., 1.), ExponentialFamily)
    True
    """

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params):
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> float:
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """F(theta) - <theta, F'(theta)> - E[k(x)]."""
        carrier = self._mean_carrier_measure
        params = tuple(self._natural_params)
        slopes, normalizer = normalizer_with_slopes(self, params)
        result = normalizer - carrier
        for p, g in zip(params, slopes):
            result = result - (p * g).reshape(self._batch_shape + (-1,)).sum(-1)
        return result


def normalizer_with_slopes(d: ExponentialFamily, params: tuple) -> tuple:
    """The derivatives of the log normalizer with respect to the natural parameters, and its values."""

    def total(*theta):
        values = d._log_normalizer(*theta)
        return values.sum(), values

    slopes, (_, values) = grad_and_value(total, argnums=tuple(range(len(params))), has_aux=True)(*params)
    return slopes, values


class Independent(Distribution):
    """Another distribution whose last batch dims are part of the event.

    Args:
        base_distribution: the distribution.
        reinterpreted_batch_ndims: the number of last batch dims that become part of the event.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> from functorch_lite.distributions import Normal
    >>> Independent(Normal(torch.zeros(3), torch.ones(3)), 1).log_prob(torch.zeros(3))
    tensor(-2.7568)
    """

    arg_constraints = {}  # type: ignore[assignment]

    def __init__(self, base_distribution, reinterpreted_batch_ndims: int, validate_args=None) -> None:
        n = reinterpreted_batch_ndims
        if n > len(base_distribution.batch_shape):
            raise ValueError(
                f"Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual {n} vs "
                f"{len(base_distribution.batch_shape)}"
            )
        shape = base_distribution.batch_shape + base_distribution.event_shape
        at = len(base_distribution.batch_shape) - n
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = n
        super().__init__(shape[:at], shape[at:], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """The distribution with its batch shape expanded."""
        new = self._get_checked_instance(Independent, _instance)
        batch_shape = Size(batch_shape)
        n = self.reinterpreted_batch_ndims
        new.base_dist = self.base_dist.expand(batch_shape + self.event_shape[:n])
        new.reinterpreted_batch_ndims = n
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        self._validate_like(new)
        return new

    has_rsample = property(attrgetter("base_dist.has_rsample"), doc="As the base distribution.")  # type: ignore[override]

    @property
    def has_enumerate_support(self):  # type: ignore[override]
        """Only if no dims are reinterpreted."""
        return False if self.reinterpreted_batch_ndims > 0 else self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self):
        """The base distribution's, for all of an event."""
        base = self.base_dist.support
        n = self.reinterpreted_batch_ndims
        return constraints.independent(base, n) if n else base

    mean = property(attrgetter("base_dist.mean"), doc="The mean.")
    mode = property(attrgetter("base_dist.mode"), doc="The mode.")

    variance = property(attrgetter("base_dist.variance"), doc="The variance.")

    def sample(self, sample_shape: Any = Size(())) -> Tensor:
        """Draws of the base distribution."""
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = Size(())) -> Tensor:
        """Reparameterized draws of the base distribution."""
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        """The sum of the base distribution's over an event."""
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        """The sum of the base distribution's over an event."""
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True):
        """As the base distribution; not with reinterpreted dims."""
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"
