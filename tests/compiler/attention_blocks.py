"""Attention as families of models spell it, after their papers: each a function of (x, weights) or of (x, memory,
weights).

`BLOCKS`: name -> (function, shape of x, shape of the memory or None, how many attentions of it may be fused)
"""

from __future__ import annotations

import math

import functorch_lite as torch
from functorch_lite.nn import functional as F

B, T, E, H = 2, 12, 32, 4
D = E // H


def weights(*shapes):
    """Matrices of which products keep their size."""
    return [torch.randn(*s) / math.sqrt(s[-1]) for s in shapes]


def heads(x, h=H):
    return x.view(x.shape[0], x.shape[1], h, x.shape[2] // h).transpose(1, 2)


def joined(x):
    return x.transpose(1, 2).contiguous().view(x.shape[0], x.shape[2], -1)


def gpt2(x, w):
    q, k, v = (heads(y) for y in (x @ w["qkv"].t()).split(E, dim=2))
    s = torch.matmul(q, k.transpose(-1, -2)) / torch.full([], D**0.5)
    causal = torch.ones(T, T, dtype=torch.bool).tril().view(1, 1, T, T)
    s = torch.where(causal, s, torch.full([], torch.finfo(torch.float32).min))
    return joined(torch.matmul(F.softmax(s, dim=-1), v)) @ w["o"].t()


def bert(x, w):
    q, k, v = (heads(y) for y in (x @ w["qkv"].t()).split(E, dim=2))
    padding = (torch.arange(T) >= T - 3).float()[None, None, None, :] * torch.finfo(torch.float32).min
    s = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(D) + padding
    p = F.dropout(F.softmax(s, dim=-1), 0.1, False)
    return joined(torch.matmul(p, v)) @ w["o"].t()


def t5(x, w):
    q, k, v = (heads(y) for y in (x @ w["qkv"].t()).split(E, dim=2))
    scores = torch.matmul(q, k.transpose(3, 2))
    scores = scores + w["bias"].unsqueeze(0)
    p = F.softmax(scores.float(), dim=-1).type_as(scores)
    return joined(torch.matmul(p, v)) @ w["o"].t()


def vit(x, w):
    qkv = F.linear(x, w["qkv"]).reshape(B, T, 3, H, D).permute(2, 0, 3, 1, 4)
    q, k, v = qkv.unbind(0)
    q = q * D**-0.5
    attn = (q @ k.transpose(-2, -1)).softmax(dim=-1)
    return (attn @ v).transpose(1, 2).reshape(B, T, E) @ w["o"].t()


def llama(x, w):
    q = heads(x @ w["q"].t())
    k, v = (heads(x @ w[n].t(), H // 2) for n in ("k", "v"))
    at = torch.arange(T, dtype=torch.float32)[:, None] * torch.full((D // 2,), 0.5) ** torch.arange(D // 2)
    cos, sin = torch.cat([at, at], -1).cos(), torch.cat([at, at], -1).sin()

    def rotated(y):
        half = torch.cat([-y[..., D // 2 :], y[..., : D // 2]], -1)
        return y * cos + half * sin

    q, k = rotated(q), rotated(k)
    k, v = (y[:, :, None].expand(B, H // 2, 2, T, D).reshape(B, H, T, D) for y in (k, v))
    mask = torch.full((T, T), float("-inf")).triu(1)
    s = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(D) + mask
    p = F.softmax(s, dim=-1, dtype=torch.float32).to(q.dtype)
    return joined(torch.matmul(p, v)) @ w["o"].t()


def alibi(x, w):
    q, k, v = (heads(y) for y in (x @ w["qkv"].t()).split(E, dim=2))
    slopes = (2.0 ** -torch.arange(1, H + 1)).view(1, H, 1, 1)
    distance = torch.arange(T)[None, :] - torch.arange(T)[:, None]
    s = q @ k.mT * (1.0 / math.sqrt(D)) + slopes * distance
    s = s.masked_fill(torch.ones(T, T, dtype=torch.bool).triu(1), float("-inf"))
    return joined(s.softmax(-1) @ v) @ w["o"].t()


def distilbert(x, w):
    q, k, v = (heads(y) for y in (x @ w["qkv"].t()).split(E, dim=2))
    q = q / math.sqrt(D)
    scores = torch.matmul(q, k.transpose(2, 3))
    mask = (torch.arange(T) >= T - 2).view(1, 1, 1, T).expand_as(scores)
    scores = scores.masked_fill(mask, torch.tensor(torch.finfo(torch.float32).min).item())
    return joined(torch.matmul(F.dropout(F.softmax(scores, dim=-1), 0.1, False), v)) @ w["o"].t()


def swin(x, w):
    windows = x.view(B * 3, T // 3, E)
    q, k, v = F.linear(windows, w["qkv"]).reshape(B * 3, T // 3, 3, H, D).permute(2, 0, 3, 1, 4)
    q = q * D**-0.5
    attn = q @ k.transpose(-2, -1) + w["relative"].unsqueeze(0)
    shifted = w["shift"]
    attn = (attn.view(B, 3, H, T // 3, T // 3) + shifted.unsqueeze(1).unsqueeze(0)).view(
        -1, H, T // 3, T // 3
    )
    return (attn.softmax(-1) @ v).transpose(1, 2).reshape(B, T, E) @ w["o"].t()


def perceiver(x, w):
    latents = w["latents"].expand(B, -1, -1)
    q, k, v = heads(latents @ w["q"].t()), heads(x @ w["k"].t()), heads(x @ w["v"].t())
    q, k, v = (y.reshape(B * H, -1, D) for y in (q, k, v))
    sim = torch.einsum("bid,bjd->bij", q, k) * D**-0.5
    out = torch.einsum("bij,bjd->bid", sim.softmax(dim=-1), v)
    return out.reshape(B, H, -1, D).transpose(1, 2).reshape(B, -1, E) @ w["o"].t()


def whisper(x, w):
    scale = D**-0.25
    q = heads(x @ w["q"].t()).permute(0, 1, 2, 3) * scale
    k = (x @ w["k"].t()).view(B, T, H, D).permute(0, 2, 3, 1) * scale
    v = heads(x @ w["v"].t())
    qk = q @ k + torch.full((T, T), float("-inf")).triu_(1)
    p = F.softmax(qk.float(), dim=-1).to(q.dtype)
    return (p @ v).permute(0, 2, 1, 3).flatten(start_dim=2) @ w["o"].t()


def opt(x, w):
    q = x @ w["q"].t() * D**-0.5
    q, k, v = (heads(y).reshape(B * H, T, D) for y in (q, x @ w["k"].t(), x @ w["v"].t()))
    s = torch.bmm(q, k.transpose(1, 2))
    mask = torch.full((T, T), torch.finfo(torch.float32).min).triu(1)[None, None].expand(B, 1, T, T)
    s = s.view(B, H, T, T) + mask
    p = F.softmax(s.view(B * H, T, T), dim=-1)
    out = torch.bmm(F.dropout(p, 0.1, False), v).view(B, H, T, D)
    return joined(out) @ w["o"].t()


def gemma(x, w):
    q, k, v = (heads(y) for y in (x @ w["qkv"].t()).split(E, dim=2))
    s = torch.matmul(q, k.transpose(2, 3)) * D**-0.5
    s = torch.tanh(s / 50.0) * 50.0
    s = s + torch.full((T, T), float("-inf")).triu(1)
    return joined(torch.matmul(F.softmax(s, dim=-1), v)) @ w["o"].t()


MIN = torch.finfo(torch.float32).min
CAUSAL = torch.ones(T, T, dtype=torch.bool).tril()
PADDING = torch.arange(T) >= T - 3


def of_heads(x, w):
    return [heads(y) for y in (x @ w["qkv"].t()).split(E, dim=2)]


def in_one_dim(x, w):
    return [y.reshape(B * H, T, D) for y in of_heads(x, w)]


def number_in_a_tensor(x, w):
    q, k, v = of_heads(x, w)
    s = q @ k.mT / math.sqrt(D)
    s = torch.where(CAUSAL, s, torch.tensor(MIN, dtype=s.dtype))
    return joined(s.softmax(-1) @ v)


def scores_last(x, w):
    q, k, v = of_heads(x, w)
    s = q @ k.mT / math.sqrt(D)
    return joined(torch.where(PADDING, MIN, s).softmax(-1) @ v)


def annotated_transformer(x, w):
    q, k, v = of_heads(x, w)
    s = (q @ k.mT / math.sqrt(D)).masked_fill(torch.ones(B, 1, T, T).tril() == 0, -1e9)
    return joined(F.dropout(s.softmax(-1), 0.1, True) @ v)


def maximum_of_opt(x, w):
    q, k, v = in_one_dim(x, w)
    s = torch.bmm(q * D**-0.5, k.transpose(1, 2)).view(B, H, T, T)
    s = s + torch.full((T, T), MIN).triu(1)[None, None].expand(B, 1, T, T)
    s = torch.max(s, torch.tensor(torch.finfo(s.dtype).min)).view(B * H, T, T)
    return joined(torch.bmm(F.dropout(F.softmax(s, dim=-1), 0.1, True), v).view(B, H, T, D))


def bart(x, w):
    q, k, v = in_one_dim(x, w)
    s = torch.bmm(q * D**-0.5, k.transpose(1, 2)).view(B, H, T, T).masked_fill(PADDING, -math.inf)
    p = F.dropout(s.view(B * H, T, T).softmax(-1), 0.1, True)
    return joined(torch.bmm(p, v).view(B, H, T, D))


def fairseq(x, w):
    parts = (x.transpose(0, 1) @ w["qkv"].t()).split(E, dim=2)
    q, k, v = (y.contiguous().view(T, B * H, D).transpose(0, 1) for y in parts)
    s = torch.bmm(q * D**-0.5, k.transpose(1, 2)) + torch.full((T, T), -math.inf).triu(1)[None]
    out = torch.bmm(F.dropout(F.softmax(s, -1), 0.1, True), v)
    return out.transpose(0, 1).contiguous().view(T, B, E)


def bloom(x, w):
    q, k, v = ((x @ w["qkv"].t()).view(B, T, H, 3, D)[..., i, :] for i in range(3))
    q, v = (y.transpose(1, 2).reshape(B * H, T, D) for y in (q, v))
    k = k.permute(0, 2, 3, 1).reshape(B * H, D, T)
    slopes = torch.linspace(0, 1, B * H)[:, None, None] * torch.arange(T)
    s = torch.baddbmm(slopes, q, k, beta=1.0, alpha=1 / math.sqrt(D)).view(B, H, T, T)
    p = F.softmax(torch.masked_fill(s, ~CAUSAL, MIN), -1, dtype=torch.float32).to(q.dtype)
    return torch.bmm(F.dropout(p, 0.1, True).view(B * H, T, T), v).view(B, H, T, D)


def neox(x, w):
    q, k, v = in_one_dim(x, w)
    s = torch.baddbmm(torch.zeros(B * H, T, T), q, k.transpose(1, 2), beta=1.0, alpha=D**-0.5)
    s = torch.where(CAUSAL, s.view(B, H, T, T), torch.tensor(MIN))
    return joined(F.softmax(s, -1) @ v.view(B, H, T, D))


def gptj(x, w):
    q, k, v = of_heads(x, w)
    s = torch.where(CAUSAL, torch.matmul(q, k.transpose(-1, -2)), torch.tensor(MIN))
    s = s / torch.sqrt(torch.tensor(float(D))) + torch.where(PADDING, MIN, 0.0)
    return joined(F.softmax(s, dim=-1) @ v)


def clamped(x, w):
    q, k, v = of_heads(x, w)
    s = torch.clamp(q @ k.mT + torch.where(PADDING, MIN, 0.0), min=MIN)
    return joined(F.softmax(s.masked_fill(~CAUSAL, -1e4) / math.sqrt(D), dim=-1) @ v)


def gpt_neo(x, w):
    q, k, v = of_heads(x, w)
    s = torch.where(CAUSAL, torch.matmul(q.float(), k.float().mT), torch.tensor(MIN))
    s = s + torch.where(PADDING, MIN, 0.0)[None, None, None]
    return joined(F.dropout(F.softmax(s, dim=-1).to(v.dtype), 0.1, True) @ v)


def gpt(x, w):
    q, k, v = (x @ w["qkv"].t()).split(E, dim=2)
    s = torch.matmul(heads(q), k.view(B, T, H, D).permute(0, 2, 3, 1)) / math.sqrt(D)
    b = CAUSAL.float().view(1, 1, T, T)
    s = s * b + -1e4 * (1 - b) + torch.where(PADDING, -1e4, 0.0)
    return joined(F.softmax(s, dim=-1) @ heads(v))


def parameters() -> dict:
    """Weights for all of them."""
    torch.manual_seed(0)
    w = dict(zip(("q", "k", "v", "o", "qkv"), weights((E, E), (E, E), (E, E), (E, E), (3 * E, E))))
    w["bias"], w["relative"] = torch.randn(H, T, T), torch.randn(H, T // 3, T // 3)
    w["shift"] = torch.where(torch.rand(3, T // 3, T // 3) > 0.8, -100.0, 0.0)
    w["latents"] = torch.randn(1, 5, E)
    return w


def of(name: str, w: dict) -> dict:
    """The weights of one: grouped queries have fewer keys and values."""
    return {**w, "k": w["k"][: E // 2], "v": w["v"][: E // 2]} if name == "Llama" else w


BLOCKS = {
    "GPT-2": gpt2, "BERT": bert, "T5": t5, "ViT": vit, "Llama": llama, "ALiBi": alibi, "DistilBERT": distilbert, "Swin": swin,
    "Perceiver": perceiver, "Whisper": whisper, "OPT": opt, "Gemma": gemma, "GPT-2, a number in a tensor": number_in_a_tensor,
    "scores last": scores_last, "the annotated transformer": annotated_transformer, "OPT, a maximum": maximum_of_opt, "BART": bart,
    "fairseq": fairseq, "BLOOM": bloom, "GPT-NeoX": neox, "GPT-J": gptj, "clamped, filled, divided": clamped, "GPT-Neo": gpt_neo, "GPT": gpt,
}  # fmt: skip
NOT_FUSED = {"Gemma"}
"""Between scores and softmax something else is done: a soft cap."""
