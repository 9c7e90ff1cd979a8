"""optim.Optax and optim.functional beside plain JAX: the same chain, the same loss, one hand-written jit step."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import functorch_lite as torch
from functorch_lite.compat import from_jax
from functorch_lite.func import grad, grad_and_value, vmap
from functorch_lite.optim import Optax, functional, joined, optax_chain

SHAPES = {"a.weight": (3, 5), "a.bias": (5,), "b.weight": (5, 2), "b.bias": (2,)}
TOLERANCE = {"rtol": 1e-5, "atol": 5e-6}
_data = np.random.default_rng(0)
START = {name: _data.normal(size=shape).astype(np.float32) for name, shape in SHAPES.items()}
X, Y = _data.normal(size=(16, 3)).astype(np.float32), _data.normal(size=(16, 2)).astype(np.float32)


@jax.custom_jvp
def _tanh(x):
    return jnp.tanh(x)


@_tanh.defjvp
def _tanh_jvp(primals, tangents):
    """PyTorch's derivative: jax's, by two logistic functions, is rounded otherwise where tanh is near 1."""
    y = _tanh(*primals)
    return y, tangents[0] * ((1 + y) * (1 - y))


def loss_in(np_like: Any, params: dict, x, y):
    """The loss, with jax.numpy or with torch."""
    tanh = _tanh if np_like is jnp else np_like.tanh
    hidden = tanh(x @ params["a.weight"] + params["a.bias"])
    return ((hidden @ params["b.weight"] + params["b.bias"] - y) ** 2).mean()


def by_jax(
    tx: Any, steps: int, extra: Callable | None = None, as_list: bool = False, dtype=np.float32
) -> dict:
    """The parameters after some steps of a hand-written loop."""
    tx = optax.with_extra_args_support(tx)
    params: Any = {k: jnp.asarray(v, dtype) for k, v in START.items()}
    names = list(params)
    if as_list:
        params = list(params.values())

    def loss(params):
        return loss_in(jnp, dict(zip(names, params)) if as_list else params, X.astype(dtype), Y.astype(dtype))

    @jax.jit
    def step(params, state):
        value, grads = jax.value_and_grad(loss)(params)
        updates, state = tx.update(grads, state, params, **(extra(value) if extra else {}))
        return optax.apply_updates(params, updates), state

    state = tx.init(params)
    for _ in range(steps):
        params, state = step(params, state)
    return dict(zip(names, params)) if as_list else params


def by_torch(
    make: Callable, steps: int, extra: Callable | None = None, each: Callable | None = None, dtype=None
) -> dict:
    """The same by an optimizer's loop."""
    params = {k: torch.tensor(v, dtype=dtype).requires_grad_() for k, v in START.items()}
    x, y = torch.tensor(X, dtype=dtype), torch.tensor(Y, dtype=dtype)
    optimizer = make(params)
    each = each(optimizer) if each else None
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_in(torch, params, x, y)
        loss.backward()
        optimizer.step(**(extra(loss.detach()) if extra else {}))
        if each:
            each()
    return params


def assert_same(ours: dict, theirs: dict, **tolerance: Any) -> None:
    for name, expected in theirs.items():
        np.testing.assert_allclose(
            ours[name].detach().to(torch.float64).numpy(),
            np.asarray(expected, np.float64),
            **(tolerance or TOLERANCE),
            err_msg=name,
        )


def _kernels(params):
    return jax.tree.map(lambda p: p.ndim > 1, params)


CHAINS: dict[str, Any] = {
    "sgd": lambda: optax.sgd(0.1),
    "momentum": lambda: optax.sgd(0.1, momentum=0.9),
    "nesterov": lambda: optax.sgd(0.1, momentum=0.9, nesterov=True),
    "noisy_sgd": lambda: optax.noisy_sgd(0.1, key=jax.random.key(3)),
    "sign_sgd": lambda: optax.sign_sgd(0.01),
    "adam": lambda: optax.adam(1e-2),
    "adamw": lambda: optax.adamw(1e-2, weight_decay=0.1),
    "adamw, mask": lambda: optax.adamw(1e-2, weight_decay=0.1, mask=_kernels),
    "nadam": lambda: optax.nadam(1e-2),
    "nadamw": lambda: optax.nadamw(1e-2),
    "radam": lambda: optax.radam(1e-2),
    "amsgrad": lambda: optax.amsgrad(1e-2),
    "adamax": lambda: optax.adamax(1e-2),
    "adabelief": lambda: optax.adabelief(1e-2, eps=1e-6),
    "adan": lambda: optax.adan(1e-2),
    "yogi": lambda: optax.yogi(1e-2),
    "lion": lambda: optax.lion(1e-3),
    "lamb": lambda: optax.lamb(1e-2, weight_decay=0.1),
    "lars": lambda: optax.lars(1e-1),
    "novograd": lambda: optax.novograd(1e-2),
    "adagrad": lambda: optax.adagrad(1e-1),
    "adadelta": lambda: optax.adadelta(1.0),
    "adafactor": lambda: optax.adafactor(1e-2, min_dim_size_to_factor=2),
    "rmsprop": lambda: optax.rmsprop(1e-2, momentum=0.5),
    "rprop": lambda: optax.rprop(1e-2),
    "sm3": lambda: optax.sm3(0.1),
    "fromage": lambda: optax.fromage(1e-2),
    "optimistic": lambda: optax.optimistic_gradient_descent(0.1),
    "clipped": lambda: optax.chain(optax.clip_by_global_norm(0.1), optax.adam(1e-2)),
    "block clipped": lambda: optax.chain(optax.clip_by_block_rms(0.1), optax.sgd(1e-1)),
    "agc": lambda: optax.chain(optax.adaptive_grad_clip(0.01), optax.sgd(1e-1)),
    "noise": lambda: optax.chain(optax.add_noise(0.1, 0.5, jax.random.key(7)), optax.sgd(1e-1)),
    "schedule": lambda: optax.adamw(optax.warmup_cosine_decay_schedule(0.0, 0.1, 3, 9)),
    "injected schedule": lambda: optax.inject_hyperparams(optax.adam)(optax.exponential_decay(0.1, 2, 0.5)),
    "injected": lambda: optax.inject_hyperparams(optax.adamw)(learning_rate=1e-2, weight_decay=0.1),
    "by name": lambda: optax.multi_transform(
        {"weight": optax.adam(1e-2), "bias": optax.sgd(1e-1)}, lambda params: {name: name[2:] for name in params}
    ),
    "masked": lambda: optax.masked(optax.sgd(0.1), _kernels),
    "accumulated": lambda: optax.MultiSteps(optax.adam(1e-2), every_k_schedule=3),
    "finite": lambda: optax.apply_if_finite(optax.adam(1e-2), 3),
    "centralized": lambda: optax.chain(optax.centralize(), optax.sgd(0.1)),
    "prodigy": lambda: optax.contrib.prodigy(1.0),
    "dadapt": lambda: optax.contrib.dadapt_adamw(1.0),
    "schedule free": lambda: optax.contrib.schedule_free_adamw(1e-2, warmup_steps=2),
    "ademamix": lambda: optax.contrib.ademamix(1e-2),
    "muon": lambda: optax.contrib.muon(1e-2),
}  # fmt: skip


@pytest.mark.parametrize("name", CHAINS)
def test_a_chain_does_what_it_does_in_jax(name):
    tx = CHAINS[name]()
    ours = by_torch(lambda params: Optax(params.items(), tx), 6)
    assert_same(ours, by_jax(tx, 6))


@pytest.mark.parametrize("name", ["adamw", "clipped", "lamb", "adafactor"])
def test_parameters_without_names_are_a_list(name):
    tx = CHAINS[name]()
    assert_same(by_torch(lambda params: Optax(params.values(), tx), 4), by_jax(tx, 4, as_list=True))


@pytest.mark.parametrize("name", ["adamw", "schedule", "injected"])
def test_float64_is_computed_in_float64(name):
    with jax.enable_x64(True):
        theirs = by_jax(CHAINS[name](), 4, dtype=np.float64)
        theirs = {k: np.asarray(v) for k, v in theirs.items()}
    ours = by_torch(lambda params: Optax(params.items(), CHAINS[name]()), 4, dtype=torch.float64)
    assert all(p.dtype is torch.float64 for p in ours.values())
    assert_same(ours, theirs, rtol=1e-12, atol=1e-12)


def test_bfloat16_stays_bfloat16():
    ours = by_torch(lambda params: Optax(params.items(), optax.adam(1e-2)), 3, dtype=torch.bfloat16)
    assert all(p.dtype is torch.bfloat16 for p in ours.values())


def test_extra_arguments_of_update_are_given_to_step():
    tx = optax.chain(optax.adam(1e-1), optax.contrib.reduce_on_plateau(patience=1, cooldown=0, rtol=0.5))
    extra = lambda value: {"value": value}  # noqa: E731
    assert_same(by_torch(lambda p: Optax(p.items(), tx), 6, extra), by_jax(tx, 6, extra))
    with pytest.raises(TypeError, match="extra argument 'value'"):
        Optax([torch.zeros(2, requires_grad=True)], tx).step(value="low")


def test_maximize_ascends():
    up = by_torch(lambda p: Optax(p.items(), optax.sgd(-0.1), maximize=True), 3)
    assert_same(up, by_jax(optax.sgd(0.1), 3))


def test_schedulers_of_torch_change_what_is_injected():
    schedule = optax.exponential_decay(0.1, 1, 0.5)
    ours = by_torch(
        lambda p: Optax(p.items(), optax.adamw, learning_rate=0.1, weight_decay=0.1), 5,
        each=lambda o: torch.optim.lr_scheduler.ExponentialLR(o, 0.5).step,
    )  # fmt: skip
    assert_same(ours, by_jax(optax.adamw(schedule, weight_decay=0.1), 5))


def test_a_schedule_compiles_nothing_anew():
    p = torch.ones(4, requires_grad=True)
    optimizer = Optax([p], optax.adam, learning_rate=0.1)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)

    def step():
        optimizer.zero_grad()
        (p * p).sum().backward()
        optimizer.step()
        scheduler.step()
        torch.synchronize()

    for _ in range(6):
        step()
    before = torch.debug.stats()["programs"]
    for _ in range(6):
        step()
    assert torch.debug.stats()["programs"] == before


def test_groups_have_options_and_chains_of_their_own():
    def make(p):
        names = list(p)
        return Optax(
            [
                {"params": [p[names[0]], p[names[1]]], "lr": 0.05},
                {"params": [p[names[2]]]},
                {"params": [p[names[3]]], "transformation": optax.sgd(0.1)},
            ],
            optax.adam, learning_rate=0.01,
        )  # fmt: skip

    label = {"a.weight": "fast", "a.bias": "fast", "b.weight": "slow", "b.bias": "sgd"}
    chains = {"fast": optax.adam(0.05), "slow": optax.adam(0.01), "sgd": optax.sgd(0.1)}
    assert_same(by_torch(make, 4), by_jax(optax.multi_transform(chains, label), 4))


def test_options_that_nothing_reads_are_refused():
    p = torch.ones(2, requires_grad=True)
    with pytest.raises(ValueError, match="has the option 'lr', which its transformation does not read"):
        Optax([{"params": [p], "lr": 0.1}], optax.adam(0.1))
    with pytest.raises(TypeError, match="'learning_rate' is an argument of optax's function"):
        Optax([p], optax.adam(0.1), learning_rate=0.1)
    with pytest.raises(TypeError, match="expected an optax transformation"):
        Optax([p], 0.1)


@pytest.mark.parametrize("many", [False, True])
def test_a_state_dict_goes_on_where_it_was(many):
    def params():
        return [torch.full((3,), 1.0 + i, requires_grad=True) for i in range(12 if many else 2)]

    def step(ps, optimizer):
        optimizer.zero_grad()
        sum([(p**3).sum() for p in ps]).backward()
        optimizer.step()

    first = params()
    optimizer = Optax(first, optax.adam, learning_rate=0.1)
    assert optimizer.state_dict()["state"] == {}
    for _ in range(3):
        step(first, optimizer)
    file = io.BytesIO()
    torch.save(optimizer.state_dict(), file)
    file.seek(0)
    second = [p.detach().clone().requires_grad_() for p in first]
    other = Optax(second, optax.adam, learning_rate=0.5)
    other.load_state_dict(torch.load(file))
    assert other.param_groups[0]["lr"] == 0.1
    twin = copy.deepcopy(optimizer)
    third = twin.param_groups[0]["params"]
    for _ in range(3):
        step(first, optimizer)
        step(second, other)
        step(third, twin)
    for a, b, c in zip(first, second, third):
        torch.testing.assert_close(b, a)
        torch.testing.assert_close(c, a)
    assert optimizer.state["group 0"][".inner_state[0].count"].item() == 6
    momenta = [o.state["group 0"][".inner_state[0].mu[0]"] for o in (optimizer, other)]
    torch.testing.assert_close(*momenta)


def test_a_state_of_another_chain_is_refused():
    p = torch.ones(2, requires_grad=True)
    one, other = Optax([p], optax.adam(0.1)), Optax([p], optax.sgd(0.1, momentum=0.9))
    p.sum().backward()
    one.step()
    with pytest.raises(ValueError, match=r"it has .*mu.* that is not in it, and lacks .*trace"):
        other.load_state_dict(one.state_dict())
    other.step()


def test_what_has_no_gradient_stays():
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    optimizer = Optax([a, b], optax.adamw(0.1, weight_decay=0.5))
    optimizer.step()
    assert optimizer.state_dict()["state"] == {}
    (a * a).sum().backward()
    optimizer.step()
    assert b.tolist() == [1.0, 1.0] and a.tolist() != [1.0, 1.0]


def test_what_would_be_wrong_is_refused():
    p = torch.ones(4, requires_grad=True)
    twice = Optax([p, p.detach()[:]], optax.sgd(0.1))
    for q in twice.param_groups[0]["params"]:
        q.grad = torch.ones(4)
    with pytest.raises(RuntimeError, match="the same memory"):
        twice.step()

    def init(params):
        return {"count": jnp.zeros((), jnp.int32)}

    def update(updates, state, params=None):
        return updates, {"count": state["count"] + 0.5}

    changes = Optax([p], optax.GradientTransformation(init, update))
    p.grad = torch.ones(4)
    with pytest.raises(ValueError, match=r"\['count'\] was int32\[\] and became float32"):
        changes.step()


def test_a_compiled_step():
    def make(p):
        return Optax(p.items(), optax.adamw, learning_rate=0.1)

    params = {k: torch.tensor(v).requires_grad_() for k, v in START.items()}
    optimizer, x, y = make(params), torch.tensor(X), torch.tensor(Y)

    @torch.compile
    def step():
        optimizer.zero_grad()
        loss = loss_in(torch, params, x, y)
        loss.backward()
        optimizer.step()
        return loss

    for i in range(6):
        optimizer.param_groups[0]["lr"] = 0.1 / (i + 1)
        step()

    def each(o):
        count = iter(range(2, 9))
        return lambda: o.param_groups[0].update(lr=0.1 / next(count))

    assert_same(params, {k: p.detach().numpy() for k, p in by_torch(make, 6, each=each).items()})


MANY = {
    "adamw": (optax.adamw(1e-2, weight_decay=0.1), True),
    "momentum": (optax.sgd(0.1, momentum=0.9), True),
    "clipped": (optax.chain(optax.clip_by_global_norm(0.1), optax.adam(1e-2)), True),
    "no nans": (optax.chain(optax.zero_nans(), optax.sgd(0.1)), True),
    "lamb": (optax.lamb(1e-2), False),  # a norm for each leaf
    "masked": (optax.adamw(1e-2, mask=lambda tree: [i % 2 == 0 for i in range(len(tree))]), False),
}


@pytest.mark.parametrize("name", MANY)
def test_many_small_parameters_are_computed_as_one_where_they_are_treated_alike(name, monkeypatch):
    tx, alike = MANY[name]
    found = []

    def evaluate(*args):
        found.append(joined.evaluate(*args))
        return found[-1]

    monkeypatch.setattr(optax_chain, "evaluate", evaluate)
    rng = np.random.default_rng(0)
    start = [
        rng.normal(size=shape).astype(np.float32) for shape in [(3, 2), (2,), (), (5,)] * 3 + [(100, 100)]
    ]
    ours = [torch.tensor(x).requires_grad_() for x in start]
    optimizer = Optax(ours, tx)
    theirs = [jnp.asarray(x) for x in start]
    state = tx.init(theirs)

    @jax.jit
    def step(params, state):
        grads = jax.grad(lambda ps: sum([(p**3).sum() for p in ps]))(params)
        updates, state = tx.update(grads, state, params)
        return optax.apply_updates(params, updates), state

    for _ in range(3):
        optimizer.zero_grad()
        sum([(p**3).sum() for p in ours]).backward()
        optimizer.step()
        theirs, state = step(theirs, state)
    for a, b in zip(ours, theirs):
        np.testing.assert_allclose(a.detach().numpy(), np.asarray(b), **TOLERANCE)
    assert found and all((x is not None) == alike for x in found)


def test_hyperparameters_in_the_state_are_those_of_the_last_step():
    p = torch.ones(3, requires_grad=True)
    optimizer = Optax([p], optax.adamw, learning_rate=0.1, weight_decay=0.0)
    (group,) = optimizer.param_groups
    for rate, decay in ((0.1, 0.0), (torch.tensor(0.05), 0.5), (0.2, 0.25)):
        group.update(lr=rate, weight_decay=decay)
        p.grad = torch.zeros(3)
        before = p.detach().clone()
        optimizer.step()
        state = optimizer.state_dict()["state"]["group 0"]
        assert state[".hyperparams['learning_rate']"].item() == pytest.approx(float(rate))
        assert state[".hyperparams['weight_decay']"].item() == decay
        torch.testing.assert_close(p.detach(), before * (1 - float(rate) * decay))


# -- functional --------------------------------------------------------------------------------------------------------

RUNS = {
    "AdamW": (torch.optim.AdamW, {"weight_decay": 0.1}, lambda lr: optax.adamw(lr, weight_decay=0.1)),
    "SGD": (torch.optim.SGD, {}, optax.sgd),
    "momentum": (torch.optim.SGD, {"momentum": 0.9}, lambda lr: optax.sgd(lr, momentum=0.9)),
    "nesterov": (torch.optim.SGD, {"momentum": 0.9, "nesterov": True}, lambda lr: optax.sgd(lr, momentum=0.9, nesterov=True)),
    "adamw": (optax.adamw, {"learning_rate": 1.0}, optax.adamw),
    "lion": (optax.lion, {"learning_rate": 1.0}, optax.lion),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_members_with_learning_rates_of_their_own_and_gradients_through_training(name):
    kind, hyper, tx_of = RUNS[name]
    rates = np.array([0.003, 0.01, 0.03], np.float32)
    stacked = {k: np.stack([v, 1.1 * v, -v]) for k, v in START.items()}
    init, update = functional(kind, **hyper)
    x, y = torch.tensor(X), torch.tensor(Y)

    def ours(params, lr):
        state = init(params, lr=lr)
        for _ in range(3):
            params, state = update(grad(lambda p: loss_in(torch, p, x, y))(params), state, params, lr=lr)
        return loss_in(torch, params, x, y)

    def theirs(params, lr):
        tx = tx_of(lr)
        state = tx.init(params)
        for _ in range(3):
            updates, state = tx.update(jax.grad(lambda p: loss_in(jnp, p, X, Y))(params), state, params)
            params = optax.apply_updates(params, updates)
        return loss_in(jnp, params, X, Y)

    tensors = {k: torch.tensor(v) for k, v in stacked.items()}
    slopes, losses = vmap(grad_and_value(ours, argnums=1))(tensors, torch.tensor(rates))
    both = jax.jit(jax.vmap(jax.value_and_grad(theirs, argnums=1)))
    expected_losses, expected = both(stacked, rates)
    # torch corrects Adam's moments by 1 - b2**count in float64, optax in float32, where it has three digits less
    rtol = 1e-5 if name == "AdamW" else 2e-6
    np.testing.assert_allclose(losses.numpy(), expected_losses, rtol=rtol)
    np.testing.assert_allclose(
        slopes.numpy(), expected, rtol=1e-4, atol=1e-5
    )  # sums of large terms of both signs


@pytest.mark.parametrize("kind", ["ASGD", "NAdam", "RAdam", "RMSprop", "Rprop", "Adagrad", "Adadelta"])
def test_functional_does_what_the_class_does(kind):
    kind = getattr(torch.optim, kind)
    init, update = functional(kind, lr=0.01)
    x, y = torch.tensor(X), torch.tensor(Y)
    params = {k: torch.tensor(v) for k, v in START.items()}
    state = init(params)
    for _ in range(4):
        params, state = update(grad(lambda p: loss_in(torch, p, x, y))(params), state, params)
    assert_same(
        params, {k: p.detach().numpy() for k, p in by_torch(lambda p: kind(p.values(), lr=0.01), 4).items()}
    )


def test_a_gradient_by_weight_decay_through_autograd():
    init, update = functional(torch.optim.AdamW, lr=0.1)
    decay = torch.tensor(0.1, requires_grad=True)
    w = {"w": torch.ones(3)}
    new, _ = update({"w": torch.ones(3)}, init(w), w, weight_decay=decay)
    (slope,) = torch.autograd.grad(new["w"].sum(), decay)
    np.testing.assert_allclose(slope.item(), -0.3, rtol=1e-6)


def test_functional_refuses():
    with pytest.raises(TypeError, match="LBFGS has no rule"):
        functional(torch.optim.LBFGS)
    with pytest.raises(ValueError, match="Invalid learning rate"):
        functional(torch.optim.Adam, lr=-1.0)
    with pytest.raises(NotImplementedError, match="dampening"):
        functional(torch.optim.SGD, momentum=0.9, dampening=0.5).init({"w": torch.ones(2)})
    init, update = functional(torch.optim.Adam)
    w = {"w": torch.ones(2)}
    with pytest.raises(ValueError, match="each parameter needs a gradient"):
        update({"v": torch.ones(2)}, init(w), w)
    with pytest.raises(TypeError, match="'maximize' selects the code of the step"):
        update(w, init(w), w, maximize=torch.tensor(1.0))
    with pytest.raises(TypeError, match="ASGD: 'lr' must be a Python number"):
        functional(torch.optim.ASGD).init(w, lr=torch.tensor(0.1))
    with pytest.raises(TypeError, match="injects no hyperparameter 'lr': it has none"):
        functional(optax.sgd(0.1)).init(w, lr=0.1)


def test_a_pure_update_changes_nothing():
    init, update = functional(optax.adam, learning_rate=0.1)
    w = from_jax({"w": jnp.ones(2)})
    state = init(w)
    before = {k: v.clone() for k, v in state.items()}
    update({"w": torch.ones(2)}, state, w)
    assert w["w"].tolist() == [1.0, 1.0] and all(torch.equal(before[k], state[k]) for k in state)
