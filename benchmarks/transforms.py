"""vmap(grad(loss)) called from a Python loop: per-sample gradients of an MLP."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np

from .timing import Peer, Result, compare, done


def run(smoke: bool = False) -> list[Result]:
    """Per-sample gradients, batch 64: ours, torch.func, and hand-written jit(vmap(grad))."""
    import torch

    import functorch_lite as ours

    rng = np.random.default_rng(0)
    sizes = [784, 128, 64, 10]
    weights = []
    for i, o in itertools.pairwise(sizes):
        weights += [rng.standard_normal((o, i)).astype(np.float32) / i**0.5, np.zeros(o, np.float32)]
    x, y = rng.standard_normal((64, 784)).astype(np.float32), rng.integers(0, 10, 64)

    def user(torch):
        functional = torch.nn.functional

        def loss(params, x, y):
            h = x
            for i in range(0, len(params), 2):
                h = functional.linear(h, params[i], params[i + 1])
                if i < len(params) - 2:
                    h = functional.relu(h)
            return functional.cross_entropy(h[None], y[None])

        params = [torch.tensor(w) for w in weights]
        inputs, targets = torch.tensor(x), torch.tensor(y)
        return lambda: torch.func.vmap(torch.func.grad(loss), (None, 0, 0))(params, inputs, targets)

    def jax_loss(params, x, y):
        h = x
        for i in range(0, len(params), 2):
            h = params[i] @ h + params[i + 1]
            if i < len(params) - 2:
                h = jnp.maximum(h, 0)
        return -jax.nn.log_softmax(h)[y]

    jitted = jax.jit(jax.vmap(jax.grad(jax_loss), (None, 0, 0)))
    jax_args = [jnp.asarray(w) for w in weights], jnp.asarray(x), jnp.asarray(y)

    def mine():
        grads = step()
        ours.synchronize()
        return grads

    step = user(ours)
    theirs = user(torch)
    for a, b in zip(mine(), theirs()):
        np.testing.assert_allclose(a.cpu().numpy(), b.cpu().numpy(), atol=1e-5)
    peers = [
        Peer("ours", mine, lambda g: g[0].__jax_array__().block_until_ready()),
        Peer("torch.func", theirs, done),
        Peer("jax.jit", lambda: jitted(*jax_args), lambda g: g[0].block_until_ready()),
    ]
    n, rounds = (2, 1) if smoke else (30, 11)
    return [compare("vmap(grad(loss)), MLP, batch 64", peers, n, rounds)]
