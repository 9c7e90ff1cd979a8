"""A simulation of springs and collisions with a floor: 200 steps of time, nothing read until the end."""

import numpy as np
import torch

steps = 150
rng = np.random.RandomState(35)
n, dt = 100, 0.002
grid = np.stack(np.meshgrid(np.arange(10), np.arange(10)), -1).reshape(-1, 2)
pairs = [(a, b) for a in range(n) for b in range(a) if abs(grid[a] - grid[b]).sum() == 1]
I, J = torch.tensor(pairs).T
rest = torch.ones(len(pairs))


@torch.no_grad()
def step(i):
    x = torch.tensor(grid + 0.1 * rng.randn(n, 2) + [0, 1], dtype=torch.float32)
    v = torch.tensor(rng.randn(n, 2), dtype=torch.float32)
    for t in range(200):
        d = x[I] - x[J]
        length = d.norm(dim=1, keepdim=True)
        push = -200.0 * (length - rest[:, None]) * d / length - 0.5 * (v[I] - v[J])
        force = torch.zeros_like(x).index_add_(0, I, push).index_add_(0, J, -push)
        force[:, 1] -= 9.81
        v = v + dt * force
        x = x + dt * v
        below = x[:, 1] < 0
        v[:, 1] = torch.where(below, -0.5 * v[:, 1], v[:, 1])
        x[:, 1].clamp_(min=0)
    return (0.5 * v.pow(2).sum() + 9.81 * x[:, 1].sum()).item()
