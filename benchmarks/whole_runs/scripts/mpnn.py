"""Message passing over batched molecules: nodes, edges and graphs of a batch vary, pooled by index_add."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

steps = 540
rng = np.random.RandomState(1)


class MPNN(nn.Module):
    def __init__(self, d=32, rounds=3):
        super().__init__()
        self.embed = nn.Embedding(10, d)
        self.message = nn.Sequential(nn.Linear(2 * d + 4, d), nn.ReLU(), nn.Linear(d, d))
        self.update = nn.GRUCell(d, d)
        self.read = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, 1))
        self.rounds = rounds

    def forward(self, atoms, edges, bonds, batch, graphs):
        h = self.embed(atoms)
        src, dst = edges
        for _ in range(self.rounds):
            m = self.message(torch.cat([h[src], h[dst], bonds], 1))
            h = self.update(torch.zeros_like(h).index_add(0, dst, m), h)
        pooled = torch.zeros(graphs, h.shape[1]).index_add(0, batch, h)
        return self.read(pooled).squeeze(1)


def molecules():
    sizes = rng.randint(5, 25, rng.randint(12, 20))
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    edges = [s + rng.randint(0, n, (2, 2 * n)) for s, n in zip(starts, sizes)]
    batch = np.repeat(np.arange(len(sizes)), sizes)
    edges = np.concatenate(edges, 1)
    bonds = np.eye(4, dtype=np.float32)[rng.randint(0, 4, edges.shape[1])]
    atoms = rng.randint(0, 10, len(batch))
    return (
        [torch.from_numpy(a) for a in (atoms, edges, bonds, batch)],
        len(sizes),
        torch.tensor(sizes / 10).float(),
    )


model = MPNN()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)


def step(i):
    (atoms, edges, bonds, batch), graphs, y = molecules()
    loss = F.smooth_l1_loss(model(atoms, edges, bonds, batch, graphs), y)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    return loss.item()
