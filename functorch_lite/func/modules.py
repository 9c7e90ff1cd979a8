"""Modules as functions: functional_call and stack_module_state."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from .._core.bind import functions as torch
from .._core.tensor import Tensor

__all__ = ["functional_call", "stack_module_state"]


def functional_call(
    module,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: dict | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
):
    """Calls module with its parameters and buffers replaced by the tensors in a dict (or several dicts, searched together).

    tie_weights: a replaced tensor is replaced wherever the module uses it. strict: the names must be exactly the module's.
    The module is as it was afterwards; buffers that the call updates in place are updated in the dict's tensors.
    """
    if isinstance(parameter_and_buffer_dicts, dict):
        tensors = dict(parameter_and_buffer_dicts)
    elif isinstance(parameter_and_buffer_dicts, Sequence):
        if not all(isinstance(d, dict) for d in parameter_and_buffer_dicts):
            raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
        names = [k for d in parameter_and_buffer_dicts for k in d]
        repeated = [k for k in dict.fromkeys(names) if names.count(k) > 1]
        if repeated:
            raise ValueError(
                f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous"
            )
        tensors = {k: v for d in parameter_and_buffer_dicts for k, v in d.items()}
    else:
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(parameter_and_buffer_dicts)}"
        )
    with _replaced(module, tensors, tie_weights, strict):
        args = () if args is None else args if isinstance(args, tuple) else (args,)
        return module(*args, **(kwargs or {}))


@contextlib.contextmanager
def _replaced(module, tensors: dict[str, Any], tie_weights: bool, strict: bool) -> Iterator[None]:
    homes = _homes(module)
    unknown = [k for k in tensors if k not in homes]
    if strict:
        missing = [k for k in homes if k not in tensors and not (tie_weights and _is_tied(homes, k, tensors))]
        if unknown or missing:
            parts = []
            if unknown:
                parts.append("Unexpected key(s): " + ", ".join(map(repr, unknown)) + ".")
            if missing:
                parts.append("Missing key(s): " + ", ".join(map(repr, missing)) + ".")
            raise RuntimeError(
                f"Error(s) in loading state_dict for {type(module).__name__}:\n\t" + "\n\t".join(parts)
            )
    for k in unknown:
        raise AttributeError(f"{type(module).__name__} has no parameter or buffer named `{k}`")
    chosen = {homes[k]: v for k, v in tensors.items()}
    if tie_weights:
        for k, v in tensors.items():
            owner = homes[k]
            tensor = _get(owner)
            for other in homes.values():
                if other != owner and tensor is not None and _get(other) is tensor:
                    if other in chosen and chosen[other] is not v and not _named(homes, other, tensors):
                        raise ValueError(f"functional_call got multiple values for keys that are tied to {k}")
                    chosen.setdefault(other, v)
    undo = []
    try:
        for home, value in chosen.items():
            undo.append((home, _get(home)))
            _set(home, value)
        yield
    finally:
        for home, value in reversed(undo):
            _set(home, value)


def _homes(module) -> dict[str, Any]:
    """Where each parameter and buffer is kept: name -> (dict, key) of the module that owns it."""
    homes = {}
    for prefix, sub in module.named_modules(remove_duplicate=False):
        dot = f"{prefix}." if prefix else ""
        for store in (sub._parameters, sub._buffers):
            for key in store:
                homes[dot + key] = _Home(sub, store, key)
    return homes


class _Home:
    __slots__ = ("key", "module", "store")

    def __init__(self, module, store: dict, key: str):
        self.module, self.store, self.key = module, store, key

    def __eq__(self, other) -> bool:
        return isinstance(other, _Home) and self.store is other.store and self.key == other.key

    def __hash__(self) -> int:
        return hash((id(self.store), self.key))


def _get(home: _Home):
    return home.store[home.key]


def _set(home: _Home, value) -> None:
    home.store[home.key] = value


def _is_tied(homes: dict, name: str, tensors: dict) -> bool:
    mine = _get(homes[name])
    return mine is None or any(k in homes and _get(homes[k]) is mine for k in tensors)


def _named(homes: dict, home: _Home, tensors: dict) -> bool:
    return any(homes.get(k) == home for k in tensors)


def stack_module_state(models) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """(parameters, buffers) of models of one architecture, each stacked along a new first dimension: an ensemble for vmap.

    The stacked parameters are leaves that require grad as the models' did.
    """
    models = list(models)
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if not (all(m.training for m in models) or all(not m.training for m in models)):
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(m) is not type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = {}
    for name, first in models[0].named_parameters():
        every = [dict(m.named_parameters())[name] for m in models]
        if any(p.requires_grad != first.requires_grad for p in every):
            raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
        parameters[name] = torch.stack([p.detach() for p in every]).requires_grad_(first.requires_grad)
    buffers = {}
    for name, _ in models[0].named_buffers():
        buffers[name] = torch.stack([dict(m.named_buffers())[name].detach() for m in models])
    return parameters, buffers
