"""The jobs as a JAX user writes them: one `jax.jit` step with optax. `JOBS[name]()` returns a function that does one
step and returns its loss."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from .jobs import HEADS, LENGTH, VOCABULARY, WIDTH, binary, labels, normal

__all__ = ["JOBS"]

Params = Any


def _linear(rng: np.random.RandomState, i: int, o: int) -> tuple[jax.Array, jax.Array]:
    bound = 1 / i**0.5
    return jnp.asarray(rng.uniform(-bound, bound, (i, o)), jnp.float32), jnp.zeros(o)


def _layers(sizes: list[int]) -> list[tuple[jax.Array, jax.Array]]:
    rng = np.random.RandomState(0)
    return [_linear(rng, i, o) for i, o in itertools.pairwise(sizes)]


def _forward(params: Params, x: jax.Array) -> jax.Array:
    for w, b in params[:-1]:
        x = jax.nn.relu(x @ w + b)
    return x @ params[-1][0] + params[-1][1]


def _cross_entropy(logits: jax.Array, targets: jax.Array) -> jax.Array:
    return optax.softmax_cross_entropy_with_integer_labels(logits, targets).mean()


def _training(params: Params, loss_of: Callable[..., jax.Array], *data: Any) -> Callable[[], jax.Array]:
    """A step of Adam. loss_of: a function of the parameters, a random key and the data."""
    optimizer = optax.adam(1e-3)

    def update(params: Params, state: Any, key: jax.Array, *data: Any) -> Any:
        key, now = jax.random.split(key)
        loss, grads = jax.value_and_grad(loss_of)(params, now, *data)
        updates, state = optimizer.update(grads, state, params)
        return loss, optax.apply_updates(params, updates), state, key

    compiled = jax.jit(update, donate_argnums=(0, 1))
    held: list[Any] = [params, optimizer.init(params), jax.random.key(0)]

    def step() -> jax.Array:
        loss, *held[:] = compiled(*held, *data)
        return loss

    return step


def _classifier(params: Params, forward: Callable, x: np.ndarray) -> Callable[[], jax.Array]:
    return _training(
        params,
        lambda p, key, x, y: _cross_entropy(forward(p, x), y),
        jnp.asarray(x),
        jnp.asarray(labels(len(x))),
    )


def mlp() -> Callable[[], jax.Array]:
    return _classifier(_layers([784, 128, 128, 10]), _forward, normal(32, 784))


def deep() -> Callable[[], jax.Array]:
    return _classifier(_layers([64] * 21 + [10]), _forward, normal(16, 64))


def cnn() -> Callable[[], jax.Array]:
    rng = np.random.RandomState(0)
    convolutions = [
        (jnp.asarray(rng.uniform(-1, 1, (o, i, 3, 3)) / (9 * i) ** 0.5, jnp.float32), jnp.zeros(o))
        for i, o in ((1, 32), (32, 64))
    ]

    def forward(params: Params, x: jax.Array) -> jax.Array:
        for w, b in params[0]:
            x = jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW"))
            x = jax.nn.relu(x + b[:, None, None])
        x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
        return _forward(params[1], x.reshape(len(x), -1))

    return _classifier((convolutions, _layers([64 * 16, 128, 10])), forward, normal(64, 1, 8, 8))


def vae() -> Callable[[], jax.Array]:
    rng = np.random.RandomState(0)
    sizes = {"fc1": (784, 256), "mu": (256, 20), "logvar": (256, 20), "fc3": (20, 256), "fc4": (256, 784)}

    def loss_of(p: Params, key: jax.Array, x: jax.Array) -> jax.Array:
        h = jax.nn.relu(x @ p["fc1"][0] + p["fc1"][1])
        mu, logvar = (h @ p[k][0] + p[k][1] for k in ("mu", "logvar"))
        z = mu + jax.random.normal(key, mu.shape) * jnp.exp(0.5 * logvar)
        logits = jax.nn.relu(z @ p["fc3"][0] + p["fc3"][1]) @ p["fc4"][0] + p["fc4"][1]
        bce = optax.sigmoid_binary_cross_entropy(logits, x).sum()
        return bce - 0.5 * jnp.sum(1 + logvar - mu**2 - jnp.exp(logvar))

    return _training(
        {k: _linear(rng, *size) for k, size in sizes.items()}, loss_of, jnp.asarray(binary(128, 784))
    )


def gpt() -> Callable[[], jax.Array]:
    rng = np.random.RandomState(0)

    def norm() -> tuple[jax.Array, jax.Array]:
        return jnp.ones(WIDTH), jnp.zeros(WIDTH)

    def block() -> dict[str, Any]:
        sizes = {
            "qkv": (WIDTH, 3 * WIDTH),
            "out": (WIDTH, WIDTH),
            "up": (WIDTH, 4 * WIDTH),
            "down": (4 * WIDTH, WIDTH),
        }
        return {"ln1": norm(), "ln2": norm(), **{k: _linear(rng, *size) for k, size in sizes.items()}}

    params = {
        "tokens": jnp.asarray(rng.standard_normal((VOCABULARY, WIDTH)), jnp.float32),
        "positions": jnp.asarray(rng.standard_normal((LENGTH, WIDTH)), jnp.float32),
        "blocks": [block() for _ in range(4)],
        "ln": norm(),
        "head": _linear(rng, WIDTH, VOCABULARY)[0],
    }

    def layer_norm(p: Params, x: jax.Array) -> jax.Array:
        mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(var + 1e-5) * p[0] + p[1]

    def linear(p: Params, x: jax.Array) -> jax.Array:
        return x @ p[0] + p[1]

    def attention(p: Params, x: jax.Array) -> jax.Array:
        b, t, c = x.shape
        q, k, v = (z.reshape(b, t, HEADS, c // HEADS) for z in jnp.split(linear(p["qkv"], x), 3, -1))
        return linear(p["out"], jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(b, t, c))

    def loss_of(p: Params, key: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
        h = p["tokens"][x] + p["positions"]
        for of in p["blocks"]:
            h = h + attention(of, layer_norm(of["ln1"], h))
            h = h + linear(
                of["down"], jax.nn.gelu(linear(of["up"], layer_norm(of["ln2"], h)), approximate=False)
            )
        return _cross_entropy(layer_norm(p["ln"], h) @ p["head"], y)

    text = jnp.asarray(labels(8 * (LENGTH + 1), VOCABULARY).reshape(8, LENGTH + 1))
    return _training(params, loss_of, text[:, :-1], text[:, 1:])


def lstm() -> Callable[[], jax.Array]:
    rng = np.random.RandomState(0)
    params = {"in": _linear(rng, 64, 512), "hidden": _linear(rng, 128, 512), "out": _linear(rng, 128, 10)}

    def loss_of(p: Params, key: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
        def cell(state: Any, zx: jax.Array) -> Any:
            h, c = state
            i, f, g, o = jnp.split(zx + h @ p["hidden"][0] + p["hidden"][1], 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

        zeros = jnp.zeros((x.shape[1], 128))
        (h, _), _ = jax.lax.scan(cell, (zeros, zeros), x @ p["in"][0] + p["in"][1])
        return _cross_entropy(h @ p["out"][0] + p["out"][1], y)

    return _training(params, loss_of, jnp.asarray(normal(32, 32, 64)), jnp.asarray(labels(32)))


def per_sample() -> Callable[[], jax.Array]:
    def loss_of(params: Params, x: jax.Array, y: jax.Array) -> jax.Array:
        return _cross_entropy(_forward(params, x[None]), y[None])

    @jax.jit
    def update(params: Params, x: jax.Array, y: jax.Array) -> Any:
        losses, grads = jax.vmap(jax.value_and_grad(loss_of), (None, 0, 0))(params, x, y)
        squares = [(g.reshape(len(x), -1) ** 2).sum(1) for g in jax.tree.leaves(grads)]
        scale = jnp.minimum(1 / (jnp.sqrt(sum(squares)) + 1e-6), 1)
        mean = jax.tree.map(lambda g: jnp.tensordot(scale, g, 1) / len(x), grads)
        return losses.mean(), jax.tree.map(lambda p, g: p - 0.05 * g, params, mean)

    params, x, y = _layers([784, 128, 64, 10]), jnp.asarray(normal(64, 784)), jnp.asarray(labels(64))

    def step() -> jax.Array:
        nonlocal params
        loss, params = update(params, x, y)
        return loss

    return step


def ensemble() -> Callable[[], jax.Array]:
    def loss_of(params: Params, x: jax.Array, y: jax.Array) -> jax.Array:
        return _cross_entropy(_forward(params, x), y)

    @jax.jit
    def update(params: Params, x: jax.Array, y: jax.Array) -> Any:
        losses, grads = jax.vmap(jax.value_and_grad(loss_of), (0, None, None))(params, x, y)
        return losses.mean(), jax.tree.map(lambda p, g: p - 0.05 * g, params, grads)

    params = jax.tree.map(lambda *leaves: jnp.stack(leaves), *[_layers([784, 64, 10]) for _ in range(10)])
    x, y = jnp.asarray(normal(64, 784)), jnp.asarray(labels(64))

    def step() -> jax.Array:
        nonlocal params
        loss, params = update(params, x, y)
        return loss

    return step


JOBS: dict[str, Callable[[], Callable[[], jax.Array]]] = {
    f.__name__: f for f in (mlp, deep, cnn, vae, gpt, lstm, per_sample, ensemble)
}
