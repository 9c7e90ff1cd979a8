"""A variational autoencoder (Kingma and Welling 2014).
Its noise is part of the example, so that both libraries have the same."""

from __future__ import annotations

import numpy as np

PIXELS, HIDDEN, LATENT = 36, 16, 3


def build(torch):
    nn = torch.nn

    class VAE(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(PIXELS, HIDDEN), nn.Tanh())
            self.mean, self.log_var = nn.Linear(HIDDEN, LATENT), nn.Linear(HIDDEN, LATENT)
            self.decoder = nn.Sequential(
                nn.Linear(LATENT, HIDDEN),
                nn.Softplus(),
                nn.Linear(HIDDEN, PIXELS),
                nn.Unflatten(1, (1, 6, 6)),
            )

        def forward(self, x, noise):
            h = self.encoder(x)
            mean, log_var = self.mean(h), self.log_var(h)
            z = mean + torch.exp(0.5 * log_var) * noise
            return self.decoder(z), mean, log_var

    return VAE()


def example(rng):
    images = (rng.random((4, 1, 6, 6)) < 0.4).astype(np.float32)
    return images, rng.normal(size=(4, LATENT)).astype(np.float32)


def forward(torch, model, images, noise):
    return model(images, noise)


def loss(torch, model, images, noise):
    logits, mean, log_var = model(images, noise)
    seen = torch.nn.functional.binary_cross_entropy_with_logits(logits, images, reduction="sum")
    divergence = -0.5 * torch.sum(1 + log_var - mean.pow(2) - log_var.exp())
    return (seen + divergence) / images.size(0)


def optimizer(torch, model):
    return torch.optim.Adam(model.parameters(), lr=1e-3)
