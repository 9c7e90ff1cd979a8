"""Modules of flax as modules of this library, and the reverse.

`from_nnx` and `from_linen` give an `nn.Module` whose forward is one op, with gradients; `to_nnx` an `nnx.Module` that
runs under JAX.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from functorch_lite._core.api import Tensor, tidied, update
from functorch_lite._core.api import functions as torch
from functorch_lite.autograd.grad_mode import no_grad
from functorch_lite.compat.jax_bridge import from_jax, to_jax
from functorch_lite.compat.jax_function import jax_function
from functorch_lite.compat.jax_types import in_default_types
from functorch_lite.compat.pure import as_pure
from functorch_lite.nn.modules.module import Module
from functorch_lite.nn.parameter import Parameter

try:
    import flax.linen
    import flax.traverse_util
    from flax import nnx
    from flax.core import meta, unfreeze
except ModuleNotFoundError as error:
    if error.name is None or error.name.partition(".")[0] != "flax":
        raise
    raise ModuleNotFoundError(
        "functorch_lite.compat.flax needs flax: pip install 'functorch_lite[flax]'", name="flax"
    ) from None

__all__ = ["LinenModule", "NNXModule", "TorchModule", "from_linen", "from_nnx", "to_nnx"]


class _Folder(Module):
    """Parameters and buffers below a name."""

    def forward(self) -> None:
        raise NotImplementedError("a part of a flax module, which is called as a whole")


class _Wrapped(Module):
    """Base of modules made of flax's: arrays by their paths, as parameters and buffers, and the op of each mode."""

    def __init__(self) -> None:
        super().__init__()
        self._ops: dict[Any, Callable] = {}
        self._places: dict[tuple, tuple[Module, str, bool]] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_ops": {}}

    def _put(self, path: tuple, array: Any, trains: bool) -> None:
        """Registers an array under its path. A key of random numbers is kept as its words."""
        at: Module = self
        *folders, last = ".".join(map(str, path)).split(".")
        for part in folders:
            inner = at._modules.get(part)
            if inner is None:
                inner = _Folder()
                at.add_module(part, inner)
            at = inner
        if jnp.issubdtype(array.dtype, jax.dtypes.prng_key):
            array = jax.random.key_data(array)
        tensor = from_jax(jnp.asarray(array))
        if trains and tensor.is_floating_point():
            at.register_parameter(last, Parameter(tensor))
        else:
            at.register_buffer(last, tensor)
            trains = False
        self._places[path] = (at, last, trains)

    def _held(self) -> tuple[dict[tuple, Tensor], dict[tuple, Tensor]]:
        """(parameters, buffers) by path."""
        params, buffers = {}, {}
        for path, (at, name, trains) in self._places.items():
            (params if trains else buffers)[path] = getattr(at, name)
        return params, buffers

    def _write(self, changed: dict[tuple, Tensor]) -> None:
        _, buffers = self._held()
        with no_grad():
            for path, new in changed.items():
                update(buffers[path], new.to(buffers[path].dtype))


def _changed(
    before: dict[tuple, Any], after: dict[tuple, Any], who: str, trained: Sequence[tuple]
) -> dict[tuple, Any]:
    """The arrays of a state that a call replaced."""
    found = {}
    for path, new in after.items():
        if path not in before:
            raise RuntimeError(
                f"{who}: the call made a new variable {'.'.join(map(str, path))}, which the module did not have when it was wrapped"
            )
        if new is not before[path]:
            if path in trained:
                raise RuntimeError(f"{who}: the call wrote to the parameter {'.'.join(map(str, path))}")
            found[path] = new
    return found


# -- nnx ---------------------------------------------------------------------------------------------------------------


class NNXModule(_Wrapped):
    """An nnx module as an nn.Module: see `from_nnx`. `module` has its structure, but not its values.

    Args:
        module: the nnx module, without its values.
    """

    def __init__(self, module: nnx.Module):
        super().__init__()
        self._kinds: dict[tuple, Any] = {}
        self._keys: dict[tuple, str] = {}
        self._graphs: dict[bool, Any] = {}
        self._name = type(module).__name__
        module = nnx.clone(module)
        for trains in (False, True):
            module.train() if trains else module.eval()
            self._graphs[trains], state = nnx.split(module)
        flat = nnx.to_flat_state(state)
        for path, variable in zip(flat.paths, flat.leaves):
            if isinstance(variable, nnx.Intermediate):
                continue
            value = variable.get_value()
            if not isinstance(value, jax.Array | np.ndarray):
                raise TypeError(
                    f"from_nnx(): the variable {'.'.join(map(str, path))} holds a {type(value).__name__}, not an array"
                )
            if jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
                self._keys[path] = str(jax.random.key_impl(value))
            self._kinds[path] = (type(variable), dict(variable.get_metadata()))
            self._put(path, value, isinstance(variable, nnx.Param))

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        op = self._ops.get(self.training)
        if op is None:
            op = self._ops[self.training] = self._op(self._graphs[self.training])
        params, buffers = self._held()
        out, changed = op(_named(params), _named(buffers), args, kwargs)
        self._write(_by_path(changed))
        return out

    def _op(self, graph: Any) -> Callable:
        kinds, keys, who = self._kinds, self._keys, f"from_nnx({self._name})"

        def call(params, buffers, args, kwargs):
            before = {**_by_path(params), **(held := _by_path(buffers))}
            values = {
                path: jax.random.wrap_key_data(x, impl=keys[path]) if path in keys else x
                for path, x in before.items()
            }
            state = nnx.from_flat_state(
                [(path, kind.from_metadata(values[path], dict(told))) for path, (kind, told) in kinds.items()]
            )
            module = nnx.merge(graph, state)
            out = module(*args, **kwargs)
            flat = nnx.to_flat_state(nnx.state(module))
            after = {
                path: variable.get_value()
                for path, variable in zip(flat.paths, flat.leaves)
                if not isinstance(variable, nnx.Intermediate)
            }
            changed = _changed(values, after, who, [path for path in before if path not in held])
            changed = {p: jax.random.key_data(x) if p in keys else x for p, x in changed.items()}
            return out, _named(changed)

        call.__name__ = self._name
        return jax_function(in_default_types(call))


def _named(by_path: dict[tuple, Any]) -> dict[str, Any]:
    """Names arrays by a string, as dicts of JAX's are sorted, and paths may have both names and numbers. Numbers are
    written with a '#'."""
    return {"/".join([f"#{p}" if isinstance(p, int) else p for p in path]): x for path, x in by_path.items()}


def _by_path(named: dict[str, Any]) -> dict[tuple, Any]:
    return {tuple([int(p[1:]) if p[:1] == "#" else p for p in k.split("/")]): x for k, x in named.items()}


@tidied
def from_nnx(module: nnx.Module) -> NNXModule:
    """An nnx module as an nn.Module of this library.

    Its `nnx.Param` variables become parameters, under their paths ("layers.0.kernel"); all others (batch statistics,
    counts and keys of random numbers) buffers, which a call updates. Arguments are trees of tensors, numbers and what
    is static, as for `jax_function`; results are tensors. `train()` and `eval()` are the module's own, so that Dropout
    and BatchNorm follow them; a new module trains. Random numbers are drawn as the module's `nnx.Rngs` say. It is
    traced as JAX runs it by default, without 64-bit types, unless it is given 64-bit floats. The module that was given
    is not changed.

    Args:
        module: the nnx module; it is not changed.

    >>> linear = from_nnx(nnx.Linear(3, 2, rngs=nnx.Rngs(0)))
    >>> linear(torch.ones(1, 3)).shape, [name for name, _ in linear.named_parameters()]
    (torch.Size([1, 2]), ['bias', 'kernel'])
    """
    if not isinstance(module, nnx.Module):
        raise TypeError(f"from_nnx(): argument 'module' must be an nnx.Module, not {type(module).__name__}")
    return NNXModule(module)


# -- linen -------------------------------------------------------------------------------------------------------------

_FLAGS = {
    "train": True, "training": True, "is_training": True, "is_train": True, "deterministic": False, "use_running_average": False, "eval": False,
}  # fmt: skip
"""Names by which linen modules are told whether they train, and what they then are."""


class LinenModule(_Wrapped):
    """A linen module and its variables as an nn.Module: see `from_linen`.

    Args:
        module: the linen module.
        variables: its variables.
        streams: the names of the random streams of a call in training.
    """

    def __init__(self, module: flax.linen.Module, variables: Any, streams: Sequence[str]):
        super().__init__()
        self.module = module
        self._streams = tuple(streams)
        variables = meta.unbox(unfreeze(variables))
        for path, array in flax.traverse_util.flatten_dict(variables).items():
            collection, *rest = path
            if rest:
                self._put(tuple(rest) if collection == "params" else path, array, collection == "params")
        self._collections = tuple([c for c in variables if c != "params"])
        known = inspect.signature(type(module).__call__).parameters
        self._flag = next((name for name in _FLAGS if name in known), None)

    def forward(self, *args: Any, rngs: dict[str, Any] | None = None, **kwargs: Any) -> Any:
        if self._flag is not None:
            kwargs.setdefault(self._flag, _FLAGS[self._flag] is self.training)
        keys: dict[str, Any] = {}
        if rngs is None and self.training and self._streams:
            words = torch.randint(0, 1 << 31, (len(self._streams), 2), dtype=torch.int64)
            keys = {name: words[i] for i, name in enumerate(self._streams)}
        names = tuple(keys)
        op = self._ops.get((self.training, names))
        if op is None:
            op = self._ops[self.training, names] = self._op(self.training)
        params, buffers = self._held()
        out, changed = op(_named(params), _named(buffers), keys, rngs or {}, args, kwargs)
        self._write(_by_path(changed))
        return out

    def _op(self, training: bool) -> Callable:
        module, collections = self.module, self._collections

        def call(params, buffers, words, rngs, args, kwargs):
            given = _by_path(params), _by_path(buffers)
            flat = {("params", *path): x for path, x in given[0].items()}
            for path, x in given[1].items():
                flat[path if path[0] in collections else ("params", *path)] = x
            variables = flax.traverse_util.unflatten_dict(flat)
            keys = {name: jax.random.wrap_key_data(x.astype(jnp.uint32)) for name, x in words.items()}
            changes = list(collections) if training else False
            out = module.apply(variables, *args, rngs={**keys, **rngs}, mutable=changes, **kwargs)
            if not training:
                return out, {}
            out, after = out
            after = flax.traverse_util.flatten_dict(unfreeze(after))
            return out, _named(_changed(flat, after, f"from_linen({type(module).__name__})", ()))

        call.__name__ = type(module).__name__
        return jax_function(in_default_types(call))


@tidied
def from_linen(
    module: flax.linen.Module,
    *args: Any,
    key: Any = None,
    variables: Any = None,
    streams: Sequence[str] = ("dropout",),
    **kwargs: Any,
) -> LinenModule:
    """A linen module as an nn.Module of this library.

    Parameters have their paths as names ("Dense_0.kernel"); other collections become buffers below the collection's
    name ("batch_stats.BatchNorm_0.mean"), which a call in training updates.

    An argument of `__call__` that tells whether it trains (train, training, is_training, deterministic,
    use_running_average) follows `train()` and `eval()`, unless it is given. While it trains, the random streams named
    in `streams` have keys drawn from the default generator, so `torch.manual_seed` repeats them;
    `rngs={"dropout": key}` gives others. Types are as for `from_nnx`.

    Args:
        module: the linen module.
        key: the key for `module.init`. None (the default) draws one from the global generator.
        variables: the variables, as `module.init` returns them. None (the default) initializes
            them from example arguments.
        streams: the names of the random streams of a call in training. Default: ('dropout',).

    >>> dense = from_linen(flax.linen.Dense(2), torch.ones(1, 3))
    >>> dense(torch.ones(1, 3)).shape
    torch.Size([1, 2])
    """
    if not isinstance(module, flax.linen.Module):
        raise TypeError(
            f"from_linen(): argument 'module' must be a linen module, not {type(module).__name__}"
        )
    if variables is None:
        if key is None:
            words = torch.randint(0, 1 << 31, (2,), dtype=torch.int64)
            key = jax.random.wrap_key_data(to_jax(words).astype(jnp.uint32))
        known = inspect.signature(type(module).__call__).parameters
        for name, value in _FLAGS.items():
            if name in known and name not in kwargs:
                kwargs[name] = not value  # as it is not trained
                break
        init = in_default_types(lambda *args, **kwargs: module.init(key, *args, **kwargs))
        variables = init(*to_jax(list(args)), **to_jax(kwargs))
    elif args or kwargs:
        raise TypeError("from_linen(): example arguments are for making variables, which are given")
    return LinenModule(module, variables, streams)


# -- and back ----------------------------------------------------------------------------------------------------------


class TorchModule(nnx.Module):
    """An nn.Module of this library as an nnx module: see `to_nnx`.

    `params` and `buffers` hold its variables by their names."""

    def __init__(self, module: Module, rngs: nnx.Rngs | None = None):
        params, buffers, apply = as_pure(module, buffers=True)
        self.params = nnx.data({name: nnx.Param(x) for name, x in params.items()})
        self.buffers = nnx.data({name: nnx.BatchStat(x) for name, x in buffers.items()})
        self.rngs = rngs
        self.deterministic = not module.training
        self.module = nnx.static(module)
        self._apply = nnx.static(apply)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        before = [m.training for m in self.module.modules()]
        if self.module.training is self.deterministic:
            self.module.train(not self.deterministic)
        key = self.rngs() if self.rngs is not None and not self.deterministic else None
        params = {name: v.get_value() for name, v in self.params.items()}
        buffers = {name: v.get_value() for name, v in self.buffers.items()}
        try:
            out, after = self._apply(params, buffers, *args, rng=key, **kwargs)
        finally:
            for m, training in zip(self.module.modules(), before):
                m.training = training
        for name, x in after.items():
            if x is not buffers[name]:
                self.buffers[name].set_value(x)
        return out


@tidied
def to_nnx(module: Module, rngs: nnx.Rngs | None = None) -> TorchModule:
    """An nn.Module of this library as an nnx module, for nnx.jit, nnx.grad, nnx.Optimizer and all that takes one.

    Its parameters are `nnx.Param`s, its buffers `nnx.BatchStat`s, by their names in the dicts `params` and `buffers`;
    they are copies, and the module is not changed by what becomes of them. `train()` and `eval()` are followed. rngs:
    for draws while it trains, such as dropout; one key of `rngs` is taken for each call.

    Args:
        module: the nn.Module; it is not changed.
        rngs: the `nnx.Rngs` for draws in training, such as dropout. None is the default.

    >>> model = to_nnx(torch.nn.Linear(3, 2))
    >>> nnx.grad(lambda m: m(jnp.ones((1, 3))).sum())(model)["params"]["bias"].get_value()
    Array([1., 1.], dtype=float32)
    """
    if not isinstance(module, Module):
        raise TypeError(f"to_nnx(): argument 'module' must be an nn.Module, not {type(module).__name__}")
    return TorchModule(module, rngs)
