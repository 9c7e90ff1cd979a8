"""Laplace approximation: train a little, the generalised Gauss-Newton of all samples by jacrev, its Cholesky, evidence
over priors."""

import numpy as np
import torch
import torch.nn as nn
from torch.func import functional_call, jacrev, vmap
from torch.nn.utils import parameters_to_vector

steps = 260
rng = np.random.RandomState(21)
X = torch.tensor(rng.uniform(-3, 3, (100, 1)), dtype=torch.float32)
Y = torch.sin(X) + 0.1 * torch.tensor(rng.randn(100, 1), dtype=torch.float32)
net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)


def jacobians(x):
    params = {k: v.detach() for k, v in net.named_parameters()}
    jac = vmap(jacrev(lambda p, x: functional_call(net, p, (x,))), in_dims=(None, 0))(params, x)
    return torch.cat([j.flatten(2) for j in jac.values()], 2).squeeze(1)


def step(i):
    for _ in range(20):
        loss = (net(X) - Y).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    J = jacobians(X)
    mean = parameters_to_vector(net.parameters()).detach()
    best = -float("inf")
    for log_prior in (-2.0, 0.0, 2.0):
        prior = float(np.exp(log_prior))
        precision = J.T @ J / 0.01 + prior * torch.eye(J.shape[1])
        L = torch.linalg.cholesky(precision)
        logdet = 2 * L.diagonal().log().sum()
        evidence = -0.5 * (
            (loss * 100 / 0.01).detach() + prior * mean @ mean + logdet - len(mean) * log_prior
        )
        best = max(best, evidence.item())
    x = torch.linspace(-4, 4, 50)[:, None]
    Jx = jacobians(x)
    variance = (Jx * torch.cholesky_solve(Jx.T, L).T).sum(1)
    return best / 1000 + 0 * variance.max().item()
