"""Derivatives of every order through ops in the bodies of scan, map, while_loop and cond are those of the unrolled
loop.

Ops with rules of their own (`max` with ties, the pseudo-inverse, pooling, recurrent layers) are those that JAX's scan
gets wrong by itself from the second order on: `_core/lazy/loop/rules.py`. All ops that can be differentiated:
FUNCTORCH_LITE_PARITY=full.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core.run.executor import forget_programs
from functorch_lite._higher_order_ops import map as torch_map
from functorch_lite._higher_order_ops import scan, while_loop
from functorch_lite.func import grad, jvp
from tests import transform_matrix as matrix
from tests.samples import all_samples
from tests.support.full import FULL

SCALES = torch.tensor([1.0, 0.875], dtype=torch.float64)
"""What the inputs are multiplied by, step by step. The first keeps ties and zeros where they are."""


def joined(total, part):
    """One step: what an op gave joins the total in a way that has all derivatives."""
    return total + torch.sin(0.1 * total + 1) * part


def by_scan(loss: Callable) -> Callable:
    def f(*moving):
        def step(total, s):
            part = loss(*[x * s for x in moving])
            return joined(total, part), part

        total, parts = scan(step, torch.zeros((), dtype=torch.float64), SCALES)
        return total + (parts * parts).sum()

    return f


def by_map(loss: Callable) -> Callable:
    """Besides, in each step: the op of what no step changes."""

    def f(*moving):
        parts = torch_map(lambda s: loss(*[x * s for x in moving]) + torch.sin(s * loss(*moving)), SCALES)
        return parts.sum() + (parts * parts).sum()

    return f


def by_while(loss: Callable) -> Callable:
    def f(*moving):
        def step(k, total):
            return k + 1, joined(total, loss(*[x * (1 - 0.125 * k) for x in moving]))

        zero = torch.zeros((), dtype=torch.float64)
        return while_loop(lambda k, _: k < 2, step, (torch.tensor(0), zero))[1]

    return f


def by_cond(loss: Callable) -> Callable:
    """A branch in each step of a scan."""

    def f(*moving):
        def step(total, s):
            part = torch.cond(s < 1, lambda: loss(*[x * s for x in moving]), lambda: loss(*moving) * 2)
            return joined(total, part), s

        return scan(step, torch.zeros((), dtype=torch.float64), SCALES)[0]

    return f


def unrolled(loop: Callable, loss: Callable) -> Callable:
    def f(*moving):
        total = torch.zeros((), dtype=torch.float64)
        parts = []
        for s in SCALES:
            part = loss(*[x * s for x in moving])
            if loop is by_map:
                part = part + torch.sin(s * loss(*moving))
            if loop is by_cond and s == 1:
                part = loss(*moving) * 2
            parts.append(part)
            total = joined(total, part)
        squares = sum(p * p for p in parts)
        return {by_scan: total + squares, by_map: sum(parts) + squares}.get(loop, total)

    return f


LOOPS = (by_scan, by_map, by_while, by_cond)


def derivative(f: Callable, order: str, x: tuple, v: tuple) -> tuple:
    """The derivatives of f along v, one for each letter, the innermost first: "r" by reverse and "f" by forward
    mode."""
    every = tuple(range(len(x)))
    for mode in order[:-1]:
        if mode == "r":
            f = (lambda g: lambda *m: sum((a * b).sum() for a, b in zip(grad(g, argnums=every)(*m), v)))(f)
        else:
            f = (lambda g: lambda *m: jvp(g, m, v)[1])(f)
    return grad(f, argnums=every)(*x) if order[-1] == "r" else (jvp(f, x, v)[1],)


def compare(name: str, loop: Callable, order: str, batched: bool = False) -> None:
    """At the op's sample, the loop against the unrolled loop; what has no such derivative has none in either."""
    case = matrix.case_of(name)
    if case is None or any(t.dtype is not torch.float64 for t in case.x):
        pytest.skip("no sample of real numbers that can be differentiated")

    def run(f):
        if batched:
            examples = [torch.stack([t, t * 0.9375]) for t in case.x]
            return torch.vmap(lambda *m: derivative(f, order, m, case.v))(*examples)
        return derivative(f, order, case.x, case.v)

    try:
        expected = run(unrolled(loop, case.loss))
    except (NotImplementedError, RuntimeError) as error:
        with pytest.raises(type(error)):
            run(loop(case.loss))
        return
    for found, right in zip(run(loop(case.loss)), expected):
        scale = max(1.0, float(np.nanmax(np.abs(right.numpy()), initial=0)))
        np.testing.assert_allclose(found.numpy(), right.numpy(), rtol=1e-6, atol=1e-8 * scale)


@pytest.mark.parametrize(
    ("name", "loop", "order"),
    [
        ("linalg.pinv", by_scan, "rr"),
        ("linalg.pinv", by_cond, "rf"),
        ("nn.functional.max_pool2d", by_while, "rr"),
    ],
)
def test_some(name, loop, order):
    compare(name, loop, order)


def test_in_vmap():
    compare("linalg.pinv", by_map, "rr", batched=True)


def test_a_recurrent_layer_in_a_scan():
    """Its derivative is that of results that it is given: without the rule, there is none."""
    w, u = (
        torch.randn(4, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(k)) for k in (0, 1)
    )
    xs = torch.randn(2, 3, 1, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    layer = torch.nn.LSTM(2, 1, dtype=torch.float64)

    def run(weights, x, h):
        params = {
            "weight_ih_l0": weights[0],
            "weight_hh_l0": weights[1][:, :1],
            "bias_ih_l0": w[:, 0],
            "bias_hh_l0": u[:, 1],
        }
        return torch.func.functional_call(layer, params, (x, (h, h)))[0].sum(0)[None]

    def loop(weights):
        return (
            scan(lambda h, x: (run(weights, x, h), h), torch.zeros(1, 1, 1, dtype=torch.float64), xs)[0] ** 2
        ).sum()

    def plain(weights):
        h = torch.zeros(1, 1, 1, dtype=torch.float64)
        for x in xs:
            h = run(weights, x, h)
        return (h**2).sum()

    at, along = torch.stack([w, u]), (torch.stack([u, w]),)
    expected, found = (derivative(f, "rr", (at,), along)[0].numpy() for f in (plain, loop))
    assert np.abs(expected).max() > 1e-3
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", sorted(all_samples()) if FULL else [])  # each compiles for seconds
def test_every_op(name):
    for k, loop in enumerate(LOOPS):
        compare(name, loop, "rr")
        if k == len(name) % len(LOOPS):  # each op in one loop
            compare(name, loop, "rf")
            compare(name, loop, "rrr")
            compare(name, loop, "rr", batched=True)
    forget_programs()
