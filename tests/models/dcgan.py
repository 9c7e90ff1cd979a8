"""DCGAN (Radford et al. 2016) with width and images reduced; the loss is the generator's plus the discriminator's."""

from __future__ import annotations

import numpy as np

NOISE, WIDTH = 5, 4


def build(torch):
    nn = torch.nn

    class DCGAN(nn.Module):
        def __init__(self):
            super().__init__()
            self.generator = nn.Sequential(
                nn.ConvTranspose2d(NOISE, 2 * WIDTH, 4, 1, 0, bias=False),
                nn.BatchNorm2d(2 * WIDTH),
                nn.ReLU(True),
                nn.ConvTranspose2d(2 * WIDTH, WIDTH, 4, 2, 1, bias=False),
                nn.BatchNorm2d(WIDTH),
                nn.ReLU(True),
                nn.ConvTranspose2d(WIDTH, 1, 4, 2, 1, bias=False),
                nn.Tanh(),
            )
            self.discriminator = nn.Sequential(
                nn.Conv2d(1, WIDTH, 4, 2, 1, bias=False),
                nn.LeakyReLU(0.2, inplace=True),
                nn.Conv2d(WIDTH, 2 * WIDTH, 4, 2, 1, bias=False),
                nn.BatchNorm2d(2 * WIDTH),
                nn.LeakyReLU(0.2, inplace=True),
                nn.Conv2d(2 * WIDTH, 1, 4, 1, 0, bias=False),
                nn.Flatten(0),
            )
            self.apply(self._start)

        @staticmethod
        def _start(module):
            name = type(module).__name__
            if name.startswith("Conv"):
                nn.init.normal_(module.weight.data, 0.0, 0.2)
            elif name.startswith("BatchNorm"):
                nn.init.normal_(module.weight.data, 1.0, 0.02)
                nn.init.constant_(module.bias.data, 0)

        def forward(self, noise):
            return self.generator(noise)

    return DCGAN()


def example(rng):
    noise = rng.normal(size=(3, NOISE, 1, 1)).astype(np.float32)
    return noise, np.tanh(rng.normal(size=(3, 1, 16, 16))).astype(np.float32)


def loss(torch, model, noise, images):
    criterion = torch.nn.BCEWithLogitsLoss()
    fake = model(noise)
    real, made = model.discriminator(images), model.discriminator(fake.detach())
    judged = criterion(real, torch.ones_like(real)) + criterion(made, torch.zeros_like(made))
    fooled = model.discriminator(fake)
    return judged + criterion(fooled, torch.ones_like(fooled))


def optimizer(torch, model):
    return torch.optim.Adam(model.parameters(), lr=2e-4, betas=(0.5, 0.999))
