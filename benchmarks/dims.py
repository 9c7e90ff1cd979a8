"""First-class dimensions (functorch.dim) beside einsum: attention and a product of matrices for each of a batch, at a
size that computes, and a small one."""

from __future__ import annotations

from collections.abc import Iterator

import torch

import functorch_lite as ours
from functorch_lite.compat.functorch.dim import dims, softmax

from .timing import Peer, Result, compare, done


def _product_by_dims(x, y):
    b, i, j, k = dims(4)
    return (x[b, i, k] * y[b, k, j]).sum(k).order(b, i, j)


def _product_by_einsum(torch, x, y):
    return torch.einsum("bik,bkj->bij", x, y)


def _attention_by_dims(key, query, value):
    batch, channel, at, asked = dims(4)
    k, q, v = key[batch, channel, at], query[batch, channel, asked], value[batch, channel, at]
    a = softmax((k * q).sum(channel) * channel.size**-0.5, dim=at)
    return (v * a).sum(at).order(batch, channel, asked)


def _attention_by_einsum(torch, key, query, value):
    a = torch.softmax(torch.einsum("bck,bcq->bkq", key, query) * key.size(1) ** -0.5, dim=1)
    return torch.einsum("bck,bkq->bcq", value, a)


def run(smoke: bool = False) -> Iterator[Result]:
    """A line for each: by first-class dimensions ("ours"), by einsum here, by einsum in PyTorch."""
    steps, rounds = (2, 1) if smoke else (10, 11)
    for name, by_dims, by_einsum, n, shapes in (
        ("bmm", _product_by_dims, _product_by_einsum, 2, ((16, 256, 256), (4, 8, 8))),
        ("attention", _attention_by_dims, _attention_by_einsum, 3, ((8, 64, 512), (2, 8, 16))),
    ):
        for shape in shapes:
            mine = [ours.randn(*shape) for _ in range(n)]
            theirs = [torch.from_numpy(x.numpy().copy()) for x in mine]
            peers = [
                Peer("ours", lambda f=by_dims, a=mine: f(*a), lambda out: out.numpy()),
                Peer("einsum", lambda f=by_einsum, a=mine: f(ours, *a), lambda out: out.numpy()),
                Peer("pytorch's einsum", lambda f=by_einsum, a=theirs: f(torch, *a), done),
            ]
            yield compare(f"{name} {'x'.join(map(str, shape))}", peers, steps, rounds)
