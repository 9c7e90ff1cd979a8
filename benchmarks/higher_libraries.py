"""The works of curvature and single samples beside the libraries for PyTorch that do them, each where it is
installed: curvlinops, BackPACK, Opacus; and torch.func. Times are processor time, of one thread with `--threads 1`."""

from __future__ import annotations

import functools
import importlib.util
import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.flatten_util
import jax.numpy as jnp
import numpy as np
import torch

import functorch_lite as ours
import functorch_lite.nn.functional as F
from functorch_lite.func import curvature, ntk, per_sample, privacy

from .timing import Peer, Result, compare

compare = functools.partial(compare, clock=time.process_time)


def _has(*names: str) -> bool:
    return all(importlib.util.find_spec(name) for name in names)


def _twins(make: Callable[[Any], Any]) -> tuple[Any, Any]:
    """(a net here, the same in PyTorch), made of a library's nn."""
    ours.manual_seed(0)
    mine, theirs = make(ours.nn), make(torch.nn)
    with torch.no_grad():
        for p, q in zip(mine.parameters(), theirs.parameters()):
            q.copy_(torch.from_numpy(p.detach().numpy().copy()))
    return mine, theirs


def _params(model: Any) -> dict:
    return {name: p.detach() for name, p in model.named_parameters()}


def _theirs(*tensors: Any) -> list:
    return [torch.from_numpy(t.numpy().copy()) for t in tensors]


def _mlp(nn: Any) -> Any:
    layers = (784, 256, 128, 10)
    parts: list = []
    for i, o in itertools.pairwise(layers):
        parts += [nn.Linear(i, o), nn.Tanh()]
    return nn.Sequential(*parts[:-1])


def _cnn(nn: Any, side: int = 28) -> Any:
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(16 * (side // 4) ** 2, 10),
    )  # fmt: skip


def _batches(n: int, count: int, *shape: int) -> list:
    return [(ours.randn(n, *shape), ours.randint(0, 10, (n,))) for _ in range(count)]


def _read(t: Any) -> float:
    return t.sum().item()


# -- curvature -------------------------------------------------------------------------------------------------------


def _product(title: str, kind: str, make: Callable, data: list, steps: int, rounds: int) -> Result:
    model, net = _twins(make)
    op = getattr(curvature, kind)(model, F.cross_entropy, _params(model), data)
    v = ours.randn(op.shape[0])
    peers = [Peer("ours", lambda: op @ v, _read)]
    if _has("curvlinops"):
        import curvlinops

        library = getattr(curvlinops, {"Hessian": "HessianLinearOperator", "GGN": "GGNLinearOperator"}[kind])
        given = [tuple(_theirs(*batch)) for batch in data]
        named = list(net.parameters())
        their_op = library(net, torch.nn.CrossEntropyLoss(), named, given, check_deterministic=False)
        (w,) = _theirs(v)
        np.testing.assert_allclose((their_op @ w).detach().numpy(), (op @ v).numpy(), rtol=1e-2, atol=1e-4)
        peers.append(Peer("curvlinops", lambda: their_op @ w, _read))
    return compare(title, peers, steps, rounds)


def _kfac(title: str, data: list, steps: int, rounds: int) -> Result:
    model, net = _twins(_cnn)
    params = _params(model)
    given = [tuple(_theirs(*batch)) for batch in data]
    peers = [
        Peer(
            "ours",
            lambda: curvature.KFAC(model, F.cross_entropy, params, data).factors,
            lambda f: _read(f["0"][0]),
        )
    ]
    if _has("curvlinops"):
        import curvlinops

        def theirs() -> Any:
            op = curvlinops.KFACLinearOperator(
                net, torch.nn.CrossEntropyLoss(), list(net.parameters()), given, check_deterministic=False,
                fisher_type="type-2",
            )  # fmt: skip
            return op @ torch.zeros(op.shape[1])  # factors are made when they are asked for

        peers.append(Peer("curvlinops", theirs, _read))
    if _has("backpack"):
        import backpack
        from backpack.extensions import KFLR

        extended, loss = backpack.extend(_twins(_cnn)[1]), backpack.extend(torch.nn.CrossEntropyLoss())

        def by_backpack() -> Any:
            for x, y in given:
                extended.zero_grad()
                with backpack.backpack(KFLR()):
                    loss(extended(x), y).backward()
            return extended[0].weight.kflr[0]

        peers.append(Peer("BackPACK", by_backpack, _read))
    return compare(title, peers, steps, rounds)


def _diagonal(title: str, steps: int, rounds: int) -> Result:
    model, net = _twins(_cnn)
    params = _params(model)
    ((x, y),) = _batches(32, 1, 1, 28, 28)
    tx, ty = _theirs(x, y)
    named = {k: p.detach() for k, p in net.named_parameters()}

    def of_one(x: Any, y: Any) -> Any:
        def call(p: Any) -> Any:
            return torch.func.functional_call(net, p, (x[None],))[0]

        z = call(named)
        p = torch.softmax(z, 0)
        root = torch.diag(p.sqrt()) - torch.outer(p, p.sqrt())
        return {
            k: torch.tensordot(root.mT, J, 1).square().sum(0)
            for k, J in torch.func.jacrev(call)(named).items()
        }

    def by_vmap() -> Any:
        return {k: d.mean(0) for k, d in torch.func.vmap(of_one)(tx, ty).items()}

    peers = [
        Peer("ours", lambda: per_sample.ggn_diagonal(model, F.cross_entropy, params, x, y), lambda d: _read(d["0.weight"])),
        Peer("torch vmap", by_vmap, lambda d: _read(d["0.weight"])),
    ]  # fmt: skip
    np.testing.assert_allclose(
        peers[0].step()["0.weight"].numpy(), by_vmap()["0.weight"].numpy(), rtol=1e-2, atol=1e-6
    )
    if _has("backpack"):
        import backpack
        from backpack.extensions import DiagGGNExact

        extended, loss = backpack.extend(_twins(_cnn)[1]), backpack.extend(torch.nn.CrossEntropyLoss())

        def by_backpack() -> Any:
            extended.zero_grad()
            with backpack.backpack(DiagGGNExact()):
                loss(extended(tx), ty).backward()
            return extended[0].weight.diag_ggn_exact

        peers.append(Peer("BackPACK", by_backpack, _read))
    return compare(title, peers, steps, rounds)


def _spectrum(title: str, what: str, steps: int, rounds: int) -> Result:
    def make(nn: Any) -> Any:
        return nn.Sequential(nn.Linear(64, 128), nn.Tanh(), nn.Linear(128, 10))

    model, net = _twins(make)
    data = _batches(512, 1, 64)
    op = curvature.Hessian(model, F.cross_entropy, _params(model), data)
    grid = ours.linspace(-0.1, 1.0, 100)
    if what == "eigsh":
        mine = Peer("ours", lambda: curvature.eigsh(op, 10, tol=1e-3)[0], _read)
    else:
        mine = Peer(
            "ours",
            lambda: curvature.spectral_density(op, grid, width=0.02, steps=64, samples=10).value,
            _read,
        )
    peers = [mine]
    if _has("scipy") and what == "eigsh":
        from scipy.sparse.linalg import eigsh

        product = op.to_scipy()
        peers.append(
            Peer("product, scipy", lambda: eigsh(product, 10, which="LA", tol=1e-3)[0], lambda v: v.sum())
        )
    if _has("curvlinops", "scipy") and what == "eigsh":
        import curvlinops

        given = [tuple(_theirs(*batch)) for batch in data]
        theirs = curvlinops.HessianLinearOperator(
            net, torch.nn.CrossEntropyLoss(), list(net.parameters()), given, check_deterministic=False
        ).to_scipy()
        peers.append(
            Peer("curvlinops, scipy", lambda: eigsh(theirs, 10, which="LA", tol=1e-3)[0], lambda v: v.sum())
        )
    if _has("matfree"):
        from matfree import decomp

        arrays = [jnp.asarray(p.numpy()) for p in _params(model).values()]
        x, y = (jnp.asarray(t.numpy()) for t in data[0])
        flat, back = jax.flatten_util.ravel_pytree(arrays)

        def loss(v: Any) -> Any:
            p = back(v)
            z = jnp.tanh(x @ p[0].T + p[1]) @ p[2].T + p[3]
            return -jnp.take_along_axis(jax.nn.log_softmax(z), y[:, None].astype(jnp.int32), 1).mean()

        def times(v: Any) -> Any:
            return jax.jvp(jax.grad(loss), (flat,), (v,))[1]

        depth = 80 if what == "eigsh" else 64
        lanczos = decomp.tridiag_sym(depth, reortho="full")

        def one(start: Any) -> Any:
            found = lanczos(times, start)
            dense = found.J_small
            return jnp.linalg.eigvalsh(dense)[-10:]

        starts = jax.random.normal(jax.random.key(0), (1 if what == "eigsh" else 10, flat.size))
        run = jax.jit(lambda: jax.lax.map(one, starts))
        peers.append(Peer(f"matfree, {depth} steps", run, lambda r: r.block_until_ready()))
    return compare(title, peers, steps, rounds)


def _kernel(title: str, steps: int, rounds: int) -> Result:
    model, net = _twins(lambda nn: _cnn(nn, 16))
    params, named = _params(model), {k: p.detach() for k, p in net.named_parameters()}
    x = ours.randn(64, 1, 16, 16)
    (tx,) = _theirs(x)

    def jacobians(x: Any) -> Any:
        one = torch.func.jacrev(lambda p, x: torch.func.functional_call(net, p, (x[None],))[0])
        return [J.flatten(2) for J in torch.func.vmap(one, (None, 0))(named, x).values()]

    def contracted() -> Any:
        rows = jacobians(tx)
        return sum(torch.einsum("nap,mbp->nmab", J, J) for J in rows)

    peers = [
        Peer("ours", lambda: ntk.ntk(model, params, x), _read),
        Peer("torch contraction", contracted, _read),
    ]
    np.testing.assert_allclose(peers[0].step().numpy(), contracted().numpy(), rtol=1e-2, atol=1e-2)
    return compare(title, peers, steps, rounds)


# -- single samples --------------------------------------------------------------------------------------------------


def _ghost(net: Any) -> Any:
    from opacus.grad_sample.grad_sample_module_fast_gradient_clipping import (
        GradSampleModuleFastGradientClipping,
    )

    return GradSampleModuleFastGradientClipping(
        net, max_grad_norm=1.0, use_ghost_clipping=True, loss_reduction="sum"
    )


def _norms(title: str, make: Callable, x: Any, steps: int, rounds: int) -> Result:
    """Norms of the gradients of the sum of squares of what a net gives."""
    model, net = _twins(make)
    params, y = _params(model), ours.zeros(x.shape[0])
    (tx,) = _theirs(x)

    def loss(z: Any, y: Any) -> Any:
        return (z**2).sum()

    peers = [Peer("ours", lambda: per_sample.gradient_norms(model, loss, params, x, y), _read)]

    def plain() -> Any:
        named = {k: p.detach() for k, p in net.named_parameters()}
        each = torch.func.vmap(
            torch.func.grad(lambda p, x: (torch.func.functional_call(net, p, (x[None],)) ** 2).sum()),
            (None, 0),
        )(named, tx)
        return sum(g.flatten(1).square().sum(1) for g in each.values()).sqrt()

    np.testing.assert_allclose(peers[0].step().numpy(), plain().numpy(), rtol=1e-2)
    peers.append(Peer("torch vmap", plain, _read))
    if _has("opacus"):
        wrapped = _ghost(_twins(make)[1])

        def ghost() -> Any:
            wrapped.zero_grad()
            (wrapped(tx) ** 2).sum().backward()
            return wrapped.get_norm_sample()

        peers.append(Peer("Opacus ghost", ghost, _read))
    return compare(title, peers, steps, rounds)


class _Tokens:
    """Two pre-norm blocks of 64 with attention written in linear layers, as Opacus' ghost clipping takes them, and
    their mean into 10 classes."""

    @staticmethod
    def make(nn: Any) -> Any:
        library = ours if nn is ours.nn else torch

        class Block(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.norm, self.then = nn.LayerNorm(64), nn.LayerNorm(64)
                self.qkv, self.out = nn.Linear(64, 192), nn.Linear(64, 64)
                self.up, self.down = nn.Linear(64, 256), nn.Linear(256, 64)

            def forward(self, x: Any) -> Any:
                n, t, _ = x.shape
                q, k, v = self.qkv(self.norm(x)).reshape(n, t, 3, 4, 16).permute(2, 0, 3, 1, 4)
                w = library.softmax(q @ k.transpose(-1, -2) / 4, -1)
                x = x + self.out((w @ v).transpose(1, 2).reshape(n, t, 64))
                return x + self.down(library.relu(self.up(self.then(x))))

        class Net(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.first, self.second, self.head = Block(), Block(), nn.Linear(64, 10)

            def forward(self, x: Any) -> Any:
                return self.head(self.second(self.first(x)).mean(1))

        return Net()


def _attention(nn: Any) -> Any:
    library = ours if nn is ours.nn else torch

    class Attention(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.qkv, self.out = nn.Linear(128, 384), nn.Linear(128, 128)

        def forward(self, x: Any) -> Any:
            n, t, _ = x.shape
            q, k, v = self.qkv(x).reshape(n, t, 3, 4, 32).permute(2, 0, 3, 1, 4)
            w = library.softmax(q @ k.transpose(-1, -2) / 32**0.5, -1)
            return self.out((w @ v).transpose(1, 2).reshape(n, t, 128))

    return Attention()


def _private(title: str, steps: int, rounds: int) -> Result:
    model, net = _twins(_Tokens.make)
    x, y = ours.randn(64, 32, 64), ours.randint(0, 10, (64,))
    private = privacy.DPOptimizer(
        ours.optim.SGD(model.parameters(), lr=0.01),
        model,
        F.cross_entropy,
        max_norm=1.0,
        noise_multiplier=1.0,
    )
    head = model.head.bias

    def step() -> Any:
        private.step(x, y)
        return head

    peers = [Peer("ours", step, _read)]
    if _has("opacus"):
        from opacus.optimizers import DPOptimizerFastGradientClipping
        from opacus.utils.fast_gradient_clipping_utils import DPLossFastGradientClipping

        tx, ty = _theirs(x, y)
        wrapped = _ghost(net)
        optimizer = DPOptimizerFastGradientClipping(
            torch.optim.SGD(net.parameters(), lr=0.01), noise_multiplier=1.0, max_grad_norm=1.0, expected_batch_size=64,
            loss_reduction="sum",
        )  # fmt: skip
        criterion = DPLossFastGradientClipping(
            wrapped, optimizer, torch.nn.CrossEntropyLoss(reduction="sum"), "sum"
        )

        def their_step() -> Any:
            optimizer.zero_grad()
            criterion(wrapped(tx), ty).backward()
            optimizer.step()
            return net.head.bias

        peers.append(Peer("Opacus ghost", their_step, _read))
    return compare(title, peers, steps, rounds)


def _rows() -> dict[str, Callable]:
    images = _batches(32, 10, 1, 28, 28)
    vectors = _batches(64, 10, 784)
    return {
        "Hessian product, MLP, 10 x 64": lambda t, **few: _product(t, "Hessian", _mlp, vectors, **few),
        "GGN product, MLP, 10 x 64": lambda t, **few: _product(t, "GGN", _mlp, vectors, **few),
        "Hessian product, CNN, 10 x 32": lambda t, **few: _product(t, "Hessian", _cnn, images, **few),
        "GGN product, CNN, 10 x 32": lambda t, **few: _product(t, "GGN", _cnn, images, **few),
        "KFAC factors, CNN, 10 x 32": lambda t, **few: _kfac(t, images, **few),
        "GGN diagonal, CNN, batch 32": _diagonal,
        "norms, Conv2d 3-64 on 32x32, batch 256": lambda t, **few: _norms(
            t, lambda nn: nn.Sequential(nn.Conv2d(3, 64, 3, padding=1)), ours.randn(256, 3, 32, 32), **few
        ),
        "norms, Embedding 10000 x 64, 32 ids, batch 256": lambda t, **few: _norms(
            t, lambda nn: nn.Sequential(nn.Embedding(10000, 64)), ours.randint(0, 10000, (256, 32)), **few
        ),
        "norms, attention 128, 64 tokens, batch 256": lambda t, **few: _norms(
            t, _attention, ours.randn(256, 64, 128), **few
        ),
        "DP-SGD step, 2 blocks of 64, 32 tokens, batch 64": _private,
        "NTK 64 x 64, CNN on 16x16": _kernel,
        "10 largest eigenvalues, MLP, 512 samples": lambda t, **few: _spectrum(t, "eigsh", **few),
        "its spectral density, 10 x 64": lambda t, **few: _spectrum(t, "density", **few),
    }


def run(smoke: bool = False, only: str = "") -> Iterator[Result]:
    """Each row; only: those whose title has this word."""
    few = {"steps": 1, "rounds": 1} if smoke else {"steps": 2, "rounds": 7}
    torch.set_grad_enabled(True)
    for title, row in _rows().items():
        if only in title:
            yield row(title, **few)
