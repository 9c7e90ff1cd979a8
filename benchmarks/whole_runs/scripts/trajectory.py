"""Analysis of a molecular trajectory: fractional coordinates by inv(cell) frame by frame, images, distances, a
histogram."""

import numpy as np
import torch

steps = 750
rng = np.random.RandomState(24)
atoms = 40


def step(i):
    cell = torch.tensor(np.eye(3) * 10 + rng.randn(3, 3) * 0.3)
    positions = torch.tensor(rng.rand(atoms, 3) * 10)
    histogram, moved, last = torch.zeros(50, dtype=torch.float64), 0.0, None
    for frame in range(20):
        cell = cell * (1 + 0.001 * torch.tensor(rng.randn(3, 3)))
        positions = positions + 0.05 * torch.tensor(rng.randn(atoms, 3))
        inverse = torch.linalg.inv(cell)
        fractional = positions @ inverse
        fractional = fractional - torch.floor(fractional)
        delta = fractional[:, None] - fractional[None]
        delta = (delta - torch.round(delta)) @ cell
        distance = delta.norm(dim=-1)[torch.triu_indices(atoms, atoms, 1).unbind()]
        histogram += torch.histc(distance, 50, 0, 10)
        if last is not None:
            moved += (fractional - last).abs().max().item()
        last = fractional
        density = atoms / torch.linalg.det(cell).abs().item()
    g = histogram / (20 * atoms * density)
    return g[30].item() + moved
