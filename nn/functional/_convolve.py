"""Convolution on CPU: a trilinear form of input x, weight w and gradient g, of which every derivative is a partial sum.

    T(x, w, g) = sum of g[n, o, p] * w[o, c, k] * x[n, c, p * stride + k * dilation - pad]

over samples n, channels c and o, places p and taps k. The convolution is dT/dg, the input's gradient dT/dx (which is
also the transposed convolution), the weight's gradient dT/dw: one primitive, told by `yields` which of the three it
computes from the other two. Its derivatives, of any order, are itself with other roles. Arrays have a leading dim b of
independent convolutions, x: (b, n, c, …), w: (b, o, c, …), g: (b, n, o, …), where n stands for one or more dims; vmap puts
what it maps over into one of these, so how to compute is decided when the whole of it is known. XLA's CPU convolution is slow at what vmap makes of it, at
gradients of weights, and in three dimensions; these are matrix products of patches of x, over chunks that stay in the cache.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

__all__ = ["Window", "convolution", "gradient_apart", "input_gradient", "places"]

Sizes = tuple[int, ...]

_WHOLE = 8 << 20
"""Patches of up to this many bytes are made at once: they stay in the cache, and that compiles faster than a loop."""

_WHOLE_PADDED = 1 << 18
"""The same where the input is padded: only for a loop does XLA pad it once, and not anew for each element of a patch."""

_CHUNK = 1 << 20
"""The bytes of patches that one step of a loop makes."""

_LARGE = 1 << 20
"""Multiplications from which on a convolution is worth a program of its own, or another form than XLA's."""


_SPREAD = 64
"""Places for each element of the input from which on a transposed convolution of few taps is not worth multiplying the zeros."""


_TABLE = 1 << 28
"""Products of a tap and a place for one channel from which on a kernel that is larger than its input is taken for the input."""


class Window(NamedTuple):
    """How a kernel moves over its input, for each of its dims; a pad may be negative."""

    stride: Sizes
    pads: tuple[tuple[int, int], ...]
    dilation: Sizes


def places(sizes, window: Window, kernel) -> Sizes:
    """How often the kernel fits along each dim."""
    return tuple(
        (size + sum(pad) - d * (k - 1) - 1) // s + 1 for size, k, s, pad, d in zip(sizes, kernel, *window)
    )


def convolution(x, w, window: Window):
    """x (n, c, …) cross-correlated with w (o, c, …): (n, o, …)."""
    spatial = (x.shape[2:], w.shape[2:], places(x.shape[2:], window, w.shape[2:]))
    return _form_p.bind(x[None], w[None], yields="g", window=window, spatial=spatial)[0]


def input_gradient(w, g, window: Window, sizes: Sizes):
    """The transpose of `convolution` with respect to an x of spatial `sizes`, at g (n, o, …)."""
    spatial = (tuple(sizes), w.shape[2:], g.shape[2:])
    return _form_p.bind(w[None], g[None], yields="x", window=window, spatial=spatial)[0]


# -- the primitive ---------------------------------------------------------------------------------------------------

_DIMS = {"x": "bnc", "w": "boc", "g": "bno"}
_form_p = Primitive("convolution_form")


def _operands(yields: str) -> list[str]:
    return [role for role in "xwg" if role != yields]


def _shape(a, b, *, yields, window, spatial):
    sizes = {}
    for role, x in zip(_operands(yields), (a, b)):
        lead = x.shape[: x.ndim - len(window.stride)]
        several = lead[1:-1] if role != "w" else lead[1:2]
        sizes |= dict(zip(_DIMS[role], (lead[:1], several, lead[-1:])))
    shape = sum((sizes[d] for d in _DIMS[yields]), ()) + spatial["xwg".index(yields)]
    return jax.core.ShapedArray(shape, a.dtype)


def _transpose(of: int, cotangent, a, b, *, yields, window, spatial):
    """The cotangent of operand number `of`: the same form, which now yields that operand's role."""
    operands = _operands(yields)
    given = {yields: cotangent, operands[1 - of]: (a, b)[1 - of]}
    args = [given[role] for role in _operands(operands[of])]
    return _form_p.bind(*args, yields=operands[of], window=window, spatial=spatial)


def _merge(x, axis, at: int):
    """Puts the dim `axis` before the dim `at`, and makes one of the two."""
    x = jnp.moveaxis(x, axis, at)
    return x.reshape(x.shape[:at] + (-1,) + x.shape[at + 2 :])


def _batch(args, axes, *, yields, window, spatial):
    """Mapped operands are independent convolutions; a single one's copies are more samples or channels of one."""
    operands = _operands(yields)
    bind = partial(_form_p.bind, yields=yields, window=window, spatial=spatial)
    size, axis, mapped = next((x.shape[i], i, k) for k, (x, i) in enumerate(zip(args, axes)) if i is not None)
    role, args = operands[mapped], list(args)
    if all(axis is not None for axis in axes):
        shared = "b"
    else:
        shared = next(d for d in _DIMS[role][1:] if d in _DIMS[yields])
    if shared == "n":
        args[mapped] = jnp.moveaxis(args[mapped], axis, 1)
        return bind(*args), 1

    def at(role: str, ndim: int) -> int:
        i = _DIMS[role].index(shared)
        return ndim - len(window.stride) - 1 if i == 2 else i

    args = [
        x if axis is None else _merge(x, axis, at(r, x.ndim - 1)) for x, axis, r in zip(args, axes, operands)
    ]
    out = bind(*args)
    i = at(yields, out.ndim)
    return out.reshape(out.shape[:i] + (size, out.shape[i] // size) + out.shape[i + 1 :]), i


def _compute(a, b, *, yields, window, spatial):
    if yields == "w":
        return _weight_gradient(a, b, window, spatial[1])
    if yields == "g":
        return _forward(a, b, window, (1,) * len(window.stride))
    # the gradient spread out over the strides, and the kernel turned around
    pads = []
    for size, kernel, place, s, pad, d in zip(*spatial, *window):
        low = d * (kernel - 1) - pad[0]
        pads.append((low, size - (place - 1) * s - 1 - low + d * (kernel - 1)))
    turned = jnp.flip(a.swapaxes(1, 2), range(3, a.ndim))
    ones = (1,) * len(pads)
    return _forward(b, turned, Window(ones, tuple(pads), window.dilation), window.stride)


_form_p.def_abstract_eval(_shape)
_form_p.def_impl(lambda *args, **params: jax.jit(partial(_compute, **params))(*args))
ad.defbilinear(_form_p, partial(_transpose, 0), partial(_transpose, 1))
batching.primitive_batchers[_form_p] = _batch
mlir.register_lowering(_form_p, mlir.lower_fun(_compute, multiple_results=False))


# -- what follows a convolution ----------------------------------------------------------------------------------------

_apart_p = Primitive("gradient_apart")


def gradient_apart(x):
    """x. Under vmap its gradient, which gives those of bias, weight and input, becomes an array before any of the three is computed.

    XLA for CPU would compute it in each of them anew, and for the bias in an order of its own (a tenth of the per-sample gradients of a CNN).
    """
    return _apart_p.bind(x, gradient=False)


def _apart_batched(args, axes, *, gradient: bool):
    (x,), (axis,) = args, axes
    return jax.lax.optimization_barrier(x) if gradient else _apart_p.bind(x, gradient=False), axis


_apart_p.def_abstract_eval(lambda x, *, gradient: x)
_apart_p.def_impl(lambda x, *, gradient: x)
ad.deflinear2(_apart_p, lambda cotangent, x, *, gradient: [_apart_p.bind(cotangent, gradient=True)])
batching.primitive_batchers[_apart_p] = _apart_batched
mlir.register_lowering(_apart_p, lambda ctx, x, *, gradient: [x])


# -- how it is computed ----------------------------------------------------------------------------------------------


# From here on samples come first, all samples of all convolutions in one dim, and channels last. Transpositions stand
# directly beside the product, and reshapes beyond them: XLA moves transpositions past what is done element by element, so
# that layers in a row need none. No dim of size 1 is made: for these alone XLA would copy.


def _channels_last(x, n: int):
    """(b, n, c, …), with n spatial dims, as (b * n, …, c)."""
    x = x.reshape(-1, *x.shape[2:])
    x = jnp.moveaxis(x, x.ndim - n - 1, -1)
    return x.reshape(-1, *x.shape[-n - 1 :])


def _channels_first(x, lead: Sizes):
    """The inverse: (b * n, …, c) as (b, n, c, …), where `lead` are the sizes of (b, n)."""
    n = x.ndim - 2
    x = x.reshape(lead[0] * lead[1], *lead[2:], *x.shape[1:])
    x = jnp.moveaxis(x, -1, x.ndim - n - 1)
    return x.reshape(*lead[:2], *x.shape[1:])


def _forward(x, w, window: Window, spread: Sizes):
    """The convolutions of x (b, n, c, …), with spread - 1 zeros between its elements: (b, n, o, …)."""
    dims, kernel = len(spread), w.shape[3:]
    lead, sizes = x.shape[: -dims - 1], x.shape[-dims:]
    b, n = lead[0], math.prod(lead[1:])
    counts = places([(size - 1) * s + 1 for size, s in zip(sizes, spread)], window, kernel)
    work = n * math.prod(counts) * math.prod(w.shape[1:])
    many = math.prod(counts) * math.prod(kernel) > _TABLE and math.prod(kernel) > math.prod(sizes)
    if many and math.prod(window.stride) == 1:
        return _exchanged(x, w, window, spread, counts)
    x = _channels_last(x, dims)
    if math.prod(spread) > _SPREAD and math.prod(kernel) <= _SPREAD and math.prod(window.stride) == 1:
        out = _forward_by_taps(x, w, window, spread, counts)
    elif (b > 1 and work < _LARGE) or (dims == 3 and math.prod(kernel) > 1 and b * work >= _LARGE):
        out = _forward_by_patches(x, w, window, spread, counts)
    else:
        patches = n * math.prod(counts) * math.prod(w.shape[2:]) * x.dtype.itemsize
        single = partial(_xla_convolution, window=window, spread=spread, large=patches >= _WHOLE)
        if b == 1:
            out = single(x, w[0])
        else:
            out = jax.lax.map(lambda xw: single(*xw), (x.reshape(b, n, *x.shape[1:]), w))
    return _channels_first(out.reshape(b * n, *counts, w.shape[1]), lead)


def _exchanged(x, w, window: Window, spread: Sizes, counts: Sizes):
    """`_forward` of stride 1 with input and kernel in each other's place, which gives the same from its end: few taps of many places."""
    dims = len(spread)
    pads = []
    for size, kernel, s, d, count, pad in zip(
        x.shape[-dims:], w.shape[3:], spread, window.dilation, counts, window.pads
    ):
        low = count - 1 - pad[0]
        pads.append((low, (size - 1) * s + count - low - (kernel - 1) * d - 1))
    taps = x.reshape(x.shape[0], -1, *x.shape[-dims - 1 :])
    out = _forward(w, taps, Window((1,) * dims, tuple(pads), spread), window.dilation)
    out = jnp.flip(out, range(3, out.ndim)).swapaxes(1, 2)
    return out.reshape(*x.shape[: -dims - 1], w.shape[1], *counts)


def _xla_convolution(x, w, window: Window, spread: Sizes, large: bool):
    """One convolution, of x (n, …, c) with w (o, c, …)."""
    n = x.ndim - 2
    pads, extra = list(window.pads), 0
    if (
        large
        and n == 2
        and x.shape[-1] >= 16
        and math.prod(w.shape[2:]) > 1
        and window.stride == spread == (1, 1)
    ):
        # XLA's library of kernels writes all patches to memory first. It takes no result larger than the input: one
        # more row, and XLA calls Eigen, which does not (61 ms become 24 at 64 x 32 x 26 x 26 by 64 x 3 x 3).
        extra = max(x.shape[1] + 1 - places(x.shape[1:-1], window, w.shape[2:])[0], 0)
        pads[0] = (pads[0][0], pads[0][1] + extra)
    letters = "DHW"[-n:]
    last = "N" + letters + "C"
    out = jax.lax.conv_general_dilated(
        x,
        w,
        window.stride,
        pads,
        spread,
        window.dilation,
        dimension_numbers=(last, "OI" + letters, last),
        precision=jax.lax.Precision.HIGHEST,
    )
    return out[:, : out.shape[1] - extra] if extra else out


def _whole(window: Window, spread: Sizes) -> int:
    """The bytes of patches that are made at once."""
    return _WHOLE_PADDED if any(map(any, window.pads)) or math.prod(spread) > 1 else _WHOLE


def _padded(x, window: Window, spread: Sizes):
    around = [(low, high, s - 1) for (low, high), s in zip(window.pads, spread)]
    if all(pad == (0, 0, 0) for pad in around):
        return x
    return jax.lax.pad(x, jnp.zeros((), x.dtype), [(0, 0, 0), *around, (0, 0, 0)])


def _reads(sizes, kernel, counts, window: Window):
    """Which of the places of its input each tap of each place of the result reads: (place, tap)."""

    def flat(index, steps):
        grid = np.meshgrid(*[np.arange(i) * s for i, s in zip(index, steps)], indexing="ij")
        strides = [math.prod(sizes[i + 1 :]) for i in range(len(sizes))]
        return sum(g * s for g, s in zip(grid, strides)).reshape(-1)

    return (flat(counts, window.stride)[:, None] + flat(kernel, window.dilation)).astype(np.int32)


def _patches(x, b: int, reads):
    """What the taps read, for each place: (b * n, in place, c) as (b, n * place, tap * c)."""
    if reads.shape[1] > 1 or reads.shape[0] != x.shape[1]:
        x = x.at[:, reads].get(mode="promise_in_bounds")
    return x.reshape(b, -1, reads.shape[1] * x.shape[-1])


def _divisor(of: int, at_most: int) -> int:
    return max(d for d in range(1, of + 1) if of % d == 0 and (d <= at_most or d == 1))


def _forward_by_patches(x, w, window: Window, spread: Sizes, counts: Sizes):
    (b, o, c), kernel = w.shape[:3], w.shape[3:]
    x = _padded(x, window, spread)
    reads = _reads(x.shape[1:-1], kernel, counts, window)
    count, inside, each = len(x), math.prod(x.shape[1:-1]), reads.size * c * x.dtype.itemsize
    w = jnp.moveaxis(w, (1, 2), (-1, -2)).reshape(b, -1, o)

    def some(x, w):
        patches = _patches(x.reshape(-1, inside, c), len(w), reads)
        return jax.lax.dot_general(patches, w, (((2,), (1,)), ((0,), (0,)))).reshape(-1, o)

    if count * each <= _whole(window, spread):
        return some(x, w)
    if b > 1:
        steps = b // _divisor(b, _CHUNK // (count // b * each))
        return jax.lax.map(
            lambda xw: some(xw[0], xw[1].reshape(-1, *w.shape[1:])),
            (x.reshape(steps, -1, c), w.reshape(steps, -1, o)),
        )
    steps = count // _divisor(count, _CHUNK // each)
    return jax.lax.map(lambda x: some(x, w), x.reshape(steps, -1, c))


def _forward_by_taps(x, w, window: Window, spread: Sizes, counts: Sizes):
    """For an x that is nearly all zeros: its product with each tap, laid out with the zeros between, and added up."""
    (b, o, c), kernel, sizes = w.shape[:3], w.shape[3:], x.shape[1:-1]
    rows, taps, out = x.reshape(b, -1, c), w.reshape(b, o, c, -1), jnp.zeros((), x.dtype)
    for number, tap in enumerate(np.ndindex(*kernel)):
        product = jnp.einsum("bnc,boc->bno", rows, taps[..., number], precision="highest")
        around = [(0, 0, 0)]
        for size, s, (low, _), k, d, count in zip(sizes, spread, window.pads, tap, window.dilation, counts):
            before = low - k * d
            around.append((before, count - (size - 1) * s - 1 - before, s - 1))
        out += jax.lax.pad(product.reshape(len(x), *sizes, o), jnp.zeros((), x.dtype), [*around, (0, 0, 0)])
    return out


def _weight_gradient(x, g, window: Window, kernel: Sizes):
    dims = len(window.stride)
    b, n, c = x.shape[0], math.prod(x.shape[1 : -dims - 1]), x.shape[-dims - 1]
    o, counts, ones = g.shape[-dims - 1], g.shape[-dims:], (1,) * dims
    x = _padded(_channels_last(x, dims), window, ones)
    # under vmap the inverse of what follows `gradient_apart`
    g = _channels_last(g, dims) if b == 1 else jnp.moveaxis(g, g.ndim - dims - 1, -1)
    g = g.reshape(b * n, -1, o)
    reads = _reads(x.shape[1:-1], kernel, counts, window)
    inside, each = math.prod(x.shape[1:-1]), reads.size * c * x.dtype.itemsize

    def some(x, g, m: int, reads=reads):
        """That of m convolutions."""
        patches = _patches(x.reshape(-1, inside, c), m, reads)
        out = jax.lax.dot_general(g.reshape(m, -1, o), patches, (((1,), (1,)), ((0,), (0,))))
        return out.reshape(m * o, -1)

    def summed(x, g):
        """That of one convolution, over chunks of its samples, or of the places of each."""
        m = _divisor(n, _CHUNK // each)
        q = next((q for q in range(1, len(reads) // 64 + 1) if len(reads) % q == 0 and each <= q * _CHUNK), 1)
        parts = reads.reshape(q, -1, reads.shape[1])
        g = g.reshape(n // m * q, -1, o)

        def step(total, at):
            i, g = at
            part = parts[0] if q == 1 else jnp.asarray(parts)[i % q]
            # of x as it is: of a reshaped one XLA would make a copy beside the one that the forward pass reads
            return total + some(jax.lax.dynamic_slice_in_dim(x, i // q * m, m), g, 1, part), None

        start = jnp.zeros((o, reads.shape[1] * c), x.dtype)
        return jax.lax.scan(step, start, (jnp.arange(len(g), dtype=jnp.int32), g))[0]

    if b * n * each <= _whole(window, ones) or reads.shape[1] == 1:
        out = some(x, g, b)
    elif n * each <= _CHUNK:
        m = _divisor(b, _CHUNK // (n * each))
        out = jax.lax.map(
            lambda a: some(*a, m), (x.reshape(b // m, -1, *x.shape[1:]), g.reshape(b // m, -1, o))
        )
    elif b > 1:
        out = jax.lax.map(lambda a: summed(*a), (x.reshape(b, n, *x.shape[1:]), g.reshape(b, -1, o)))
    else:
        out = summed(x, g)
    return jnp.moveaxis(out.reshape(b, o, *kernel, c), -1, 2)
