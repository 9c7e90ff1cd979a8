"""Rules for what goes along an axis: reductions, whose padding is masked with what changes nothing, and what
accumulates."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from .axes import NoRule, Padded, plain
from .elementwise import combined
from .interpreter import Evaluation, rule
from .signatures import Equation

__all__: list[str] = []


def _least(dtype: Any) -> Any:
    if dtype == np.bool_:
        return False
    return -np.inf if jnp.issubdtype(dtype, jnp.inexact) else np.iinfo(dtype).min


def _largest(dtype: Any) -> Any:
    if dtype == np.bool_:
        return True
    return np.inf if jnp.issubdtype(dtype, jnp.inexact) else np.iinfo(dtype).max


_NEUTRAL = {
    "reduce_sum": lambda d: 0, "reduce_prod": lambda d: 1, "reduce_max": _least, "reduce_min": _largest, "reduce_and": lambda d: True if d == np.bool_ else -1,
    "reduce_or": lambda d: 0, "reduce_xor": lambda d: 0, "argmax": _least, "argmin": _largest,
}  # fmt: skip


@rule("reduce_sum", "reduce_prod", "reduce_max", "reduce_min", "reduce_and", "reduce_or", "reduce_xor")
def _reduce(to: Evaluation, eqn: Equation, x: Padded) -> Padded:
    dims = eqn.param("axes")
    if not isinstance(dims, tuple):
        raise NoRule(eqn.name)
    if jnp.issubdtype(x.dtype, jnp.complexfloating) and eqn.name not in ("reduce_sum", "reduce_prod"):
        raise NoRule(f"{eqn.name} of complex numbers")
    if eqn.name == "reduce_and" and jnp.issubdtype(x.dtype, jnp.unsignedinteger):
        raise NoRule("reduce_and of unsigned integers")
    array = to.lengths.masked(x, dims, _NEUTRAL[eqn.name](x.dtype))
    axes = tuple([a for k, a in enumerate(x.axes) if k not in dims])
    return Padded(to.bind(eqn, [array])[0], axes)


@rule("argmax", "argmin")
def _place_of_extreme(to: Evaluation, eqn: Equation, x: Padded) -> Padded:
    (dim,) = eqn.param("axes")
    if len(x.axes[dim].factors) > 1:
        raise NoRule(f"{eqn.name} along what was flattened")
    array = to.lengths.masked(x, (dim,), _NEUTRAL[eqn.name](x.dtype))
    axes = (*x.axes[:dim], *x.axes[dim + 1 :])
    return Padded(to.bind(eqn, [array])[0], axes)


@rule("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp")
def _accumulated(to: Evaluation, eqn: Equation, x: Padded) -> Padded:
    """Padding comes after what counts, unless it is walked backwards."""
    dim = eqn.param("axis")
    axis = x.axes[dim]
    if axis.free:
        x = to.lengths.whole(x, dim)
        axis = x.axes[dim]
    array = x.array
    if not axis.is_plain:
        neutral = {"cumsum": 0, "cumprod": 1, "cummax": _least(x.dtype), "cummin": _largest(x.dtype)}
        if eqn.name not in neutral or (len(axis.factors) > 1 and x.dtype.kind == "c"):
            raise NoRule(f"{eqn.name} along a length")
        array = to.lengths.masked(x, (dim,), neutral[eqn.name])
    return Padded(to.bind(eqn, [array])[0], x.axes)


@rule("sort", "top_k")
def _along(to: Evaluation, eqn: Equation, *xs: Padded) -> list[Padded]:
    """Along what is not padded."""
    ndim = len(xs[0].axes)
    dim = eqn.param("dimension") if eqn.name == "sort" else eqn.param("axis")
    dim %= ndim
    if not all(x.axes[dim].is_plain for x in xs):
        raise NoRule(f"{eqn.name} along a length")
    axes = list(combined(xs))
    made = to.bind(eqn, [to.lengths.spread(x, axes) for x in xs])
    if eqn.name == "top_k":
        axes[dim] = plain(made[0].shape[dim])
    return [Padded(a, tuple(axes)) for a in made]


@rule("place_of_rank")
def _place_of_rank(to: Evaluation, eqn: Equation, x: Padded, rank: Padded) -> Padded:
    """Along what is not padded."""
    x, dim = to.lengths.whole(x), eqn.param("axis")
    if not x.axes[dim].is_plain:
        raise NoRule("place_of_rank along a length")
    axes = [plain(1) if d == dim else axis for d, axis in enumerate(x.axes)]
    (made,) = to.bind(eqn, [x.array, to.lengths.spread(rank, axes)])
    return Padded(made, tuple(axes))
