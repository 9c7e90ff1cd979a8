"""Axes of padded arrays: products of sizes, some of which are the first of a longer one, and which of their places
count."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

__all__ = [
    "Axis", "Dim", "Lengths", "NoRule", "Padded", "Size", "bucket", "joined", "plain", "plus", "product", "whole",
]  # fmt: skip


class NoRule(Exception):
    """Raised for what cannot be padded: which primitive, and why."""


class Dim(NamedTuple):
    """A size that differs: `times * length + more` of the length of this number."""

    length: int
    times: int
    more: int

    def of(self, lengths: Sequence[int]) -> int:
        """The size at these lengths."""
        return self.times * lengths[self.length] + self.more

    def __str__(self) -> str:
        return f"{self.times}n{self.more:+}" if self.times != 1 or self.more else "n"

    def divided(self, by: int) -> Dim | None:
        """This size divided by a number, if that leaves no rest whatever the length is."""
        if by == 0 or self.times % by or self.more % by:
            return None
        return Dim(self.length, self.times // by, self.more // by)


Size = int | Dim


def plus(a: Size, b: Size, sign: int = 1) -> Size:
    """a + sign * b."""
    if not isinstance(a, Dim) and not isinstance(b, Dim):
        return a + sign * b
    x = a if isinstance(a, Dim) else Dim(b.length, 0, a)  # type: ignore[union-attr]
    y = b if isinstance(b, Dim) else Dim(x.length, 0, b)
    if x.length != y.length:
        raise NoRule("the sum of two lengths that differ apart from each other")
    times, more = x.times + sign * y.times, x.more + sign * y.more
    return Dim(x.length, times, more) if times else more


def bucket(n: int) -> int:
    """The next of 2^k and 3·2^(k-1)."""
    if n <= 2:
        return max(n, 1)
    whole = 1 << (n - 1).bit_length()
    return whole * 3 // 4 if n <= whole * 3 // 4 else whole


class Axis(NamedTuple):
    """An axis: the product of its factors, the first one outermost.

    Of a factor that is a Dim, places from its size on are padding.

    free: all elements along it are equal; the array holds one of them.
    """

    factors: tuple[Size, ...]
    free: bool = False

    @property
    def is_plain(self) -> bool:
        """Returns whether nothing of it is padding."""
        return not any(isinstance(f, Dim) for f in self.factors)


def plain(d: int) -> Axis:
    """An axis without padding."""
    return Axis((d,))


def whole(size: Size, free: bool = False) -> Axis:
    """An axis of one factor."""
    return Axis((size,), free and isinstance(size, Dim))


def product(factors: Sequence[Size]) -> Size:
    """The size that factors make."""
    number = math.prod([f for f in factors if not isinstance(f, Dim)])
    dims = [f for f in factors if isinstance(f, Dim)]
    if not dims:
        return number
    if len(dims) > 1:
        raise NoRule("an axis made of two lengths")
    (d,) = dims
    return Dim(d.length, d.times * number, d.more * number)


def joined(factors: Sequence[Size]) -> tuple[Size, ...]:
    """Factors in their normal form: numbers joined, also to a Dim that they follow (whose padding then is in one
    piece)."""
    out: list[Size] = []
    for f in factors:
        if isinstance(f, Dim) or not out:
            if f != 1 or isinstance(f, Dim):
                out.append(f)
        elif f != 1:
            out[-1] = product([out[-1], f])
    return tuple(out) or (1,)


class Padded(NamedTuple):
    """An array and its axes. What is in its padding may be anything."""

    array: Any
    axes: tuple[Axis, ...]

    @property
    def is_plain(self) -> bool:
        """Returns whether it has no padding."""
        return all(a.is_plain for a in self.axes)

    @property
    def dtype(self) -> Any:
        """Its dtype."""
        return self.array.dtype


class Lengths:
    """The lengths of a program: as it is compiled (`padded`), and as they are when it runs (`real`, int64 scalars)."""

    def __init__(self, padded: Sequence[int], real: Sequence[Any]):
        self.padded = padded
        self._real = real

    def at_most(self, size: Size) -> int:
        """A size as it is compiled."""
        return size.of(self.padded) if isinstance(size, Dim) else size

    def now(self, size: Size) -> Any:
        """A size as it is when the program runs: an int, or an int64 scalar."""
        return self._real[size.length] * size.times + size.more if isinstance(size, Dim) else size

    def extent(self, axis: Axis) -> int:
        """How long an axis of an array is."""
        if any(isinstance(f, Dim) and f.times < 0 for f in axis.factors):
            raise NoRule("a size that is the less, the longer a length is")
        return 1 if axis.free else math.prod([self.at_most(f) for f in axis.factors])

    def shape(self, axes: Sequence[Axis]) -> tuple[int, ...]:
        """The shape of an array."""
        return tuple([self.extent(a) for a in axes])

    # -- places -------------------------------------------------------------------------------------------------------

    def counts(self, axis: Axis) -> Any:
        """Returns a mask of the places along an axis that count; None if all do."""
        if axis.is_plain or axis.free:
            return None
        left = np.arange(self.extent(axis), dtype=np.int64)
        counts = None
        for f in reversed(axis.factors):
            at, left = left % self.at_most(f), left // self.at_most(f)
            if isinstance(f, Dim):
                here = jnp.asarray(at) < self.now(f)
                counts = here if counts is None else counts & here
        return counts

    def number(self, axis: Axis) -> Any:
        """The number that each place along an axis has among those that count."""
        left = np.arange(self.extent(axis), dtype=np.int64)
        total: Any = 0
        stride: Any = 1
        for f in reversed(axis.factors):
            at, left = left % self.at_most(f), left // self.at_most(f)
            total = total + jnp.asarray(at) * stride
            stride = stride * self.now(f)
        return total

    def place(self, axis: Axis, number: Any) -> Any:
        """Where in an axis the element of this number (int64) is."""
        left, total, stride = number, 0, 1
        for f in reversed(axis.factors[1:]):
            total = total + left % self.now(f) * stride
            left = left // self.now(f)
            stride *= self.at_most(f)
        return total + left * stride

    # -- arrays -------------------------------------------------------------------------------------------------------

    def spread(self, x: Padded, axes: Sequence[Axis]) -> Any:
        """The array with these axes, which are its own but where its own are free."""
        shape = self.shape(axes)
        if x.array.shape == shape:
            return x.array
        return jax.lax.broadcast_in_dim(x.array, shape, tuple(range(len(shape))))

    def whole(self, x: Padded, *dims: int) -> Padded:
        """The same with the axes of these numbers (by default all) not free."""
        axes = [Axis(a.factors) if a.free and (not dims or i in dims) else a for i, a in enumerate(x.axes)]
        return Padded(self.spread(x, axes), tuple(axes))

    def masked(self, x: Padded, dims: Sequence[int], value: Any) -> Any:
        """The array, with `value` in the padding of these dims."""
        x = self.whole(x, *[d for d in dims if x.axes[d].free]) if any(x.axes[d].free for d in dims) else x
        mask = None
        for d in dims:
            counts = self.counts(x.axes[d])
            if counts is not None:
                counts = jax.lax.broadcast_in_dim(counts, x.array.shape, (d,))
                mask = counts if mask is None else mask & counts
        if mask is None:
            return x.array
        return jax.lax.select(mask, x.array, jnp.full(x.array.shape, value, x.array.dtype))
