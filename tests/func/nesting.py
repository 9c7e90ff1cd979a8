"""Random programs under random nestings of transforms, written once for every library that has grad, vmap, jvp, ….

A program maps a vector to an array; so does every transform of one. `build(lib, seed)` makes the same function of a
vector for each library.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

SIZE = 3
MAX_DEPTH = 4

Function = Callable[[Any], Any]


def torch_like(torch) -> SimpleNamespace:
    """What programs are written in, of a library with torch's names."""
    func = torch.func
    checkpoint = importlib.import_module(f"{torch.__name__}.utils.checkpoint").checkpoint
    return SimpleNamespace(
        sin=torch.sin, cos=torch.cos, tanh=torch.tanh, exp=torch.exp, stack=torch.stack, where=torch.where,
        softplus=torch.nn.functional.softplus, sum=lambda x, dim=None: x.sum() if dim is None else x.sum(dim),
        cumsum=torch.cumsum, flip=lambda x: torch.flip(x, (0,)), outer=torch.outer,
        grad=func.grad, vmap=torch.vmap, jacrev=func.jacrev, jacfwd=func.jacfwd, hessian=func.hessian,
        jvp=lambda f, x, v: func.jvp(f, (x,), (v,))[1], vjp=func.vjp,
        linearize=lambda f, x, v: func.linearize(f, x)[1](v),
        value_and_grad=lambda f: lambda x: func.grad_and_value(f)(x)[::-1], array=torch.tensor,
        checkpoint=lambda f, x: checkpoint(f, x, use_reentrant=False), functionalize=func.functionalize,
    )  # fmt: skip


def jax_like() -> SimpleNamespace:
    """The same of JAX."""
    import jax
    import jax.numpy as jnp

    return SimpleNamespace(
        sin=jnp.sin, cos=jnp.cos, tanh=jnp.tanh, exp=jnp.exp, stack=jnp.stack, where=jnp.where,
        softplus=jax.nn.softplus, sum=lambda x, dim=None: jnp.sum(x, axis=dim), cumsum=jnp.cumsum,
        flip=lambda x: jnp.flip(x, 0), outer=jnp.outer,
        grad=jax.grad, vmap=lambda f, in_dims=0, out_dims=0: jax.vmap(f, in_axes=in_dims, out_axes=out_dims),
        jacrev=jax.jacrev, jacfwd=jax.jacfwd, hessian=jax.hessian,
        jvp=lambda f, x, v: jax.jvp(f, (x,), (v,))[1], vjp=jax.vjp,
        linearize=lambda f, x, v: jax.linearize(f, x)[1](v), value_and_grad=jax.value_and_grad, array=jnp.asarray,
        checkpoint=lambda f, x: jax.checkpoint(f)(x), functionalize=lambda f: f,
    )  # fmt: skip


def program(lib, rng: random.Random) -> Function:
    """A smooth function of a vector of SIZE, of a few random ops; its result is a vector or a number."""
    steps = [rng.choice(OPS) for _ in range(rng.randint(2, 5))]
    numbers = [rng.uniform(-1.0, 1.0) for _ in steps]
    reduce = rng.random() < 0.3

    def f(x):
        h = x
        for step, number in zip(steps, numbers):
            h = step(lib, h, x, number)
        return lib.sum(h) if reduce else h

    return f


OPS: list[Callable] = [
    lambda lib, h, x, c: lib.sin(h) * x,
    lambda lib, h, x, c: lib.cos(h + c) + h,
    lambda lib, h, x, c: lib.tanh(h * x),
    lambda lib, h, x, c: lib.exp(lib.sin(h) * c),
    lambda lib, h, x, c: lib.softplus(h - x) * c,
    lambda lib, h, x, c: lib.where(h > c, h * h, h * c),
    lambda lib, h, x, c: lib.cumsum(h * x, 0),
    lambda lib, h, x, c: lib.flip(h) - c * x,
    lambda lib, h, x, c: lib.outer(h, lib.sin(x)) @ x,
    lambda lib, h, x, c: h / (2.0 + lib.cos(x)),
    lambda lib, h, x, c: h * lib.sum(x * c),
]


def _flat_sum(lib, y):
    return lib.sum(lib.sin(y))


def _captured_grad(lib, f, x):
    """A gradient of something that captures a tensor of the level outside."""
    return lib.grad(lambda a: _flat_sum(lib, f(a * x)))(x)


def _rows(lib, x):
    return lib.stack([x, lib.sin(x), x * x], 0)


def _vjp(lib, f, x):
    y, pull = lib.vjp(f, x)
    return pull(lib.cos(y))[0]


def _last_axis(lib, y):
    return lib.sum(y, -1)


TRANSFORMS: dict[str, Callable] = {
    "grad": lambda lib, f, x: lib.grad(lambda a: _flat_sum(lib, f(a)))(x),
    "captured grad": _captured_grad,
    "value and grad": lambda lib, f, x: sum(lib.value_and_grad(lambda a: _flat_sum(lib, f(a)))(x)),
    "jvp": lambda lib, f, x: lib.jvp(f, x, lib.cos(x)),
    "linearize": lambda lib, f, x: lib.linearize(f, x, lib.sin(x)),
    "vjp": _vjp,
    "jacrev": lambda lib, f, x: _last_axis(lib, lib.jacrev(f)(x)),
    "jacfwd": lambda lib, f, x: _last_axis(lib, lib.jacfwd(f)(x)),
    "hessian": lambda lib, f, x: _last_axis(lib, lib.hessian(lambda a: _flat_sum(lib, f(a)))(x)),
    "vmap": lambda lib, f, x: lib.sum(lib.vmap(f)(_rows(lib, x)), 0),
    "vmap of columns": lambda lib, f, x: lib.sum(lib.vmap(f, in_dims=1, out_dims=-1)(_rows(lib, x)), -1),
    "vmap of a captured": lambda lib, f, x: lib.sum(lib.vmap(lambda a: f(a * x))(_rows(lib, x)), 0),
    "checkpoint": lambda lib, f, x: lib.checkpoint(f, x),
    "functionalize": lambda lib, f, x: lib.functionalize(f)(x),
}


def build(lib, seed: int) -> tuple[Function, list[str]]:
    """(the function of a vector that this seed stands for, the transforms in it, the innermost first)."""
    rng = random.Random(seed)
    f = program(lib, rng)
    names = [rng.choice(list(TRANSFORMS)) for _ in range(rng.randint(1, MAX_DEPTH))]
    for name in names:
        f = (lambda transform, inner: lambda x: transform(lib, inner, x))(TRANSFORMS[name], f)
    return f, names


def point(seed: int) -> list[float]:
    """Where to evaluate it."""
    rng = random.Random(-seed - 1)
    return [rng.uniform(-1.5, 1.5) for _ in range(SIZE)]
