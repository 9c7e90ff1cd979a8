"""Rows: numbers of one thing at several sets of sizes, and what they are in terms of the sizes' symbols."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import jax

from ..jaxprs.sizes import FUNCTIONS

__all__ = ["Power", "Rows", "value_of"]

POWERS = (1, -1, 0.5, -0.5)


class Power:
    """A float that follows from a size: `factor * size ** power`."""

    __slots__ = ("factor", "power", "size")

    def __init__(self, factor: float, size: Any, power: float):
        self.factor, self.size, self.power = factor, size, power

    def at(self, n: int) -> float:
        """The number where the size is n."""
        return self.factor * float(n) ** self.power

    def __repr__(self) -> str:
        return f"{self.factor} * ({self.size}) ** {self.power}"


_told: dict[tuple[str, tuple[str, ...]], Callable[..., int]] = {}


def value_of(expr: Any, names: Sequence[str], values: Sequence[int]) -> int:
    """The number of a size, of symbols of these names, where they have these values; of a text, what it says."""
    if type(expr) is not str and not jax.export.is_symbolic_dim(expr):
        return int(expr)
    key = str(expr), tuple(names)
    tell = _told.get(key)
    if tell is None:
        if len(_told) > 4096:
            _told.clear()
        tell = _told[key] = eval(f"lambda {', '.join(names)}: {key[0].replace('^', '**')}", dict(FUNCTIONS))
    return tell(*values)


class Rows:
    """Meanings of rows of numbers: sizes that are noted, and what is linear in one of these or in a product of symbols.

    names, symbols   of the symbols, and their sizes in JAX's terms
    sets             the values of the symbols in each column
    """

    def __init__(self, names: Sequence[str], symbols: Sequence[Any], sets: Sequence[Sequence[int]]):
        self.names, self.symbols, self.sets = names, symbols, sets
        self.known: dict[tuple[int, ...], Any] = {}
        self._products: list[tuple[tuple[int, ...], Any]] = []
        for k in (1, 2, 3):
            for some in itertools.combinations_with_replacement(symbols, k):
                expr = some[0]
                for other in some[1:]:
                    expr = expr * other
                self.note(expr)
                self._products.append((self.row(expr), expr))

    def row(self, expr: Any) -> tuple[int, ...]:
        """The numbers of a size."""
        return tuple([value_of(expr, self.names, values) for values in self.sets])

    def note(self, expr: Any) -> None:
        """Notes a size that others may be."""
        if jax.export.is_symbolic_dim(expr):
            self.known.setdefault(self.row(expr), expr)

    def find(self, row: Sequence[int]) -> Any:
        """An int, or a size in terms of the symbols; None for numbers that nothing is known of."""
        row = tuple(row)
        if all(n == row[0] for n in row):
            return row[0]
        found = self.known.get(row)
        if found is not None:
            return found
        for base, expr in (*self._products, *list(self.known.items())):
            run, rise = base[1] - base[0], row[1] - row[0]
            if not run or not rise or rise % run:
                continue
            factor = rise // run
            offset = row[0] - factor * base[0]
            if all(n == factor * b + offset for n, b in zip(row, base)):
                made = factor * expr + offset
                self.known[row] = made
                return made
        return None

    def find_float(self, row: Sequence[float]) -> float | Power | None:
        """A float, or a power of a size; None for numbers that nothing is known of."""
        if all(x == row[0] for x in row):
            return row[0]
        for base, expr in (*self._products, *list(self.known.items())):
            if min(base) < 1:
                continue
            for power in POWERS:
                factor = row[0] / float(base[0]) ** power
                for c in {factor, float(round(factor)), round(factor, 6)}:
                    if all(abs(c * float(b) ** power - x) <= 1e-15 * abs(x) * 8 for b, x in zip(base, row)):
                        return Power(c, expr, power)
        return None
