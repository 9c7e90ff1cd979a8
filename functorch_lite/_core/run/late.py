"""Gradients that a step leaves behind: computed when somebody asks for them, which nearly nobody does.

A loop that reads its loss after the optimizer's step reads it while the parameters still hold their gradients, which
the next `zero_grad()` throws away. A program that yields them is another one than that of the steps whose loss is not
read, and stores for nothing. So they are left out, and their Values refer to a Late: what they are computed from,
copied where the step's program overwrites it. Where gradients were asked for once, the place yields them from then on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..lazy.value import Value, is_jax, make_value
from .pending import Pending

__all__ = ["Late"]


class Late:
    """Source of some slots of a recording, computed when one is asked for. It stands where their recorder stood; it
    does not know their Values."""

    __slots__ = ("_arrays", "_at", "_call", "_gradients", "_missing", "_run")
    level = 0
    error = None

    def __init__(
        self,
        pending: Pending,
        gradients: tuple[int, ...],
        overwritten: frozenset[int],
        run: Callable[[Pending], Any],
    ):
        """overwritten: externals whose memory the program that runs now gives to its results. run: gives what runs a
        recording."""
        path = pending.path
        needed = path[-1].waits[gradients]  # type: ignore[index]
        externals = [
            _kept(v, e in overwritten) if e in needed else make_value(v.aval)
            for e, v in enumerate(pending.externals)
        ]
        self._missing: Pending | None = Pending(path, gradients, externals, pending.on)
        self._at = path[-1].waits
        self._gradients = gradients
        self._run = run
        self._call: Any = None
        self._arrays: dict[int, Any] | None = None

    def part(self, v: Value) -> Any:
        """The array of one of the slots. All are computed at once, and this place yields them from now on."""
        if self._arrays is None:
            self._at[self._gradients] = False  # type: ignore[index]
            if self._call is None:
                self._call = self._run(self._missing)  # type: ignore[arg-type]
            self._arrays = dict(zip(self._gradients, self._call.arrays()))
            self._call = self._missing = None
        return self._arrays[v.index]

    def look(self, v: Value) -> Any:
        """The same."""
        return self.part(v)


def _kept(v: Value, overwritten: bool) -> Value:
    if not overwritten:
        return v
    return make_value(v.aval, array=np.array(v.array) if is_jax(type(v.array)) else v.array)
