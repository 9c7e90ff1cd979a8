"""torch.distributed.checkpoint.state_dict: states of modules and optimizers by the names of parameters, as checkpoints
have them.

The names omit wrappers ("module." of DistributedDataParallel), so that a checkpoint does not depend on how the model
was parallel. An optimizer's state is by them too, not by numbers, and is there before the first step.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..._core.api import Tensor
from ..._core.api import functions as torch
from ...api_names import listed
from ...autograd.grad_mode import no_grad
from .._dtensor import DTensor
from ..collectives import broadcast_object_list
from ..groups import get_rank, get_world_size, is_initialized

__all__ = [
    "StateDictOptions", "get_model_state_dict", "get_optimizer_state_dict", "get_state_dict", "set_model_state_dict", "set_optimizer_state_dict",
    "set_state_dict",
]  # fmt: skip
__dir__ = listed(__name__)


@dataclass
class StateDictOptions:
    """Options of the functions here.

    Attributes: full_state_dict: DTensors as whole plain tensors, and the reverse. cpu_offload: tensors on the CPU; with
    full_state_dict, and several processes, on rank 0 alone. ignore_frozen_params: parameters that require no gradient
    are left out. strict: a model must have all names that it is given, and be given all that it has.
    broadcast_from_rank0: rank 0's state is given to all; with full_state_dict. flatten_optimizer_state_dict: an
    optimizer's state as one dict, "state.<name>.<key>" and "param_groups.<name>.<key>". keep_submodule_prefixes: True;
    PyTorch has no other any more.
    """

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False

    def __post_init__(self) -> None:
        if self.broadcast_from_rank0 and not self.full_state_dict:
            raise ValueError("full_state_dict must be True when broadcast_from_rank0 is True.")
        if not self.keep_submodule_prefixes:
            raise NotImplementedError(
                "StateDictOptions: keep_submodule_prefixes=False is not supported; leave it out"
            )


def _several() -> bool:
    return is_initialized() and get_world_size() > 1


def _unwrapped(model: Any) -> Any:
    """The module within DistributedDataParallel and its like."""
    while type(model).__name__ in ("DistributedDataParallel", "DataParallel"):
        model = model.module
    return model


def _given(x: Any, o: StateDictOptions) -> Any:
    """A value as it is handed out."""
    if not isinstance(x, Tensor):
        return x
    x = x.detach()
    if o.full_state_dict and isinstance(x, DTensor):
        x = x.full_tensor()
    return x.cpu() if o.cpu_offload else x


def _handed_out(state: dict[str, Any], o: StateDictOptions) -> dict[str, Any]:
    """Nothing on other ranks than 0 if all is on its CPU."""
    return {} if o.full_state_dict and o.cpu_offload and _several() and get_rank() else state


def _submodules(submodules: Any, what: str) -> None:
    if submodules is not None:
        raise NotImplementedError(
            f"{what}: submodules= is not supported; select entries by the beginnings of their names"
        )


# -- models ------------------------------------------------------------------------------------------------------------


def get_model_state_dict(
    model: Any, *, submodules: Any = None, options: StateDictOptions | None = None
) -> dict[str, Any]:
    """The state dict of a model, without the names of wrappers.

    >>> list(get_model_state_dict(torch.nn.Linear(2, 3)))
    ['weight', 'bias']
    """
    _submodules(submodules, "get_model_state_dict")
    o, module = options or StateDictOptions(), _unwrapped(model)
    frozen = {n for n, p in module.named_parameters(remove_duplicate=False) if not p.requires_grad}
    state = {
        n: _given(v, o)
        for n, v in module.state_dict().items()
        if not (o.ignore_frozen_params and n in frozen)
    }
    return _handed_out(state, o)


def set_model_state_dict(
    model: Any, model_state_dict: dict[str, Any], *, options: StateDictOptions | None = None
) -> Any:
    """Loads the result of `get_model_state_dict`; returns the missing and the unexpected names, as `load_state_dict`
    does."""
    o, module = options or StateDictOptions(), _unwrapped(model)
    state = _from_rank_0(model_state_dict, o)
    mine = module.state_dict()
    if o.ignore_frozen_params:
        frozen = {n for n, p in module.named_parameters(remove_duplicate=False) if not p.requires_grad}
        state = {**{n: mine[n] for n in frozen if n in mine}, **state}
    return module.load_state_dict({n: _like(v, mine.get(n)) for n, v in state.items()}, strict=o.strict)


def _from_rank_0(state: dict[str, Any], o: StateDictOptions) -> dict[str, Any]:
    if not (o.broadcast_from_rank0 and _several()):
        return state
    held: list[Any] = [state if get_rank() == 0 else None]
    broadcast_object_list(held, src=0)
    return held[0]


def _like(x: Any, to: Any) -> Any:
    """A plain tensor with the placements of the one that it is for."""
    if isinstance(to, DTensor) and isinstance(x, Tensor) and not isinstance(x, DTensor):
        return to._layout.receive(x)
    return x


# -- optimizers --------------------------------------------------------------------------------------------------------


def _optimizers(given: Any) -> tuple[Any, ...]:
    return tuple(given) if isinstance(given, Iterable) else (given,)


def _names_of(model: Any, optimizer: Any) -> dict[int, str]:
    """The name of each parameter of an optimizer, by id."""
    names = {id(p): n for n, p in _unwrapped(model).named_parameters()}
    for group in optimizer.param_groups:
        for p in group["params"]:
            if id(p) not in names:
                raise RuntimeError(
                    f"an optimizer has a parameter of shape {list(p.shape)} that is not the model's: give the model that it trains"
                )
    return names


def _begin(optimizer: Any) -> None:
    """Gives an optimizer that has not stepped the state that it has after a step, with zeros as gradients and no
    learning rate: parameters stay."""
    params = [p for group in optimizer.param_groups for p in group["params"]]
    if optimizer.state or any(p.grad is not None for p in params):
        return
    rates = [group["lr"] for group in optimizer.param_groups if "lr" in group]
    for group in optimizer.param_groups:
        if "lr" in group:
            group["lr"] = torch.zeros_like(group["lr"]) if isinstance(group["lr"], Tensor) else 0.0
    for p in params:
        if p.requires_grad:
            p.grad = torch.zeros_like(p)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    for group, rate in zip([g for g in optimizer.param_groups if "lr" in g], rates):
        group["lr"] = rate


def get_optimizer_state_dict(
    model: Any,
    optimizers: Any,
    *,
    submodules: Any = None,
    options: StateDictOptions | None = None,
) -> dict[str, Any]:
    """The state of the optimizers of a model (one, or several), by the names of parameters: {"state": {name: {…}},
    "param_groups": [{…, "params": [names]}]}.

    For an optimizer that has not stepped, a step with learning rate and gradients of zero is made first, so that the
    state to load into exists.
    """
    _submodules(submodules, "get_optimizer_state_dict")
    o = options or StateDictOptions()
    states: dict[str, Any] = {}
    groups: list[dict[str, Any]] = []
    for optimizer in _optimizers(optimizers):
        _begin(optimizer)
        names = _names_of(model, optimizer)
        told = optimizer.state_dict()
        by_number = dict(
            zip(
                [i for group in told["param_groups"] for i in group["params"]],
                [names[id(p)] for group in optimizer.param_groups for p in group["params"]],
            )
        )
        for i, entry in told["state"].items():
            states[by_number[i]] = {k: _given(v, o) for k, v in entry.items()}
        for group in told["param_groups"]:
            groups.append({**group, "params": [by_number[i] for i in group["params"]]})
    made: dict[str, Any] = {"state": states, "param_groups": groups}
    return _handed_out(_flat(made) if o.flatten_optimizer_state_dict else made, o)


def _flat(state: dict[str, Any]) -> dict[str, Any]:
    made = {f"state.{n}.{k}": v for n, entry in state["state"].items() for k, v in entry.items()}
    for group in state["param_groups"]:
        made |= {
            f"param_groups.{n}.{k}": v for n in group["params"] for k, v in group.items() if k != "params"
        }
    return made


def set_optimizer_state_dict(
    model: Any, optimizers: Any, optim_state_dict: dict[str, Any], *, options: StateDictOptions | None = None
) -> None:
    """Loads what `get_optimizer_state_dict` gave. Raises RuntimeError for a parameter whose state it does not have."""
    o = options or StateDictOptions()
    given = _from_rank_0(optim_state_dict, o)
    for optimizer in _optimizers(optimizers):
        _begin(optimizer)
        names = _names_of(model, optimizer)
        told = optimizer.state_dict()
        ours = [names[id(p)] for group in optimizer.param_groups for p in group["params"]]
        numbers = [i for group in told["param_groups"] for i in group["params"]]
        state, groups = {}, []
        for i, name in zip(numbers, ours):
            if i in told["state"]:
                state[i] = {k: _like(_of(given, name, k), v) for k, v in told["state"][i].items()}
        place = dict(zip(numbers, ours))
        for group in told["param_groups"]:
            found = _group_of(given, [place[i] for i in group["params"]], group)
            groups.append({**group, **found, "params": group["params"]})
        optimizer.load_state_dict({"state": state, "param_groups": groups})


def _missing(name: str, key: str) -> RuntimeError:
    return RuntimeError(f"set_optimizer_state_dict: the state dict has no {key!r} of parameter {name!r}")


def _of(given: dict[str, Any], name: str, key: str) -> Any:
    if "state" in given:
        entry = given["state"].get(name, {})
        if key not in entry:
            raise _missing(name, key)
        return entry[key]
    if f"state.{name}.{key}" not in given:
        raise _missing(name, key)
    return given[f"state.{name}.{key}"]


def _group_of(given: dict[str, Any], names: Sequence[str], like: dict[str, Any]) -> dict[str, Any]:
    """The settings of a group of parameters."""
    if not names:
        return {}
    if "param_groups" not in given:
        flat = {k: f"param_groups.{names[0]}.{k}" for k in like if k != "params"}
        return {k: given[n] for k, n in flat.items() if n in given}
    for group in given["param_groups"]:
        if set(names) <= set(group["params"]):
            return {k: v for k, v in group.items() if k != "params"}
    raise RuntimeError(
        f"set_optimizer_state_dict: the state dict has no group with the parameters {list(names)[:3]}"
    )


# -- both --------------------------------------------------------------------------------------------------------------


def get_state_dict(
    model: Any,
    optimizers: Any,
    *,
    submodules: Any = None,
    options: StateDictOptions | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """(`get_model_state_dict`, `get_optimizer_state_dict`)."""
    return (
        get_model_state_dict(model, submodules=submodules, options=options),
        get_optimizer_state_dict(model, optimizers, submodules=submodules, options=options),
    )


def set_state_dict(
    model: Any,
    optimizers: Any,
    *,
    model_state_dict: dict[str, Any],
    optim_state_dict: dict[str, Any],
    options: StateDictOptions | None = None,
) -> Any:
    """Loads both; returns what `set_model_state_dict` does."""
    with no_grad():
        found = set_model_state_dict(model, model_state_dict, options=options)
    set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return found
