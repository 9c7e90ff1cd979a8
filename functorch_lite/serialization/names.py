"""Maps between PyTorch's names and this library's: files contain PyTorch's, which include the PyTorch module of a
class or function."""

from __future__ import annotations

import importlib
import pickle
from functools import cache
from typing import Any

from .. import api_names

__all__ = ["ours", "theirs"]

_OURS = {
    "torch._C.Generator": ("functorch_lite", "Generator"),
    "torch._C.TensorBase": ("functorch_lite", "Tensor"),
    "torch._C._VariableFunctionsClass": ("functorch_lite", ""),  # whose attributes are asked for by getattr
    "torch._C._nn.gelu": ("functorch_lite.nn.functional", "gelu"),
}
"""Places, here, of what has another name than its place in PyTorch says: (module, name)."""

_THEIRS = {
    "nn.modules.attention": "torch.nn.modules.activation",
    "nn.modules.parameter_containers": "torch.nn.modules.container",
    "nn.modules.rnn_cells": "torch.nn.modules.rnn",
    "optim.schedule_base": "torch.optim.lr_scheduler",
    "optim.schedule_cycles": "torch.optim.lr_scheduler",
    "optim.schedules": "torch.optim.lr_scheduler",
}
"""Files of ours whose contents are in one of PyTorch's."""


def ours(module: str, name: str) -> Any:
    """Returns this library's object for `name` of PyTorch's `module`; it may be in a different file, but not in a
    different package.

    Raises UnpicklingError if there is none.
    """
    full = f"{module}.{name}"
    if full in _OURS:
        return _within(*_OURS[full])
    find_source = importlib.import_module("functorch_lite.compat.namespace").find_source
    for place in (module, module.rpartition(".")[0]):
        source = find_source(place) if place else None
        found = None if source is None else _within(source, name)
        if found is not None:
            return found
    why = api_names.what_is_missing(module, name)
    raise pickle.UnpicklingError(
        f"torch.load: the file names {full}, which this library does not have{'' if why is None else f': {why}'}. What the file makes of it cannot be made here: "
        "save state_dict()s, tensors and plain values with PyTorch, and load those"
    )


def theirs(module: str, name: str) -> tuple[str, str] | None:
    """The module and name in PyTorch of what is `name` in our `module`; None for what PyTorch has not."""
    inside = module.removeprefix("functorch_lite").removeprefix(".")
    if inside in _THEIRS:
        return _THEIRS[inside], name
    twin = f"torch.{inside}" if inside else "torch"
    first = name.partition(".")[0]
    if inside.startswith("optim.") and first in _listed("torch.optim") and first not in _IN_PACKAGE:
        return f"torch.optim.{first.lower()}", name
    if inside == "amp.grad_scaler" or (inside.startswith("nn.modules.") and inside != "nn.modules.lazy"):
        return twin, name
    thing = _within(module, name)
    while twin:
        if first in _listed(twin) and _within(f"functorch_lite{twin[len('torch') :]}", name) is thing:
            return twin, name
        twin = twin.rpartition(".")[0]
    return None


_IN_PACKAGE = ("Adafactor", "Muon")
"""Optimizers that PyTorch says are in torch.optim itself."""


@cache
def _listed(module: str) -> set[str]:
    return {
        n for section, there in api_names.names().items() if section.split(" ")[0] == module for n in there
    }


def _within(module: str, path: str) -> Any:
    found: Any = importlib.import_module(module)
    for part in path.split(".") if path else ():
        found = getattr(found, part, None)
    return found
