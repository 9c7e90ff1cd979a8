"""Memory that is read by address: what `data_ptr()` and a storage's hand out.

Arrays here change their place: XLA chooses it, a write makes another array, and two tensors that were never written to
may have one. An address is of memory of its own, one block for each storage. It holds the values of the moment when an
address was asked for last, stays where it is when the storage is written to, and lives as long as the storage does.
"""

from __future__ import annotations

import weakref
from typing import Any

import jax.numpy as jnp
import numpy as np

from ..lazy.dependence import depends_on_inputs
from ..lazy.tensor import Cell
from ..lazy.value import Noting, Value, is_tracer
from ..run.executor import force, force_array
from ..words.device import META

__all__ = ["NO_STORAGE", "address"]

NO_STORAGE = "Cannot access data pointer of Tensor that doesn't have storage"
ALIGNED = 64
"""Bytes that the address of a storage is a multiple of, as in PyTorch."""


class Memory:
    """A copy of a storage's values. `source`: of which array, as long as that is there; None if that cannot be told."""

    __slots__ = ("address", "array", "source")

    def __init__(self, address: int, array: Any, source: Any):
        self.address = address
        self.array = array
        self.source = source


def address(cell: Cell) -> int:
    """The address of a storage's memory, which then holds its values; 0 of one without elements or data, and on a mesh.

    Raises RuntimeError inside a transform, for what differs from example to example or is differentiated; runs what is
    pending. On another device than the CPU a write makes another address.
    """
    value = cell.value
    on = value.aval.device
    if on is META or on.is_mesh or not value.aval.nbytes:
        return 0
    if Noting.reading is not None:
        Noting.reading(value)
    array, kept = _array(value), getattr(cell, "memory", None)
    if kept is not None and kept.source is not None and kept.source() is array:
        return kept.address
    cell.memory = memory = (_on_host if on.type == "cpu" else _on_device)(value, array, kept)
    return memory.address


def _array(v: Value) -> Any:
    rec = v.rec
    if v.array is None and rec is not None and rec.level:
        kind = rec.kind
        if (kind.letters or kind.batches) and depends_on_inputs(rec, v):
            raise RuntimeError(NO_STORAGE)
        return rec.value_of(v, NO_STORAGE)
    array = force(v)
    if is_tracer(type(array)):
        raise RuntimeError(NO_STORAGE)
    return array


def _on_host(value: Value, array: Any, kept: Memory | None) -> Memory:
    """The values in the memory that was kept, or, the first time or if their number is another now, in a new block."""
    numbers = force_array(value) if value.array is not None else np.asarray(array)
    size = numbers.nbytes
    if kept is not None and kept.array.nbytes == size:
        block = kept.array
    else:
        room = np.empty(size + ALIGNED, np.uint8)
        block = room[-room.ctypes.data % ALIGNED :][:size]
    block.view(numbers.dtype).reshape(numbers.shape)[...] = numbers
    return Memory(block.ctypes.data, block, _weakly(array))


def _on_device(value: Value, array: Any, kept: Memory | None) -> Memory:
    copied = jnp.array(array, copy=True).block_until_ready()
    return Memory(copied.unsafe_buffer_pointer(), copied, _weakly(array))


def _weakly(array: Any) -> Any:
    """A reference that keeps nothing alive: an array that a write replaced is not held for having been asked about."""
    try:
        return weakref.ref(array)
    except TypeError:  # a Python number
        return None
