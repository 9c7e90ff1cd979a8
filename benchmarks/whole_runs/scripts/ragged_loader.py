"""A data loader whose collate pads ragged samples; attention pooling with masks; the last batch is smaller."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

steps = 1800
rng = np.random.RandomState(45)


class Ragged(Dataset):
    def __init__(self, n=500):
        self.data = [rng.randn(rng.randint(3, 60), 12).astype(np.float32) for _ in range(n)]

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        return torch.from_numpy(self.data[i]), int(self.data[i][:, 0].sum() > 0)


def collate(samples):
    xs, ys = zip(*samples)
    lengths = torch.tensor([len(x) for x in xs])
    x = pad_sequence(xs, batch_first=True)
    return x, torch.arange(x.shape[1])[None] < lengths[:, None], torch.tensor(ys)


class Pool(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.score = (
            nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 64)),
            nn.Linear(64, 1),
        )
        self.out = nn.Linear(64, 2)

    def forward(self, x, mask):
        h = self.inner(x)
        a = self.score(h).squeeze(-1).masked_fill(~mask, float("-inf")).softmax(1)
        return self.out((a.unsqueeze(-1) * h).sum(1))


def batches():
    while True:
        yield from DataLoader(Ragged(), batch_size=24, shuffle=True, collate_fn=collate)


model, loader = Pool(), batches()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)


def step(i):
    x, mask, y = next(loader)
    logits = model(x, mask)
    loss = F.cross_entropy(logits, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    right = (logits.argmax(1) == y).sum().item()
    return loss.item() + 0 * right
