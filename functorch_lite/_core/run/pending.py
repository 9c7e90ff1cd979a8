"""Pending: a recording that is to run, as all that may run it see it: what it computes, what it reads, what it may
overwrite and leave for later."""

from __future__ import annotations

from collections.abc import Collection
from sys import getrefcount
from typing import Any

import numpy as np

from ..lazy.graph import prune
from ..lazy.recorder import Recorder
from ..lazy.symbolic.recording import closed_path
from ..lazy.trie import TrieNode, eager_root
from ..lazy.value import Value, is_jax, make_value
from ..words.device import device
from . import packing, recycling

__all__ = ["DEAD_SLOT", "MOST_COPIED", "WHOLE_PROGRAM_OPS", "Pending", "without"]

WHOLE_PROGRAM_OPS = 320
"""Recordings of at most this many ops become one program; longer ones are cut into chunks (XLA's time is
superlinear)."""
MOST_COPIED = 8 << 20
"""Bytes. Storing gradients costs less than copying more than these, whose memory comes from the system each time."""


def _refcounts() -> tuple[int, int, int]:
    """Returns the getrefcount of a slot, an external value and its array that nobody but the recorder holds."""
    slots = [make_value(None, None, 0)]  # type: ignore[arg-type]
    dead_slot = [getrefcount(v) for v in slots][0]  # noqa: RUF015  (counted as it is counted below)
    ext = {make_value(None, None, 0): -1}  # type: ignore[arg-type]
    externals = list(ext)
    dead_external = [getrefcount(externals[i]) for i in range(1)][0]  # noqa: RUF015  (counted as it is counted below)
    externals[0].array = object()
    arrays = [v.array for v in externals]
    dead_array = [getrefcount(arrays[i]) for i in range(1)][0]  # noqa: RUF015  (counted as it is counted below)
    return dead_slot, dead_external, dead_array


DEAD_SLOT, _DEAD_EXTERNAL, _DEAD_ARRAY = _refcounts()


class Pending:
    """A recording that is to run.

    path       its steps
    live       the slots that somebody refers to, which are computed
    externals  the values from outside, by number
    on         its device
    rec        the Recorder whose slots get the results; None where something of a recording is computed once more: then
               nothing is overwritten
    waiting    slots that an optimizer's step used as gradients: they may be left for later (see late.py)
    symbols    the numbers of its sizes, if its path is one at symbolic ones
    fresh      whether only a program will do that is made for it: those that are kept have failed

    What one way of running it found out, and another wants to know:

    place      what NumPy's way knows of where the recording ends, if it may run it at all
    is_kept    True if another process left a program of the recording on disk; False if that turned out to be one for
               other donations
    refusal    why it is not padded to a few lengths for all, where it comes with many
    """

    # none of these is set where it is not needed, as one is made at each flush
    waiting: Collection[int] = ()
    fresh = False
    symbols: list[int] | None = None
    place: Any = None
    is_kept: bool | None = None
    refusal: str | None = None
    _dead: tuple[int, ...] | None = None

    def __init__(  # hot path
        self, path: list[TrieNode], live: tuple[int, ...], externals: list[Value], on: device, rec: Recorder | None = None
    ):  # fmt: skip
        self.path = path
        self.live = live
        self.externals = externals
        self.on = on
        self.rec = rec

    def close(self) -> None:
        """Lets its path be one of the trie, if it is at symbolic sizes."""
        if self.symbols is not None:
            self.path = closed_path(eager_root(self.on), self.path, self.symbols, self.externals)
            self.symbols = None

    def again(self) -> Pending:
        """The same, overwriting nothing and leaving nothing for later: interrupted, it can be run once more."""
        return Pending(self.path, self.live, self.externals, self.on)

    @property
    def is_long(self) -> bool:
        """Returns whether it is too long for one program."""
        return len(self.path) > WHOLE_PROGRAM_OPS

    @property
    def dead(self) -> tuple[int, ...]:
        """The externals (by number) whose memory may be overwritten: large ones that nobody but the recording refers
        to. Counted when it is first asked."""
        found = self._dead
        if found is None:
            found = ()
            if self.rec is not None:
                small = packing.SMALL
                large = [i for i, v in enumerate(self.externals) if v.aval.nbytes > small]
                found = _unreferenced(self.externals, large) if large else ()
            self._dead = found
        return found

    def split(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The slots that are computed now, and the gradients that are left for later."""
        if self.waiting:
            gradients = tuple([i for i in self.live if i in self.waiting])
            if gradients and self._may_wait(gradients):
                return without(self.live, self.waiting), gradients
        return self.live, ()

    def _may_wait(self, gradients: tuple[int, ...]) -> bool:
        """Whether gradients may be computed later: nobody asked for them here before, and little is to be copied."""
        last = self.path[-1]
        if last.waits is None:
            last.waits = {}
        needed = last.waits.get(gradients)
        if needed is None:
            needed = last.waits[gradients] = frozenset(prune(self.path, gradients)[1])
        if needed is False:
            return False
        copied = sum(self.externals[e].aval.nbytes for e in self.dead if e in needed)
        return copied <= (MOST_COPIED if self.on.type == "cpu" and not self.on.is_mesh else 0)


def without(live: tuple[int, ...], waiting: Collection[int]) -> tuple[int, ...]:
    """The slots in `live` that are not waiting."""
    return tuple([i for i in live if i not in waiting])


def _unreferenced(externals: list[Value], large: list[int]) -> tuple[int, ...]:
    """Returns the large externals that nobody but the recording refers to."""
    arrays = [v.array for v in externals]
    return tuple(
        [
            i
            for i in large
            if getrefcount(externals[i]) <= _DEAD_EXTERNAL
            and (
                getrefcount(arrays[i]) <= _DEAD_ARRAY
                or recycling.only_kept(getrefcount(arrays[i]) - _DEAD_ARRAY, arrays[i])
            )
            and (type(arrays[i]) is np.ndarray or is_jax(type(arrays[i])))  # what is NumPy's, XLA copies
        ]
    )
