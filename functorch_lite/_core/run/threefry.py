"""Threefry-2x32 with 20 rounds: random bits of a key and counters.
Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from ..words import forked
from ..words.device import CPU, jax_device
from . import disk

__all__ = ["BITS", "THREEFRY", "bits_by_numpy", "threefry", "words", "words_by_numpy"]

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
    """Programs for `LENGTHS` of counters that follow each other.

    Of many they take a quarter of NumPy's time, which goes through them 100 times."""

    LENGTHS = 1 << 12, 1 << 14, 1 << 16
    CALL = 7_000
    """Counters that are mixed in the time of a call."""

    def __init__(self) -> None:
        self.mixed = 0
        self._programs: dict[int, Any] = {}

    def is_ready(self, counters: int) -> bool:
        """Returns whether programs are to mix so many counters; counts what NumPy mixes until then."""
        if self.mixed < PAID:
            self.mixed += counters
            return False
        return counters >= WORTH and not forked.here.child

    def fill(self, key: Any, out: np.ndarray) -> None:
        """The two words of the counters 0, 1, ... in the two rows of `out`."""
        begin, n = 0, out.shape[1]
        while begin < n:
            left = n - begin
            length = min(self.LENGTHS, key=lambda length: (length + self.CALL) / min(length, left))
            made = np.asarray((self._programs.get(length) or self._compiled(length))(key, np.uint32(begin)))
            out[:, begin : begin + length] = made[:, :left]
            begin += length

    def _compiled(self, length: int) -> Any:
        def mixed(key: Any, begin: Any) -> Any:
            low = begin + jax.numpy.arange(length, dtype=np.uint32)
            return jax.numpy.stack(_mixed(key[0], key[1], low, jax.numpy.zeros_like(low)))

        on = jax.sharding.SingleDeviceSharding(jax_device(CPU))
        given = [jax.ShapeDtypeStruct(shape, np.uint32, sharding=on) for shape in ((2,), ())]
        disk.store.begin()
        self._programs[length] = made = jax.jit(mixed).lower(*given).compile()
        return made


_block = _Block()


class _Ahead:
    """Words of keys that are still to come: a loop that draws as many numbers each time has keys whose second words are
    as far apart each time, and mixing those of many keys together takes as long as those of one."""

    COUNTERS, KEYS, LEAST, SIZES = 1 << 13, 32, 4, 64
    """How many are mixed together at most, for how many keys, and at least; for how many numbers of counters."""

    def __init__(self) -> None:
        self._last: dict[int, tuple[int, int, int]] = {}
        """Of the last key for so many counters its words, and how far from the one before it was."""
        self._made: dict[int, tuple[int, range, np.ndarray]] = {}

    def take(self, key: np.ndarray, counters: int) -> np.ndarray | None:
        """The two words of the counters 0, 1, ... as rows, if they are made ahead, or are now."""
        many = min(self.KEYS, self.COUNTERS // counters) if counters else 0
        if many < self.LEAST:
            return None
        k0, k1 = key.tolist()
        first, keys, rows = self._made.get(counters, (0, range(0), None))
        if rows is None or first != k0 or k1 not in keys:
            seed, last, step = self._last.get(counters, (0, 0, 0))
            now = k1 - last if seed == k0 else 0
            if len(self._last) >= self.SIZES:
                self._last.clear()
                self._made.clear()
            self._last[counters] = k0, k1, now
            keys = range(k1, min(k1 + now * many, _MASK + 1), now or 1)
            if now < 1 or now != step or len(keys) < self.LEAST:
                return None
            low = np.arange(counters, dtype=np.uint32)[None]
            words = _mixed(key[:1, None], np.array(keys, np.uint32)[:, None], low, np.zeros_like(low))
            rows = np.stack(words, 1)
            self._made[counters] = k0, keys, rows
            self._last[counters] = k0, keys[-1], now
        return rows[keys.index(k1)].copy()


_ahead = _Ahead()


def words_by_numpy(key: Any, n: int) -> np.ndarray:
    """The two words of the counters 0 to n - 1, as two rows.

    >>> [hex(x) for x in words_by_numpy(np.array([0, 0], np.uint32), 1)[:, 0]]
    ['0x6b200159', '0x99ba4efe']
    """
    key = np.asarray(key)
    made = _ahead.take(key, n)
    if made is None:
        made = np.empty((2, n), np.uint32)
        if _block.is_ready(n):
            _block.fill(key, made)
        else:
            low = np.arange(n, dtype=np.uint32)
            made[0], made[1] = words(key[:1], key[1:], low, np.zeros_like(low))
    return made


def bits_by_numpy(key: Any, n: int) -> np.ndarray:
    """n random uint32: the first words of the counters 0 to n / 2, then the second ones.

    >>> [hex(x) for x in bits_by_numpy(np.array([0, 0], np.uint32), 2)]
    ['0x6b200159', '0x99ba4efe']
    """
    return words_by_numpy(key, (n + 1) // 2).reshape(-1)[:n]


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
