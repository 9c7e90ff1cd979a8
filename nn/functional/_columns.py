"""Convolutions whose channels come first, as XLA for CPU computes them fast: by products with columns, or tap by tap.

The columns of an input are all that its places read: (b, c * taps, n * places), for b independent convolutions of n
samples. The convolution is the product of the weights with the columns, and the gradient of the weights is the
product of the gradient with the columns. The gradient of the input is folded from the product of weights and
gradient, which has the shape of the columns. Nothing is transposed: weights are read as they lie, and results lie as
they are asked for. Columns and folds go dim by dim, so that 7 × 7 taps are 14 slices and not 49, in the program as in
the time it takes to compile.

x: (b, n, c, …), w: (b, o, c, …), g: (b, n, o, …), as in `_convolve.py`, with one n.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

__all__ = [
    "by_columns",
    "by_taps",
    "input_gradient_by_fold",
    "weight_gradient_by_columns",
    "weight_gradient_of_taps",
]

Sizes = tuple[int, ...]

_PLACES = 512
"""Places that one product takes at least: samples are taken together until there are so many.

With fewer, reading the weights costs more than multiplying (3×3 512→512 at 2² ×4: 0.8 × PyTorch's time, one by one 1.1,
backward 0.2 and 2.1), with more, columns leave the cache (3×3 1→32 at 28² ×64: 3.2 and 0.8)."""

_ROWS = 1 << 20
"""The bytes of columns of a sample from which on a weight gradient takes them some rows at a time."""


def _taken(count: int, places: int) -> int:
    """Returns the number of `count` things with so many places that are taken together: a divisor."""
    enough = (d for d in range(1, count + 1) if count % d == 0 and d * places >= _PLACES)
    return next(enough, count)


def padded(x: Any, window: Any, spread: Sizes) -> Any:
    """x, of which the last dims are a window's, with its pads, and spread - 1 zeros between elements."""
    around = [(low, high, s - 1) for (low, high), s in zip(window.pads, spread)]
    if all(pad == (0, 0, 0) for pad in around):
        return x
    return jax.lax.pad(x, jnp.zeros((), x.dtype), [(0, 0, 0)] * (x.ndim - len(spread)) + around)


def _columns(x: Any, window: Any, kernel: Sizes, counts: Sizes) -> Any:
    """im2col: copies the input window of each output position of a padded x (b, n, c, …) into a matrix (b, c * taps, n
    * places)."""
    b, n, c = x.shape[:3]
    dims = len(kernel)
    x = x.swapaxes(1, 2)
    if window.stride == kernel and not any(d > 1 for d in window.dilation):
        x = x[(..., *[slice(0, k * p) for k, p in zip(kernel, counts)])]
        x = x.reshape(*x.shape[:3], *[size for pair in zip(counts, kernel) for size in pair])
        taps, places = [4 + 2 * d for d in range(dims)], [3 + 2 * d for d in range(dims)]
        return x.transpose(0, 1, *taps, 2, *places).reshape(b, c * math.prod(kernel), -1)
    for d, (k, p, s, step) in enumerate(zip(kernel, counts, window.stride, window.dilation)):
        # (b, c, taps …, n, places …, sizes …): each turn makes of a size a tap and a place
        starts = [i * step for i in range(k)]
        parts = [jax.lax.slice_in_dim(x, a, a + (p - 1) * s + 1, s, axis=3 + 2 * d) for a in starts]
        x = jnp.stack(parts, 2 + d)
    return x.reshape(b, c * math.prod(kernel), n * math.prod(counts))


def _product(a: Any, b: Any, over: tuple[int, int]) -> Any:
    """The product of stacks of matrices, over a dim of each; a stack of one is none, for XLA would copy for the dim of
    size 1."""
    if len(a) == 1:
        return jax.lax.dot_general(a[0], b[0], (((over[0],), (over[1],)), ((), ())), precision="highest")[
            None
        ]
    dims = (((over[0] + 1,), (over[1] + 1,)), ((0,), (0,)))
    return jax.lax.dot_general(a, b, dims, precision="highest")


def _in_parts(run: Callable, b: int, n: int, places: int, *arrays: tuple[Any, bool]) -> Any:
    """run(*arrays), of (b, …) or, where said, (b, n, …), by some convolutions or some samples at a time; its result is
    (b, n, …)."""
    m = _taken(n, places)
    k = _taken(b, n * places) if m == n else 1
    if (k, m) == (b, n):
        return run(*[x for x, _ in arrays])
    if b > 1:

        def some(several: tuple) -> Any:
            return _in_parts(run, k, n, places, *[(x, own) for x, (_, own) in zip(several, arrays)])

        out = jax.lax.map(some, tuple(x.reshape(b // k, k, *x.shape[1:]) for x, _ in arrays))
        return out.reshape(b, *out.shape[2:])
    whole = {i: x for i, (x, own) in enumerate(arrays) if not own}
    cut = [x.reshape(n // m, 1, m, *x.shape[2:]) for x, own in arrays if own]

    def one(several: tuple) -> Any:
        rest = iter(several)
        return run(*[whole[i] if i in whole else next(rest) for i in range(len(arrays))])

    out = jax.lax.map(one, tuple(cut))
    return out.reshape(1, n, *out.shape[3:])


_MANY = 128
"""Places of a sample from which on a kernel of one tap makes a product for each sample: 1×1 64→256 at 28² 1.3 ×
PyTorch's time, of all at once 2.3; 512→128 at 7² 3.3 and 2.0."""


def _pointwise(x: Any, w: Any, window: Any, counts: Sizes) -> Any:
    """The convolution of a padded x (b, n, c, …) with w (b, o, c), one tap."""
    for d, (p, s) in enumerate(zip(counts, window.stride)):
        x = jax.lax.slice_in_dim(x, 0, (p - 1) * s + 1, s, axis=3 + d)
    b, n, c = x.shape[:3]
    o, x = w.shape[1], x.reshape(b, n, c, -1)
    if x.shape[-1] >= _MANY:
        w = jnp.broadcast_to(w[:, None], (b, n, o, c)).reshape(b * n, o, c)
        out = _product(w, x.reshape(b * n, c, -1), (1, 0))
    elif b == 1:
        out = jax.lax.dot_general(x[0], w[0], (((1,), (1,)), ((), ())), precision="highest").swapaxes(-1, -2)
    else:
        out = jax.lax.dot_general(x, w, (((2,), (2,)), ((0,), (0,))), precision="highest").swapaxes(-1, -2)
    return out.reshape(b, n, o, *counts)


def by_columns(x: Any, w: Any, window: Any, spread: Sizes, counts: Sizes) -> Any:
    """The convolutions of x (b, n, c, …) with w (b, o, c, …): (b, n, o, …)."""
    b, n, o, kernel = *x.shape[:2], w.shape[1], w.shape[3:]
    if math.prod(kernel) == 1:
        return _pointwise(padded(x, window, spread), w.reshape(w.shape[:3]), window, counts)

    def run(x: Any, w: Any) -> Any:
        columns = _columns(padded(x, window, spread), window, kernel, counts)
        out = _product(w.reshape(len(w), o, -1), columns, (1, 0))
        return out.reshape(len(w), o, -1, *counts).swapaxes(1, 2)

    return _in_parts(run, b, n, math.prod(counts), (x, True), (w, False))


def input_gradient_by_fold(w: Any, g: Any, window: Any, sizes: Sizes) -> Any:
    """The gradient of an input of `sizes` at g (b, n, o, …): (b, n, c, …)."""
    (b, o, c), kernel, n, counts = w.shape[:3], w.shape[3:], g.shape[1], g.shape[3:]
    if math.prod(kernel) == 1:
        once = window._replace(stride=kernel)
        out = _pointwise(g, w.reshape(b, o, c).swapaxes(1, 2), once, counts)
        return _folded(out.swapaxes(1, 2).reshape(b, c, *kernel, n, *counts), window, sizes)

    def run(w: Any, g: Any) -> Any:
        columns = _product(w.reshape(len(w), o, -1), g.swapaxes(1, 2).reshape(len(g), o, -1), (0, 0)).reshape(
            len(w), c, *kernel, g.shape[1], *counts
        )
        return _folded(columns, window, sizes)

    return _in_parts(run, b, n, math.prod(counts), (w, False), (g, True))


def _folded(columns: Any, window: Any, sizes: Sizes) -> Any:
    """The transpose of `_columns` and padding: (b, c, taps …, n, places …) added up where they were read: (b, n, c,
    …)."""
    dims, zero = len(sizes), jnp.zeros((), columns.dtype)
    for d in reversed(range(dims)):
        k, size, s = columns.shape[2 + d], sizes[d], window.stride[d]
        low, step, p = window.pads[d][0], window.dilation[d], columns.shape[4 + 2 * d]
        total = None
        for i in range(k):
            part = jax.lax.index_in_dim(columns, i, 2 + d, keepdims=False)
            axis = 3 + 2 * d
            before = i * step - low
            around = [(0, 0, 0)] * part.ndim
            around[axis] = (before, size - before - (p - 1) * s - 1, s - 1)
            part = jax.lax.pad(part, zero, around)
            total = part if total is None else total + part
        columns = total
    return columns.swapaxes(1, 2)


def weight_gradient_by_columns(x: Any, g: Any, window: Any, kernel: Sizes) -> Any:
    """The gradient of weights with a kernel of `kernel`, of x (b, n, c, …) at g (b, n, o, …): (b, o, c, …)."""
    (b, n, c), (o, counts) = x.shape[:3], (g.shape[2], g.shape[3:])
    ones, places = (1,) * len(kernel), math.prod(counts)
    m = _taken(n, places)
    k = _taken(b, n * places) if m == n else 1

    def run(x: Any, g: Any, counts: Sizes = counts) -> Any:
        columns = _columns(x, window, kernel, counts)
        return _product(g.swapaxes(1, 2).reshape(len(g), o, -1), columns, (1, 1))

    def summed(x: Any, g: Any) -> Any:
        """Computes the gradient of the weights of one convolution, sample by sample, or some rows of a sample at a
        time."""
        each = c * math.prod(kernel) * m * places * x.dtype.itemsize
        rows = _taken(counts[0], math.prod(counts[1:])) if m == 1 and each > _ROWS else counts[0]
        blocks, (s, step) = counts[0] // rows, (window.stride[0], window.dilation[0])
        reach = (rows - 1) * s + (kernel[0] - 1) * step + 1

        def turn(total: Any, i: Any) -> tuple[Any, None]:
            sample, block = (i, 0) if blocks == 1 else (i // blocks, i % blocks)
            part = jax.lax.dynamic_slice_in_dim(x, sample * m, m, 1)
            of_g = jax.lax.dynamic_slice_in_dim(g, sample * m, m, 1)
            if blocks > 1:
                part = jax.lax.dynamic_slice_in_dim(part, block * rows * s, reach, 3)
                of_g = jax.lax.dynamic_slice_in_dim(of_g, block * rows, rows, 3)
            return total + run(part, of_g, (rows, *counts[1:])), None

        start = jnp.zeros((1, o, c * math.prod(kernel)), x.dtype)
        return jax.lax.scan(turn, start, jnp.arange(n // m * blocks, dtype=jnp.int32))[0]

    x = padded(x, window, ones)
    if math.prod(kernel) == 1:
        for d, (p, s) in enumerate(zip(counts, window.stride)):
            x = jax.lax.slice_in_dim(x, 0, (p - 1) * s + 1, s, axis=3 + d)
        x, g = x.reshape(b, n, c, places), g.reshape(b, n, o, places)
        if places >= _MANY and n > 1:
            out = (
                _product(g.reshape(b * n, o, -1), x.reshape(b * n, c, -1), (1, 1)).reshape(b, n, o, c).sum(1)
            )
        else:
            out = jax.lax.dot_general(g, x, (((1, 3), (1, 3)), ((0,), (0,))), precision="highest")
    elif m == n and k == b:
        out = run(x, g)
    elif m == n:
        out = jax.lax.map(
            lambda a: run(*a), (x.reshape(b // k, k, *x.shape[1:]), g.reshape(b // k, k, *g.shape[1:]))
        )
    elif b > 1:
        out = jax.lax.map(lambda a: summed(*a), (x[:, None], g[:, None]))
    else:
        out = summed(x, g)
    return out.reshape(b, o, c, *kernel)


# -- tap by tap ------------------------------------------------------------------------------------------------------


def by_taps(x: Any, w: Any, window: Any, spread: Sizes, counts: Sizes) -> Any:
    """`by_columns` where few channels meet, as a sum of multiples of x: one loop, in which nothing is copied."""
    (b, n, c), o, kernel = x.shape[:3], w.shape[1], w.shape[3:]
    # (n, b, c, …), as grouped channels lie in memory. Of what x is computed from XLA would make a copy for each tap,
    # and of the sum one for each reader (a ConvNeXt compiled for minutes)
    x = padded(jax.lax.optimization_barrier(x.swapaxes(0, 1)), window, spread)
    if any(s > 1 for s in spread):
        x = jax.lax.optimization_barrier(x)
    out = None
    for j in range(c):
        for tap in _taps(kernel):
            starts = [i * step for i, step in zip(tap, window.dilation)]
            stops = [a + (p - 1) * s + 1 for a, p, s in zip(starts, counts, window.stride)]
            part = jax.lax.slice(x, (0, 0, j, *starts), (n, b, j + 1, *stops), (1, 1, 1, *window.stride))
            factor = w[(slice(None), slice(None), j, *tap)].reshape(b, o, *[1] * len(kernel))
            out = part * factor if out is None else out + part * factor
    return jax.lax.optimization_barrier(out).swapaxes(0, 1)


def _taps(kernel: Sizes) -> list[Sizes]:
    found: list[Sizes] = [()]
    for k in kernel:
        found = [(*tap, i) for tap in found for i in range(k)]
    return found


def weight_gradient_of_taps(x: Any, g: Any, window: Any, kernel: Sizes) -> Any:
    """`weight_gradient_by_columns` for one channel in and out, x and g (b, n, 1, …), as products of short pieces of
    rows.

    A tap's gradient is one long sum, which XLA adds up one by one. For blocks of `width` positions of g and the
    inputs that they read, one product computes the sums of all pairs, of which `width` are needed for each tap: more
    multiplications, but fast ones (7×7 80 at 16² ×8: 12 ms become 2).
    """
    b, counts, k = x.shape[0], g.shape[3:], kernel[-1]
    s, step, places = window.stride[-1], window.dilation[-1], counts[-1]
    width = min(4 if k <= 5 else 8, places)
    x, g = jax.lax.optimization_barrier((x, g))
    pieces, reach = -(-places // width), (width - 1) * s + (k - 1) * step + 1
    x = padded(x, window, (1,) * len(kernel))[:, :, 0]
    x = jax.lax.slice_in_dim(x, 0, (places - 1) * s + (k - 1) * step + 1, axis=x.ndim - 1)
    x = _longer(x, (pieces - 1) * width * s + reach)
    g = _longer(g[:, :, 0], pieces * width)
    # (b, n, places …, pieces, taps of the other dims, reach)
    x = jnp.stack(
        [jax.lax.slice_in_dim(x, i * width * s, i * width * s + reach, axis=-1) for i in range(pieces)], -2
    )
    for d, (size, p) in enumerate(zip(kernel[:-1], counts[:-1])):
        starts = [i * window.dilation[d] for i in range(size)]
        x = jnp.stack(
            [
                jax.lax.slice_in_dim(x, a, a + (p - 1) * window.stride[d] + 1, window.stride[d], axis=2 + d)
                for a in starts
            ],
            -2,
        )
    x = x.reshape(b, -1, math.prod(kernel[:-1]) * reach)
    pairs = _product(g.reshape(b, -1, width), x, (0, 0)).reshape(b, width, -1, reach)
    taps = [sum(pairs[:, q, :, q * s + j * step] for q in range(width)) for j in range(k)]
    return jnp.stack(taps, -1).reshape(b, 1, 1, *kernel)


def _longer(x: Any, size: int) -> Any:
    """x with zeros behind it in its last dim."""
    return jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, size - x.shape[-1])])
