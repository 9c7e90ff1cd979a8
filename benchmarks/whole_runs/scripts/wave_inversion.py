"""A differentiable wave equation: the speed of a medium is fitted through 60 steps of time."""

import numpy as np
import torch

steps = 210
rng = np.random.RandomState(36)
n, dt = 64, 0.5
laplacian = torch.tensor([[0.0, 1, 0], [1, -4, 1], [0, 1, 0]])[None, None]
speed = torch.ones(1, 1, n, n, requires_grad=True)
opt = torch.optim.Adam([speed], lr=0.01)
true = torch.ones(1, 1, n, n)
true[..., 40:48, 30:50] = 1.3


def simulate(c, source, length=60):
    now = before = torch.zeros(1, 1, n, n)
    seen = []
    for t in range(length):
        lap = torch.nn.functional.conv2d(now, laplacian, padding=1)
        after = 2 * now - before + (c * dt) ** 2 * lap
        after = after + source * float(np.exp(-((t - 10) ** 2) / 20))
        before, now = now, after
        seen.append(now[0, 0, 38])
    return torch.stack(seen)


def step(i):
    source = torch.zeros(1, 1, n, n)
    source[0, 0, 50, rng.randint(10, 50)] = 1
    with torch.no_grad():
        observed = simulate(true, source)
    loss = (simulate(speed, source) - observed).pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()
