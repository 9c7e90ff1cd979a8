"""Transforms of functions, unmarked: each is replayed where it is called in a loop, gives what running the function
gives, and sees what changed."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.compiler import replay, transforms
from functorch_lite.func import (
    functional_call,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    stack_module_state,
    vjp,
    vmap,
)
from functorch_lite.func.outermost import seam


class World:
    """What the functions read: `scale` is a number that changes, `weight` a tensor that is written to."""

    def __init__(self):
        torch.manual_seed(0)
        self.scale = 2.0
        self.weight = torch.randn(5, 4)
        self.x, self.v, self.u = torch.randn(4), torch.randn(4), torch.randn(5)
        self.many = torch.randn(3, 4)
        self.net = nn.Linear(4, 2)
        self.params = {k: p.detach() for k, p in self.net.named_parameters()}
        self.nets = stack_module_state([nn.Linear(4, 2) for _ in range(3)])

    def f(self, x):
        return torch.tanh(self.weight @ x) * self.scale

    def s(self, x):
        return self.f(x).sum()

    def of_net(self, params, x):
        return (functional_call(self.net, params, (x,)) * self.scale).square().sum()


def _pull(w):
    out, pull = vjp(w.f, w.x)
    return out, pull(w.u), pull(w.u * 2)


def _pull_with_aux(w):
    out, pull, aux = vjp(lambda x: (w.f(x), {"sum": w.f(x).sum()}), w.x, has_aux=True)
    return out, pull(w.u), aux


def _linear(w):
    out, push = linearize(lambda x: {"a": w.f(x), "b": [x * w.scale]}, w.x)
    return out, push(w.v), push(w.v * 3)


CASES = {
    "grad": lambda w: grad(w.s)(w.x),
    "grad_and_value": lambda w: grad_and_value(w.s)(w.x),
    "vmap": lambda w: vmap(w.f)(w.many),
    "vmap(grad)": lambda w: vmap(grad(w.s))(w.many),
    "jacrev": lambda w: jacrev(w.f)(w.x),
    "jacfwd": lambda w: jacfwd(w.f)(w.x),
    "hessian": lambda w: hessian(w.s)(w.x),
    "vmap(hessian)": lambda w: vmap(hessian(w.s))(w.many),
    "jvp": lambda w: jvp(w.f, (w.x,), (w.v,)),
    "jvp with aux": lambda w: jvp(lambda x: (w.f(x), x.sum()), (w.x,), (w.v,), has_aux=True),
    "jvp(grad)": lambda w: jvp(grad(w.s), (w.x,), (w.v,)),
    "vjp": _pull,
    "vjp with aux": _pull_with_aux,
    "linearize": _linear,
    "vmap(vjp)": lambda w: vmap(lambda x: vjp(w.f, x)[1](w.u)[0])(w.many),
    "per sample": lambda w: vmap(grad(w.of_net), (None, 0))(w.params, w.many),
    "ensemble": lambda w: vmap(lambda p, b: functional_call(w.net, (p, b), (w.x,)) * w.scale)(*w.nets),
    "of a library's function": lambda w: vmap(vmap(torch.sin))(w.many * w.scale),
}


def _leaves(x) -> list:
    if isinstance(x, dict):
        return [t for v in x.values() for t in _leaves(v)]
    if isinstance(x, tuple | list):
        return [t for v in x for t in _leaves(v)]
    return [x.detach().numpy().copy()]


def _found(call) -> list:
    """Of eight calls, a number that changes, eight more, a write, eight more."""
    w, found = World(), []
    for k in range(24):
        if k == 8:
            w.scale = 3.0
        if k == 16:
            w.weight.mul_(0.5)
            w.net.bias.data.add_(1.0)
        found.append(_leaves(call(w)))
    return found


@pytest.mark.parametrize("name", sorted(CASES))
def test_equal(name, monkeypatch):
    before = len(replay.mismatches)
    transforms.forget()
    with torch.debug.tier("cold"):
        got = _found(CASES[name])
        kept = list(transforms._kept.values())
        monkeypatch.setattr(seam, "call", None)
        wanted = _found(CASES[name])
    assert len(replay.mismatches) == before
    assert sum(k.replays for k in kept) >= 8, [k.why_not for k in kept]
    for mine, theirs in zip(got, wanted, strict=True):
        for a, b in zip(mine, theirs, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


def test_the_derivative_of_an_earlier_call_stays_that():
    """What vjp gave reads what there was when it was called."""
    w = World()
    pulls, wanted = [], []
    for k in range(10):
        w.x = torch.full((4,), float(k))
        pulls.append(vjp(w.f, w.x)[1])
        wanted.append(jacrev(w.f)(w.x).T @ w.u)
        w.weight.mul_(0.9)
    for pull, g in zip(pulls, wanted):
        np.testing.assert_allclose(pull(w.u)[0].numpy(), g.numpy(), rtol=1e-5, atol=1e-6)


def test_gradients_reach_what_the_function_captures():
    """Through a derivative that is asked for later."""
    weight = nn.Parameter(torch.ones(4))
    for _ in range(6):
        weight.grad = None
        _, pull = vjp(lambda x: x.square() * weight, torch.ones(4))
        pull(torch.ones(4))[0].sum().backward()
        assert weight.grad.tolist() == [2.0] * 4


def test_a_cut_is_run():
    """What detaches inside is not replayed by vjp, whose function needs the recording."""
    for k in range(6):
        out, pull = vjp(lambda x: x.detach() * x, torch.full((2,), float(k)))
        assert out.tolist() == [float(k) ** 2] * 2
        assert pull(torch.ones(2))[0].tolist() == [float(k)] * 2
