"""A neural ODE: Dormand-Prince with steps that adapt to an error that is read, backward through what it took."""

import numpy as np
import torch
import torch.nn as nn

steps = 65
rng = np.random.RandomState(18)
f = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2))
opt = torch.optim.Adam(f.parameters(), lr=3e-3)
A = [[], [1 / 5], [3 / 40, 9 / 40], [44 / 45, -56 / 15, 32 / 9], [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
     [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656]]  # fmt: skip
B5 = [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]
B4 = [5179 / 57600, 0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100]


def odeint(y, t1, tol=1e-3):
    t, h, taken = 0.0, 0.1, 0
    while t < t1 - 1e-9:
        h = min(h, t1 - t)
        k = []
        for row in A:
            k.append(f(y + h * sum(a * ki for a, ki in zip(row, k)) if row else y))
        new = y + h * sum(b * ki for b, ki in zip(B5, k))
        low = y + h * sum(b * ki for b, ki in zip(B4, k))
        error = ((new - low).abs() / (tol + tol * y.abs())).max().item()
        if error <= 1:
            t, y = t + h, new
        h *= min(5.0, max(0.2, 0.9 * (error + 1e-10) ** -0.2))
        taken += 1
    return y, taken


def step(i):
    y0 = torch.tensor(rng.randn(32, 2), dtype=torch.float32)
    c, s = np.cos(1.0), np.sin(1.0)
    target = y0 @ torch.tensor([[c, s], [-s, c]], dtype=torch.float32)
    y, taken = odeint(y0, 1.0)
    loss = (y - target).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()
