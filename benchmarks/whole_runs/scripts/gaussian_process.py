"""Gaussian process regression: hyperparameters by marginal likelihood, predictions on a grid; points are added."""

import math

import numpy as np
import torch

steps = 240
rng = np.random.RandomState(22)
raw = {k: torch.zeros((), requires_grad=True) for k in ("length", "scale", "noise")}
opt = torch.optim.Adam(raw.values(), lr=0.05)
X = torch.tensor(rng.uniform(0, 1, (20, 1)), dtype=torch.float64)
Y = torch.sin(X[:, 0] * 6)


def kernel(a, b):
    d = torch.cdist(a / raw["length"].exp(), b / raw["length"].exp())
    return raw["scale"].exp() * (1 + math.sqrt(5) * d + 5 / 3 * d**2) * torch.exp(-math.sqrt(5) * d)


def factor():
    K = kernel(X, X) + (raw["noise"].exp() * 0.01 + 1e-6) * torch.eye(len(X), dtype=torch.float64)
    return torch.linalg.cholesky(K)


def step(i):
    global X, Y
    for _ in range(10):
        L = factor()
        alpha = torch.cholesky_solve(Y[:, None], L)
        loss = 0.5 * (Y @ alpha[:, 0]) + L.diagonal().log().sum() + 0.5 * len(X) * math.log(2 * math.pi)
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        grid = torch.linspace(0, 1, 100, dtype=torch.float64)[:, None]
        L, cross = factor(), kernel(X, grid)
        mean = (cross.T @ torch.cholesky_solve(Y[:, None], L))[:, 0]
        variance = raw["scale"].exp() - torch.linalg.solve_triangular(L, cross, upper=False).pow(2).sum(0)
        new = grid[(mean + 2 * variance.clamp(min=0).sqrt()).argmax().item()]
        if len(X) < 120:
            new = new + 0.01 * torch.tensor(rng.randn(1))
            X, Y = torch.cat([X, new[None]]), torch.cat([Y, torch.sin(new * 6)])
    return loss.item()
