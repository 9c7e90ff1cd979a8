"""Rules for parts of arrays that are where it is known when a program is made, but for the length: slices, padding,
concatenation."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from .axes import Axis, Dim, NoRule, Padded, Size, plain, plus, product, whole
from .elementwise import combined
from .interpreter import Evaluation, rule
from .signatures import Equation

__all__: list[str] = []


def _put(buffer: Any, part: Any, at: Any, dim: int) -> Any:
    """`part` written into a buffer that it fits into, at a place along `dim`."""
    return jax.lax.dynamic_update_slice_in_dim(buffer, part, at, dim)


def _sliced(to: Evaluation, x: Padded, dim: int, first: Size, size: Size) -> Padded:
    """`size` places along an axis from `first` on."""
    axis = x.axes[dim]
    there = product(axis.factors)
    if first == 0 and size == there:
        return x
    out = whole(size) if isinstance(size, Dim) else plain(size)  # type: ignore[arg-type]
    axes = (*x.axes[:dim], out, *x.axes[dim + 1 :])
    n = to.lengths.at_most(size)
    if axis.is_plain and not isinstance(first, Dim) and not isinstance(size, Dim):
        return Padded(jax.lax.slice_in_dim(x.array, first, first + n, axis=dim), axes)
    if axis.free:
        axes = (*x.axes[:dim], whole(size, free=True), *x.axes[dim + 1 :])
        return Padded(to.lengths.spread(Padded(x.array, axes), axes), axes)
    if len(axis.factors) > 1:
        raise NoRule("slice of what was flattened")
    # where it does not end within the array as it is compiled, what is beyond counts for nothing
    last = to.lengths.at_most(first) + n
    more = max(0, last - x.array.shape[dim])
    array = x.array
    if more:
        array = jax.lax.pad(
            array, jnp.zeros((), array.dtype), [(0, more if k == dim else 0, 0) for k in range(array.ndim)]
        )
    if isinstance(first, Dim):
        if first.times < 0:
            raise NoRule("slice that begins the earlier, the longer the length is")
        return Padded(jax.lax.dynamic_slice_in_dim(array, to.lengths.now(first), n, dim), axes)
    return Padded(jax.lax.slice_in_dim(array, first, first + n, axis=dim), axes)


@rule("slice")
def _slice(to: Evaluation, eqn: Equation, x: Padded) -> Padded:
    starts, limits, strides = (eqn.param(n) for n in ("start_indices", "limit_indices", "strides"))
    for dim, told in enumerate(eqn.outs[0].shape):
        start, limit, stride = starts[dim], limits[dim], strides[dim] if strides is not None else 1
        if stride != 1:
            if not x.axes[dim].is_plain or not isinstance(told, int):
                raise NoRule("slice with steps along a length")
            x = Padded(
                jax.lax.slice_in_dim(x.array, start, limit, stride, dim),
                (*x.axes[:dim], plain(told), *x.axes[dim + 1 :]),
            )
        else:
            x = _sliced(to, x, dim, start, plus(limit, start, -1))
    return x


@rule("split")
def _split(to: Evaluation, eqn: Equation, x: Padded) -> list[Padded]:
    dim, outs = eqn.param("axis"), []
    first: Size = 0
    for size in eqn.param("sizes"):
        outs.append(_sliced(to, x, dim, first, size))
        first = plus(first, size)
    return outs


@rule("pad")
def _pad(to: Evaluation, eqn: Equation, x: Padded, value: Padded) -> Padded:
    """Along a length: what counts is written into a buffer of the value, where it belongs now."""
    told = eqn.outs[0].shape
    fixed = []
    for dim, (low, high, between) in enumerate(eqn.param("padding_config")):
        axis = x.axes[dim]
        if axis.is_plain and all(isinstance(p, int) for p in (low, high, between)):
            fixed.append((low, high, between))
            continue
        fixed.append((0, 0, 0))
        if (low, high) == (0, 0) and (between == 0 or not isinstance(between, Dim)):
            if between != 0:
                raise NoRule("pad between the places of a length")
            continue
        if between != 0 or isinstance(between, Dim):
            raise NoRule("pad between the places of a length")
        x = _padded(to, x, _Pad(dim, low, told[dim]), value.array)
    array = jax.lax.pad(x.array, value.array, fixed)
    axes = [plain(array.shape[d]) if a.is_plain else a for d, a in enumerate(x.axes)]
    return Padded(array, tuple(axes))


class _Pad(NamedTuple):
    """Padding at the beginning of a dimension, and the size that it has then."""

    dim: int
    low: Size
    size: Size


def _padded(to: Evaluation, x: Padded, pad: _Pad, value: Any) -> Padded:
    dim, low, size = pad
    x = to.lengths.whole(x, dim) if x.axes[dim].free else x
    if len(x.axes[dim].factors) > 1:
        raise NoRule("pad of what was flattened")
    array = to.lengths.masked(x, (dim,), value) if not x.axes[dim].is_plain else x.array
    if not isinstance(low, Dim) and low < 0:
        array = jax.lax.slice_in_dim(array, -low, array.shape[dim], axis=dim)
        low = 0
    elif isinstance(low, Dim) and low.times < 0:
        raise NoRule("pad that begins with the less, the longer the length is")
    n = to.lengths.at_most(size)
    at = to.lengths.now(low)
    shape = list(array.shape)
    shape[dim] += max(n, to.lengths.at_most(low))
    buffer = _put(jnp.broadcast_to(value, shape), array, at, dim)
    out = whole(size) if isinstance(size, Dim) else plain(size)
    return Padded(jax.lax.slice_in_dim(buffer, 0, n, axis=dim), (*x.axes[:dim], out, *x.axes[dim + 1 :]))


@rule("concatenate")
def _concatenate(to: Evaluation, eqn: Equation, *xs: Padded) -> Padded:
    """One part after the other, each over the padding of the one before."""
    dim = eqn.param("dimension")
    others = [Padded(None, (*x.axes[:dim], plain(1), *x.axes[dim + 1 :])) for x in xs]
    axes = list(combined(others))
    parts = []
    for x in xs:
        axes[dim] = x.axes[dim]._replace(free=False)
        parts.append(Padded(to.lengths.spread(x, axes), tuple(axes)))
    if all(p.axes[dim].is_plain for p in parts):
        array = jax.lax.concatenate([p.array for p in parts], dim)
        axes[dim] = plain(array.shape[dim])
        return Padded(array, tuple(axes))
    if any(len(p.axes[dim].factors) > 1 for p in parts):
        raise NoRule("concatenate of what was flattened")
    told = eqn.outs[0].shape[dim]
    axes[dim] = Axis((told,))
    shape = list(parts[0].array.shape)
    shape[dim] = sum(p.array.shape[dim] for p in parts)
    buffer = jnp.zeros(shape, parts[0].array.dtype)
    at: Size = 0
    for p in parts:
        buffer = _put(buffer, p.array, to.lengths.now(at), dim)
        at = plus(at, product(p.axes[dim].factors))
    n = to.lengths.at_most(told)
    return Padded(jax.lax.slice_in_dim(buffer, 0, n, axis=dim), tuple(axes))
