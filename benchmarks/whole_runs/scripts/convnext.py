"""A small ConvNeXt in the style of timm, with layer scale, stochastic depth and label smoothing; two sizes of
images."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

steps = 160
rng = np.random.RandomState(48)


class Norm2d(nn.LayerNorm):
    def forward(self, x):
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class Block(nn.Module):
    def __init__(self, d, drop):
        super().__init__()
        self.conv, self.norm, self.drop = (
            nn.Conv2d(d, d, 7, padding=3, groups=d),
            nn.LayerNorm(d, eps=1e-6),
            drop,
        )
        self.fc1, self.fc2, self.gamma = (
            nn.Linear(d, 4 * d),
            nn.Linear(4 * d, d),
            nn.Parameter(1e-6 * torch.ones(d)),
        )

    def forward(self, x):
        y = self.norm(self.conv(x).permute(0, 2, 3, 1))
        y = (self.gamma * self.fc2(F.gelu(self.fc1(y)))).permute(0, 3, 1, 2)
        if self.training and self.drop:
            keep = (torch.rand(len(x), 1, 1, 1) >= self.drop).float()
            y = y * keep / (1 - self.drop)
        return x + y


layers, depths, dims = [nn.Conv2d(3, 24, 4, 4), Norm2d(24)], [2, 2, 3], [24, 48, 96]
for k, (depth, d) in enumerate(zip(depths, dims)):
    if k:
        layers += [Norm2d(dims[k - 1]), nn.Conv2d(dims[k - 1], d, 2, 2)]
    layers += [Block(d, 0.05 * k) for _ in range(depth)]
model = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.LayerNorm(96), nn.Linear(96, 20))
opt = torch.optim.AdamW(model.parameters(), lr=5e-4, weight_decay=0.05)


def step(i):
    size = int(rng.choice([48, 64]))
    x, y = (
        torch.from_numpy(rng.randn(8, 3, size, size).astype(np.float32)),
        torch.from_numpy(rng.randint(0, 20, 8)),
    )
    loss = F.cross_entropy(model(x), y, label_smoothing=0.1)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()
