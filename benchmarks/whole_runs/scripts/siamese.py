"""A siamese LSTM on pairs of sentences, contrastive loss, accuracy counted over an epoch."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

steps = 1200
rng = np.random.RandomState(40)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.lstm, self.out = (
            nn.Embedding(300, 32),
            nn.LSTM(32, 48, batch_first=True),
            nn.Linear(48, 16),
        )

    def forward(self, x):
        return self.out(self.lstm(self.embed(x))[1][0][-1])


model = Encoder()
opt = torch.optim.RMSprop(model.parameters(), lr=1e-3)
right = seen = 0


def step(i):
    global right, seen
    n = rng.randint(8, 20)
    a = rng.randint(0, 300, (16, n))
    same = rng.rand(16) < 0.5
    b = np.where(same[:, None], (a + (rng.rand(16, n) < 0.2)) % 300, rng.randint(0, 300, (16, n)))
    d = F.pairwise_distance(model(torch.from_numpy(a)), model(torch.from_numpy(b)))
    y = torch.from_numpy(same.astype(np.float32))
    loss = (y * d.pow(2) + (1 - y) * F.relu(1.0 - d).pow(2)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    right += ((d < 0.5) == y.bool()).sum().item()
    seen += 16
    return loss.item()
