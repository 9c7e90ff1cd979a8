"""A graph attention network on graphs of other sizes each step: two lengths vary."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

steps = 740
rng = np.random.RandomState(0)


class GATLayer(nn.Module):
    def __init__(self, inner, outer, heads):
        super().__init__()
        self.heads, self.outer = heads, outer
        self.lin = nn.Linear(inner, heads * outer, bias=False)
        self.src = nn.Parameter(torch.randn(heads, outer) * 0.1)
        self.dst = nn.Parameter(torch.randn(heads, outer) * 0.1)

    def forward(self, x, edges):
        h = self.lin(x).view(-1, self.heads, self.outer)
        i, j = edges
        e = F.leaky_relu((h * self.src).sum(-1)[i] + (h * self.dst).sum(-1)[j], 0.2)
        e = (e - e.max()).exp()
        norm = torch.zeros(len(x), self.heads).index_add_(0, j, e)
        out = torch.zeros_like(h).index_add_(0, j, h[i] * (e / (norm[j] + 1e-9)).unsqueeze(-1))
        return out.flatten(1)


class GAT(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.out = GATLayer(16, 16, 4), GATLayer(64, 16, 4), nn.Linear(64, 5)

    def forward(self, x, edges):
        return self.out(F.elu(self.b(F.elu(self.a(x, edges)), edges)))


model = GAT()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)


def step(i):
    n, m = rng.randint(60, 200), rng.randint(300, 900)
    x = torch.tensor(rng.randn(n, 16), dtype=torch.float32)
    edges = torch.tensor(rng.randint(0, n, (2, m)))
    y = torch.tensor(rng.randint(0, 5, n))
    loss = F.cross_entropy(model(x, edges), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()
