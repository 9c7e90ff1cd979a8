"""The arguments of a module's forward by name."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

__all__ = ["MOST", "named_arguments"]

MOST = 1 << 62
"""The size that none exceeds."""


def named_arguments(mod: Any, args: tuple, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a module's forward by its parameters' names; `*args` are a tuple."""
    bound = inspect.signature(mod.forward).bind(*args, **kwargs)
    kinds = {p.name: p.kind for p in bound.signature.parameters.values()}
    found: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        found.update(value if kinds[name] is inspect.Parameter.VAR_KEYWORD else {name: value})
    return found
