"""A CNN with an average of its weights, warm restarts, clipped gradients, parameter groups, and an evaluation by the
average."""

import copy

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

steps = 810
rng = np.random.RandomState(44)
model = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(),
    nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Dropout(0.2), nn.Linear(128, 10),
)  # fmt: skip
average = copy.deepcopy(model).requires_grad_(False)
decay = [p for p in model.parameters() if p.ndim > 1]
rest = [p for p in model.parameters() if p.ndim <= 1]
opt = torch.optim.SGD(
    [{"params": decay, "weight_decay": 1e-4}, {"params": rest, "lr": 0.02}], lr=0.05, momentum=0.9
)
schedule = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, 50)


@torch.no_grad()
def update(rate=0.99):
    for mean, p in zip(average.parameters(), model.parameters()):
        mean.mul_(rate).add_(p, alpha=1 - rate)
    for mean, b in zip(average.buffers(), model.buffers()):
        mean.copy_(b)


def step(i):
    x, y = (
        torch.from_numpy(rng.randn(32, 1, 16, 16).astype(np.float32)),
        torch.from_numpy(rng.randint(0, 10, 32)),
    )
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    total = nn.utils.clip_grad_norm_(model.parameters(), 2.0)
    opt.step()
    schedule.step()
    update()
    if i % 20 == 19:
        average.eval()
        with torch.no_grad():
            (average(x).argmax(1) == y).float().mean().item()
        return total.item()
    return loss.item()
