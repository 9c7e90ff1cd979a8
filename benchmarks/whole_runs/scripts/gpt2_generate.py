"""GPT-2-like generation with a cache that grows by torch.cat, several prompts; the next token is read."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

steps = 24
rng = np.random.RandomState(9)
D, HEADS, LAYERS, VOCABULARY = 128, 4, 6, 1000


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(D), nn.LayerNorm(D)
        self.attn, self.proj = nn.Linear(D, 3 * D), nn.Linear(D, D)
        self.mlp = nn.Sequential(nn.Linear(D, 4 * D), nn.GELU(approximate="tanh"), nn.Linear(4 * D, D))

    def forward(self, x, past):
        q, k, v = (
            z.view(*z.shape[:2], HEADS, -1).transpose(1, 2) for z in self.attn(self.ln_1(x)).split(D, dim=2)
        )
        if past is not None:
            k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=past is None)
        x = x + self.proj(y.transpose(1, 2).reshape(x.shape))
        return x + self.mlp(self.ln_2(x)), (k, v)


class GPT2(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe, self.ln_f = nn.Embedding(VOCABULARY, D), nn.Embedding(256, D), nn.LayerNorm(D)
        self.h = nn.ModuleList(Block() for _ in range(LAYERS))

    def forward(self, ids, past=None):
        start = past[0][0].shape[2] if past else 0
        x = self.wte(ids) + self.wpe(torch.arange(start, start + ids.shape[1]))
        cache = []
        for k, block in enumerate(self.h):
            x, kept = block(x, past[k] if past else None)
            cache.append(kept)
        return self.ln_f(x) @ self.wte.weight.T, cache


model = GPT2().eval()


@torch.no_grad()
def step(i):
    ids = torch.from_numpy(rng.randint(0, VOCABULARY, (1, rng.randint(6, 20))))
    logits, past = model(ids)
    for _ in range(100):
        token = logits[:, -1].argmax(-1, keepdim=True)
        if token.item() == -1:
            break
        ids = torch.cat([ids, token], 1)
        logits, past = model(token, past)
    return logits[0, -1].max().item()
