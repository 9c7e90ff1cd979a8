"""SymInt: a size that knows what it is in terms of open sizes, while a module's forward is watched.

The forward runs at sizes of its own, so a SymInt is an int of these. Values computed from it follow; a comparison
with one outcome at all sizes of the Dims' ranges is a constant, and any other is a guard, which is stored with the
user's line.
"""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Callable, Iterator
from typing import Any

import jax
from jax.extend.core import InconclusiveDimensionOperation

from .._core.api import Size, Tensor, is_ours, lookup

__all__ = ["OFF", "Guard", "SymFloat", "SymInt", "Watch", "watching"]


class Guard:
    """A comparison that the Graph depends on: text in terms of the symbols, which holds; source: (file, line) of the
    program."""

    def __init__(self, text: str, source: tuple[str, int] | None):
        self.text, self.source = text, source


class Watch:
    """Notes of one run. sizes: by number, what is known to be a size."""

    def __init__(self, sizes: dict[int, Any]):
        self.sizes = sizes
        self.guards: list[Guard] = []
        self.made: list[Any] = []
        """Sizes that the program computed of others."""
        self.is_on = True

    def size(self, n: int) -> int:
        """A size of a tensor, as users see it."""
        expr = self.sizes.get(n)
        return n if expr is None else SymInt(n, expr, self)

    def shape(self, sizes: Any) -> Size:
        """A shape of a tensor, as users see it."""
        return WatchedSize(map(self.size, sizes))

    def guard(self, text: str) -> None:
        """Notes that this holds."""
        if self.is_on:
            self.guards.append(Guard(text, _user_line()))


OFF = Watch({})
"""That of sizes of which nothing is noted any more."""
OFF.is_on = False


def _user_line() -> tuple[str, int] | None:
    frame = sys._getframe(1)
    while frame is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back  # type: ignore[assignment]
    return None if frame is None else (frame.f_code.co_filename, frame.f_lineno)


_CORE = __file__.rpartition("export")[0] + "_core"


def _asks(depth: int = 2) -> str:
    """The code that reads a number: "user", "library", or "core", where it becomes part of a key, and its use by an
    op is determined separately."""
    file = sys._getframe(depth).f_code.co_filename
    if file.startswith(_CORE):
        return "core"
    return "library" if is_ours(file) else "user"


_Symbol: Any = lookup("torch", "SymInt")
_FloatSymbol: Any = lookup("torch", "SymFloat")


class SymInt(int, _Symbol):
    """An int, and its expression in terms of dynamic sizes."""

    expr: Any
    watch: Watch

    def __new__(cls, n: int, expr: Any, watch: Watch) -> SymInt:
        self = int.__new__(cls, n)
        self.expr, self.watch = expr, watch
        return self

    def _made(self, n: int, make: Callable[[], Any]) -> Any:
        if not self.watch.is_on:
            return n
        try:
            expr = make()
        except (InconclusiveDimensionOperation, TypeError, ValueError, ZeroDivisionError):
            return n  # its numbers at several sets of sizes may still tell what it is
        if not jax.export.is_symbolic_dim(expr):
            return int(expr)
        self.watch.made.append(expr)
        return SymInt(n, expr, self.watch)

    def _compared(self, other: Any, symbol: str, holds: bool) -> bool:
        if type(other) is SymFloat:
            other.note(f"{self.expr} {symbol} {other.text}" if holds else f"not {self.expr} {symbol} {other.text}")  # fmt: skip
        elif self.watch.is_on and isinstance(other, int | float) and _asks(3) != "core":
            if not _is_decided(self.expr, symbol, getattr(other, "expr", other)):
                text = f"{self.expr} {symbol} {getattr(other, 'expr', other)}"
                self.watch.guard(text if holds else f"not ({text})")
        return holds

    def __eq__(self, other: object) -> bool:
        found = (
            int.__eq__(self, other) if isinstance(other, int) else float(int(int.__add__(self, 0))) == other
        )
        return self._compared(other, "==", bool(found)) if isinstance(other, int | float) else False

    def __ne__(self, other: object) -> bool:
        found = int.__add__(self, 0) != other
        return self._compared(other, "!=", bool(found)) if isinstance(other, int | float) else True

    def __hash__(self) -> int:
        return int.__hash__(self)

    def __bool__(self) -> bool:
        return self._compared(0, "!=", int.__bool__(self))

    def __int__(self) -> int:
        plain = int.__add__(self, 0)
        if _asks() == "user" and self.watch.is_on:
            self.watch.guard(f"{self.expr} == {plain}")
        return plain

    def __float__(self) -> float:
        plain = int.__add__(self, 0)
        if _asks() == "user" and self.watch.is_on:
            self.watch.guard(f"{self.expr} == {plain}")
        return float(plain)

    def __pow__(self, n: Any, mod: Any = None) -> Any:
        plain = int.__add__(self, 0)
        if isinstance(n, float) or (isinstance(n, int) and n < 0):
            return SymFloat(plain**n, f"({self.expr})**{n}", self.watch)
        return self._made(pow(plain, n, mod), lambda: self.expr**n) if mod is None else pow(plain, n, mod)

    def __truediv__(self, other: Any) -> Any:
        if not isinstance(other, int | float):
            return NotImplemented
        plain = int.__add__(self, 0) / (int.__add__(other, 0) if isinstance(other, int) else other)
        return SymFloat(
            plain, f"({self.expr}) / ({getattr(other, 'expr', other)})", self.watch, (self, other)
        )

    def __rtruediv__(self, other: Any) -> Any:
        if not isinstance(other, int | float):
            return NotImplemented
        return SymFloat(other / int.__add__(self, 0), f"({other}) / ({self.expr})", self.watch, (other, self))

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __neg__(self) -> Any:
        return self._made(int.__neg__(self), lambda: -1 * self.expr)

    def __pos__(self) -> SymInt:
        return self

    __trunc__ = __floor__ = __ceil__ = __pos__

    def __round__(self, ndigits: Any = None) -> SymInt:
        return self

    def __repr__(self) -> str:
        return str(self.expr)

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(int.__add__(self, 0), spec) if spec else str(self.expr)

    def __reduce__(self) -> tuple:
        return int, (int.__add__(self, 0),)


def _arithmetic(name: str, reflected: bool) -> Callable[[SymInt, Any], Any]:
    plain = getattr(int, f"__{name}__")
    made = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "floordiv": lambda a, b: a // b,
        "mod": lambda a, b: a % b,
    }[name]

    def method(self: SymInt, other: Any) -> Any:
        if isinstance(other, float):
            value = made(other, float(int.__add__(self, 0))) if reflected else made(float(int.__add__(self, 0)), other)  # fmt: skip
            a, b = (other, self.expr) if reflected else (self.expr, other)
            return SymFloat(value, f"({a}) {_SIGNS[name]} ({b})", self.watch)
        if isinstance(other, list | tuple) and name == "mul":
            self.watch.guard(f"{self.expr} == {int.__add__(self, 0)}")
            return int.__add__(self, 0) * other
        if not isinstance(other, int) or isinstance(other, bool):
            return NotImplemented if not isinstance(other, bool) else method(self, int(other))
        first, second = (other, self) if reflected else (self, other)
        n = plain(int.__add__(first, 0), int.__add__(second, 0))
        return self._made(n, lambda: made(getattr(first, "expr", first), getattr(second, "expr", second)))

    method.__name__ = f"__{'r' * reflected}{name}__"
    return method


_SIGNS = {"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%"}
for _name in _SIGNS:
    for _reflected in (False, True):
        setattr(SymInt, f"__{'r' * _reflected}{_name}__", _arithmetic(_name, _reflected))


def _comparison(name: str, symbol: str) -> Callable[[SymInt, Any], Any]:
    def method(self: SymInt, other: Any) -> Any:
        if not isinstance(other, int | float):
            return NotImplemented
        plain = int.__add__(other, 0) if isinstance(other, int) else float.__add__(other, 0.0)
        return self._compared(other, symbol, bool(getattr(int.__add__(self, 0), name)(plain) if isinstance(plain, int) else getattr(float(int.__add__(self, 0)), name)(plain)))  # fmt: skip

    method.__name__ = name
    return method


for _name, _symbol in (("__lt__", "<"), ("__le__", "<="), ("__gt__", ">"), ("__ge__", ">=")):
    setattr(SymInt, _name, _comparison(_name, _symbol))


class SymFloat(float, _FloatSymbol):
    """A float, and its expression in terms of dynamic sizes; for a quotient of ints, both expressions."""

    text: str
    watch: Watch
    parts: Any

    def __new__(cls, x: float, text: str, watch: Watch, parts: Any = None) -> SymFloat:
        self = float.__new__(cls, x)
        self.text, self.watch, self.parts = text, watch, parts
        return self

    def note(self, text: str) -> None:
        """Notes a guard."""
        if _asks(4) != "core":
            self.watch.guard(text)

    def _whole(self, x: int) -> int:
        self.watch.guard(f"({self.text}) == {float.__add__(self, 0.0)!r}")
        return x

    def __int__(self) -> int:
        plain = float.__add__(self, 0.0)
        return self._whole(int(plain)) if _asks() == "user" else int(plain)

    def __floor__(self) -> Any:
        whole = self.parts is not None and all(isinstance(p, int) for p in self.parts)
        return self.parts[0] // self.parts[1] if whole else self._whole(math.floor(float.__add__(self, 0.0)))

    def __ceil__(self) -> Any:
        whole = self.parts is not None and all(isinstance(p, int) for p in self.parts)
        if whole:
            return (self.parts[0] + self.parts[1] - 1) // self.parts[1]
        return self._whole(math.ceil(float.__add__(self, 0.0)))

    def __trunc__(self) -> Any:
        return self.__floor__()

    def __round__(self, ndigits: Any = None) -> Any:
        return self._whole(round(float.__add__(self, 0.0), ndigits))

    def __bool__(self) -> bool:
        return self != 0.0

    def __hash__(self) -> int:
        return float.__hash__(self)


def _of_floats(name: str, sign: str, compares: bool) -> Callable[[SymFloat, Any], Any]:
    def method(self: SymFloat, other: Any) -> Any:
        if not isinstance(other, int | float):
            return NotImplemented
        plain = float.__add__(other, 0.0) if isinstance(other, float) else float(int.__add__(other, 0))
        found = getattr(float.__add__(self, 0.0), name)(plain)
        second = getattr(other, "text", getattr(other, "expr", other))
        a, b = (second, self.text) if name.startswith("__r") else (self.text, second)
        text = f"({a}) {sign} ({b})"
        if compares:
            self.note(text if found else f"not ({text})")
            return found
        return SymFloat(found, text, self.watch)

    method.__name__ = name
    return method


for _name, _sign in (("add", "+"), ("sub", "-"), ("mul", "*"), ("truediv", "/"), ("pow", "**")):
    setattr(SymFloat, f"__{_name}__", _of_floats(f"__{_name}__", _sign, False))
    setattr(SymFloat, f"__r{_name}__", _of_floats(f"__r{_name}__", _sign, False))
for _name, _sign in (("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="), ("eq", "=="), ("ne", "!=")):
    setattr(SymFloat, f"__{_name}__", _of_floats(f"__{_name}__", _sign, True))


def _is_decided(a: Any, symbol: str, b: Any) -> bool:
    """Returns whether a comparison comes out in one way at all sizes."""
    if isinstance(b, float):
        if math.isinf(b) or math.isnan(b):
            return True
        if symbol in ("==", "!="):
            if not b.is_integer():
                return True
            b = int(b)
        else:
            b = math.floor(b) if symbol in ("<=", ">") else math.ceil(b)
    try:
        if symbol in ("<", ">="):
            bool(a >= b)
        elif symbol in ("<=", ">"):
            bool(b >= a)
        else:
            return _are_unequal(a, b) or _is_zero(a - b)
        return True
    except InconclusiveDimensionOperation:
        return False


def _is_zero(x: Any) -> bool:
    return not jax.export.is_symbolic_dim(x) and x == 0


def _are_unequal(a: Any, b: Any) -> bool:
    for more, less in ((a, b), (b, a)):
        with contextlib.suppress(InconclusiveDimensionOperation):
            if more >= less + 1:
                return True
    return False


class WatchedSize(Size):
    """A shape whose elements may be SymInts."""

    __slots__ = ()

    def __new__(cls, sizes: Any = ()) -> WatchedSize:
        return tuple.__new__(cls, sizes)

    def numel(self) -> int:
        """The product of the sizes."""
        return math.prod(self)

    def __getitem__(self, index: Any) -> Any:
        got = tuple.__getitem__(self, index)
        return WatchedSize(got) if isinstance(index, slice) else got

    def __add__(self, other: Any) -> Size:
        return WatchedSize(tuple.__add__(self, tuple(other)))

    def __radd__(self, other: Any) -> Size:
        return WatchedSize(tuple(other) + tuple(self))

    def __reduce__(self) -> tuple:
        return Size, (tuple(map(int, self)),)


@contextlib.contextmanager
def watching(watch: Watch) -> Iterator[None]:
    """Makes what tensors say of their sizes SymInts, meanwhile."""
    before = {name: Tensor.__dict__[name] for name in ("shape", "size", "numel", "nelement", "__len__")}
    shape, length = before["shape"].fget, before["__len__"]

    def seen(t: Tensor) -> Any:
        return watch.shape(shape(t))

    def size(self: Tensor, dim: int | None = None) -> Any:
        found = before["size"](self, dim)
        return watch.shape(found) if dim is None else watch.size(found)

    def numel(self: Tensor) -> int:
        return watch.shape(shape(self)).numel()

    def __len__(self: Tensor) -> int:
        n = length(self)
        if n in watch.sizes and _asks() == "user":
            watch.guard(f"{watch.sizes[n]} == {n}")
        return n

    replaced = {"shape": property(seen), "size": size, "numel": numel, "nelement": numel, "__len__": __len__}
    try:
        for name, by in replaced.items():
            setattr(Tensor, name, by)
        yield
    finally:
        watch.is_on = False
        for name, was in before.items():
            setattr(Tensor, name, was)
