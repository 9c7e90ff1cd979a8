"""A Guard: comparisons that are made at each replayed call, as one function whose text is generated.

Each is `is`, or runs in C alone: about 15 ns, where a loop over them in Python takes ten times as long.
"""

from __future__ import annotations

import types
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["ABSENT", "Guard", "same"]

ABSENT = object()
_COMPARED = frozenset((bool, int, float, complex, str, bytes, range, slice))
"""Types of values that may be another object and the same."""
_AT_ONCE = 200
"""Comparisons in one expression."""


def same(a: Any, b: Any) -> bool:
    """Returns whether two immutable values are equal, including sign and type."""
    kind = type(a)
    return a is b or (kind is type(b) and kind in _COMPARED and a == b and (a != 0 or repr(a) == repr(b)))


class Guard:
    """Comparisons, noted one by one while what they compare is as it should be; `holds()` after `close()` makes them
    all.

    A value that was replaced by an equal one (`same`) is the same: the comparison is with the new one from then on.
    """

    def __init__(self) -> None:
        self._terms: list[str] = []
        self._objects: dict[str, Any] = {"get": dict.get, "absent": ABSENT}
        self._names: dict[int, str] = {}
        self._replaceable: list[tuple[str, Callable[[], Any]]] = []
        self._check: Callable[[], bool] | None = None

    def entry(self, own: Any, key: str, value: Any) -> None:
        """Adds the check that an entry of a dict, or of a mapping proxy, is `value`; for ABSENT, that the entry does
        not exist."""
        d = self._name(own)
        if value is ABSENT:
            self._terms.append(
                f"{key!r} not in {d}" if type(own) in _PLAIN else f"get({d}, {key!r}, absent) is absent"
            )
            return
        read = f"{d}[{key!r}]" if type(own) in _PLAIN else f"get({d}, {key!r}, absent)"
        get = own.get if isinstance(own, types.MappingProxyType) else lambda k, a: dict.get(own, k, a)
        self._is(read, value, lambda: get(key, ABSENT))

    def attribute(self, x: Any, name: str, value: Any) -> None:
        """Adds the check `x.<name> is value`."""
        self._is(f"{self._name(x)}.{name}", value, lambda: getattr(x, name))

    def is_false(self, x: Any, name: str) -> None:
        """Adds the check that an attribute is None, or empty."""
        self._terms.append(f"not {self._name(x)}.{name}")

    def item(self, x: Sequence, k: int, value: Any) -> None:
        """Adds the check that an item of a list, or of a tuple, is `value`."""
        self._is(f"{self._name(x)}[{k}]", value, lambda: x[k])

    def length(self, x: Any) -> None:
        """Adds the check that `x` is as long as it is now."""
        name, n = self._name(x), len(x)
        self._terms.append(f"not {name}" if not n and type(x) in _PLAIN else f"len({name}) == {n}")

    def order(self, x: dict[str, Any]) -> None:
        """Adds the check that the keys of `x`, which are strings, are in the order in which they are now."""
        self._terms.append(f"tuple({self._name(x)}) == {self._name(tuple(x))}")

    def kind(self, x: Any) -> None:
        """Adds the check that `x` is of the class of which it is now."""
        self._terms.append(f"type({self._name(x)}) is {self._name(type(x))}")

    def close(self) -> None:
        """Ends the noting."""
        terms = self._terms
        parts = [" and ".join(terms[k : k + _AT_ONCE]) for k in range(0, len(terms), _AT_ONCE)]
        lines = [f"  if not ({part}):\n   return False" for part in parts]
        text = "\n".join(
            [
                "def check():",
                " try:",
                *(lines or ["  pass"]),
                " except (KeyError, IndexError, AttributeError, ValueError):",
                "  return False",
                " return True",
            ]
        )
        exec(text, self._objects)
        self._check = self._objects["check"]
        del self._terms, self._names

    def holds(self) -> bool:  # hot path
        """Returns whether all is as it was."""
        return self._check() or (self._replace() and self._check())  # type: ignore[misc]

    def _name(self, x: Any) -> str:
        name = self._names.get(id(x))
        if name is None:
            name = self._names[id(x)] = f"o{len(self._objects)}"
            self._objects[name] = x
        return name

    def _is(self, read: str, value: Any, now: Callable[[], Any]) -> None:
        if type(value) in _COMPARED:
            name = f"v{len(self._objects)}"  # its own, for it may be replaced
            self._objects[name] = value
            self._replaceable.append((name, now))
        else:
            name = self._name(value)
        self._terms.append(f"{read} is {name}")

    def _replace(self) -> bool:
        """Replaces the stored values by equal values that are different objects; returns whether any were replaced."""
        found = False
        for name, now in self._replaceable:
            was = self._objects[name]
            try:
                value = now()
            except (KeyError, IndexError, AttributeError, ValueError):
                return False
            if value is not was and same(was, value):
                self._objects[name], found = value, True
        return found


_PLAIN: tuple[type, ...] = (dict, OrderedDict, types.MappingProxyType)
"""Mappings whose reading runs no code of anybody's; `readable` adds to them."""


def readable(kind: type) -> None:
    """Says that reading a subclass of dict runs no code of Python's."""
    global _PLAIN
    _PLAIN = (*_PLAIN, kind)
