"""Convolution on CPU: a trilinear form of input x, weight w and gradient g, of which every derivative is a partial sum.

    T(x, w, g) = sum of g[n, o, p] * w[o, c, k] * x[n, c, p * stride + k * dilation - pad]

over samples n, channels c and o, places p and taps k. The convolution is dT/dg, the input's gradient dT/dx (which is
also the transposed convolution), the weight's gradient dT/dw: one primitive, told by `yields` which of the three it
computes from the other two. Its derivatives, of any order, are itself with other roles. Arrays have a leading dim b of
independent convolutions, x: (b, n, c, …), w: (b, o, c, …), g: (b, n, o, …), where n stands for one or more dims; vmap
puts what it maps over into one of these, so how to compute is decided when the whole of it is known. XLA's CPU
convolution is slow at what vmap makes of it, at gradients of weights, at groups (which are independent convolutions,
too), at small images, and in three dimensions; these are computed by `_columns.py`.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from . import _columns as columns

__all__ = ["Window", "convolution", "gradient_apart", "input_gradient", "places"]

Sizes = tuple[int, ...]

_TAPS = 64
"""Products for each element of a result up to which they are added up tap by tap: for one channel, or for few in many
groups."""

_FOLDED = 4 << 20
"""The bytes of a sample's columns up to which its gradient is folded from them."""

_SPREAD = 64
"""Places for each element of the input from which on a transposed convolution of few taps is not worth multiplying the
zeros."""


_TABLE = 1 << 28
"""Products of a tap and a place for one channel from which on a kernel that is larger than its input is taken for the
input."""


class Window(NamedTuple):
    """Movement of a kernel over its input, for each of its dims; a pad may be negative."""

    stride: Sizes
    pads: tuple[tuple[int, int], ...]
    dilation: Sizes


def places(sizes, window: Window, kernel) -> Sizes:
    """Returns how often the kernel fits along each dim."""
    return tuple(
        (size + sum(pad) - d * (k - 1) - 1) // s + 1 for size, k, s, pad, d in zip(sizes, kernel, *window)
    )


def convolution(x, w, window: Window, groups: int = 1):
    """x (n, c, …) cross-correlated with w (o, c / groups, …): (n, o, …)."""
    spatial = (x.shape[2:], w.shape[2:], places(x.shape[2:], window, w.shape[2:]))
    return _joined(
        _form_p.bind(_apart(x, groups), _groups(w, groups), yields="g", window=window, spatial=spatial)
    )


def input_gradient(w, g, window: Window, sizes: Sizes, groups: int = 1):
    """The transpose of `convolution` with respect to an x of spatial `sizes`, at g (n, o, …)."""
    spatial = (tuple(sizes), w.shape[2:], g.shape[2:])
    return _joined(
        _form_p.bind(_groups(w, groups), _apart(g, groups), yields="x", window=window, spatial=spatial)
    )


def _groups(w, groups: int):
    """(o, …) as (groups, o / groups, …)."""
    return w.reshape(groups, w.shape[0] // groups, *w.shape[1:])


def _apart(x, groups: int):
    """(n, c, …) as groups that are independent convolutions: (groups, n, c / groups, …)."""
    if groups == 1:
        return x[None]
    return x.reshape(x.shape[0], groups, x.shape[1] // groups, *x.shape[2:]).swapaxes(0, 1)


def _joined(x):
    """The inverse of `_apart`."""
    if x.shape[0] == 1:
        return x[0]
    x = x.swapaxes(0, 1)
    return x.reshape(x.shape[0], -1, *x.shape[3:])


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
    """Each of the three as it is fast on a CPU."""
    dims, operands = len(window.stride), _operands(yields)
    samples = next(x.shape[1 : -dims - 1] for x, role in zip((a, b), operands) if role != "w")
    a, b = (
        x if role == "w" else x.reshape(x.shape[0], -1, *x.shape[-dims - 1 :])
        for x, role in zip((a, b), operands)
    )
    if yields == "w":
        return _weight_gradient(a, b, window, spatial[1])
    out = _forward(a, b, window, spatial[2]) if yields == "g" else _input_gradient(a, b, window, spatial[0])
    return out.reshape(out.shape[0], *samples, *out.shape[2:])


def _as_declared(a, b, *, yields, window, spatial):
    """Each of the three as XLA's own equation of one convolution with groups: outside of programs, where NumPy has a
    way with it."""
    dims = len(window.stride)
    ones, letters = (1,) * dims, "DHW"[-dims:]
    x_like, w_like, spread, step, dilation = a, b, ones, window.stride, window.dilation
    pads = list(window.pads)
    if yields == "x":
        x_like, w_like, spread, step = b, _turned(a), window.stride, ones
        pads = _turned_pads(window, *spatial)
    lead, groups = x_like.shape[1 : -dims - 1], x_like.shape[0]
    x_like = x_like.reshape(groups, -1, *x_like.shape[-dims - 1 :])
    if yields == "w":  # samples are what is added up, and channels what is not
        g = b.reshape(groups, -1, *b.shape[-dims - 1 :])
        x_like, w_like = x_like.swapaxes(1, 2), g.swapaxes(1, 2)
        step, dilation = window.dilation, window.stride
        pads = [
            (low, (p - 1) * s + (k - 1) * d + 1 - size - low)
            for (low, _), size, k, p, s, d in zip(window.pads, *spatial, window.stride, window.dilation)
        ]
    out = jax.lax.conv_general_dilated(
        _joined(x_like),
        w_like.reshape(-1, *w_like.shape[2:]),
        step,
        pads,
        spread,
        dilation,
        dimension_numbers=("NC" + letters, "OI" + letters, "NC" + letters),
        feature_group_count=groups,
        precision=jax.lax.Precision.HIGHEST,
    )
    out = _apart(out, groups)
    return out.swapaxes(1, 2) if yields == "w" else out.reshape(groups, *lead, *out.shape[2:])


_form_p.def_abstract_eval(_shape)
_form_p.def_impl(lambda *args, **params: jax.jit(partial(_as_declared, **params))(*args))
ad.defbilinear(_form_p, partial(_transpose, 0), partial(_transpose, 1))
batching.primitive_batchers[_form_p] = _batch
mlir.register_lowering(_form_p, mlir.lower_fun(_compute, multiple_results=False))


# -- what follows a convolution ----------------------------------------------------------------------------------------

_apart_p = Primitive("gradient_apart")


def gradient_apart(x):
    """x.

       Under vmap its gradient, from which the gradients of bias, weight and input are computed, becomes an array before any of the three is computed.

    Otherwise XLA for CPU would recompute it in each of them, and for the bias in a different order (a tenth of the
    per-sample gradients of a CNN).
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

# Measured as × PyTorch's time by `python -m benchmarks atlas --only convolutions --threads 1`.


def _forward(x, w, window: Window, counts: Sizes, spread: Sizes | None = None):
    """The convolutions of x (b, n, c, …), with spread - 1 zeros between its elements: (b, n, o, …)."""
    (c, *kernel), sizes, dims = w.shape[2:], x.shape[3:], len(counts)
    spread = spread or (1,) * dims
    taps, each = math.prod(kernel), math.prod(counts)
    if each * taps > _TABLE and taps > math.prod(sizes) and math.prod(window.stride) == 1:
        return _exchanged(x, w, window, spread, counts)
    if math.prod(spread) > _SPREAD and math.prod(window.stride) == 1:
        lows = [d * (k - 1) - low for k, d, (low, _) in zip(kernel, window.dilation, window.pads)]
        back = Window(spread, tuple((low, 0) for low in lows), window.dilation)
        return columns.input_gradient_by_fold(_turned(w), x, back, counts)
    if c * taps <= _TAPS and (c == 1 or x.shape[0] > 1):
        return columns.by_taps(x, w, window, spread, counts)
    if dims == 3 and taps > 1 and window.stride[0] == spread[0] == 1:
        return _by_planes(x, w, window, spread, counts)
    inside = c >= 64 or (c * taps >= 128 and math.prod(window.stride) > 1)
    if inside and taps > 1 and each >= 64 and window.stride != tuple(kernel):
        return _channels_last(x, w, window, spread)
    return columns.by_columns(x, w, window, spread, counts)


def _input_gradient(w, g, window: Window, sizes: Sizes):
    """The gradients of inputs (b, n, c, …) at g (b, n, o, …)."""
    (c, *kernel), counts = w.shape[2:], g.shape[3:]
    taps, each = math.prod(kernel), math.prod(counts)
    read = taps * each
    single = w.shape[1] * taps <= _TAPS and (w.shape[1] == 1 or w.shape[0] > 1)
    if not single and (read * c * w.dtype.itemsize <= _FOLDED or read <= 2 * math.prod(sizes)):
        return columns.input_gradient_by_fold(w, g, window, sizes)
    # the gradient spread out over the strides, and the kernel turned around
    pads = _turned_pads(window, sizes, kernel, counts)
    once = Window((1,) * len(pads), tuple(pads), window.dilation)
    return _forward(g, _turned(w), once, sizes, window.stride)


def _turned_pads(window: Window, sizes, kernel, counts) -> list[tuple[int, int]]:
    """The pads of the convolution that is an input's gradient."""
    pads = []
    for size, k, place, s, pad, d in zip(sizes, kernel, counts, *window):
        low = d * (k - 1) - pad[0]
        pads.append((low, size - (place - 1) * s - 1 - low + d * (k - 1)))
    return pads


def _turned(w):
    """w (b, o, c, …) as the input's gradient takes it."""
    return jnp.flip(w.swapaxes(1, 2), range(3, w.ndim))


def _weight_gradient(x, g, window: Window, kernel: Sizes):
    """The gradients of weights with such a kernel, (b, o, c, …), of x (b, n, c, …) at g (b, n, o, …)."""
    if x.shape[2] == g.shape[2] == 1 and math.prod(kernel) > 1:
        return columns.weight_gradient_of_taps(x, g, window, kernel)
    return columns.weight_gradient_by_columns(x, g, window, kernel)


def _exchanged(x, w, window: Window, spread: Sizes, counts: Sizes):
    """`_forward` of stride 1 with input and kernel in each other's place, which gives the same from its end: few taps
    of many places."""
    pads = []
    for size, kernel, s, d, count, pad in zip(
        x.shape[3:], w.shape[3:], spread, window.dilation, counts, window.pads
    ):
        low = count - 1 - pad[0]
        pads.append((low, (size - 1) * s + count - low - (kernel - 1) * d - 1))
    about = Window((1,) * len(spread), tuple(pads), spread)
    out = _forward(w, x, about, counts, window.dilation)
    return jnp.flip(out, range(3, out.ndim)).swapaxes(1, 2)


def _channels_last(x, w, window: Window, spread: Sizes):
    """`_forward` by XLA's library of kernels, which takes no other order."""
    letters = "DHW"[3 - x.ndim :]
    last = "N" + letters + "C"

    def one(xw):
        x, w = xw
        out = jax.lax.conv_general_dilated(
            jnp.moveaxis(x, 1, -1),
            w,
            window.stride,
            window.pads,
            spread,
            window.dilation,
            dimension_numbers=(last, "OI" + letters, last),
            precision=jax.lax.Precision.HIGHEST,
        )
        return jnp.moveaxis(out, -1, 1)

    return one((x[0], w[0]))[None] if x.shape[0] == 1 else jax.lax.map(one, (x, w))


def _by_planes(x, w, window: Window, spread: Sizes, counts: Sizes):
    """`_forward` in three dims, in two: the planes that a place reads are channels of one (XLA has a loop for three,
    3.9 become 1.6)."""
    (b, n, c), (k, *kernel) = x.shape[:3], w.shape[3:]
    x = columns.padded(x, Window((1,) * 3, (window.pads[0], (0, 0), (0, 0)), (1,) * 3), (1,) * 3)
    starts = [i * window.dilation[0] for i in range(k)]
    planes = jnp.stack([jax.lax.slice_in_dim(x, a, a + counts[0], axis=3) for a in starts], 2)
    planes = jnp.moveaxis(planes, 4, 2).reshape(b, n * counts[0], k * c, *x.shape[4:])
    w = w.swapaxes(2, 3).reshape(b, w.shape[1], k * c, *kernel)
    about = Window(*(of[1:] for of in window))
    out = _channels_last(planes, w, about, spread[1:])
    return jnp.moveaxis(out.reshape(b, n, counts[0], *out.shape[2:]), 2, 3)
