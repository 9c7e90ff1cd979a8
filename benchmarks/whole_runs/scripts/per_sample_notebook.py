"""Notebook jobs in turn: per-sample gradients, an ensemble, a Hessian, a Jacobian, on a few shapes."""

import numpy as np
import torch
import torch.nn as nn
from torch.func import functional_call, grad, hessian, jacfwd, jvp, stack_module_state, vmap

steps = 660
rng = np.random.RandomState(25)
make = lambda: nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 3))  # noqa: E731
model, members = make(), [make() for _ in range(5)]
params = {k: v.detach() for k, v in model.named_parameters()}
stacked, buffers = stack_module_state(members)
weight, bias = torch.tensor(rng.randn(4, 6) * 0.3, dtype=torch.float32), torch.zeros(4)


def loss_of_one(params, x, y):
    return (functional_call(model, params, (x,)) - y).pow(2).sum()


def step(i):
    n = int(rng.choice([16, 24, 32]))
    x, y = (
        torch.tensor(rng.randn(n, 8), dtype=torch.float32),
        torch.tensor(rng.randn(n, 3), dtype=torch.float32),
    )
    grads = vmap(grad(loss_of_one), in_dims=(None, 0, 0))(params, x, y)
    norms = sum(g.flatten(1).pow(2).sum(1) for g in grads.values()).sqrt()
    votes = vmap(lambda p, b, x: functional_call(members[0], (p, b), (x,)), in_dims=(0, 0, None))(
        stacked, buffers, x
    )
    agreement = (votes.argmax(-1) == votes.mean(0).argmax(-1)).float().mean()
    f = lambda x: torch.tanh(weight @ x + bias).pow(2).sum()  # noqa: E731
    H = vmap(hessian(f))(torch.tensor(rng.randn(8, 6), dtype=torch.float32))
    J = jacfwd(lambda w: torch.tanh(w @ torch.ones(6)))(weight)
    _, direction = jvp(f, (torch.ones(6),), (torch.arange(6.0),))
    return (norms.mean() + agreement + H.diagonal(dim1=1, dim2=2).sum(1).mean() + J.sum() + direction).item()
