"""A ResNet trained on images of several sizes, evaluated now and then."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

steps = 99
rng = np.random.RandomState(29)


class Basic(nn.Module):
    def __init__(self, inner, outer, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inner, outer, 3, stride, 1, bias=False), nn.BatchNorm2d(outer)
        self.conv2, self.bn2 = nn.Conv2d(outer, outer, 3, 1, 1, bias=False), nn.BatchNorm2d(outer)
        self.down = None
        if stride != 1 or inner != outer:
            self.down = nn.Sequential(nn.Conv2d(inner, outer, 1, stride, bias=False), nn.BatchNorm2d(outer))

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + (x if self.down is None else self.down(x)))


model = nn.Sequential(
    nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(), Basic(16, 16, 1), Basic(16, 16, 1), Basic(16, 32, 2),
    Basic(32, 32, 1), Basic(32, 64, 2), Basic(64, 64, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10),
)  # fmt: skip
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4, nesterov=True)


def batch(size):
    return torch.from_numpy(rng.randn(8, 3, size, size).astype(np.float32)), torch.from_numpy(
        rng.randint(0, 10, 8)
    )


def step(i):
    model.train()
    x, y = batch(int(rng.choice([24, 28, 32, 36, 40])))
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if i % 10 == 9:
        model.eval()
        with torch.no_grad():
            x, y = batch(32)
            (model(x).argmax(1) == y).float().mean().item()
    return loss.item()
