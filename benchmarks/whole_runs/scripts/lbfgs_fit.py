"""Curve fits by L-BFGS with a line search, of several numbers of points."""

import numpy as np
import torch

steps = 380
rng = np.random.RandomState(38)


def step(i):
    n = int(rng.choice([40, 50, 60, 80]))
    x = torch.tensor(np.sort(rng.rand(n)) * 10)
    y = 2.0 * torch.exp(-0.3 * x) * torch.cos(1.5 * x + 0.2) + 0.05 * torch.tensor(rng.randn(n))
    theta = torch.tensor([1.5, 0.2, 1.45, 0.0], dtype=torch.float64, requires_grad=True)
    opt = torch.optim.LBFGS([theta], lr=1, max_iter=20, line_search_fn="strong_wolfe")

    def closure():
        opt.zero_grad()
        a, b, c, d = theta
        loss = (a * torch.exp(-b * x) * torch.cos(c * x + d) - y).pow(2).mean()
        loss.backward()
        return loss

    opt.step(closure)
    return closure().item()
