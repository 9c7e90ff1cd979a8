"""A normalizing flow: affine couplings with masks, trained by maximum likelihood, sampled by the inverse now and
then."""

import numpy as np
import torch
import torch.nn as nn

steps = 740
rng = np.random.RandomState(17)


class Coupling(nn.Module):
    def __init__(self, mask):
        super().__init__()
        self.register_buffer("mask", mask)
        self.net = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))

    def forward(self, x):
        s, t = self.net(x * self.mask).chunk(2, 1)
        s, t = torch.tanh(s) * (1 - self.mask), t * (1 - self.mask)
        return x * s.exp() + t, s.sum(1)

    def inverse(self, y):
        s, t = self.net(y * self.mask).chunk(2, 1)
        s, t = torch.tanh(s) * (1 - self.mask), t * (1 - self.mask)
        return (y - t) * (-s).exp()


flow = nn.ModuleList(Coupling(torch.tensor([1.0, 0.0] if k % 2 else [0.0, 1.0])) for k in range(6))
opt = torch.optim.Adam(flow.parameters(), lr=1e-3)
prior = torch.distributions.MultivariateNormal(torch.zeros(2), torch.eye(2))


def moons(n):
    a, side = rng.rand(n) * np.pi, rng.randint(0, 2, n)
    x = np.where(side, np.cos(a), 1 - np.cos(a))
    y = np.where(side, np.sin(a), 0.5 - np.sin(a))
    return torch.tensor(np.stack([x, y], 1) + rng.randn(n, 2) * 0.05, dtype=torch.float32)


def step(i):
    z, logdet = moons(128), torch.zeros(128)
    for layer in flow:
        z, more = layer(z)
        logdet = logdet + more
    loss = -(prior.log_prob(z) + logdet).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if i % 100 == 99:
        with torch.no_grad():
            x = prior.sample((256,))
            for layer in reversed(flow):
                x = layer.inverse(x)
            x.mean(0).tolist()
    return loss.item()
