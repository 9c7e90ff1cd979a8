"""A character RNN: cells in a Python loop over time, now and then a sample of text."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

steps = 290
rng = np.random.RandomState(14)
text = "the quick brown fox jumps over the lazy dog and runs away from all of them. " * 20
letters = sorted(set(text))
data = torch.tensor([letters.index(c) for c in text])


class CharRNN(nn.Module):
    def __init__(self, n, hidden=64):
        super().__init__()
        self.hidden, self.embed = hidden, nn.Embedding(n, 32)
        self.i2h, self.h2o = nn.Linear(32 + hidden, hidden), nn.Linear(hidden, n)

    def forward(self, letter, h):
        h = torch.tanh(self.i2h(torch.cat([self.embed(letter), h], 1)))
        return self.h2o(h), h


model = CharRNN(len(letters))
opt = torch.optim.Adam(model.parameters(), lr=3e-3)


def sample(length=60):
    h, letter, made = torch.zeros(1, model.hidden), data[:1], []
    with torch.no_grad():
        for _ in range(length):
            logits, h = model(letter, h)
            letter = logits.argmax(-1)
            made.append(letters[letter.item()])
    return "".join(made)


def step(i):
    starts = rng.randint(0, len(data) - 51, 8)
    h, loss = torch.zeros(8, model.hidden), 0.0
    batch = torch.stack([data[s : s + 51] for s in starts], 1)
    for t in range(50):
        logits, h = model(batch[t], h)
        loss = loss + F.cross_entropy(logits, batch[t + 1])
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5)
    opt.step()
    if i % 50 == 49:
        sample()
    return loss.item() / 50
