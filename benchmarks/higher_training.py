"""The works of differentiated training beside the libraries that do them, each where it is installed: torchopt, jaxopt.
Times are processor time, of one thread with `--threads 1`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch

import functorch_lite as ours
import functorch_lite.nn.functional as F
from functorch_lite.func import functional_call, grad, implicit, training

from .higher_libraries import _has, _params, _read, _theirs, _twins, compare
from .timing import Peer, Result


def _equilibrium(title: str, steps: int, rounds: int) -> Result:
    r = np.random.RandomState(0)
    W, U = (r.randn(256, 256) * 0.4 / 16).astype(np.float32), r.randn(32, 256).astype(np.float32)
    mine, x = ours.tensor(W), ours.tensor(U)

    def layer(z: Any, W: Any) -> Any:
        return ours.tanh(z @ W + x)

    gradient = grad(lambda W: implicit.fixed_point(layer, ours.zeros(32, 256), W, rtol=1e-6).square().sum())
    peers = [Peer("ours", lambda: gradient(mine), _read)]
    if _has("jaxopt"):
        import jaxopt

        a, b = jnp.asarray(W), jnp.asarray(U)
        solver = jaxopt.AndersonAcceleration(
            lambda z, W: jnp.tanh(z @ W + b), history_size=5, tol=1e-5, implicit_diff=True
        )
        theirs = jax.jit(
            jax.grad(lambda W: (solver.run(jnp.zeros((32, 256), jnp.float32), W).params ** 2).sum())
        )
        np.testing.assert_allclose(gradient(mine).numpy(), np.asarray(theirs(a)), rtol=1e-2, atol=1e-2)
        peers.append(Peer("jaxopt", lambda: theirs(a), lambda g: g.block_until_ready()))
    return compare(title, peers, steps, rounds)


def _ridge(title: str, steps: int, rounds: int) -> Result:
    r = np.random.RandomState(0)
    X, y, Xv, yv = (
        a.astype(np.float32) for a in (r.randn(2000, 200), r.randn(2000), r.randn(500, 200), r.randn(500))
    )
    mine = [ours.tensor(a) for a in (X, y, Xv, yv)]
    ones = np.ones(200, np.float32)

    def validation(penalties: Any) -> Any:
        X, y, Xv, yv = mine

        def objective(w: Any, p: Any) -> Any:
            return ((X @ w - y) ** 2).sum() / 2 + (p * w**2).sum() / 2

        w = implicit.argmin(objective, ours.zeros(200), penalties, solver="newton_cg", rtol=1e-5)
        return ((Xv @ w - yv) ** 2).mean()

    @implicit.custom_root(lambda w, p: mine[0].mT @ (mine[0] @ w - mine[1]) + p * w)
    def closed(init: Any, p: Any) -> Any:
        X, y = mine[:2]
        return ours.linalg.solve(X.mT @ X + ours.diag(p), X.mT @ y)

    def by_solve(penalties: Any) -> Any:
        return ((mine[2] @ closed(ours.zeros(200), penalties) - mine[3]) ** 2).mean()

    gradient, penalties, in_closed_form = grad(validation), ours.tensor(ones), grad(by_solve)
    np.testing.assert_allclose(
        gradient(penalties).numpy(), in_closed_form(penalties).numpy(), rtol=1e-2, atol=1e-6
    )
    peers = [
        Peer("ours", lambda: gradient(penalties), _read),
        Peer("custom_root", lambda: in_closed_form(penalties), _read),
    ]
    if _has("jaxopt"):
        from jaxopt import implicit_diff

        jX, jy, jXv, jyv = (jnp.asarray(a) for a in (X, y, Xv, yv))

        @implicit_diff.custom_root(lambda w, p: jX.T @ (jX @ w - jy) + p * w)
        def solved_there(w: Any, p: Any) -> Any:
            return jnp.linalg.solve(jX.T @ jX + jnp.diag(p), jX.T @ jy)

        there = jax.jit(jax.grad(lambda p: ((jXv @ solved_there(jnp.zeros(200), p) - jyv) ** 2).mean()))
        given = jnp.asarray(ones)
        np.testing.assert_allclose(
            gradient(penalties).numpy(), np.asarray(there(given)), rtol=1e-2, atol=1e-6
        )
        peers.append(Peer("jaxopt", lambda: there(given), lambda g: g.block_until_ready()))
    if _has("torchopt"):
        import torchopt

        tX, ty, tXv, tyv = (torch.from_numpy(a) for a in (X, y, Xv, yv))

        def optimality(w: Any, p: Any) -> Any:
            return tX.T @ (tX @ w - ty) + p * w

        @torchopt.diff.implicit.custom_root(optimality, argnums=1)
        def solved(w: Any, p: Any) -> Any:
            return torch.linalg.solve(tX.T @ tX + torch.diag(p), tX.T @ ty)

        def theirs() -> Any:
            p = torch.ones(200, requires_grad=True)
            w = solved(torch.zeros(200, requires_grad=True), p)
            return torch.autograd.grad(((tXv @ w - tyv) ** 2).mean(), p)[0]

        np.testing.assert_allclose(gradient(penalties).numpy(), theirs().numpy(), rtol=1e-2, atol=1e-6)
        peers.append(Peer("torchopt", theirs, _read))
    return compare(title, peers, steps, rounds)


def _meta(title: str, steps: int, rounds: int) -> Result:
    def make(nn: Any) -> Any:
        return nn.Sequential(nn.Linear(784, 256), nn.Tanh(), nn.Linear(256, 10))

    model, net = _twins(make)
    params = _params(model)
    X, Y = ours.randn(20, 256, 784), ours.randint(0, 10, (20, 256))

    def after(rate: Any, checkpoint: Any) -> Any:
        def step(p: Any, batch: Any) -> Any:
            g = grad(lambda p: F.cross_entropy(functional_call(model, p, (batch[0],)), batch[1]))(p)
            return {k: p[k] - rate * g[k] for k in p}

        p = training.unroll(step, params, (X, Y), checkpoint=checkpoint)
        return F.cross_entropy(functional_call(model, p, (X[0],)), Y[0])

    rate = ours.tensor(0.1)
    plain, checkpointed = (grad(lambda r, c=c: after(r, c)) for c in (None, 5))
    peers = [
        Peer("ours", lambda: plain(rate), _read),
        Peer("checkpoint=5", lambda: checkpointed(rate), _read),
    ]
    if _has("torchopt"):
        import torchopt

        tX, tY = _theirs(X, Y)

        def theirs() -> Any:
            rate = torch.tensor(0.1, requires_grad=True)
            optimizer = torchopt.sgd(lr=1.0, moment_requires_grad=False)
            p = {k: v.detach().clone().requires_grad_() for k, v in net.named_parameters()}
            state = optimizer.init(p)
            for x, y in zip(tX, tY):
                loss = torch.nn.functional.cross_entropy(torch.func.functional_call(net, p, (x,)), y)
                g = torch.autograd.grad(loss, list(p.values()), create_graph=True)
                updates, state = optimizer.update(dict(zip(p, g)), state, inplace=False)
                p = torchopt.apply_updates(p, {k: rate * u for k, u in updates.items()}, inplace=False)
            last = torch.nn.functional.cross_entropy(torch.func.functional_call(net, p, (tX[0],)), tY[0])
            return torch.autograd.grad(last, rate)[0]

        np.testing.assert_allclose(plain(rate).numpy(), theirs().numpy(), rtol=1e-2)
        peers.append(Peer("torchopt", theirs, _read))
    return compare(title, peers, steps, rounds)


_ROWS: dict[str, Callable] = {
    "DEQ of 256, batch 32": _equilibrium,
    "ridge 2000 x 200": _ridge,
    "20 SGD steps, gradient in the rate": _meta,
}


def run(smoke: bool = False) -> Iterator[Result]:
    """Each row."""
    few = {"steps": 1, "rounds": 1} if smoke else {"steps": 2, "rounds": 7}
    torch.set_grad_enabled(True)
    for title, row in _ROWS.items():
        yield row(title, **few)
