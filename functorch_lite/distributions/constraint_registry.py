"""biject_to and transform_to: transforms from unconstrained tensors to the region of a constraint.

`biject_to(c)` is bijective; `transform_to(c)` need not be, is cheaper, and suits optimization.
"""

from __future__ import annotations

import numbers

from . import constraints, transforms, transforms_of_events

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """Registry of transforms by the kind of constraint that they lead to.

    >>> biject_to(constraints.unit_interval)
    SigmoidTransform()
    """

    def __init__(self) -> None:
        self._registry: dict[type, object] = {}

    def register(self, constraint, factory=None):
        """Registers `factory(constraint) -> transform` for a class of constraints (or a constraint's class); a
        decorator without it."""
        if factory is None:
            return lambda f: self.register(constraint, f)
        if isinstance(constraint, constraints.Constraint):
            constraint = type(constraint)
        if not (isinstance(constraint, type) and issubclass(constraint, constraints.Constraint)):
            raise TypeError(
                f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}"
            )
        self._registry[constraint] = factory
        return factory

    def __call__(self, constraint):
        """The transform that leads to `constraint`."""
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints") from None
        return factory(constraint)  # type: ignore[operator]


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()
_BOTH = (biject_to, transform_to)


def _register(*kinds, into=_BOTH):
    def keep(factory):
        for registry in into:
            for kind in kinds:
                registry.register(kind, factory)
        return factory

    return keep


@_register(constraints.real)
def _real(constraint):
    return transforms.identity_transform


for _registry in _BOTH:

    def _independent(constraint, registry=_registry):
        base = registry(constraint.base_constraint)
        return transforms.IndependentTransform(base, constraint.reinterpreted_batch_ndims)

    def _cat(constraint, registry=_registry):
        return transforms_of_events.CatTransform(
            [registry(c) for c in constraint.cseq], constraint.dim, constraint.lengths
        )

    def _stack(constraint, registry=_registry):
        return transforms_of_events.StackTransform([registry(c) for c in constraint.cseq], constraint.dim)

    _registry.register(constraints.independent, _independent)
    _registry.register(constraints.cat, _cat)
    _registry.register(constraints.stack, _stack)


@_register(constraints.positive, constraints.nonnegative)
def _above(constraint):
    parts = [transforms.ExpTransform(), transforms.AffineTransform(constraint.lower_bound, 1)]
    return transforms.ComposeTransform(parts)


@_register(constraints.less_than)
def _below(constraint):
    parts = [transforms.ExpTransform(), transforms.AffineTransform(constraint.upper_bound, -1)]
    return transforms.ComposeTransform(parts)


@_register(constraints.interval, constraints.half_open_interval)
def _between(constraint):
    low, high = constraint.lower_bound, constraint.upper_bound
    sigmoid = transforms.SigmoidTransform()
    if all(isinstance(b, numbers.Number) for b in (low, high)) and (low, high) == (0, 1):
        return sigmoid
    return transforms.ComposeTransform([sigmoid, transforms.AffineTransform(low, high - low)])


@_register(constraints.simplex, into=(biject_to,))
def _to_simplex(constraint):
    return transforms_of_events.StickBreakingTransform()


@_register(constraints.simplex, into=(transform_to,))
def _onto_simplex(constraint):
    return transforms_of_events.SoftmaxTransform()


@_register(constraints.lower_cholesky, into=(transform_to,))
def _to_lower_cholesky(constraint):
    return transforms_of_events.LowerCholeskyTransform()


@_register(constraints.positive_definite, constraints.positive_semidefinite, into=(transform_to,))
def _to_positive_definite(constraint):
    return transforms_of_events.PositiveDefiniteTransform()


@_register(constraints.corr_cholesky)
def _to_corr_cholesky(constraint):
    return transforms_of_events.CorrCholeskyTransform()
