"""Pickles of files that the caller trusts: Python's own reader, which imports and calls what they name, with PyTorch's
names for this library's."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from .._core.api import Tensor, share_tensor
from .names import ours
from .rebuilding import KNOWN, STORAGE_KINDS, Reader, StorageKind

__all__ = ["read_trusted"]


def _rebuild_from_type(function: Any, kind: type, args: tuple, state: Any) -> Tensor:
    """torch._tensor._rebuild_from_type_v2: a tensor of any class, and its attributes."""
    t = function(*args)
    if type(t) is not kind and kind is not Tensor:
        wanted = t.requires_grad
        t = share_tensor(kind, t)
        t.requires_grad_(wanted)  # type: ignore[attr-defined]
    own = getattr(kind, "__setstate__", None)
    if own is not None and own is not getattr(Tensor, "__setstate__", None):
        own(t, state)
        return t
    for part in state if isinstance(state, tuple) else (state,):
        for name, value in (part or {}).items():
            setattr(t, name, value)
    return t


def _named_result(kind: type) -> Callable:
    """Makes the constructor of a class of torch.return_types: it takes the values, and more that PyTorch's classes may
    have."""
    return lambda values, more=None: kind(*values)


def _rebuild_parameter_with_state(data: Any, requires_grad: bool, hooks: Any, state: Any) -> Tensor:
    """torch._utils._rebuild_parameter_with_state."""
    made = KNOWN["torch._utils._rebuild_parameter"](data, requires_grad)
    return _rebuild_from_type(lambda: made, type(made), (), state)


_TRUSTED = {
    **KNOWN,
    "torch._tensor._rebuild_from_type_v2": _rebuild_from_type,
    "torch._utils._rebuild_parameter_with_state": _rebuild_parameter_with_state,
}


def read_trusted(pickled: bytes, reader: Reader, pickle_module: Any, how: dict[str, Any]) -> Any:
    """The object of a pickle. pickle_module: whose Unpickler reads it; how: its further arguments.

    Raises UnpicklingError for a name of PyTorch's that this library lacks, and whatever what it calls raises.
    """

    class Trusting(pickle_module.Unpickler):
        def find_class(self, module: str, name: str) -> Any:
            full = f"{module}.{name}"
            if full in STORAGE_KINDS:
                return StorageKind(STORAGE_KINDS[full])
            if full in _TRUSTED and module.partition(".")[0] == "torch":
                return _TRUSTED[full]
            if module == "torch.return_types":
                return _named_result(ours(module, name))
            if module.partition(".")[0] in ("torch", "functorch"):
                return ours(module, name)
            return super().find_class(module, name)

        def persistent_load(self, pid: Any) -> Any:
            return reader.persistent(pid)

    return Trusting(io.BytesIO(pickled), **how).load()
