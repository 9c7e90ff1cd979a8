"""Primitives that change shapes, and reductions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .interpreter import KNOWN, NARROW, NoRule, rule, several

__all__: list[str] = []

WRITTEN_OUT = 2_048
"""Elements up to which to repeat an array takes less than to make a view of it that does."""


@rule("broadcast_in_dim")
def _broadcast_in_dim(eqn: Any) -> Callable:
    shape, dims = eqn.params["shape"], eqn.params["broadcast_dimensions"]
    given = eqn.invars[0].aval.shape
    if len(eqn.invars) > 1:
        raise NoRule("a shape that is not known")
    middle = [1] * len(shape)
    for d, n in zip(dims, given):
        middle[d] = n
    if tuple(middle) == tuple(shape):
        return lambda x: x.reshape(shape)
    dtype = eqn.outvars[0].aval.dtype
    if math.prod(shape) <= WRITTEN_OUT and dtype in KNOWN:

        def repeated(x: np.ndarray) -> np.ndarray:
            out = np.empty(shape, dtype)
            out[...] = x.reshape(middle)
            return out

        return repeated
    if tuple(middle) == given:
        return lambda x: np.broadcast_to(x, shape)
    return lambda x: np.broadcast_to(x.reshape(middle), shape)


@rule("reshape", "squeeze")
def _reshape(eqn: Any) -> Callable:
    shape = eqn.outvars[0].aval.shape
    first = eqn.params.get("dimensions") if eqn.primitive.name == "reshape" else None
    if first is not None:
        return lambda x: x.transpose(first).reshape(shape)
    return lambda x: x.reshape(shape)


@rule("transpose")
def _transpose(eqn: Any) -> Callable:
    order = eqn.params["permutation"]
    return lambda x: x.transpose(order)


@rule("stack")
def _stack(eqn: Any) -> Callable:
    dim = eqn.params["axis"]
    return lambda *xs: np.stack(xs, dim)


@rule("unstack")
def _unstack(eqn: Any) -> Callable:
    dim = eqn.params["axis"]
    return several(lambda x: list(np.moveaxis(x, dim, 0)))


@rule("tile")
def _tile(eqn: Any) -> Callable:
    reps = eqn.params["reps"]
    return lambda x: np.tile(x, reps)


@rule("empty", "empty2")
def _empty(eqn: Any) -> Callable:
    """Zeros, as XLA for CPU makes them."""
    if eqn.invars:
        raise NoRule("a shape that is not known")
    shape, dtype = eqn.outvars[0].aval.shape, eqn.outvars[0].aval.dtype
    return lambda: np.zeros(shape, dtype)


_BY_PRODUCT = 1 << 8
"""Numbers in a row up to which the sum of each is a product with ones, in a tenth of the time. (Of longer rows it would
be less exact than NumPy's sums of halves: the error of 256 numbers is 5e-7 of the result, of 4,096 7e-6.)"""


def _axes(eqn: Any) -> tuple[int, ...]:
    if eqn.params.get("out_sharding") is not None:
        raise NoRule("a sharded reduction")
    return tuple(eqn.params["axes"])


@rule("reduce_sum")
def _sum(eqn: Any) -> Callable:
    axes, out = _axes(eqn), eqn.outvars[0].aval.dtype
    if out in NARROW:
        return lambda x: np.add.reduce(x, axes, np.float32).astype(out)
    given, shape = eqn.invars[0].aval.shape, eqn.outvars[0].aval.shape
    n, trailing = math.prod(given[len(shape) :]), tuple(range(len(shape), len(given)))
    if axes != trailing or not 0 < n <= _BY_PRODUCT or out not in (np.float32, np.float64):
        return lambda x: np.add.reduce(x, axes, out)
    ones = np.ones(n, out)

    def summed(x: np.ndarray) -> np.ndarray:
        if x.flags.c_contiguous:
            return x.reshape(-1, n).dot(ones).reshape(shape)
        return np.add.reduce(x, axes, out)

    return summed


@rule("reduce_prod")
def _prod(eqn: Any) -> Callable:
    axes, out = _axes(eqn), eqn.outvars[0].aval.dtype
    if out in NARROW:
        return lambda x: np.multiply.reduce(x.astype(np.float32), axes).astype(out)
    shape = eqn.invars[0].aval.shape
    if len(shape) == 2 and tuple(axes) == (1,) and out.kind == "f" and min(shape) >= 16:
        return lambda x: np.multiply.reduce(np.ascontiguousarray(x.T), 0, out)  # many lanes at once
    return lambda x: np.multiply.reduce(x, axes, out)


def _extreme(name: str, ufunc: np.ufunc, largest: bool) -> None:
    @rule(name)
    def make(eqn: Any) -> Callable:
        axes, d = _axes(eqn), eqn.outvars[0].aval.dtype
        if d.kind == "c":
            raise NoRule(f"{name} of complex numbers")
        if d == np.bool_:
            bools = np.logical_or if largest else np.logical_and
            return lambda x: bools.reduce(x, axes)
        if d not in NARROW and all(eqn.invars[0].aval.shape[a] for a in axes):
            return lambda x: ufunc.reduce(x, axes)
        if d.kind in "iu":
            least = np.iinfo(d).min if largest else np.iinfo(d).max
            return lambda x: ufunc.reduce(x, axes, initial=least)
        least = -np.inf if largest else np.inf
        if d in NARROW:
            return lambda x: ufunc.reduce(x.astype(np.float32), axes, initial=np.float32(least)).astype(d)
        return lambda x: ufunc.reduce(x, axes, initial=d.type(least))


_extreme("reduce_max", np.maximum, True)
_extreme("reduce_min", np.minimum, False)


def _bits(name: str, ufunc: np.ufunc, bools: np.ufunc) -> None:
    @rule(name)
    def make(eqn: Any) -> Callable:
        axes = _axes(eqn)
        reduce = (bools if eqn.outvars[0].aval.dtype == np.bool_ else ufunc).reduce
        return lambda x: reduce(x, axis=axes)


_bits("reduce_and", np.bitwise_and, np.logical_and)
_bits("reduce_or", np.bitwise_or, np.logical_or)
_bits("reduce_xor", np.bitwise_xor, np.logical_xor)
