"""Llama-like generation: rotary embeddings, grouped heads, RMSNorm, SwiGLU, a cache object that grows; greedy and top-k
sampling in turn."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

steps = 39
rng = np.random.RandomState(26)
D, HEADS, GROUPS, VOCABULARY = 128, 8, 2, 800


class RMSNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(D))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat([-b, a], -1) * sin


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = RMSNorm(), RMSNorm()
        self.q, self.o = nn.Linear(D, D, bias=False), nn.Linear(D, D, bias=False)
        self.k, self.v = (
            nn.Linear(D, D * GROUPS // HEADS, bias=False),
            nn.Linear(D, D * GROUPS // HEADS, bias=False),
        )
        self.gate, self.up, self.down = (
            nn.Linear(D, 256, bias=False),
            nn.Linear(D, 256, bias=False),
            nn.Linear(256, D, bias=False),
        )

    def forward(self, x, cos, sin, cache, index):
        h = self.norm1(x)
        q, k, v = (f(h).view(*x.shape[:2], -1, D // HEADS).transpose(1, 2) for f in (self.q, self.k, self.v))
        k, v = cache.update(rotate(k, cos, sin), v, index)
        k, v = (z.repeat_interleave(HEADS // GROUPS, dim=1) for z in (k, v))
        y = F.scaled_dot_product_attention(rotate(q, cos, sin), k, v, is_causal=x.shape[1] > 1)
        x = x + self.o(y.transpose(1, 2).reshape(x.shape))
        h = self.norm2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class Cache:
    def __init__(self):
        self.keys, self.values = [], []

    def update(self, k, v, index):
        if len(self.keys) <= index:
            self.keys.append(k)
            self.values.append(v)
        else:
            self.keys[index] = torch.cat([self.keys[index], k], 2)
            self.values[index] = torch.cat([self.values[index], v], 2)
        return self.keys[index], self.values[index]


embed, layers, norm, head = (
    nn.Embedding(VOCABULARY, D),
    nn.ModuleList(Layer() for _ in range(4)),
    RMSNorm(),
    nn.Linear(D, VOCABULARY),
)
inverse = 1.0 / (10000 ** (torch.arange(0, D // HEADS, 2).float() / (D // HEADS)))


def forward(ids, start, cache):
    angle = torch.outer(torch.arange(start, start + ids.shape[1]).float(), inverse)
    angle = torch.cat([angle, angle], -1)
    x, cos, sin = embed(ids), angle.cos(), angle.sin()
    for k, layer in enumerate(layers):
        x = layer(x, cos, sin, cache, k)
    return head(norm(x[:, -1]))


@torch.no_grad()
def step(i):
    ids, cache, start = torch.from_numpy(rng.randint(0, VOCABULARY, (1, rng.randint(8, 24)))), Cache(), 0
    made = []
    for _ in range(60):
        logits = forward(ids, start, cache)
        start += ids.shape[1]
        if i % 2:
            top, where = (logits / 0.8).topk(20)
            ids = where.gather(1, torch.multinomial(top.softmax(-1), 1))
        else:
            ids = logits.argmax(-1, keepdim=True)
        made.append(ids.item())
    return None if i % 2 else logits.max().item()
