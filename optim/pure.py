"""Optimizers as pure functions of pytrees: for runs that are differentiated, or mapped over as a whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax

from functorch_lite._core.api import DerivedOp, Tensor, apply_op, dtypes, tidied
from functorch_lite._core.api import functions as torch
from functorch_lite.optim.fused import FusedOptimizer
from functorch_lite.optim.optax_chain import Chain, Plan, chain_of
from functorch_lite.optim.optimizer import Optimizer

__all__ = ["Functional", "functional"]


class Functional(NamedTuple):
    """`init(params, **hyper) -> state` and `update(grads, state, params, **hyper) -> (params, state)`."""

    init: Callable[..., dict[str, Any]]
    update: Callable[..., tuple[Any, dict[str, Any]]]


def functional(optimizer: Any, **hyper: Any) -> Functional:
    """An optimizer as two pure functions `init` and `update`, on pytrees of tensors, for a whole run under `vmap` and
    `grad`.

    hyper: its hyperparameters, as it takes them.

    `init(params)` gives the state, a dict of tensors and trees of tensors. `update(grads, state, params, **hyper)`
    gives new parameters and the new state, and changes nothing; hyperparameters given here stand for this step, and
    may be tensors: of a `vmap`, one for each member, or of a `grad`. For an optax transformation they are the ones
    that it injects ("lr" is its learning_rate). The rule is the optimizer's own. The gradient of a run goes through
    every step. With SGD's momentum it also goes through the first one, which torch's `differentiable=True` leaves
    out.

    Args:
        optimizer: a class of torch.optim whose step is one rule for all parameters (all but
            LBFGS, SparseAdam, Adafactor and Muon), an optax transformation, or a function of
            optax that makes one (`optax.adamw`).

    Raises TypeError for other optimizers, and for trees with leaves that are not tensors; NotImplementedError for
    SGD's dampening, whose first step differs from the others; and the optimizer's own errors for bad hyperparameters.

    >>> init, update = torch.optim.functional(torch.optim.SGD, lr=0.1)
    >>> params, state = update({"w": torch.ones(2)}, init({"w": torch.zeros(2)}), {"w": torch.zeros(2)})
    >>> params["w"]
    tensor([-0.1000, -0.1000])
    """
    if isinstance(optimizer, type):
        if issubclass(optimizer, FusedOptimizer) and isinstance(
            getattr(optimizer, "_update", None), DerivedOp
        ):
            rule = _OfClass(optimizer, hyper)
            return Functional(rule.init, rule.update)
        if issubclass(optimizer, Optimizer):
            raise TypeError(
                f"functional(): {optimizer.__name__} has no rule that is one pure function of gradients and state. Those of torch.optim "
                "that have one are Adam and its kin, SGD, RMSprop, Adagrad, Adadelta, Rprop and ASGD; optax has others (optax.adafactor, "
                "optax.contrib.muon)"
            )
    of_optax = _OfChain(chain_of(optimizer, hyper))
    return Functional(of_optax.init, of_optax.update)


def _flat(tree: Any, who: str) -> tuple[list[Tensor], Any]:
    leaves, structure = jax.tree.flatten(tree)
    for x in leaves:
        if not isinstance(x, Tensor):
            raise TypeError(f"{who} must be a tree of Tensors, but has a leaf of type {type(x).__name__}")
    if not leaves:
        raise ValueError("optimizer got an empty parameter list")
    return leaves, structure


def _both(grads: Any, params: Any) -> tuple[list[Tensor], list[Tensor], Any]:
    ps, structure = _flat(params, "update(): params")
    gs, of_grads = _flat(grads, "update(): grads")
    if of_grads != structure:
        raise ValueError(
            f"update(): grads has the structure {of_grads}, and params {structure}: each parameter needs a gradient"
        )
    for g, p in zip(gs, ps):
        if g.shape != p.shape:
            raise ValueError(
                f"update(): a gradient has shape {list(g.shape)}, and its parameter {list(p.shape)}"
            )
    return gs, ps, structure


class _OfClass:
    """The rule of one of torch.optim's classes."""

    def __init__(self, kind: type[FusedOptimizer], hyper: dict[str, Any]):
        self.kind = kind
        self.hyper = {name: x for name, x in hyper.items() if not _tensors_in(x)}
        self.later = {name: x for name, x in hyper.items() if _tensors_in(x)}
        self._made(self.hyper)

    def _made(self, hyper: dict[str, Any]) -> FusedOptimizer:
        """An optimizer of these hyperparameters, which checks them."""
        return self.kind([torch.zeros(1)], **hyper)

    def _group(self, hyper: dict[str, Any]) -> tuple[FusedOptimizer, dict[str, Any]]:
        hyper = {**self.later, **hyper}
        numbers = {name: x for name, x in hyper.items() if not _tensors_in(x)}
        made = self._made({**self.hyper, **numbers})
        group = dict(made.param_groups[0])
        for name in hyper:
            if name not in made.defaults:
                raise TypeError(f"{self.kind.__name__}: it has no hyperparameter {name!r}")
            if (
                _tensors_in(hyper[name]) and made._of_numbers
            ):  # in its state they are numbers, which have no derivative
                raise TypeError(f"{self.kind.__name__}: {name!r} must be a Python number")
            if _tensors_in(hyper[name]) and not _is_numeric(made.defaults[name]):
                raise TypeError(
                    f"{self.kind.__name__}: {name!r} selects the code of the step and cannot be a tensor; pass a Python value"
                )
        return made, {**group, **hyper}

    def _rule(self, hyper: dict[str, Any]) -> _Rule:
        made, group = self._group(hyper)
        # what selects code is told by numbers: each tensor is one that takes part
        stands_for: dict[int, Tensor] = {}
        kept: list[float] = []

        def number(x: Any) -> Any:
            if isinstance(x, tuple | list):
                return type(x)([number(y) for y in x])
            if not isinstance(x, Tensor):
                return x
            if x.ndim:
                raise ValueError(
                    f"a hyperparameter is a tensor without dims, but got one of shape {list(x.shape)}"
                )
            kept.append(float("0.5"))
            stands_for[id(kept[-1])] = x
            return kept[-1]

        group = {k: x if k == "params" else number(x) for k, x in group.items()}
        structure, names, numbers = made._plan(group)
        if made._update.name == "sgd" and structure[1] and structure[3]:
            raise NotImplementedError(
                "functional(): SGD with dampening is not supported, because its first step differs from the following ones; use dampening=0"
            )
        initial = {name: made._initial(name, group) for name in (*made._shared, *names)}
        initial = {name: stands_for.get(id(x), x) for name, x in initial.items()}
        key = len(names), len(made._shared), bool(group["maximize"]), structure
        return _Rule(made, key, names, tuple([stands_for.get(id(x), x) for x in numbers]), initial)

    @tidied
    def init(self, params: Any, **hyper: Any) -> dict[str, Any]:
        """The state that a run begins with; hyper as for `update`."""
        leaves, structure = _flat(params, "init(): params")
        rule = self._rule(hyper)
        wide = dtypes.float64 if dtypes.default_dtype() is dtypes.float64 else dtypes.float32
        state: dict[str, Any] = {}
        for name, start in rule.initial.items():
            if name in rule.names:
                state[name] = structure.unflatten([_filled(p, start) for p in leaves])
            else:
                state[name] = torch.zeros((), dtype=wide) + start
        return state

    @tidied
    def update(self, grads: Any, state: dict[str, Any], params: Any, **hyper: Any) -> tuple[Any, dict]:
        """(new parameters, new state)."""
        gs, ps, structure = _both(grads, params)
        rule = self._rule(hyper)
        names, shared = rule.names, rule.made._shared
        if set(state) != {*shared, *names}:
            raise ValueError(
                f"update(): the state has {sorted(state)}, but {self.kind.__name__} with these hyperparameters has "
                f"{sorted({*shared, *names})}"
            )
        n = len(ps)
        columns = [_flat(state[name], f"update(): state[{name!r}]")[0] for name in names]
        flat = [t for tensors in (ps, gs, *columns, [state[name] for name in shared]) for t in tensors]
        results = list(apply_op(rule.made._update, (n, *rule.key), (*flat, *rule.numbers)))
        new = {name: structure.unflatten(results[n * (i + 1) : n * (i + 2)]) for i, name in enumerate(names)}
        new.update(zip(shared, results[n * (1 + len(names)) :]))
        return structure.unflatten(results[:n]), new


class _Rule(NamedTuple):
    """A class's rule at some hyperparameters: the static arguments of its op but for the count of parameters, the names
    of its state, its numbers, and what state begins at."""

    made: FusedOptimizer
    key: tuple
    names: tuple[str, ...]
    numbers: tuple
    initial: dict[str, Any]


def _tensors_in(x: Any) -> bool:
    return any(isinstance(y, Tensor) for y in (x if isinstance(x, tuple | list) else (x,)))


def _is_numeric(x: Any) -> bool:
    """Returns whether a default is a number, or some numbers."""
    if isinstance(x, tuple | list):
        return all(map(_is_numeric, x))
    return isinstance(x, float | int) and not isinstance(x, bool)


def _filled(p: Tensor, start: Any) -> Tensor:
    """State of a parameter's shape that starts at a number."""
    zeros = torch.zeros_like(p)
    if isinstance(start, float | int) and not start:
        return zeros
    if p.is_complex():
        if isinstance(start, Tensor):
            raise NotImplementedError("init(): state of a complex parameter that starts at a tensor")
        start = complex(start, start)
    return (zeros + start).to(p.dtype)


class _OfChain:
    """The rule of an optax transformation."""

    def __init__(self, chain: Chain):
        self.chain = chain
        self._initial: dict[Plan, dict[str, float]] = {}

    def _plan(self, params: Sequence[Tensor], structure: Any) -> Plan:
        plan = self.chain.plan(structure, [p._aval.struct for p in params])
        if plan not in self._initial:
            self._initial[plan] = self.chain.initial_options(plan)
        return plan

    def _numbers(self, plan: Plan, hyper: dict[str, Any]) -> list[Any]:
        hyper = {("lr" if name == "learning_rate" else name): x for name, x in hyper.items()}
        for name, x in hyper.items():
            if name not in plan.options:
                raise TypeError(
                    f"the transformation injects no hyperparameter {name!r}: it has {sorted(plan.options) or 'none'}"
                )
            if isinstance(x, Tensor) and x.ndim:
                raise ValueError(
                    f"a hyperparameter is a tensor without dims, but got one of shape {list(x.shape)}"
                )
        given = {**self._initial[plan], **hyper}
        return [x if isinstance(x := given[name], Tensor) else float(x) for name in plan.options]

    @tidied
    def init(self, params: Any, **hyper: Any) -> dict[str, Tensor]:
        """The state that a run begins with, by the paths in optax's state; hyper is checked, and of no effect yet."""
        leaves, structure = _flat(params, "init(): params")
        plan = self._plan(leaves, structure)
        self._numbers(plan, hyper)
        if not plan.paths:
            return {}
        return dict(zip(plan.paths, apply_op(self.chain.init, plan.params, tuple(leaves))))

    @tidied
    def update(self, grads: Any, state: dict[str, Tensor], params: Any, **hyper: Any) -> tuple[Any, dict]:
        """(new parameters, new state)."""
        gs, ps, structure = _both(grads, params)
        plan = self._plan(ps, structure)
        if set(state) != set(plan.paths):
            raise ValueError(
                f"update(): the state has {sorted(state)}, and the transformation's {sorted(plan.paths)}"
            )
        static = (plan, self.chain.parts(plan, False, ()), None, False, ())
        leaves = [state[path] for path in plan.paths]
        results = apply_op(self.chain.step, static, (*ps, *gs, *leaves, *self._numbers(plan, hyper)))
        return structure.unflatten(results[: plan.n]), dict(zip(plan.paths, results[plan.n :]))
