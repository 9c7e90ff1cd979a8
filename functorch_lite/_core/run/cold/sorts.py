"""Rules for orders along a dimension: sorting, the largest k, the place of the largest, and what accumulates.

NumPy sorts numbers several times as fast as it finds a stable order of them. So where there are more than a few, and 32
bits hold what is compared, each is put in front of its number in one int64, and those are sorted.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .interpreter import COSTS, NARROW, NoRule, elements, known, rule, several

__all__: list[str] = []

_FEW = 64
"""Elements along a dimension, below which a stable order is found directly."""

Fn = Callable[[np.ndarray], np.ndarray]


class _Lanes:
    """Lanes along dimension `dim` of arrays of a shape: their elements, numbered, and where these are in memory."""

    def __init__(self, shape: tuple[int, ...], dim: int):
        self.n, self.dim, self.step = shape[dim], dim, math.prod(shape[dim + 1 :])
        self.numbers = np.arange(self.n).reshape(-1, *[1] * (len(shape) - dim - 1))
        first = np.zeros([1 if d == dim else n for d, n in enumerate(shape)], np.int64)
        for d, n in enumerate(shape):
            if d != dim:
                first += (np.arange(n) * math.prod(shape[d + 1 :])).reshape(-1, *[1] * (len(shape) - d - 1))
        self.first = first if first.size != 1 else None

    def places(self, order: np.ndarray) -> np.ndarray:
        """Where in memory the elements of these numbers are."""
        if self.step != 1:
            order = order * self.step
        return order if self.first is None else order + self.first

    def packed(self, keys: np.ndarray) -> np.ndarray:
        """Integers of up to 32 bits, each in front of its number.

        All are different; of equal keys the first is the least."""
        pairs = keys.astype(np.int64)
        pairs <<= 32
        pairs |= self.numbers
        return pairs

    def ordered(self, pairs: np.ndarray) -> np.ndarray:
        """The numbers, in the order of the keys before them. Overwrites them."""
        pairs.sort(self.dim)
        pairs &= 0xFFFFFFFF
        return pairs

    def stable(self, keys: np.ndarray) -> np.ndarray:
        """The numbers, in the stable order of any keys."""
        return keys.argsort(self.dim, kind="stable")


def _bits(x: np.ndarray) -> np.ndarray:
    """Floats as integers in the order of their bits: -nan, -inf to -0.0, 0.0 to inf, nan."""
    size = x.dtype.itemsize
    signed = x.view(f"i{size}")
    return signed ^ ((signed >> (8 * size - 1)) & signed.dtype.type(2 ** (8 * size - 1) - 1))


def _equal_bits(x: np.ndarray) -> np.ndarray:
    """Numbers of float32 as integers in their order, where zeros are equal, and nans, which are last."""
    x = x + np.float32(0)  # of -0.0 it makes 0.0
    nans = np.isnan(x)
    if np.count_nonzero(nans):  # faster than any()
        x[nans] = np.nan
    return _bits(x)


def _wide(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float32) if x.dtype in NARROW else x


def _as_signed(dtype: np.dtype) -> Fn:
    """A function that gives signed integers of at most as many bits, or bools, in the order of integers of a dtype."""
    if dtype.kind == "u" and dtype.itemsize >= 4:
        flip, signed = dtype.type(2 ** (8 * dtype.itemsize - 1)), f"i{dtype.itemsize}"
        return lambda x: (x ^ flip).view(signed)
    return lambda x: x


def _order(aval: Any, lanes: _Lanes) -> Fn:
    """A function that gives the stable order of arrays like this."""
    dtype, long = aval.dtype, aval.dtype.itemsize == 8
    floats = dtype.kind == "f" or dtype in NARROW
    if lanes.n < _FEW or (floats and long):
        return lambda x: lanes.stable(_wide(x))
    if floats:
        return lambda x: lanes.ordered(lanes.packed(_equal_bits(_wide(x))))
    signed = _as_signed(dtype)
    if not long:
        return lambda x: lanes.ordered(lanes.packed(signed(x)))

    def run(x: np.ndarray) -> np.ndarray:
        least = x.min()
        if int(x.max()) - int(least) < 2**31:
            return lanes.ordered(lanes.packed(x - least))
        return lanes.stable(x)

    return run if math.prod(aval.shape) else lanes.stable


@rule("sort")
def _sort(eqn: Any) -> Callable:
    """Sorts. Zeros, and nans, each stay behind those before them: also where no stable order is asked for."""
    known(eqn)
    dim, n_keys, first = eqn.params["dimension"], eqn.params["num_keys"], eqn.invars[0].aval
    if len(eqn.invars) == 1 and first.dtype.kind != "c":
        sort = _sorted(first.dtype, first.shape[dim], dim)
        return several(lambda x: [sort(x)])
    lanes = _Lanes(first.shape, dim)
    if n_keys == 1 and first.dtype.kind != "c":
        order = _order(first, lanes)
    else:
        order = None

    @several
    def run(*xs: np.ndarray) -> list:
        at = lanes.places(_order_of_several(xs[:n_keys], dim) if order is None else order(xs[0]))
        return [x.reshape(-1).take(at) for x in xs]

    return run


def _order_of_several(keys: tuple[np.ndarray, ...], dim: int) -> np.ndarray:
    """The stable order by several keys, the first one first; of a complex number the real part first."""
    parts = []
    for x in keys:
        parts += [x.real, x.imag] if x.dtype.kind == "c" else [_wide(x)]
    return np.lexsort(parts[::-1], dim)


def _sorted(dtype: np.dtype, n: int, dim: int) -> Fn:
    """A function that sorts arrays of a dtype."""
    if dtype.kind != "f" and dtype not in NARROW:
        return lambda x: np.sort(x, dim)
    wide = np.dtype(np.float32) if dtype in NARROW else dtype
    bits, minus_zero = f"i{wide.itemsize}", -(2 ** (8 * wide.itemsize - 1))

    def run(x: np.ndarray) -> np.ndarray:
        x = x.astype(wide, copy=False)
        # where equal ones can be told apart, their order is that of a stable sort, which takes longer
        told = n < _FEW or np.count_nonzero(x.view(bits) == minus_zero) or np.count_nonzero(np.isnan(x))
        return np.sort(x, dim, kind="stable" if told else None).astype(dtype, copy=False)

    return run


@rule("top_k")
def _top_k(eqn: Any) -> Callable:
    """In the order of the bits of floats, as XLA does it, where 0.0 is larger than -0.0, and nans are largest or,
    negative, least."""
    known(eqn)
    aval, index, k, dim = eqn.invars[0].aval, eqn.outvars[1].aval.dtype, eqn.params["k"], eqn.params["axis"]
    lanes = _Lanes(aval.shape, dim)
    first = (*[slice(None)] * lanes.dim, slice(0, k))
    floats = aval.dtype.kind == "f" or aval.dtype in NARROW
    keys = _bits if floats else _as_signed(aval.dtype)
    packs = lanes.n >= _FEW and aval.dtype.itemsize <= 4
    picks = packs and 0 < k < lanes.n // 2

    @several
    def run(x: np.ndarray) -> tuple:
        key = ~keys(x)  # whose order is the other way round
        if packs:
            pairs = lanes.packed(key)
            if picks:
                pairs = np.partition(pairs, k - 1, dim)[first]
            order = lanes.ordered(pairs)[first]
        else:
            order = lanes.stable(key)[first]
        return x.reshape(-1).take(lanes.places(order)), order.astype(index)

    return run


@rule("place_of_rank")
def _place_of_rank(eqn: Any) -> Callable:
    """By a partition, where all ranks are the same; else by the order."""
    known(eqn)
    aval, dim = eqn.invars[0].aval, eqn.params["axis"]
    lanes = _Lanes(aval.shape, dim)
    order = _order(aval, lanes)
    floats = aval.dtype.kind == "f" or aval.dtype in NARROW
    packs, signed = lanes.n >= _FEW and aval.dtype.itemsize <= 4, _as_signed(aval.dtype)

    def run(x: np.ndarray, rank: np.ndarray) -> np.ndarray:
        first = rank.flat[0] if rank.size else 0
        if packs and (rank == first).all():
            pairs = lanes.packed(_equal_bits(_wide(x)) if floats else signed(x))
            pairs.partition(first, dim)
            return pairs.take([first], dim) & 0xFFFFFFFF
        return np.take_along_axis(order(x), rank, dim)

    return run


@rule("argmax", "argmin")
def _argmax(eqn: Any) -> Callable:
    """The first of the largest; a nan is."""
    known(eqn)
    (axis,), dtype = eqn.params["axes"], eqn.outvars[0].aval.dtype
    find = np.ndarray.argmax if eqn.primitive.name == "argmax" else np.ndarray.argmin
    if eqn.invars[0].aval.dtype in NARROW:
        return lambda x: find(x.astype(np.float32), axis).astype(dtype)
    return lambda x: find(x, axis).astype(dtype)


_ACCUMULATE: dict[str, np.ufunc] = {
    "cumsum": np.add,
    "cumprod": np.multiply,
    "cummax": np.maximum,
    "cummin": np.minimum,
    "cumlogsumexp": np.logaddexp,
}


@rule(*_ACCUMULATE)
def _accumulated(eqn: Any) -> Callable:
    """One after the other: halves in float32, and sums of float32 in float64, since XLA's, which add in pairs, are as
    near as that."""
    known(eqn)
    name, axis, aval = eqn.primitive.name, eqn.params["axis"], eqn.outvars[0].aval
    if aval.dtype.kind == "c" and name not in ("cumsum", "cumprod"):
        raise NoRule(f"{name} of complex numbers")
    dtype, accumulate = aval.dtype, _ACCUMULATE[name].accumulate
    wide = np.dtype(np.float32) if dtype in NARROW else dtype
    if name == "cumsum" and dtype in (np.float32, np.complex64):
        wide = np.dtype("d" if dtype == np.float32 else "D")
    back = (*[slice(None)] * axis, slice(None, None, -1)) if eqn.params["reverse"] else None

    def run(x: np.ndarray) -> np.ndarray:
        if back is not None:
            x = x[back]
        made = accumulate(x.astype(wide, copy=False), axis, wide).astype(dtype, copy=False)
        return made if back is None else made[back]

    return run


def _sorting(eqn: Any) -> float:
    aval = eqn.invars[0].aval
    quick = aval.dtype.itemsize <= 4 or len(eqn.invars) == 1
    return (400.0 if quick else 1500.0) * elements(eqn.invars[0]) * len(eqn.invars)


def _selecting(eqn: Any) -> float:
    aval = eqn.invars[0].aval
    return (150.0 if aval.dtype.itemsize <= 4 else 1500.0) * elements(eqn.invars[0])


COSTS["sort"] = _sorting
COSTS["top_k"] = COSTS["place_of_rank"] = _selecting
for _name in _ACCUMULATE:
    COSTS[_name] = lambda eqn: 200.0 * elements(eqn.outvars[0])
COSTS["cumlogsumexp"] = lambda eqn: 800.0 * elements(eqn.outvars[0])
