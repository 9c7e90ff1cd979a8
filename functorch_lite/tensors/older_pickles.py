"""Modules of `tensors` under the names that pickles of 0.1 have for them, when the package was called `compose`."""

from __future__ import annotations

import sys

from . import data, settings, shape, types

__all__ = ["MODULES"]

MODULES = {"creation": data, "pieces": shape, "reading": types, "settings": settings, "statistics": types}
"""Modules whose functions are pickled by their own module's name, by its older name."""

for _name, _module in MODULES.items():
    sys.modules[f"functorch_lite.compose.{_name}"] = _module
sys.modules["functorch_lite.compose"] = sys.modules[__package__]
