"""Threefry-2x32 with 20 rounds: random bits of a key and counters.
Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from ..words import forked
from ..words.device import CPU, jax_device
from . import disk

__all__ = ["BITS", "THREEFRY", "bits_by_numpy", "threefry", "words"]

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_TURNS = [[(by, 32 - by) for by in _ROTATIONS[turn % 2]] for turn in range(5)]
_PARITY = 0x1BD11BDA
_MASK = 0xFFFFFFFF


def threefry(xp: Any, key: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """Two uint32 arrays of random bits for the counters (low, high) under `key` (two uint32 words); by NumPy or by JAX
    (`xp`).

    >>> a, b = threefry(np, np.array([0, 0], np.uint32), np.zeros(1, np.uint32), np.zeros(1, np.uint32))
    >>> hex(a[0]), hex(b[0])
    ('0x6b200159', '0x99ba4efe')
    """
    if xp is np:
        return words(key[0], key[1], low, high)
    return functorch_lite_threefry(key[0], key[1], low, high)


def words(k0: Any, k1: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """The same of a key's two words, by NumPy. One counter is mixed as Python's ints, in a tenth of the time."""
    if low.size == high.size == k0.size == k1.size == 1:
        shape = max(k0.shape, k1.shape, low.shape, high.shape, key=len)
        bits = _of_ints(k0.item(), k1.item(), low.item(), high.item())
        return tuple([np.array(x, np.uint32).reshape(shape) for x in bits])
    return _mixed(k0, k1, low, high)


@jax.jit
def functorch_lite_threefry(k0: Any, k1: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """The same, by JAX. By this function's name NumPy's runs of programs (`cold/random.py`) know what is made."""
    return _mixed(k0, k1, low, high)


THREEFRY, BITS = functorch_lite_threefry.__name__, "functorch_lite_bits"
"""The names of this function and of the one in `ops/sample.py` that makes an array of random bits of a shape: by them
it is known what is made."""


def _mixed(k0: Any, k1: Any, a: Any, b: Any) -> tuple[Any, Any]:
    keys = (k0, k1, k0 ^ k1 ^ np.uint32(_PARITY))
    a, b = a + k0, b + k1
    for turn in range(5):
        for by in _ROTATIONS[turn % 2]:
            a = a + b
            b = ((b << np.uint32(by)) | (b >> np.uint32(32 - by))) ^ a
        a = a + keys[(turn + 1) % 3]
        b = b + keys[(turn + 2) % 3] + np.uint32(turn + 1)
    return a, b


WORTH, PAID = 1 << 13, 1 << 22
"""Counters for which it is worth calling a program, and those that NumPy mixes before one is compiled: by then it took
longer than compiling."""


class _Block:
    """A program for `LENGTH` counters that follow each other.

    Of many it takes a third of NumPy's time, which goes through them 100 times."""

    LENGTH = 1 << 14

    def __init__(self) -> None:
        self.mixed = 0
        self._program: Any = None

    def is_ready(self, counters: int) -> bool:
        """Whether the program is to mix so many counters; counts what NumPy mixes until then."""
        if self.mixed < PAID:
            self.mixed += counters
            return False
        return counters >= WORTH and not forked.here.child

    def fill(self, key: Any, out: np.ndarray) -> None:
        """The two words of the counters 0, 1, ... in the two rows of `out`."""
        run = self._program or self._compiled()
        for begin in range(0, out.shape[1], self.LENGTH):
            made = np.asarray(run(key, np.uint32(begin)))
            room = out[:, begin : begin + self.LENGTH]
            room[...] = made[:, : room.shape[1]]

    def _compiled(self) -> Any:
        def mixed(key: Any, begin: Any) -> Any:
            low = begin + jax.numpy.arange(self.LENGTH, dtype=np.uint32)
            return jax.numpy.stack(_mixed(key[0], key[1], low, jax.numpy.zeros_like(low)))

        on = jax.sharding.SingleDeviceSharding(jax_device(CPU))
        given = [jax.ShapeDtypeStruct(shape, np.uint32, sharding=on) for shape in ((2,), ())]
        disk.store.begin()
        self._program = jax.jit(mixed).lower(*given).compile()
        return self._program


_block = _Block()


def bits_by_numpy(key: Any, n: int) -> np.ndarray:
    """n random uint32: the first words of the counters 0 to n / 2, then the second ones.

    >>> [hex(x) for x in bits_by_numpy(np.array([0, 0], np.uint32), 2)]
    ['0x6b200159', '0x99ba4efe']
    """
    half = (n + 1) // 2
    out = np.empty((2, half), np.uint32)
    if _block.is_ready(half):
        _block.fill(np.asarray(key), out)
    else:
        key, low = np.asarray(key), np.arange(half, dtype=np.uint32)
        out[0], out[1] = words(key[:1], key[1:], low, np.zeros_like(low))
    return out.reshape(-1)[:n]


def _of_ints(k0: int, k1: int, a: int, b: int) -> tuple[int, int]:
    keys = (k0, k1, k0 ^ k1 ^ _PARITY)
    a, b = a + k0 & _MASK, b + k1 & _MASK
    for turn, rotations in enumerate(_TURNS):
        for by, back in rotations:
            a = a + b & _MASK
            b = (b << by & _MASK | b >> back) ^ a
        a = a + keys[(turn + 1) % 3] & _MASK
        b = b + keys[(turn + 2) % 3] + turn + 1 & _MASK
    return a, b
