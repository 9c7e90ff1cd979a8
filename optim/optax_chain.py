"""An optax transformation as an op on flat lists of arrays: parameters, gradients, the leaves of its state,
hyperparameters.

The design follows from two facts about optax: a state is a pytree of arrays, whose structure `init` alone decides,
and the numbers that may change between steps are the ones injected by `optax.inject_hyperparams`, which stores them
in the state.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.tree_util import keystr, tree_flatten, tree_flatten_with_path, tree_unflatten

from functorch_lite._core.api import DerivedOp, is_bool, is_real, is_whole
from functorch_lite.optim.joined import Joined, evaluate

__all__ = [
    "Chain", "Parts", "Plan", "as_in_jax", "chain_of", "is_transformation", "leaves_of", "structure_of",
]  # fmt: skip

OPTIONS = {"learning_rate": "lr"}
"""Names of optax's that torch has another one for."""


def is_transformation(x: Any) -> bool:
    """Returns whether something is an optax transformation: a pair (init, update)."""
    return callable(getattr(x, "init", None)) and callable(getattr(x, "update", None))


def leaves_of(state: Any) -> list[jax.Array]:
    """The leaves of a state as arrays that are tensors elsewhere: keys of random numbers as their words."""
    return [jax.random.key_data(x) if _is_key(x) else jnp.asarray(x) for x in jax.tree.leaves(state)]


def _is_key(x: Any) -> bool:
    return hasattr(x, "dtype") and jnp.issubdtype(x.dtype, jax.dtypes.prng_key)


def as_in_jax(arrays: Sequence[Any]) -> contextlib.AbstractContextManager:
    """The setting of JAX under which a program that has these arrays is written: 64-bit types only if it has 64-bit
    floats.

    Everything in this library is traced with 64-bit types on, where `jnp.zeros(3)` is float64 and a count divided by 10
    too.
    """
    return jax.enable_x64(any(jnp.issubdtype(a.dtype, jnp.inexact) and _is_wide(a.dtype) for a in arrays))


def _is_wide(dtype: Any) -> bool:
    return jnp.finfo(dtype).bits == 64


class _Init(DerivedOp):
    """The leaves of the first state. static: the structure of the parameters' tree."""

    __slots__ = ("init",)

    def __init__(self, init: Callable):
        super().__init__(None, "optax_init")
        self.init = init

    def call(self, static, inputs):
        with as_in_jax(inputs):
            return leaves_of(self.init(tree_unflatten(static, inputs)))


class _Step(DerivedOp):
    """A step: new parameters, and the new leaves of the state. static: a Plan, which flat arrays the leaves are kept
    in, which parameters have gradients (None: all), whether to ascend, and the names of the extra arguments.

    A parameter that has no gradient is given a gradient of zeros, and stays as it is."""

    __slots__ = ("update",)

    def __init__(self, update: Callable):
        super().__init__(None, "optax_step")
        self.update = update

    def packs(self, static):
        """(result, input) pairs of what it replaces: see _core/run/packing.py."""
        n = static[0].n
        return [(i, i) for i in range(n)]

    def call(self, static, inputs):
        plan, parts, present, maximize, extra = static
        n = plan.n
        k = n if present is None else sum(present)
        params, grads, rest = list(inputs[:n]), list(inputs[n : n + k]), list(inputs[n + k :])
        if maximize:
            grads = [-g for g in grads]
        if present is not None:
            left = iter(grads)
            grads = [next(left) if there else jnp.zeros_like(p) for there, p in zip(present, params)]
        kept, rest = rest[: len(parts)], rest[len(parts) :]
        numbers = [_of_kind(x, plan.leaves[at]) for x, at in zip(rest, plan.options.values())]
        with as_in_jax(params):
            args = {name: _narrow(x) for name, x in zip(extra, rest[len(numbers) :])}

            def step(*arrays):
                return self._updated(plan, arrays, args)

            joined = present is None and parts.computed_as_one(step, params, grads, kept, numbers)
            if not joined:
                leaves = parts.split(kept)
                for at, x in zip(plan.options.values(), numbers):
                    leaves[at] = x
                results = step(*params, *grads, *leaves)
                new, kept = results[:n], parts.join(results[n:])
            else:
                new, kept = joined
        if present is not None:
            new = [x if there else p for x, there, p in zip(new, present, params)]
        return [x.astype(p.dtype) for x, p in zip(new, params)] + kept

    def _updated(self, plan: Plan, arrays: Sequence[Any], extra: dict[str, Any]) -> list[Any]:
        """New parameters, and the leaves of the new state, of parameters, gradients and the state's leaves."""
        n = plan.n
        leaves = list(arrays[2 * n :])
        for at, impl in plan.keys.items():
            leaves[at] = jax.random.wrap_key_data(leaves[at], impl=impl)
        state = tree_unflatten(plan.structure, leaves)
        tree = tree_unflatten(plan.params, arrays[:n])
        updates, state = self.update(tree_unflatten(plan.params, arrays[n : 2 * n]), state, tree, **extra)
        new = jax.tree.leaves(optax.apply_updates(tree, updates))
        after, structure = leaves_of(state), jax.tree.structure(state)
        if structure != plan.structure:
            raise ValueError(f"optax: a state of structure {plan.structure} became one of {structure}")
        for path, old, leaf in zip(plan.paths, plan.leaves, after):
            if (old.shape, old.dtype) != (leaf.shape, leaf.dtype):
                raise ValueError(
                    f"optax: the state's {path} was {old.dtype}{list(old.shape)} and became {leaf.dtype}{list(leaf.shape)}. A step must keep "
                    "shapes and dtypes: let init make it as update does"
                )
        return [*new, *after]


def _of_kind(x: Any, leaf: Any) -> Any:
    """A hyperparameter as the state's leaf for it is."""
    return jnp.reshape(x.astype(leaf.dtype) if hasattr(x, "dtype") else np.asarray(x, leaf.dtype), leaf.shape)


def _narrow(x: Any) -> Any:
    """A number as it is in a program without 64-bit types."""
    x = jnp.asarray(x)
    return x if jax.config.jax_enable_x64 else x.astype(jax.dtypes.canonicalize_dtype(x.dtype))


class Plan:
    """A chain on parameters of given shapes: the structures of parameters and state, the state's leaves, where the
    options are among these."""

    __slots__ = ("keys", "leaves", "n", "options", "params", "paths", "structs", "structure")

    def __init__(self, init: Callable, params: Any, structs: Sequence[jax.ShapeDtypeStruct]):
        self.params = params
        self.n = len(structs)
        self.structs = tuple(structs)
        with as_in_jax(structs):
            state = jax.eval_shape(init, tree_unflatten(params, structs))
            kinds: list[Any] = []

            def seen(state: Any) -> list[jax.Array]:
                kinds[:] = [jax.random.key_impl(x) if _is_key(x) else None for x in jax.tree.leaves(state)]
                return leaves_of(state)

            shapes = jax.eval_shape(seen, state)
        found, self.structure = tree_flatten_with_path(state)
        self.paths = tuple([keystr(path) for path, _ in found])
        self.keys = {i: impl for i, impl in enumerate(kinds) if impl is not None}
        self.leaves = tuple(shapes)
        at = {path: i for i, path in enumerate(self.paths)}
        self.options: dict[str, int] = {}
        names: dict[str, list[int]] = {}
        for path, inner in _injected(state):
            for name in inner.hyperparams:
                if name not in inner.hyperparams_states:
                    names.setdefault(OPTIONS.get(name, name), []).append(at[f"{path}.hyperparams[{name!r}]"])
        for name, places in sorted(names.items()):
            if len(places) == 1:
                self.options[name] = places[0]


def _injected(state: Any) -> list[tuple[str, Any]]:
    """The states of `inject_hyperparams` in a state, with the paths that lead to them."""

    def is_one(x):
        return hasattr(x, "hyperparams") and hasattr(x, "hyperparams_states")

    found = []
    for path, x in tree_flatten_with_path(state, is_leaf=is_one)[0]:
        if is_one(x):
            found.append((keystr(path), x))
            inner = _injected(x.inner_state)
            found += [(f"{keystr(path)}.inner_state{p}", s) for p, s in inner]
    return found


class Parts:
    """Storage of the leaves of a state: each by itself, or, many small ones of a dtype, in one flat array.

    The arguments and results of a program cost about 4 µs each to dispatch; forty layers under Adam have 160 leaves.
    `apart`: leaves that are not stored, because every step receives new ones.
    """

    __slots__ = ("_shapes", "apart", "flats", "leaves", "n", "singles", "small")

    LEAST_MEMBERS, LARGEST_MEMBER = 8, 8192

    def __init__(self, plan: Plan, join: bool, apart: Sequence[int] = ()):
        self.leaves = plan.leaves
        self.n = plan.n
        self.apart = tuple(apart)
        small: dict[Any, list[int]] = {}
        for i, leaf in enumerate(self.leaves):
            if join and i not in self.apart and leaf.size <= self.LARGEST_MEMBER:
                small.setdefault(np.dtype(leaf.dtype), []).append(i)
        self.flats = [members for members in small.values() if len(members) >= self.LEAST_MEMBERS]
        elsewhere = {*self.apart, *[i for members in self.flats for i in members]}
        self.singles = [i for i in range(len(self.leaves)) if i not in elsewhere]
        self.small = self._small_parameters(plan) if join else []
        self._shapes = [plan.structs[i].shape for i in self.small]

    def _small_parameters(self, plan: Plan) -> list[int]:
        """Parameters that may be computed as one: many, small, of one dtype that no rounding comes between."""
        dtypes = [np.dtype(s.dtype) for s in plan.structs]
        if dtypes[0] not in (np.float32, np.float64):
            return []
        small = [
            i
            for i, s in enumerate(plan.structs)
            if dtypes[i] == dtypes[0] and math.prod(s.shape) <= self.LARGEST_MEMBER
        ]
        return small if len(small) >= self.LEAST_MEMBERS else []

    def __len__(self) -> int:
        return len(self.singles) + len(self.flats)

    def split(self, arrays: Sequence[Any]) -> list:
        """The leaves; those apart are None."""
        leaves: list[Any] = [None] * len(self.leaves)
        for i, array in zip(self.singles, arrays):
            leaves[i] = array
        for members, flat in zip(self.flats, arrays[len(self.singles) :]):
            start = 0
            for i in members:
                leaves[i] = _cut(flat, start, self.leaves[i].size).reshape(self.leaves[i].shape)
                start += self.leaves[i].size
        return leaves

    def join(self, leaves: Sequence[Any]) -> list:
        """Joins these leaves into the arrays that are kept."""
        kept = [leaves[i] for i in self.singles]
        for members in self.flats:
            kept.append(jnp.concatenate([leaves[i].reshape(-1) for i in members]))
        return kept

    def computed_as_one(
        self, step: Callable, params: list, grads: list, kept: Sequence[Any], numbers: Sequence[Any]
    ) -> tuple[list, list] | None:
        """(new parameters, what is kept of the new state), where the step treats all small parameters alike; else None:
        see joined.py."""
        if not self.small:
            return None
        n = self.n
        args: list[Any] = [*params, *grads, *self.leaves]
        for i, array in zip([*self.singles, *self.apart], [*kept[: len(self.singles)], *numbers]):
            args[2 * n + i] = array
        pieces = [self._pieces(members) for members in self.flats]
        joined = [Joined(self.small), Joined([n + i for i in self.small])]
        for flat, found in zip(kept[len(self.singles) :], pieces):
            start = 0
            for piece in found:
                size = sum(self.leaves[i].size for i in piece)
                part = _cut(flat, start, size)
                if len(piece) > 1:
                    joined.append(Joined([2 * n + i for i in piece], part))
                else:
                    args[2 * n + piece[0]] = part.reshape(self.leaves[piece[0]].shape)
                start += size
        after = [[i - n for i in one.places] for one in joined[2:]]
        done = evaluate(step, args, joined, [self.small, *after])
        if done is None:
            return None
        results, whole = done
        whole = whole[1:]
        new, leaves = results[:n], results[n:]
        flats = []
        for found in pieces:
            parts = [whole.pop(0) if len(p) > 1 else leaves[p[0]].reshape(-1) for p in found]
            flats.append(jnp.concatenate(parts))
        return new, [*[leaves[i] for i in self.singles], *flats]

    def _pieces(self, members: Sequence[int]) -> list[list[int]]:
        """Members of a flat array: groups of small parameters that form one leaf together, and the other leaves
        alone."""
        pieces, at, m = [], 0, len(self.small)
        while at < len(members):
            piece = list(members[at : at + m])
            if [self.leaves[i].shape for i in piece] != self._shapes:
                piece = piece[:1]
            pieces.append(piece)
            at += len(piece)
        return pieces


def _cut(flat: Any, start: int, size: int) -> Any:
    return flat if size == flat.shape[0] else jax.lax.slice(flat, (start,), (start + size,))


class Chain:
    """An optax transformation and its ops. `numbers`: hyperparameters as they were given, by option."""

    def __init__(self, transformation: Any, numbers: dict[str, Any] | None = None):
        if hasattr(transformation, "gradient_transformation"):  # optax.MultiSteps
            transformation = transformation.gradient_transformation()
        self.transformation = optax.with_extra_args_support(transformation)
        self.numbers = numbers or {}
        self.init = _Init(self.transformation.init)
        self.step = _Step(self.transformation.update)
        self._plans: dict[Hashable, Plan] = {}
        self._parts: dict[tuple, Parts] = {}

    def plan(self, params: Any, structs: Sequence[Any]) -> Plan:
        """The plan for a tree (its structure) of parameters of these shapes and dtypes."""
        key = params, tuple([(s.shape, np.dtype(s.dtype)) for s in structs])
        found = self._plans.get(key)
        if found is None:
            found = self._plans[key] = Plan(self.transformation.init, params, structs)
        return found

    def parts(self, plan: Plan, join: bool, apart: Sequence[int]) -> Parts:
        key = plan, join, tuple(apart)
        found = self._parts.get(key)
        if found is None:
            found = self._parts[key] = Parts(*key)
        return found

    def initial_options(self, plan: Plan) -> dict[str, float]:
        """The hyperparameters that the transformation injects, as Python numbers."""
        if not plan.options:
            return {}
        structs = self._shapes_of(plan)

        def numbers():
            zeros = [jnp.zeros(s.shape, s.dtype) for s in structs]
            leaves = jax.tree.leaves(self.transformation.init(tree_unflatten(plan.params, zeros)))
            return [leaves[at] for at in plan.options.values()]

        with as_in_jax(structs):
            values = jax.jit(numbers)()
        # a float32 as it was written: 0.001, not 0.0010000000474974513
        found = {name: float(str(np.asarray(x))) for name, x in zip(plan.options, values)}
        return {name: self.numbers.get(name, x) for name, x in found.items()}

    def _shapes_of(self, plan: Plan) -> list[jax.ShapeDtypeStruct]:
        (key,) = [key for key, p in self._plans.items() if p is plan]
        return [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in key[1]]  # type: ignore[index]


_made: dict[Hashable, Any] = {}


def chain_of(transformation: Any, hyper: dict[str, Any]) -> Chain:
    """The Chain of a transformation, or of a factory such as `optax.adamw` with its arguments, whose floats are
    injected.

    Chains from one factory, with arguments that differ only in floats, share their ops, so that a further optimizer
    compiles nothing.
    """
    if is_transformation(transformation):
        if hyper:
            raise TypeError(
                f"{sorted(hyper)[0]!r} is an argument of optax's function that makes the transformation, and this one is made: give the "
                "function itself, Optax(params, optax.adamw, learning_rate=1e-3), or inject it there, optax.inject_hyperparams(optax.adamw)(…)"
            )
        return Chain(transformation)
    if not callable(transformation):
        raise TypeError(
            "expected an optax transformation, or a function that makes one such as optax.adamw, but got "
            f"{type(transformation).__name__}"
        )
    hyper = {("learning_rate" if name == "lr" else name): x for name, x in hyper.items()}
    numbers = {k: x for k, x in hyper.items() if _is_number(k, x)}
    rest = {k: x for k, x in hyper.items() if k not in numbers}
    schedules = [k for k, x in rest.items() if k == "learning_rate" and callable(x)]
    if not numbers and not schedules:
        return Chain(transformation(**rest))
    key = transformation, tuple(sorted(numbers)), tuple(sorted(rest.items(), key=lambda item: item[0]))
    try:
        first = _made.get(key)
    except TypeError:  # an argument that cannot be hashed
        key, first = None, None
    if first is None:
        known = inspect.signature(transformation).parameters
        static = [k for k in {*rest, *known} if k not in numbers and k not in schedules]
        made = optax.inject_hyperparams(transformation, static_args=static)(
            **{k: float(x) for k, x in numbers.items()}, **rest
        )
        first = Chain(made)
        if key is not None:
            _made[key] = first
    chain = Chain.__new__(Chain)
    chain.__dict__.update(first.__dict__)
    chain.numbers = {OPTIONS.get(k, k): x for k, x in numbers.items()}
    return chain


def _is_number(name: str, x: Any) -> bool:
    """Returns whether an argument is one to inject: floats, and whatever number a learning rate is. Other ints may be sizes."""
    if is_bool(x) or not is_real(x):
        return False
    return not is_whole(x) or name == "learning_rate"


@functools.cache
def structure_of(n: int, names: tuple[str, ...] | None) -> tuple[Any, tuple[int, ...]]:
    """(the structure of n parameters as a list, or as a dict by their names; the position of each of its leaves among
    them)."""
    tree = list(range(n)) if names is None else dict(zip(names, range(n)))
    order, structure = tree_flatten(tree)
    return structure, tuple(order)
