"""Locations of the code of called objects."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from ..nn.modules.module import Module

__all__ = ["Where", "where"]


class Where(NamedTuple):
    """A function's name, its file, and its first line (0 for a function of C)."""

    name: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.name} ({self.file}:{self.line})" if self.line else self.name


def where(f: Any) -> Where:
    """Returns the location of a function's code; for a module that of its forward, under the name of its class; for
    an object that of its `__call__`."""
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
