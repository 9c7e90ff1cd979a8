"""Beam search with a GRU decoder: scores, topk, beams picked by index; finished beams are read."""

import numpy as np
import torch
import torch.nn as nn

steps = 870
rng = np.random.RandomState(12)
K, VOCABULARY, END = 4, 200, 0
embed, cell, out = nn.Embedding(VOCABULARY, 64), nn.GRUCell(64, 64), nn.Linear(64, VOCABULARY)


def search(h, length=30):
    h = h.expand(K, -1)
    tokens, scores = torch.ones(K, 1, dtype=torch.long), torch.tensor([0.0] + [-1e9] * (K - 1))
    finished = []
    for t in range(length):
        h = cell(embed(tokens[:, -1]), h)
        total = scores[:, None] + out(h).log_softmax(-1)
        scores, flat = total.view(-1).topk(K)
        beams, words = flat // VOCABULARY, flat % VOCABULARY
        tokens, h = torch.cat([tokens[beams], words[:, None]], 1), h[beams]
        for k, word in enumerate(words.tolist()):
            if word == END:
                finished.append((scores[k].item() / (t + 1), tokens[k].tolist()))
                scores[k] = -1e9
        if len(finished) >= K:
            break
    return max(finished)[0] if finished else scores.max().item() / length


@torch.no_grad()
def step(i):
    return search(torch.tensor(rng.randn(1, 64) * 0.5, dtype=torch.float32))
