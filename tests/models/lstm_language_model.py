"""A word-level LSTM language model with packed sentences of different lengths (after Zaremba et al. 2014,
arXiv:1409.2329)."""

from __future__ import annotations

import numpy as np

VOCABULARY, EMBEDDING, HIDDEN, LAYERS = 43, 12, 16, 2
LENGTHS = (5, 7, 3)


def build(torch):
    nn = torch.nn
    rnn = nn.utils.rnn

    class LanguageModel(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(VOCABULARY, EMBEDDING, padding_idx=0)
            self.lstm = nn.LSTM(EMBEDDING, HIDDEN, LAYERS, batch_first=True)
            self.out = nn.Linear(HIDDEN, VOCABULARY)

        def forward(self, tokens):
            x = rnn.pack_padded_sequence(self.embed(tokens), LENGTHS, batch_first=True, enforce_sorted=False)
            states, (h, _) = self.lstm(x)
            states, lengths = rnn.pad_packed_sequence(states, batch_first=True)
            assert lengths.tolist() == list(LENGTHS)
            return self.out(states), h

    return LanguageModel()


def example(rng):
    tokens = rng.integers(1, VOCABULARY, (len(LENGTHS), max(LENGTHS) + 1))
    tokens[np.arange(max(LENGTHS) + 1)[None, :] > np.array(LENGTHS)[:, None]] = 0
    return tokens[:, :-1], tokens[:, 1:]


def loss(torch, model, tokens, targets):
    logits, _ = model(tokens)
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=0)
