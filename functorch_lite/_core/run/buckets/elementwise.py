"""Rules for elementwise primitives: padding stays padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from ...jaxprs.primitives import Kind, of_kind
from ...lazy.bounds import Bound
from .axes import Axis, NoRule, Padded, plain, whole
from .interpreter import Evaluation, rule
from .signatures import Equation

__all__ = ["combined"]


def combined(xs: Sequence[Padded]) -> tuple[Axis, ...]:
    """The axes of what arrays of one shape are put together to; scalars go with all, and an axis of one element with
    any. Raises NoRule where their padding lies apart."""
    ndim = max(len(x.axes) for x in xs)
    axes = []
    for several in zip(*[x.axes for x in xs if len(x.axes) == ndim]):
        longer = [a for a in several if a != _ONE] or several
        fixed = {a for a in longer if not a.free}
        if len(fixed) > 1:
            raise NoRule("elements that lie apart, as where a flattened dimension meets one that was not")
        axes.append(fixed.pop() if fixed else longer[0])
    return tuple(axes)


_ONE = plain(1)


def _spread(to: Evaluation, x: Padded, axes: Sequence[Axis]) -> Any:
    if len(x.axes) < len(axes):
        return x.array
    return to.lengths.spread(x, [_ONE if a == _ONE else b for a, b in zip(x.axes, axes)])


@rule(*of_kind(Kind.POINTWISE), "copy", "reduce_precision", "threefry2x32")
def _elementwise(to: Evaluation, eqn: Equation, *xs: Padded) -> list[Padded]:
    axes = combined(xs)
    return [Padded(a, axes) for a in to.bind(eqn, [_spread(to, x, axes) for x in xs])]


@rule("bitcast_convert_type")
def _bits(to: Evaluation, eqn: Equation, x: Padded) -> list[Padded]:
    if eqn.outs[0].dtype.itemsize != x.dtype.itemsize:
        raise NoRule("numbers that are read as some of another size")
    return [Padded(a, x.axes) for a in to.bind(eqn, [x.array])]


@rule("optimization_barrier")
def _barrier(to: Evaluation, eqn: Equation, *xs: Padded) -> list[Padded]:
    return [Padded(a, x.axes) for a, x in zip(to.bind(eqn, [x.array for x in xs]), xs)]


@rule("reads", "forward_only", "gradient_apart", "stop_gradient")
def _first(to: Evaluation, eqn: Equation, x: Padded, *others: Padded) -> Padded:
    return x


@rule("bounded")
def _bounded(to: Evaluation, eqn: Equation, x: Padded) -> Padded:
    _look(to, eqn, x)
    return x


@rule("required")
def _required(to: Evaluation, eqn: Equation, x: Padded, wrong: Padded) -> Padded:
    _look(to, eqn, wrong)
    return x


def _look(to: Evaluation, eqn: Equation, x: Padded) -> None:
    """Looks at an array of which an equation states a bound."""
    bound = Bound(**eqn.raw.params)
    if to.seen is not None and bound.says:
        every = to.lengths.whole(x)
        counts = Padded(jnp.ones(every.array.shape, bool), every.axes)
        mask = None if x.is_plain else to.lengths.masked(counts, range(len(x.axes)), False)
        to.seen.see(every.array, bound, to.lengths.now(eqn.param("size")), mask)


@rule("nothing")
def _nothing(to: Evaluation, eqn: Equation, *xs: Padded) -> Padded:
    axes = tuple([whole(s, free=True) for s in eqn.outs[0].shape])
    return Padded(jnp.zeros(to.lengths.shape(axes), eqn.outs[0].dtype), axes)
