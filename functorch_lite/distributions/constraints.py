"""Constraints: the regions that parameters and samples lie in; `check(value)` says where a value is inside.

Constraints in this file take numpy arrays too: default checks read the values anyway, and then no program has to be
compiled.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np

from .._core.api import Tensor, dtype, finfo, from_numpy, need_kind, values_of
from .._core.api import functions as torch
from ..tensors.requirements import required
from .utils import linalg, readable

__all__ = [
    "Constraint", "boolean", "cat", "corr_cholesky", "dependent", "dependent_property", "greater_than", "greater_than_eq",
    "half_open_interval", "independent", "integer_interval", "interval", "is_dependent", "less_than", "lower_cholesky",
    "lower_triangular", "multinomial", "nonnegative", "nonnegative_integer", "one_hot", "positive", "positive_definite",
    "positive_integer", "positive_semidefinite", "real", "real_vector", "simplex", "square", "stack", "symmetric", "unit_interval",
]  # fmt: skip


def is_satisfied(constraint: Constraint, value: Tensor) -> bool:
    """Returns whether all of `value` is inside; reads the value."""
    bounds = [b for b in vars(constraint).values() if isinstance(b, Tensor)]
    unordered = any(x.dtype.is_complex for x in (value, *bounds))  # numpy would order them
    if type(constraint).__module__ != __name__ or unordered or value.dtype.name in ("bfloat16", "float16"):
        return bool(constraint.check(value).all())
    with np.errstate(all="ignore"):
        return bool(np.all(constraint.check(values_of(value.detach()))))


def requires(constraint: Constraint, value: Tensor, says: str) -> Tensor:
    """Returns `value`, which must be inside, where it cannot be read: the error that `says` names is raised when a
    value computed from it is. Constraints of the user's are not looked at."""
    if type(constraint).__module__ != __name__:
        return value
    return required(value, constraint.check(value.detach()).all().logical_not(), says)


def _bound(bound: Any, value: Any) -> Any:
    if isinstance(bound, Tensor) and isinstance(value, np.ndarray):
        return values_of(bound.detach())
    return bound


class Constraint:
    """A region. `is_discrete`: whether it is a set of integers; `event_dim`: how many dims one element has.

    `check(value)` gives a bool tensor, of value's shape without the event dims; `constraint(value)` is the same.

    >>> constraints = torch.distributions.constraints
    >>> constraints.positive.check(torch.tensor([1., -1.]))
    tensor([ True, False])
    """

    is_discrete: Any = False
    event_dim: Any = 0

    def check(self, value):
        """A boolean tensor of the batch shape: where `value` satisfies the constraint."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return type(self).__name__.removeprefix("_") + "()"


class _Dependent(Constraint):
    """A region that depends on other values.

    `check` raises ValueError: the value on which it depends is not available.

    >>> dependent(is_discrete=False, event_dim=0)
    Dependent()
    """

    def __init__(self, *, is_discrete=NotImplemented, event_dim=NotImplemented) -> None:
        self._is_discrete, self._event_dim = is_discrete, event_dim
        super().__init__()

    @property
    def is_discrete(self):  # type: ignore[override]
        """Returns whether it is discrete, if that is known."""
        if self._is_discrete is NotImplemented:
            raise NotImplementedError(".is_discrete cannot be determined statically")
        return self._is_discrete

    @property
    def event_dim(self):  # type: ignore[override]
        """The dims of an element, if that is known."""
        if self._event_dim is NotImplemented:
            raise NotImplementedError(".event_dim cannot be determined statically")
        return self._event_dim

    def __call__(self, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        """The same with more known statically."""
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, value):
        """Cannot be decided."""
        raise ValueError("Cannot determine validity of dependent constraint")


def is_dependent(constraint) -> bool:
    """Returns whether a constraint is a dependent one.

    >>> is_dependent(dependent), is_dependent(positive)
    (True, False)
    """
    return isinstance(constraint, _Dependent)


class _DependentProperty(property, _Dependent):
    """A property whose value is a constraint: a dependent constraint when it is looked up on the class.

    >>> class Above:
    ...     low = 1.
    ...     @dependent_property(is_discrete=False, event_dim=0)
    ...     def support(self):
    ...         return greater_than(self.low)
    >>> Above().support
    GreaterThan(lower_bound=1.0)
    """

    def __init__(self, fn=None, *, is_discrete=NotImplemented, event_dim=NotImplemented) -> None:
        property.__init__(self, fn)
        self._is_discrete, self._event_dim = is_discrete, event_dim

    def __call__(self, fn):  # type: ignore[override]
        """As a decorator with arguments."""
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


def _all_of(true, ndim: int):
    """Where all dims but the first `ndim` hold.

    A batch without elements is refused, by the sentence of torch's reshape to it and -1."""
    shape = [*true.shape[:ndim], -1]
    if 0 in shape:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {shape} because the unspecified dimension size -1 can be any value "
            "and is ambiguous"
        )
    return true.reshape(tuple(shape)).all(-1)


class _IndependentConstraint(Constraint):
    """Another constraint, whose last batch dims count as event dims: all of them must satisfy it.

    >>> independent(positive, 1).check(torch.tensor([[1., 2.], [1., -1.]]))
    tensor([ True, False])
    """

    def __init__(self, base_constraint, reinterpreted_batch_ndims: int) -> None:
        if not isinstance(base_constraint, Constraint):
            raise AssertionError(f"Expected a Constraint, but got {type(base_constraint)}")
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    is_discrete = property(attrgetter("base_constraint.is_discrete"), doc="As the base constraint.")  # type: ignore[override]

    @property
    def event_dim(self):  # type: ignore[override]
        """The base constraint's and the reinterpreted ones."""
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value):
        """Where all elements of an event satisfy the base constraint."""
        result = self.base_constraint.check(value)
        n = self.reinterpreted_batch_ndims
        if result.ndim < n:
            expected = self.base_constraint.event_dim + n
            raise ValueError(f"Expected value.dim() >= {expected} but got {value.ndim}")
        return _all_of(result, result.ndim - n)

    def __repr__(self) -> str:
        return f"IndependentConstraint({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(Constraint):
    """The support of a mixture: the support of its components."""

    def __init__(self, base_constraint) -> None:
        self.base_constraint = base_constraint

    is_discrete = property(attrgetter("base_constraint.is_discrete"), doc="As the components.")  # type: ignore[override]
    event_dim = property(attrgetter("base_constraint.event_dim"), doc="As the components.")  # type: ignore[override]

    def check(self, value):
        """Where every component has the value in its support."""
        dims = self.event_dim
        at = value.ndim - dims
        spread = value.reshape(value.shape[:at] + (1,) + value.shape[at:])
        result = self.base_constraint.check(spread)
        return result.all(-1)

    def __repr__(self) -> str:
        return f"MixtureSameFamilyConstraint({self.base_constraint!r})"


# -- numbers -----------------------------------------------------------------------------------------------------------


class _Boolean(Constraint):
    """0 or 1."""

    is_discrete = True

    def check(self, value):
        """Where it is 0 or 1."""
        return (value == 0) | (value == 1)


class _Real(Constraint):
    """Any number but nan."""

    def check(self, value):
        """Where it is not nan."""
        return value == value


class _Bounded(Constraint):
    """Numbers within bounds; the names of the bounds are printed."""

    _bounds: tuple[str, ...] = ()

    def __init__(self, *bounds) -> None:
        for name, bound in zip(self._bounds, bounds, strict=True):
            setattr(self, name, bound)
        super().__init__()

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)}" for name in self._bounds)
        return f"{type(self).__name__.removeprefix('_')}({shown})"


class _GreaterThan(_Bounded):
    """(lower_bound, inf].

    >>> greater_than(1.).check(torch.tensor([1., 2.]))
    tensor([False,  True])
    """

    _bounds = ("lower_bound",)

    def __init__(self, lower_bound) -> None:
        super().__init__(lower_bound)

    def check(self, value):
        """Where it is above the bound."""
        return _bound(self.lower_bound, value) < value


class _GreaterThanEq(_Bounded):
    """[lower_bound, inf).

    >>> greater_than_eq(1.).check(torch.tensor([1., 0.5]))
    tensor([ True, False])
    """

    _bounds = ("lower_bound",)

    def __init__(self, lower_bound) -> None:
        super().__init__(lower_bound)

    def check(self, value):
        """Where it is not below the bound."""
        return _bound(self.lower_bound, value) <= value


class _LessThan(_Bounded):
    """[-inf, upper_bound).

    >>> less_than(1.).check(torch.tensor([1., 0.5]))
    tensor([False,  True])
    """

    _bounds = ("upper_bound",)

    def __init__(self, upper_bound) -> None:
        super().__init__(upper_bound)

    def check(self, value):
        """Where it is below the bound."""
        return value < _bound(self.upper_bound, value)


class _Interval(_Bounded):
    """[lower_bound, upper_bound].

    >>> interval(0., 1.).check(torch.tensor([1., 1.5]))
    tensor([ True, False])
    """

    _bounds = ("lower_bound", "upper_bound")

    def __init__(self, lower_bound, upper_bound) -> None:
        super().__init__(lower_bound, upper_bound)

    def check(self, value):
        """Where it is within the bounds."""
        return (_bound(self.lower_bound, value) <= value) & (value <= _bound(self.upper_bound, value))


class _HalfOpenInterval(_Bounded):
    """[lower_bound, upper_bound).

    >>> half_open_interval(0., 1.).check(torch.tensor([0., 1.]))
    tensor([ True, False])
    """

    _bounds = ("lower_bound", "upper_bound")

    def __init__(self, lower_bound, upper_bound) -> None:
        super().__init__(lower_bound, upper_bound)

    def check(self, value):
        """Where it is within the bounds, the upper one excluded."""
        return (_bound(self.lower_bound, value) <= value) & (value < _bound(self.upper_bound, value))


class _IntegerInterval(_Interval):
    """The integers from lower_bound to upper_bound.

    >>> integer_interval(0, 3).check(torch.tensor([3., 1.5]))
    tensor([ True, False])
    """

    is_discrete = True

    def check(self, value):
        """Where it is an integer within the bounds."""
        return (value % 1 == 0) & super().check(value)


class _IntegerGreaterThan(_GreaterThanEq):
    """The integers from lower_bound on."""

    is_discrete = True

    def check(self, value):
        """Where it is an integer not below the bound."""
        return (value % 1 == 0) & super().check(value)


class _IntegerLessThan(_Bounded):
    """The integers up to upper_bound."""

    _bounds = ("upper_bound",)
    is_discrete = True

    def __init__(self, upper_bound) -> None:
        super().__init__(upper_bound)

    def check(self, value):
        """Where it is an integer not above the bound."""
        return (value % 1 == 0) & (value <= _bound(self.upper_bound, value))


# -- vectors -----------------------------------------------------------------------------------------------------------


class _OneHot(Constraint):
    """Vectors of zeros and one 1."""

    is_discrete = True
    event_dim = 1

    def check(self, value):
        """Where the last dim is one-hot."""
        return ((value == 0) | (value == 1)).all(-1) & (value.sum(-1) == 1)


class _Simplex(Constraint):
    """Vectors of numbers >= 0 whose sum is 1, to 1e-6."""

    event_dim = 1

    def check(self, value):
        """Where the last dim is in the simplex."""
        return (value >= 0).all(-1) & (abs(value.sum(-1) - 1) < 1e-6)


class _Multinomial(Constraint):
    """Vectors of integers >= 0 whose sum is at most upper_bound.

    >>> multinomial(2).check(torch.tensor([[1., 1.], [2., 1.]]))
    tensor([ True, False])
    """

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound) -> None:
        self.upper_bound = upper_bound

    def check(self, value):
        """Where the last dim holds such counts."""
        return (value >= 0).all(-1) & (value.sum(-1) <= _bound(self.upper_bound, value))


# -- matrices ----------------------------------------------------------------------------------------------------------


def _all_and_some(true, ndim: int):
    """Where all dims but the first `ndim` hold. torch takes their minimum, which nothing has."""
    if 0 in true.shape[ndim:] and 0 not in true.shape[:ndim]:
        raise IndexError(f"min(): Expected reduction dim {ndim} to have non-zero size.")
    return _all_of(true, ndim)


def _is_lower(value):
    return _all_and_some(_lower(value) == value, value.ndim - 2)


def _lower(value):
    return np.tril(value) if isinstance(value, np.ndarray) else value.tril()


def _diagonal(value):
    return (
        np.diagonal(value, axis1=-2, axis2=-1)
        if isinstance(value, np.ndarray)
        else value.diagonal(dim1=-2, dim2=-1)
    )


class _LowerTriangular(Constraint):
    """Lower triangular square matrices."""

    event_dim = 2

    def check(self, value):
        """Where all above the diagonal is 0."""
        return _is_lower(value)


class _LowerCholesky(Constraint):
    """Lower triangular square matrices with a positive diagonal."""

    event_dim = 2

    def check(self, value):
        """Where it is a Cholesky factor."""
        return _is_lower(value) & _all_and_some(_diagonal(value) > 0, value.ndim - 2)


class _CorrCholesky(Constraint):
    """Lower triangular square matrices with a positive diagonal and rows of length 1: factors of correlation
    matrices."""

    event_dim = 2

    def check(self, value):
        """Where it is a Cholesky factor with rows of length 1."""
        tolerance = finfo(_dtype(value)).eps * value.shape[-1] * 10
        norms = ((value * value).sum(-1)) ** 0.5
        return _LowerCholesky().check(value) & (abs(norms - 1) < tolerance).all(-1)


class _Square(Constraint):
    """Square matrices."""

    event_dim = 2

    def check(self, value):
        """Returns whether they are square, for each."""
        square = value.shape[-1] == value.shape[-2]
        shape = tuple(value.shape[:-2])
        if isinstance(value, np.ndarray):
            return np.full(shape, square)
        return torch.full(shape, square, dtype=(value == value).dtype, device=value.device)


class _Symmetric(_Square):
    """Symmetric square matrices, to 1e-6."""

    def check(self, value):
        """Where it is its own transpose."""
        square = super().check(value)
        if value.shape[-1] != value.shape[-2]:
            return square
        if isinstance(value, np.ndarray):
            return np.isclose(value, np.swapaxes(value, -1, -2), atol=1e-6).all((-2, -1))
        return torch.isclose(value, value.mT, atol=1e-6).all(-2).all(-1)


class _PositiveSemidefinite(_Symmetric):
    """Symmetric matrices without negative eigenvalues."""

    def check(self, value):
        """Where it is positive semidefinite."""
        symmetric = super().check(value)
        if _is_unread(value) and value.shape[-1] == value.shape[-2]:
            return symmetric & (linalg.eigvalsh(value) >= 0).all(-1)
        if not symmetric.all():
            return symmetric
        need_kind(_dtype(value), "Fc", "linalg_eigh_cpu")
        eigenvalues = np.linalg.eigvalsh(value) if isinstance(value, np.ndarray) else linalg.eigvalsh(value)
        return (eigenvalues >= 0).all(-1)


class _PositiveDefinite(_Symmetric):
    """Symmetric matrices that have a Cholesky factor."""

    def check(self, value):
        """Where it is positive definite."""
        symmetric = super().check(value)
        if _is_unread(value) and value.shape[-1] == value.shape[-2]:
            return symmetric & (linalg.cholesky_ex(value).info == 0)
        if not symmetric.all():
            return symmetric
        d = _dtype(value)
        if d.category < 2:
            raise RuntimeError(
                f"linalg.cholesky: Expected a floating point or complex tensor as input. Got {d.scalar_name}"
            )
        need_kind(d, "Fc", "cholesky_cpu")
        array = value if isinstance(value, np.ndarray) else values_of(value.detach())
        found = np.array([_has_cholesky(array[at]) for at in np.ndindex(array.shape[:-2])], bool)
        found = found.reshape(array.shape[:-2])
        return found if isinstance(value, np.ndarray) else torch.tensor(found)


def _is_unread(value: np.ndarray | Tensor) -> bool:
    """Returns whether nothing may depend on the values while the function runs, as inside vmap."""
    return isinstance(value, Tensor) and not readable()


def _dtype(value: np.ndarray | Tensor) -> dtype:
    return from_numpy(value.dtype) if isinstance(value, np.ndarray) else value.dtype


def _has_cholesky(matrix: np.ndarray) -> bool:
    try:
        lower = np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return False
    # what follows an infinite pivot is nan, which NumPy's may pass over
    return bool(np.isfinite(lower[:, :-1]).all() and not np.isnan(lower).any())


# -- of several --------------------------------------------------------------------------------------------------------


class _Pieces(Constraint):
    """Several constraints for pieces along a dim."""

    def __init__(self, cseq, dim: int = 0) -> None:
        if not all(isinstance(c, Constraint) for c in cseq):
            raise AssertionError("all elements of cseq must be Constraint instances")
        self.cseq, self.dim = list(cseq), dim

    @property
    def is_discrete(self):  # type: ignore[override]
        """Returns whether any of them is."""
        return any(c.is_discrete for c in self.cseq)

    def _at(self, value) -> int:
        if not -value.ndim <= self.dim < value.ndim:
            raise AssertionError(f"dim {self.dim} is out of range for a value of {value.ndim} dims")
        return self.dim % value.ndim


def _joined(parts, dim: int, name: str):
    if isinstance(parts[0], np.ndarray):
        return (np.concatenate if name == "cat" else np.stack)(parts, dim)
    return getattr(torch, name)(parts, dim)


class _Cat(_Pieces):
    """Constraints for pieces of the sizes `lengths` along `dim`.

    >>> cat([positive, real], dim=0, lengths=[1, 2]).check(torch.tensor([1., -1., 0.]))
    tensor([True, True, True])
    """

    def __init__(self, cseq, dim: int = 0, lengths=None) -> None:
        super().__init__(cseq, dim)
        self.lengths = list(lengths) if lengths is not None else [1] * len(self.cseq)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError("lengths must have as many elements as cseq")

    @property
    def event_dim(self):  # type: ignore[override]
        """The largest of theirs."""
        return max(c.event_dim for c in self.cseq)

    def check(self, value):
        """Where each piece satisfies its constraint."""
        dim, start, parts = self._at(value), 0, []
        for constraint, length in zip(self.cseq, self.lengths):
            piece = value[(slice(None),) * dim + (slice(start, start + length),)]
            parts.append(constraint.check(piece))
            start += length
        return _joined(parts, self.dim, "cat")


class _Stack(_Pieces):
    """One constraint for each slice along `dim`.

    >>> stack([positive, real], dim=0).check(torch.tensor([1., -1.]))
    tensor([True, True])
    """

    @property
    def event_dim(self):  # type: ignore[override]
        """The largest of theirs, and one more if the dim is one of them."""
        largest = max(c.event_dim for c in self.cseq)
        return largest + 1 if self.dim + largest < 0 else largest

    def check(self, value):
        """Where each slice satisfies its constraint."""
        dim = self._at(value)
        parts = [c.check(value[(slice(None),) * dim + (i,)]) for i, c in enumerate(self.cseq)]
        return _joined(parts, self.dim, "stack")


dependent = _Dependent()
dependent_property = _DependentProperty
independent = _IndependentConstraint
boolean = _Boolean()
one_hot = _OneHot()
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
integer_interval = _IntegerInterval
real = _Real()
real_vector = independent(real, 1)
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
multinomial = _Multinomial
unit_interval = _Interval(0.0, 1.0)
interval = _Interval
half_open_interval = _HalfOpenInterval
simplex = _Simplex()
lower_triangular = _LowerTriangular()
lower_cholesky = _LowerCholesky()
corr_cholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
cat = _Cat
stack = _Stack
