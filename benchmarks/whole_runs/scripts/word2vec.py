"""Skip-grams with negative sampling over sentences: windows give other numbers of pairs; nearest words are looked
up."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

steps = 2400
rng = np.random.RandomState(42)
V = 1000
inner, outer = nn.Embedding(V, 50), nn.Embedding(V, 50)
outer.weight.data.zero_()
opt = torch.optim.SGD([*inner.parameters(), *outer.parameters()], lr=0.5)
unigram = 1.0 / np.arange(1, V + 1) ** 0.75
unigram /= unigram.sum()


def pairs(sentence):
    for k, word in enumerate(sentence):
        window = rng.randint(1, 5)
        for other in sentence[max(0, k - window) : k] + sentence[k + 1 : k + 1 + window]:
            yield word, other


def step(i):
    sentence = rng.choice(V, rng.randint(20, 60), p=unigram).tolist()
    center, context = torch.tensor(list(pairs(sentence))).T
    negative = torch.from_numpy(rng.choice(V, (len(center), 5), p=unigram))
    c = inner(center)
    good = F.logsigmoid((c * outer(context)).sum(1))
    bad = F.logsigmoid(-torch.bmm(outer(negative), c.unsqueeze(2)).squeeze(2)).sum(1)
    loss = -(good + bad).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if i % 100 == 99:
        w = F.normalize(inner.weight.detach(), dim=1)
        (w @ w[:5].T).topk(5, dim=0).indices.tolist()
    return loss.item()
