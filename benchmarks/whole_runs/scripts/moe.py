"""Mixture of experts: the two best of eight per token, tokens gathered by expert, so every expert has another count."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

steps = 370
rng = np.random.RandomState(30)


class MoE(nn.Module):
    def __init__(self, d=32, experts=8, k=2):
        super().__init__()
        self.k, self.gate = k, nn.Linear(d, experts)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(d, 64), nn.GELU(), nn.Linear(64, d)) for _ in range(experts)
        )

    def forward(self, x):
        probs = self.gate(x).softmax(-1)
        weight, chosen = probs.topk(self.k)
        weight = weight / weight.sum(-1, keepdim=True)
        out = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            token, slot = torch.where(chosen == e)
            if token.numel():
                out.index_add_(0, token, expert(x[token]) * weight[token, slot].unsqueeze(1))
        load = F.one_hot(chosen[:, 0], len(self.experts)).float().mean(0)
        return out, (load * probs.mean(0)).sum() * len(self.experts)


embed, moe1, moe2, norm, head = nn.Embedding(100, 32), MoE(), MoE(), nn.LayerNorm(32), nn.Linear(32, 100)
model = nn.ModuleList([embed, moe1, moe2, norm, head])
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)


def step(i):
    ids = torch.from_numpy(rng.randint(0, 100, 128))
    x = embed(ids)
    balance = 0.0
    for moe in (moe1, moe2):
        more, aux = moe(norm(x))
        x, balance = x + more, balance + aux
    loss = F.cross_entropy(head(x), (ids * 7 + 1) % 100) + 0.01 * balance
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()
