"""Rules for primitives that change shapes."""

from __future__ import annotations

import math
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
    """The factors of some axes, to be taken one after the other for others; with each, whether it is free."""

    def __init__(self, axes: Sequence[Axis]):
        self.left: list[tuple[Size, bool]] = []
        for f, free in [(f, a.free) for a in axes for f in a.factors if f != 1]:
            # numbers that stand next to each other may be divided in any way
            if self.left and not isinstance(f, Dim) and not isinstance(self.left[-1][0], Dim):
                f, _ = product([self.left.pop()[0], f]), free
            self.left.append((f, free))

    def take(self, size: Size) -> list[tuple[Size, bool]]:
        """Factors whose product is `size`."""
        found: list[tuple[Size, bool]] = []
        rest = size
        while rest != 1:
            if not self.left:
                raise NoRule("reshape")
            first, free = self.left.pop(0)
            taken, back, rest = _part(first, rest, free)
            found.append((taken, free))
            if back != 1:
                self.left.insert(0, (back, free))
        return found


def _part(first: Size, wanted: Size, free: bool) -> tuple[Size, Size, Size]:
    """Splits the first factor to get the wanted size. Returns what is taken of it, what is left of it, and what is left
    of the wanted size."""
    if first == wanted:
        return first, 1, 1
    if isinstance(first, Dim):
        if isinstance(wanted, Dim) and first.length == wanted.length and wanted.times and first.times:
            more, less = wanted.times // first.times, first.times // wanted.times
            if more and product([first, more]) == wanted:
                return first, 1, more
            if less and product([wanted, less]) == first:
                return wanted, less, 1
        elif free and not isinstance(wanted, Dim) and (rest := first.divided(wanted)) is not None:
            return wanted, rest, 1  # all elements of it are equal: it may be taken apart in any way
        raise NoRule("reshape that takes apart a dimension with padding in it")
    if isinstance(wanted, Dim):
        rest = wanted.divided(first)
        if rest is not None:
            return first, 1, rest
        common = math.gcd(first, wanted.times, wanted.more)
        if common > 1:
            return common, first // common, wanted.divided(common)  # type: ignore[return-value]
        raise NoRule("reshape that divides a length")
    if wanted % first == 0:
        return first, 1, wanted // first
    if first % wanted == 0:
        return wanted, first // wanted, 1
    common = math.gcd(first, wanted)
    if common > 1:
        return common, first // common, wanted // common
    raise NoRule("reshape")


@rule("reshape")
def _reshape(to: Evaluation, eqn: Equation, x: Padded) -> Padded:
    """Factor by factor. What is free is an element for all, until it becomes a part of an axis that is not."""
    if (order := eqn.param("dimensions")) is not None:
        x = Padded(jax.lax.transpose(x.array, order), tuple([x.axes[k] for k in order]))
    left = _Factors(x.axes)
    taken = [left.take(size) for size in eqn.param("new_sizes")]
    if left.left:
        raise NoRule("reshape")
    axes, now, then = [], [], []
    for size, found in zip(eqn.param("new_sizes"), taken):
        free = isinstance(size, Dim) and all(f for _, f in found)
        axes.append(whole(size, free=True) if free else Axis(joined([f for f, _ in found])))
        now += [1 if f else to.lengths.at_most(s) for s, f in found]
        then += [1 if free else to.lengths.at_most(s) for s, _ in found]
    array = jax.lax.reshape(x.array, now)
    if now != then:
        array = jax.lax.broadcast_in_dim(array, then, tuple(range(len(then))))
    return Padded(jax.lax.reshape(array, to.lengths.shape(axes)), tuple(axes))


@rule("tile")
def _tile(to: Evaluation, eqn: Equation, x: Padded) -> Padded:
    reps = eqn.param("reps")
    if not all(isinstance(r, int) for r in reps):
        raise NoRule("tile as often as a length says")
    axes, shape, dims = [], [], []
    for axis, r, n in zip(x.axes, reps, x.array.shape):
        axes.append(Axis(joined((r, *axis.factors)), axis.free))
        shape += [1 if axis.free else r, n]
        dims.append(len(shape) - 1)
    axes = [whole(product(a.factors), free=True) if a.free else a for a in axes]
    array = jax.lax.broadcast_in_dim(x.array, shape, dims)
    return Padded(jax.lax.reshape(array, to.lengths.shape(axes)), tuple(axes))


@rule("squeeze")
def _squeeze(to: Evaluation, eqn: Equation, x: Padded) -> Padded:
    dims = {d % len(x.axes) for d in eqn.param("dimensions")}
    if any(product(x.axes[d].factors) != 1 for d in dims):
        raise NoRule("squeeze of a length")
    axes = tuple([a for k, a in enumerate(x.axes) if k not in dims])
    return Padded(jax.lax.squeeze(x.array, tuple(dims)), axes)


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
