"""SimCLR: two noisy views of a batch, NT-Xent over both, a warm-up of the learning rate."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

steps = 320
rng = np.random.RandomState(39)
encoder = nn.Sequential(
    nn.Conv2d(3, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.BatchNorm2d(32), nn.ReLU(),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 32),
)  # fmt: skip
opt = torch.optim.AdamW(encoder.parameters(), lr=1e-3)
warm = torch.optim.lr_scheduler.LinearLR(opt, 0.1, total_iters=20)


def view(x):
    x = torch.where(torch.rand(len(x), 1, 1, 1) < 0.5, x.flip(-1), x)
    x = x + 0.1 * torch.randn_like(x)
    return x * (0.8 + 0.4 * torch.rand(len(x), 3, 1, 1))


def nt_xent(z, temperature=0.5):
    z = F.normalize(z, dim=1)
    n = len(z) // 2
    logits = (z @ z.T / temperature).masked_fill(torch.eye(2 * n, dtype=torch.bool), -1e9)
    return F.cross_entropy(logits, torch.cat([torch.arange(n, 2 * n), torch.arange(n)]))


def step(i):
    x = torch.from_numpy(rng.rand(32, 3, 32, 32).astype(np.float32))
    loss = nt_xent(encoder(torch.cat([view(x), view(x)])))
    opt.zero_grad()
    loss.backward()
    opt.step()
    warm.step()
    return loss.item()
