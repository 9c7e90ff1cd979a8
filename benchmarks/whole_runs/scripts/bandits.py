"""Bandits: LinUCB with Sherman-Morrison updates and Thompson sampling, one arm at a time."""

import numpy as np
import torch

steps = 410
rng = np.random.RandomState(47)
arms, d = 5, 8
theta = torch.tensor(rng.randn(arms, d), dtype=torch.float32)


def step(i):
    A_inv, b = torch.eye(d).repeat(arms, 1, 1), torch.tensor(0.1 * rng.randn(arms, d), dtype=torch.float32)
    wins, tries, regret = torch.ones(arms), torch.ones(arms), 0.0
    for t in range(50):
        x = torch.tensor(rng.randn(d), dtype=torch.float32)
        mean = torch.einsum("kij,kj->ki", A_inv, b) @ x
        bonus = torch.sqrt((x @ A_inv @ x).clamp(min=0))
        arm = torch.argmax(mean + 0.5 * bonus).item()
        expected = theta @ x
        reward = expected[arm].item() + 0.1 * rng.randn()
        regret += (expected.max() - expected[arm]).item()
        u = A_inv[arm] @ x
        A_inv[arm] -= torch.outer(u, u) / (1 + x @ u)
        b[arm] += reward * x
        drawn = torch.tensor(rng.beta(wins.numpy(), tries.numpy()))
        k = int(drawn.argmax())
        wins[k] += float(rng.rand() < 0.1 * (k + 1))
        tries[k] += 1
    return regret
