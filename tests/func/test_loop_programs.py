"""Random programs with nested loops: derivatives up to the third order, in both modes, in vmap and checkpoint, against
the unrolled loops and finite differences."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core.run.executor import forget_programs
from functorch_lite.utils.checkpoint import checkpoint
from tests.support.full import FULL

from . import nesting
from .loop_programs import AsOps, Unrolled, build

ORDERS = ("r", "f", "rr", "rf", "fr", "ff", "rrr", "rfr", "frr", "rff")
AROUND = ("plain", "vmap", "checkpoint")
LIB = nesting.torch_like(torch)


def along(lib, f: Callable, order: str, v) -> Callable:
    """Σ sin f, and its derivatives along v, one for each letter: a function of x that gives a number."""

    def number(x):
        return lib.sum(lib.sin(f(x)))

    for mode in order:
        if mode == "r":
            number = (lambda g: lambda x: lib.sum(lib.grad(g)(x) * v))(number)
        else:
            number = (lambda g: lambda x: lib.jvp(g, x, v))(number)
    return number


def point_of(torch, seed: int):
    """(x, v) in double precision."""
    rng = random.Random(-seed - 1)
    return [torch.tensor([rng.uniform(-1.2, 1.2) for _ in range(3)], dtype=torch.float64) for _ in range(2)]


def value(loops, seed: int, order: str, around: str):
    f = build(LIB, loops, seed)
    if around == "checkpoint":
        f = (lambda g: lambda x: checkpoint(g, x, use_reentrant=False))(f)
    x, v = point_of(torch, seed)
    number = along(LIB, f, order, v)
    return torch.vmap(number)(torch.stack([x, x * 0.9])) if around == "vmap" else number(x)


CASES = [
    (0, "rr", "plain"),
    (2, "rf", "vmap"),
    (4, "rr", "checkpoint"),
]  # even seeds: one loop; odd ones: nested loops
if FULL:  # each compiles for seconds
    CASES = [
        (seed, random.Random(seed + k).choice(ORDERS[2:]), AROUND[(seed // 2 + k) % 3])
        for seed in range(120)
        for k in range(3)
    ]


@pytest.mark.parametrize(("seed", "order", "around"), CASES)
def test_as_unrolled(seed, order, around):
    expected, found = (value(loops, seed, order, around).numpy() for loops in (Unrolled, AsOps))
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)
    if FULL and seed % 10 == 9:
        forget_programs()


@pytest.mark.parametrize(
    ("seed", "order"), [(s, o) for s in range(20) for o in ("rr", "rrr", "rf")] if FULL else [(0, "rr")]
)
def test_by_finite_differences(seed, order):
    """Each order against the difference of the order below it."""
    f = build(LIB, AsOps, seed)
    x, v = point_of(torch, seed)
    below, here = along(LIB, f, order[:-1], v), along(LIB, f, order, v)
    h = 1e-5
    difference = (below(x + h * v) - below(x - h * v)) / (2 * h)
    np.testing.assert_allclose(here(x).numpy(), difference.numpy(), rtol=2e-5, atol=1e-6)


@pytest.mark.parity
@pytest.mark.parametrize("seed", range(40) if FULL else (0, 2))
def test_beside_torch(seed):
    theirs = pytest.importorskip("torch")
    lib = nesting.torch_like(theirs)
    x, v = point_of(theirs, seed)
    expected = along(lib, build(lib, Unrolled, seed), "rr", v)(x)
    found = value(AsOps, seed, "rr", "plain")
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-7, atol=1e-9)
