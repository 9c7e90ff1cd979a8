"""DCGAN: a generator of transposed convolutions and a critic of strided ones, losses of both read each step."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

steps = 480
rng = np.random.RandomState(49)
G = nn.Sequential(
    nn.ConvTranspose2d(32, 32, 4, bias=False), nn.BatchNorm2d(32), nn.ReLU(), nn.ConvTranspose2d(32, 16, 4, 2, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
    nn.ConvTranspose2d(16, 1, 4, 2, 1), nn.Tanh(),
)  # fmt: skip
D = nn.Sequential(
    nn.Conv2d(1, 16, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(16, 32, 4, 2, 1, bias=False), nn.BatchNorm2d(32), nn.LeakyReLU(0.2),
    nn.Conv2d(32, 1, 4), nn.Flatten(0),
)  # fmt: skip
for m in [*G.modules(), *D.modules()]:
    if isinstance(m, (nn.Conv2d, nn.ConvTranspose2d)):
        nn.init.normal_(m.weight, 0.0, 0.02)
opt_g = torch.optim.Adam(G.parameters(), lr=2e-4, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.5, 0.999))
one, zero = torch.ones(16), torch.zeros(16)


def step(i):
    real = torch.from_numpy(np.tanh(rng.randn(16, 1, 16, 16)).astype(np.float32))
    fake = G(torch.randn(16, 32, 1, 1))
    D.zero_grad()
    loss_d = F.binary_cross_entropy_with_logits(D(real), one) + F.binary_cross_entropy_with_logits(
        D(fake.detach()), zero
    )
    loss_d.backward()
    opt_d.step()
    G.zero_grad()
    loss_g = F.binary_cross_entropy_with_logits(D(fake), one)
    loss_g.backward()
    opt_g.step()
    return loss_d.item() + loss_g.item()
