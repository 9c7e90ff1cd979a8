"""Threefry-2x32 with 20 rounds: random bits of a key and counters. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

__all__ = ["THREEFRY", "threefry", "words"]

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_TURNS = [[(by, 32 - by) for by in _ROTATIONS[turn % 2]] for turn in range(5)]
_PARITY = 0x1BD11BDA
_MASK = 0xFFFFFFFF


def threefry(xp: Any, key: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """Two uint32 arrays of random bits for the counters (low, high) under `key` (two uint32 words); by NumPy or by JAX (`xp`).

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


THREEFRY = functorch_lite_threefry.__name__


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
