"""A T5-like encoder and decoder with relative position biases, on batches of pairs of other lengths."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

steps = 110
rng = np.random.RandomState(27)
D, HEADS, VOCABULARY = 64, 4, 500


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(D))

    def forward(self, x):
        return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(D, D, bias=False) for _ in range(4))

    def forward(self, x, memory, bias):
        q, k, v = (
            f(z).view(*z.shape[:2], HEADS, -1).transpose(1, 2)
            for f, z in ((self.q, x), (self.k, memory), (self.v, memory))
        )
        weights = ((q @ k.transpose(2, 3)) * (D // HEADS) ** -0.5 + bias).softmax(-1)
        return self.o((weights @ v).transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, cross):
        super().__init__()
        self.norms = nn.ModuleList(Norm() for _ in range(3))
        self.attention, self.cross = Attention(), Attention() if cross else None
        self.wi, self.wo = nn.Linear(D, 4 * D, bias=False), nn.Linear(4 * D, D, bias=False)

    def forward(self, x, bias, memory=None, memory_bias=None):
        h = self.norms[0](x)
        x = x + self.attention(h, h, bias)
        if self.cross is not None:
            x = x + self.cross(self.norms[1](x), memory, memory_bias)
        return x + self.wo(F.relu(self.wi(self.norms[2](x))))


class T5(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.places, self.last = nn.Embedding(VOCABULARY, D), nn.Embedding(64, HEADS), Norm()
        self.encoder = nn.ModuleList(Block(False) for _ in range(4))
        self.decoder = nn.ModuleList(Block(True) for _ in range(4))

    def bias(self, n):
        distance = torch.arange(n)[:, None] - torch.arange(n)[None]
        return self.places((distance + 32).clamp(0, 63)).permute(2, 0, 1)[None]

    def forward(self, source, target):
        hidden = (source == 0)[:, None, None, :] * -1e9
        x = self.embed(source)
        for block in self.encoder:
            x = block(x, self.bias(source.shape[1]) + hidden)
        y = self.embed(F.pad(target[:, :-1], (1, 0)))
        causal = torch.full((y.shape[1],) * 2, -1e9).triu(1)
        for block in self.decoder:
            y = block(y, self.bias(y.shape[1]) + causal, x, hidden)
        return self.last(y) @ self.embed.weight.T * D**-0.5


model = T5()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)


def ragged(low, high):
    lengths = rng.randint(low, high, 8)
    ids = np.where(
        np.arange(lengths.max()) < lengths[:, None], rng.randint(1, VOCABULARY, (8, lengths.max())), 0
    )
    return torch.from_numpy(ids)


def step(i):
    source, target = ragged(12, 40), ragged(8, 30)
    logits = model(source, target)
    loss = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=0)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()
