"""What `load(weights_only=False)` finds besides: classes of modules that are loaded, and the functions that their attributes hold.

A module that is not loaded is not imported, since that would run its code: the user is told to import it.
"""

from __future__ import annotations

import importlib
import pickle
import sys
import types
from typing import Any

__all__ = ["base", "module_class"]

_RENAMED = {
    "torch.nn.modules.linear.NonDynamicallyQuantizableLinear": "Linear",
    "torch._C._nn.gelu": "functional.gelu",
}
"""What PyTorch's modules name that is called otherwise here, in `torch.nn`."""


def base() -> type:
    """nn.Module, whose subclasses may be made."""
    return importlib.import_module("functorch_lite.nn").Module


def module_class(module: str, name: str) -> Any:
    """A class of modules, or a function of torch.nn.functional, that a file names; None for anything else.

    Raises UnpicklingError for a name in a module that is not loaded, or that this library or the loaded module lacks.
    """
    full = f"{module}.{name}"
    if module == "torch" or module.startswith("torch."):
        path = _RENAMED.get(full)
        found = _within("functorch_lite.nn", path) if path else _of_library(module, name)
    elif module in sys.modules:
        found = _within(module, name)
        if found is None:
            raise pickle.UnpicklingError(
                f"torch.load: the file names the class {name} of the module {module}, which has none of that name"
            )
    else:
        raise pickle.UnpicklingError(
            f"torch.load: the file names {name} of the module {module}, which is not loaded. If you trust it, `import {module}` first; "
            "nothing is imported, or run, because a file asks for it"
        )
    if isinstance(found, type) and issubclass(found, base()):
        return found
    if isinstance(found, types.FunctionType) and module in ("torch.nn.functional", "torch._C._nn"):
        return found  # as a value: a file may not call it
    if found is None and module.startswith("torch.nn."):
        raise pickle.UnpicklingError(f"torch.load: the file names {full}, which is not here")
    return None


def _of_library(module: str, name: str) -> Any:
    """The place may be another file than PyTorch's: all public layers are in torch.nn too."""
    here = "functorch_lite" + module[len("torch") :]
    found = _within(here, name) if here in sys.modules else None
    if found is None and module.startswith("torch.nn.modules."):
        found = _within("functorch_lite.nn", name)
    return found


def _within(module: str, path: str) -> Any:
    found: Any = sys.modules[module]
    for part in path.split("."):
        found = getattr(found, part, None) if not part.startswith("__") else None
    return found
