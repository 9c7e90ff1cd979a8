"""What a row of the atlas is: a function in PyTorch's words, and the arrays it is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

__all__ = ["Row", "floats", "ints", "rows_of", "sizes"]


@dataclass
class Row:
    """One op at one size.

    fn         (torch, *arrays) -> a tensor, or a tuple of them
    make       gives the arrays, of a NumPy Generator
    backward   whether the gradients of the floating point arrays are computed, too
    """

    group: str
    name: str
    fn: Callable[..., Any]
    make: Callable[[np.random.Generator], Sequence[np.ndarray]]
    backward: bool = False
    takes: frozenset[int] = field(default_factory=frozenset)

    @property
    def title(self) -> str:
        """How the row is printed."""
        return self.name + (" fwd+bwd" if self.backward else "")


def floats(*shapes: Sequence[int], dtype: str = "float32", low: float | None = None) -> Callable:
    """Makes normal numbers of some shapes; with `low`, uniform ones in (low, low + 1)."""

    def make(rng: np.random.Generator) -> list[np.ndarray]:
        draw = rng.standard_normal if low is None else lambda shape: low + rng.random(shape)
        return [draw(tuple(shape)).astype(dtype) for shape in shapes]

    return make


def ints(high: int, *shapes: Sequence[int]) -> Callable:
    """Makes whole numbers below `high`."""
    return lambda rng: [rng.integers(0, high, tuple(shape)) for shape in shapes]


def sizes(n: int) -> str:
    """10^3 as 1k."""
    return f"{n // 10**6}M" if n >= 10**6 else f"{n // 10**3}k" if n >= 1000 else str(n)


def rows_of(
    group: str, make: Callable, both: bool = True, **functions: Callable[[ModuleType], Any]
) -> list[Row]:
    """A row for each function, and one with its gradients. both: whether it has any."""
    found = []
    for name, fn in functions.items():
        for backward in (False, True) if both else (False,):
            found.append(Row(group, name, fn, make, backward))
    return found
