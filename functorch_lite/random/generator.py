"""Generator: a seed and a count of draws. Every draw has a key of its own made of the two."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from .._core import device as devices
from .._core.apply import apply, from_array
from .._core.op import OPS
from .._core.recorder import state
from .._core.tensor import Tensor

__all__ = ["Generator", "default_generator", "next_key"]

DEFAULT_SEED = 67280421310721


class Generator:
    """A source of random numbers with its own seed: `torch.Generator`. Draws are counted; a seed and a count fix a draw."""

    def __init__(self, device="cpu"):
        self._device = devices.resolve(device)
        self._seed = DEFAULT_SEED
        self._drawn = 0

    @property
    def device(self):
        """The device it belongs to."""
        return self._device

    def manual_seed(self, seed: int) -> Generator:
        """Starts anew from `seed`; returns the generator."""
        seed = int(seed)
        if not -0x8000_0000_0000_0000 <= seed <= 0xFFFF_FFFF_FFFF_FFFF:
            raise RuntimeError(f"Overflow when unpacking long: the seed {seed} does not fit in 64 bits")
        self._seed = seed % (1 << 64)
        self._drawn = 0
        return self

    def seed(self) -> int:
        """Starts anew from a seed that the operating system gives; returns it."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little") >> 1)
        return self._seed

    def initial_seed(self) -> int:
        """The seed it started from."""
        return self._seed

    def get_state(self) -> Tensor:
        """Its state as a uint8 tensor."""
        words = np.array([self._seed, self._drawn], np.uint64)
        return from_array(words.view(np.uint8).copy())

    def set_state(self, new_state: Tensor) -> None:
        """Puts it in a state that get_state gave."""
        raw = np.array(new_state.numpy() if isinstance(new_state, Tensor) else new_state)
        if raw.dtype != np.uint8 or raw.size != 16:
            raise RuntimeError("RNG state must be a torch.ByteTensor that Generator.get_state() gave")
        words = raw.view(np.uint64)
        self._seed, self._drawn = int(words[0]), int(words[1])

    def clone_state(self) -> Generator:
        """A generator in the same state."""
        twin = Generator(self._device)
        twin._seed, twin._drawn = self._seed, self._drawn
        return twin

    def key(self) -> np.ndarray:
        """The key of the next draw: two uint32 words; counts the draw."""
        low, high = self._seed & 0xFFFFFFFF, self._seed >> 32
        count = self._drawn
        self._drawn += 1
        return np.array(
            [(low ^ (high * 0x9E3779B9) ^ ((count >> 32) * 0x85EBCA6B)) & 0xFFFFFFFF, count & 0xFFFFFFFF],
            np.uint32,
        )


default_generator = Generator()

_RANDOM_IN_VMAP = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' randomness "
    "flags on vmap or perform the randomness operation out of vmap"
)


def next_key(generator: Generator | None) -> Any:
    """The key of the next draw: a numpy array when the draw may run on the host, else a tensor of this level.

    In vmap it follows `randomness=`: the same key for all lanes, one for each, or an error.
    """
    rec = state.rec
    lanes = []
    while rec.level:
        if rec.kind == "vmap":
            mode, lane = rec.randomness
            if mode == "error":
                raise RuntimeError(_RANDOM_IN_VMAP)
            if mode == "different":
                lanes.append(lane)
        rec = rec.outer
    key = (generator or default_generator).key()
    if not state.rec.level:
        return key
    t = from_array(key)
    t._cell.level = 0
    for lane in lanes:
        t = apply(OPS["_fold_key"], (), (t, lane))
    return t


def key_tensor(generator: Generator | None = None) -> Tensor:
    """next_key, always as a tensor."""
    key = next_key(generator)
    return key if isinstance(key, Tensor) else from_array(key)
