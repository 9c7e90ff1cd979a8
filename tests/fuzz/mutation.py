"""Mutation of a good call into a doubtful one: its tensors' shapes, dtypes and values, its numbers, names and flags,
its argument list.

`mutated(rng, args, kwargs)` is deterministic in `rng`. Arguments are those of tests/samples: tensors are placeholders
T.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tests.samples.base import T

DTYPES = (
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "int64",
    "int32",
    "uint8",
    "int8",
    "int16",
    "bool",
    "complex64",
    "complex128",
)
COMMON = ("float64", "float64", "float32", "int64", "int64", "bool", "float16", "complex64")
ODD_NUMBERS = (
    0,
    1,
    -1,
    2,
    3,
    -2,
    7,
    100,
    0.5,
    -0.5,
    1.5,
    float("nan"),
    float("inf"),
    float("-inf"),
    True,
    False,
)
ODD_INTS = (0, 0, -1, -1, 1, 2, 3, 4, -2, -3, 5, 8, 100)
ODD_FLOATS = (0.0, -1.0, 1.0, 0.5, 2.0, 1e-8, 1e8, float("nan"), float("inf"), float("-inf"), 3, 0)
WORDS = (
    "mean",
    "sum",
    "none",
    "max",
    "",
    "nearest",
    "bilinear",
    "linear",
    "same",
    "valid",
    "reflect",
    "fro",
    "nuc",
    "ortho",
    "bogus",
)


class Named:
    """A dtype by its name, for either library."""

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


FOR_NONE = (
    1,
    0,
    -1,
    0.5,
    True,
    "mean",
    (1,),
    (1, 1),
    T(np.array([0.5, 1.5], np.float32)),
    T(np.array([0, 1])),
)
FOR_DTYPE = (None, *map(Named, ("float64", "float16", "int64", "complex64", "bool")), 1, "float32")
"""What to put in the place of None, or of a dtype."""
ROUNDS = (0, 1, 1, 1, 1, 1, 1, 2, 2, 3)
"""How many mutations a call gets: one of these."""
LIMIT = 20_000
"""Tensors are kept smaller than this many elements."""


def cast(array: np.ndarray, name: str) -> tuple[np.ndarray, str | None]:
    """The array in a dtype of torch's: (array, name of the dtype that numpy lacks or None)."""
    with np.errstate(all="ignore"):
        if array.dtype.kind == "c" and not name.startswith("complex"):
            array = array.real
        if name == "bfloat16":
            return array.astype(np.float32), name
        if array.dtype.kind == "f" and name[0] in "iu":
            array = np.nan_to_num(array, nan=0.0, posinf=9.0, neginf=-9.0)
            if name == "uint8":
                array = np.abs(array)
        return array.astype(name), None


def with_dtype(t: T, name: str) -> T:
    array, dtype = cast(t.array, name)
    return T(array, dtype=dtype)


def _reshaped(rng: random.Random, t: T) -> T:
    a = t.array
    kind = rng.randrange(11)
    if kind == 0:
        a = a[None]
    elif kind == 1:
        a = a[..., None]
    elif kind == 2 and a.ndim:
        a = (
            a[0]
            if a.shape[0]
            else a.reshape(a.shape[1:] if 0 not in a.shape[1:] else (0,))
            if a.ndim > 1 and a.shape[0]
            else a.ravel()
        )
    elif kind == 3 and a.ndim:
        a = a[..., 0] if a.shape[-1] else a
    elif kind == 4 and a.size:
        a = a.ravel()[0].reshape(())
    elif kind == 5 and a.ndim:  # an empty dimension
        shape = list(a.shape)
        shape[rng.randrange(a.ndim)] = 0
        a = np.zeros(shape, a.dtype)
    elif kind == 6 and a.ndim > 1:
        order = list(range(a.ndim))
        rng.shuffle(order)
        a = np.ascontiguousarray(a.transpose(order))
    elif kind == 7:
        a = a.ravel()
    else:  # another size along a dimension
        if a.ndim:
            d = rng.randrange(a.ndim)
            size = max(
                0, rng.choice((1, 1, a.shape[d] - 1, a.shape[d] - 1, a.shape[d] + 1, a.shape[d] * 2, 2, 3))
            )
            if a.shape[d]:
                a = np.take(a, np.arange(size) % a.shape[d], axis=d)
    if a.size > LIMIT:
        a = t.array
    return T(np.array(a), grad=t.grad, dtype=t.dtype)


def _revalued(rng: random.Random, t: T) -> T:
    a = t.array.copy()
    if not a.size:
        return t
    flat = a.reshape(-1)
    at = rng.randrange(a.size)
    kind = a.dtype.kind
    if kind in "fc":
        choice = rng.randrange(9)
        if choice == 8:
            flat[:] = rng.choice((0.0, 1.0, -1.0, np.nan, np.inf))
        else:
            flat[at] = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e4, -1e4, -1.0)[choice]
    elif kind in "iu":
        value = rng.choice((-1, -1, -2, -100, 0, 1, 2, 3, 5, 10, 100))
        if kind == "u":
            value = abs(value)
        if rng.randrange(6) == 0:
            flat[:] = value
        else:
            flat[at] = value
    elif kind == "b":
        flat[at] = not flat[at]
    return T(a, grad=t.grad, dtype=t.dtype)


def _retyped(rng: random.Random, t: T) -> T:
    return with_dtype(t, rng.choice(COMMON if rng.random() < 0.6 else DTYPES))


def _no_tensor(rng: random.Random, t: T) -> Any:
    return rng.choice((None, None, 1.5, 2, "x", True, [1.0, 2.0], (), [t]))


def _tensor(rng: random.Random, t: T) -> Any:
    r = rng.random()
    if r < 0.42:
        return _reshaped(rng, t)
    if r < 0.68:
        return _revalued(rng, t)
    if r < 0.93:
        return _retyped(rng, t)
    return _no_tensor(rng, t)


def _number(rng: random.Random, x: Any) -> Any:
    r = rng.random()
    if r < 0.08:
        return rng.choice((None, "x", (), (1,), (2, 2), [1, 1], T(np.float32(2.0)), T(np.int64(1))))
    if isinstance(x, bool):
        return not x if r < 0.7 else rng.choice((0, 1, 2, None, "yes", 0.5))
    if isinstance(x, int):
        return (
            rng.choice(ODD_INTS)
            if r < 0.75
            else x + rng.choice((-1, 1))
            if r < 0.9
            else rng.choice((True, False, 1.5, float(x), 0.5))
        )
    return rng.choice(ODD_FLOATS) if r < 0.9 else rng.choice((True, False, 1, 0, 2))


def _sequence(rng: random.Random, x: tuple | list) -> Any:
    items = list(x)
    r = rng.random()
    if r < 0.15 and items:
        items.pop(rng.randrange(len(items)))
    elif r < 0.3:
        items.insert(rng.randrange(len(items) + 1), rng.choice([*items, 1, 0, -1]))
    elif r < 0.4 and items:
        return items[0]
    elif r < 0.48:
        return rng.choice((None, 1, -1, 0, (), [], "x", 1.5))
    elif r < 0.55:
        items.reverse()
    elif items:
        at = rng.randrange(len(items))
        items[at] = value(rng, items[at])
    return type(x)(items) if type(x) in (tuple, list) else items


def value(rng: random.Random, x: Any) -> Any:
    """Another value in the place of `x`."""
    if isinstance(x, T):
        return _tensor(rng, x)
    if isinstance(x, bool | int | float):
        return _number(rng, x)
    if isinstance(x, str):
        return rng.choice(WORDS) if rng.random() < 0.9 else rng.choice((None, 1, 0.5, True))
    if type(x) in (tuple, list):
        return _sequence(rng, x)
    if x is None:
        return rng.choice(FOR_NONE)
    if type(x).__name__ == "dtype":
        return rng.choice(FOR_DTYPE)
    return x


def mutated(
    rng: random.Random, args: tuple, kwargs: dict, options: dict[str, Any] | None = None
) -> tuple[tuple, dict]:
    """The arguments after none to three mutations. options: further parameters by name, with values to start from."""
    new, words = list(args), dict(kwargs)
    for _ in range(rng.choice(ROUNDS)):
        r = rng.random()
        if options and r < 0.3:
            name = rng.choice(sorted(options))
            words[name] = value(rng, options[name]) if rng.random() < 0.8 else options[name]
        elif r < 0.34 and new:
            new.pop()
        elif r < 0.36:
            new.append(rng.choice((None, 1, True, "x", 0.5)))
        elif r < 0.37:
            words["bogus"] = 1
        elif r < 0.40 and words:
            words.pop(rng.choice(sorted(words)))
        elif r < 0.47 and any(isinstance(x, T) for x in new):  # all tensors get the same dtype
            name = rng.choice(COMMON if rng.random() < 0.6 else DTYPES)
            new = [with_dtype(x, name) if isinstance(x, T) and x.array.dtype.kind in "fc" else x for x in new]
        else:
            places = list(range(len(new))) + sorted(words)
            if places:
                at = rng.choice(places)
                if isinstance(at, int):
                    new[at] = value(rng, new[at])
                else:
                    words[at] = value(rng, words[at])
    return tuple(new), words
