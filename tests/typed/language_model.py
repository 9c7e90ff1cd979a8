"""A recurrent and an attentive language model."""

import math

import functorch_lite as torch
import functorch_lite.nn as nn
import functorch_lite.nn.functional as F


class Attention(nn.Module):
    mask: torch.Tensor

    def __init__(self, width: int, heads: int, block: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.register_buffer("mask", torch.tril(torch.ones(block, block)).view(1, 1, block, block))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, t, c = x.size()
        q, k, v = self.qkv(x).split(c, dim=2)
        q, k, v = (y.view(b, t, self.heads, c // self.heads).transpose(1, 2) for y in (q, k, v))
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.mask[:, :, :t, :t] == 0, float("-inf"))
        return (F.softmax(att, dim=-1) @ v).transpose(1, 2).contiguous().view(b, t, c)


class RNN(nn.Module):
    def __init__(self, tokens: int, width: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(tokens, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, tokens)

    def forward(self, ids: torch.Tensor, h: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor]:
        y, last = self.rnn(self.embed(ids), h)
        return self.out(y), last


model = RNN(20, 8)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
ids = torch.randint(0, 20, (2, 6))
logits, h = model(ids[:, :-1])
loss = F.cross_entropy(logits.reshape(-1, logits.size(-1)), ids[:, 1:].reshape(-1), ignore_index=-1)
loss.backward()
nn.utils.clip_grad_norm_(model.parameters(), 0.25)
optimizer.step()
with torch.no_grad():
    next_logits = model(ids)[0][:, -1, :] / 0.8
    top, _ = torch.topk(next_logits, 5)
    next_logits[next_logits < top[:, [-1]]] = -float("inf")
    ids = torch.cat((ids, torch.multinomial(F.softmax(next_logits, dim=-1), num_samples=1)), dim=1)
print(math.exp(loss.item()), ids.tolist(), Attention(8, 2, 6)(torch.randn(2, 6, 8)).shape)
layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
encoder = nn.TransformerEncoder(layer, num_layers=2)
print(encoder(torch.randn(2, 6, 8), mask=nn.Transformer.generate_square_subsequent_mask(6)).mean())
