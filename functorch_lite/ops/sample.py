"""Random numbers as pure functions of a key: the Threefry generator, and draws from distributions.

Everything is written for numpy and jax.numpy alike (`xp`): small eager draws run on the host, draws inside transforms
and compiled programs on the device, with the same bits. Source: Salmon et al., "Parallel random numbers: as easy as 1,
2, 3", SC 2011 (Threefry-2x32, 20 rounds).
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .._core.api import (
    Array,
    Number,
    Sizes,
    bits_by_numpy,
    for_cpu,
    is_at_least,
    op,
    threefry,
    words_by_numpy,
)
from .._core.api import dtype as DType


def _counters(xp, n: int):
    return xp.arange(n, dtype=np.uint32), xp.zeros(n, dtype=np.uint32)


_LARGE = 4096
"""Draws from which on it matters what XLA fuses."""


def _end_to_end(xp, pair, n: int):
    """The first n elements of the two arrays that pair() makes, one after the other.

    Many of them are joined by a loop: XLA for CPU would fuse a concatenation, and all that makes it, with what reads
    it, element by element (a million normal numbers: 6 ms instead of 60).
    """
    a, b = pair()
    if xp is np or not is_at_least(n, _LARGE) or not for_cpu():
        return xp.concatenate([a, b])[:n]
    return jax.lax.map(lambda first: jnp.where(first, a, b), jnp.array([True, False])).reshape(-1)[:n]


def bits32(xp, key, n: int) -> Any:
    """n random uint32."""
    if xp is np:
        return bits_by_numpy(key, n)
    return _end_to_end(xp, lambda: threefry(xp, key, *_counters(xp, (n + 1) // 2)), n)


def bits_of(key, shape: tuple[int, ...]):
    """bits32 of a shape."""
    return functorch_lite_bits(key, shape, for_cpu())


@partial(jax.jit, static_argnums=(1, 2))
def functorch_lite_bits(key, shape: tuple[int, ...], on_cpu: bool):
    """The same.

    By this function's name `_core/run/buckets` knows what is made, at whatever length; what is traced is kept, for each
    of CPUs and others."""
    return bits32(jnp, key, math.prod(shape)).reshape(shape)


def bits64(xp, key, n: int):
    """n random uint64."""
    a, b = words_by_numpy(key, n) if xp is np else threefry(xp, key, *_counters(xp, n))
    return (a.astype(np.uint64) << np.uint64(32)) | b.astype(np.uint64)


def uniform01(xp, key, n: int, kind):
    """n uniform numbers in [0, 1): 24 random bits for float32 and narrower, 53 for float64."""
    if kind == np.float64:
        return (bits64(xp, key, n) >> np.uint64(11)).astype(np.float64) * (2.0**-53)
    return _in_unit(bits32(xp, key, n))


def _in_unit(bits):
    """Numbers in [0, 1), of 24 of the bits."""
    return (bits >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-24)


def _uniform(xp, bits, d: DType):
    u = _in_unit(bits).astype(d.np)
    return u if d.itemsize > 2 else xp.where(u == 1, u.dtype.type(0), u)  # what was rounded up to 1


def standard_normal(xp, key, n: int, kind):
    """n standard normal numbers, by Box and Muller's transformation."""
    wide = np.float64 if kind == np.float64 else np.float32
    half = (n + 1) // 2
    u = uniform01(xp, key, 2 * half, wide)
    radius = xp.sqrt(wide(-2.0) * xp.log1p(-u[:half]))
    angle = wide(2.0 * math.pi) * u[half:]
    return _end_to_end(xp, lambda: (radius * xp.cos(angle), radius * xp.sin(angle)), n)


def draw(xp, kind: str, key, n: int, d: DType) -> Any:
    """n draws as a flat array: kind is 'uniform' in [0, 1), 'normal' (0, 1), 'exponential' (1), 'bits' or
    'permutation'."""
    if kind == "bits":
        return (bits64(xp, key, n) >> np.uint64(1)).astype(np.int64)
    if kind == "permutation":
        return _order(xp, bits64(xp, key, n)).astype(d.np)
    if d.is_complex:
        both = standard_normal(xp, key, 2 * n, d.to_real().np) * d.to_real().np.type(math.sqrt(0.5))
        return (both[:n] + 1j * both[n:]).astype(d.np)
    if kind == "uniform":
        return uniform01(xp, key, n, d.np) if d.np == np.float64 else _uniform(xp, bits32(xp, key, n), d)
    if kind == "normal":
        return standard_normal(xp, key, n, d.np).astype(d.np)
    if kind == "exponential":
        return -xp.log1p(-uniform01(xp, key, n, d.np)).astype(d.np)
    raise ValueError(f"no such distribution: {kind}")


def _order(xp, bits) -> Any:
    """The positions of numbers in ascending order; equal numbers keep their order.

    NumPy sorts numbers whose last bits say where they were in a twelfth of the time (randperm 100000: 8.1 ms, so 2.0);
    where only those bits tell two of them apart, it sorts again."""
    if xp is np and bits.size > 1:
        width = np.uint64((bits.size - 1).bit_length())
        place = (np.uint64(1) << width) - np.uint64(1)
        packed = np.sort((bits & ~place) | np.arange(bits.size, dtype=np.uint64))
        first = packed >> width
        if (first[1:] != first[:-1]).all():
            return packed & place
    return xp.argsort(bits, stable=True)


@op(name="_independent", method=False, out=False)
def _independent(value: Array, input: Array, refusal: str | None) -> Array:
    """`value`, whose derivative by `input` is zero, or raises NotImplementedError with the sentence `refusal`."""

    def derivative(primals, tangents):
        if refusal is not None:
            raise NotImplementedError(refusal)
        return primals[0], tangents[0]

    held = jax.custom_jvp(lambda value, input: value)
    held.defjvp(derivative)
    return held(value, input)


@op(name="_draw", method=False, out=False)
def _draw(key: Array, kind: str, size: Sizes, dtype: DType) -> Array:
    """Draws of `kind`, of shape `size`, from a key of two uint32 words."""
    if kind == "uniform" and not dtype.is_complex and dtype.np != np.float64:
        return _uniform(jnp, bits_of(key, tuple(size)), dtype)
    n = math.prod(size)
    return draw(jnp, kind, key, n, dtype).reshape(size)


@op(name="_within", method=False, out=False)
def _within(bits: Array, low: Number, span: Number) -> Array:
    """int64s that are not negative as numbers in [low, low + span): their rests by `span`, for all spans below 2^63.

    On a CPU quotients are estimated in float64, twice, because int64 has no vector division.
    """
    low, span = (jnp.asarray(x).astype(np.int64) for x in (low, span))
    if not for_cpu():
        return jax.lax.rem(bits, jnp.broadcast_to(span, bits.shape)) + low
    inverse = 1 / span.astype(np.float64)
    rest = bits
    for _ in range(2):  # the first leaves at most 2^12 + span, of either sign
        rest = rest - jnp.floor(rest.astype(np.float64) * inverse).astype(np.int64) * span
    rest = jnp.where(rest < 0, rest + span, jnp.where(rest >= span, rest - span, rest))
    return rest + low


@op(name="_fold_key", method=False, out=False)
def _fold_key(key: Array, lane: Array) -> Array:
    """A key of its own for each lane of a vmap."""
    a, b = threefry(jnp, key, lane.astype(np.uint32), jnp.full(lane.shape, 0x9E3779B9, np.uint32))
    return jnp.stack([a, b])


@op(name="_scaled", method=False, out=False)
def _scaled(draws: Array, scale: Number, shift: Number) -> Array:
    """draws * scale + shift in the draws' dtype."""
    return (draws * scale + shift).astype(draws.dtype)
