"""Places where the code of something that is called stands."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from ..nn.modules.module import Module

__all__ = ["Where", "where"]


class Where(NamedTuple):
    """A function's name, the file that it stands in, and the line where it begins (0 for one of C's)."""

    name: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.name} ({self.file}:{self.line})" if self.line else self.name


def where(f: Any) -> Where:
    """Returns where the code of a function stands; for a module its forward's, under the name of its class; for an
    object its `__call__`'s."""
    name = getattr(f, "__name__", "")
    while isinstance(f, functools.partial):
        f = f.func
        name = name or getattr(f, "__name__", "")
    owner = getattr(f, "__self__", None)
    if isinstance(owner, Module) and name == "_call_impl":  # see Module.compile
        f, name = owner, ""
    if not name:
        name = type(f).__name__
        f = type(f).forward if isinstance(f, Module) else type(f).__call__
    code = getattr(f, "__code__", None)
    return Where(name, "", 0) if code is None else Where(name, code.co_filename, code.co_firstlineno)
