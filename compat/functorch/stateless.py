"""Modules as functions of their parameters, the way of functorch: parameters and buffers as tuples, in the module's
order."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

from functorch_lite import nn
from functorch_lite._core.api import Tensor
from functorch_lite._core.api import functions as torch
from functorch_lite.func import functional_call

__all__ = [
    "FunctionalModule", "FunctionalModuleWithBuffers", "combine_state_for_ensemble", "make_functional", "make_functional_with_buffers",
]  # fmt: skip


def _names(named: Iterable[tuple[str, Tensor]]) -> list[list[str]]:
    """The names of each distinct tensor, in order of first appearance: tied ones have several."""
    groups: dict[int, list[str]] = {}
    for name, t in named:
        groups.setdefault(id(t), []).append(name)
    return list(groups.values())


class FunctionalModuleWithBuffers(nn.Module):
    """A module as a function: `fmodel(params, buffers, *args)`. It holds no values of its own; eval() and train() work
    on it."""

    def __init__(self, stateless_model: Any, param_names: list[list[str]], buffer_names: list[list[str]]):
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = tuple([names[0] for names in param_names])
        self.buffer_names = tuple([names[0] for names in buffer_names])
        self.all_names_map = {names[0]: list(names) for names in (*param_names, *buffer_names)}
        self.names_map = {names[0]: list(names) for names in param_names}

    @classmethod
    def _create_from(cls, model: Any, disable_autograd_tracking: bool = False):
        params, buffers, parts = _taken_apart(model, disable_autograd_tracking)
        return cls(*parts), params, buffers

    def forward(self, params: Sequence[Tensor], buffers: Sequence[Tensor], *args, **kwargs) -> Any:
        """The model's call with these parameters and buffers."""
        return self._call(self.param_names + self.buffer_names, (*params, *buffers), args, kwargs)

    def _call(self, names: tuple[str, ...], given: tuple, args: tuple, kwargs: dict) -> Any:
        if len(given) != len(names):
            raise RuntimeError(
                f"{type(self).__name__}: expected {len(names)} tensors ({', '.join(names)}), got {len(given)}"
            )
        tensors = {n: t for name, t in zip(names, given) for n in self.all_names_map[name]}
        return functional_call(self.stateless_model, tensors, args, kwargs, tie_weights=False)


class FunctionalModule(FunctionalModuleWithBuffers):
    """A module without buffers as a function: `fmodel(params, *args)`."""

    @classmethod
    def _create_from(cls, model: Any, disable_autograd_tracking: bool = False):
        params, _, parts = _taken_apart(model, disable_autograd_tracking)
        return cls(*parts), params

    def forward(self, params: Sequence[Tensor], *args, **kwargs) -> Any:  # type: ignore[override]
        """The model's call with these parameters."""
        return self._call(self.param_names, tuple(params), args, kwargs)


def _taken_apart(model: Any, detached: bool) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...], tuple]:
    """(parameters, buffers, (a copy of the model that has lost them, the parameters' names, the buffers' names))."""
    empty = copy.deepcopy(model)
    params, buffers = tuple(empty.parameters()), tuple(empty.buffers())
    param_names = _names(empty.named_parameters(remove_duplicate=False))
    buffer_names = _names(empty.named_buffers(remove_duplicate=False))
    for sub in empty.modules():
        for store in (sub._parameters, sub._buffers):
            for key in store:
                store[key] = None
    if detached:
        for p in params:
            p.requires_grad_(False)  # type: ignore[attr-defined]
    return params, buffers, (empty, param_names, buffer_names)


def make_functional(
    model: Any, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModule, tuple[Tensor, ...]]:
    """(fmodel, params): `fmodel(params, *args)` is the model's call as a pure function of its parameters.

    The model must have no buffers. disable_autograd_tracking: the params returned do not require grad.
    """
    if len(list(model.buffers())) > 0:
        raise RuntimeError(
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
        )
    return FunctionalModule._create_from(model, disable_autograd_tracking)


def make_functional_with_buffers(
    model: Any, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModuleWithBuffers, tuple[Tensor, ...], tuple[Tensor, ...]]:
    """(fmodel, params, buffers): `fmodel(params, buffers, *args)` is the model's call as a function of both."""
    return FunctionalModuleWithBuffers._create_from(model, disable_autograd_tracking)


def combine_state_for_ensemble(
    models: Sequence[Any],
) -> tuple[FunctionalModuleWithBuffers, tuple[Tensor, ...], tuple[Tensor, ...]]:
    """(fmodel, params, buffers) of models of one architecture, each tensor stacked along a new first dimension.

    `vmap(fmodel, in_dims=(0, 0, None))(params, buffers, x)` runs the ensemble. The stacked tensors do not require grad.
    """
    if len(models) == 0:
        raise RuntimeError("combine_state_for_ensemble: Expected at least one model, got 0.")
    models = list(models)
    if not (all(m.training for m in models) or all(not m.training for m in models)):
        raise RuntimeError(
            "combine_state_for_ensemble: Expected all models to have the same training/eval mode."
        )
    if not all(type(m) is type(models[0]) for m in models):
        raise RuntimeError("combine_state_for_ensemble: Expected all models to be of the same class.")
    parts = [FunctionalModuleWithBuffers._create_from(m) for m in models]
    params = tuple([torch.stack(shards).detach() for shards in zip(*[p for _, p, _ in parts])])
    buffers = tuple([torch.stack(shards).detach() for shards in zip(*[b for _, _, b in parts])])
    return parts[0][0], params, buffers
