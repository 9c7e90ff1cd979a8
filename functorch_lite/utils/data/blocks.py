"""Blocks: memory that a worker and its loader share, in which arrays come from one to the other without a copy.

A block is a file that has no name, and so lives exactly as long as a process has it open or mapped: however a process
ends, nothing is left behind, and the size of /dev/shm does not limit it. A worker makes one, its loader maps it once,
and it is filled again when the arrays that the loader made of it are gone: pages that are there already cost nothing.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["Block", "File", "Lease", "Pool", "anonymous_file", "empty"]

ALIGNED = 64
"""Bytes: XLA takes an array as it lies in memory if it begins at a multiple of this."""
SMALLEST = 1 << 18


def anonymous_file() -> int:
    """A descriptor of a new file in memory, which has no name; elsewhere than on Linux a temporary file."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("functorch_lite-data")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


class Lease:
    """Bytes of a mapping, for NumPy to make an array of: arrays and their views keep it, and `ended` is called when all
    are gone."""

    def __init__(self, memory: np.ndarray, ended: Callable[[], Any] | None = None):
        self.memory, self.ended = memory, ended
        self.__array_interface__ = memory.__array_interface__

    def __del__(self) -> None:
        if self.ended is not None:
            self.ended()

    @staticmethod
    def array(
        memory: np.ndarray, at: int, shape: tuple, dtype: np.dtype, ended: Callable | None = None
    ) -> np.ndarray:
        """An array of these bytes, from `at` on."""
        count = dtype.itemsize
        for n in shape:
            count *= n
        return np.asarray(Lease(memory[at : at + count], ended)).view(dtype).reshape(shape)


class Block:
    """A mapping of `size` bytes that two processes share; `number` is its name between them."""

    def __init__(self, number: int, size: int, fd: int):
        self.number, self.size = number, size
        self.memory = np.frombuffer(mmap.mmap(fd, size), np.uint8)
        self.begin = self.memory.__array_interface__["data"][0]
        self.used = 0
        """Bytes that are taken."""
        self.here = 0
        """Arrays of it that are alive in the process that made it."""
        self.lent = 0
        """Arrays of it that the other process has not given back."""


class Pool:
    """A worker's blocks.

    The arrays of one batch are laid into few of them; `announce(block, fd)` reports each new one.

    A block is filled again when neither process has an array of it.
    """

    def __init__(self, announce: Callable[[Block, int], Any], kept: int):
        self.announce, self.kept = announce, kept
        self.blocks: dict[int, Block] = {}
        self.batch: list[Block] = []
        self.dropped: list[int] = []
        """Numbers of blocks that were let go of, for the other process to be told."""
        self.count = 0
        self.lock = threading.RLock()  # a lease ends wherever the collector runs, in the midst of this too

    def begin(self) -> None:
        """Begins a batch: what is free from here on is filled from its beginning."""
        self.batch = []
        with self.lock:
            free = [b for b in self.blocks.values() if not b.here and not b.lent]
            for block in free[self.kept :]:
                del self.blocks[block.number]
                self.dropped.append(block.number)

    def empty(self, shape: tuple, dtype: np.dtype) -> np.ndarray:
        """An uninitialized array in a block."""
        size = dtype.itemsize
        for n in shape:
            size *= n
        block = self._with_room(size)
        at, block.used = block.used, -(-(block.used + size) // ALIGNED) * ALIGNED

        def ended() -> None:
            with self.lock:
                block.here -= 1

        with self.lock:
            block.here += 1
        return Lease.array(block.memory, at, shape, dtype, ended)

    def _with_room(self, size: int) -> Block:
        for block in self.batch:
            if block.size - block.used >= size:
                return block
        with self.lock:
            fits = [b for b in self.blocks.values() if not b.here and not b.lent and b.size >= size]
        fits = [b for b in fits if b not in self.batch]
        block = min(fits, key=lambda b: b.size) if fits else self._made(size)
        block.used = 0
        self.batch.append(block)
        return block

    def _made(self, size: int) -> Block:
        size = max(SMALLEST, 1 << (size - 1).bit_length())  # pages that nothing is written to take no memory
        fd = anonymous_file()
        try:
            os.ftruncate(fd, size)
            self.count += 1
            block = self.blocks[self.count] = Block(self.count, size, fd)
            self.announce(block, fd)
        finally:
            os.close(fd)
        return block

    def lend(self, array: np.ndarray) -> tuple[int, int]:
        """Block and place of an array that the other process gets: where it lies, if this batch was laid there, or a
        copy."""
        address = array.__array_interface__["data"][0]
        for block in self.batch:
            if block.begin <= address and address + array.nbytes <= block.begin + block.size:
                break
        else:
            copy = self.empty(array.shape, array.dtype)
            copy[...] = array
            return self.lend(copy)
        with self.lock:
            block.lent += 1
        return block.number, address - block.begin

    def give_back(self, numbers: list[int]) -> None:
        """Takes note of arrays that the other process has let go of: the number of its block for each."""
        with self.lock:
            for number in numbers:
                self.blocks[number].lent -= 1


class File:
    """A file in memory that arrays are written to once, for others to read: each process that maps it has a copy of its
    own, of which it shares with the others what it does not change."""

    def __init__(self) -> None:
        self.fd = anonymous_file()
        self.size = 0

    def lay(self, array: np.ndarray) -> int:
        """Writes an array that is contiguous; returns its place."""
        at = self.size
        data = memoryview(array.reshape(-1).view(np.uint8))
        done = 0
        while done < len(data):
            done += os.pwrite(self.fd, data[done : done + (1 << 30)], at + done)
        self.size = -(-(at + len(data)) // ALIGNED) * ALIGNED
        return at

    def close(self) -> None:
        """Lets go of it."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    @staticmethod
    def map(fd: int) -> np.ndarray:
        """The bytes of such a file."""
        return np.frombuffer(mmap.mmap(fd, os.fstat(fd).st_size, access=mmap.ACCESS_COPY), np.uint8)


pool: Pool | None = None
"""Pool that a worker's batches are laid into; None elsewhere."""


def empty(shape: tuple, dtype: np.dtype) -> np.ndarray:
    """An uninitialized array: in a worker, where its loader can read it."""
    if pool is None or not dtype.itemsize or 0 in shape or dtype.hasobject:
        return np.empty(shape, dtype)
    return pool.empty(shape, dtype)
