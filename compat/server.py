"""Modules that a fork server imports under the drop-in: `functorch_lite.compat.server.NAME` is the module `NAME`,
imported after the drop-in was installed.

The list of a server's modules holds names only, and the server ignores ImportError. Where it does not find this
library, it therefore imports nothing, and each child imports for itself.
"""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from functorch_lite.compat.install import install_as_torch

__all__: list[str] = []

__path__: list[str] = []

install_as_torch()


class _Finder:
    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if not name.startswith(f"{__name__}."):
            return None
        importlib.import_module(name[len(__name__) + 1 :])
        return ModuleSpec(name, _Loader, is_package=True)  # type: ignore[arg-type]


class _Loader:
    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType:
        return ModuleType(spec.name)

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Nothing to run: the module of that name is imported already."""


sys.meta_path.insert(0, _Finder)  # type: ignore[arg-type]
