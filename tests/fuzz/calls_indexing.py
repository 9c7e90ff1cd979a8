"""Reads and writes of `x[...]`: indices of every kind, in range and out of it."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.fuzz.calls_schema import DTYPES, SCALARS, SHAPES, related, tensor
from tests.fuzz.outcome import Arr, Call


@st.composite
def calls(draw) -> Call:
    """`x[index]` or `x[index] = value`."""
    rng = Random(draw(st.integers(0, 2**48)))
    shape = rng.choice(SHAPES)
    x = tensor(rng, shape, rng.choice(DTYPES))
    index = _index(rng, shape)
    if rng.random() < 0.5:
        return Call("Tensor.__getitem__", (x, index))
    return Call("Tensor.__setitem__", (x, index, _value(rng, x)))


def _index(rng: Random, shape: tuple[int, ...]) -> Any:
    many = rng.choice((0, 1, 1, 1, 2, 2, 3, 4))
    items, dim = [], 0
    for _ in range(many):
        size = shape[dim] if dim < len(shape) else 2
        item, uses = _item(rng, shape[dim:], size)
        items.append(item)
        dim += uses
    if len(items) == 1 and rng.random() < 0.7:
        return items[0]
    return items if rng.random() < 0.03 else tuple(items)


def _item(rng: Random, rest: tuple[int, ...], size: int) -> tuple[Any, int]:
    """One item of an index, and how many dims it reads."""
    r = rng.random()
    if r < 0.18:
        return _int(rng, size), 1
    if r < 0.36:
        return slice(
            *[_bound(rng, size) for _ in range(2)], rng.choice((None, None, None, 1, 2, 3, 0, -1))
        ), 1
    if r < 0.44:
        return None, 0
    if r < 0.52:
        return Ellipsis, max(len(rest) - 1, 0)
    if r < 0.56:
        return rng.choice((True, False)), 0
    if r < 0.72:
        ints = [_int(rng, size) for _ in range(rng.choice((0, 1, 2, 2, 3)))]
        kind = rng.randrange(5)
        if kind == 0:
            return ints, 1
        if kind == 1:
            return [[i] for i in ints], 1
        shape = rng.choice(((len(ints),), (len(ints), 1), (1, len(ints))))
        dtype = rng.choice(("int64", "int64", "int64", "int32", "int16", "uint8", "float32"))
        if dtype == "uint8":
            ints = [abs(i) for i in ints]
        return Arr(np.array(ints, dtype).reshape(shape)), 1
    if r < 0.76:
        return Arr(np.array(_int(rng, size))), 1
    if r < 0.92:
        many = rng.choice((1, 1, 2, len(rest), 0))
        shape = rest[:many] if rng.random() < 0.85 else rng.choice(SHAPES)
        mask = tensor(rng, shape, "bool")
        return (mask.array.tolist() if rng.random() < 0.2 else mask), len(shape)
    odd = (
        1.0,
        "a",
        np.int64(0),
        np.array([0]),
        [True, False],
        (0,),
        [],
        (),
        2**40,
        [0.5],
        1j,
        [None],
        [slice(None)],
        range(2),
    )
    return rng.choice(odd), 1


def _int(rng: Random, size: int) -> int:
    if rng.random() < 0.1 or not size:
        return rng.choice((size, -size - 1, 7, 0, -1))
    return rng.randrange(-size, size)


def _bound(rng: Random, size: int) -> Any:
    if rng.random() < 0.06:
        return rng.choice((1.0, "a", Arr(np.array(1)), np.int64(1), True, 2**40, -(2**40)))
    return rng.choice((None, None, 0, 1, 2, -1, -2, size, 10, -10))


def _value(rng: Random, x: Arr) -> Any:
    r = rng.random()
    if r < 0.35:
        return rng.choice(SCALARS)
    if r < 0.5:
        return tensor(rng, (), rng.choice(DTYPES))
    if r < 0.9:
        dtype = x.dtype if rng.random() < 0.6 else rng.choice(DTYPES)
        shape = related(rng, x.shape) if rng.random() < 0.8 else rng.choice(SHAPES)
        return tensor(rng, shape[rng.randrange(len(shape) + 1) :] if rng.random() < 0.4 else shape, dtype)
    return rng.choice((None, "a", [1, 2], [1.0], (), np.float64(2.5), np.array([1.0, 2.0]), x))
