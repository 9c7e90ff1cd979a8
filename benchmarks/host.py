"""What Python costs per step: processor time of the calling thread at sizes where there is next to nothing to compute.

Adam's steps of four nets and per-sample gradients, by ours as it stands and under `torch.compile` ("marked"), by
PyTorch, by PyTorch with the step's model compiled, and by hand-written jax.jit that is given its buffers back.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from .networks import HEADS, jax_block_loss
from .timing import Peer
from .training import copy_weights, jax_mlp, mlp

MICRO = 1e6


# -- the nets ----------------------------------------------------------------------------------------------------------


def resnet(torch: ModuleType, width: int = 4):
    """Of ResNet-18's shape: eight blocks of two convolutions, BatchNorm after each."""
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, i: int, o: int, stride: int):
            super().__init__()
            self.conv1, self.bn1 = nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o)
            self.conv2, self.bn2 = nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o)
            self.down = (
                nn.Sequential(nn.Conv2d(i, o, 1, stride, bias=False), nn.BatchNorm2d(o))
                if stride > 1
                else None
            )

        def forward(self, x):
            out = nn.functional.relu(self.bn1(self.conv1(x)))
            out = self.bn2(self.conv2(out))
            return nn.functional.relu(out + (x if self.down is None else self.down(x)))

    sizes = [width, width, 2 * width, 4 * width, 8 * width]
    blocks = []
    for k in range(4):
        blocks += [Block(sizes[k], sizes[k + 1], 1 + (k > 0)), Block(sizes[k + 1], sizes[k + 1], 1)]
    stem = [nn.Conv2d(3, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
    return nn.Sequential(*stem, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8 * width, 10))


def jax_resnet(p: dict[str, jax.Array], x: jax.Array):
    """Of `resnet`: the output, and the statistics of each BatchNorm."""
    seen: dict[str, jax.Array] = {}

    def conv(k, x, stride=1, pad=1):
        dims = ("NCHW", "OIHW", "NCHW")
        return jax.lax.conv_general_dilated(
            x, p[k + ".weight"], (stride, stride), [(pad, pad)] * 2, dimension_numbers=dims
        )

    def norm(k, x):
        mean, var = x.mean((0, 2, 3)), x.var((0, 2, 3))
        n = x.size // x.shape[1]
        seen[k + ".running_mean"] = 0.9 * p[k + ".running_mean"] + 0.1 * mean
        seen[k + ".running_var"] = 0.9 * p[k + ".running_var"] + 0.1 * var * (n / max(n - 1, 1))
        seen[k + ".num_batches_tracked"] = p[k + ".num_batches_tracked"] + 1
        scale = jax.lax.rsqrt(var + 1e-5) * p[k + ".weight"]
        return (x - mean[:, None, None]) * scale[:, None, None] + p[k + ".bias"][:, None, None]

    h = jax.nn.relu(norm("1", conv("0", x)))
    for k in range(3, 11):
        stride = 2 if f"{k}.down.0.weight" in p else 1
        out = jax.nn.relu(norm(f"{k}.bn1", conv(f"{k}.conv1", h, stride)))
        out = norm(f"{k}.bn2", conv(f"{k}.conv2", out))
        down = norm(f"{k}.down.1", conv(f"{k}.down.0", h, stride, 0)) if stride == 2 else h
        h = jax.nn.relu(out + down)
    return h.mean((2, 3)) @ p["13.weight"].T + p["13.bias"], jax.lax.stop_gradient(seen)


def _cross_entropy(logits: jax.Array, y: jax.Array) -> jax.Array:
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


# -- the steps ---------------------------------------------------------------------------------------------------------


def user_step(torch: ModuleType, model, called, loss_of, x: np.ndarray, y: np.ndarray):
    """The loop body in PyTorch; `called` is the model, or what torch.compile made of it."""
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    inputs, targets = torch.tensor(x), torch.tensor(y)

    def step():
        optimizer.zero_grad()
        loss = loss_of(torch, called(inputs), targets)
        loss.backward()
        optimizer.step()
        return loss

    return step


def jit_step(loss_of: Callable, params: dict[str, np.ndarray], buffers: dict[str, np.ndarray], x, y):
    """The same in JAX, with optax. loss_of(params, buffers, x, y) gives the loss and the new buffers."""
    optimizer = optax.adam(1e-3)

    def update(params, state, buffers, x, y):
        (loss, buffers), grads = jax.value_and_grad(loss_of, has_aux=True)(params, buffers, x, y)
        updates, state = optimizer.update(grads, state, params)
        return loss, optax.apply_updates(params, updates), state, buffers

    weights = {k: jnp.asarray(w) for k, w in params.items()}
    held: list[Any] = [weights, optimizer.init(weights), {k: jnp.asarray(b) for k, b in buffers.items()}]
    inputs, targets = jnp.asarray(x), jnp.asarray(y)
    compiled = jax.jit(update, donate_argnums=(0, 1, 2))

    def step():
        loss, *held[:] = compiled(*held, inputs, targets)
        return loss

    return step


def training_peers(build, loss_of, jax_loss, x: np.ndarray, y: np.ndarray, smoke: bool) -> list[Peer]:
    """All peers of a net, from the same weights, whose first losses must agree, and roughly the second: Adam's first
    steps are signs of gradients."""
    import torch

    import functorch_lite as ours

    torch.manual_seed(0)
    source = build(torch)
    params = {k: p.detach().cpu().numpy().copy() for k, p in source.named_parameters()}
    buffers = {k: b.cpu().numpy().copy() for k, b in source.named_buffers()}
    buffers = {k: b.astype(np.int32) if b.dtype == np.int64 else b for k, b in buffers.items()}

    def step_of(library: ModuleType, wrap: Callable | None = None):
        model = build(library)
        copy_weights(source, model, library)
        return user_step(library, model, wrap(model) if wrap else model, loss_of, x, y)

    steps: dict[str, Callable] = {
        "ours": step_of(ours),
        "marked": ours.compile(step_of(ours)),
        "torch": step_of(torch),
    }
    if not smoke:
        steps["compiled"] = step_of(torch, torch.compile)
    steps["jax.jit"] = jit_step(jax_loss, params, buffers, x, y)
    peers = [
        Peer(k, step, float if k == "jax.jit" else lambda loss: loss.item()) for k, step in steps.items()
    ]
    losses = np.array([[p.wait(p.step()) for _ in range(2)] for p in peers if p.name != "compiled"])
    np.testing.assert_allclose(losses[:, 0], losses[0, 0], rtol=1e-5)
    np.testing.assert_allclose(losses[:, 1], losses[0, 1], rtol=2e-2)
    return peers


def per_sample_peers() -> list[Peer]:
    """Per-sample gradients; the transform is asked for anew at each call, as notebooks do."""
    import torch

    import functorch_lite as ours

    rng = np.random.default_rng(0)
    sizes = [(16, 8), (16,), (8, 16), (8,)]
    weights = [rng.standard_normal(s).astype(np.float32) for s in sizes]
    x, y = rng.standard_normal((4, 8)).astype(np.float32), rng.integers(0, 8, 4)

    def user(library):
        functional = library.nn.functional

        def loss(params, x, y):
            h = functional.relu(functional.linear(x, params[0], params[1]))
            return functional.cross_entropy(functional.linear(h, params[2], params[3])[None], y[None])

        params, inputs, targets = [library.tensor(w) for w in weights], library.tensor(x), library.tensor(y)
        return lambda: library.func.vmap(library.func.grad(loss), (None, 0, 0))(params, inputs, targets)

    def jax_loss(params, x, y):
        h = jnp.maximum(params[0] @ x + params[1], 0)
        return -jax.nn.log_softmax(params[2] @ h + params[3])[y]

    jitted = jax.jit(jax.vmap(jax.grad(jax_loss), (None, 0, 0)))
    given = [jnp.asarray(w) for w in weights], jnp.asarray(x), jnp.asarray(y)
    step = user(ours)

    def mine():
        grads = step()
        ours.synchronize()
        return grads

    return [
        Peer("ours", mine, lambda g: g[0].cpu().numpy()),
        Peer("torch", user(torch), lambda g: g[0].cpu().numpy()),
        Peer("jax.jit", lambda: jitted(*given), lambda g: np.asarray(g[0])),
    ]


# -- the measuring -----------------------------------------------------------------------------------------------------


def compared(title: str, peers: list[Peer], steps: int, rounds: int) -> str:
    """A line: microseconds of thread time per step, minima of alternating rounds; results are waited for once a
    round."""
    import functorch_lite as ours

    with ours.debug.tier("compiled"):  # as in the long run
        for peer in peers:
            for _ in range(12):
                result = peer.step()
            peer.wait(result)
    least = dict.fromkeys((p.name for p in peers), float("inf"))
    for _ in range(rounds):
        for peer in peers:
            peer.wait(peer.step())
            begun = time.thread_time()
            for _ in range(steps):
                result = peer.step()
            least[peer.name] = min(least[peer.name], (time.thread_time() - begun) / steps * MICRO)
            peer.wait(result)
    jit = least["jax.jit"]
    return f"{title:<24}" + "  ".join(f"{k} {us:8.1f} us ({us / jit:5.2f} of jit)" for k, us in least.items())


def run(smoke: bool = False) -> Iterator[str]:
    """A line for each net."""
    rng = np.random.default_rng(0)

    def normal(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape).astype(np.float32)

    def classes(torch, out, y):
        return torch.nn.functional.cross_entropy(out, y)

    def squares(torch, out, y):
        return torch.nn.functional.mse_loss(out, y)

    def of_mlp(params, buffers, x, y):
        in_order = sorted(params, key=lambda k: (int(k.split(".")[0]), k.endswith("bias")))
        return _cross_entropy(jax_mlp([params[k] for k in in_order], x), y), buffers

    def of_block(params, buffers, x, y):
        return jax_block_loss(False)(params, x, y), buffers

    def of_resnet(params, buffers, x, y):
        logits, seen = jax_resnet({**params, **buffers}, x)
        return _cross_entropy(logits, y), seen

    def block(torch):
        return torch.nn.TransformerEncoderLayer(4 * HEADS, HEADS, 32, dropout=0.0)

    labels = rng.integers(0, 8, 4)
    nets = {
        "MLP": (lambda t: mlp(t, [8, 16, 16, 8]), classes, of_mlp, normal(4, 8), labels),
        "20 layers": (lambda t: mlp(t, [8] * 21), classes, of_mlp, normal(4, 8), labels),
        "transformer block": (block, squares, of_block, normal(4, 2, 4 * HEADS), normal(4, 2, 4 * HEADS)),
        "like ResNet-18": (resnet, classes, of_resnet, normal(2, 3, 8, 8), labels[:2]),
    }
    steps, rounds = (3, 1) if smoke else (100, 9)
    for title, net in nets.items():
        if smoke and title != "MLP":
            continue
        yield compared(title, training_peers(*net, smoke), steps, rounds)
    yield compared("vmap(grad(loss))", per_sample_peers(), steps, rounds)
