"""A derivative is traced once: when it is made, to see which inputs it reads."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from jax.extend.core import jaxpr_as_fun

import functorch_lite as torch
from functorch_lite._core.lazy import applied
from functorch_lite._core.lazy.applied import Applied, Formula, tracing
from functorch_lite.func import hessian

OPS = {
    "mul": lambda x, y: x * y,
    "matmul": lambda x, y: x @ y,
    "pow": lambda x, y: x.abs() ** y,
    "logsumexp": lambda x, y: x.logsumexp(0) + y.sum(),
    "gather": lambda x, y: x.gather(0, (y > 0).long()),
    "prod": lambda x, y: x.prod(1) * y.prod(),
    "clamp": lambda x, y: x.clamp(-0.5, 0.5) * y.clamp(max=0.25),
    "layer_norm": lambda x, y: torch.nn.functional.layer_norm(x, (3,), y[0], y[1]),
    "cumsum": lambda x, y: x.cumsum(0) * y.sort(0).values,
    "where": lambda x, y: torch.where(x > y, x, y * y),
    "narrow floats": lambda x, y: (x.bfloat16() * y[0].bfloat16()).float(),
    "complex numbers": lambda x, y: torch.complex(x, y).exp().abs(),
    "relu": lambda x, y: (x * y).relu(),
}


@pytest.fixture
def taken(monkeypatch):
    """The derivatives whose jaxpr was not traced anew."""
    found: list[Applied] = []
    plain = Applied._already_traced

    def noted(self):
        traced = plain(self)
        if traced is not None:
            found.append(self)
        return traced

    monkeypatch.setattr(Applied, "_already_traced", noted)
    # what another process left on disk is not traced at all
    monkeypatch.setattr(applied.facts, "any_known", lambda: False)
    applied.forget()
    return found


@pytest.mark.parametrize("name", OPS)
def test_the_trace_that_is_taken_is_that_of_the_derivative(name, taken):
    rng = np.random.default_rng(0)
    x, y = [
        torch.tensor(rng.standard_normal((3, 3)).astype(np.float32), requires_grad=True) for _ in range(2)
    ]
    (first,) = torch.autograd.grad(OPS[name](x, y).sum(), x, create_graph=True)
    if first.requires_grad:
        torch.autograd.grad(first.square().sum(), x, allow_unused=True)
    torch.synchronize()
    assert taken
    for of in taken:
        assert isinstance(of.op, Formula)
        assert of.op.traced is None
        args = [np.asarray(rng.standard_normal(a.shape), a.struct.dtype) for a in of.in_avals]
        with tracing():
            anew = jax.make_jaxpr(of._call)(*[a.struct for a in of.in_avals])
            assert [(a.shape, a.dtype, a.weak_type) for a in of.jaxpr.out_avals] == [
                (a.shape, a.dtype, a.weak_type) for a in anew.out_avals
            ]
            assert len(of.jaxpr.eqns) <= len(anew.eqns)
            for found, expected in zip(of.run(*args), jaxpr_as_fun(anew)(*args)):
                np.testing.assert_allclose(
                    np.asarray(found, np.complex128), np.asarray(expected, np.complex128), rtol=2e-2
                )


def test_a_trace_serves_where_it_was_made_for_alone(taken):
    for n in (3, 4, 3):
        x = torch.ones(n, requires_grad=True)
        x.sin().sum().backward()
        assert x.grad.tolist() == pytest.approx([np.cos(1.0)] * n)
    sines = [of for of in taken if of.op.name == "sin_backward"]
    assert [of.avals[0].shape for of in sines] == [(3,), (4,)]
    assert len({of.op for of in sines}) == 2


def test_other_settings_are_traced_anew():
    before = dict(applied.PRECISION)
    x = torch.ones(2, 2, requires_grad=True)
    op = x @ x
    backward = op.grad_fn
    assert backward is not None
    try:
        torch.set_float32_matmul_precision("medium")
        op.sum().backward()
        assert x.grad.tolist() == [[4.0, 4.0], [4.0, 4.0]]
    finally:
        torch.set_float32_matmul_precision(before["matmul"])


def test_derivatives_of_transforms_are_traced_when_they_are_asked_for(monkeypatch):
    told = []

    def awaited(work, what):
        told.append(what())
        return work()

    monkeypatch.setattr(applied, "awaited", awaited)
    w = torch.tensor([0.5, 2.0], requires_grad=True)
    h = hessian(lambda x: (x * w).sin().sum())(torch.ones(2))
    assert "hessian of 3 ops" in told and not [what for what in told if "derivative of hessian" in what]
    h.sum().backward()
    v = w.detach()
    assert torch.allclose(w.grad, -2 * v * v.sin() - v**2 * v.cos())
