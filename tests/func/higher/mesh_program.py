"""The toolkit on a mesh of four devices: batches spread over it give what one device gives, and what is of samples
keeps their placement."""

from __future__ import annotations

import sys

import numpy as np

import functorch_lite as torch
import functorch_lite.nn as nn
import functorch_lite.nn.functional as F
from functorch_lite.distributed import init_device_mesh
from functorch_lite.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from functorch_lite.func import (
    curvature,
    grad,
    implicit,
    influence,
    laplace,
    ntk,
    per_sample,
    privacy,
    taylor,
    training,
    vmap,
)
from functorch_lite.func._trees import flatten

torch.manual_seed(0)
MESH = init_device_mesh("cpu", (4,))
NET = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 3)).double()
PARAMS = {name: p.detach() for name, p in NET.named_parameters()}
X, Y = torch.randn(8, 4).double(), torch.randint(0, 3, (8,))
V = {name: torch.randn(*p.shape).double() for name, p in PARAMS.items()}
W = torch.eye(4).double() / 2


def model(params, x):
    """A function of all it reads: a DTensor is not mixed with plain tensors."""
    return F.linear(
        torch.tanh(F.linear(x, params["0.weight"], params["0.bias"])), params["2.weight"], params["2.bias"]
    )


def deq(w, x):
    return grad(
        lambda w: (
            implicit.fixed_point(lambda z, w, x: torch.tanh(z @ w + x), torch.zeros_like(x), w, x, rtol=1e-12)
            .pow(2)
            .sum()
        )
    )(w)


WORKS = {
    "laplacian": lambda p, v, x, y: vmap(taylor.laplacian(lambda x, p: model(p, x[None])[0]), in_dims=(0, None))(x, p),
    "Hessian": lambda p, v, x, y: curvature.Hessian(model, F.cross_entropy, p, (x, y)) @ v,
    "GGN": lambda p, v, x, y: curvature.GGN(model, F.cross_entropy, p, [(x, y), (x, y)]) @ v,
    "EmpiricalFisher": lambda p, v, x, y: curvature.EmpiricalFisher(model, F.cross_entropy, p, (x, y)) @ v,
    "trace": lambda p, v, x, y: curvature.trace(curvature.GGN(model, F.cross_entropy, p, (x, y))),
    "solve": lambda p, v, x, y: curvature.solve(curvature.GGN(model, F.cross_entropy, p, (x, y)), v, damping=1.0,
    rtol=1e-12),
    "KFAC": lambda p, v, x, y: curvature.KFAC(model, F.cross_entropy, p, (x, y)) @ v,
    "norms": lambda p, v, x, y: per_sample.gradient_norms(model, F.cross_entropy, p, x, y),
    "clipped": lambda p, v, x, y: per_sample.clipped_gradient_sum(model, F.cross_entropy, p, x, y, 0.5),
    "gram": lambda p, v, x, y: per_sample.gradient_gram(model, F.cross_entropy, p, x, y),
    "moments": lambda p, v, x, y: per_sample.gradient_second_moment(model, F.cross_entropy, p, x, y),
    "diagonal": lambda p, v, x, y: per_sample.ggn_diagonal(model, F.cross_entropy, p, x, y),
    "private": lambda p, v, x, y: privacy.private_gradient(model, F.cross_entropy, p, x, y, max_norm=0.5,
    noise_multiplier=0.0),
    "ntk": lambda p, v, x, y: ntk.ntk(model, p, x, contract="trace"),
    "laplace": lambda p, v, x, y: laplace.laplace(model, "classification", p, (x, y),
    structure="last_layer").log_marginal_likelihood(),
    "influence": lambda p, v, x, y: influence.influence(model, F.cross_entropy, p, (x, y), (x, y), damping=1.0),
}  # fmt: skip
OF_SAMPLES = ("laplacian", "norms")


def whole(t):
    return (t.full_tensor() if isinstance(t, DTensor) else t).detach().numpy()


def ensemble() -> None:
    """Members on devices of their own are what they are on one."""

    def make(i):
        torch.manual_seed(i)
        return nn.Linear(4, 3).double()

    def step(p, batch, lr):
        x, y = batch
        slope = grad(lambda p: F.cross_entropy(F.linear(x, p["weight"], p["bias"]), y))(p)
        return {k: p[k] - lr * g for k, g in slope.items()}

    data, rates = (torch.stack([X, X]), torch.stack([Y, Y])), torch.linspace(0.1, 0.4, 4).double()
    ends = []
    for mesh in (None, MESH):
        e = training.ensemble(make, 4, mesh=mesh)
        assert mesh is None or e.params["weight"].placements == (Shard(0),)
        e.train(step, data, lr=rates)
        ends.append(whole(e(X)))
    np.testing.assert_allclose(*ends, atol=1e-12)


def main() -> None:
    data = tuple(distribute_tensor(t, MESH, [Shard(0)]) for t in (X, Y))
    params, v = (
        {k: distribute_tensor(t, MESH, [Replicate()]) for k, t in tree.items()} for tree in (PARAMS, V)
    )
    for name in sys.argv[1:] or [*WORKS, "deq", "ensemble"]:
        if name == "ensemble":
            ensemble()
        else:
            if name == "deq":
                alone, spread = [deq(W, X)], [deq(distribute_tensor(W, MESH, [Replicate()]), data[0])]
            else:
                alone, spread = (
                    flatten(WORKS[name](*given))[0] for given in ((PARAMS, V, X, Y), (params, v, *data))
                )
            for a, b in zip(alone, spread, strict=True):
                np.testing.assert_allclose(whole(b), whole(a), atol=1e-9, err_msg=name)
            if name in OF_SAMPLES:
                assert spread[0].placements == (Shard(0),), (name, spread[0].placements)
        print(name, flush=True)


if __name__ == "__main__":
    main()
