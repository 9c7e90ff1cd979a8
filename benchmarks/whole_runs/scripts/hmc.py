"""Hamiltonian Monte Carlo for logistic regression: leapfrog with autograd, acceptance read."""

import numpy as np
import torch
import torch.nn.functional as F

steps = 1200
rng = np.random.RandomState(34)
X = torch.tensor(rng.randn(200, 6), dtype=torch.float32)
Y = (
    X @ torch.tensor([1.0, -2, 0.5, 0, 0, 1]) + torch.tensor(rng.randn(200), dtype=torch.float32) > 0
).float()
w, samples = torch.zeros(6), []


def log_joint(w):
    return -F.binary_cross_entropy_with_logits(X @ w, Y, reduction="sum") - 0.5 * w.pow(2).sum()


def gradient(w):
    w = w.detach().requires_grad_(True)
    return torch.autograd.grad(log_joint(w), w)[0]


def step(i):
    global w
    p0 = torch.tensor(rng.randn(6), dtype=torch.float32)
    q, p, eps = w.clone(), p0.clone(), 0.03
    p = p + 0.5 * eps * gradient(q)
    for leap in range(20):
        q = q + eps * p
        if leap < 19:
            p = p + eps * gradient(q)
    p = p + 0.5 * eps * gradient(q)
    change = (log_joint(q) - 0.5 * p.pow(2).sum()) - (log_joint(w) - 0.5 * p0.pow(2).sum())
    if np.log(rng.rand()) < change.item():
        w = q.detach()
    samples.append(w.numpy().copy())
    return log_joint(w).item()
