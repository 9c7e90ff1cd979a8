"""Rules for primitives that change shapes."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp

from .axes import Axis, Dim, NoRule, Padded, Size, joined, plain, product, whole
from .elementwise import combined
from .interpreter import Evaluation, rule
from .signatures import Equation

__all__: list[str] = []


@rule("broadcast_in_dim")
def _broadcast_in_dim(to: Evaluation, eqn: Equation, x: Padded, *sizes: Padded) -> Padded:
    if sizes:
        raise NoRule("broadcast_in_dim to a size that is computed")
    shape: Sequence[Size] = eqn.param("shape")
    dims = eqn.param("broadcast_dimensions")
    of = dict(zip(dims, x.axes))
    axes = []
    for k, size in enumerate(shape):
        axis = of.get(k)
        same = axis is not None and product(axis.factors) == size
        axes.append(axis if same else whole(size, free=True))
    array = jax.lax.broadcast_in_dim(x.array, to.lengths.shape(axes), tuple(dims))  # type: ignore[arg-type]
    return Padded(array, tuple(axes))  # type: ignore[arg-type]


class _Factors:
    """The factors of some axes, to be taken one after the other for others."""

    def __init__(self, axes: Sequence[Axis]):
        self.left: list[tuple[Size, bool]] = []
        for a in axes:
            self.left += [(f, a.free) for f in a.factors if f != 1]

    def take(self, size: Size) -> tuple[list[Size], bool]:
        """Factors whose product is `size`, and whether all of them are free."""
        found: list[Size] = []
        free = True
        rest = size
        while rest != 1:
            if not self.left:
                raise NoRule("reshape")
            first, is_free = self.left.pop(0)
            taken, back, rest = _part(first, rest)
            found.append(taken)
            if back != 1:
                self.left.insert(0, (back, is_free))
            free = free and is_free
        return found, free


def _part(first: Size, wanted: Size) -> tuple[Size, Size, Size]:
    """What of the first factor is taken for the wanted size, what is left of it, and what of the wanted size."""
    if first == wanted:
        return first, 1, 1
    if isinstance(first, Dim):
        if isinstance(wanted, Dim) and first.length == wanted.length and wanted.times and first.times:
            if wanted.times % first.times == 0:
                k = wanted.times // first.times
                if first.more * k == wanted.more:
                    return first, 1, k
            if first.times % wanted.times == 0:
                k = first.times // wanted.times
                if wanted.more * k == first.more:
                    return wanted, k, 1
        raise NoRule("reshape that takes apart a dimension with padding in it")
    if isinstance(wanted, Dim):
        rest = wanted.divided(first)
        if rest is not None:
            return first, 1, rest
        raise NoRule("reshape that divides a length")
    if wanted % first == 0:
        return first, 1, wanted // first
    if first % wanted == 0:
        return wanted, first // wanted, 1
    raise NoRule("reshape")


@rule("reshape")
def _reshape(to: Evaluation, eqn: Equation, x: Padded) -> Padded:
    if eqn.param("dimensions") is not None:
        raise NoRule("reshape in another order")
    sizes: Sequence[Size] = eqn.param("new_sizes")
    # numbers that stand next to each other may be divided in any way: here all are joined first
    left = _Factors(x.axes)
    merged: list[tuple[Size, bool]] = []
    for f, free in left.left:
        if merged and not isinstance(f, Dim) and not isinstance(merged[-1][0], Dim):
            merged[-1] = (product([merged[-1][0], f]), False)
        else:
            merged.append((f, free))
    left.left = merged
    axes = []
    for size in sizes:
        factors, free = left.take(size)
        if not isinstance(size, Dim):
            axes.append(plain(size))
        elif free:
            axes.append(whole(size, free=True))
        else:
            axes.append(Axis(joined(factors)))
    if left.left:
        raise NoRule("reshape")
    # free ones that stay so are as they are; the others are spread, over the factors that were found for them
    if any(a.free for a in x.axes):
        x = _spread_for(to, x, axes)
    return Padded(jax.lax.reshape(x.array, to.lengths.shape(axes)), tuple(axes))


def _spread_for(to: Evaluation, x: Padded, axes: Sequence[Axis]) -> Padded:
    """Free axes of an operand are spread, but for those whose whole size is a free axis of the result."""
    stay = [product(a.factors) for a in axes if a.free]
    dims = []
    for k, a in enumerate(x.axes):
        if a.free:
            if product(a.factors) in stay:
                stay.remove(product(a.factors))
            else:
                dims.append(k)
    if stay:
        raise NoRule("reshape of a constant along a length")
    return to.lengths.whole(x, *dims) if dims else x


@rule("squeeze")
def _squeeze(to: Evaluation, eqn: Equation, x: Padded) -> Padded:
    dims = {d % len(x.axes) for d in eqn.param("dimensions")}
    if any(product(x.axes[d].factors) != 1 for d in dims):
        raise NoRule("squeeze of a length")
    axes = tuple([a for k, a in enumerate(x.axes) if k not in dims])
    return Padded(jax.lax.squeeze(x.array, tuple(dims)), axes)


@rule("expand_dims")
def _expand_dims(to: Evaluation, eqn: Equation, x: Padded) -> Padded:
    axes = list(x.axes)
    for d in sorted(eqn.param("dimensions")):
        axes.insert(d, plain(1))
    return Padded(jax.lax.expand_dims(x.array, eqn.param("dimensions")), tuple(axes))


@rule("transpose")
def _transpose(to: Evaluation, eqn: Equation, x: Padded) -> Padded:
    order = eqn.param("permutation")
    return Padded(jax.lax.transpose(x.array, order), tuple([x.axes[k] for k in order]))


@rule("stack")
def _stack(to: Evaluation, eqn: Equation, *xs: Padded) -> Padded:
    axes, at = combined(xs), eqn.param("axis")
    array = jnp.stack([to.lengths.spread(x, axes) for x in xs], at)
    return Padded(array, (*axes[:at], plain(len(xs)), *axes[at:]))


@rule("unstack")
def _unstack(to: Evaluation, eqn: Equation, x: Padded) -> list[Padded]:
    at = eqn.param("axis")
    if not x.axes[at].is_plain:
        raise NoRule("unstack along a length")
    axes = (*x.axes[:at], *x.axes[at + 1 :])
    return [Padded(a, axes) for a in to.bind(eqn, [x.array])]


@rule("rev")
def _rev(to: Evaluation, eqn: Equation, x: Padded) -> Padded:
    dims = eqn.param("dimensions")
    if not all(x.axes[d].is_plain or x.axes[d].free for d in dims):
        raise NoRule("rev along a length")
    return Padded(jax.lax.rev(x.array, dims), x.axes)


@rule("iota")
def _iota(to: Evaluation, eqn: Equation) -> Padded:
    shape, dim = eqn.param("shape"), eqn.param("dimension")
    size = shape[dim]
    if isinstance(size, Dim) and (size.times != 1):
        raise NoRule("iota of several lengths")
    axes = tuple([whole(s, free=k != dim) for k, s in enumerate(shape)])
    array = jax.lax.broadcasted_iota(eqn.raw.params["dtype"], to.lengths.shape(axes), dim)
    return Padded(array, axes)
