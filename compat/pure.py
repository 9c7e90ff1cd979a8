"""as_pure: a module of this library as parameters and a pure function of JAX arrays, for the user's own jax.jit, grad,
vmap and shard_map."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from functorch_lite._core.api import Tensor, tidied
from functorch_lite.compat.jax_bridge import from_jax, to_jax
from functorch_lite.func.modules import functional_call
from functorch_lite.nn.modules.module import Module
from functorch_lite.random.generator import default_generator, drawing, thread_safe_generator

__all__ = ["as_pure"]

_WRITTEN = (
    "as_pure: the call wrote to the buffer {!r}, which a pure function cannot. Have buffers as arguments and results, "
    "as_pure(module, buffers=True), or call module.eval() first"
)
_RANDOM = "as_pure: the call draws random numbers, which a compiled program would keep. Give a key, apply(…, rng=jax.random.key(0)), or call module.eval()"


@tidied
def as_pure(module: Module, buffers: bool = False) -> tuple:
    """A module's parameters as a dict of jax arrays by their names, and the module as a pure function of them.

    Without buffers: `(params, apply)`, and `apply(params, *args, rng=None, **kwargs)` gives what the module returns.
    Buffers are read from the module when it is called; a call that writes to one, as BatchNorm does in training,
    raises RuntimeError. With buffers=True: `(params, buffers, apply)`, and `apply(params, buffers, *args, rng=None,
    **kwargs)` gives `(result, new buffers)`.

    Arguments are pytrees of jax arrays, which the module sees as tensors; tensors in the result are arrays. apply may
    be transformed by JAX as any function (`jax.jit`, `grad`, `vmap`, `lax.scan`, `shard_map`); nothing compiles but
    what JAX compiles. Tied parameters occur once in the dict. rng: a JAX key, from which every draw of the call is
    made; a call that draws without one (dropout in training) raises RuntimeError. The module is as it was afterwards;
    whether it trains is read at the call.

    Args:
        module: the module.
        buffers: whether buffers are arguments and results of the pure function. Default: False.

    >>> params, apply = as_pure(torch.nn.Linear(3, 2))
    >>> jax.grad(lambda p: apply(p, jnp.ones((1, 3))).sum())(params)["bias"]
    Array([1., 1.], dtype=float32)
    """
    if not isinstance(module, Module):
        raise TypeError(f"as_pure(): argument 'module' must be an nn.Module, not {type(module).__name__}")
    params = {name: to_jax(p.detach()) for name, p in module.named_parameters()}
    if buffers:

        def apply_with_buffers(
            params: dict, buffers: dict, *args: Any, rng: Any = None, **kwargs: Any
        ) -> tuple:
            """(result, new buffers)."""
            return _applied(module, params, buffers, rng, args, kwargs)

        held = {name: to_jax(b.detach()) for name, b in module.named_buffers()}
        return params, held, apply_with_buffers

    def apply(params: dict, *args: Any, rng: Any = None, **kwargs: Any) -> Any:
        """The module's result."""
        held = {name: to_jax(b.detach()) for name, b in module.named_buffers()}
        result, after = _applied(module, params, held, rng, args, kwargs)
        for name, before in held.items():
            if after[name] is not before:
                raise RuntimeError(_WRITTEN.format(name))
        return result

    return params, apply


def _applied(module: Module, params: dict, buffers: dict, rng: Any, args: tuple, kwargs: dict) -> tuple:
    """(the module's result, its buffers afterwards), as jax arrays."""
    params, held_as, args, kwargs = _varying_alike((params, buffers, args, kwargs))
    given = {**from_jax(dict(params)), **(held := from_jax(dict(held_as)))}
    versions = {name: t._cell.version for name, t in held.items()}
    args, kwargs = jax.tree.map(_tensor, (args, kwargs))
    with _drawing_from(rng):
        result = functional_call(module, given, args, kwargs)
        leaves, structure = jax.tree.flatten(result)
        arrays = [_array(x) for x in leaves]
        after = {
            name: buffers[name] if t._cell.version == versions[name] else _array(t)
            for name, t in held.items()
        }
    return structure.unflatten(arrays), after


def _varying_alike(tree: Any) -> Any:
    """The same arrays; in a shard_map, where some differ from device to device, all as such that do.

    JAX does this in each of its functions, but not where it runs a recorded program."""
    leaves, structure = jax.tree.flatten(tree)
    axes = [_varies_over(x) for x in leaves]
    every = frozenset().union(*axes)
    if not every:
        return tree
    varied = [
        jax.lax.pcast(x, tuple(sorted(every - has)), to="varying")
        if isinstance(x, jax.Array) and every - has
        else x
        for x, has in zip(leaves, axes)
    ]
    return structure.unflatten(varied)


def _varies_over(x: Any) -> frozenset:
    """The axes of the devices over which an array differs, in a shard_map."""
    if not isinstance(x, jax.Array):
        return frozenset()
    kind = jax.typeof(x)
    return kind.mat.varying if hasattr(kind, "mat") else getattr(kind, "vma", frozenset())  # of older JAX


def _tensor(x: Any) -> Any:
    return from_jax(x) if isinstance(x, jax.Array | np.ndarray) and _is_plain(x) else x


def _is_plain(x: Any) -> bool:
    return not jnp.issubdtype(x.dtype, jax.dtypes.extended)


def _array(x: Any) -> Any:
    """A result, in the types that the caller's program has."""
    if not isinstance(x, Tensor):
        return x
    array = to_jax(x.detach())
    kind = jax.dtypes.canonicalize_dtype(array.dtype)
    return array if kind == array.dtype else jax.lax.convert_element_type(array, kind)


@contextlib.contextmanager
def _drawing_from(rng: Any) -> Iterator[None]:
    """A context in which the draws of the default generator are made from a key of JAX's; without one they are
    refused."""
    generator = thread_safe_generator() or default_generator
    drawn = generator._drawn
    if rng is None:
        with drawing() as keys:
            yield
        if keys:
            generator._drawn = drawn
            raise RuntimeError(_RANDOM)
        return
    if generator.engine != "threefry":
        raise RuntimeError(
            "as_pure: rng= needs torch.random.set_default_engine('threefry'), whose draws are functions of a key"
        )
    data = rng if not jnp.issubdtype(rng.dtype, jax.dtypes.prng_key) else None
    base = jax.random.wrap_key_data(data) if data is not None else rng
    count = 0

    def key() -> Any:
        nonlocal count
        count += 1
        words = jax.random.key_data(jax.random.fold_in(base, count)).reshape(-1)[:2]
        return words.astype(jnp.uint32)

    generator.key = key  # type: ignore[method-assign]
    try:
        with drawing():
            yield
    finally:
        del generator.key
