"""A second call of any nesting of transforms, with other values, records what the first did: nothing is traced, nothing
compiled.

The function is a new object at every call, as a lambda in a loop is.
"""

from __future__ import annotations

import gc
import random
from sys import getrefcount

import jax
import pytest

import functorch_lite as torch
from functorch_lite.utils.checkpoint import checkpoint
from tests.core.counting import counted
from tests.func import nesting
from tests.support.full import FULL

_traces = [0]


def _listen(event: str, *args, **kwargs) -> None:
    if event.endswith("jaxpr_trace_duration"):
        _traces[0] += 1


jax.monitoring.register_event_duration_secs_listener(_listen)


def _scalar(f):
    return lambda a: f(a).sin().sum()


def _last(y):
    return y.sum(-1)


def _rows(x):
    return torch.stack([x, x.sin(), x * x])


def _vjp(f, x):
    y, pull = torch.func.vjp(f, x)
    return pull(y.cos())[0]


F = torch.func
TRANSFORMS = {
    "grad": lambda f, x: F.grad(_scalar(f))(x),
    "grad of a captured": lambda f, x: F.grad(lambda a: f(a * x).sum())(x),
    "value and grad": lambda f, x: sum(F.grad_and_value(_scalar(f))(x)),
    "vmap": lambda f, x: torch.vmap(f)(_rows(x)).sum(0),
    "vmap in chunks": lambda f, x: torch.vmap(f, chunk_size=2)(_rows(x)).sum(0),
    "vmap of columns": lambda f, x: torch.vmap(lambda a: f(a * x), in_dims=1, out_dims=-1)(_rows(x).T).sum(
        -1
    ),
    "jvp": lambda f, x: F.jvp(f, (x,), (x.cos(),))[1],
    "vjp": _vjp,
    "linearize": lambda f, x: F.linearize(f, x)[1](x.sin()),
    "jacrev": lambda f, x: _last(F.jacrev(f)(x)),
    "jacrev in chunks": lambda f, x: _last(F.jacrev(f, chunk_size=2)(x)),
    "jacfwd": lambda f, x: _last(F.jacfwd(f)(x)),
    "jacfwd in chunks": lambda f, x: _last(F.jacfwd(f, chunk_size=2)(x)),
    "hessian": lambda f, x: _last(F.hessian(_scalar(f))(x)),
    "hessian in chunks": lambda f, x: _last(F.hessian(_scalar(f), chunk_size=2)(x)),
    "checkpoint": lambda f, x: checkpoint(f, x, use_reentrant=False),
}


def program(seed: int):
    """A random program under up to three transforms, made of new function objects at each call, and their names."""
    rng = random.Random(seed)
    inner = nesting.program(nesting.torch_like(torch), rng)
    names = [rng.choice(list(TRANSFORMS)) for _ in range(rng.randint(1, 3))]

    def call(x):
        f = lambda a: inner(a)  # noqa: E731
        for name in names:
            f = (lambda transform, g: lambda a: transform(g, a))(TRANSFORMS[name], f)
        return f(x)

    return call, names


def values(seed: int, backward: bool):
    x = torch.tensor(nesting.point(seed), dtype=torch.float64, requires_grad=backward)
    return x


@pytest.mark.parametrize("seed", range(400 if FULL else 16))
def test_second_call(seed):
    call, names = program(seed)
    backward = seed % 4 == 3

    def run(at):
        x = values(at, backward)
        y = call(x)
        if backward:
            (y,) = torch.autograd.grad(y.sum(), x)
        return y.tolist()

    torch.synchronize()  # what other tests left pending is no part of the first call's program
    first = run(0)
    traces = _traces[0]
    with counted() as compiles:
        second = run(1)
        run(2)
    told = " of ".join(names[::-1])
    assert compiles.n == 0, told
    assert _traces[0] == traces, told
    assert first != second, told
    assert run(0) == first, told


@pytest.mark.parametrize("name", TRANSFORMS)
def test_every_transform_alone(name):
    """Each transform by itself, its function written where it is called."""

    def run(at):
        return TRANSFORMS[name](lambda a: a.sin() * a.sum(), values(at, False)).tolist()

    torch.synchronize()
    run(0)
    traces = _traces[0]
    with counted() as compiles:
        run(1)
    assert compiles.n == 0 and _traces[0] == traces


@pytest.mark.programs
def test_what_is_counted_is_there():
    """The first call of something new does trace and compile."""
    before = _traces[0]
    with counted() as compiles:
        torch.vmap(lambda a: a.sin() * 0.123 - a.cosh().sum())(torch.ones(2, 7)).tolist()
    assert compiles.n > 0 and _traces[0] > before


@pytest.mark.parametrize("name", TRANSFORMS)
def test_nothing_is_kept(name):
    """What a transform was given is let go of at its end: no cycle of references keeps it until a collection of
    garbage."""
    x = values(0, False) * 1
    kept, f = x._cell.value, lambda a: a.sin() * 2
    gc.collect()
    gc.disable()
    try:
        before = getrefcount(kept)
        result = TRANSFORMS[name](f, x)
        del x
        assert getrefcount(kept) < before
        assert result.shape == (nesting.SIZE,) * result.ndim
    finally:
        gc.enable()
