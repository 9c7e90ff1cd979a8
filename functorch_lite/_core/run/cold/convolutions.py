"""The rule for convolutions, `conv_general_dilated`: in one of two ways, each made of products of matrices.

By patches: what each place of the result reads is copied side by side, and one product does the rest. By places: where
the result has fewer channels than the input, as in gradients, the input is multiplied by all places of the kernel
first, and the products are added up, shifted.

Names: n samples, g groups, i channels of a group of the input, o of the result; k places of the kernel, p of the
result, s of the input.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .interpreter import COSTS, rule
from .products import arithmetic, product_of_integers
from .windows import Steps, meetings

__all__: list[str] = []

_AT_ONCE = 1 << 18
"""How many elements are copied or multiplied before the next ones, while they are in the cache."""

_MERGED = 32  # places of a result, below which all samples make one product

Product = Callable[..., np.ndarray]


class _Convolution:
    """The sizes of a convolution, and views of its operands with the axes n, g, i, s and g, o, i, k."""

    def __init__(self, eqn: Any):
        p = eqn.params
        lhs, rhs = (v.aval.shape for v in eqn.invars)
        self.lhs_spec, self.rhs_spec, self.out_spec = p["dimension_numbers"]
        self.out = eqn.outvars[0].aval.shape
        self.lhs, self.of_samples = lhs, p["batch_group_count"] > 1
        self.g = p["batch_group_count"] * p["feature_group_count"]
        self.n, self.o = self.out[self.out_spec[0]], rhs[self.rhs_spec[0]] // self.g
        self.i = rhs[self.rhs_spec[1]]
        self.k, self.p, self.s = (
            tuple(shape[d] for d in spec[2:])
            for shape, spec in ((rhs, self.rhs_spec), (self.out, self.out_spec), (lhs, self.lhs_spec))
        )
        self.strides, self.pads = p["window_strides"], p["padding"]
        self.spreads, self.dilations = p["lhs_dilation"], p["rhs_dilation"]
        self.sizes = math.prod(self.k), math.prod(self.p), math.prod(self.s)
        self.terms = self.i * self.sizes[0]
        inner = next((d for d in reversed(range(len(lhs))) if lhs[d] > 1), 0)
        self.inner = "n" if inner == self.lhs_spec[0] else "i" if inner == self.lhs_spec[1] else "s"
        """The axis whose elements lie side by side in the input."""
        self.rows = self.out_spec[1] == len(self.out) - 1
        """Whether the channels of the result lie side by side."""

    def left(self, x: np.ndarray) -> np.ndarray:
        """The input, padded or not, as (n, g, i, s)."""
        x = x.transpose(self.lhs_spec)
        if self.g == 1:
            return x[:, None]
        if self.of_samples:
            return x.reshape(self.g, self.n, *x.shape[1:]).swapaxes(0, 1)
        return x.reshape(self.n, self.g, self.i, *x.shape[2:])

    def right(self, w: np.ndarray) -> np.ndarray:
        """The kernel as (g, o, i, k).

        Turned round, as for gradients, it is copied: of steps to the left NumPy makes no call of BLAS."""
        if min(w.strides, default=0) < 0:
            w = np.ascontiguousarray(w)
        return w.transpose(self.rhs_spec).reshape(self.g, self.o, self.i, *self.k)

    def result(self, axes: Sequence[str]) -> Callable[[np.ndarray], np.ndarray]:
        """A function that makes the result from an array with these axes, of which those of places are p0, p1, …"""
        names = ["n", "g o", *[f"p{d}" for d in range(len(self.p))]]
        wanted = [a for d in range(len(self.out)) for a in names[self.out_spec.index(d)].split()]
        order = tuple(axes.index(a) for a in wanted)
        shape, out = self.shape(axes), self.out
        return lambda t: np.ascontiguousarray(t.reshape(shape).transpose(order).reshape(out))

    def shape(self, axes: Sequence[str]) -> tuple[int, ...]:
        """Returns the shape of the result, with these axes."""
        sizes = {"n": self.n, "g": self.g, "o": self.o, **{f"p{d}": size for d, size in enumerate(self.p)}}
        return tuple(sizes[a] for a in axes)

    def places(self) -> list[tuple[int, tuple, tuple]]:
        """For each place of the kernel that has any: its number, and the places of the result and of the input that
        meet there."""
        found = []
        for number, place in enumerate(np.ndindex(*self.k)):
            each = zip(self.s, self.p, place, self.strides, self.pads, self.spreads, self.dilations)
            met = [meetings(s, p, k, Steps(stride, low, *rest)) for s, p, k, stride, (low, _), *rest in each]
            if None not in met:
                found.append((number, tuple(m[0] for m in met if m), tuple(m[1] for m in met if m)))
        return found

    def ways(self) -> dict[Callable, float]:
        """How many nanoseconds each way takes, about, for float32."""
        k, p, s = self.sizes
        each, calls = self.n * self.g * k, 4e3 * k
        return {
            _by_patches: each * self.i * p * (1 + 0.04 * self.o),
            _by_places: calls + each * self.o * s * (2.5 + 0.04 * self.i),
        }


@rule("conv_general_dilated")
def _convolution(eqn: Any) -> Callable:
    c = _Convolution(eqn)
    how, dtype = arithmetic(eqn, c.terms), eqn.outvars[0].aval.dtype
    if not all(math.prod(shape) for shape in (c.out, *[v.aval.shape for v in eqn.invars])):
        return lambda x, w: np.zeros(c.out, dtype)
    ways = c.ways()
    convolve = min(ways, key=ways.__getitem__)(c, np.matmul if how.blas else product_of_integers)
    first, second, last = how.first, how.second, how.last
    if first is second is last is None:
        return convolve

    def run(x: np.ndarray, w: np.ndarray) -> np.ndarray:
        r = convolve(x if first is None else first(x), w if second is None else second(w))
        return r if last is None else last(r)

    return run


def _padder(c: _Convolution) -> Callable[[np.ndarray], np.ndarray]:
    """A function that pads the input and puts zeros between its elements, in the order in which it lies in memory."""
    shape, there, here = list(c.lhs), [slice(None)] * len(c.lhs), [slice(None)] * len(c.lhs)
    zeros = False
    for d, (low, high), spread in zip(c.lhs_spec[2:], c.pads, c.spreads):
        zeros = zeros or low > 0 or high > 0 or spread > 1
        shape[d] = low + (c.lhs[d] - 1) * spread + 1 + high
        met = meetings(c.lhs[d], shape[d], 0, Steps(low=low, spread=spread))
        there[d], here[d] = met or (slice(0), slice(0))
    to, of = tuple(there), tuple(here)
    if not zeros:
        return lambda x: x[of]

    def padded(x: np.ndarray) -> np.ndarray:
        full = np.zeros(shape, x.dtype)
        full[to] = x[of]
        return full

    return padded


def _by_patches(c: _Convolution, product: Product) -> Callable:
    """By copies of what each place of the result reads.

    In which order they lie depends on what can be copied in long runs."""
    dims, (k, p, _), (n, g, i, o) = len(c.k), c.sizes, (c.n, c.g, c.i, c.o)
    ks, ps = list(range(3, 3 + dims)), list(range(3 + dims, 3 + 2 * dims))
    pad = _padder(c)
    last_k, last_p = (c.k[-1], c.p[-1]) if dims else (1, 1)
    channels_last, columns, stack = False, True, "g"
    if c.inner == "i" and i * (last_k if c.dilations[-1:] == (1,) else 1) >= 8:
        order, columns, channels_last = [1, 0, *ps, *ks, 2], False, True
    elif c.inner == "n" and n >= 8:
        order, stack = [1, *ps, 2, *ks, 0], "gp"
    elif last_k > last_p:
        order, columns = [1, 0, *ps, 2, *ks], False
    elif p >= _MERGED or n == 1:
        order, stack = [0, 1, 2, *ks, *ps], "ng"
    else:
        order = [1, 2, *ks, 0, *ps]
    # the matrices, and the axes of their product, before and after what they are stacks of
    places = [f"p{d}" for d in range(dims)]
    free = {"g": ["n", *places], "gp": ["n"], "ng": places}[stack]
    axes = [
        *{"g": ["g"], "gp": ["g", *places], "ng": ["n", "g"]}[stack],
        *([*free, "o"] if c.rows else ["o", *free]),
    ]
    w_order = [0, 1, *ks, 2] if channels_last else None
    finish = c.result(axes)

    def shapes(n: int, i: int) -> tuple[tuple, tuple, tuple]:
        """Returns the shapes of patches, kernel and product, as stacks of matrices."""
        stacked = {"g": (g,), "gp": (g, p), "ng": (n, g)}[stack]
        size, terms = {"g": n * p, "gp": n, "ng": p}[stack], i * k
        return (
            (*stacked, *((terms, size) if columns else (size, terms))),
            ((g, 1, o, terms) if stack == "gp" else (g, o, terms)),
            (*stacked, *((size, o) if c.rows else (o, size))),
        )

    def multiply(patches: np.ndarray, w: np.ndarray, to: np.ndarray | None = None) -> np.ndarray:
        of_patches, of_w, of_product = shapes(patches.shape[0], patches.shape[2])
        a = patches.transpose(order).reshape(of_patches)
        b = (w if w_order is None else w.transpose(w_order)).reshape(of_w)
        if to is not None:
            to = to.reshape(of_product)
        if c.rows:
            return product(a.swapaxes(-1, -2) if columns else a, b.swapaxes(-1, -2), out=to)
        return product(b, a if columns else a.swapaxes(-1, -2), out=to)

    shape = (n, g, i, *c.k, *c.p)
    chunk, at_n = _chunks(c), axes.index("n")
    whole = c.shape(axes)

    def run(x: np.ndarray, w: np.ndarray) -> np.ndarray:
        x, w = c.left(pad(x)), c.right(w)
        steps = x.strides
        of_k = [s * d for s, d in zip(steps[3:], c.dilations)]
        of_p = [s * d for s, d in zip(steps[3:], c.strides)]
        patches = as_strided(x, shape, (*steps[:3], *of_k, *of_p))
        if chunk is None:
            return finish(multiply(patches, w))
        axis, count = chunk
        if axis == "n":
            t = np.empty(whole, x.dtype)
            for start in range(0, n, count):
                part = slice(start, start + count)
                multiply(patches[part], w, t[(slice(None),) * at_n + (part,)])
            return finish(t)
        t = multiply(patches[:, :, :count], w[:, :, :count])
        for start in range(count, i, count):
            part = slice(start, start + count)
            t += multiply(patches[:, :, part], w[:, :, part])
        return finish(t)

    return run


def _chunks(c: _Convolution) -> tuple[str, int] | None:
    """(axis, length): how many samples (n) or input channels (i) at a time, so that patches stay in the cache; None if
    they need no chunks."""
    k, p, s = c.sizes
    total = c.n * c.g * c.i * k * p
    if total <= 2 * _AT_ONCE or k * p <= s:
        return None
    # the product is added to once for each chunk of channels, and the kernel is copied by chunks too
    most = max(total // c.i, c.g * c.o * k)
    by_channels = max(_AT_ONCE // most, 1)
    if -(-c.i // by_channels) * c.n * c.g * c.o * p * 4 <= total:
        return "i", by_channels
    return "n", max(_AT_ONCE * c.n // total, 1)


def _by_places(c: _Convolution, product: Product) -> Callable:
    """By products of the whole input with each place of the kernel, added up where they belong."""
    (k, _, s), (n, g, i, o), dims = c.sizes, (c.n, c.g, c.i, c.o), len(c.k)
    ks, every = list(range(3, 3 + dims)), slice(None)
    places = [f"p{d}" for d in range(dims)]
    channels_last = c.inner == "i" and o >= 8
    apart = not channels_last and c.inner == "s" and (s >= _MERGED or n == 1)
    if channels_last:
        axes, at_n = ["g", "n", *places, "o"], 1
        pairs = [((every, every, *to, every), (every, every, *of, j, every)) for j, to, of in c.places()]
    elif apart:
        axes, at_n = ["n", "g", "o", *places], 0
        pairs = [((every, every, every, *to), (every, every, j, every, *of)) for j, to, of in c.places()]
    else:
        axes, at_n = ["g", "o", "n", *places], 2
        pairs = [((every, every, every, *to), (every, j, every, every, *of)) for j, to, of in c.places()]
    whole, finish = c.shape(axes), c.result(axes)
    count = max(_AT_ONCE // (g * k * o * s), 1)
    channels_and_places = [1, 2, 0, *ks]

    def run(x: np.ndarray, w: np.ndarray) -> np.ndarray:
        x = c.left(x)
        w = c.right(w).transpose(0, *ks, 1, 2).reshape(g, k * o, i)
        t = np.zeros(whole, x.dtype)
        for start in range(0, n, count):
            part = x[start : start + count]
            size = len(part)
            if channels_last:
                rows = part.transpose(1, 0, *ks, 2).reshape(g, size * s, i)
                products = product(rows, w.swapaxes(1, 2)).reshape(g, size, *c.s, k, o)
            elif apart:
                products = product(w, part.reshape(size, g, i, s)).reshape(size, g, k, o, *c.s)
            else:
                columns = part.transpose(channels_and_places).reshape(g, i, size * s)
                products = product(w, columns).reshape(g, k, o, size, *c.s)
            total = t[(every,) * at_n + (slice(start, start + count),)]
            for to, of in pairs:
                there = total[to]
                there += products[of]
        return finish(t)

    return run


def _multiply_adds(eqn: Any) -> float:
    """As many as a product of matrices makes in the time that the way takes, copies included."""
    c = _Convolution(eqn)
    return 20.0 * min(c.ways().values()) * arithmetic(eqn, c.terms).factor


COSTS["conv_general_dilated"] = _multiply_adds
