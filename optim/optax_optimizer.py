"""Optax: any optax transformation as an optimizer, in a loop as the others: a step is one recorded op for each
parameter group."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import is_
from typing import Any

import jax
import numpy as np
from jax.tree_util import tree_unflatten

from functorch_lite._core.api import (
    Leaf,
    Tensor,
    Value,
    apply_op,
    check_writable,
    concrete,
    force,
    force_array,
    make_tensor,
    number_value,
    read,
    record,
    replace,
    tidied,
    to_jax_array,
    writes,
)
from functorch_lite._core.api import state as _thread
from functorch_lite.optim.flat import parts_of
from functorch_lite.optim.fused import FusedOptimizer
from functorch_lite.optim.optax_chain import Chain, Parts, Plan, as_in_jax, chain_of, leaves_of, structure_of

__all__ = ["Optax"]

_NOT_INJECTED = (
    "parameter group has the option {!r}, which its transformation does not read: its hyperparameters that may change are {}. Give the "
    "function, Optax(params, optax.adamw, learning_rate=1e-3), or inject it: optax.inject_hyperparams(optax.adamw)(learning_rate=1e-3)"
)
_OTHER_STATE = "loaded state dict has another state than the transformation's: of group {} it has {} that is not in it, and lacks {}"
_OF_ANY_GROUP = frozenset(("params", "param_names", "maximize", "differentiable", "initial_lr"))


class Optax(FusedOptimizer):
    """An optax transformation as an optimizer.

    The transformation sees the parameters of a group as a list; as a dict by their names where these are given
    (`model.named_parameters()`), so that masks and labels may go by them. A group may have a "transformation" of
    its own.

    Hyperparameters that are injected (`optax.inject_hyperparams`) are options of the groups under their names,
    `learning_rate` as "lr": schedulers of `torch.optim.lr_scheduler` change them, and nothing is recompiled.
    Hyperparameters that optax schedules are left to optax. The state is one dict for each group,
    `optimizer.state["group 0"]`, of tensors by their paths in optax's state; `state_dict` has it so too.

    The step is optax's own: to rounding what `jax.jit` gives for the same chain, in the parameters' dtypes. Where
    optax and torch differ in an optimizer of one name, this is optax's. A parameter without a gradient gets a
    gradient of zeros, and does not move; unlike in torch's optimizers, its state takes the step too. Extra arguments
    of optax's `update`, such as `value`, are given to `step`.

    Args:
        params: the parameters to optimize: an iterable of tensors, of (name, tensor) pairs, or of
            dicts with parameter groups.
        transformation: what optax makes, such as `optax.chain(...)`, or a function of optax with
            its arguments, such as `optax.adamw, learning_rate=1e-3`, whose floats then are
            hyperparameters.
        maximize: whether the objective is maximized. Default: False.

    >>> import optax
    >>> model = torch.nn.Linear(3, 1)
    >>> optimizer = torch.optim.Optax(model.parameters(), optax.adamw, learning_rate=1e-2)
    >>> optimizer.param_groups[0]["lr"]
    0.01
    """

    @tidied
    def __init__(
        self, params: Iterable, transformation: Any, *, maximize: bool = False, **hyperparameters: Any
    ) -> None:
        held = self._flat_states = _Held(chain_of(transformation, hyperparameters))
        super().__init__(params, {"maximize": maximize, "differentiable": False})
        self._flat_states = held

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_chains": (self._flat_states.default, self._flat_states.chains)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        held = self.__dict__.get("_flat_states")
        if "_chains" in state:
            state = dict(state)
            held = _Held(*state.pop("_chains"))
        super().__setstate__(state)
        self._flat_states = held
        held.states.clear()

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds a group.

        "transformation" is a chain of its own; other options are hyperparameters that its chain injects."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        held = self._flat_states
        own = param_group.pop("transformation", None)
        if "learning_rate" in param_group:
            param_group["lr"] = param_group.pop("learning_rate")
        chain = held.default if own is None else chain_of(own, {})
        super().add_param_group(param_group)
        try:
            plan, _ = _plan_of(chain, param_group)
            for name in param_group:
                if name not in plan.options and name not in _OF_ANY_GROUP:
                    raise ValueError(_NOT_INJECTED.format(name, sorted(plan.options) or "none"))
        except BaseException:
            self.param_groups.pop()
            raise
        held.chains.append(chain)
        for name, number in chain.initial_options(plan).items():
            param_group.setdefault(name, number)

    @tidied
    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over options and state from the `state_dict()` of an Optax with the same transformation, over
        parameters of the same order.

        Raises ValueError, and changes nothing, if the state has other paths or shapes than the transformation's.
        """
        for i, (group, chain) in enumerate(zip(self.param_groups, self._flat_states.chains)):
            found = state_dict["state"].get(_key(i))
            if found is not None:
                plan, _ = _plan_of(chain, group)
                wanted = {path: tuple(leaf.shape) for path, leaf in zip(plan.paths, plan.leaves)}
                has = {path: tuple(t.shape) for path, t in found.items()}
                if wanted != has:
                    more, less = [sorted(a.items() - b.items()) for a, b in ((has, wanted), (wanted, has))]
                    raise ValueError(_OTHER_STATE.format(i, more or "nothing", less or "nothing"))
        super().load_state_dict(state_dict)

    def rates_are_inputs(self) -> bool:
        """False: a group may have no learning rate, and is not stepped by the `_plan` of the other optimizers."""
        return False

    def step(self, closure: Callable[[], Any] | None = None, **extra: Any) -> Any:
        """One step of every parameter that has a gradient. extra: further arguments of optax's `update`, tensors or
        numbers."""
        for name, x in extra.items():
            if not isinstance(x, Tensor | float | int):
                raise TypeError(
                    f"step(): the extra argument {name!r} must be a Tensor or a number, not {type(x).__name__}"
                )
        self._flat_states.extra = {
            k: x.detach() if isinstance(x, Tensor) else x for k, x in sorted(extra.items())
        }
        return super().step(closure)

    def _step_group(self, group: dict[str, Any]) -> None:  # hot path
        all_params, params, grads = group["params"], [], []
        for p in all_params:
            edge = p._edge
            g = edge[0].held if edge is not None and type(edge[0]) is Leaf else p.grad
            if g is not None:
                params.append(p)
                grads.append(g if g.__class__ is Value or not g.is_sparse else self._dense(g, group))
        if not params:
            return
        number = next(i for i, g in enumerate(self.param_groups) if g is group)
        held, extra = self._flat_states, self._flat_states.extra
        kept = held.states.get(number)
        if kept is None or not kept.holds(all_params, self.state.get(_key(number))):
            kept = self._begin(group, number)
        present = None
        if len(params) < len(all_params):
            has = {id(p) for p in params}
            present = tuple([id(all_params[i]) in has for i in kept.order])
            grads = {id(p): g for p, g in zip(params, grads)}
            grads = [grads[id(p)] for p in kept.params if id(p) in has]
        elif kept.turned:
            grads = [grads[i] for i in kept.order]
        static = kept.static(present, bool(group["maximize"]), tuple(extra))
        numbers = [group[name] for name in kept.plan.options]
        rec = _thread.rec
        if rec.level or any(map(_is_view, kept.params)):
            self._step_by_tensors(static, kept.params, grads, kept.roots, (), [*numbers, *extra.values()])
            kept.tell(numbers)
            return
        cells = kept.cells
        inputs: list[Any] = [c.value for c in cells]
        n = len(all_params)
        inputs[n:n] = [g if g.__class__ is Value else read(g) for g in grads]
        on = params[0]._aval.device
        for name, x in zip(kept.plan.options, numbers):
            if isinstance(x, Tensor):
                inputs.append(read(x))
            else:  # what schedules change is an input of the program from the first step on, others become one when they change
                inputs.append(self._number(id(group), x, on) if name == "lr" else float(x))
        for name, x in extra.items():
            inputs.append(read(x) if isinstance(x, Tensor) else self._number(name, x, on))
        kept.tell(numbers)
        _, results = record(rec, kept.chain.step, static, inputs)
        if _thread.run_at_once:
            for value in results:
                force(value)
        for cell, value in zip(cells, results):
            cell.value = value
            cell.version += 1
        writes.last = object()
        rec.gradients += grads

    def _number(self, key: Any, x: Any, on) -> Value:  # hot path
        x = float(x)
        held = self._rates.get(key)
        if held is None or held.array != x or held.aval.device is not on:
            held = self._rates[key] = number_value(x, on)
        return held

    def _step_by_tensors(self, static, params, grads, columns, shared, numbers) -> None:
        """The same for tensors that are views, and inside transforms, as ordinary writes."""
        for t in params:
            check_writable(t)
        grads = [make_tensor(g, 0) if g.__class__ is Value else g for g in grads]
        numbers = [x if isinstance(x, Tensor) else float(x) for x in numbers]
        kept = self._flat_states.states_of(static[0], params)
        results = apply_op(kept.chain.step, static, (*params, *grads, *columns, *numbers))
        for t, value in zip((*params, *columns), results):
            replace(t, value)

    def _begin(self, group: dict[str, Any], number: int) -> _Kept:
        """Begins a group's steps: from its first state, or from a loaded one."""
        held = self._flat_states
        chain = held.chains[number]
        plan, order = _plan_of(chain, group)
        params = [group["params"][i] for i in order]
        if len({p._aval.device for p in params}) > 1:
            raise RuntimeError(
                "the parameters of a group must be on one device: a transformation sees them all"
            )
        if len({p._cell for p in params}) < len(params):
            raise RuntimeError(
                "parameters of a group have the same memory: a transformation would see it twice"
            )
        given = self.state.get(_key(number))
        if given:
            leaves = [given[path] for path in plan.paths]
        elif _thread.rec.level or any(p._lenses for p in params):
            leaves = list(apply_op(chain.init, plan.params, tuple([p.detach() for p in params])))
        else:
            leaves = _first_state(chain, plan, params)
        kept = held.states[number] = _Kept(chain, plan, order, params, group["params"], leaves)
        self.state[_key(number)] = kept.named
        return kept


def _is_view(t: Tensor) -> bool:
    return bool(t._lenses)


def _key(number: int) -> str:
    return f"group {number}"


def _plan_of(chain: Chain, group: dict[str, Any]) -> tuple[Plan, tuple[int, ...]]:
    """(the plan of a group, the positions of the leaves of the transformation's tree among its parameters)."""
    names = group.get("param_names")
    if names is not None and len(set(names)) < len(names):
        raise ValueError("parameters of a group have the same name")
    structure, order = structure_of(len(group["params"]), None if names is None else tuple(names))
    return chain.plan(structure, [group["params"][i]._aval.struct for i in order]), order


def _first_state(chain: Chain, plan: Plan, params: Sequence[Tensor]) -> list[Tensor]:
    """Runs the transformation's init on the parameters as they are now, in one program, and returns the state's
    leaves."""
    arrays = [to_jax_array(p.detach(), "{}") for p in params]
    with as_in_jax(arrays):
        init = jax.jit(lambda tree: leaves_of(chain.transformation.init(tree)))
        leaves = init(tree_unflatten(plan.params, arrays))
    on = params[0]._aval.device
    return [make_tensor(concrete(x, on), 0) for x in leaves]


class _Held:
    """The chains of an optimizer, and what its steps work on: nothing that `state` and the groups do not say."""

    def __init__(self, default: Chain, chains: Sequence[Chain] = ()):
        self.default = default
        self.chains = list(chains)
        self.states: dict[int, _Kept] = {}
        self.extra: dict[str, Any] = {}

    def states_of(self, plan: Plan, params: Sequence[Tensor]) -> _Kept:
        return next(k for k in self.states.values() if k.plan is plan and k.params is params)


class _Kept:
    """The parameters and state that the steps of a group work on: parameters in the order of the transformation's tree,
    and the cells of its state."""

    def __init__(self, chain, plan, order, params, given, leaves: list[Tensor]):
        self.chain: Chain = chain
        self.plan: Plan = plan
        self.order: tuple[int, ...] = order
        self.turned = list(order) != list(range(len(order)))
        self.params: list[Tensor] = params
        self._given = list(given)
        on = params[0]._aval.device
        here = all(t._cell.level == 0 and t._aval.device is on for t in leaves)
        options = list(plan.options.values())
        self.parts: Parts = chain.parts(plan, here and not on.is_mesh and not _thread.rec.level, options)
        self.roots: list[Tensor] = [
            make_tensor(read(leaves[i]), leaves[i]._cell.level) for i in self.parts.singles
        ]
        tensors = dict(zip(self.parts.singles, self.roots))
        tensors.update({i: make_tensor(read(leaves[i]), leaves[i]._cell.level) for i in options})
        self._options = [tensors[i] for i in options]
        self._told: list[Any] = [None] * len(options)
        for members in self.parts.flats:
            joined = np.concatenate([force_array(read(leaves[i])).reshape(-1) for i in members])
            root = make_tensor(concrete(joined, on), 0)
            self.roots.append(root)
            tensors.update(zip(members, parts_of(root, [leaves[i]._aval for i in members])))
        self.tensors = [tensors[i] for i in range(len(leaves))]
        self.named = dict(zip(plan.paths, self.tensors))
        self.cells = [t._cell for t in (*params, *self.roots)]
        self._statics: dict[tuple, tuple] = {}

    def holds(self, params: Sequence[Tensor], named: Any) -> bool:  # hot path
        """Returns whether these are the parameters and the state that it was made of."""
        return (
            named is self.named
            and len(params) == len(self._given)
            and all(map(is_, params, self._given))
            and all(map(is_, named.values(), self.tensors))
            and len(named) == len(self.tensors)
        )

    def tell(self, numbers: Sequence[Any]) -> None:  # hot path
        """Stores these hyperparameters in the state; they are arguments of each step and not results of it."""
        for i, x in enumerate(numbers):
            if x is self._told[i] and type(x) is float:
                continue
            self._told[i], t = x, self._options[i]
            if isinstance(x, Tensor):
                x = x.detach().to(t.dtype).reshape(t.shape)  # type: ignore[attr-defined]
            else:
                x = make_tensor(concrete(np.full(t._aval.shape, x, t._aval.dtype.np), t._aval.device), 0)
            replace(t, x)

    def static(self, present, maximize: bool, extra: tuple[str, ...]) -> tuple:  # hot path
        """The step's static arguments."""
        key = present, maximize, extra
        found = self._statics.get(key)
        if found is None:
            found = self._statics[key] = (self.plan, self.parts, present, maximize, extra)
        return found
