"""Sizes that are left open: found by recording a module at several sizes, and comparing what was recorded.

A `Size` is a polynomial of the open sizes, linear in each. It is derived from the numbers at one position of Graphs
recorded at different sizes, and is compared with one further recording, from which it was not derived.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from .errors import SymbolicValueError

__all__ = ["Merging", "Size", "product"]


class Size:
    """A number that depends on open sizes: `terms` has the coefficient of each product of names, of which `()` is 1."""

    __slots__ = ("terms",)

    def __init__(self, terms: dict[tuple[str, ...], Fraction]):
        self.terms = {k: c for k, c in terms.items() if c}

    @property
    def symbol(self) -> str | None:
        """The name, if it is an open size itself."""
        if len(self.terms) == 1:
            (names, c), *_ = self.terms.items()
            return names[0] if len(names) == 1 and c == 1 else None
        return None

    def at(self, sizes: dict[str, int]) -> Fraction:
        """The number at these sizes."""
        total = Fraction(0)
        for names, c in self.terms.items():
            for n in names:
                c = c * sizes[n]
            total += c
        return total

    def __add__(self, other: Any) -> Any:
        return _simple(
            {k: self.terms.get(k, 0) + _terms(other).get(k, 0) for k in {*self.terms, *_terms(other)}}
        )

    def __mul__(self, other: Any) -> Any:
        found: dict[tuple[str, ...], Fraction] = {}
        for (a, x), (b, y) in itertools.product(self.terms.items(), _terms(other).items()):
            key = tuple(sorted((*a, *b)))
            found[key] = found.get(key, Fraction(0)) + x * y
        return _simple(found)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Any:
        return self * -1

    def __sub__(self, other: Any) -> Any:
        return self + -1 * other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Size) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __repr__(self) -> str:
        return " + ".join(
            "*".join([*([str(c)] if c != 1 or not k else []), *k]) for k, c in self.terms.items()
        )


def _terms(x: Any) -> dict[tuple[str, ...], Fraction]:
    return x.terms if isinstance(x, Size) else {(): Fraction(x)}


def _simple(terms: dict[tuple[str, ...], Any]) -> Any:
    """A Size, or the number that it is whatever the open sizes are."""
    terms = {k: c for k, c in terms.items() if c}
    if any(terms.keys()):
        return Size(terms)
    c = Fraction(terms.get((), 0))
    return int(c) if c.denominator == 1 else c


def product(sizes: Sequence[Any]) -> Any:
    """The product of numbers and Sizes."""
    found: Any = 1
    for s in sizes:
        found = found * s
    return found


class Merging:
    """Merges the values at one position of several recordings into one value.

    points: the dynamic sizes of each recording; without any, there is one recording, and a value is unchanged.
    """

    def __init__(self, examples: dict[str, int]):
        self.names = list(examples)
        low = {n: max(x, 2) for n, x in examples.items()}
        taken: set[int] = set()
        for n, x in low.items():  # two open sizes never coincide, or one would pass for the other
            while x in taken or x + 1 in taken or x + 3 in taken:
                x += 5
            low[n] = x
            taken |= {x, x + 1, x + 3}
        self.low, self.high = low, {n: x + 3 for n, x in low.items()}
        corners = itertools.product(*[(low[n], self.high[n]) for n in self.names])
        self.points = [dict(zip(self.names, c)) for c in corners]
        if examples:
            self.points.append({n: x + 1 for n, x in low.items()})

    def __call__(self, values: Sequence[Any], what: Callable[[], str]) -> Any:
        """The value. what: says what it is of, where it cannot be said."""
        first = values[0]
        if all(type(v) is type(first) for v in values):
            if isinstance(first, list | tuple) and all(len(v) == len(first) for v in values):
                parts = [self(v, what) for v in zip(*values)]
                return parts if isinstance(first, list) else tuple(parts)
            if isinstance(first, dict) and all(v.keys() == first.keys() for v in values):
                return {k: self([v[k] for v in values], what) for k in first}
            if isinstance(first, slice):
                return slice(
                    *[self([getattr(v, k) for v in values], what) for k in ("start", "stop", "step")]
                )
            if all(v == first for v in values):
                return first
            if type(first) is int:
                found = self._polynomial(values)
                if found is not None:
                    return found
        raise SymbolicValueError(
            f"torch.onnx.export: {what()} is {', '.join(map(repr, values))} at the sizes "
            f"{', '.join(map(repr, self.points))}, which no sum of products of {self.names} is: "
            "leave fewer sizes open, or write the module so that it does the same at every size"
        )

    def _polynomial(self, values: Sequence[int]) -> Any:
        at = [Fraction(v) for v in values[:-1]]
        keys: list[tuple[str, ...]] = [()] * len(at)
        for k, n in enumerate(self.names):
            step = 2 ** (len(self.names) - 1 - k)
            for i in range(len(at)):
                if not i & step:
                    slope = (at[i + step] - at[i]) / (self.high[n] - self.low[n])
                    at[i], at[i + step] = at[i] - slope * self.low[n], slope
                else:
                    keys[i] = (*keys[i], n)
        found = Size({tuple(sorted(k)): c for k, c in zip(keys, at)})
        return found if found.at(self.points[-1]) == values[-1] else None
