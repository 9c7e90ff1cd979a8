"""What a module's names are, for tests/test_names.py and for the record of PyTorch's (tests/golden/make_names.py)."""

from __future__ import annotations

import inspect
import sys
from typing import Any

__all__ = ["by_kind", "kind", "star"]


def star(module: str) -> dict[str, Any]:
    """What `from module import *` binds, or would if each name that the module lists were there (torch.sparse lists one
    that is not)."""
    space: dict[str, Any] = {}
    try:
        exec(f"from {module} import *", space)
    except AttributeError:
        it = sys.modules[module]
        space.update({name: getattr(it, name) for name in it.__all__ if hasattr(it, name)})
    space.pop("__builtins__", None)
    return space


def kind(x: Any) -> str:
    """module, class, function (whatever can be called, but for the names of types) or value."""
    if inspect.ismodule(x):
        return "module"
    if inspect.isclass(x):
        return "class"
    return "function" if callable(x) and type(x).__module__ != "typing" else "value"


def by_kind(names: dict[str, Any]) -> dict[str, str]:
    """The names of each kind, in one string."""
    found: dict[str, list[str]] = {}
    for name in sorted(names):
        found.setdefault(kind(names[name]), []).append(name)
    return {k: " ".join(v) for k, v in sorted(found.items())}
