"""What PyTorch's documents on torch.func teach, each lesson as a test with a plain loop or autograd as its witness."""

from __future__ import annotations

import copy
from functools import partial

import numpy as np
import pytest

import functorch_lite as torch
import functorch_lite.nn.functional as F
from functorch_lite import nn
from functorch_lite.compat import functorch
from functorch_lite.func import (
    functional_call,
    grad,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    stack_module_state,
    vjp,
    vmap,
)


def close(a, b, tolerance=1e-5):
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=tolerance, atol=tolerance)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.fc = nn.Linear(8, 3)

    def forward(self, x):
        return F.log_softmax(self.fc(F.max_pool2d(self.conv(x).relu(), 2).flatten(1)), 1)


@pytest.fixture
def batch():
    torch.manual_seed(0)
    return Net(), torch.randn(3, 1, 6, 6), torch.tensor([0, 2, 1])


# -- per-sample gradients --------------------------------------------------------------------------------------------


def loss_of(model, params, x, y):
    return F.nll_loss(functional_call(model, params, (x[None],)), y[None])


def one_by_one(model, xs, ys):
    chosen = [p for p in model.parameters() if p.requires_grad]
    rows = [torch.autograd.grad(F.nll_loss(model(x[None]), y[None]), chosen) for x, y in zip(xs, ys)]
    return [torch.stack(r) for r in zip(*rows)]


def test_per_sample_gradients(batch):
    model, xs, ys = batch
    params = {k: v.detach() for k, v in model.named_parameters()}
    found = vmap(grad(partial(loss_of, model)), (None, 0, 0))(params, xs, ys)
    assert list(found) == list(params)
    for mine, other in zip(found.values(), one_by_one(model, xs, ys)):
        close(mine, other)
    mean = grad(lambda p: F.nll_loss(functional_call(model, p, (xs,)), ys))(params)
    for name in params:
        close(found[name].mean(0), mean[name])


def test_per_sample_gradients_with_frozen_layers(batch):
    model, xs, ys = batch
    model.conv.requires_grad_(False)
    trained = {k: v.detach() for k, v in model.named_parameters() if v.requires_grad}
    found = vmap(grad(partial(loss_of, model)), (None, 0, 0))(trained, xs, ys)
    assert list(found) == ["fc.weight", "fc.bias"]
    for mine, other in zip(found.values(), one_by_one(model, xs, ys)):
        close(mine, other)
    assert model.conv.weight.grad is None


def test_per_sample_gradients_with_tied_weights():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.enc = nn.Linear(3, 3, bias=False)
            self.dec = nn.Linear(3, 3, bias=False)
            self.dec.weight = self.enc.weight

        def forward(self, x):
            return F.log_softmax(self.dec(self.enc(x).tanh()), 1)

    torch.manual_seed(0)
    model, xs, ys = Tied(), torch.randn(4, 3), torch.tensor([0, 2, 1, 1])
    params = {k: v.detach() for k, v in model.named_parameters()}
    assert list(params) == ["enc.weight"]
    found = vmap(grad(partial(loss_of, model)), (None, 0, 0))(params, xs, ys)
    close(found["enc.weight"], one_by_one(model, xs, ys)[0])


def test_per_sample_gradients_with_functorch_names(batch):
    model, xs, ys = batch
    fmodel, params, buffers = functorch.make_functional_with_buffers(model)

    def loss(params, buffers, x, y):
        return F.nll_loss(fmodel(params, buffers, x[None]), y[None])

    found = functorch.vmap(functorch.grad(loss), in_dims=(None, None, 0, 0))(params, buffers, xs, ys)
    for mine, other in zip(found, one_by_one(model, xs, ys)):
        close(mine, other)


# -- ensembles -------------------------------------------------------------------------------------------------------


def test_ensemble():
    torch.manual_seed(0)
    models = [nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 2)) for _ in range(3)]
    params, buffers = stack_module_state(models)
    skeleton = copy.deepcopy(models[0]).to("meta")
    assert all(p.is_meta for p in skeleton.parameters())

    def call(params, buffers, x):
        return functional_call(skeleton, (params, buffers), (x,))

    same, each = torch.randn(6, 4), torch.randn(3, 6, 4)
    close(vmap(call, (0, 0, None))(params, buffers, same), torch.stack([m(same) for m in models]))
    out = vmap(call)(params, buffers, each)
    close(out, torch.stack([m(x) for m, x in zip(models, each)]))
    out.sum().backward()
    models[1](each[1]).sum().backward()
    close(params["0.weight"].grad[1], models[1][0].weight.grad)


# -- Jacobians and Hessians ------------------------------------------------------------------------------------------


def predict(weight, bias, x):
    return F.linear(x, weight, bias).tanh()


@pytest.fixture
def linear():
    torch.manual_seed(0)
    return torch.randn(3, 4), torch.randn(3), torch.randn(4)


def test_jacobians_and_hessians(linear):
    weight, bias, x = linear
    xp = x.clone().requires_grad_()
    rows = [torch.autograd.grad(predict(weight, bias, xp), xp, v)[0] for v in torch.eye(3)]
    expected = torch.stack(rows)
    _, pull = vjp(partial(predict, weight, bias), x)
    close(vmap(pull)(torch.eye(3))[0], expected)
    for transform in (jacrev, jacfwd):
        close(transform(predict, argnums=2)(weight, bias, x), expected)
        close(transform(predict, argnums=-1)(weight, bias, x), expected)
    by_weight, by_bias = jacrev(predict, argnums=(0, 1))(weight, bias, x)
    assert (by_weight.shape, by_bias.shape) == ((3, 3, 4), (3, 3))
    h = hessian(predict, argnums=2)(weight, bias, x)
    assert h.shape == (3, 4, 4)
    close(h, jacfwd(jacfwd(predict, argnums=2), argnums=2)(weight, bias, x))
    close(h, jacrev(jacrev(predict, argnums=2), argnums=2)(weight, bias, x))


def test_batched_jacobians(linear):
    weight, bias, x = linear
    xs = torch.stack([x, -x, x * 2])
    found = vmap(jacrev(predict, argnums=2), in_dims=(None, None, 0))(weight, bias, xs)
    summed = jacrev(lambda w, b, xs: predict(w, b, xs).sum(0), argnums=2)(weight, bias, xs)
    close(found, summed.movedim(1, 0))
    assert vmap(hessian(predict, argnums=2), in_dims=(None, None, 0))(weight, bias, xs).shape == (3, 3, 4, 4)


def test_hessian_vector_products():
    x, v = torch.tensor([0.3, -0.7, 1.1]), torch.tensor([1.0, 2.0, -1.0])

    def f(x):
        return x.sin().sum()

    close(jvp(grad(f), (x,), (v,))[1], -x.sin() * v)
    _, pull = vjp(grad(f), x)
    close(pull(v)[0], -x.sin() * v)


def test_jacobian_by_the_arguments_of_functional_call():
    model, x = nn.Linear(3, 2), torch.randn(5, 3)
    found = jacrev(functional_call, argnums=1)(model, dict(model.named_parameters()), (x,))
    assert {k: tuple(v.shape) for k, v in found.items()} == {"weight": (5, 2, 2, 3), "bias": (5, 2, 2)}
    close(found["bias"], torch.eye(2).expand(5, 2, 2))


# -- neural tangent kernels ------------------------------------------------------------------------------------------


def test_neural_tangent_kernel_two_ways():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    params = {k: v.detach() for k, v in net.named_parameters()}
    a, b = torch.randn(3, 3), torch.randn(2, 3)

    def single(params, x):
        return functional_call(net, params, (x[None],))[0]

    def contracted():
        one = vmap(jacrev(single), (None, 0))(params, a)
        two = vmap(jacrev(single), (None, 0))(params, b)
        parts = [
            torch.einsum("Naf,Mbf->NMab", j.flatten(2), k.flatten(2))
            for j, k in zip(one.values(), two.values())
        ]
        return torch.stack(parts).sum(0)

    def by_products(x1, x2):
        out, pull = vjp(lambda p: single(p, x1), params)

        def column(v):
            return jvp(lambda p: single(p, x2), (params,), pull(v))[1]

        return vmap(column)(torch.eye(out.numel()))

    close(vmap(vmap(by_products, (None, 0)), (0, None))(a, b), contracted())


# -- the tour, and its limits ----------------------------------------------------------------------------------------


def test_whirlwind_tour():
    x = torch.tensor(0.7)
    close(grad(torch.sin)(x), x.cos())
    close(grad(grad(torch.sin))(x), -x.sin())
    weights = torch.tensor([1.0, -2.0], requires_grad=True)
    examples, targets = torch.tensor([[1.0, 0.5], [2.0, 3.0], [4.0, 1.0]]), torch.tensor([1.0, 0.0, 2.0])
    close(vmap(lambda v: v.dot(weights).relu())(examples), (examples @ weights).relu())

    def loss(weights, example, target):
        return (example.dot(weights).relu() - target) ** 2

    found = vmap(grad(loss), in_dims=(None, 0, 0))(weights, examples, targets)
    close(found, torch.stack([grad(loss)(weights, e, t) for e, t in zip(examples, targets)]))
    _, tangent = jvp(lambda a, b: a * b, (examples[0], examples[1]), (torch.ones(2), torch.ones(2)))
    close(tangent, examples[0] + examples[1])
    assert vmap(jacrev(torch.sin))(torch.zeros(4, 2)).shape == (4, 2, 2)


leaked = None


def test_side_effects():
    def leaks(x):
        global leaked
        leaked = x.sin()
        return leaked.sin()

    x = torch.tensor(0.4)
    close(grad(leaks)(x), x.sin().cos() * x.cos())
    with pytest.raises(RuntimeError, match="used after the transform had returned"):
        leaked + 1
    _, kept = grad(lambda x: (x.sin().sin(), x.sin()), has_aux=True)(x)
    close(kept, x.sin())
    assert not kept.requires_grad
    calls = []
    vmap(lambda x: (calls.append(x), x)[1])(torch.ones(3))
    assert len(calls) == 1  # the function is run once, not once for each example


def test_control_flow_on_shapes_is_fine():
    close(
        vmap(lambda x: torch.dot(x, x) if x.dim() == 1 else x * x)(torch.tensor([1.0, 2.0])),
        torch.tensor([1.0, 4.0]),
    )


def test_shapes_that_depend_on_data():
    with pytest.raises(
        RuntimeError, match="We do not support batching operators that can output dynamic shape"
    ):
        vmap(torch.nonzero)(torch.tensor([[0, 1, 2], [0, 0, 3]]))


def test_randomness():
    def noisy(x):
        return x + torch.randn(())

    x = torch.ones(4)
    assert len(set(vmap(noisy, randomness="different")(x).tolist())) == 4
    assert len(set(vmap(noisy, randomness="same")(x).tolist())) == 1
    with pytest.raises(RuntimeError, match="vmap: called random operation while in randomness error mode"):
        vmap(noisy)(x)
    with pytest.raises(RuntimeError, match="vmap: called random operation while in randomness error mode"):
        jacfwd(noisy)(x)


# -- cond ------------------------------------------------------------------------------------------------------------


def test_modules_choose_by_shape_or_by_value():
    class ByShape(nn.Module):
        def forward(self, x):
            return torch.cond(x.shape[0] > 4, lambda x: x.cos(), lambda x: x.sin(), (x,))

    class ByValue(nn.Module):
        def forward(self, x):
            return torch.cond(x.sum() > 4.0, lambda x: x.cos() + x.sin(), lambda x: x.sin(), (x,))

    small, large = torch.ones(3), torch.ones(5)
    close(ByShape()(small), small.sin())
    close(ByShape()(large), large.cos())
    close(ByValue()(small), small.sin())
    close(ByValue()(large), large.cos() + large.sin())
