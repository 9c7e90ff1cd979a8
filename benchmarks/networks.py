"""A training step of a convolutional net, a transformer block, and recurrent nets: where the time is the networks' own.

The same PyTorch source under ours, ours with the step under `torch.compile` ("marked"), PyTorch, and PyTorch with the
model compiled; and a hand-written jax.jit step. The optimizer
is SGD, which costs next to nothing. After two steps the weights of all peers must be the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from .notebooks import simple_cnn
from .timing import Peer, Result, compare
from .training import copy_weights

RATE = 0.1


@dataclass
class Network:
    """What is trained: the module, the loss of its output, the same loss as a JAX user writes it, and the data."""

    title: str
    build: Callable[[ModuleType], Any]
    loss: Callable[[ModuleType, Any, Any], Any]
    jax_loss: Callable[[dict[str, jax.Array], jax.Array, jax.Array], jax.Array]
    x: np.ndarray
    y: np.ndarray


# -- the step, as users write it ---------------------------------------------------------------------------------------


def user_step(torch: ModuleType, network: Network, model, called):
    """The loop body in PyTorch; `called` is the model, or what torch.compile made of it."""
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
    x, y = torch.tensor(network.x), torch.tensor(network.y)

    def step():
        optimizer.zero_grad()
        loss = network.loss(torch, called(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step, lambda: {k: p.detach().cpu().numpy() for k, p in model.named_parameters()}


def jit_step(network: Network, weights: dict[str, np.ndarray]):
    """The same in JAX, with optax."""
    optimizer = optax.sgd(RATE)

    def update(params, state, x, y):
        loss, grads = jax.value_and_grad(network.jax_loss)(params, x, y)
        updates, state = optimizer.update(grads, state, params)
        return loss, optax.apply_updates(params, updates), state

    params = {k: jnp.asarray(w) for k, w in weights.items()}
    held: list[Any] = [params, optimizer.init(params)]
    x, y = jnp.asarray(network.x), jnp.asarray(network.y)
    compiled = jax.jit(update, donate_argnums=(0, 1))

    def step():
        loss, held[0], held[1] = compiled(held[0], held[1], x, y)
        return loss

    return step, lambda: {k: np.asarray(p) for k, p in held[0].items()}


def measure(network: Network, steps: int, rounds: int, smoke: bool) -> Result:
    """One network under all peers, from the same weights."""
    import torch

    import functorch_lite as ours

    torch.manual_seed(0)
    models = {"ours": network.build(ours), "marked": network.build(ours), "torch": network.build(torch)}
    if not smoke:
        models["compiled"] = network.build(torch)
    weights = {k: p.detach().cpu().numpy().copy() for k, p in models["torch"].named_parameters()}
    made = {}
    for name, model in models.items():
        library = ours if name in ("ours", "marked") else torch
        copy_weights(models["torch"], model, library)
        called = torch.compile(model) if name == "compiled" else model
        step, weights_of = user_step(library, network, model, called)
        made[name] = ours.compile(step) if name == "marked" else step, weights_of
    made["jax.jit"] = jit_step(network, weights)
    peers = [
        Peer(name, step, float if name == "jax.jit" else lambda loss: loss.item())
        for name, (step, _) in made.items()
    ]
    for peer in peers:
        for _ in range(2):
            peer.wait(peer.step())
    moved = {name: {k: w - weights[k] for k, w in found().items()} for name, (_, found) in made.items()}
    for peer in peers:
        error = max(_difference(moved[peer.name], moved["torch"], weights))
        if error > 1:
            if peer.name != "compiled":
                raise AssertionError(
                    f"{peer.name} moves weights otherwise than PyTorch, by {error:.1f} % of {network.title}"
                )
            peer.name = "compiled (wrong)"  # PyTorch 2.13 may lose gradients of SimpleCNN's convolutions
    return compare(network.title, peers, steps, rounds, warm_up=8)


def _difference(
    found: dict[str, np.ndarray], expected: dict[str, np.ndarray], weights: dict[str, np.ndarray]
):
    """By how many percent what was added to each weight differs from what is expected."""
    for k, move in expected.items():
        # of the whole, not of each element: rounding may tip a max-pool or a ReLU
        scale = np.linalg.norm(move) + 1e-4 * np.linalg.norm(weights[k])  # a bias of keys has no gradient
        yield 100 * float(np.linalg.norm(found[k] - move) / max(scale, 1e-6))


# -- convolutional -----------------------------------------------------------------------------------------------------


def jax_cnn_loss(params, x, y):
    """Of simple_cnn in notebooks.py."""
    h = x
    for k in ("0", "2"):
        h = jax.lax.conv_general_dilated(
            h, params[k + ".weight"], (1, 1), "VALID", dimension_numbers=("NCHW", "OIHW", "NCHW")
        )
        h = jax.nn.relu(h + params[k + ".bias"][:, None, None])
    h = jax.lax.reduce_window(h, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
    h = jax.nn.relu(h.reshape(h.shape[0], -1) @ params["6.weight"].T + params["6.bias"])
    logits = h @ params["8.weight"].T + params["8.bias"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


# -- attention ---------------------------------------------------------------------------------------------------------

HEADS = 4


def _layer_norm(x, weight, bias):
    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(var + 1e-5) * weight + bias


def _self_attention(p, x):
    """x: (T, N, E)."""
    steps, batch, size = x.shape
    qkv = x @ p["self_attn.in_proj_weight"].T + p["self_attn.in_proj_bias"]
    q, k, v = jnp.moveaxis(qkv.reshape(steps, batch, 3, HEADS, size // HEADS), 2, 0)
    scores = jnp.einsum("tnhe,snhe->nhts", q, k) / (size // HEADS) ** 0.5
    out = jnp.einsum("nhts,snhe->tnhe", jax.nn.softmax(scores), v).reshape(x.shape)
    return out @ p["self_attn.out_proj.weight"].T + p["self_attn.out_proj.bias"]


def jax_block_loss(norm_first: bool):
    """Of nn.TransformerEncoderLayer."""

    def loss(p, x, y):
        def feed_forward(x):
            hidden = jax.nn.relu(x @ p["linear1.weight"].T + p["linear1.bias"])
            return hidden @ p["linear2.weight"].T + p["linear2.bias"]

        def norm(k, x):
            return _layer_norm(x, p[f"norm{k}.weight"], p[f"norm{k}.bias"])

        if norm_first:
            x = x + _self_attention(p, norm(1, x))
            x = x + feed_forward(norm(2, x))
        else:
            x = norm(1, x + _self_attention(p, x))
            x = norm(2, x + feed_forward(x))
        return jnp.square(x - y).mean()

    return loss


# -- recurrent ---------------------------------------------------------------------------------------------------------


def jax_lstm_loss(p, x, y):
    def step(state, zx):
        h, c = state
        i, f, g, o = jnp.split(zx + h @ p["weight_hh_l0"].T, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zeros = jnp.zeros((x.shape[1], p["weight_hh_l0"].shape[1]))
    zx = x @ p["weight_ih_l0"].T + p["bias_ih_l0"] + p["bias_hh_l0"]
    return jnp.square(jax.lax.scan(step, (zeros, zeros), zx)[1] - y).mean()


def jax_gru_loss(p, x, y):
    def step(h, zx):
        rx, zx, nx = jnp.split(zx, 3, -1)
        rh, zh, nh = jnp.split(h @ p["weight_hh_l0"].T + p["bias_hh_l0"], 3, -1)
        r, z = jax.nn.sigmoid(rx + rh), jax.nn.sigmoid(zx + zh)
        n = jnp.tanh(nx + r * nh)
        h = (1 - z) * n + z * h
        return h, h

    zeros = jnp.zeros((x.shape[1], p["weight_hh_l0"].shape[1]))
    zx = x @ p["weight_ih_l0"].T + p["bias_ih_l0"]
    return jnp.square(jax.lax.scan(step, zeros, zx)[1] - y).mean()


# -- all ---------------------------------------------------------------------------------------------------------------


def networks() -> list[Network]:
    """What is measured."""
    rng = np.random.default_rng(0)

    def normal(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape).astype(np.float32)

    def class_loss(torch, out, y):
        return torch.nn.functional.cross_entropy(out, y)

    def square_loss(torch, out, y):
        return torch.nn.functional.mse_loss(out, y)

    def states_loss(torch, out, y):
        return torch.nn.functional.mse_loss(out[0], y)

    def block(norm_first: bool):
        return lambda torch: torch.nn.TransformerEncoderLayer(
            256, HEADS, 1024, dropout=0.0, norm_first=norm_first
        )

    found = [
        Network(
            "SimpleCNN, batch 64",
            simple_cnn,
            class_loss,
            jax_cnn_loss,
            normal(64, 1, 28, 28),
            rng.integers(0, 10, 64),
        )
    ]
    x, y = normal(64, 16, 256), normal(64, 16, 256)
    for first in (False, True):
        title = f"Transformer block 256, T 64, batch 16{', norm first' * first}"
        found.append(Network(title, block(first), square_loss, jax_block_loss(first), x, y))
    x, y = normal(64, 32, 64), np.tanh(normal(64, 32, 128))
    for kind, loss in (("LSTM", jax_lstm_loss), ("GRU", jax_gru_loss)):
        found.append(Network(f"{kind} 64 to 128, T 64, batch 32", recurrent(kind), states_loss, loss, x, y))
    return found


def recurrent(kind: str):
    """Builds the recurrent layer of this name."""
    return lambda torch: getattr(torch.nn, kind)(64, 128)


def run(smoke: bool = False, only: str = "") -> list[Result]:
    """All of them, or those whose title contains `only`; "compiled" is PyTorch with the model under torch.compile."""
    steps, rounds = (1, 1) if smoke else (8, 11)
    return [measure(n, steps, rounds, smoke) for n in networks() if only in n.title]
