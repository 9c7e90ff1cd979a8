"""Transforms of single numbers: differentiable maps with an inverse and a log |det Jacobian|. See also
transforms_of_events."""

from __future__ import annotations

import functools
import math
import numbers
import operator
import weakref
from operator import attrgetter
from typing import Any

from .._core.api import Size, Tensor, dtypes
from .._core.api import functions as torch
from . import constraints
from .utils import F, broadcast_all, sum_rightmost

__all__ = [
    "AbsTransform", "AffineTransform", "ComposeTransform", "CumulativeDistributionTransform", "ExpTransform", "IndependentTransform",
    "PowerTransform", "ReshapeTransform", "SigmoidTransform", "SoftplusTransform", "TanhTransform", "Transform", "identity_transform",
]  # fmt: skip


class Transform:
    """A map y = f(x): `transform(x)`, `transform.inv(y)` and `transform.log_abs_det_jacobian(x, y)`.

    A subclass gives `domain`, `codomain`, `bijective`, `_call`, and, as far as it has them, `_inverse`,
    `log_abs_det_jacobian` and `sign`. cache_size=1 remembers the last pair (x, y), so that the inverse of y is exactly
    x.

    Args:
        cache_size: 0 or 1: whether the last pair of values is kept, so that the inverse of a
            result is exact. Default: 0.

    >>> t = torch.distributions.AffineTransform(1., 2.)
    >>> t(torch.tensor([0., 1.])), t.inv(torch.tensor([3.]))
    (tensor([1., 3.]), tensor([1.]))
    """

    bijective: Any = False
    domain: Any
    codomain: Any

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._inv: weakref.ref | None = None
        self._cached_x_y: tuple = (None, None)
        super().__init__()

    def __getstate__(self):
        return {**self.__dict__, "_inv": None}

    @property
    def event_dim(self):
        """The dims of an element, where domain and codomain have equally many."""
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> Transform:
        """The inverse; its inverse is this transform."""
        found = self._inv() if self._inv is not None else None
        if found is None:
            found = _InverseTransform(self)
            self._inv = weakref.ref(found)
        return found

    @property
    def sign(self) -> Any:
        """1 or -1: whether a monotone map grows or falls."""
        raise NotImplementedError

    def with_cache(self, cache_size: int = 1):
        """The same transform with another cache size.

        >>> torch.distributions.ExpTransform().with_cache(1)(torch.tensor(0.))
        tensor(1.)
        """
        if self._cache_size == cache_size:
            return self
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        raise NotImplementedError(f"{type(self)}.with_cache is not implemented")

    def __eq__(self, other):
        return self is other

    def __ne__(self, other):
        return not self == other

    __hash__ = object.__hash__

    def __call__(self, x):
        """f(x)."""
        if self._cache_size == 0:
            return self._call(x)
        if x is self._cached_x_y[0]:
            return self._cached_x_y[1]
        y = self._call(x)
        self._cached_x_y = x, y
        return y

    def _inv_call(self, y):
        if self._cache_size == 0:
            return self._inverse(y)
        if y is self._cached_x_y[1]:
            return self._cached_x_y[0]
        x = self._inverse(y)
        self._cached_x_y = x, y
        return x

    def _call(self, x):
        raise NotImplementedError

    def _inverse(self, y):
        raise NotImplementedError

    def log_abs_det_jacobian(self, x, y):
        """log |det dy/dx| at x, of which y is the image.

        >>> torch.distributions.ExpTransform().log_abs_det_jacobian(torch.tensor(2.), torch.tensor(2.).exp())
        tensor(2.)
        """
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def forward_shape(self, shape):
        """The shape of the image of a tensor of this shape.

        >>> torch.distributions.StickBreakingTransform().forward_shape((5, 2))
        torch.Size([5, 3])
        """
        return shape

    def inverse_shape(self, shape):
        """The shape of the input whose image has this shape.

        >>> torch.distributions.StickBreakingTransform().inverse_shape((5, 3))
        torch.Size([5, 2])
        """
        return shape


class Alike(Transform):
    """A base of classes whose transforms are all equal."""

    _alike: type

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if Alike in cls.__bases__:
            cls._alike = cls

    def __eq__(self, other):
        return isinstance(other, self._alike)

    __hash__ = Transform.__hash__


class _InverseTransform(Transform):
    """The inverse of another transform."""

    def __init__(self, transform: Transform) -> None:
        super().__init__(cache_size=transform._cache_size)
        self._inv = lambda: transform  # type: ignore[assignment]
        self._of = transform

    def __getstate__(self):
        return {"_of": self._of}

    def __setstate__(self, state):
        self.__init__(state["_of"])

    domain = property(attrgetter("_of.codomain"), doc="The transform's codomain.")  # type: ignore[override]
    codomain = property(attrgetter("_of.domain"), doc="The transform's domain.")  # type: ignore[override]

    bijective = property(attrgetter("_of.bijective"), doc="As the transform.")  # type: ignore[override]
    sign = property(attrgetter("_of.sign"), doc="As the transform's.")

    inv = property(attrgetter("_of"), doc="The transform.")

    def with_cache(self, cache_size: int = 1):
        """The same with another cache size."""
        return self._of.with_cache(cache_size).inv

    def __eq__(self, other):
        return isinstance(other, _InverseTransform) and self._of == other._of

    __hash__ = Transform.__hash__

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._of!r})"

    def __call__(self, x):
        """The transform's inverse at x."""
        return self._of._inv_call(x)

    def log_abs_det_jacobian(self, x, y):
        """The negative of the transform's."""
        return -self._of.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape):
        """The transform's inverse shape."""
        return self._of.inverse_shape(shape)

    def inverse_shape(self, shape):
        """The transform's forward shape."""
        return self._of.forward_shape(shape)


class ComposeTransform(Transform):
    """Several transforms, one after the other.

    Args:
        parts: the transforms, applied in order.
        cache_size: 0 or 1: whether the last pair of values is kept, so that the inverse of a
            result is exact. Default: 0.

    >>> ComposeTransform([ExpTransform(), AffineTransform(1., 2.)])(torch.tensor(0.))
    tensor(3.)
    """

    def __init__(self, parts, cache_size: int = 0) -> None:
        if cache_size:
            parts = [part.with_cache(cache_size) for part in parts]
        super().__init__(cache_size=cache_size)
        self.parts = list(parts)

    def __eq__(self, other):
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    __hash__ = Transform.__hash__

    @constraints.dependent_property(is_discrete=False)
    def domain(self):  # type: ignore[override]
        """The domain of the first part, with as many event dims as later parts need."""
        if not self.parts:
            return constraints.real
        domain = self.parts[0].domain
        event_dim = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            event_dim += part.domain.event_dim - part.codomain.event_dim
            event_dim = max(event_dim, part.domain.event_dim)
        if event_dim > domain.event_dim:
            domain = constraints.independent(domain, event_dim - domain.event_dim)
        return domain

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):  # type: ignore[override]
        """The codomain of the last part, with as many event dims as earlier parts need."""
        if not self.parts:
            return constraints.real
        codomain = self.parts[-1].codomain
        event_dim = self.parts[0].domain.event_dim
        for part in self.parts:
            event_dim += part.codomain.event_dim - part.domain.event_dim
            event_dim = max(event_dim, part.codomain.event_dim)
        if event_dim > codomain.event_dim:
            codomain = constraints.independent(codomain, event_dim - codomain.event_dim)
        return codomain

    @property
    def bijective(self):  # type: ignore[override]
        """Returns whether all parts are."""
        return all(p.bijective for p in self.parts)

    @property
    def sign(self):
        """The product of the parts'."""
        sign: Any = 1
        for p in self.parts:
            sign = sign * p.sign
        return sign

    @property
    def inv(self):
        """The inverses of the parts in reverse order."""
        found = self._inv() if self._inv is not None else None
        if found is None:
            found = ComposeTransform([p.inv for p in reversed(self.parts)])
            self._inv = weakref.ref(found)
            found._inv = lambda: self
        return found

    def with_cache(self, cache_size: int = 1):
        """The same with another cache size."""
        return self if self._cache_size == cache_size else ComposeTransform(self.parts, cache_size=cache_size)

    def __call__(self, x):
        """The image under all parts."""
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x, y):
        """The sum of the parts', over the event dims."""
        if not self.parts:
            return torch.zeros_like(x)
        points = [x]
        for part in self.parts[:-1]:
            points.append(part(points[-1]))
        points.append(y)
        terms = []
        event_dim = self.domain.event_dim
        for part, x, y in zip(self.parts, points[:-1], points[1:]):
            terms.append(sum_rightmost(part.log_abs_det_jacobian(x, y), event_dim - part.domain.event_dim))
            event_dim += part.codomain.event_dim - part.domain.event_dim
        return functools.reduce(operator.add, terms)

    def forward_shape(self, shape):
        """Through all parts."""
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape):
        """Back through all parts."""
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self) -> str:
        inner = ",\n    ".join(repr(p) for p in self.parts)
        return f"{type(self).__name__}(\n    {inner}\n)"


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """Another transform, whose last batch dims count as event dims: log_abs_det_jacobian is summed over them.

    Args:
        base_transform: the transform.
        reinterpreted_batch_ndims: the number of last batch dims that become part of the event.
        cache_size: 0 or 1: whether the last pair of values is kept, so that the inverse of a
            result is exact. Default: 0.

    >>> IndependentTransform(ExpTransform(), 1).log_abs_det_jacobian(torch.ones(3), torch.ones(3).exp())
    tensor(3.)
    """

    def __init__(
        self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0
    ) -> None:
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def with_cache(self, cache_size: int = 1):
        """The same with another cache size."""
        if self._cache_size == cache_size:
            return self
        return IndependentTransform(self.base_transform, self.reinterpreted_batch_ndims, cache_size)

    @constraints.dependent_property(is_discrete=False)
    def domain(self):  # type: ignore[override]
        """The base's, with more event dims."""
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):  # type: ignore[override]
        """The base's, with more event dims."""
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    bijective = property(attrgetter("base_transform.bijective"), doc="As the base.")  # type: ignore[override]
    sign = property(attrgetter("base_transform.sign"), doc="As the base's.")

    def _call(self, x):
        if x.ndim < self.domain.event_dim:
            raise ValueError("Too few dimensions on input")
        return self.base_transform(x)

    def _inverse(self, y):
        if y.ndim < self.codomain.event_dim:
            raise ValueError("Too few dimensions on input")
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x, y):
        """The base's, summed."""
        return sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def forward_shape(self, shape):
        """As the base."""
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape):
        """As the base."""
        return self.base_transform.inverse_shape(shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


class ReshapeTransform(Transform):
    """Reshapes the last dims from in_shape to out_shape.

    ValueError where the shapes have different numbers of elements.

    Args:
        in_shape: the shape of the last dims of the input.
        out_shape: the shape of the last dims of the output.
        cache_size: 0 or 1: whether the last pair of values is kept, so that the inverse of a
            result is exact. Default: 0.

    >>> ReshapeTransform((4,), (2, 2))(torch.ones(3, 4)).shape
    torch.Size([3, 2, 2])
    """

    bijective = True

    def __init__(self, in_shape, out_shape, cache_size: int = 0) -> None:
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    @constraints.dependent_property
    def domain(self):  # type: ignore[override]
        """Real tensors."""
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self):  # type: ignore[override]
        """Real tensors."""
        return constraints.independent(constraints.real, len(self.out_shape))

    def with_cache(self, cache_size: int = 1):
        """The same with another cache size."""
        if self._cache_size == cache_size:
            return self
        return ReshapeTransform(self.in_shape, self.out_shape, cache_size=cache_size)

    def _call(self, x):
        return x.reshape(x.shape[: x.ndim - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y):
        return y.reshape(y.shape[: y.ndim - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x, y):
        """0."""
        return torch.zeros(x.shape[: x.ndim - len(self.in_shape)], dtype=x.dtype, device=x.device)

    def forward_shape(self, shape):
        """With the last dims reshaped."""
        return _swap_end(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape):
        """With the last dims reshaped back."""
        return _swap_end(shape, self.out_shape, self.in_shape)


def _swap_end(shape, old, new):
    if len(shape) < len(old):
        raise ValueError("Too few dimensions on input")
    cut = len(shape) - len(old)
    if tuple(shape[cut:]) != tuple(old):
        raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {old}")
    return Size(shape[:cut]) + new


# -- of single numbers -------------------------------------------------------------------------------------------------


class ExpTransform(Alike):
    """y = exp(x).

    Args:
        cache_size: 0 or 1: whether the last pair of values is kept, so that the inverse of a
            result is exact. Default: 0.

    >>> ExpTransform()(torch.tensor([0., 1.]))
    tensor([1.0000, 2.7183])
    """

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1  # type: ignore[assignment]

    def _call(self, x):
        return x.exp()

    def _inverse(self, y):
        return y.log()

    def log_abs_det_jacobian(self, x, y):
        """x."""
        return x


class PowerTransform(Transform):
    """y = x ** exponent, for x > 0.

    Args:
        exponent: the exponent: a number or a tensor.
        cache_size: 0 or 1: whether the last pair of values is kept, so that the inverse of a
            result is exact. Default: 0.

    >>> PowerTransform(torch.tensor(2.))(torch.tensor([1., 3.]))
    tensor([1., 9.])
    """

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    @property
    def sign(self):
        """The exponent's."""
        return self.exponent.sign()

    def with_cache(self, cache_size: int = 1):
        """The same with another cache size."""
        return (
            self if self._cache_size == cache_size else PowerTransform(self.exponent, cache_size=cache_size)
        )

    def __eq__(self, other):
        return isinstance(other, PowerTransform) and bool(self.exponent.eq(other.exponent).all())

    __hash__ = Transform.__hash__

    def _call(self, x):
        return x.pow(self.exponent)

    def _inverse(self, y):
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x, y):
        """log |exponent y / x|."""
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape):
        """Broadcast with the exponent."""
        return torch.broadcast_shapes(shape, self.exponent.shape)

    def inverse_shape(self, shape):
        """Broadcast with the exponent."""
        return torch.broadcast_shapes(shape, self.exponent.shape)


class SigmoidTransform(Alike):
    """y = 1 / (1 + exp(-x)), kept inside (0, 1); its inverse is the logit.

    Args:
        cache_size: 0 or 1: whether the last pair of values is kept, so that the inverse of a
            result is exact. Default: 0.

    >>> SigmoidTransform()(torch.tensor([0., 2.]))
    tensor([0.5000, 0.8808])
    """

    domain = constraints.real
    codomain = constraints.unit_interval
    bijective = True
    sign = +1  # type: ignore[assignment]

    def _call(self, x):
        info = dtypes.finfo(x.dtype)
        return torch.sigmoid(x).clamp(min=info.tiny, max=1.0 - info.eps)

    def _inverse(self, y):
        info = dtypes.finfo(y.dtype)
        y = y.clamp(min=info.tiny, max=1.0 - info.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x, y):
        """-softplus(-x) - softplus(x)."""
        return -F.softplus(-x) - F.softplus(x)


class SoftplusTransform(Alike):
    """y = log(1 + exp(x)); for large x it is x.

    Args:
        cache_size: 0 or 1: whether the last pair of values is kept, so that the inverse of a
            result is exact. Default: 0.

    >>> SoftplusTransform()(torch.tensor([0., 30.]))
    tensor([ 0.6931, 30.0000])
    """

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1  # type: ignore[assignment]

    def _call(self, x):
        return F.softplus(x)

    def _inverse(self, y):
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x, y):
        """-softplus(-x)."""
        return -F.softplus(-x)


class TanhTransform(Alike):
    """y = tanh(x). For compositions with cache_size=1 the inverse is exact.

    Args:
        cache_size: 0 or 1: whether the last pair of values is kept, so that the inverse of a
            result is exact. Default: 0.

    >>> TanhTransform()(torch.tensor([0., 1.]))
    tensor([0.0000, 0.7616])
    """

    domain = constraints.real
    codomain = constraints.interval(-1.0, 1.0)
    bijective = True
    sign = +1  # type: ignore[assignment]

    def _call(self, x):
        return x.tanh()

    def _inverse(self, y):
        return y.atanh()

    def log_abs_det_jacobian(self, x, y):
        """2 (log 2 - x - softplus(-2 x)), which does not cancel where |x| is large."""
        return 2.0 * (math.log(2.0) - x - F.softplus(-2.0 * x))


class AbsTransform(Alike):
    """y = |x|; its inverse gives the positive one.

    Args:
        cache_size: 0 or 1: whether the last pair of values is kept, so that the inverse of a
            result is exact. Default: 0.

    >>> AbsTransform()(torch.tensor([-2., 1.]))
    tensor([2., 1.])
    """

    domain = constraints.real
    codomain = constraints.positive

    def _call(self, x):
        return x.abs()

    def _inverse(self, y):
        return y


class AffineTransform(Transform):
    """y = loc + scale x, with numbers or tensors.

    Args:
        loc: the summand: a number or a tensor.
        scale: the factor: a number or a tensor.
        event_dim: the number of last dims that form one event, over which `log_abs_det_jacobian`
            is summed. Default: 0.
        cache_size: 0 or 1: whether the last pair of values is kept, so that the inverse of a
            result is exact. Default: 0.

    >>> AffineTransform(1., 2.)(torch.tensor([0., 1.]))
    tensor([1., 3.])
    """

    bijective = True

    def __init__(self, loc, scale, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    event_dim = property(attrgetter("_event_dim"), doc="As it was given.")

    @constraints.dependent_property(is_discrete=False)
    def domain(self):  # type: ignore[override]
        """Real tensors."""
        return (
            constraints.independent(constraints.real, self.event_dim) if self.event_dim else constraints.real
        )

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):  # type: ignore[override]
        """Real tensors."""
        return (
            constraints.independent(constraints.real, self.event_dim) if self.event_dim else constraints.real
        )

    def with_cache(self, cache_size: int = 1):
        """The same with another cache size."""
        if self._cache_size == cache_size:
            return self
        return AffineTransform(self.loc, self.scale, self.event_dim, cache_size=cache_size)

    def __eq__(self, other):
        if not isinstance(other, AffineTransform):
            return False
        return _same(self.loc, other.loc) and _same(self.scale, other.scale)

    __hash__ = Transform.__hash__

    @property
    def sign(self):
        """The scale's."""
        if isinstance(self.scale, numbers.Real):
            return 1 if self.scale > 0 else -1 if self.scale < 0 else 0
        return self.scale.sign()

    def _call(self, x):
        return self.loc + self.scale * x

    def _inverse(self, y):
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x, y):
        """log |scale|, summed over the event dims."""
        shape = x.shape
        if isinstance(self.scale, numbers.Real):
            result = torch.full_like(x, math.log(abs(self.scale)))
        else:
            result = torch.abs(self.scale).log()
        if self.event_dim:
            result = (
                result.expand(result.shape[: -self.event_dim] + shape[-self.event_dim :])
                if result.ndim
                else result.expand(shape)
            )
            result = sum_rightmost(result, self.event_dim)
            shape = shape[: -self.event_dim]
        return result.expand(shape)

    def forward_shape(self, shape):
        """Broadcast with loc and scale."""
        return torch.broadcast_shapes(shape, getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ()))

    inverse_shape = forward_shape


def _same(a, b) -> bool:
    if isinstance(a, numbers.Number) and isinstance(b, numbers.Number):
        return a == b
    result = a == b
    return bool(result.all()) if isinstance(result, Tensor) else bool(result)


class CumulativeDistributionTransform(Transform):
    """y = distribution.cdf(x): values of the distribution become uniform.

    Args:
        distribution: a distribution of one real variable.
        cache_size: 0 or 1: whether the last pair of values is kept, so that the inverse of a
            result is exact. Default: 0.

    >>> CumulativeDistributionTransform(torch.distributions.Normal(0., 1.))(torch.tensor([0., 1.]))
    tensor([0.5000, 0.8413])
    """

    bijective = True
    codomain = constraints.unit_interval
    sign = +1  # type: ignore[assignment]

    def __init__(self, distribution, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    domain = property(attrgetter("distribution.support"), doc="The distribution's support.")  # type: ignore[override]

    def _call(self, x):
        return self.distribution.cdf(x)

    def _inverse(self, y):
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x, y):
        """The distribution's log_prob."""
        return self.distribution.log_prob(x)

    def with_cache(self, cache_size: int = 1):
        """The same with another cache size."""
        if self._cache_size == cache_size:
            return self
        return CumulativeDistributionTransform(self.distribution, cache_size=cache_size)
