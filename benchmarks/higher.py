"""Higher-order derivatives: Laplacians beside folx, norms of per-sample gradients and products beside vmap, jvp of grad
and PyTorch."""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp
import numpy as np
import torch

import functorch_lite as ours
import functorch_lite.nn as nn
import functorch_lite.nn.functional as F
from functorch_lite.func import curvature, functional_call, grad, jvp, per_sample, taylor, vjp, vmap

from .timing import Peer, Result, compare


def _mlp(*widths: int) -> nn.Sequential:
    ours.manual_seed(0)
    layers: list = []
    for i, o in itertools.pairwise(widths):
        layers += [nn.Linear(i, o), nn.Tanh()]
    return nn.Sequential(*layers[:-1])


def _params(model) -> dict:
    return {name: p.detach() for name, p in model.named_parameters()}


def _arrays(params: dict) -> list:
    return [jnp.asarray(p.numpy()) for p in params.values()]


def _folx(kind: str) -> Callable:
    import folx

    def laplacian(f: Callable) -> Callable:
        return lambda x: folx.forward_laplacian(f, 0)(x).laplacian

    def f(arrays, x):
        for i in range(0, len(arrays), 2):
            x = x @ arrays[i].T + arrays[i + 1]
            x = jnp.tanh(x) if i < len(arrays) - 2 else x
        return x[0]

    def one(arrays, x):
        inner = laplacian(lambda x: f(arrays, x))
        return (laplacian(inner) if kind == "biharmonic" else inner)(x)

    return jax.jit(jax.vmap(one, (None, 0)))


def _laplacian(title: str, kind: str, widths: tuple, batch: int, steps: int, rounds: int) -> Result:
    model = _mlp(*widths)
    params, x = _params(model), ours.randn(batch, widths[0])

    def row(params, x):
        return functional_call(model, params, (x[None],))[0, 0]

    mine = vmap(getattr(taylor, kind)(row, argnums=1), in_dims=(None, 0))
    peers = [Peer("ours", lambda: mine(params, x), lambda r: r.sum().item())]
    if importlib.util.find_spec("folx") and importlib.util.find_spec("jaxtyping"):
        theirs, arrays, given = _folx(kind), _arrays(params), jnp.asarray(x.numpy())
        peers.append(Peer("folx", lambda: theirs(arrays, given), lambda r: r.block_until_ready()))
    return compare(title, peers, steps, rounds)


def _product(title: str, kind: str, steps: int, rounds: int) -> Result:
    """One product with ten batches, beside the same by hand: a loop of jvp of grad, or of jvp, Hessian of the loss,
    vjp."""
    model = _mlp(784, 256, 128, 10)
    params = _params(model)
    data = [(ours.randn(64, 784), ours.randint(0, 10, (64,))) for _ in range(10)]
    op = getattr(curvature, kind)(model, F.cross_entropy, params, data)
    v = {k: ours.randn(*p.shape) for k, p in params.items()}

    def loss(p, x, y):
        return F.cross_entropy(functional_call(model, p, (x,)), y)

    def hessian_part(x, y):
        return jvp(grad(lambda p: loss(p, x, y)), (params,), (v,))[1]

    def ggn_part(x, y):
        def call(p):
            return functional_call(model, p, (x,))

        z, along = jvp(call, (params,), (v,))
        bent = jvp(grad(lambda z: F.cross_entropy(z, y)), (z,), (along,))[1]
        return vjp(call, params)[1](bent)[0]

    def by_hand():
        total = None
        for x, y in data:
            part = (hessian_part if kind == "Hessian" else ggn_part)(x, y)
            total = part if total is None else {k: total[k] + part[k] for k in part}
        return total

    peers = [
        Peer("ours", lambda: op @ v, lambda r: r["0.weight"].sum().item()),
        Peer("by hand", by_hand, lambda r: r["0.weight"].sum().item()),
    ]
    return compare(title, peers, steps, rounds)


def _norms(title: str, shape: tuple, steps: int, rounds: int) -> Result:
    """Norms of per-sample gradients of a linear layer of 1024, beside what one writes by hand in JAX."""
    model = nn.Linear(1024, 1024)
    params = _params(model)
    x, y = ours.randn(*shape, 1024), ours.randn(*shape, 1024)

    @jax.jit
    def by_hand(w, b, x, y):
        z = jnp.matmul(x, w.T) + b
        g = 2 * (z - y) / (z.size // z.shape[0])
        rows_x, rows_g = x.reshape(x.shape[0], -1, 1024), g.reshape(g.shape[0], -1, 1024)
        weight = ((rows_x @ rows_x.transpose(0, 2, 1)) * (rows_g @ rows_g.transpose(0, 2, 1))).sum((1, 2))
        return jnp.sqrt(weight + jnp.square(rows_g.sum(1)).sum(1))

    given = [*_arrays(params), jnp.asarray(x.numpy()), jnp.asarray(y.numpy())]
    peers = [
        Peer(
            "ours",
            lambda: per_sample.gradient_norms(model, F.mse_loss, params, x, y),
            lambda r: r.sum().item(),
        ),
        Peer("jax by hand", lambda: by_hand(*given), lambda r: r.block_until_ready()),
    ]
    np.testing.assert_allclose(peers[0].step().numpy(), np.asarray(peers[1].step()), rtol=1e-4)
    return compare(title, peers, steps, rounds)


def _runs(title: str, steps: int, rounds: int) -> Result:
    """32 training runs by vmap, beside a loop over them, and beside JAX's vmap of a scan."""
    from functorch_lite.func import training

    model = _mlp(64, 64, 10)
    params = _params(model)
    x, y = ours.randn(50, 32, 64), ours.randint(0, 10, (50, 32))
    rates = ours.linspace(0.01, 0.3, 32)

    def run(rate):
        def step(p, batch):
            g = grad(lambda p: F.cross_entropy(functional_call(model, p, (batch[0],)), batch[1]))(p)
            return {k: p[k] - rate * g[k] for k in p}

        return training.unroll(step, params, (x, y))["0.weight"].sum()

    arrays, xs, ys = _arrays(params), jnp.asarray(x.numpy()), jnp.asarray(y.numpy()).astype(jnp.int32)

    def jax_run(rate):
        def loss(p, x, y):
            z = jnp.tanh(x @ p[0].T + p[1]) @ p[2].T + p[3]
            return -jnp.take_along_axis(jax.nn.log_softmax(z), y[:, None], 1).mean()

        def step(p, batch):
            return [q - rate * g for q, g in zip(p, jax.grad(loss)(p, *batch))], None

        return jax.lax.scan(step, arrays, (xs, ys))[0][0].sum()

    mapped, theirs, their_rates = vmap(run), jax.jit(jax.vmap(jax_run)), jnp.asarray(rates.numpy())
    peers = [
        Peer("ours", lambda: mapped(rates), lambda r: r.sum().item()),
        Peer("loop, each read", lambda: [run(r).item() for r in rates], lambda r: None),
        Peer("jax", lambda: theirs(their_rates), lambda r: r.block_until_ready()),
    ]
    return compare(title, peers, steps, rounds)


def run(smoke: bool = False) -> Iterator[Result]:
    """Each row; folx where it is installed."""
    few = {"steps": 1, "rounds": 1} if smoke else {"steps": 5, "rounds": 15}
    torch.set_grad_enabled(True)
    yield _laplacian(
        "Laplacian, MLP R^10, 3 x 128, batch 128", "laplacian", (10, 128, 128, 128, 1), 128, **few
    )
    yield _laplacian(
        "Laplacian, MLP R^100, 3 x 128, batch 128", "laplacian", (100, 128, 128, 128, 1), 128, **few
    )
    yield _laplacian("biharmonic, MLP R^5, 3 x 64, batch 64", "biharmonic", (5, 64, 64, 64, 1), 64, **few)
    yield _product("Hessian product, MLP 784-256-128-10, 10 x 64", "Hessian", **few)
    yield _product("GGN product, the same", "GGN", **few)
    yield _norms("norms, Linear 1024, batch 256", (256,), **few)
    yield _norms("norms, Linear 1024, batch 256, 16 tokens", (256, 16), **few)
    yield _runs("32 runs of 50 steps, MLP 64-64-10", **few)
