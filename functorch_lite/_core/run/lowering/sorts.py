"""Sorting and selecting: of numbers and their places joined to one integer each, by XLA's quick sort of integers, or
bit by bit.

XLA for CPU sorts by calling a comparison for each pair of elements, unless it sorts one array of integers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from .table import Lowering, Site, lowers

__all__ = ["ordered_keys"]

_FEW = 64
"""Elements below which a sort is left to XLA."""
_FEW_IN_LANE = 32
"""Elements along the dimension below which one is selected by sorting."""
_PARTS = 8
"""Parts of an array that are counted one on the other: XLA for CPU adds up integers one by one, and arrays of them many
at once."""

_UNSIGNED = {4: jnp.uint32, 8: jnp.uint64}


def ordered_keys(x: Any, apart: bool = False) -> Any:
    """Unsigned integers of 32 or 64 bits in the order of any real numbers.

    Zeros are equal, and nans, which are last; unless `apart`: then the order is that of the bits, as XLA's `top_k` has
    it: -nan, -inf to -0.0, 0.0 to inf, nan."""
    if x.dtype == jnp.bool_:
        return x.astype(jnp.uint32)
    if jnp.issubdtype(x.dtype, jnp.floating):
        x = x.astype(jnp.float32) if x.dtype.itemsize < 4 else x
        if not apart:
            x = jnp.where(
                jnp.isnan(x), jnp.asarray(jnp.nan, x.dtype), jnp.where(x == 0, jnp.zeros_like(x), x)
            )
        top = 8 * x.dtype.itemsize - 1
        bits = lax.bitcast_convert_type(x, _UNSIGNED[x.dtype.itemsize])
        return bits ^ jnp.where(
            bits >> top == 1, bits.dtype.type(2 ** (top + 1) - 1), bits.dtype.type(1 << top)
        )
    wide = _UNSIGNED[max(x.dtype.itemsize, 4)]
    if jnp.issubdtype(x.dtype, jnp.unsignedinteger):
        return x.astype(wide)
    return x.astype(wide) ^ np.dtype(wide).type(1 << (8 * np.dtype(wide).itemsize - 1))


def _is_known(dtype: Any) -> bool:
    """Returns whether `ordered_keys` takes numbers of a dtype."""
    if dtype == jnp.bool_ or jnp.issubdtype(dtype, jnp.integer):
        return dtype.name[-1] != "4" or dtype.itemsize >= 4  # int4 is stored otherwise
    return dtype in (jnp.float16, jnp.bfloat16, jnp.float32, jnp.float64)


def _order(keys: Any) -> Any:
    """The stable order along the last dim of what `ordered_keys` gave, int64."""
    if keys.dtype == jnp.uint32:
        return _order_of_short(keys)
    n = keys.shape[-1]
    least = jnp.min(keys, axis=-1, keepdims=True)
    off = keys - least
    off = off << lax.clz(jnp.max(off, axis=-1, keepdims=True))
    places = jnp.uint64(2 ** max((n - 1).bit_length(), 1) - 1)
    pairs = off & ~places | lax.broadcasted_iota(jnp.uint64, keys.shape, keys.ndim - 1)
    order = (lax.sort(pairs, is_stable=False) & places).astype(jnp.int64)
    # what was cut off to make room for the places told some apart only if they are out of order now
    found = _taken(off, order)
    fits = jnp.all(found[..., 1:] >= found[..., :-1])

    def by_halves() -> Any:
        first = _order_of_short((off & jnp.uint64(0xFFFFFFFF)).astype(jnp.uint32))
        upper = _taken(off >> jnp.uint64(32), first).astype(jnp.uint32)
        return _taken(first, _order_of_short(upper))

    return lax.cond(fits, lambda: order, by_halves)


def _order_of_short(keys: Any) -> Any:
    pairs = keys.astype(jnp.uint64) << jnp.uint64(32) | lax.broadcasted_iota(
        jnp.uint64, keys.shape, keys.ndim - 1
    )
    return (lax.sort(pairs, is_stable=False) & jnp.uint64(0xFFFFFFFF)).astype(jnp.int64)


def _taken(x: Any, order: Any) -> Any:
    return jnp.take_along_axis(x, order, -1, mode="promise_in_bounds")


def _number(site: Site, v: Any) -> int:
    """1 for an operand that counts along the dimension, -1 for one that counts down, else 0."""
    eqn, turned = site.made_by(v), 1
    while eqn is not None and eqn.primitive.name in ("broadcast_in_dim", "rev"):
        if eqn.primitive.name == "rev":
            turned = -turned
        elif eqn.invars[0].aval.shape != (v.aval.shape[site.params["dimension"]],):
            return 0
        eqn = site.made_by(eqn.invars[0])
    if eqn is None or eqn.primitive.name != "iota":
        return 0
    along, dim, n = eqn.params["dimension"], site.params["dimension"], v.aval.shape[site.params["dimension"]]
    shape = eqn.params["shape"]
    fits = (shape == v.aval.shape and along == dim) or (shape == (n,) and _broadcast_along(site, v, dim))
    return turned if fits else 0


def _broadcast_along(site: Site, v: Any, dim: int) -> bool:
    eqn = site.made_by(v)
    while eqn is not None and eqn.primitive.name == "rev":
        eqn = site.made_by(eqn.invars[0])
    if eqn is None or eqn.primitive.name != "broadcast_in_dim":
        return len(v.aval.shape) == 1
    return tuple(eqn.params["broadcast_dimensions"]) == (dim,)


@lowers("sort")
def _sort(site: Site) -> Lowering | None:
    """Joins each number and its place to one integer, sorts those, and takes all operands from these places.
    (Rows sort, argsort, quantile, median of 1 M: 4.5 to 37 x PyTorch's time, 0.9 x so; `sort int64 100k`: 7 x.)"""
    dim, first = site.params["dimension"], site.ins[0]
    if site.params["num_keys"] != 1 or math.prod(first.shape) < _FEW or not _is_known(first.dtype):
        return None
    n, last = first.shape[dim], len(first.shape) - 1
    if n < 2 or (len(site.ins) == 1 and not jnp.issubdtype(first.dtype, jnp.floating)):
        return None
    numbers = [_number(site, v) for v in site.eqn.invars]

    def run(*operands: Any) -> Sequence[Any]:
        order = _order(ordered_keys(jnp.moveaxis(operands[0], dim, last)))

        def placed(x: Any, number: int) -> Any:
            if number:
                made = order if number == 1 else n - 1 - order
                made = made.astype(x.dtype)
            else:
                made = _taken(jnp.moveaxis(x, dim, last), order)
            return jnp.moveaxis(made, last, dim)

        return [placed(x, number) for x, number in zip(operands, numbers)]

    return run


@lowers("top_k")
def _top_k(site: Site) -> Lowering | None:
    """XLA's own for float32 in two dims, which is quick; what float32 holds by that, too; and by sorting what it does
    not hold, or nearly all. (Row `topk 5 of 1000000`: 79 x PyTorch's time, 0.4 x so.)"""
    x, k, axis = site.ins[0], site.params["k"], site.params["axis"]
    n, last = x.shape[axis], len(x.shape) - 1
    if not _is_known(x.dtype) or math.prod(x.shape) < _FEW:
        return None
    index = site.outs[1].dtype
    floats = jnp.issubdtype(x.dtype, jnp.floating)
    held = x.dtype == jnp.float32 or x.dtype.itemsize < 4
    by_sorting = not held or k > n // 4
    if not by_sorting and x.dtype == jnp.float32 and len(x.shape) <= 2 and axis == last:
        return None

    def run(operand: Any) -> Sequence[Any]:
        rows = jnp.moveaxis(operand, axis, last)
        if by_sorting:
            at = _order(~ordered_keys(rows, apart=floats))[..., :k]
        else:
            flat = rows.astype(jnp.float32).reshape(-1, n)
            at = lax.top_k(flat, k)[1].reshape(*rows.shape[:-1], k)
        found = _taken(rows, at)
        return jnp.moveaxis(found, last, axis), jnp.moveaxis(at.astype(index), last, axis)

    return run


def _place(keys: Any, rank: Any) -> Any:
    """Where in the first dim of (n, lanes) the key is that a stable sort puts at a lane's rank: its bits are found one
    by one, by counting."""
    n, lanes = keys.shape
    # what is filled up is last, whatever it is: no rank is so high
    parts = min(n, _PARTS)
    full = jnp.pad(
        keys, ((0, -n % parts), (0, 0)), constant_values=keys.dtype.type(2 ** (8 * keys.dtype.itemsize) - 1)
    )
    full = full.reshape(parts, -1, lanes)
    number = lax.broadcasted_iota(jnp.int32, full.shape[1:], 0)

    def counted(holds: Callable[[Any], Any]) -> Any:
        ones = [holds(i).astype(jnp.int32) for i in range(parts)]
        return jnp.sum(reduce(jnp.add, ones), axis=0)

    def number_of(i: int) -> Any:
        return number + i * full.shape[1]

    def bisected(bits: int, dtype: Any, below: Callable[[int, Any], Any], rank: Any) -> Any:
        """The largest number with no more than `rank` elements below it."""

        def step(i: Any, least: Any) -> Any:
            more = least | (dtype(1) << (dtype(bits - 1) - i.astype(dtype)))
            return jnp.where(counted(lambda p: below(p, more)) <= rank, more, least)

        return lax.fori_loop(0, bits, step, jnp.zeros(lanes, dtype))

    key = bisected(8 * keys.dtype.itemsize, keys.dtype.type, lambda p, least: full[p] < least, rank)
    before = counted(lambda p: full[p] < key)

    def nth() -> Any:
        bits = max((n - 1).bit_length(), 1)
        return bisected(
            bits, jnp.int32, lambda p, least: (full[p] == key) & (number_of(p) < least), rank - before
        )

    def first() -> Any:
        places = [jnp.where(full[p] == key, number_of(p), n) for p in range(parts)]
        return jnp.min(reduce(jnp.minimum, places), axis=0)

    return lax.cond(jnp.any(rank > before), nth, first)


@lowers("place_of_rank")
def _place_of_rank(site: Site) -> Lowering | None:
    """Counts, bit by bit, how many are below a number; or sorts, where there are few.
    (Rows median and kthvalue: 7 to 37 x PyTorch's time, about 0.7 x so.)"""
    x, axis = site.ins[0], site.params["axis"]
    n, last = x.shape[axis], len(x.shape) - 1
    lanes = math.prod(x.shape) // max(n, 1)
    by_sorting = n < _FEW_IN_LANE or n * lanes < 32 * _FEW
    if not _is_known(x.dtype):
        return None

    def run(x: Any, rank: Any) -> Any:
        if by_sorting:
            order = _order(ordered_keys(jnp.moveaxis(x, axis, last)))
            return jnp.moveaxis(_taken(order, jnp.moveaxis(rank, axis, last)), last, axis)
        keys = ordered_keys(jnp.moveaxis(x, axis, 0).reshape(n, lanes))
        return _place(keys, rank.reshape(lanes).astype(jnp.int32)).astype(jnp.int64).reshape(rank.shape)

    return run


@lowers("argmax", "argmin")
def _place_of_extreme(site: Site) -> Lowering | None:
    """The largest, and then the first place that has it; places are counted in float32, whose least XLA finds in
    vectors. A nan is the largest. (Rows argmax, max with places: 2 to 3 x PyTorch's time; argmin of 10 M: 2.6 x; `max dim
    1 float64 100k`: 8.4 x.)"""
    x, (axis,) = site.ins[0], site.params["axes"]
    n, index = x.shape[axis], site.outs[0].dtype
    if (
        x.dtype not in (jnp.float64, jnp.float32, jnp.bfloat16, jnp.float16)
        or not 1 < n < 2**24
        or math.prod(x.shape) < _FEW
    ):
        return None
    extreme = jnp.max if site.eqn.primitive.name == "argmax" else jnp.min
    wide = jnp.promote_types(x.dtype, jnp.float32)

    def first(x: Any, axis: int) -> Any:
        many = x.shape[axis]
        number = lax.broadcasted_iota(jnp.float32, x.shape, axis)
        # a nan comes before all others; of the extreme itself XLA for CPU does not say whether there is one
        # (`extremes.py`)
        number = jnp.where(
            x != x, number - many, jnp.where(x == extreme(x, axis=axis, keepdims=True), number, many)
        )
        place = jnp.min(number, axis=axis)
        return jnp.where(place < 0, place + many, place).astype(index)

    row = next((d for d in range(1024, 8192) if n % d == 0), 0)
    if len(x.shape) > 1 or n < 2**16 or not row:
        return lambda x: first(x.astype(wide), axis)

    def by_rows(x: Any) -> Any:
        x = x.astype(wide)
        rows = x.reshape(-1, row)  # XLA finds the extreme of a row by vectors, that of all numbers one by one
        total = jnp.sum(x)

        def without_nan() -> Any:
            at = first(extreme(rows, axis=1), 0)
            return at * row + first(lax.dynamic_index_in_dim(rows, at, keepdims=False), 0)

        return lax.cond(total != total, lambda: first(x, 0), without_nan)

    return by_rows
