"""Attention is fused by what its steps mean: masks, scales and softmaxes in many spellings, merged heads among them."""

from __future__ import annotations

import math

import pytest

import functorch_lite as torch
from functorch_lite._dynamo.utils import counters
from functorch_lite.nn import functional as F

B, H, T, D = 2, 4, 6, 8
LEAST = torch.finfo(torch.float32).min
CAUSAL = torch.ones(T, T, dtype=torch.bool).tril()
LONG = torch.arange(T)[None, :] < torch.tensor([[T], [T - 2]])


def scores(q, k):
    return q @ k.mT / math.sqrt(D)


def merged(*parts):
    return [x.reshape(B * H, T, D) for x in parts]


def bmm_scores(q, k):
    return torch.bmm(q * D**-0.5, k.transpose(1, 2))


def distilbert(q, k, v, m):
    s = torch.matmul(q / math.sqrt(D), k.transpose(2, 3))
    hidden = (LONG == 0).view(B, 1, 1, T).expand_as(s)
    return torch.matmul(F.dropout(s.masked_fill(hidden, torch.tensor(LEAST)).softmax(-1), 0.1, False), v)


def opt(q, k, v, m):
    q, k, v = merged(q, k, v)
    s = bmm_scores(q, k).view(B, H, T, T).masked_fill(~m, LEAST)
    return torch.bmm(F.softmax(s.view(B * H, T, T), -1), v).view(B, H, T, D)


def opt_where(q, k, v, m):
    q, k, v = merged(q, k, v)
    s = torch.where(m, bmm_scores(q, k).view(B, H, T, T), torch.tensor(LEAST)).view(B * H, T, T)
    return torch.bmm(F.softmax(s, -1, dtype=torch.float32), v).view(B, H, T, D)


def opt_expanded(q, k, v, m):
    q, k, v = merged(q, k, v)
    hidden = ~m.expand(B, H, T, T).reshape(B * H, T, T)
    return torch.bmm(bmm_scores(q, k).masked_fill(hidden, -math.inf).softmax(-1), v).view(B, H, T, D)


def opt_repeated(q, k, v, m):
    q, k, v = merged(q, k, v)
    kept = m[:, 0].repeat_interleave(H, 0)
    return torch.bmm(torch.where(kept, bmm_scores(q, k), -math.inf).softmax(-1), v).view(B, H, T, D)


def by_exponentials(q, k, v, m):
    s = scores(q, k)
    e = (s - s.max(-1, keepdim=True).values).exp()
    return (e / e.sum(-1, keepdim=True)) @ v


def divided_after(q, k, v, m):
    s = scores(q, k)
    e = (s - s.amax(-1, keepdim=True).detach()).exp()
    return (e @ v) / e.sum(-1, keepdim=True)


def by_logsumexp(q, k, v, m):
    s = scores(q, k)
    return (s - s.logsumexp(-1, keepdim=True)).exp() @ v


def shifted(q, k, v, m):
    s = torch.where(m, scores(q, k), LEAST)
    return (s - s.amax(-1, keepdim=True)).softmax(-1) @ v


def where_like(q, k, v, m):
    s = scores(q, k)
    return torch.where(m, s, torch.full_like(s, LEAST)).softmax(-1) @ v


def where_computed(q, k, v, m):
    s = scores(q, k)
    return torch.where(m, s, torch.zeros_like(s) - 1e9).softmax(-1) @ v


def multiplied_and_subtracted(q, k, v, m):
    kept = m.float()
    return (scores(q, k) * kept - 1e9 * (1 - kept)).softmax(-1) @ v


SPELLINGS = [
    distilbert, opt, opt_where, opt_expanded, opt_repeated, by_exponentials, divided_after, by_logsumexp, shifted, where_like, where_computed,
    multiplied_and_subtracted,
    lambda q, k, v, m: torch.where(m, scores(q, k), LEAST).softmax(-1) @ v,
    lambda q, k, v, m: torch.where(~m, -math.inf, scores(q, k)).softmax(-1) @ v,
    lambda q, k, v, m: torch.where(m.float() == 0, torch.full((1,), -1e9), scores(q, k)).softmax(-1) @ v,
    lambda q, k, v, m: (scores(q, k) + torch.where(CAUSAL, 0.0, -math.inf)).softmax(-1) @ v,
    lambda q, k, v, m: torch.sub(scores(q, k), (~m).float(), alpha=1e9).softmax(-1) @ v,
    lambda q, k, v, m: scores(q, k).log_softmax(-1).exp() @ v,
    lambda q, k, v, m: ((k @ q.mT).mT / math.sqrt(D)).masked_fill(~m, LEAST).softmax(-1) @ v,
    lambda q, k, v, m: ((q @ k.mT) ** 1 * D**-0.5).softmax(-1) @ v,
    lambda q, k, v, m: (q @ k.mT * torch.exp(torch.full((), -1.0))).softmax(-1) @ v,
    lambda q, k, v, m: (scores(q, torch.cat([torch.zeros(B, H, 0, D), k], 2))).softmax(-1) @ v,
]  # fmt: skip
OTHERS = [
    lambda q, k, v, m: scores(q, k).softmax(-2) @ v,
    lambda q, k, v, m: (scores(q, k).exp() / scores(q, k).exp().sum(-1, keepdim=True)) @ v,
    lambda q, k, v, m: (scores(q, k) - scores(q, k).logsumexp(-2, keepdim=True)).exp() @ v,
    lambda q, k, v, m: torch.where(m, scores(q, k).exp(), 0.0) @ v,
    lambda q, k, v, m: (1 - scores(q, k)).softmax(-1) @ v,
    lambda q, k, v, m: (scores(q, k) ** 2).softmax(-1) @ v,
]
"""Other functions, which stay as they are (or are fused only as far as they are attention)."""


def arguments():
    torch.manual_seed(0)
    parts = [torch.randn(B, H, T, D, requires_grad=True) for _ in range(3)]
    return parts, LONG[:, None, None, :] & CAUSAL


def compared(f, fused):
    parts, m = arguments()
    before = counters["inductor"]["fuse_attention"]
    with torch.debug.tier("cold"):
        out, wanted = torch.compile(f, options={"pattern_matcher": True})(*parts, m), f(*parts, m)
        assert counters["inductor"]["fuse_attention"] - before == fused
        torch.testing.assert_close(out, wanted, rtol=1e-4, atol=1e-5)
        grads = [torch.autograd.grad(o.square().sum(), parts) for o in (out, wanted)]
        for a, b in zip(*grads):
            torch.testing.assert_close(a, b, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("f", SPELLINGS)
def test_is_fused(f):
    compared(f, 1)


@pytest.mark.parametrize("f", OTHERS)
def test_is_something_else(f):
    compared(f, 0)
