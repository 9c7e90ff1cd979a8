"""Sentences of other lengths, packed, through an LSTM."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

steps = 220
rng = np.random.RandomState(4)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(500, 32, padding_idx=0)
        self.lstm = nn.LSTM(32, 48, batch_first=True, bidirectional=True)
        self.out = nn.Linear(96, 10)

    def forward(self, words, lengths):
        packed = pack_padded_sequence(self.embed(words), lengths, batch_first=True, enforce_sorted=False)
        h, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return self.out(h)


model = Tagger()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)


def step(i):
    lengths = torch.tensor(rng.randint(5, 40, 16))
    words = pad_sequence([torch.tensor(rng.randint(1, 500, n)) for n in lengths.tolist()], batch_first=True)
    tags = torch.where(words == 0, -100, words % 10)
    logits = model(words, lengths)
    loss = F.cross_entropy(logits.flatten(0, 1), tags.flatten(), ignore_index=-100)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()
