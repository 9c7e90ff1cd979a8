"""Gradients that a step leaves behind: computed when somebody asks for them, which nearly nobody does.

A loop that reads its loss after the optimizer's step reads it while the parameters still hold their gradients, which the next
`zero_grad()` throws away. A program that yields them is another one than that of the steps whose loss is not read, and stores
for nothing. So they are left out, and their Values refer to a Late: what they are computed from, copied where the step's program
overwrites it. Where gradients were asked for once, the place yields them from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..lazy.graph import prune
from ..lazy.trie import TrieNode
from ..lazy.value import Value, is_jax, make_value
from ..words.device import device

__all__ = ["Late", "may_wait"]

MOST_COPIED = 8 << 20
"""Bytes. Storing gradients costs less than copying more than these, whose memory comes from the system each time."""


def may_wait(
    path: list[TrieNode], gradients: tuple[int, ...], externals: list[Value], dead: Sequence[int], on: device
) -> bool:
    """Whether gradients (slots) of a recording may be computed later: nobody asked for them here before, and little is to be copied."""
    last = path[-1]
    if last.waits is None:
        last.waits = {}
    needed = last.waits.get(gradients)
    if needed is None:
        needed = last.waits[gradients] = frozenset(prune(path, gradients)[1])
    if needed is False:
        return False
    copied = sum(externals[e].aval.nbytes for e in dead if e in needed)
    return copied <= (MOST_COPIED if on.type == "cpu" and not on.is_mesh else 0)


class Late:
    """What some slots of a recording are computed from. It stands where their recorder stood; it does not know their Values."""

    __slots__ = ("_arrays", "_call", "_externals", "_gradients", "_path", "_run")
    level = 0
    error = None

    def __init__(
        self,
        path: list[TrieNode],
        gradients: tuple[int, ...],
        externals: list[Value],
        overwritten: frozenset[int],
        run: Callable[..., Any],
    ):
        """overwritten: externals whose memory the program that runs now gives to its results. run: makes a call of a program."""
        self._path = path
        self._gradients = gradients
        self._run = run
        self._call: Any = None
        self._arrays: dict[int, Any] | None = None
        needed = path[-1].waits[gradients]  # type: ignore[index]
        self._externals = [
            _kept(v, e in overwritten) if e in needed else make_value(v.aval) for e, v in enumerate(externals)
        ]

    def part(self, v: Value) -> Any:
        """The array of one of the slots. All are computed at once, and this place yields them from now on."""
        if self._arrays is None:
            self._path[-1].waits[self._gradients] = False  # type: ignore[index]
            if self._call is None:
                self._call = self._run(self._path, self._gradients, self._externals)
            self._arrays = dict(zip(self._gradients, self._call.arrays()))
            self._call, self._externals = None, []
        return self._arrays[v.index]

    def look(self, v: Value) -> Any:
        """The same."""
        return self.part(v)


def _kept(v: Value, overwritten: bool) -> Value:
    if not overwritten:
        return v
    return make_value(v.aval, array=np.array(v.array) if is_jax(type(v.array)) else v.array)
