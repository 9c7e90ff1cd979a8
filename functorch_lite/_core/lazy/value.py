"""Aval and Value: what is known of an array without computing it, and the immutable thing that will be or is one."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax

from ..words import device as devices
from ..words import dtypes
from ..words.device import CPU, device
from ..words.dtypes import dtype

__all__ = [
    "COMPUTED", "COMPUTED_READ", "LARGE", "Aval", "Noting", "Value", "aval", "concrete", "is_jax", "is_tracer", "make_value",
    "number_value", "promises",
]  # fmt: skip


LARGE = 60 << 20
"""Bytes from which the memory of an array is worth an effort: it does not fit into the largest block that the C library
keeps (64 MB)."""


@functools.cache
def is_jax(kind: type) -> bool:
    """Whether instances of this type are JAX's arrays: `isinstance(x, jax.Array)`, which takes six times as long."""
    return issubclass(kind, jax.Array)


@functools.cache
def is_tracer(kind: type) -> bool:
    """The same for what JAX passes to functions that it transforms."""
    return issubclass(kind, jax.core.Tracer)


class Aval:
    """Shape, dtype, device and weakness (True for a Python number). Interned: equal avals are the same object."""

    __slots__ = ("_row", "device", "dtype", "generic", "kind", "nbytes", "shape", "struct", "taped", "weak")

    def __init__(self, shape: tuple[int, ...], dtype: dtype, device: device, weak: bool):
        self.shape = shape
        self.dtype = dtype
        self.device = device
        self.kind = device.kind
        """The class of tensors that have it."""
        self.weak = weak
        self.nbytes = math.prod(shape) * dtype.itemsize
        self.taped = dtype.category >= 2 and not weak
        """Whether gradients can flow through a value of this dtype."""
        self.struct = jax.ShapeDtypeStruct(shape, dtype.np, weak_type=weak)
        self.generic = len(shape), dtype, device, weak
        """The aval without its sizes."""
        self._row: Aval | None = None

    def row(self) -> Aval:  # hot path
        """Returns the Aval of one index of the first dim."""
        row = self._row
        if row is None:
            row = self._row = aval(self.shape[1:], self.dtype, self.device)
        return row

    def __repr__(self) -> str:
        return f"{self.dtype.name}[{','.join(map(str, self.shape))}]"

    def __reduce__(self):
        return (aval, (self.shape, self.dtype, self.device, self.weak))


_interned: dict[tuple, Aval] = {}


def aval(shape: tuple[int, ...], dtype: dtype, device: device = CPU, weak: bool = False) -> Aval:
    """The one Aval of these properties."""
    key = (shape, dtype, device, weak)
    found = _interned.get(key)
    if found is None:
        found = _interned.setdefault(key, Aval(shape, dtype, device, weak))
    return found


COMPUTED, COMPUTED_READ = object(), object()
"""`uploaded` of what NumPy computed: before a program read it as it is, and afterwards."""


class Value:
    """An immutable array: computed (`array` is set) or promised by a recorder (`rec`, `index`: then it is a Slot).

    `array` is a jax.Array, a numpy array that no program has needed yet, a Python number (`aval.weak`),
    or, under a user's own jax transformation, a tracer. `uploaded` is set where it was a numpy array before:
    to True, or to what NumPy sees of it; to COMPUTED, and then COMPUTED_READ, where NumPy computed it, so that it was
    not made from data. `version` is set where a write through `.data` replaced it, or made it (see
    `tensor.same_version`).
    """

    __slots__ = ("array", "aval", "index", "rec", "uploaded", "version")

    aval: Aval
    rec: Any
    index: int
    array: Any
    uploaded: Any
    version: object

    def __repr__(self) -> str:
        return f"<{'slot' if self.array is None else 'value'} {self.aval}>"


def make_value(aval: Aval, rec=None, index: int = 0, array: Any = None) -> Value:
    """A new Value. (Without an `__init__` it is made a third faster: see `apply`.)"""
    v = Value()
    v.aval = aval
    v.rec = rec
    v.index = index
    v.array = array
    return v


def promises(avals: Sequence[Aval], rec, base: int) -> list[Value]:  # hot path
    """The results of an op that was just recorded: Slots numbered from `base`."""
    found = []
    for a in avals:
        v = Value()
        v.aval = a
        v.rec = rec
        v.index = base
        v.array = None
        base += 1
        found.append(v)
    return found


class Noting:
    """While `made` is a list, every Value of data or of a number that is made goes there (by any thread).

    (See `segment`.) `reading` is told of each value whose numbers somebody is about to look at, if it is not None."""

    made: list[Value] | None = None
    reading: Callable[[Value], None] | None = None


def concrete(array, on: device | None = None) -> Value:
    """A Value of an existing jax or numpy array (which must never be written to afterwards)."""
    if on is None:
        on = CPU
        if isinstance(array, jax.Array) and not isinstance(array, jax.core.Tracer):
            on = devices.of_jax(next(iter(array.devices())))
    elif on.is_mesh:
        on = on.place
    v = make_value(aval(tuple(array.shape), dtypes.from_numpy(array.dtype), on), None, 0, array)
    if Noting.made is not None:
        Noting.made.append(v)
    return v


_NUMBER_DTYPES = {
    bool: dtypes.bool_,
    int: dtypes.int64,
    float: dtypes.float64,
    complex: dtypes.complex128,
}


def number_value(number, on: device = CPU) -> Value:  # hot path
    """A Value of a Python number: a 0-d, weakly typed, dynamic input of programs."""
    v = Value()
    v.aval = _number_aval(type(number), on)
    v.rec = None
    v.index = 0
    v.array = number
    if Noting.made is not None:
        Noting.made.append(v)
    return v


@functools.cache
def _number_aval(kind: type, on: device) -> Aval:
    return aval((), _NUMBER_DTYPES[kind], on, True)
