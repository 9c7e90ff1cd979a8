"""FusedOptimizer: a step is one recorded op per parameter group, whatever `foreach=` and `fused=` say.

The op takes flat lists — parameters, gradients, the state of each parameter by name — then the scalars that parameters
share (`step`), then the hyperparameters, and returns new parameters, new state, new scalars. It works in real numbers
(a complex parameter is seen as pairs, as in PyTorch) and never below float32.

With `differentiable=True` the op is taped and its results are written in place: whatever parameters, gradients, state
and hyperparameters depend on gets gradients through the step. Parameters are then no leaves.

Scalars such as `step` are one Tensor per parameter in `state`, as in PyTorch. Parameters that advanced together share
one immutable Value, so that the op takes and returns it once. Where they differ (a parameter had no gradient at some
step) the group is stepped in sets, one op each.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from functorch_lite._core.api import (
    OFF,
    DerivedOp,
    Leaf,
    Tensor,
    Value,
    apply_op,
    check_writable,
    concrete,
    dtypes,
    force,
    force_array,
    make_tensor,
    number_value,
    read,
    record,
    replace,
    tidied,
    write_inplace,
    writes,
)
from functorch_lite._core.api import state as _thread
from functorch_lite.optim.flat import LEAST_MEMBERS, FlatStates
from functorch_lite.optim.optimizer import Optimizer

__all__ = ["FusedOptimizer", "Update"]


class Update(DerivedOp):
    """The op of a step. `fn(structure, params, grads, columns, shared, numbers)` gives (params, columns, shared).

    structure: what selects code, such as whether there is weight decay. columns: for each name of state, its list over
    the parameters. shared: 0-d arrays. numbers: hyperparameters, Python numbers or 0-d arrays.
    """

    __slots__ = ()

    def packs(self, static):
        """(result, input) pairs of what it replaces, which programs may keep as one array (see
        _core/run/packing.py)."""
        n, n_columns = static[:2]
        state = n_columns if static[-1] == "flat" else n_columns * n
        return [(i, i if i < n else i + n) for i in range(n + state)]

    def call(self, static, inputs):
        n, n_columns, n_shared, maximize, structure, *flat = static
        if flat:
            return self._call_flat(static[:-1], inputs)
        lists = [list(inputs[i * n : (i + 1) * n]) for i in range(2 + n_columns)]
        rest = inputs[(2 + n_columns) * n :]
        shared, numbers = list(rest[:n_shared]), [_scalar(x) for x in rest[n_shared:]]
        params, grads, *columns = [[_to_work(x) for x in xs] for xs in lists]
        grads = [g.astype(p.dtype) for g, p in zip(grads, params)]
        if maximize:
            grads = [-g for g in grads]
        columns = [[x.astype(p.dtype) for x, p in zip(xs, params)] for xs in columns]
        new_params, new_columns, new_shared = self.fn(structure, params, grads, columns, shared, numbers)
        out = []
        for new, old in zip([new_params, *new_columns], [lists[0], *lists[2:]]):
            out += [_from_work(x, like) for x, like in zip(new, old)]
        return out + [x.astype(like.dtype) for x, like in zip(new_shared, shared)]

    def _call_flat(self, static, inputs):
        """The same with flat state (see flat.py): parameters and gradients are joined, the rule runs once, and is
        cut."""
        n, *rest = static
        params, grads = inputs[:n], inputs[n : 2 * n]
        joined = [jnp.concatenate([x.reshape(-1) for x in xs]) for xs in (params, grads)]
        new, *state = self.call((1, *rest), [*joined, *inputs[2 * n :]])
        ends = np.cumsum([p.size for p in params])
        return [x.reshape(p.shape) for x, p in zip(jnp.split(new, ends[:-1]), params)] + state


def _scalar(x):
    return jnp.reshape(x, ()) if hasattr(x, "shape") and x.shape else x


def _to_work(x):
    if jnp.iscomplexobj(x):
        return jnp.stack([x.real, x.imag], -1)
    return x.astype(jnp.float32) if jnp.finfo(x.dtype).bits < 32 else x


def _from_work(x, like):
    if jnp.iscomplexobj(like):
        return jax.lax.complex(x[..., 0], x[..., 1]).astype(like.dtype)
    return x.astype(like.dtype)


class FusedOptimizer(Optimizer):
    """An optimizer whose rule is a pure function: a subclass gives `_update` (the op), `_shared`, `_plan` and
    `_initial`."""

    _update: Update
    _shared: tuple[str, ...] = ("step",)
    """Names of the state that is one number for parameters that advanced together."""
    _defaults_of_old: dict[str, Any] = {}
    """Options that state dicts saved by older versions lack."""

    _of_numbers: tuple[str, ...] = ()
    """Names among `_shared` that depend on hyperparameters."""
    _alone_with_autograd = True
    """Whether `differentiable=True` refuses `foreach=True`, as PyTorch's does."""
    _to_merge = False
    _optional: tuple[str, ...] = ()
    """Names of state that a parameter which has stepped may lack."""
    _unchecked: frozenset[int] | set[int] = frozenset()
    """Parameters (by id) whose state was loaded and has not been compared with them."""

    @tidied
    def __init__(self, params, defaults: dict[str, Any]) -> None:
        super().__init__(params, defaults)
        self._flat_states = FlatStates()
        self._rates: dict[int, Value] = {}

    def __setstate__(self, state: dict[str, Any]) -> None:
        states = state.get("state", {})
        for s in [states.get(p) for group in state.get("param_groups", ()) for p in group["params"]]:
            for name in self._shared:
                if s and s.get(name) is None:
                    raise KeyError(name)
        super().__setstate__(state)
        self._flat_states = FlatStates()
        self._rates = {}
        self._to_merge = True
        for group in self.param_groups:
            for name, value in self._defaults_of_old.items():
                group.setdefault(name, value)
            for p in group["params"]:
                s = self.state.get(p)
                if s is None:
                    continue
                for name in [k for k, v in s.items() if v is None]:
                    del s[name]
                for name in self._shared:
                    if name in s and not isinstance(s[name], Tensor):
                        s[name] = _scalar_tensor(p, float(s[name]))
        self._unchecked = {id(p) for group in self.param_groups for p in group["params"] if self.state.get(p)}

    def _check_loaded(self) -> None:
        """Raises RuntimeError for loaded state that is not of its parameter's shape. It is checked before the first
        step that uses it, as PyTorch raises then, and before any parameter moves."""
        for group in self.param_groups:
            names = self._plan(group)[1]
            for p in group["params"]:
                if id(p) not in self._unchecked or p.grad is None:
                    continue
                for name in names:
                    found = self.state[p].get(name)
                    if isinstance(found, Tensor) and found.shape != p.shape:
                        raise RuntimeError(
                            _misfit(type(self).__name__, name, tuple(found.shape), tuple(p.shape))
                        )
                self._unchecked -= {id(p)}

    def _plan(self, group: dict[str, Any]) -> tuple[tuple, tuple[str, ...], tuple]:
        """(structure, names of the state kept per parameter, hyperparameters) of a group."""
        raise NotImplementedError

    def _initial(self, name: str, group: dict[str, Any]) -> Any:
        """The number that state starts at."""
        return 0.0

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step: every parameter that has a gradient moves. Returns what `closure`, if given, returns."""
        loss = None
        here = _thread.here
        grad = here.grad
        try:
            if closure is not None:
                here.grad = True
                loss = closure()
            here.grad = bool(self.defaults.get("differentiable")) or (grad and OFF)
            if self._unchecked:
                self._check_loaded()
            for group in self.param_groups:
                if here.grad and group["foreach"] and self._alone_with_autograd:
                    raise AssertionError("_foreach ops don't support autograd")
                self._step_group(group)
        finally:
            here.grad = grad
        return loss

    def _step_group(self, group: dict[str, Any]) -> None:  # hot path
        params, grads = [], []
        for p in group["params"]:
            edge = p._edge
            g = edge[0].held if edge is not None and type(edge[0]) is Leaf else p.grad
            if g is not None:
                params.append(p)
                grads.append(g if g.__class__ is Value or not g.is_sparse else self._dense(g, group))
        if params:
            self._step_params(group, params, grads, *self._plan(group))
            here = _thread.here
            if not (here.rec.level or here.grad):
                here.rec.gradients += grads

    def _dense(self, grad: Tensor, group: dict[str, Any]) -> Tensor:
        """A sparse gradient as a dense one, which gives the same step; refused where PyTorch refuses it."""
        raise RuntimeError(f"{type(self).__name__} does not support sparse gradients")

    def _step_params(self, group, params: list, grads: list, structure, names, numbers) -> None:  # hot path
        """Steps the parameters of a group in one op, from their gradients, their states `names` and the
        hyperparameters. Goes another way where parameters share memory, lie on several devices, differ in shared state
        or are views, and inside of transforms."""
        columns: list[list[Tensor]] = []
        shared: list[list[Tensor]] = []
        scalars: list[Value] = []
        n = len(params)
        cells = [p._cell for p in params]
        if len(set(cells)) < n:
            self._step_in_turn(group, params, grads, structure, names, numbers)
            return
        together = len({p._aval.device for p in params}) == 1
        here = _thread.here
        if names or self._shared:
            state = self.state
            states = list(map(state.__getitem__, params))
            try:
                columns = [[s[name] for s in states] for name in names]
                shared = [[s[name] for s in states] for name in self._shared]
            except KeyError:
                self._start(group, params, states, names)
                columns = [[s[name] for s in states] for name in names]
                shared = [[s[name] for s in states] for name in self._shared]
            for tensors in shared:
                values = {t._cell.value if not t._lenses else read(t) for t in tensors}
                if len(values) > 1:
                    together = False
                    break
                scalars += values
        if not together:
            self._step_sets(group, params, grads, structure, names, numbers, shared)
            return
        static = (n, len(columns), len(scalars), bool(group["maximize"]), structure)
        flat = None
        by_tensors = here.rec.level or here.grad
        if n >= LEAST_MEMBERS and not by_tensors:
            flat, is_new = self._flat_states.get(params, columns)
            if is_new:
                for name, column in zip(names, flat.columns):
                    for s, t in zip(states, column):
                        s[name] = t
        single = [] if flat is not None else [t for column in columns for t in column]
        if by_tensors or any(t._lenses for t in params + single):
            grads = [make_tensor(g, 0) if g.__class__ is Value else g for g in grads]
            self._step_by_tensors(static, params, grads, columns, shared, numbers)
            return
        if flat is not None:
            static += ("flat",)
        cells += [t._cell for t in single] if flat is None else flat.cells
        inputs: list[Any] = [c.value for c in cells]
        inputs[n:n] = [g if g.__class__ is Value else read(g) for g in grads]
        inputs += scalars
        inputs += self._hyperparameters(group, numbers, params[0]._aval.device)
        _, results = record(here.rec, self._update, static, inputs)
        if here.run_at_once:
            for value in results:
                force(value)
        for cell, value in zip(cells, results):
            cell.value = value
            cell.version += 1
        writes.last = object()
        for tensors, value in zip(shared, results[len(cells) :]):
            for t in tensors:
                t._cell.value = value

    def _hyperparameters(self, group, numbers, on) -> list:  # hot path
        """The hyperparameters as inputs of the op.

        The first, nearly always the learning rate, which schedules change, is one of the program from the first step
        on; the others become one when they change."""
        if not numbers:
            return []
        rate, *others = numbers
        rate = self._rate(group, rate, on) if type(rate) is float else read(rate)
        return [rate, *[x if type(x) is float else read(x) for x in others]]

    def _rate(self, group, rate: float, on) -> Value:  # hot path
        held = self._rates.get(id(group))
        if held is None or held.array != rate or held.aval.device is not on:
            held = self._rates[id(group)] = number_value(rate, on)
        return held

    def rates(self) -> list[Value]:
        """The learning rates of the groups, as inputs of the op."""
        return [self._rate(g, g["lr"], g["params"][0]._aval.device) for g in self.param_groups if g["params"]]

    def rates_are_inputs(self) -> bool:
        """Returns whether a step depends on each group's learning rate as the op's first number alone, so that another one is
        the same step."""
        for group in self.param_groups:
            rate = group.get("lr")
            if type(rate) is not float:
                return False
            structure, names, numbers = self._plan(group)
            other = self._plan({**group, "lr": 1.5 * rate + 1.0})
            if numbers[0] is not rate or other != (structure, names, (1.5 * rate + 1.0, *numbers[1:])):
                return False
        return True

    def _step_in_turn(self, group, params, grads, structure, names, numbers) -> None:
        """Steps parameters of which some have the same memory, one after the other."""
        for p, g in zip(params, grads):
            self._step_params(group, [p], [g], structure, names, numbers)

    def _step_by_tensors(self, static, params, grads, columns, shared, numbers) -> None:
        """The same, for tensors that are views, inside transforms, and for steps that are differentiated, which are
        ordinary writes."""
        for t in params:
            check_writable(t)
        overwrite = write_inplace if _thread.grad else replace
        firsts = [tensors[0] for tensors in shared]
        flat = [t for tensors in (params, grads, *columns, firsts) for t in tensors]
        results = iter(apply_op(self._update, static, (*flat, *numbers)))
        for tensors in (params, *columns):
            for t in tensors:
                overwrite(t, next(results))
        moving = any(isinstance(x, Tensor) and x.requires_grad for x in numbers)  # type: ignore[attr-defined]
        for name, tensors, value in zip(self._shared, shared, results):
            for t in tensors:
                (overwrite if moving and name in self._of_numbers else replace)(t, value)

    def _step_sets(self, group, params, grads, structure, names, numbers, shared) -> None:
        """Steps parameters that are on several devices, or whose counts differ, in sets that are alike."""
        if self._to_merge:
            self._to_merge = False
            _merge(params, shared)
        sets: dict[tuple, list[int]] = {}
        for i, p in enumerate(params):
            sets.setdefault((p._aval.device, *[read(tensors[i]) for tensors in shared]), []).append(i)
        for members in sets.values():
            some = [params[i] for i in members], [grads[i] for i in members]
            self._step_params(group, *some, structure, names, numbers)

    def _start(self, group, params, states, names) -> None:
        """Makes the state that parameters lack. Parameters that start together share their scalars.

        Raises KeyError for a parameter that has a part of its state."""
        for s in states:
            for name in (*names, *self._shared):
                if s and name not in s and name not in self._optional:
                    raise KeyError(name)
        begun: dict[tuple, Value] = {}
        for p, s in zip(params, states):
            fresh = {}
            for name in self._shared:
                if name in s:
                    continue
                key = (name, p._aval.device)
                if key not in begun:
                    begun[key] = _scalar_tensor(p, self._initial(name, group))._cell.value
                fresh[name] = make_tensor(begun[key], 0)
            for name in names:
                if name not in s:
                    fresh[name] = _filled_like(p, self._initial(name, group))
            s.update(fresh)


def _misfit(optimizer: str, name: str, found: tuple[int, ...], wanted: tuple[int, ...]) -> str:
    """The error for state of another shape than its parameter's: PyTorch's, and whose state it is."""
    try:
        together = np.broadcast_shapes(found, wanted)
    except ValueError:
        pairs = list(zip_longest(found[::-1], wanted[::-1], fillvalue=1))
        at = next(i for i, (a, b) in enumerate(pairs) if a != b and 1 not in (a, b))
        a, b = pairs[at]
        dim = max(len(found), len(wanted)) - 1 - at
        says = f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension {dim}"
    else:
        small = found if found != together else wanted
        says = f"output with shape {list(small)} doesn't match the broadcast shape {list(together)}"
    return (
        f"{says}: {optimizer} loaded {name!r} of shape {list(found)} for a parameter of shape {list(wanted)}. Pass the "
        "parameters in the order in which they were passed when the state dict was saved."
    )


def _number(x: Any) -> Any:
    return float(x.item()) if isinstance(x, Tensor) else x


def _placed(array: np.ndarray, p: Tensor) -> Tensor:
    return make_tensor(concrete(array, p._aval.device), 0)


def _scalar_tensor(p: Tensor, number: Any) -> Tensor:
    wide = dtypes.default_dtype() is dtypes.float64
    return _placed(np.asarray(_number(number), np.float64 if wide else np.float32), p)


def _filled_like(p: Tensor, number: Any) -> Tensor:
    number = _number(number)
    if p._aval.dtype.is_complex and number:
        number = complex(number, number)
    return _placed(np.full(p._aval.shape, number, p._aval.dtype.np), p)


def _merge(params, shared) -> None:
    """Lets scalars that are equal be the same Value again, after loading or copying."""
    for tensors in shared:
        known: dict[tuple, Value] = {}
        for p, t in zip(params, tensors):
            value = read(t)
            if not t._lenses:
                t._cell.value = known.setdefault(
                    (p._aval.device, t._aval.dtype, float(force_array(value))), value
                )
