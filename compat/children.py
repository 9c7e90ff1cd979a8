"""The drop-in in child processes: a process started by a program that runs on the drop-in `torch` has it too.

`multiprocessing` sends a new process a dict of preparation data, and the process unpickles this dict first: before it
runs the main script, and before it unpickles the target. `hook` adds an entry whose unpickling installs the drop-in.
Packages that copied `multiprocessing` (joblib's loky, `multiprocess`, `billiard`) do the same in modules of their own.

A fork server imports modules before it forks. It imports them under the drop-in as well: see `server.py`.
"""

from __future__ import annotations

import functools
import os
import sys
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

__all__ = ["SPAWNERS", "hook", "restore_module"]

SPAWNERS = (
    "multiprocessing.spawn",
    "joblib.externals.loky.backend.spawn",
    "loky.backend.spawn",
    "multiprocess.spawn",
    "billiard.spawn",
)
"""Modules whose `get_preparation_data` returns what a new process unpickles first."""

SERVER = "functorch_lite.compat.server"

_FOR_SERVER = "ignore"
"""The name of the process for which a fork server's preparation data are computed."""


class InstallInChild:
    """Unpickles as a call that installs the drop-in.

    The new process has its own `sys.path` at that time, which may lack the library's folder: `prepare` sets the
    parent's later. So the parent's goes along.
    """

    def __reduce__(self) -> tuple:
        path = [os.path.abspath(p) for p in sys.path]
        return exec, (f"import sys; sys.path = {path!r}; import {__name__} as c; c.install()",)


def install() -> None:
    """Installs the drop-in, in a child process."""
    from functorch_lite.compat.install import install_as_torch  # it imports this file

    install_as_torch()


def restore_module(name: str) -> ModuleType:
    """Returns the module `torch…` of this name in the process that unpickles it, where it installs the drop-in first."""
    import importlib

    install()
    return importlib.import_module(name)


def hook() -> None:
    """Adds the entry to the preparation data of each module of SPAWNERS: now if it is imported, else once it is."""
    for name in SPAWNERS:
        if name in sys.modules:
            _wrap(sys.modules[name])
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)  # type: ignore[arg-type]


def _wrap(module: ModuleType) -> None:
    original = getattr(module, "get_preparation_data", None)
    if original is None or hasattr(original, "_has_drop_in"):
        return

    @functools.wraps(original)
    def get_preparation_data(name: str, *args: Any, **kwargs: Any) -> dict[str, Any]:
        data = original(name, *args, **kwargs)
        if name == _FOR_SERVER:
            _preload_under_the_drop_in(sys.modules.get(module.__name__.replace("spawn", "forkserver")))
        else:
            data["functorch_lite"] = InstallInChild()
        return data

    get_preparation_data._has_drop_in = True  # type: ignore[attr-defined]
    module.get_preparation_data = get_preparation_data  # type: ignore[attr-defined]


def _preload_under_the_drop_in(forkserver: Any) -> None:
    """Makes a fork server that is about to start import its modules by way of `server.py`.

    The main script is left to the children: the server would run it before any module of the list.
    """
    server = getattr(forkserver, "_forkserver", None)
    if server is None:
        return
    asked = [name for name in server._preload_modules if name != "__main__" and not name.startswith(SERVER)]
    server._preload_modules = [SERVER, *(f"{SERVER}.{name}" for name in asked)]


class _Finder:
    """Wraps a module of SPAWNERS once it has been imported."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name not in SPAWNERS:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                run(module)
                _wrap(module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
