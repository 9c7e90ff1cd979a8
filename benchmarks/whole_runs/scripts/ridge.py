"""Jobs of linear algebra: ridge regressions over many penalties, PCA by SVD, whitening by eigh, a QR fit, of several
data sets."""

import numpy as np
import torch

steps = 2200
rng = np.random.RandomState(23)


def step(i):
    n, d = int(rng.choice([80, 100, 150])), int(rng.choice([6, 10, 20]))
    X = torch.tensor(rng.randn(n, d))
    y = X @ torch.tensor(rng.randn(d)) + 0.1 * torch.tensor(rng.randn(n))
    train, test = slice(0, n // 2), slice(n // 2, n)
    errors = []
    for penalty in np.logspace(-3, 3, 10):
        w = torch.linalg.solve(X[train].T @ X[train] + penalty * torch.eye(d), X[train].T @ y[train])
        errors.append((X[test] @ w - y[test]).pow(2).mean().item())
    centered = X - X.mean(0)
    U, S, Vh = torch.linalg.svd(centered, full_matrices=False)
    share = (S**2 / (S**2).sum()).cumsum(0)
    k = int((share < 0.9).sum()) + 1
    reduced = centered @ Vh[:k].T
    values, vectors = torch.linalg.eigh(reduced.T @ reduced / n)
    white = reduced @ vectors / values.sqrt()
    Q, R = torch.linalg.qr(X)
    w = torch.linalg.solve_triangular(R, (Q.T @ y)[:, None], upper=True)[:, 0]
    fit = torch.linalg.lstsq(X, y[:, None]).solution[:, 0]
    return min(errors) + white.var().item() + (w - fit).norm().item()
