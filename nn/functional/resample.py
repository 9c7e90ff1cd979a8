"""Resampling of images: interpolate, grid_sample, affine_grid."""

from __future__ import annotations

import functools
import itertools
import math
import operator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from functorch_lite._core.api import Array

from ._asked import CORNERS, UNIT_GRID
from ._contracts import resample as contract
from ._declare import compute, nn_op
from .adaptive_pool import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d

__all__ = ["affine_grid", "grid_sample", "interpolate"]


def _real(x):
    """The type torch computes coordinates in."""
    return np.float64 if x.dtype == jnp.float64 else np.float32


_COUNTED = 1 << 16
"""Limit of the elements along an axis for which their places in the input are a constant of the program, not computed
on the way."""


def _xp(size: int) -> Any:
    """The library that computes where `size` elements lie: by NumPy it is a constant of the program."""
    return np if size <= _COUNTED else jnp


def _nearest(x, axis, size, scale, exact: bool):
    real, old, xp = _real(x), x.shape[axis], _xp(size)
    if not exact and x.ndim == 4 and size in (old, 2 * old):  # whatever the scale, in images, as in torch
        scale = None
    ratio = _ratio(real, old, size, scale, False)
    at = xp.arange(size, dtype=real)
    places = xp.minimum(xp.floor((at + real(0.5)) * ratio if exact else at * ratio).astype(int), old - 1)
    if xp is np and size % old == 0 and (places == np.arange(size) // (size // old)).all():
        return jnp.repeat(x, size // old, axis)
    return jnp.take(x, places, axis, mode="clip")


def _ratio(real, old: int, size: int, scale, align: bool):
    """Returns the distance in the input of neighbours of the result."""
    if align:
        return real(old - 1) / real(size - 1) if size > 1 else real(0)
    return real(1 / scale) if scale else real(old) / real(size)


def _source(real, old: int, size: int, scale, align: bool, xp: Any = np):
    """Returns the places of the result's elements in the input."""
    at, ratio = xp.arange(size, dtype=real), _ratio(real, old, size, scale, align)
    return at * ratio if align else ratio * (at + real(0.5)) - real(0.5)


def _along(values, axis: int, ndim: int):
    return values.reshape((-1,) + (1,) * (ndim - axis - 1))


def _linear(x, axis, size, scale, align):
    old = x.shape[axis]
    if size == old:  # whatever the scale, as in torch
        return x
    xp = _xp(size)
    at = xp.maximum(_source(_real(x), old, size, scale, align, xp), 0)
    low = xp.minimum(xp.floor(at).astype(int), old - 1)
    high = low + (low < old - 1)
    share = xp.clip(at - low, 0, 1).astype(_real(x))
    return _weighted(x, axis, [low, high], [1 - share, share])


_NEAR = 512
"""Elements along an axis up to which derivatives are products with the matrix of all shares."""


def _weighted(x, axis, places, weights):
    """The sum of taps: elements from places along an axis, times weights."""

    def taken(x):
        parts = [jnp.take(x, p, axis, mode="clip") * _along(w, axis, x.ndim) for p, w in zip(places, weights)]
        return functools.reduce(operator.add, parts)

    old, size = x.shape[axis], len(places[0])
    if max(old, size) > _NEAR:
        return taken(x)
    matrix = np.zeros((size, old), weights[0].dtype)
    for p, w in zip(places, weights):
        np.add.at(matrix, (np.arange(size), p), w)
    product, guarded = _as_product(axis, matrix, taken)
    alone = jax.custom_jvp(taken)  # where nothing is differentiated
    alone.defjvp(lambda primals, tangents: (guarded(*primals), product(*tangents)))
    return alone(x)


def _as_product(axis, matrix, taps):
    """Resampling along an axis by a product with the matrix of all shares; and the same, but by taps where a nan or
    an infinity would spread all along the axis. The derivative of both is the product: the derivative of gathering
    would add elements one by one, which takes about ten times as long."""

    def product(x):
        return jnp.moveaxis(jnp.tensordot(x, jnp.asarray(matrix), ((axis,), (1,))), -1, axis)

    @jax.custom_jvp
    def guarded(x):
        return jax.lax.cond(jnp.isfinite(x).all(), product, taps, x)

    guarded.defjvp(lambda primals, tangents: (guarded(*primals), product(*tangents)))
    return product, guarded


def _cubic_weights(t, xp):
    """Keys's cubic convolution with a = -0.75, the taps at -1, 0, 1, 2 from a point at t in [0, 1)."""
    a = -0.75

    def near(d):
        return ((a + 2) * d - (a + 3)) * d * d + 1

    def far(d):
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a

    return far(t + 1), near(t), near(1 - t), far(2 - t)


def _cubic(x, axis, size, scale, align):
    old = x.shape[axis]
    if size == old and (align or not scale or scale == 1):
        return x
    xp = _xp(size)
    at = _source(_real(x), old, size, scale, align, xp)
    low = xp.floor(at).astype(int)
    weights = [w.astype(_real(x)) for w in _cubic_weights((at - low).astype(_real(x)), xp)]
    return _weighted(x, axis, [xp.clip(low + tap, 0, old - 1) for tap in (-1, 0, 1, 2)], weights)


def _triangle(d):
    return np.maximum(1 - np.abs(d), 0)


def _keys(d):
    """Keys's cubic convolution with a = -0.5."""
    a, d = -0.5, np.abs(d)
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.where(d < 1, near, np.where(d < 2, far, 0))


def _lanczos(d):
    return np.where(np.abs(d) < 3, np.sinc(d) * np.sinc(d / 3), 0)


_FILTERS = {"bilinear": (_triangle, 1), "bicubic": (_keys, 2), "lanczos": (_lanczos, 3)}
"""The filters of antialiasing, and how far they reach when nothing is shrunk."""


def _widened(real, old: int, size: int, scale, align: bool, mode: str):
    """(the share (size, old) of each place in each element of the result, the first place of each, and that after the
    last), by a filter that is widened by the factor by which the image shrinks, so that no place is skipped."""
    filter, reach = _FILTERS[mode]
    ratio = _ratio(real, old, size, scale, align)
    wide = max(ratio, real(1))
    support = real(reach) * wide
    centre = ratio * (np.arange(size, dtype=real) + real(0.5))
    first = np.maximum((centre - support + real(0.5)).astype(int), 0)
    last = np.minimum((centre + support + real(0.5)).astype(int), old)
    places = np.arange(old)
    weights = filter((places - centre[:, None] + real(0.5)) / wide)
    weights = np.where((places >= first[:, None]) & (places < last[:, None]), weights, 0)
    total = weights.sum(1, keepdims=True)
    return (weights / np.where(total == 0, 1, total)).astype(real), first, last


def _antialiased(x, axis, size, scale, align, mode):
    old = x.shape[axis]
    if size == old:
        return x
    weights, first, last = _widened(_real(x), old, size, scale, align, mode)
    taps = int((last - first).max())
    places = first + np.arange(taps)[:, None]  # (taps, size)
    inside, places = places < last, np.minimum(places, old - 1)
    shares = weights[np.arange(size), places]
    shape = (*x.shape[:axis], size, *x.shape[axis + 1 :])

    def tap_by_tap(x):
        def add(k, total):
            at, share, within = (jnp.asarray(a)[k] for a in (places, shares, inside))
            part = jnp.take(x, at, axis, mode="clip") * _along(share, axis, x.ndim)
            return total + jnp.where(_along(within, axis, x.ndim), part, 0)

        return jax.lax.fori_loop(0, taps, add, jnp.zeros(shape, x.dtype))

    return _as_product(axis, weights, tap_by_tap)[1](x)


def _tapped(old: int, size: int, scale, align: bool, mode: str):
    """The share (size, old) of each place in each element of the result, by the two taps of "bilinear" or four of
    "bicubic"."""
    at = _source(np.float64, old, size, scale, align)
    at = np.maximum(at, 0) if mode == "bilinear" else at
    low = np.floor(at).astype(int)
    t = at - low
    taps = {0: 1 - t, 1: t} if mode == "bilinear" else dict(zip((-1, 0, 1, 2), _cubic_weights(t, np)))
    weights = np.zeros((size, old))
    for tap, weight in taps.items():
        np.add.at(weights, (np.arange(size), np.clip(low + tap, 0, old - 1)), weight)
    return weights


def _bytes(x, axis, size, scale, align, mode, antialias: bool):
    """`axis` of uint8 numbers resampled as Pillow and torch do it: by integer shares of 16 bits, rounded to bytes after
    each axis."""
    old = x.shape[axis]
    if size == old:
        return x
    weights = (
        _widened(np.float64, old, size, scale, align, mode)[0]
        if antialias
        else _tapped(old, size, scale, align, mode)
    )
    bits = 0
    while bits < 22 and int(0.5 + weights.max() * (1 << (bits + 1))) < 1 << 15:
        bits += 1
    shares = np.trunc(weights * (1 << bits) + np.copysign(0.5, weights)).astype(np.int32)
    total = jnp.tensordot(x.astype(jnp.int32), jnp.asarray(shares), ((axis,), (1,)))
    total = (total + (1 << (bits - 1))) >> bits
    return jnp.moveaxis(jnp.clip(total, 0, 255).astype(jnp.uint8), -1, axis)


@nn_op(autocast=(None, "float"))
def interpolate(
    input: Array,
    size: int | tuple[int, ...] | Any | None = None,
    scale_factor: float | tuple[float, ...] | Any | None = None,
    mode: str = "nearest",
    align_corners: bool | Any | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
):
    """input (N, C, ...) resampled to `size` or by `scale_factor`.

    mode: "nearest", "nearest-exact", "linear" (3-D), "bilinear", "bicubic" (4-D), "trilinear" (5-D), "area";
    with antialias "bilinear", "bicubic" or "lanczos" (4-D), in which the filter widens as the image shrinks.

    Raises ValueError if both or neither of size and scale_factor are given, NotImplementedError for a mode that does
    not fit the dims.

    >>> F.interpolate(torch.tensor([[[1., 2.]]]), scale_factor=2).tolist()
    [[[1.0, 1.0, 2.0, 2.0]]]
    >>> tuple(F.interpolate(torch.ones(1, 3, 4, 4), size=(6, 8), mode="bilinear").shape)
    (1, 3, 6, 8)
    """
    sizes, scales = contract.sizes_and_scales(
        input, size, scale_factor, recompute_scale_factor, mode, align_corners, antialias
    )
    if mode == "area":
        return (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[len(sizes) - 1](input, sizes)
    byte = input.dtype == jnp.uint8
    x = compute(input)
    if byte and not mode.startswith("nearest"):  # the last axis first, as it is rounded in between
        for axis, n, scale in ((3, sizes[1], scales[1]), (2, sizes[0], scales[0])):
            x = _bytes(x, axis, n, scale, bool(align_corners), mode, antialias)
        return x
    for i, (n, scale) in enumerate(zip(sizes, scales)):
        if antialias:
            x = _antialiased(x, i + 2, n, scale, bool(align_corners), mode)
        elif mode.startswith("nearest"):
            x = _nearest(x, i + 2, n, scale, mode == "nearest-exact")
        else:
            x = (_cubic if mode == "bicubic" else _linear)(x, i + 2, n, scale, bool(align_corners))
    return x.astype(input.dtype)


def _unnormalize(c, size: int, align: bool):
    return (c + 1) / 2 * (size - 1) if align else ((c + 1) * size - 1) / 2


def _bound(c, size: int, mode: str, align: bool):
    """Coordinates kept inside by the padding mode; the derivative is 0 where they are clipped, as in torch."""
    if mode == "zeros":
        return c
    if mode == "reflection":
        low, high = (0, 2 * (size - 1)) if align else (-1, 2 * size - 1)
        if low == high:
            return jnp.zeros_like(c)
        low, span = low / 2, (high - low) / 2
        c = jnp.abs(c - low)
        flips = jnp.floor(c / span)
        extra = c - flips * span
        c = jnp.where(flips % 2 == 0, extra + low, span - extra + low)
    return jnp.where(c <= 0, 0, jnp.where(c >= size - 1, size - 1, c)).astype(c.dtype)


def _tap(place, size: int, step: int):
    """Returns, for integer places (N, points) along a dim, where they are in what is flattened, a step of the dim being
    `step` long there, and whether they are inside."""
    at = jnp.clip(place.astype(jnp.int32), 0, size - 1)  # of nan it is 0
    return at.astype(jnp.int64) * step, (place >= 0) & (place <= size - 1)


_ROWS = 8
"""Channels from which on those of a place are taken side by side, as one row: row `grid_sample fwd+bwd`, of 16, takes 4
x PyTorch's time, so 1.9."""


def _sum_of_taps(flat, sizes, taps):
    """The sum of values of flat (N, C, sizes flattened) at several places, weighted. taps: of each dim its weights and
    places, arrays (N, points); outside, values are 0."""
    steps = [math.prod(sizes[i + 1 :]) for i in range(len(sizes))]
    taps = [
        [(weight, *_tap(place, size, step)) for weight, place in of_dim]
        for of_dim, size, step in zip(taps, sizes, steps)
    ]
    few = jax.export.is_symbolic_dim(flat.shape[1]) or flat.shape[1] < _ROWS
    along = 2 if few else 1
    source, total = flat if along == 2 else flat.swapaxes(1, 2), None
    for corner in itertools.product(*taps):
        weights, indices, insides = zip(*corner)
        index, inside = functools.reduce(operator.add, indices), functools.reduce(operator.and_, insides)
        index, inside = (jnp.expand_dims(x, 3 - along) for x in (index, inside))
        values = jnp.take_along_axis(source, index, along, mode="promise_in_bounds")
        values = jnp.where(inside, values, jnp.zeros((), flat.dtype))
        if weights[0] is not None:
            values = jnp.expand_dims(functools.reduce(operator.mul, weights), 3 - along) * values
        total = values if total is None else total + values
    return total if along == 2 else total.swapaxes(1, 2)


@nn_op(asks=(CORNERS,), autocast=("float", "widest"))
def grid_sample(
    input: Array,
    grid: Array,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
):
    """input (N, C, ...) sampled at the points of grid (N, ..., 2 or 3), whose coordinates x, y, z run from -1 to 1.

    mode: "bilinear", "nearest" or "bicubic"; padding_mode: "zeros", "border" or "reflection". align_corners: whether ±1
    are the centres of the outer elements, or their edges.

    >>> grid = torch.tensor([[[[0., 0.], [1., 0.]]]])
    >>> F.grid_sample(torch.tensor([[[[1., 3.]]]]), grid, align_corners=True).tolist()
    [[[[2.0, 3.0]]]]
    """
    contract.check_grid_sample(input, grid, mode, padding_mode)
    align, sizes, n = bool(align_corners), input.shape[2:], input.ndim - 2
    x, points = compute(input), compute(grid).reshape((grid.shape[0], -1, n))
    flat = x.reshape((*x.shape[:2], -1))
    at = [_unnormalize(points[..., n - 1 - i], size, align) for i, size in enumerate(sizes)]
    shape = (*input.shape[:2], *grid.shape[1:-1])
    if mode == "bicubic":
        low = [jnp.floor(c) for c in at]
        taps = [
            [
                (w, _bound(f + (tap - 1), size, padding_mode, align))
                for tap, w in enumerate(_cubic_weights(c - f, jnp))
            ]
            for c, f, size in zip(at, low, sizes)
        ]
    else:
        at = [_bound(c, size, padding_mode, align) for c, size in zip(at, sizes)]
        if mode == "nearest":
            taps = [[(None, jnp.round(c))] for c in at]
        else:
            taps = [[(1 - (c - f), f), (c - f, f + 1)] for c, f in zip(at, map(jnp.floor, at))]
    total = _sum_of_taps(flat, sizes, taps)
    return total.reshape(shape).astype(input.dtype)


@nn_op(asks=(CORNERS, UNIT_GRID), autocast="lower")
def affine_grid(theta: Array, size: tuple[int, ...], align_corners: bool | None = None):
    """The grid for grid_sample of affine maps theta (N, 2, 3) or (N, 3, 4), for an output of `size` (N, C, ...).

    >>> F.affine_grid(torch.tensor([[[1., 0., 0.], [0., 1., 0.]]]), (1, 1, 1, 2), align_corners=True).tolist()
    [[[[-1.0, 0.0], [1.0, 0.0]]]]
    """
    size, n = tuple(size), len(size) - 2
    contract.check_affine_grid(theta, size, align_corners)
    x = compute(theta)
    lines = []
    for length in size[2:]:
        line = np.linspace(-1, 1, length) if length > 1 else np.zeros(1)
        lines.append(line if align_corners else line * (length - 1) / length)
    axes = np.meshgrid(*lines, indexing="ij")
    base = np.stack([*axes[::-1], np.ones(size[2:])], -1).reshape(-1, n + 1)
    out = jnp.einsum("pk,njk->npj", jnp.asarray(base, x.dtype), x)
    return out.reshape((size[0], *size[2:], n)).astype(theta.dtype)
