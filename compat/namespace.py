"""Modules that show the library under torch's names.

`torch.a.b` is a thin module in front of `functorch_lite.a.b`: it looks names up there, remembers what it found, and
knows nothing else. So an unmodified program sees `torch.__name__ == "torch"`, a spec, a version, and torch's own
AttributeError.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import importlib.util
import pkgutil
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from functorch_lite._core.api import Namespace, functions
from functorch_lite.api_names import MODULES, NotHere, what_is_missing
from functorch_lite.compat.children import restore_module

__all__ = ["Mirror", "find_source", "nearest"]

ROOTS = {"torch": "functorch_lite", "functorch": "functorch_lite.compat.functorch"}

NOT_TORCH = frozenset({"_core", "compat", "debug", "demo", "set_log", "synchronize", "tensors"})
"""Parts of functorch_lite that torch has not, or has with another meaning."""

ELSEWHERE = {"torch.ops": "functorch_lite._ops"}
"""Modules of torch that have another name here, as functorch_lite has another module of theirs: functorch_lite.ops
declares the ops."""


class Names(dict):
    """All names of a Mirror, as `vars()` has them; what is written here is set on the module."""

    def __init__(self, module: Mirror, names: dict[str, Any]):
        super().__init__(names)
        self.module = module

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self.module, name, value)
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        super().__delitem__(name)
        delattr(self.module, name)

    def update(self, *args: Any, **kwargs: Any) -> None:
        for name, value in dict(*args, **kwargs).items():
            self[name] = value


_own = ModuleType.__dict__["__dict__"].__get__
"""Returns the dict of a Mirror itself: what it found so far."""


class Mirror(ModuleType):
    """A module named `torch…` in front of one of the library's."""

    def __init__(self, name: str, source: ModuleType):
        super().__init__(name, source.__doc__)
        own = _own(self)
        own["_source"] = source
        own["_hidden"] = (NOT_TORCH | _beyond(source)) - {"ops"} if name == "torch" else frozenset()
        self.__path__: list[str] = []  # submodules are found by the finder, never in a folder

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        names = dict(_own(self))
        for name in dir(self):
            if name not in names and not name.startswith("_") and hasattr(self, name):
                names[name] = getattr(self, name)
        return Names(self, names)

    def __getattr__(self, name: str) -> Any:
        known = name.startswith("__") or name not in self._hidden
        if known:
            try:
                found = getattr(self._source, name)
            except AttributeError:
                found = None if name.startswith("__") else self._submodule(name) or self._refusing(name)
                known = found is not None
        if not known:
            raise _error(self, name)
        if isinstance(found, Namespace):  # by which the library's own files call its functions
            found = importlib.import_module(found._name if found._name == "torch" else f"torch.{found._name}")
        elif isinstance(found, ModuleType):
            return self._submodule(name) or found
        if callable(found) and not name.startswith("__"):
            _own(self)[name] = found
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(
            value, Mirror
        ):  # the import system's: a function of the submodule's name stays, as in torch
            kept = getattr(self._source, name, None)
            if kept is None or isinstance(kept, ModuleType):
                _own(self)[name] = value
            return
        _own(self)[name] = value
        if name.startswith("__"):
            return
        setattr(self._source, name, value)
        if not callable(value):
            del _own(self)[name]  # plain settings live in one place

    def __delattr__(self, name: str) -> None:
        _own(self).pop(name, None)
        if hasattr(self._source, name):
            delattr(self._source, name)

    def __dir__(self) -> list[str]:
        there = dir(self._source)
        return sorted({*there, *_own(self)} - {"_source", "_hidden", *self._hidden})

    @property
    def __all__(self) -> list[str]:
        listed = getattr(self._source, "__all__", None)
        return [n for n in dir(self) if not n.startswith("_")] if listed is None else list(listed)

    def __repr__(self) -> str:
        return f"<module '{self.__name__}' (functorch_lite in place of PyTorch)>"

    def __reduce__(self) -> tuple:
        return restore_module, (self.__name__,)

    def _submodule(self, name: str) -> ModuleType | None:
        full = f"{self.__name__}.{name}"
        return importlib.import_module(full) if find_source(full) else None

    def _refusing(self, name: str) -> Any:
        """A name of torch.distributed's that raises where it is called; None for others."""
        if not self.__name__.startswith("torch.distributed."):
            return None
        return getattr(importlib.import_module("functorch_lite.distributed.sharded"), name, None)


@functools.lru_cache(4096)  # programs ask `hasattr` for the same names again and again
def _told(module: Mirror, name: str) -> tuple[type[AttributeError], str]:
    """Returns the error for an unknown name, and its text."""
    text = f"module '{module.__name__}' has no attribute '{name}'"
    why = None if name.startswith("__") else what_is_missing(module.__name__, name)
    if why is not None:
        return NotHere, f"{text}: {why}"
    near = difflib.get_close_matches(name, dir(module), 1, 0.75)
    return (
        AttributeError,
        f"{text}. functorch_lite does not have it{f'; the nearest it has is {near[0]!r}' if near else ''}",
    )


def _error(module: Mirror, name: str) -> AttributeError:
    kind, text = _told(module, name)
    return kind(text)


def _beyond(source: ModuleType) -> frozenset[str]:
    """The names of the library's own root that are not torch's: what it imports for itself, and functions that torch
    has not."""
    return frozenset(
        {n for n in (*vars(source), *dir(functions)) if not n.startswith("_")} - set(dir(source))
    )


@functools.lru_cache(4096)
def find_source(name: str) -> str | None:
    """The library's module behind torch's module `name`; None when there is none."""
    if name in ROOTS:
        return ROOTS[name]
    parent, _, last = name.rpartition(".")
    source = ELSEWHERE.get(name)
    if source is None:
        above = find_source(parent) if parent else None
        if above is None or (parent == "torch" and last in NOT_TORCH):
            return None
        source = f"{above}.{last}"
    try:
        found = importlib.util.find_spec(source) is not None
    except ModuleNotFoundError:  # its parent is no package
        found = False
    return source if found or source in sys.modules else None  # some make the modules inside of them


def nearest(name: str) -> str:
    """A sentence about what there is instead of the missing module `name`."""
    parent, _, last = name.rpartition(".")
    if name in MODULES or parent == "torch._C":
        return MODULES.get(name, MODULES["torch._C"])
    above = find_source(parent)
    if above is None:
        return nearest(parent)
    siblings = {m.name for m in pkgutil.iter_modules(getattr(importlib.import_module(above), "__path__", ()))}
    siblings = {n for n in siblings if not n.startswith("_")}
    if parent == "torch":
        siblings = (siblings - NOT_TORCH) | {
            "nn",
            "optim",
        }  # which an editable install keeps in other folders
    close = difflib.get_close_matches(last, siblings, 1, 0.5)
    if close:
        return f"The nearest it has is '{parent}.{close[0]}'."
    return f"'{parent}' has {', '.join(sorted(siblings)) or 'no submodules'}."


def spec_of(name: str, loader: Any) -> ModuleSpec:
    """The import system's description of a Mirror."""
    return ModuleSpec(name, loader, origin="functorch_lite", is_package=True)
