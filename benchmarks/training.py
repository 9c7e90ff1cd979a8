"""Training steps: the same PyTorch source run by PyTorch and by us, as it stands and under `torch.compile` ("marked"),
and a hand-written jax.jit step with optax."""

from __future__ import annotations

import itertools
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from .timing import Peer, Result, compare


def mlp(torch: ModuleType, sizes: list[int]):
    """Linear layers of these sizes with ReLU between them."""
    layers: list[Any] = []
    for i, o in itertools.pairwise(sizes):
        layers += [torch.nn.Linear(i, o), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1])


def cnn(torch: ModuleType):
    """The demo's network for 8x8 digits."""
    nn = torch.nn
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(64 * 16, 128), nn.ReLU(), nn.Linear(128, 10),
    )  # fmt: skip


def user_step(torch: ModuleType, model, x: np.ndarray, y: np.ndarray):
    """The loop body as users write it."""
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    inputs, targets = torch.tensor(x), torch.tensor(y)

    def step():
        opt.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(inputs), targets)
        loss.backward()
        opt.step()
        return loss

    return step


def copy_weights(source, target, torch: ModuleType) -> None:
    """Gives target the weights of source (a PyTorch model)."""
    target.load_state_dict({k: torch.tensor(v.cpu().numpy()) for k, v in source.state_dict().items()})


def jax_mlp(params, x):
    h = x
    for i in range(0, len(params), 2):
        h = h @ params[i].T + params[i + 1]
        if i < len(params) - 2:
            h = jnp.maximum(h, 0)
    return h


def jax_cnn(params, x):
    w1, b1, w2, b2, w3, b3, w4, b4 = params
    dims = ("NCHW", "OIHW", "NCHW")
    h = jax.lax.conv_general_dilated(x, w1, (1, 1), "SAME", dimension_numbers=dims) + b1[:, None, None]
    h = jnp.maximum(h, 0)
    h = jax.lax.conv_general_dilated(h, w2, (1, 1), "SAME", dimension_numbers=dims) + b2[:, None, None]
    h = jnp.maximum(h, 0)
    h = jax.lax.reduce_window(h, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
    h = jnp.maximum(h.reshape(h.shape[0], -1) @ w3.T + b3, 0)
    return h @ w4.T + b4


def jit_step(forward, weights: list[np.ndarray], x: np.ndarray, y: np.ndarray):
    """A hand-written jax.jit step with optax's Adam."""
    optimizer = optax.adam(1e-3)

    def loss_of(params, x, y):
        logits = jax.nn.log_softmax(forward(params, x))
        return -jnp.take_along_axis(logits, y[:, None], 1).mean()

    @jax.jit
    def update(params, state, x, y):
        loss, grads = jax.value_and_grad(loss_of)(params, x, y)
        updates, state = optimizer.update(grads, state, params)
        return loss, optax.apply_updates(params, updates), state

    params = [jnp.asarray(w) for w in weights]
    held = [params, optimizer.init(params)]
    inputs, targets = jnp.asarray(x), jnp.asarray(y)

    def step():
        loss, held[0], held[1] = update(held[0], held[1], inputs, targets)
        return loss

    return step


def measure(title: str, build, forward, x: np.ndarray, y: np.ndarray, steps: int, rounds: int) -> Result:
    """One model under the three peers, from the same weights; their losses must agree."""
    import torch

    import functorch_lite as ours

    theirs = build(torch)
    mine, marked = build(ours), build(ours)
    for model in (mine, marked):
        copy_weights(theirs, model, ours)
    weights = [p.detach().cpu().numpy().copy() for p in theirs.parameters()]
    peers = [
        Peer("ours", user_step(ours, mine, x, y), lambda r: r.item()),
        Peer("marked", ours.compile(user_step(ours, marked, x, y)), lambda r: r.item()),
        Peer("torch", user_step(torch, theirs, x, y), lambda r: r.item()),
        Peer("jax.jit", jit_step(forward, weights, x, y), float),
    ]
    first = [p.wait(p.step()) for p in peers]
    np.testing.assert_allclose(first, first[0], rtol=1e-4)
    return compare(title, peers, steps, rounds)


def run(smoke: bool = False) -> list[Result]:
    """All training benchmarks."""
    rng = np.random.default_rng(0)

    def data(*shape):
        return rng.standard_normal(shape).astype(np.float32), rng.integers(0, 10, shape[0])

    n, rounds = (2, 1) if smoke else (60, 11)
    deep = [64] * 21 + [10]
    return [
        measure(
            "MLP 784-128-128-10, batch 32, Adam",
            lambda t: mlp(t, [784, 128, 128, 10]),
            jax_mlp,
            *data(32, 784),
            n,
            rounds,
        ),
        measure("20 layers of 64, batch 16, Adam", lambda t: mlp(t, deep), jax_mlp, *data(16, 64), n, rounds),
        measure(
            "CNN on 8x8 digits, batch 64, Adam", cnn, jax_cnn, *data(64, 1, 8, 8), max(n // 6, 1), rounds
        ),
    ]
