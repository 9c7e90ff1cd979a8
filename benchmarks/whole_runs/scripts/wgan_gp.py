"""WGAN with gradient penalty: five steps of the critic, one of the generator, on rings of points."""

import numpy as np
import torch
import torch.nn as nn

steps = 310
rng = np.random.RandomState(10)
G = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
D = nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=1e-4, betas=(0.0, 0.9))
opt_d = torch.optim.Adam(D.parameters(), lr=1e-4, betas=(0.0, 0.9))


def real_batch(n):
    angle = rng.rand(n) * 2 * np.pi
    return torch.tensor(
        np.stack([np.cos(angle), np.sin(angle)], 1) + rng.randn(n, 2) * 0.05, dtype=torch.float32
    )


def gradient_penalty(real, fake):
    mix = torch.rand(len(real), 1)
    x = (mix * real + (1 - mix) * fake).requires_grad_(True)
    (grad,) = torch.autograd.grad(D(x).sum(), x, create_graph=True)
    return ((grad.norm(2, dim=1) - 1) ** 2).mean()


def step(i):
    for _ in range(5):
        real = real_batch(128)
        fake = G(torch.randn(128, 8)).detach()
        loss_d = D(fake).mean() - D(real).mean() + 10 * gradient_penalty(real, fake)
        opt_d.zero_grad()
        loss_d.backward()
        opt_d.step()
    loss_g = -D(G(torch.randn(128, 8))).mean()
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
    return loss_d.item()
