"""The names of the former `functorch` package, on top of functorch_lite.func.

What torch.func kept is the same function here. `make_functional`, `make_functional_with_buffers` and
`combine_state_for_ensemble` are the old ways of calling a module as a function of its parameters.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from functorch_lite._core.tensor import Tensor
from functorch_lite.func import (
    functional_call,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    stack_module_state,
    vjp,
    vmap,
)

__all__ = [
    "combine_state_for_ensemble", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "make_functional",
    "make_functional_with_buffers", "vjp", "vmap",
]  # fmt: skip


class FunctionalModule:
    """A module as a function: `fmodel(params, *args)`, or `fmodel(params, buffers, *args)`. It holds no values of its own."""

    def __init__(self, module: Any, with_buffers: bool):
        self.stateless_model = module
        self.param_names = tuple(n for n, _ in module.named_parameters())
        self.buffer_names = tuple(n for n, _ in module.named_buffers())
        self.with_buffers = with_buffers

    def __call__(self, params: Sequence[Tensor], *args, **kwargs):
        tensors = dict(zip(self.param_names, params, strict=True))
        if self.with_buffers:
            buffers, *rest = args
            args = tuple(rest)
            tensors |= dict(zip(self.buffer_names, buffers, strict=True))
        return functional_call(self.stateless_model, tensors, args, kwargs)

    def __repr__(self) -> str:
        return f"FunctionalModule({self.stateless_model!r})"


def _split(module: Any, detached: bool) -> tuple[Any, tuple[Tensor, ...], tuple[Tensor, ...]]:
    params = tuple(
        p.detach().clone().requires_grad_(p.requires_grad and not detached) for p in module.parameters()
    )
    return copy.deepcopy(module), params, tuple(b.detach().clone() for b in module.buffers())


def make_functional(
    model: Any, disable_autograd_tracking: bool = False
) -> tuple[Callable[..., Any], tuple[Tensor, ...]]:
    """(fmodel, params): `fmodel(params, *args)` is the model's call as a pure function of its parameters.

    The model must have no buffers. disable_autograd_tracking: the params returned do not require grad.
    """
    if next(iter(model.buffers()), None) is not None:
        raise RuntimeError(
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
        )
    module, params, _ = _split(model, disable_autograd_tracking)
    return FunctionalModule(module, False), params


def make_functional_with_buffers(
    model: Any, disable_autograd_tracking: bool = False
) -> tuple[Callable[..., Any], tuple[Tensor, ...], tuple[Tensor, ...]]:
    """(fmodel, params, buffers): `fmodel(params, buffers, *args)` is the model's call as a function of both."""
    module, params, buffers = _split(model, disable_autograd_tracking)
    return FunctionalModule(module, True), params, buffers


def combine_state_for_ensemble(
    models: Sequence[Any],
) -> tuple[Callable[..., Any], tuple[Tensor, ...], tuple[Tensor, ...]]:
    """(fmodel, params, buffers) of models of one architecture, each tensor stacked along a new first dimension.

    `vmap(fmodel, in_dims=(0, 0, None))(params, buffers, x)` runs the ensemble.
    """
    models = list(models)
    if not models:
        raise RuntimeError("combine_state_for_ensemble: Expected at least one model, got 0.")
    params, buffers = stack_module_state(models)
    return FunctionalModule(copy.deepcopy(models[0]), True), tuple(params.values()), tuple(buffers.values())
