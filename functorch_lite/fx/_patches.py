"""Functions that are replaced while a program is traced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Patcher"]

_ABSENT = object()


class Patcher:
    """A context at whose end everything that was replaced is as it was."""

    def __init__(self) -> None:
        self.undo: list[Callable[[], None]] = []
        self.visited: set[int] = set()

    def __enter__(self) -> Patcher:
        return self

    def __exit__(self, *exception: object) -> None:
        while self.undo:
            self.undo.pop()()
        self.visited.clear()

    def patch(self, scope: dict[str, Any], name: str, new: Any) -> None:
        """Replaces an entry of a dict."""
        old = scope.get(name, _ABSENT)

        def undo() -> None:
            if old is _ABSENT:
                del scope[name]
            else:
                scope[name] = old

        self.undo.append(undo)
        scope[name] = new

    def patch_method(self, cls: type, name: str, new: Any) -> None:
        """Replaces an attribute of a class."""
        old = vars(cls).get(name, _ABSENT)

        def undo() -> None:
            if old is _ABSENT:
                delattr(cls, name)
            else:
                setattr(cls, name, old)

        self.undo.append(undo)
        setattr(cls, name, new)

    def visit_once(self, thing: Any) -> bool:
        """Returns whether this is the first visit of this object."""
        seen = id(thing) in self.visited
        self.visited.add(id(thing))
        return not seen
