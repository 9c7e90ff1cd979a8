"""Modules of flax as ours and ours as flax's, and as_pure, beside plain flax and JAX."""

from __future__ import annotations

import copy
import io
from typing import Any

import flax.linen as linen
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import nnx
from jax.sharding import Mesh, PartitionSpec

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.compat import as_pure, to_jax
from functorch_lite.compat.flax import from_linen, from_nnx, to_nnx
from functorch_lite.func import functional_call, grad, vmap

TOLERANCE = {"rtol": 1e-6, "atol": 1e-6}
_data = np.random.default_rng(0)
X = _data.normal(size=(6, 4)).astype(np.float32)
IMAGES = _data.normal(size=(2, 8, 8, 3)).astype(np.float32)
IDS = _data.integers(10, size=(3, 5))
SEQUENCE = _data.normal(size=(2, 5, 8)).astype(np.float32)


def same(ours: Any, theirs: Any, **tolerance: Any) -> None:
    np.testing.assert_allclose(ours.detach().numpy(), np.asarray(theirs), **(tolerance or TOLERANCE))


class Mlp(nnx.Module):
    def __init__(self, rngs):
        self.layers = nnx.List([nnx.Linear(4, 8, rngs=rngs), nnx.Linear(8, 3, rngs=rngs)])

    def __call__(self, x):
        return self.layers[1](jax.nn.gelu(self.layers[0](x)))


class Noisy(nnx.Module):
    def __init__(self, rngs):
        # no bias: before a normalization its gradient is zero, of which both have the rounding alone
        self.linear, self.norm = nnx.Linear(4, 8, use_bias=False, rngs=rngs), nnx.BatchNorm(8, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.dropout(self.norm(self.linear(x))).sum(-1)


class Conv(nnx.Module):
    def __init__(self, rngs):
        self.conv, self.out = nnx.Conv(3, 4, (3, 3), rngs=rngs), nnx.Linear(4, 2, rngs=rngs)

    def __call__(self, x):
        return self.out(nnx.max_pool(nnx.relu(self.conv(x)), (2, 2), (2, 2)).mean((1, 2)))


NNX: dict[str, tuple] = {
    "linear": (lambda rngs: nnx.Linear(4, 3, rngs=rngs), X),
    "mlp": (Mlp, X),
    "noisy": (Noisy, X),
    "conv": (Conv, IMAGES),
    "embed": (lambda rngs: nnx.Embed(10, 6, rngs=rngs), IDS),
    "layer norm": (lambda rngs: nnx.LayerNorm(4, rngs=rngs), X),
    "attention": (lambda rngs: nnx.MultiHeadAttention(2, 8, 8, decode=False, rngs=rngs), SEQUENCE),
    "lora": (lambda rngs: nnx.LoRALinear(4, 3, lora_rank=2, rngs=rngs), X),
    "sequential": (
        lambda rngs: nnx.Sequential(nnx.Linear(4, 4, rngs=rngs), jnp.tanh, nnx.Linear(4, 2, rngs=rngs)),
        X,
    ),
}


@pytest.mark.parametrize(
    ("name", "training"), [*[(name, False) for name in NNX], ("noisy", True), ("mlp", True)]
)
def test_an_nnx_module_does_what_it_does_in_flax(name, training):
    make, x = NNX[name]
    theirs = make(nnx.Rngs(0))
    ours = from_nnx(theirs).train(training)
    theirs.train() if training else theirs.eval()
    given = torch.tensor(x)
    for _ in range(2):  # in training the second has other random numbers
        state = nnx.clone(theirs)
        out = ours(given)
        same(out, theirs(jnp.asarray(x)))
    ours.zero_grad()
    (out**2).sum().backward()

    def loss(m):
        return (m(jnp.asarray(x)) ** 2).sum()

    for path, variable in nnx.to_flat_state(nnx.grad(loss)(state)):
        of_path = ours.get_parameter(".".join(map(str, path)))
        same(of_path.grad, variable.get_value(), rtol=1e-5, atol=1e-5)
    for path, variable in nnx.to_flat_state(nnx.state(theirs, nnx.BatchStat)):
        same(ours.get_buffer(".".join(map(str, path))), variable.get_value())


def test_an_nnx_module_in_transforms_of_ours():
    ours = from_nnx(Mlp(nnx.Rngs(0)))
    params = {name: p.detach() for name, p in ours.named_parameters()}

    def loss(params, x):
        return functional_call(ours, params, (x[None],)).square().sum()

    each = vmap(grad(loss), in_dims=(None, 0))(params, torch.tensor(X))
    one = grad(loss)(params, torch.tensor(X[3]))
    for name in params:
        torch.testing.assert_close(each[name][3], one[name])


def test_an_nnx_module_is_saved_copied_and_trained():
    ours = from_nnx(Noisy(nnx.Rngs(0)))
    optimizer = torch.optim.Adam(ours.parameters(), lr=0.01)
    twin = copy.deepcopy(ours)
    first = ours(torch.tensor(X))
    assert torch.equal(first, twin(torch.tensor(X)))
    first.square().sum().backward()
    optimizer.step()
    file = io.BytesIO()
    torch.save(ours.state_dict(), file)
    file.seek(0)
    twin.load_state_dict(torch.load(file))
    assert torch.equal(ours(torch.tensor(X)), twin(torch.tensor(X)))


def test_nnx_modules_that_would_be_wrong_are_refused():
    class Grows(nnx.Module):
        def __init__(self):
            self.w = nnx.Param(jnp.ones(2))

        def __call__(self, x):
            self.count = nnx.Variable(jnp.ones(2))
            return x

    class Writes(nnx.Module):
        def __init__(self):
            self.w = nnx.Param(jnp.ones(2))

        def __call__(self, x):
            self.w.set_value(self.w.get_value() * 2)
            return x

    with pytest.raises(RuntimeError, match="made a new variable count"):
        from_nnx(Grows())(torch.ones(2))
    with pytest.raises(RuntimeError, match="wrote to the parameter w"):
        from_nnx(Writes())(torch.ones(2))
    with pytest.raises(TypeError, match=r"must be an nnx.Module, not Linear"):
        from_nnx(nn.Linear(2, 2))


# -- linen -------------------------------------------------------------------------------------------------------------


class Cnn(linen.Module):
    @linen.compact
    def __call__(self, x, train: bool):
        x = linen.relu(linen.Conv(4, (3, 3))(x))
        x = linen.BatchNorm(use_running_average=not train)(x)
        return linen.Dense(2)(x.mean((1, 2)))


class Flags(linen.Module):
    @linen.compact
    def __call__(self, x, deterministic: bool = True):
        return linen.Dense(3)(linen.Dropout(0.5, deterministic=deterministic)(x))


LINEN: dict[str, tuple] = {
    "dense": (linen.Dense(3), X),
    "cnn": (Cnn(), IMAGES),
    "embed": (linen.Embed(10, 6), IDS),
    "norm": (linen.LayerNorm(), X),
    "attention": (linen.MultiHeadDotProductAttention(2), SEQUENCE),
    "sequential": (linen.Sequential([linen.Dense(5), jnp.tanh, linen.Dense(2)]), X),
}


@pytest.mark.parametrize(
    ("name", "training"), [*[(name, False) for name in LINEN], ("cnn", True), ("dense", True)]
)
def test_a_linen_module_does_what_it_does_in_flax(name, training):
    module, x = LINEN[name]
    flags = {"train": training} if name == "cnn" else {}
    variables = module.init(jax.random.key(1), jnp.asarray(x), **flags)
    ours = from_linen(module, variables=variables).train(training)
    stats = variables.get("batch_stats", {})

    def apply(params):
        out = module.apply(
            {"params": params, **({"batch_stats": stats} if stats else {})},
            jnp.asarray(x),
            mutable=["batch_stats"],
            **flags,
        )
        return (out[0] ** 2).sum(), out

    (_, (expected, after)), slopes = jax.value_and_grad(apply, has_aux=True)(variables["params"])
    out = ours(torch.tensor(x))
    same(out, expected)
    (out**2).sum().backward()
    for path, slope in jax.tree_util.tree_flatten_with_path(slopes)[0]:
        parameter = ours.get_parameter(".".join([p.key for p in path]))
        same(parameter.grad, slope, rtol=1e-5, atol=1e-5)
    if training and stats:
        same(ours.batch_stats.BatchNorm_0.mean, after["batch_stats"]["BatchNorm_0"]["mean"])


def test_linen_draws_follow_manual_seed_and_training():
    torch.manual_seed(0)
    ours = from_linen(Flags(), torch.tensor(X))
    x = torch.tensor(X)
    torch.manual_seed(1)
    first, second = ours(x), ours(x)
    torch.manual_seed(1)
    assert torch.equal(ours(x), first) and not torch.equal(first, second)
    assert torch.equal(ours.eval()(x), ours(x))
    assert torch.equal(ours(x), ours.train()(x, deterministic=True))
    key = jax.random.key(5)
    variables = {"params": to_jax({"Dense_0": dict(ours.Dense_0.state_dict())})}
    same(
        ours(x, rngs={"dropout": key}),
        Flags().apply(variables, X, deterministic=False, rngs={"dropout": key}),
    )


# -- as_pure -----------------------------------------------------------------------------------------------------------


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)
        self.b.weight = self.a.weight

    def forward(self, x):
        return self.b(self.a(x).relu())


OURS: dict[str, Any] = {
    "linear": lambda: nn.Linear(4, 3),
    "mlp": lambda: nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 2)),
    "norm": lambda: nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.Tanh()),
    "batch norm": lambda: nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8)).eval(),
    "tied": Tied,
    "views": lambda: nn.Sequential(nn.Linear(4, 6), nn.Unflatten(1, (2, 3)), nn.Flatten(), nn.SiLU()),
    "frozen": lambda: nn.Sequential(nn.Linear(4, 4).requires_grad_(False), nn.Sigmoid(), nn.Linear(4, 1)),
}


@pytest.mark.parametrize("name", OURS)
def test_a_pure_function_under_jax(name):
    torch.manual_seed(0)
    module = OURS[name]()
    params, apply = as_pure(module)
    out = module(torch.tensor(X))
    same(out, jax.jit(apply)(params, X))
    same(out, jax.vmap(lambda x: apply(params, x[None])[0])(X))
    (out**2).sum().backward()
    slopes = jax.jit(jax.grad(lambda p: (apply(p, X) ** 2).sum()))(params)
    for name, p in module.named_parameters():
        if p.requires_grad:
            same(p.grad, slopes[name], rtol=1e-5, atol=1e-5)
    _, rows = jax.lax.scan(lambda carry, x: (carry, apply(params, x[None])[0]), 0, X)
    same(out, rows)


def test_a_pure_function_under_shard_map():
    params, apply = as_pure(nn.Linear(4, 3))
    mesh = Mesh(np.array(jax.devices()[:1]), ("data",))
    data, whole = PartitionSpec("data"), PartitionSpec()
    mapped = jax.shard_map(apply, mesh=mesh, in_specs=(whole, data), out_specs=data)
    np.testing.assert_allclose(jax.jit(mapped)(params, X), apply(params, X), **TOLERANCE)


def test_a_hessian_by_jax_is_ours():
    module = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 1))
    params, apply = as_pure(module)
    theirs = jax.hessian(lambda x: apply(params, x[None])[0, 0])(X[0])
    ours = torch.func.hessian(lambda x: module(x[None])[0, 0])(torch.tensor(X[0]))
    same(ours, theirs)


def test_buffers_are_arguments_and_results():
    module = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3))
    params, apply = as_pure(module)
    with pytest.raises(RuntimeError, match=r"wrote to the buffer '1.running_mean'"):
        apply(params, X)
    params, buffers, apply = as_pure(module, buffers=True)
    out, after = jax.jit(apply)(params, buffers, X)
    before = module[1].running_mean.clone()
    same(module(torch.tensor(X)), out)
    same(module[1].running_mean, after["1.running_mean"])
    assert not torch.equal(before, module[1].running_mean)
    assert int(after["1.num_batches_tracked"]) == 1


def test_draws_need_a_key():
    params, apply = as_pure(nn.Dropout(0.5))
    before = torch.get_rng_state()
    with pytest.raises(RuntimeError, match="draws random numbers"):
        jax.jit(apply)(params, X)
    jitted = jax.jit(lambda x, key: apply(params, x, rng=key))
    one, again, other = [np.asarray(jitted(X, jax.random.key(i))) for i in (0, 0, 1)]
    assert (one == again).all() and (one != other).any() and ((one == 0) | (one == 2 * X)).all()
    assert torch.equal(before, torch.get_rng_state())
    with pytest.raises(TypeError, match=r"must be an nn.Module, not function"):
        as_pure(lambda x: x)


# -- ours as nnx -------------------------------------------------------------------------------------------------------


def test_our_module_is_trained_by_nnx():
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 1))
    model = to_nnx(module)
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)

    @nnx.jit
    def step(model, optimizer, x):
        value, slopes = nnx.value_and_grad(lambda m: (m(x) ** 2).mean())(model)
        optimizer.update(model, slopes)
        return value

    ours = torch.optim.SGD(module.parameters(), lr=0.1)
    for _ in range(3):
        value = step(model, optimizer, jnp.asarray(X))
        ours.zero_grad()
        loss = module(torch.tensor(X)).square().mean()
        loss.backward()
        ours.step()
        np.testing.assert_allclose(value, loss.item(), rtol=1e-5)
    for name, p in module.named_parameters():
        same(p, model.params[name].get_value(), rtol=1e-5, atol=1e-6)
    same(module[1].running_var, model.buffers["1.running_var"].get_value())
    model.eval()
    same(module.eval()(torch.tensor(X)), model(jnp.asarray(X)), rtol=1e-5, atol=1e-6)


def test_our_dropout_draws_from_nnx():
    model = to_nnx(nn.Dropout(0.5), rngs=nnx.Rngs(0))
    draw = nnx.jit(lambda m, x: m(x))
    first, second = draw(model, jnp.ones(50)), draw(model, jnp.ones(50))
    assert (first != second).any()
    model.eval()
    assert (draw(model, jnp.ones(50)) == 1).all()


def test_there_and_back():
    module = nn.Sequential(nn.Linear(4, 3), nn.ReLU())
    twice = from_nnx(to_nnx(module))
    same(twice(torch.tensor(X)), module(torch.tensor(X)).detach().numpy())


def test_a_module_with_large_results_inside_jit():
    """Its programs have options when they are compiled alone, which a part of another program has not."""
    layer = nn.Linear(8, 64)
    params, apply = as_pure(layer)
    x = jnp.ones((1024, 8), jnp.float32)
    found = jax.jit(jax.grad(lambda p: apply(p, x).sum()))(params)
    assert found["bias"].tolist() == [1024.0] * 64
