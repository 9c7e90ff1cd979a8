"""BERT of 12 thin layers, masked language modelling on batches padded to their longest sentence."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

steps = 56
rng = np.random.RandomState(11)
D, HEADS = 64, 4


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.dense = (nn.Linear(D, D) for _ in range(4))
        self.norm1, self.norm2 = nn.LayerNorm(D, eps=1e-12), nn.LayerNorm(D, eps=1e-12)
        self.inter, self.output = nn.Linear(D, 4 * D), nn.Linear(4 * D, D)
        self.drop = nn.Dropout(0.1)

    def forward(self, x, mask):
        q, k, v = (
            f(x).view(*x.shape[:2], HEADS, -1).transpose(1, 2) for f in (self.query, self.key, self.value)
        )
        scores = q @ k.transpose(-1, -2) / (D // HEADS) ** 0.5 + mask
        y = self.drop(scores.softmax(-1)) @ v
        x = self.norm1(x + self.drop(self.dense(y.transpose(1, 2).flatten(2))))
        return self.norm2(x + self.drop(self.output(F.gelu(self.inter(x)))))


class Bert(nn.Module):
    def __init__(self, words=1000):
        super().__init__()
        self.words, self.places, self.norm = nn.Embedding(words, D), nn.Embedding(128, D), nn.LayerNorm(D)
        self.layers = nn.ModuleList(Layer() for _ in range(12))
        self.head = nn.Linear(D, words)

    def forward(self, ids, mask):
        x = self.norm(self.words(ids) + self.places(torch.arange(ids.shape[1])))
        mask = (1.0 - mask[:, None, None, :].float()) * torch.finfo(torch.float32).min
        for layer in self.layers:
            x = layer(x, mask)
        return self.head(x)


model = Bert()
opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
schedule = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / 10))


def step(i):
    lengths = rng.randint(16, 48, 8)
    ids = np.zeros((8, lengths.max()), dtype=np.int64)
    for k, n in enumerate(lengths):
        ids[k, :n] = rng.randint(5, 1000, n)
    labels = np.where((rng.rand(*ids.shape) < 0.15) & (ids > 0), ids, -100)
    ids = torch.from_numpy(np.where(labels > 0, 3, ids))
    logits = model(ids, ids != 0)
    loss = F.cross_entropy(logits.view(-1, 1000), torch.from_numpy(labels).view(-1))
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    schedule.step()
    return loss.item()
