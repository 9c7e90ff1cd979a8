"""Modules as functions: functional_call and stack_module_state."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from .._core.api import Tensor, tidied
from .._core.api import functions as torch

__all__ = ["functional_call", "stack_module_state"]


@tidied
def functional_call(
    module,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: dict | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
):
    """Calls module with its parameters and buffers replaced by the tensors in a dict (or several dicts, searched
    together).

    The module is as it was afterwards; buffers that the call updates in place are updated in the dict's tensors.

    Args:
        module: the module to call.
        parameter_and_buffer_dicts: tensors by the names of parameters and buffers: a dict, or
            several that are searched together.
        args: the positional arguments: a tuple, or a single value. None (the default) passes
            none.
        kwargs: the keyword arguments: a dict. None (the default) passes none.
        tie_weights: whether a tensor is replaced wherever the module uses it. Default: True.
        strict: whether the names must be exactly those of the module. Without it, an unknown name
            is an attribute during the call. Default: False.

    Raises RuntimeError with strict for names that are missing or too many, TypeError for values that are not tensors.

    >>> linear = nn.Linear(2, 1)
    >>> w = {"weight": torch.tensor([[1., 2.]]), "bias": torch.zeros(1)}
    >>> functional_call(linear, w, (torch.ones(3, 2),)).tolist()
    [[3.0], [3.0], [3.0]]
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
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with lent(module, tensors, tie_weights, strict):
        return module(*args, **(kwargs or {}))


@contextlib.contextmanager
def lent(module, tensors: dict[str, Any], tie_weights: bool, strict: bool) -> Iterator[None]:
    """A context in which a module has other parameters and buffers, as `functional_call` says."""
    held = _tensors_by_name(module)
    if tie_weights:
        tensors = _with_tied(held, tensors)
    if strict:
        _check_names(module, held, tensors)
    undo: list[tuple[str, dict, Any]] = []
    try:
        for name, value in tensors.items():
            _put(*_owner(module, name), value, undo)
        yield
    finally:
        try:
            _restore(undo)
        except BaseException:  # an interrupt: the module must not keep what it was lent
            _restore(undo)
            raise


def _tensors_by_name(module) -> dict[str, Tensor]:
    """Every parameter and buffer, under every name it has."""
    held = dict(module.named_parameters(remove_duplicate=False))
    held.update(module.named_buffers(remove_duplicate=False))
    return held


def _with_tied(held: dict[str, Tensor], tensors: dict[str, Any]) -> dict[str, Any]:
    """The tensors, under the other names of what they replace as well."""
    groups: dict[int, list[str]] = {}
    for name, t in held.items():
        groups.setdefault(id(t), []).append(name)
    full = dict(tensors)
    for names in groups.values():
        given = [n for n in names if n in tensors]
        if len(given) > 1 and any(tensors[n] is not tensors[given[0]] for n in given):
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(given)}, which are tied. Consider using tie_weights=False"
            )
        if given:
            full.update(dict.fromkeys(names, tensors[given[0]]))
    return full


def _check_names(module, held: dict[str, Tensor], tensors: dict[str, Any]) -> None:
    parts = []
    for what, names in (
        ("Unexpected", [k for k in tensors if k not in held]),
        ("Missing", [k for k in held if k not in tensors]),
    ):
        if names:
            parts.append(f"{what} key(s): {', '.join(map(repr, sorted(names)))}.")
    if parts:
        raise RuntimeError(
            f"Error(s) in reparametrizing for {type(module).__name__}:\n\t" + "\n\t".join(parts)
        )


def _owner(module, name: str) -> tuple[Any, str]:
    """The submodule that a name leads to, and the last part of the name."""
    *path, attribute = name.split(".")
    for part in path:
        found = getattr(module, part, None)
        if not hasattr(found, "_parameters"):
            if found is None:
                raise AttributeError(f"{type(module).__name__} has no attribute `{part}`")
            raise TypeError(f"`{part}` is not an instance of torch.nn.Module")
        module = found
    return module, attribute


_ABSENT = object()


def _put(owner, attribute: str, value: Any, undo: list) -> None:
    """Makes a module's attribute this tensor, after noting what it was."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{value} is not an instance of torch.Tensor")
    for store in (owner._parameters, owner._buffers):
        if attribute in store:
            undo.append((attribute, store, store[attribute]))
            store[attribute] = value
            return
    before = getattr(owner, attribute, _ABSENT)
    if before is not _ABSENT and not isinstance(before, Tensor):
        raise TypeError(f"attribute `{attribute}`: {before} is not an instance of torch.Tensor")
    undo.append((attribute, vars(owner), before))
    object.__setattr__(owner, attribute, value)


def _restore(undo: list) -> None:
    for attribute, store, before in reversed(undo):
        if before is _ABSENT:
            store.pop(attribute, None)
        else:
            store[attribute] = before


@tidied
def stack_module_state(models) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """(parameters, buffers) of models of one architecture, each stacked along a new first dimension: an ensemble for
    vmap.

    The stacked parameters are leaves that require grad as the models' did.

    Args:
        models: the modules: a list, all of one architecture.

    Raises RuntimeError for an empty list, and for models of different classes, modes (train, eval) or requires_grad.

    >>> models = [nn.Linear(3, 2) for _ in range(4)]
    >>> params, buffers = stack_module_state(models)
    >>> {name: tuple(p.shape) for name, p in params.items()}
    {'weight': (4, 2, 3), 'bias': (4, 2)}
    >>> call = lambda params, x: torch.func.functional_call(models[0], params, (x,))
    >>> tuple(torch.vmap(call, in_dims=(0, None))(params, torch.ones(5, 3)).shape)
    (4, 5, 2)
    """
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    models = list(models)
    if not (all(m.training for m in models) or all(not m.training for m in models)):
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(m) is not type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = {}
    every = [dict(m.named_parameters()) for m in models]
    for name, first in every[0].items():
        ones = [mine[name] for mine in every]
        if any(p.requires_grad != first.requires_grad for p in ones):
            raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
        parameters[name] = torch.stack([p.detach() for p in ones]).requires_grad_(first.requires_grad)
    every = [dict(m.named_buffers()) for m in models]
    buffers = {name: torch.stack([mine[name].detach() for mine in every]) for name in every[0]}
    return parameters, buffers
