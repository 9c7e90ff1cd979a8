"""The examples of PyTorch's functorch notebooks: per-sample gradients, Jacobians, Hessians; each call made anew from
Python.

Peers: ours, torch.func, torch.func under torch.compile, and hand-written jax.jit.
"""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .timing import Peer, Result, compare, done

_rng = np.random.default_rng(0)


def _normal(*shape: int) -> np.ndarray:
    return _rng.standard_normal(shape).astype(np.float32)


def predict_of(torch: ModuleType):
    """tanh(x Wᵀ + b): the notebooks' function of (weight, bias, x)."""
    return lambda weight, bias, x: torch.nn.functional.linear(x, weight, bias).tanh()


def jax_predict(weight, bias, x):
    return jnp.tanh(weight @ x + bias)


JACOBIANS: dict[str, tuple[str, int, int]] = {
    "jacrev, 32 to 2048": ("jacrev", 32, 2048),
    "jacfwd, 32 to 2048": ("jacfwd", 32, 2048),
    "jacrev, 2048 to 32": ("jacrev", 2048, 32),
    "jacfwd, 2048 to 32": ("jacfwd", 2048, 32),
    "hessian, 512 to 32": ("hessian", 512, 32),
}


def simple_cnn(torch: ModuleType):
    """The network of the per-sample-gradients notebook."""
    nn = torch.nn
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, 1), nn.ReLU(), nn.Conv2d(32, 64, 3, 1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Linear(128, 10),
    )  # fmt: skip


def per_sample(torch: ModuleType, model, x: np.ndarray, y: np.ndarray):
    """vmap(grad(loss)) of a module over a batch, as the notebook writes it; the model is made anew by
    functional_call."""
    params = {k: v.detach() for k, v in model.named_parameters()}
    inputs, targets = torch.tensor(x), torch.tensor(y)

    def loss(params, x, y):
        out = torch.func.functional_call(model, params, (x[None],))
        return torch.nn.functional.cross_entropy(out, y[None])

    mapped = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
    return mapped, (params, inputs, targets)


def jax_cnn_loss(params, x, y):
    w1, b1, w2, b2, w3, b3, w4, b4 = params
    dims = ("NCHW", "OIHW", "NCHW")
    h = x[None]
    for w, b in ((w1, b1), (w2, b2)):
        h = jnp.maximum(
            jax.lax.conv_general_dilated(h, w, (1, 1), "VALID", dimension_numbers=dims) + b[:, None, None], 0
        )
    h = jax.lax.reduce_window(h, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID").reshape(-1)
    return -jax.nn.log_softmax(w4 @ jnp.maximum(w3 @ h + b3, 0) + b4)[y]


def _peers(
    torch: ModuleType, users: dict[str, Any], arguments: dict[str, tuple], jitted, jax_arguments, smoke: bool
):
    import functorch_lite as ours

    def mine():
        out = users["ours"](*arguments["ours"])
        ours.synchronize()
        return out

    def ready(out):
        for leaf in out.values() if isinstance(out, dict) else [out]:
            leaf.__jax_array__().block_until_ready()

    def theirs():
        return users["torch"](*arguments["torch"])

    peers = [
        Peer("ours", mine, ready),
        Peer("torch.func", theirs, done),
        Peer("jax.jit", lambda: jitted(*jax_arguments), jax.block_until_ready),
    ]
    if not smoke:
        compiled = torch.compile(users["torch"])
        peers.insert(2, Peer("compiled", lambda: compiled(*arguments["torch"]), done))
    a, b = mine(), theirs()
    pairs = [(a[k], b[k]) for k in a] if isinstance(a, dict) else [(a, b)]
    for mine_, theirs_ in pairs:
        got, expected = mine_.detach().cpu().numpy(), theirs_.detach().cpu().numpy()
        # of the whole, not of each element: rounding may tip a max-pool or a ReLU
        error = np.linalg.norm(got - expected) / np.linalg.norm(expected)
        if error > 1e-2:
            raise AssertionError(f"ours differs from PyTorch by {error:.1%}")
    return peers


def run(smoke: bool = False) -> list[Result]:
    """All of them; "compiled" is torch.func under torch.compile."""
    import torch

    import functorch_lite as ours

    libraries = SimpleNamespace(ours=ours, torch=torch)
    n, rounds = (1, 1) if smoke else (10, 7)
    results = []

    torch.manual_seed(0)
    x, y = _normal(64, 1, 28, 28), _rng.integers(0, 10, 64)
    models = {name: simple_cnn(lib) for name, lib in vars(libraries).items()}
    models["ours"].load_state_dict(
        {k: ours.tensor(v.cpu().numpy()) for k, v in models["torch"].state_dict().items()}
    )
    made = {name: per_sample(lib, models[name], x, y) for name, lib in vars(libraries).items()}
    weights = [jnp.asarray(p.detach().cpu().numpy()) for p in models["torch"].parameters()]
    jitted = jax.jit(jax.vmap(jax.grad(jax_cnn_loss), (None, 0, 0)))
    users, arguments = {k: v[0] for k, v in made.items()}, {k: v[1] for k, v in made.items()}
    peers = _peers(torch, users, arguments, jitted, (weights, jnp.asarray(x), jnp.asarray(y)), smoke)
    results.append(compare("per-sample gradients, SimpleCNN, batch 64", peers, max(n // 5, 1), rounds, 4))

    for title, (kind, size_in, size_out) in JACOBIANS.items():
        # scaled, or tanh is saturated, and its derivative nothing but rounding
        arrays = _normal(size_out, size_in) / size_in**0.5, _normal(size_out), _normal(size_in)
        users = {k: getattr(lib.func, kind)(predict_of(lib), argnums=2) for k, lib in vars(libraries).items()}
        arguments = {k: tuple(lib.tensor(a) for a in arrays) for k, lib in vars(libraries).items()}
        jitted = jax.jit(getattr(jax, kind)(jax_predict, argnums=2))
        peers = _peers(torch, users, arguments, jitted, tuple(jnp.asarray(a) for a in arrays), smoke)
        results.append(compare(title, peers, n, rounds, 6))

    arrays = _normal(33, 31) / 31**0.5, _normal(33), _normal(64, 31)
    for kind in ("jacrev", "hessian"):
        users = {
            k: lib.func.vmap(getattr(lib.func, kind)(predict_of(lib), argnums=2), in_dims=(None, None, 0))
            for k, lib in vars(libraries).items()
        }
        arguments = {k: tuple(lib.tensor(a) for a in arrays) for k, lib in vars(libraries).items()}
        jitted = jax.jit(jax.vmap(getattr(jax, kind)(jax_predict, argnums=2), in_axes=(None, None, 0)))
        peers = _peers(torch, users, arguments, jitted, tuple(jnp.asarray(a) for a in arrays), smoke)
        results.append(compare(f"vmap({kind}), batch 64, 31 to 33", peers, n, rounds, 6))
    return results
