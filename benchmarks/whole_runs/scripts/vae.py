"""A variational autoencoder on 28×28 images, with the loss summed over an epoch and read at its end."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

steps = 130
rng = np.random.RandomState(19)
images = torch.from_numpy((rng.rand(512, 784) > 0.8).astype(np.float32))


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.mu, self.logvar = nn.Linear(784, 256), nn.Linear(256, 20), nn.Linear(256, 20)
        self.fc3, self.fc4 = nn.Linear(20, 256), nn.Linear(256, 784)

    def forward(self, x):
        h = F.relu(self.fc1(x))
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z)))), mu, logvar


model = VAE()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)


def step(i):
    order, seen = rng.permutation(512), 0.0
    for k in range(0, 512, 128):
        x = images[order[k : k + 128]]
        recon, mu, logvar = model(x)
        bce = F.binary_cross_entropy(recon, x, reduction="sum")
        loss = bce - 0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
        opt.zero_grad()
        loss.backward()
        opt.step()
        seen += loss.detach()
    return seen.item() / 512
