"""`torch._functorch.make_functional`: the old ways to call a module as a function, and to make many of one class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._core.api import Tensor
from .._core.api import functions as torch
from ..compat.functorch.stateless import (
    FunctionalModule,
    FunctionalModuleWithBuffers,
    combine_state_for_ensemble,
    make_functional,
    make_functional_with_buffers,
)

__all__ = [
    "FunctionalModule", "FunctionalModuleWithBuffers", "combine_state_for_ensemble", "functional_init", "functional_init_with_buffers",
    "make_functional", "make_functional_with_buffers",
]  # fmt: skip


def functional_init(model_class: type, ensemble_shape: Sequence[int] = (), device: Any = "cpu") -> Callable:
    """A function of the class's arguments that gives (parameters of one model, or of an ensemble's stacked, function,
    names).

    >>> weights, fn, names = functional_init(torch.nn.Linear, (3,))(4, 2)
    >>> weights[0].shape
    torch.Size([3, 2, 4])
    """
    return _init(model_class, ensemble_shape, device, False)


def functional_init_with_buffers(
    model_class: type, ensemble_shape: Sequence[int] = (), device: Any = "cpu"
) -> Callable:
    """Makes the same with buffers: (parameters, buffers, function, names of parameters, names of buffers)."""
    return _init(model_class, ensemble_shape, device, True)


def _init(kind: type, shape: Sequence[int], device: Any, with_buffers: bool) -> Callable:
    shape = tuple(shape)
    if len(shape) >= 2:
        raise ValueError("NYI: ensemble_shape with more than 1 element")
    if shape and shape[0] <= 0:
        raise ValueError(f"num_models {shape[0]} should be > 0")

    def made(*args: Any, **kwargs: Any) -> tuple:
        models = [kind(*args, **kwargs).to(device) for _ in range(shape[0] if shape else 1)]
        names = tuple([n for n, _ in models[0].named_parameters()])
        fn, *states = (make_functional_with_buffers if with_buffers else make_functional)(models[0])
        every = [states, *[_states(m, with_buffers) for m in models[1:]]]
        joined = [
            tuple(_joined(column, bool(shape)) for column in zip(*[s[i] for s in every]))
            for i in range(len(states))
        ]
        if not with_buffers:
            return joined[0], fn, names
        return joined[0], joined[1], fn, names, tuple([n for n, _ in models[0].named_buffers()])

    return made


def _states(model: Any, with_buffers: bool) -> list:
    return (
        [tuple(model.parameters()), tuple(model.buffers())] if with_buffers else [tuple(model.parameters())]
    )


def _joined(tensors: Sequence[Tensor], stack: bool) -> Tensor:
    first = tensors[0]
    if not stack:
        return first
    return torch.stack([t.detach() for t in tensors]).requires_grad_(first.requires_grad)
