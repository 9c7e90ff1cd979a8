"""Resampling of images: interpolate, grid_sample, affine_grid."""

from __future__ import annotations

import itertools
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from functorch_lite._core.api import Array, OutOfMemoryError, check, is_real, is_whole, no_kernel, scalar_name
from functorch_lite.ops._pointwise import category

from ._asked import CORNERS, UNIT_GRID
from ._declare import compute, nn_op, shape_text
from .adaptive_pool import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d

__all__ = ["affine_grid", "grid_sample", "interpolate"]

_MODES = "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact"
_NEEDS = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5, "lanczos": 4}


_SIZE = "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int]"


def _sizes_and_scales(input, size, scale_factor, recompute):
    """(output sizes, the scales the coordinates use or None for the ratio of the sizes)."""
    n = input.ndim - 2
    spatial = list(input.shape[2:])
    check(
        size is None or scale_factor is None, ValueError, "only one of size or scale_factor should be defined"
    )
    if size is not None:
        check(not recompute, ValueError, "recompute_scale_factor is not meaningful with an explicit size.")
        check(is_whole(size) or isinstance(size, tuple), TypeError, f"{_SIZE}, but got size {size!r}")
        sizes = size if isinstance(size, tuple) else (size,) * n
        check(
            len(sizes) == n or not isinstance(size, tuple),
            ValueError,
            "Input and output must have the same number of spatial dimensions, but got input with spatial dimensions "
            f"of {spatial} and output size of {size}. Please provide input tensor in (N, C, d1, d2, ...,dK) format "
            "and output size in (o1, o2, ...,oK) format.",
        )
        check(
            all(map(is_whole, sizes)),
            TypeError,
            f"{_SIZE}, but got size with types {[type(s) for s in sizes]}",
        )
        # PyTorch's lists of ints are told by their first element; bools may follow
        check(
            not (sizes and isinstance(sizes[0], bool)),
            TypeError,
            f"{_SIZE}, but got size with types {[type(s) for s in sizes]}",
        )
        return tuple(map(int, sizes)), [None] * n
    check(scale_factor is not None, ValueError, "either size or scale_factor should be defined")
    scales = tuple(scale_factor) if isinstance(scale_factor, tuple | list) else (scale_factor,) * n
    check(
        all(is_real(f) for f in scales),
        TypeError,
        f"scale_factor must be a float or a tuple of floats, but got {scale_factor!r}",
    )
    check(
        len(scales) == n or not isinstance(scale_factor, tuple | list),
        ValueError,
        "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial "
        f"dimensions of {spatial} and scale_factor of shape {scale_factor}. Please provide input tensor in (N, C, d1, "
        "d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format.",
    )
    check(
        all(map(math.isfinite, scales)),
        RuntimeError,
        "value cannot be converted to type int64_t without overflow",
    )
    sizes = tuple(math.floor(float(s) * f) for s, f in zip(spatial, scales))
    return sizes, [None] * n if recompute else list(scales)


def _check_interpolate(input, mode, align_corners, antialias) -> None:
    check(
        not (antialias or mode == "lanczos")
        or (mode in ("bilinear", "bicubic", "lanczos") and input.ndim == 4),
        ValueError,
        "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input",
    )
    check(
        antialias or mode != "lanczos",
        ValueError,
        "Lanczos mode requires antialias=True",
    )
    check(
        mode != "lanczos" or not align_corners,
        ValueError,
        "Lanczos mode does not support align_corners=True",
    )
    if mode in ("nearest", "area", "nearest-exact"):
        check(
            align_corners is None,
            ValueError,
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | "
            "trilinear",
        )


def _check_mode(input, mode, align_corners) -> None:
    if input.ndim not in (3, 4, 5) or mode not in _MODES.split(" | "):
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.ndim}D) for the modes: {_MODES} "
            f"(got {mode})"
        )
    if mode in _NEEDS and input.ndim != _NEEDS[mode]:
        raise NotImplementedError(f"Got {input.ndim}D input, but {mode} mode needs {_NEEDS[mode]}D input")
    check(
        align_corners is None or isinstance(align_corners, bool) or mode not in _NEEDS,
        TypeError,
        f"interpolate(): argument 'align_corners' (position 5) must be bool, not {type(align_corners).__name__}",
    )


def _real(x):
    """The type torch computes coordinates in."""
    return np.float64 if x.dtype == jnp.float64 else np.float32


_COUNTED = 1 << 16
"""Where the elements of the result lie is computed on the way, and is no constant of the program, if there are more along an axis."""


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
    return jnp.take(x, places, axis)


def _ratio(real, old: int, size: int, scale, align: bool):
    """How far apart neighbours of the result lie in the input."""
    if align:
        return real(old - 1) / real(size - 1) if size > 1 else real(0)
    return real(1 / scale) if scale else real(old) / real(size)


def _source(real, old: int, size: int, scale, align: bool, xp: Any = np):
    """Where the elements of the result lie in the input."""
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
    share = _along(xp.clip(at - low, 0, 1).astype(_real(x)), axis, x.ndim)
    return jnp.take(x, low, axis) * (1 - share) + jnp.take(x, high, axis) * share


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
    out = None
    for tap, weight in zip((-1, 0, 1, 2), _cubic_weights((at - low).astype(_real(x)), xp)):
        part = jnp.take(x, xp.clip(low + tap, 0, old - 1), axis) * _along(
            weight.astype(_real(x)), axis, x.ndim
        )
        out = part if out is None else out + part
    return out


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
    """(the share (size, old) of each place in each element of the result, the first place of each, and that after the last), by a filter
    that is widened by the factor by which the image shrinks, so that no place is skipped."""
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

    def product(x):
        return jnp.moveaxis(jnp.tensordot(x, jnp.asarray(weights), ((axis,), (1,))), -1, axis)

    def tap_by_tap(x):
        def add(k, total):
            at, share, within = (jnp.asarray(a)[k] for a in (places, shares, inside))
            part = jnp.take(x, at, axis, mode="clip") * _along(share, axis, x.ndim)
            return total + jnp.where(_along(within, axis, x.ndim), part, 0)

        return jax.lax.fori_loop(0, taps, add, jnp.zeros(shape, x.dtype))

    @jax.custom_jvp
    def resampled(x):  # the product, which is faster, would spread what is nan or infinite all along the axis
        return jax.lax.cond(jnp.isfinite(x).all(), product, tap_by_tap, x)

    resampled.defjvp(lambda primals, tangents: (resampled(*primals), product(*tangents)))
    return resampled(x)


def _tapped(old: int, size: int, scale, align: bool, mode: str):
    """The share (size, old) of each place in each element of the result, by the two taps of "bilinear" or four of "bicubic"."""
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
    """`axis` of uint8 numbers resampled as Pillow and torch do it: by integer shares of 16 bits, rounded to bytes after each axis."""
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


_ADDRESSABLE = 1 << 47
"""Bytes; XLA aborts the process when it is asked for more."""


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

    Raises ValueError if both or neither of size and scale_factor are given, NotImplementedError for a mode that does not fit the dims.

    >>> F.interpolate(torch.tensor([[[1., 2.]]]), scale_factor=2).tolist()
    [[[1.0, 1.0, 2.0, 2.0]]]
    >>> tuple(F.interpolate(torch.ones(1, 3, 4, 4), size=(6, 8), mode="bilinear").shape)
    (1, 3, 6, 8)
    """
    _check_interpolate(input, mode, align_corners, antialias)
    sizes, scales = _sizes_and_scales(input, size, scale_factor, recompute_scale_factor)
    _check_mode(input, mode, align_corners)
    names = ("D", "H", "W")[-len(sizes) :]

    def listed(values):
        return "(" + ", ".join(f"{k}: {v}" for k, v in zip(names, values)) + ")"

    check(
        mode == "area" or min(*sizes, *input.shape[2:]) > 0,
        RuntimeError,
        f"Input and output sizes should be greater than 0, but got input {listed(input.shape[2:])} output "
        f"{listed(sizes)}",
    )
    check(
        input.shape[1] > 0,
        RuntimeError,
        f"Non-empty {input.ndim}D data tensor expected but got a tensor with sizes {shape_text(input)}",
    )
    wanted = math.prod((*input.shape[:2], *sizes)) * input.dtype.itemsize
    check(
        wanted < _ADDRESSABLE,
        OutOfMemoryError,
        f"DefaultCPUAllocator: can't allocate memory: you tried to allocate {wanted} bytes. Error code 12 (Cannot allocate memory)",
    )
    if mode == "area":
        return (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[len(sizes) - 1](input, sizes)
    byte = input.dtype == jnp.uint8
    if category(input) != 2 and not (byte and mode not in ("linear", "trilinear")):
        kind = (
            mode.replace("-", "_")
            if not mode.startswith("nearest")
            else f"{mode.replace('-', '_')}{len(sizes)}d"
        )
        kind = f"{kind}2d" if mode in ("bilinear", "bicubic") else kind
        if byte:
            raise no_kernel("compute_indices_weights_linear", input)
        raise no_kernel(f"upsample_{kind}_channels_last", input)
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


def _gather(flat, sizes, places, shape):
    """Values of flat (N, C, sizes flattened) at integer places, one array (N, points) a dim; 0 outside."""
    inside = jnp.ones(places[0].shape, bool)
    index = jnp.zeros(places[0].shape, jnp.int64)
    for place, size in zip(places, sizes):
        inside = inside & (place >= 0) & (place <= size - 1)
        index = index * size + jnp.clip(place, 0, size - 1).astype(jnp.int64)
    values = jnp.take_along_axis(flat, index[:, None, :], 2)
    return jnp.where(inside[:, None, :], values, 0)


def _check_grid_sample(input, grid, mode, padding_mode) -> None:
    check(
        mode in ("bilinear", "nearest", "bicubic"),
        ValueError,
        f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'",
    )
    check(
        padding_mode in ("zeros", "border", "reflection"),
        ValueError,
        "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
        f"'{padding_mode}'",
    )
    sizes = f"input with sizes {shape_text(input)} and grid with sizes {shape_text(grid)}"
    check(
        grid.ndim > 0 and input.shape[:1] == grid.shape[:1],
        RuntimeError,
        f"grid_sampler(): expected grid and input to have same batch size, but got {sizes}",
    )
    check(
        grid.shape[-1] == input.ndim - 2,
        RuntimeError,
        f"grid_sampler(): expected grid to have size {input.ndim - 2} in last dimension, but got grid with sizes "
        f"{shape_text(grid)}",
    )
    check(
        input.ndim in (4, 5) and input.ndim == grid.ndim,
        RuntimeError,
        f"grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got {sizes}",
    )
    for dim in range(2, input.ndim):
        check(
            input.shape[dim] > 0,
            RuntimeError,
            "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
            f"{shape_text(input)} with dimension {dim} being empty",
        )
    check(
        input.ndim == 4 or mode != "bicubic",
        RuntimeError,
        "grid_sampler(): bicubic interpolation only supports 4D input",
    )
    if category(input) != 2:
        raise no_kernel(f"grid_sampler_{input.ndim - 2}d_cpu", input)
    check(
        input.dtype == grid.dtype,
        RuntimeError,
        f"expected scalar type {scalar_name(input)} but found {scalar_name(grid)}",
    )


@nn_op(asks=(CORNERS,), autocast=("float", "widest"))
def grid_sample(
    input: Array,
    grid: Array,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
):
    """input (N, C, ...) sampled at the points of grid (N, ..., 2 or 3), whose coordinates x, y, z run from -1 to 1.

    mode: "bilinear", "nearest" or "bicubic"; padding_mode: "zeros", "border" or "reflection". align_corners: whether ±1 are the centres of the outer elements, or their edges.

    >>> grid = torch.tensor([[[[0., 0.], [1., 0.]]]])
    >>> F.grid_sample(torch.tensor([[[[1., 3.]]]]), grid, align_corners=True).tolist()
    [[[[2.0, 3.0]]]]
    """
    _check_grid_sample(input, grid, mode, padding_mode)
    align, sizes, n = bool(align_corners), input.shape[2:], input.ndim - 2
    x, points = compute(input), compute(grid).reshape((grid.shape[0], -1, n))
    flat = x.reshape((*x.shape[:2], -1))
    at = [_unnormalize(points[..., n - 1 - i], size, align) for i, size in enumerate(sizes)]
    shape = (*input.shape[:2], *grid.shape[1:-1])
    if mode == "bicubic":
        low = [jnp.floor(c) for c in at]
        weights = [_cubic_weights(c - f, jnp) for c, f in zip(at, low)]
        total = 0
        for taps in itertools.product(range(4), repeat=2):
            places = [
                _bound(f + (tap - 1), size, padding_mode, align) for f, tap, size in zip(low, taps, sizes)
            ]
            weight = weights[0][taps[0]] * weights[1][taps[1]]
            total = total + weight[:, None, :] * _gather(flat, sizes, places, shape)
        return total.reshape(shape).astype(input.dtype)
    at = [_bound(c, size, padding_mode, align) for c, size in zip(at, sizes)]
    if mode == "nearest":
        return _gather(flat, sizes, [jnp.round(c) for c in at], shape).reshape(shape).astype(input.dtype)
    low = [jnp.floor(c) for c in at]
    total = 0
    for corner in itertools.product((0, 1), repeat=n):
        weight = 1
        for c, f, up in zip(at, low, corner):
            weight = weight * (c - f if up else 1 - (c - f))
        places = [f + up for f, up in zip(low, corner)]
        total = total + weight[:, None, :] * _gather(flat, sizes, places, shape)
    return total.reshape(shape).astype(input.dtype)


@nn_op(asks=(CORNERS, UNIT_GRID), autocast="lower")
def affine_grid(theta: Array, size: tuple[int, ...], align_corners: bool | None = None):
    """The grid for grid_sample of affine maps theta (N, 2, 3) or (N, 3, 4), for an output of `size` (N, C, ...).

    >>> F.affine_grid(torch.tensor([[[1., 0., 0.], [0., 1., 0.]]]), (1, 1, 1, 2), align_corners=True).tolist()
    [[[[-1.0, 0.0], [1.0, 0.0]]]]
    """
    check(
        category(theta) == 2,
        ValueError,
        f"Expected theta to have floating point type, but got torch.{theta.dtype}",
    )
    size = tuple(size)
    if len(size) not in (4, 5):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. "
            f"Got size {size}."
        )
    n = len(size) - 2
    check(
        theta.ndim == 3 and theta.shape[1:] == (n, n + 1),
        ValueError,
        f"Expected a batch of {n}D affine matrices of shape Nx{n}x{n + 1} for size {size}. "
        f"Got torch.Size({shape_text(theta)}).",
    )
    unit = align_corners and min(size[2:]) == 1  # of which PyTorch warns, and looks no further
    check(unit or min(size) > 0, ValueError, f"Expected non-zero, positive output size. Got {size}")
    count, shape = math.prod(size[2:]), [size[0], *size[2:], n + 1]
    check(
        min(size[0], count) >= 0,
        RuntimeError,
        f"Trying to create tensor with negative dimension {min(size)}: {shape}",
    )
    check(
        theta.shape[0] == size[0],
        RuntimeError,
        f"Expected size for first two dimensions of batch2 tensor to be: [{size[0]}, {n + 1}] but got: "
        f"[{theta.shape[0]}, {n + 1}].",
    )
    x = compute(theta)
    lines = []
    for length in size[2:]:
        line = np.linspace(-1, 1, length) if length > 1 else np.zeros(1)
        lines.append(line if align_corners else line * (length - 1) / length)
    axes = np.meshgrid(*lines, indexing="ij")
    base = np.stack([*axes[::-1], np.ones(size[2:])], -1).reshape(-1, n + 1)
    out = jnp.einsum("pk,njk->npj", jnp.asarray(base, x.dtype), x)
    return out.reshape((size[0], *size[2:], n)).astype(theta.dtype)
