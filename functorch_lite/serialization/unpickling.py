"""A machine for pickles that executes nothing: it knows the opcodes of data, and calls only what it was given to call.

Source: the opcodes' meanings are in the standard library's `pickletools`.
"""

from __future__ import annotations

import pickle
import struct
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["Survey", "Unpickler"]

_MARK = object()


def _broken(what: str) -> pickle.UnpicklingError:
    return pickle.UnpicklingError(f"Weights only load failed: {what}")


class Unpickler:
    """Reads one pickle.

    Args:
        data: the pickle.
        find: (module, name) -> what a name in the pickle stands for; it raises for names that are not allowed. Of what
            it gives, only what is in `functions` and `allowed` is called.
        persistent: what a persistent id stands for.
        functions: those of `find` that may be called.
        allowed: classes and functions that the user allowed: they may be called, and instances given attributes.
        at: where in `data` the pickle begins; after `load`, where it ended.
    """

    def __init__(
        self,
        data: bytes,
        find: Callable[[str, str], Any],
        persistent: Callable[[Any], Any],
        functions: Iterable[Any] = (),
        allowed: Iterable[Any] = (),
        at: int = 0,
    ):
        self.data, self.at = data, at
        self.find, self.persistent = find, persistent
        self.functions, self.allowed = tuple(functions), tuple(allowed)
        self.classes = tuple(c for c in self.allowed if isinstance(c, type))
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def load(self) -> Any:
        """The object."""
        try:
            while True:
                code = self.take(1)
                if code == pickle.STOP:
                    return self.stack.pop()
                step = _STEPS.get(code)
                if step is None:
                    raise _broken(f"unsupported pickle opcode {code!r}")
                step(self)
        except (pickle.UnpicklingError, RuntimeError, EOFError):
            raise
        except Exception as error:
            raise _broken(f"the pickle is damaged ({type(error).__name__}: {error})") from error

    # reading

    def take(self, count: int) -> bytes:
        """The next bytes."""
        part = self.data[self.at : self.at + count]
        if len(part) < count:
            raise _broken("the pickle ends too early")
        self.at += count
        return part

    def line(self) -> str:
        """The bytes up to the end of the line."""
        end = self.data.index(b"\n", self.at)
        part = self.data[self.at : end].decode()
        self.at = end + 1
        return part

    def number(self, form: str) -> Any:
        """A number of a struct format."""
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))[0]

    # the stack

    def push(self, x: Any) -> None:
        """Puts a value on the stack."""
        self.stack.append(x)

    def to_mark(self) -> list:
        """Takes off the values above the last mark."""
        for i in range(len(self.stack) - 1, -1, -1):
            if self.stack[i] is _MARK:
                items = self.stack[i + 1 :]
                del self.stack[i:]
                return items
        raise _broken("a mark is missing")

    def call(self, fn: Any, args: Any) -> Any:
        """The only place where something that a file names is called."""
        if not isinstance(args, tuple):
            raise _broken("the arguments must be a tuple")
        known = fn in (OrderedDict, Counter, set, frozenset, complex, bytearray) or fn in self.allowed
        ours = fn in self.functions or (isinstance(fn, type) and fn.__name__ in ("Size", "Parameter"))
        if not (known or ours):
            raise _broken(f"{fn!r} may not be called")
        if fn is bytearray and args and isinstance(args[0], int):
            raise _broken("a bytearray of a given size")
        return fn(*args)

    def make(self, kind: Any, args: Any) -> Any:
        """An instance of a class, made without calling it where that is known to be harmless."""
        if kind is OrderedDict or kind in self.classes:
            return kind.__new__(kind, *args)
        return self.call(kind, args)

    def container(self, kind: type, x: Any) -> Any:
        """A list, dict or set that something is put into."""
        if not isinstance(x, kind):
            raise _broken(f"a {type(x).__name__} where a {kind.__name__} should be")
        return x

    def build(self, state: Any) -> None:
        """Gives the object on top of the stack its attributes."""
        target = self.stack[-1]
        kind = type(target)
        if kind is OrderedDict:
            if not isinstance(state, dict) or any(k.startswith("__") for k in state):
                raise _broken("attributes of an OrderedDict")
            target.__dict__.update(state)
        elif kind in self.classes:
            if hasattr(target, "__setstate__"):
                target.__setstate__(state)
            else:
                slots: Any = state[1] if isinstance(state, tuple) and len(state) == 2 else {}
                plain: Any = state[0] if isinstance(state, tuple) and len(state) == 2 else state
                for name, value in {**(plain or {}), **(slots or {})}.items():
                    if name.startswith("__"):
                        raise _broken(f"an attribute {name!r}")
                    object.__setattr__(target, name, value)
        else:
            raise _broken(f"attributes of a {kind.__name__}")


class Inert:
    """Stands for what a pickle would have made: it has the name of its class, and the state that it would have got."""

    def __init__(self, name: str, args: tuple = ()):
        self.name, self.args, self.state = name, args, None


class Survey(Unpickler):
    """Reads a pickle without making anything of it but containers: which names it uses, and which storages.

    Whatever else it would make is an `Inert`.
    """

    def __init__(self, data: bytes, at: int = 0):
        super().__init__(data, self._named, self._noted, at=at)
        self.names: dict[tuple[str, str], None] = {}
        self.ids: list[Any] = []

    def _named(self, module: str, name: str) -> Inert:
        self.names[module, name] = None
        return Inert(f"{module}.{name}")

    def _noted(self, pid: Any) -> Any:
        self.ids.append(pid)
        return pid

    def call(self, fn: Any, args: Any) -> Inert:
        """Returns an Inert in the place of a call of `fn`."""
        return Inert(getattr(fn, "name", "?"), args)

    def make(self, kind: Any, args: Any) -> Inert:
        """Returns an Inert in the place of an object of the class."""
        return self.call(kind, args)

    def container(self, kind: type, x: Any) -> Any:
        """The list, dict or set; one of no use where something else is filled."""
        return x if isinstance(x, kind) else kind()

    def build(self, state: Any) -> None:
        """Keeps the state, where something is that would get it."""
        if isinstance(self.stack[-1], Inert):
            self.stack[-1].state = state


# -- opcodes ---------------------------------------------------------------------------------------------------------

_STEPS: dict[bytes, Callable[[Unpickler], Any]] = {}


def _on(*codes: bytes) -> Callable:
    def register(step: Callable) -> Callable:
        for code in codes:
            _STEPS[code] = step
        return step

    return register


def _constant(code: bytes, make: Callable[[], Any]) -> None:
    _STEPS[code] = lambda u: u.push(make())


def _decoded(code: bytes, decode: Callable[[Unpickler], Any]) -> None:
    _STEPS[code] = lambda u: u.push(decode(u))


for _code, _make in {
    pickle.NONE: lambda: None, pickle.NEWTRUE: lambda: True, pickle.NEWFALSE: lambda: False, pickle.EMPTY_TUPLE: tuple,
    pickle.EMPTY_LIST: list, pickle.EMPTY_DICT: dict, pickle.EMPTY_SET: set, pickle.MARK: lambda: _MARK,
}.items():  # fmt: skip
    _constant(_code, _make)


def _text(u: Unpickler, form: str) -> str:
    return u.take(u.number(form)).decode("utf-8", "surrogatepass")


for _code, _decode in {
    pickle.BININT: lambda u: u.number("i"),
    pickle.BININT1: lambda u: u.number("B"),
    pickle.BININT2: lambda u: u.number("H"),
    pickle.LONG1: lambda u: int.from_bytes(u.take(u.number("B")), "little", signed=True),
    pickle.LONG4: lambda u: int.from_bytes(u.take(u.number("I")), "little", signed=True),
    pickle.BINFLOAT: lambda u: struct.unpack(">d", u.take(8))[0],
    pickle.BINUNICODE: lambda u: _text(u, "I"),
    pickle.SHORT_BINUNICODE: lambda u: _text(u, "B"),
    pickle.BINUNICODE8: lambda u: _text(u, "Q"),
    pickle.BINSTRING: lambda u: u.take(u.number("I")).decode("latin1"),
    pickle.SHORT_BINSTRING: lambda u: u.take(u.number("B")).decode("latin1"),
    pickle.BINBYTES: lambda u: u.take(u.number("I")),
    pickle.SHORT_BINBYTES: lambda u: u.take(u.number("B")),
    pickle.BINBYTES8: lambda u: u.take(u.number("Q")),
    pickle.BYTEARRAY8: lambda u: bytearray(u.take(u.number("Q"))),
    pickle.BINGET: lambda u: u.memo[u.number("B")],
    pickle.LONG_BINGET: lambda u: u.memo[u.number("I")],
    pickle.GLOBAL: lambda u: u.find(u.line(), u.line()),
    pickle.TUPLE: lambda u: tuple(u.to_mark()),
    pickle.LIST: lambda u: u.to_mark(),
    pickle.FROZENSET: lambda u: frozenset(u.to_mark()),
    pickle.BINPERSID: lambda u: u.persistent(u.stack.pop()),
}.items():
    _decoded(_code, _decode)


@_on(pickle.PROTO)
def _proto(u: Unpickler) -> None:
    if u.number("B") > 5:
        raise _broken("a pickle protocol later than 5")


@_on(pickle.FRAME)
def _frame(u: Unpickler) -> None:
    u.take(8)


@_on(pickle.STACK_GLOBAL)
def _stack_global(u: Unpickler) -> None:
    name, module = u.stack.pop(), u.stack.pop()
    u.push(u.find(module, name))


@_on(pickle.BINPUT)
def _binput(u: Unpickler) -> None:
    u.memo[u.number("B")] = u.stack[-1]


@_on(pickle.LONG_BINPUT)
def _long_binput(u: Unpickler) -> None:
    u.memo[u.number("I")] = u.stack[-1]


@_on(pickle.MEMOIZE)
def _memoize(u: Unpickler) -> None:
    u.memo[len(u.memo)] = u.stack[-1]


def _tuple_of(count: int) -> Callable[[Unpickler], None]:
    def step(u: Unpickler) -> None:
        items = tuple(u.stack[len(u.stack) - count :])
        del u.stack[len(u.stack) - count :]
        u.push(items)

    return step


for _code, _count in {pickle.TUPLE1: 1, pickle.TUPLE2: 2, pickle.TUPLE3: 3}.items():
    _STEPS[_code] = _tuple_of(_count)


@_on(pickle.POP)
def _pop(u: Unpickler) -> None:
    u.stack.pop()


@_on(pickle.POP_MARK)
def _pop_mark(u: Unpickler) -> None:
    u.to_mark()


@_on(pickle.APPEND)
def _append(u: Unpickler) -> None:
    item = u.stack.pop()
    u.container(list, u.stack[-1]).append(item)


@_on(pickle.APPENDS)
def _appends(u: Unpickler) -> None:
    items = u.to_mark()
    u.container(list, u.stack[-1]).extend(items)


@_on(pickle.SETITEM)
def _setitem(u: Unpickler) -> None:
    value, key = u.stack.pop(), u.stack.pop()
    u.container(dict, u.stack[-1])[key] = value


@_on(pickle.SETITEMS)
def _setitems(u: Unpickler) -> None:
    items = u.to_mark()
    u.container(dict, u.stack[-1]).update(zip(items[::2], items[1::2]))


@_on(pickle.ADDITEMS)
def _additems(u: Unpickler) -> None:
    items = u.to_mark()
    u.container(set, u.stack[-1]).update(items)


@_on(pickle.REDUCE)
def _reduce(u: Unpickler) -> None:
    args, fn = u.stack.pop(), u.stack.pop()
    u.push(u.call(fn, args))


@_on(pickle.NEWOBJ)
def _newobj(u: Unpickler) -> None:
    args, kind = u.stack.pop(), u.stack.pop()
    u.push(u.make(kind, args))


@_on(pickle.BUILD)
def _build(u: Unpickler) -> None:
    state = u.stack.pop()
    u.build(state)
