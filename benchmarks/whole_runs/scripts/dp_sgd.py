"""DP-SGD: per-sample gradients by vmap(grad), clipped each, noise added."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad_and_value, vmap

steps = 690
rng = np.random.RandomState(20)
model = nn.Sequential(
    nn.Conv2d(1, 8, 5, 2), nn.ReLU(), nn.Conv2d(8, 16, 3, 2), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 25, 10)
)
params = {k: v.detach() for k, v in model.named_parameters()}


def loss_of_one(params, x, y):
    return F.cross_entropy(functional_call(model, params, (x[None],)), y[None])


per_sample = vmap(grad_and_value(loss_of_one), in_dims=(None, 0, 0))


def step(i):
    global params
    x = torch.from_numpy(rng.randn(32, 1, 28, 28).astype(np.float32))
    y = torch.from_numpy(rng.randint(0, 10, 32))
    grads, losses = per_sample(params, x, y)
    norm = torch.stack([g.flatten(1).norm(dim=1) for g in grads.values()]).norm(dim=0)
    scale = (1.0 / (norm + 1e-6)).clamp(max=1.0)
    for k, g in grads.items():
        summed = torch.einsum("b,b...->...", scale, g) + 0.5 * torch.randn_like(params[k])
        params[k] = params[k] - 0.05 * summed / 32
    return losses.mean().item()
