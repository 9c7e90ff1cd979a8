"""OpenSizes: the symbols of an export, their positions in the arguments, and sizes at which to record it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import jax

from .._core.api import Tensor, value_of
from ..compiler.errors import UserError, UserErrorType
from ..fx.experimental.symbolic_shapes import ConstraintViolationError
from ..utils import _pytree as pytree
from .arguments import MOST, named_arguments
from .dynamic_shapes import Dim
from .dynamic_shapes import _DerivedDim as DerivedDim
from .dynamic_shapes import _DimHint as DimHint

__all__ = ["OpenSizes", "Place", "Symbol", "sources_of"]


class Symbol:
    """A dynamic size: its name, its range, its value in the example; `asked`: "Dim", "AUTO" or "DYNAMIC"; `source`:
    the position from which it is read."""

    def __init__(self, name: str, least: int, most: int, hint: int, asked: str, source: str):
        self.name, self.min, self.max, self.hint, self.asked, self.source = name, least, most, hint, asked, source  # fmt: skip
        self.least = least
        """The least value at which the program was seen to be the same: that of the range, or 2."""

    @property
    def described(self) -> str:
        """The name of a Dim, or the place."""
        return self.name if self.asked == "Dim" else self.source


class Place:
    """The position of a dynamic size: the index of the tensor, and the dimension; its size is factor * symbol +
    offset."""

    def __init__(self, tensor: int, dim: int, symbol: int, factor: int, offset: int, said: Any, source: str):
        self.tensor, self.dim, self.symbol, self.factor, self.offset = tensor, dim, symbol, factor, offset
        self.said, self.source = said, source

    def at(self, values: Sequence[int]) -> int:
        """The size where the symbols have these values."""
        return self.factor * values[self.symbol] + self.offset


def sources_of(mod: Any, args: tuple, kwargs: dict[str, Any]) -> dict[int, str]:
    """How PyTorch calls a tensor among the arguments, by its id: `L['x']`."""
    found: dict[int, str] = {}
    for name, value in named_arguments(mod, args, kwargs).items():
        for path, leaf in pytree.tree_flatten_with_path(value)[0]:
            found.setdefault(id(leaf), f"L[{name!r}]" + "".join(map(str, path)))
    return found


class OpenSizes:
    """The open sizes of tensors, of what is said of each dimension.

    Raises for an example that does not fit it, as PyTorch does."""

    def __init__(self, tensors: Sequence[Tensor], said: Sequence[dict[int, Any]], sources: Sequence[str]):
        self.symbols: list[Symbol] = []
        self.places: list[Place] = []
        self._number: dict[str, int] = {}
        taken = {(d.root if isinstance(d, DerivedDim) else d).__name__ for s in said for d in s.values() if isinstance(d, Dim)}  # fmt: skip
        names = (n for n in (f"s{k}" for k in range(10_000)) if n not in taken)
        for k, (t, by_dim, of) in enumerate(zip(tensors, said, sources)):
            for d, what in sorted(by_dim.items()):
                size, source = t.shape[d], f"{of}.size()[{d}]"
                if type(what) is int:
                    if what != size:
                        raise ConstraintViolationError(f"Static shape constraint of {what} does not match input size of {size}, for {source}")  # fmt: skip
                    continue
                self._add(k, d, what, size, source, names)
        self.names = [s.name for s in self.symbols]
        for s in self.symbols:
            if not s.min <= s.hint <= s.max:
                raise ConstraintViolationError(f"{s.hint} not in range [{max(s.min, 2)}, {s.max}]")
        self._scoped()

    @classmethod
    def of_program(cls, opened: Any, inputs: Sequence[Any]) -> OpenSizes:
        """The open sizes of an exported program, whose tensors are of these placeholders.

        It includes sizes of 1 if the program is valid for them."""
        self = cls.__new__(cls)
        numbers = {node.name: k for k, node in enumerate(inputs)}
        self.places = [Place(numbers[name], dim, k, factor, offset, None, f"{name}.size()[{dim}]") for name, dim, k, factor, offset in opened.places]  # fmt: skip
        self.symbols = []
        for k, (name, least, most) in enumerate(opened.symbols):
            place = next(p for p in self.places if p.symbol == k)
            size = int.__add__(inputs[place.tensor].meta["val"].shape[place.dim], 0)
            self.symbols.append(
                Symbol(name, least, most, (size - place.offset) // place.factor, "Dim", place.source)
            )
        self.names = [s.name for s in self.symbols]
        self._scoped(1)
        return self

    def _scoped(self, least: int = 2) -> None:
        self.bounds = [f"{s.name} >= {max(s.min, least)}" for s in self.symbols]
        self.bounds += [f"{s.name} <= {s.max}" for s in self.symbols if s.max != MOST]
        self.exprs = exprs_of(self.names, self.bounds)

    def _add(self, k: int, d: int, what: Any, size: int, source: str, names: Iterator[str]) -> None:
        factor, offset, root = 1, 0, what
        if isinstance(what, DerivedDim):
            factor, offset, root = what.factor, what.offset, what.root
        if isinstance(what, DimHint):
            name, least, most = next(names), what.min or 0, MOST if what.max is None else what.max
        else:
            name, least, most = root.__name__, root.min, root.max
        hint, rest = divmod(size - offset, factor)
        if rest:
            raise UserError(UserErrorType.CONSTRAINT_VIOLATION, f"Expected input {source} = {size} to be of the form {what!r}, where {name} is an integer")  # fmt: skip
        number = self._number.get(name)
        if number is None:
            number = self._number[name] = len(self.symbols)
            asked = what.type if isinstance(what, DimHint) else "Dim"
            self.symbols.append(Symbol(name, least, most, hint, asked, source))
        elif self.symbols[number].hint != hint:
            first = next(p for p in self.places if p.symbol == number)
            raise UserError(
                UserErrorType.CONSTRAINT_VIOLATION,
                f"{source} = {size} is not equal to {first.source} = {first.at([s.hint for s in self.symbols])}"
                if (factor, offset, first.factor, first.offset) == (1, 0, 1, 0)
                else f"{source} = {size} is not {what!r}, where {name} is {self.symbols[number].hint}",
            )
        self.places.append(Place(k, d, number, factor, offset, what, source))

    @property
    def hints(self) -> tuple[int, ...]:
        """The symbols' values in the example."""
        return tuple([s.hint for s in self.symbols])

    def expr(self, place: Place) -> Any:
        """The size of a place in terms of the symbols."""
        return place.factor * self.exprs[place.symbol] + place.offset

    def shapes(self, tensors: Sequence[Tensor], values: Sequence[Any]) -> list[tuple]:
        """The tensors' shapes where the symbols have these values."""
        found = [list(t.shape) for t in tensors]
        for p in self.places:
            found[p.tensor][p.dim] = p.at(values)
        return [tuple(s) for s in found]

    def sets(self, avoid: set[int], count: int) -> list[tuple[int, ...]]:
        """Values of the symbols, within their ranges, that differ from each other and from these numbers."""
        used = set(avoid)
        columns = []
        for k, s in enumerate(self.symbols):
            low, high = max(s.min, 2), s.max
            places = [p for p in self.places if p.symbol == k]
            fits = lambda n, ps=places: all(p.factor * n + p.offset >= 2 for p in ps)  # noqa: E731
            good = []
            for n in _candidates(low, high):
                sizes = {n, *[p.factor * n + p.offset for p in places]}
                if fits(n) and not sizes & used:
                    good.append(n)
                    used |= sizes
                if len(good) == count:
                    break
            for n in range(low, min(high, low + 4 * count) + 1):
                if len(good) < count and n not in good and fits(n):
                    good.append(n)
            columns.append((good or [s.hint]) * count)
        return [tuple([c[i] for c in columns]) for i in range(count)]

    def value(self, expr: Any, values: Sequence[int]) -> int:
        """The number of a size where the symbols have these values."""
        return value_of(expr, self.names, values)


def exprs_of(names: Sequence[str], bounds: Sequence[str]) -> list[Any]:
    """Symbols in JAX's terms."""
    scope = jax.export.SymbolicScope(list(bounds))
    return list(jax.export.symbolic_shape(", ".join(names), scope=scope)) if names else []


def _candidates(low: int, high: int) -> Iterator[int]:
    """Numbers of a range: first primes, of at least 11 if there are, then others."""
    start = max(low, 11)
    for n in range(start, min(high, start + 4000) + 1):
        if all(n % p for p in range(2, math.isqrt(n) + 1)):
            yield n
    yield from range(max(low, 5), min(high, low + 500) + 1)
