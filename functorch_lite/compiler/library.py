"""Names that the library's code of a module's class reads: attributes of the module, functions that may be patched."""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Iterable
from typing import Any

from .._core.api import OURS, kind_of
from ..nn.modules.module import Module

__all__ = ["file_of", "names_of", "patchable_of"]


def file_of(kind: type) -> str:
    """The file in which a class is defined; "" if it has none, as for classes of C."""
    return getattr(sys.modules.get(kind.__module__), "__file__", None) or ""


def names_of(kind: type, asked: Iterable[str]) -> frozenset[str]:
    """The names that the library's code of a module's class uses: in `forward`, in properties, and in the functions
    that these call."""
    functions = _functions_of(kind)
    return _reached(kind, frozenset(functions.keys() & asked))


@functools.cache
def _functions_of(kind: type) -> dict[str, types.CodeType]:
    """The code of the functions and properties that a module's class has from the library, but not of Module."""
    found: dict[str, types.CodeType] = {}
    for c in kind.__mro__:
        if c is Module:
            break
        if kind_of(file_of(c)) == OURS:
            for name, f in c.__dict__.items():
                f = getattr(f, "fget", getattr(f, "__func__", f))
                if isinstance(f, types.FunctionType):
                    found.setdefault(name, f.__code__)
    return found


@functools.cache
def _reached(kind: type, asked: frozenset[str]) -> frozenset[str]:
    functions = _functions_of(kind)
    special = [n for n in functions if n[:2] == "__" and n not in _NOT_IN_CALLS]
    names, left = {"training", "forward"}, ["forward", *asked, *special]
    while left:
        code = functions.get(left.pop())
        if code is not None:
            new = _names_in(code) - names
            names |= new
            left += new
    return frozenset(names)


def _names_in(code: types.CodeType) -> set[str]:
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return set(code.co_names).union(*map(_names_in, inner))


_NOT_IN_CALLS = frozenset(
    ("__init__", "__new__", "__init_subclass__", "__repr__", "__dir__", "__getstate__", "__setstate__")
)
"""Special methods that making, showing and copying a module runs, not calling one."""


@functools.cache
def patchable_of(kind: type) -> list[tuple[Any, tuple[str, ...]]]:
    """The methods that a module's class has of the library, and the functions that these call: (a dict, names in
    it)."""
    found: dict[int, tuple[Any, dict[str, None]]] = {}

    def note(own: Any, names: Iterable[str]) -> None:
        found.setdefault(id(own), (own, {}))[1].update(dict.fromkeys(names))

    left = ["forward"]
    asked = set(left)
    while left:
        name = left.pop()
        for c in kind.__mro__:
            f = c.__dict__.get(name)
            if kind_of(file_of(c)) != OURS or not isinstance(f, types.FunctionType):
                continue
            note(c.__dict__, [name])
            if c is not Module:
                called, known = f.__code__.co_names, f.__globals__
                note(known, [n for n in called if n in known])
                for m in [known[n] for n in called if isinstance(known.get(n), types.ModuleType)]:
                    note(m.__dict__, [n for n in called if n in m.__dict__])
                left += [n for n in called if n not in asked]
                asked.update(called)
    note(Module.__dict__, ("__call__", "_call_impl", "_call_with_hooks", "__getattr__"))
    return [(own, tuple(names)) for own, names in found.values() if names]
