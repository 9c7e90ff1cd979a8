"""Matrix factorization with sparse gradients of embeddings; ratings are sampled, the error is read each epoch."""

import numpy as np
import torch
import torch.nn as nn

steps = 2700
rng = np.random.RandomState(41)
users, items, rank = 500, 300, 16
ratings = rng.randn(users, 4) @ rng.randn(4, items) + 3


class Factors(nn.Module):
    def __init__(self):
        super().__init__()
        self.user, self.item = nn.Embedding(users, rank, sparse=True), nn.Embedding(items, rank, sparse=True)
        self.user_bias, self.item_bias = (
            nn.Embedding(users, 1, sparse=True),
            nn.Embedding(items, 1, sparse=True),
        )
        self.mean = 3.0

    def forward(self, u, v):
        return (
            (self.user(u) * self.item(v)).sum(1)
            + self.user_bias(u)[:, 0]
            + self.item_bias(v)[:, 0]
            + self.mean
        )


model = Factors()
opt = torch.optim.SparseAdam(list(model.parameters()), lr=1e-2)


def step(i):
    u, v = rng.randint(0, users, 256), rng.randint(0, items, 256)
    r = torch.tensor(ratings[u, v], dtype=torch.float32)
    loss = (model(torch.from_numpy(u), torch.from_numpy(v)) - r).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item() if i % 10 == 0 else None
