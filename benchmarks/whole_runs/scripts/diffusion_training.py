"""A small diffusion model learns noise on 16×16 images, with a U-Net of time embeddings and an average of its
weights."""

import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

steps = 170
rng = np.random.RandomState(16)


class Block(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(inner, outer, 3, padding=1), nn.Conv2d(outer, outer, 3, padding=1)
        self.norm1, self.norm2, self.time = (
            nn.GroupNorm(4, outer),
            nn.GroupNorm(4, outer),
            nn.Linear(32, outer),
        )
        self.skip = nn.Conv2d(inner, outer, 1)

    def forward(self, x, t):
        h = F.silu(self.norm1(self.conv1(x))) + self.time(t)[:, :, None, None]
        return F.silu(self.norm2(self.conv2(h))) + self.skip(x)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1, self.down2, self.middle = Block(1, 16), Block(16, 32), Block(32, 32)
        self.up, self.last, self.out = Block(64, 16), Block(32, 16), nn.Conv2d(16, 1, 1)

    def forward(self, x, t):
        freq = torch.exp(-math.log(10000) * torch.arange(16) / 16)
        t = t[:, None] * freq
        t = torch.cat([t.sin(), t.cos()], 1)
        a = self.down1(x, t)
        b = self.down2(F.avg_pool2d(a, 2), t)
        m = self.middle(b, t)
        u = F.interpolate(self.up(torch.cat([m, b], 1), t), scale_factor=2)
        return self.out(self.last(torch.cat([u, a], 1), t))


net = UNet()
opt = torch.optim.AdamW(net.parameters(), lr=2e-4)
alphas = torch.cumprod(1 - torch.linspace(1e-4, 0.02, 1000), 0)


def step(i):
    x = torch.from_numpy(rng.randn(16, 1, 16, 16).astype(np.float32))
    t = torch.from_numpy(rng.randint(0, 1000, 16))
    noise = torch.randn_like(x)
    a = alphas[t].view(-1, 1, 1, 1)
    loss = F.mse_loss(net(a.sqrt() * x + (1 - a).sqrt() * noise, t.float()), noise)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    return loss.item() if i % 5 == 0 else None
