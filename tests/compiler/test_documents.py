"""Programs of the kinds that the documents show (per-sample gradients, ensembles, Jacobians, tangent kernels,
functional optimizers, `cond`), under torch.compile: replayed, and equal to what they give without it."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.compiler import replay
from functorch_lite.func import (
    functional_call,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    stack_module_state,
    vjp,
    vmap,
)
from functorch_lite.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 3, 3)
        self.out = nn.Linear(12, 4)

    def forward(self, x):
        return self.out(F.max_pool2d(F.relu(self.conv(x)), 2).flatten(1))


class Scaled(torch.autograd.Function):
    """A function with a derivative of its own, and a rule for vmap."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x.square()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])

    @staticmethod
    def backward(ctx, g):
        return g * 3 * ctx.saved_tensors[0]


def per_sample_gradients():
    net = Net()
    params = {k: p.detach() for k, p in net.named_parameters()}

    def loss(params, x, y):
        return F.cross_entropy(functional_call(net, params, (x[None],)), y[None])

    of_each = vmap(grad(loss), (None, 0, 0))
    return lambda x: of_each(params, x.view(3, 1, 6, 6), torch.tensor([0, 2, 3]))


def ensemble():
    nets = [nn.Linear(36, 4) for _ in range(3)]
    params, buffers = stack_module_state(nets)

    def one(params, buffers, x):
        return functional_call(nets[0], (params, buffers), (x,))

    return lambda x: (vmap(one, (0, 0, None))(params, buffers, x), vmap(one, (0, 0, 0))(params, buffers, x))


def jacobians():
    weight, bias = torch.randn(4, 36), torch.randn(4)

    def predict(x):
        return F.linear(x, weight, bias).tanh()

    return lambda x: (vmap(jacrev(predict))(x), vmap(jacfwd(predict))(x), jacrev(predict, 0)(x[0]))


def hessians():
    weight = torch.randn(4, 36)

    def energy(x):
        return F.softplus(weight @ x).square().sum()

    return lambda x: (hessian(energy)(x[0]), jvp(grad(energy), (x[1],), (x[2],))[1])


def pushes_and_pulls():
    weight = torch.randn(4, 36)

    def f(x):
        return torch.tanh(weight @ x)

    def step(x):
        out, pull = vjp(f, x[0])
        return out, pull(out * 2), jvp(f, (x[0],), (x[1],))

    return step


def tangent_kernel():
    net = nn.Sequential(nn.Linear(36, 5), nn.Tanh(), nn.Linear(5, 2))
    params = {k: p.detach() for k, p in net.named_parameters()}

    def of_one(params, x):
        return functional_call(net, params, (x[None],))[0]

    def kernel(x):
        jacobian = vmap(jacrev(of_one), (None, 0))(params, x)
        return sum(torch.einsum("Naf,Mbf->NMab", j.flatten(2), j.flatten(2)) for j in jacobian.values())

    return kernel


def functional_training():
    net = nn.Linear(36, 4)
    params = {k: p.detach().clone() for k, p in net.named_parameters()}
    target = torch.tensor([0, 2, 3])

    def step(x):
        def loss(params):
            return F.cross_entropy(functional_call(net, params, (x,)), target)

        gradients, value = grad_and_value(loss)(params)
        for k, g in gradients.items():
            params[k].sub_(g, alpha=0.1)
        return value

    return step


def model_agnostic():
    """A gradient through an inner step."""
    weight = nn.Parameter(torch.randn(36))

    def inner(w, x):
        return (x @ w).sin().square().mean()

    def outer(x):
        weight.grad = None
        adapted = weight - 0.1 * grad(inner)(weight, x)
        loss = inner(adapted, x + 1)
        loss.backward()
        return loss.detach(), weight.grad

    return outer


def own_derivative():
    return lambda x: (Scaled.apply(x), grad(lambda x: Scaled.apply(x).sum())(x), vmap(Scaled.apply)(x))


def chosen_by_cond():
    return lambda x: torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))


def randomness():
    return lambda x: (
        vmap(lambda x: x + torch.rand(36), randomness="different")(x),
        vmap(lambda x: F.dropout(x, 0.5), randomness="same")(x),
    )


def batch_norm_without_statistics():
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2, track_running_stats=False), nn.Flatten())
    params = {k: p.detach() for k, p in net.named_parameters()}

    def loss(params, x):
        return functional_call(net, params, (x[None],)).square().sum()

    return lambda x: vmap(grad(loss), (None, 0))(params, x.view(3, 1, 6, 6))


def training():
    net, target = Net(), torch.tensor([0, 2, 3])
    optimizer = torch.optim.AdamW(
        [{"params": net.conv.parameters(), "lr": 1e-2}, {"params": net.out.parameters()}], lr=1e-3
    )

    def step(x):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x.view(3, 1, 6, 6)), target)
        loss.backward()
        optimizer.step()
        return loss, [p.detach() for p in net.parameters()]

    return step


PROGRAMS = {
    f.__name__: f
    for f in (
        per_sample_gradients, ensemble, jacobians, hessians, pushes_and_pulls, tangent_kernel, functional_training, model_agnostic,
        own_derivative, chosen_by_cond, randomness, batch_norm_without_statistics, training,
    )
}  # fmt: skip


def _leaves(x) -> list:
    if isinstance(x, dict):
        return [t for v in x.values() for t in _leaves(v)]
    if isinstance(x, tuple | list):
        return [t for v in x for t in _leaves(v)]
    return [x.detach().numpy().copy()]


def _found(make, is_compiled: bool) -> tuple[list, object]:
    torch.manual_seed(0)
    f = make()
    if is_compiled:
        f = torch.compile(f)
    rng = np.random.default_rng(0)
    return [_leaves(f(torch.tensor(rng.standard_normal((3, 36)).astype(np.float32)))) for _ in range(7)], f


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_equal(name):
    before = len(replay.mismatches)
    with torch.debug.tier("cold"):
        wanted, _ = _found(PROGRAMS[name], False)
        got, f = _found(PROGRAMS[name], True)
    assert len(replay.mismatches) == before
    for mine, theirs in zip(got, wanted, strict=True):
        for a, b in zip(mine, theirs, strict=True):
            np.testing.assert_array_equal(a, b)
    assert f.replayed.replays >= 3, f.replayed.why_not
