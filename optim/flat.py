"""Flat state: the moments of many small parameters as one array each, so that a step has few arguments and results.

A program's arguments and results cost about 2 µs each to dispatch; forty layers with two moments have two hundred.
Where a set of parameters has many small members, each name of state is kept in one 1-d Cell, and `state[p][name]` is a
view of its part: reading, writing, saving and loading see the same tensors as before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import is_

import jax.numpy as jnp
import numpy as np

from functorch_lite._core.api import (
    OPS,
    Aval,
    DerivedOp,
    Lens,
    Tensor,
    apply_op,
    become_view,
    concrete,
    make_tensor,
    read,
)

__all__ = ["FlatState", "FlatStates", "parts_of"]

LEAST_MEMBERS = 8
LARGEST_MEMBER = 8192
"""Elements. Larger parameters gain nothing (measured: joining a 784x128 gradient costs more than its arguments)."""

_JOIN = DerivedOp(lambda *parts: (jnp.concatenate([x.reshape(-1) for x in parts]),), "join", made_of=())


class FlatState:
    """The state of a set of parameters: one flat Cell per name, and the views of it that the optimizer hands out."""

    __slots__ = ("cells", "columns", "params", "shapes")

    def __init__(self, params: list[Tensor], columns: list[list[Tensor]]):
        self.params = params
        self.shapes = tuple([p._aval.shape for p in params])
        self.cells = []
        self.columns = []
        for column in columns:
            flat = _joined(column)
            self.cells.append(flat._cell)
            self.columns.append(parts_of(flat, [p._aval for p in params]))

    def holds(self, params: list[Tensor], columns: list[list[Tensor]]) -> bool:  # hot path
        """Returns whether these are the parameters and state tensors that it was made of."""
        return (
            len(params) == len(self.params)
            and all(map(is_, params, self.params))
            and all(all(map(is_, a, b)) for a, b in zip(columns, self.columns))
        )


def suits(params: list[Tensor]) -> bool:
    """Returns whether flat state pays for these parameters, and is possible: many, small, of one real dtype, no views."""
    first = params[0]._aval.dtype
    return (
        len(params) >= LEAST_MEMBERS
        and first.name in ("float32", "float64")
        and all(p._aval.dtype is first and p.numel() <= LARGEST_MEMBER and not p._lenses for p in params)  # type: ignore[attr-defined]
    )


def _joined(column: list[Tensor]) -> Tensor:
    arrays = [read(t).array for t in column]
    if all(isinstance(a, np.ndarray) for a in arrays):
        return make_tensor(
            concrete(np.concatenate([a.reshape(-1) for a in arrays]), column[0]._aval.device), 0
        )
    return apply_op(_JOIN, None, tuple(column))[0]


def parts_of(flat: Tensor, avals: Sequence[Aval]) -> list[Tensor]:
    """The tensors of these avals that lie one after the other in a flat one, as views of it."""
    parts, start = [], 0
    for aval in avals:
        size = math.prod(aval.shape)
        part = make_tensor(flat._cell.value, 0)
        part._cell, part._aval = flat._cell, aval
        lenses = (
            Lens(OPS["slice"], (0, start, start + size, 1), ()),
            Lens(OPS["view"], (aval.shape,), ()),
        )
        become_view(part, flat, lenses)
        parts.append(part)
        start += size
    return parts


class FlatStates:
    """An optimizer's flat states, one for each set of parameters that is stepped together."""

    def __init__(self):
        self._of: dict[int, FlatState | None] = {}
        self._made = 0

    def get(
        self, params: list[Tensor], columns: list[list[Tensor]]
    ) -> tuple[FlatState | None, bool]:  # hot path
        """(the flat state of this set or None, whether it was made just now, out of these state tensors)."""
        key = id(params[0])
        found = self._of.get(key)
        if found is not None and found.holds(params, columns):
            return found, False
        if (found is None and key in self._of) or not columns:
            return None, False
        if self._made >= 16 or not suits(params):  # sets that keep changing are better left alone
            self._of[key] = None
            return None, False
        self._made += 1
        self._of[key] = found = FlatState(list(params), columns)
        return found, True
