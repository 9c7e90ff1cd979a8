"""Each rule of padded evaluation: with garbage in the padding, every result that counts is what it is without
padding."""

from __future__ import annotations

import pytest

import functorch_lite as torch

from .padded import check

F = torch.nn.functional


def _of(make, *shapes):
    """A recording: make(n, tensors that require grad, of these shapes, where 'n' is the length), and its gradients."""

    def run(n):
        torch.manual_seed(n)
        xs = [
            torch.randn([eval(s, {"n": n}) if isinstance(s, str) else s for s in shape]) for shape in shapes
        ]
        torch.synchronize()
        for x in xs:
            x.requires_grad_()
        y = make(n, *xs)
        if y.dtype.is_floating_point and y.requires_grad:
            (y * y.detach().cos()).sum().backward()
        return y, xs

    return run


CASES = {
    "elementwise": _of(
        lambda n, x, y: (x * y + x.exp() / (1 + y * y)).tanh() - x.abs().sqrt(), (3, "n"), ("n",)
    ),
    "broadcast": _of(lambda n, x, b: x * 2 + b, (3, "n", 4), (1, 1, 4)),
    "scalar tensors": _of(lambda n, x, s: x * s, (3, "n"), ()),
    "where and clamp": _of(lambda n, x: torch.where(x > 0, x, x * 0.1).clamp(-0.5, 0.7), ("n", 2)),
    "casts": _of(lambda n, x: x.to(torch.float64).to(torch.float16).float(), ("n",)),
    "sum all": _of(lambda n, x: x.sum(), (2, "n")),
    "sum": _of(lambda n, x: x.sum(1), (2, "n", 3)),
    "sum of the other": _of(lambda n, x: x.sum(0), (2, "n", 3)),
    "mean": _of(lambda n, x: x.mean(), (2, "n", 3)),
    "mean of one": _of(lambda n, x: x.mean(1, keepdim=True), (2, "n", 3)),
    "var": _of(lambda n, x: x.var(1), (2, "n", 3)),
    "norm": _of(lambda n, x: x.norm(dim=1), (2, "n", 3)),
    "amax": _of(lambda n, x: x.amax(1), (2, "n", 3)),
    "amin": _of(lambda n, x: (x - 100).amax(1) + (x + 100).amin(1), (2, "n", 3)),
    "max": _of(lambda n, x: x.max(1).values, (2, "n", 3)),
    "prod of the other": _of(lambda n, x: x.prod(1), ("n", 4)),
    "logsumexp": _of(lambda n, x: x.logsumexp(1), (2, "n", 3)),
    "softmax": _of(lambda n, x: x.softmax(1), (2, "n", 3)),
    "softmax of the other": _of(lambda n, x: x.log_softmax(2), (2, "n", 3)),
    "argmax": _of(lambda n, x: x.argmax(1), (2, "n", 3)),
    "argmin": _of(lambda n, x: x.argmin(1), (2, "n")),
    "any": _of(lambda n, x: (x > 2).any(1) | (x > -5).all(1), (2, "n")),
    "count": _of(lambda n, x: (x > 0).sum(1), (2, "n")),
    "cumsum": _of(lambda n, x: x.cumsum(1), (2, "n")),
    "cumprod of the other": _of(lambda n, x: x.cumprod(1), ("n", 4)),
    "cummax": _of(lambda n, x: x.detach().cummax(1).values, (2, "n")),
    "flip of the other": _of(lambda n, x: x.flip(1), ("n", 3)),
    "repeat along": _of(lambda n, x: x.repeat(1, 2), (2, "n")),
    "var of flat": _of(lambda n, x: x.flatten().var(), (2, "n")),
    "outer": _of(lambda n, x, y: torch.outer(x, y).sum(1), ("n",), ("n",)),
    "diagonal": _of(lambda n, x: torch.diag_embed(x), ("n", 3)),
    "masked_fill": _of(lambda n, x: x.masked_fill(x.detach() > 0, float("-inf")).softmax(1), (2, "n")),
    "max pool": _of(lambda n, x: F.max_pool2d(x, 2), ("n", 2, 4, 4)),
    "group_norm": _of(lambda n, x: F.group_norm(x, 2), ("n", 4, 3)),
    "kl_div": _of(
        lambda n, x, y: F.kl_div(x.log_softmax(-1), y.detach().softmax(-1), reduction="batchmean"),
        ("n", 3),
        ("n", 3),
    ),
    "smooth_l1": _of(lambda n, x, y: F.smooth_l1_loss(x, y), ("n", 3), ("n", 3)),
    "bilinear": _of(lambda n, x, y, w: F.bilinear(x, y, w), ("n", 3), ("n", 2), (4, 3, 2)),
    "empty sums": _of(lambda n, x: (x * (x.detach() > 100)).sum() / n, (2, "n")),
    "unfold": _of(lambda n, x: x.unfold(1, 3, 1).sum(-1), (2, "n")),
    "unfold of the other": _of(lambda n, x: x.unfold(1, 3, 1).sum(-1), ("n", 6)),
    "sort of the other": _of(lambda n, x: x.sort(1).values, ("n", 5)),
    "topk of the other": _of(lambda n, x: x.topk(2, 1).values, ("n", 5)),
    "matmul over": _of(lambda n, x, y: x @ y, (3, "n"), ("n", 2)),
    "matmul beside": _of(lambda n, x, y: x @ y, (2, "n", 3), (3, 2)),
    "bmm": _of(
        lambda n, x: (x / 4) @ x.transpose(1, 2) @ (x / 4), (2, "n", 3)
    ),  # sums of some ten: rounding is theirs
    "batch": _of(lambda n, x, y: x @ y, ("n", 2, 3), ("n", 3, 2)),
    "einsum": _of(lambda n, x, y: torch.einsum("bnd,bmd->bnm", x, y), (2, "n", 3), (2, 4, 3)),
    "linear": _of(lambda n, x, w, b: F.linear(x, w, b), (2, "n", 3), (4, 3), (4,)),
    "reshape": _of(lambda n, x: x.reshape(2 * n, 3).exp().reshape(2, n, 3), (2, "n", 3)),
    "flatten": _of(lambda n, x: x.flatten(0, 1).sum(0), (2, "n", 3)),
    "heads": _of(lambda n, x: x.view(2, n, 2, 3).transpose(1, 2).reshape(4, n, 3), (2, "n", 6)),
    "merge": _of(lambda n, x: x.reshape(n * 6).cumsum(0), ("n", 2, 3)),
    "mean of flat": _of(lambda n, x: x.flatten().mean(), (2, "n", 3)),
    "softmax of flat": _of(lambda n, x: x.flatten().softmax(0), (2, "n", 3)),
    "permute": _of(lambda n, x: x.permute(2, 0, 1).contiguous(), (2, "n", 3)),
    "squeeze": _of(lambda n, x: x.unsqueeze(0).squeeze(1).unsqueeze(-1), (1, "n")),
    "expand": _of(lambda n, x: x.expand(3, n).sum(0), (1, "n")),
    "expand, reshaped": _of(
        lambda n, x, y: x[:, None].expand(3, n).reshape(3 * n) * y.reshape(3 * n), (3,), (3, "n")
    ),
    "slices": _of(lambda n, x: x[:, 1:] * x[:, :-1], (2, "n")),
    "first and last": _of(lambda n, x: x[:, 0] + x[:, -1], (2, "n", 3)),
    "a few": _of(lambda n, x: x[:, 1:3] + x[:, -2:], (2, "n", 3)),
    "chunk": _of(lambda n, x: x.chunk(2, -1)[0] * x.chunk(2, -1)[1], ("n", 4)),
    "cat": _of(lambda n, x, y: torch.cat([y, x, y], 1), (2, "n"), (2, 3)),
    "cat of lengths": _of(lambda n, x, y: torch.cat([x, y], 0).cumsum(0), ("n", 2), ("n", 2)),
    "cat of others": _of(lambda n, x, y: torch.cat([x, y], 1), ("n", 2), ("n", 2)),
    "stack": _of(lambda n, x, y: torch.stack([x, y, x], 1), ("n", 2), ("n", 2)),
    "pad": _of(lambda n, x: F.pad(x, (2, 1), value=3.0), (2, "n")),
    "pad to a length": _of(lambda n, x: F.pad(x, (0, 12 - n)), (2, "n")),
    "pad of others": _of(lambda n, x: F.pad(x, (2, 1)), ("n", 2)),
    "gather": _of(lambda n, x: x.gather(1, (x.detach()[:, :2] * 3).long().clamp(0, n - 1)), (2, "n")),
    "gather of others": _of(lambda n, x: x.gather(1, (x.detach() * 3).long().clamp(0, 3)), ("n", 4)),
    "take_along_dim": _of(
        lambda n, x: x.take_along_dim((x.detach() * 3).long().clamp(0, n - 1), 1), (2, "n")
    ),
    "index": _of(lambda n, x: x[:, torch.tensor([0, 3, 1])], (2, "n")),
    "index along": _of(lambda n, x, y: x[(y.detach() * 3).long().clamp(0, 5)], (6, 2), (2, "n")),
    "index_select": _of(lambda n, x: x.index_select(0, torch.tensor([1, 2, 0, 1])), ("n", 2)),
    "index_add": _of(
        lambda n, x, y: x.index_add(0, (y.detach()[:, 0] * 3).long().clamp(0, 3), y), (4, 2), ("n", 2)
    ),
    "scatter_add": _of(
        lambda n, x, y: x.scatter_add(1, (y.detach() * 3).long().clamp(0, 3), y), (2, 4), (2, "n")
    ),
    "scatter_add along": _of(
        lambda n, x, y: x.scatter_add(1, (y.detach() * 3).long().clamp(0, n - 1), y), (2, "n"), (2, 3)
    ),
    "one_hot": _of(lambda n, x: F.one_hot((x.detach() * 3).long().clamp(0, 3), 4).sum(0), ("n",)),
    "embedding": _of(lambda n, w, x: F.embedding((x.detach() * 3).long().clamp(0, 5), w), (6, 3), (2, "n")),
    "embedding with padding": _of(
        lambda n, w, x: F.embedding((x.detach() * 3).long().clamp(0, 5), w, padding_idx=0), (6, 3), (2, "n")
    ),
    "cross_entropy": _of(
        lambda n, x, y: F.cross_entropy(x.flatten(0, 1), (y.detach() * 3).long().clamp(0, 4).flatten()),
        (2, "n", 5),
        (2, "n"),
    ),
    "cross_entropy, ignoring": _of(
        lambda n, x, y: F.cross_entropy(
            x.transpose(1, 2), (y.detach() * 3).long().clamp(0, 4), ignore_index=0
        ),
        (2, "n", 5),
        (2, "n"),
    ),
    "cross_entropy, weighted": _of(
        lambda n, x, y: F.cross_entropy(
            x.flatten(0, 1),
            (y.detach() * 3).long().clamp(0, 4).flatten(),
            weight=torch.arange(5.0),
            label_smoothing=0.1,
        ),
        (2, "n", 5),
        (2, "n"),
    ),
    "mse, masked": _of(
        lambda n, x, y: (((x - y) ** 2) * (x.detach() > 0)).sum() / (x.detach() > 0).sum(), (2, "n"), (2, "n")
    ),
    "bce": _of(
        lambda n, x, y: F.binary_cross_entropy_with_logits(x, y.detach().sigmoid()), (2, "n"), (2, "n")
    ),
    "layer_norm": _of(lambda n, x, w: F.layer_norm(x, (3,), w), (2, "n", 3), (3,)),
    "batch_norm": _of(lambda n, x: F.batch_norm(x, None, None, training=True), ("n", 3, 2)),
    "gelu": _of(lambda n, x: F.gelu(x) + F.silu(x) + F.softplus(x) + F.leaky_relu(x), (2, "n")),
    "attention": _of(lambda n, q: F.scaled_dot_product_attention(q, q, q), (2, 2, "n", 3)),
    "attention, causal": _of(
        lambda n, q: F.scaled_dot_product_attention(q, q, q, is_causal=True), (2, 2, "n", 3)
    ),
    "attention, masked": _of(
        lambda n, q, m: F.scaled_dot_product_attention(q, q, q, attn_mask=m.detach()[:, None, None] > -0.5),
        (2, 2, "n", 3),
        (2, "n"),
    ),
    "tril": _of(lambda n, x: (x @ x.transpose(1, 2)).tril(), (2, "n", 3)),
    "causal mask": _of(lambda n, x: x.masked_fill(torch.ones(n, n).triu(1).bool(), 0.0), ("n", "n")),
    "arange": _of(lambda n, x: x * torch.arange(n), (2, "n")),
    "positions": _of(lambda n, x, w: x + F.embedding(torch.arange(n), w)[None], (2, "n", 3), (20, 3)),
    "a table": _of(lambda n, x, w: x + w[:n], (2, "n", 3), (20, 3)),
    "zeros": _of(lambda n, x: x + torch.zeros(n) + torch.full((2, n), 3.0), (2, "n")),
    "setitem": _of(lambda n, x: _set(x * 1, (slice(None), slice(1, 3)), 5.0), (2, "n")),
    "setitem from": _of(lambda n, x: _set(x * 1, (slice(None), slice(2, None)), 5.0), (2, "n")),
    "setitem last": _of(lambda n, x: _set(x * 1, (slice(None), -1), 5.0), (2, "n")),
    "examples of convolutions": _of(lambda n, x, w: F.conv2d(x, w, padding=1), ("n", 2, 5, 5), (3, 2, 3, 3)),
    "examples of pooling": _of(lambda n, x: F.avg_pool2d(x, 2), ("n", 2, 4, 4)),
    "dropout": _of(lambda n, x: F.dropout(x, 0.3), (3, "n", 3)),
    "dropout of scores": _of(lambda n, x: F.dropout((x @ x.transpose(1, 2)).softmax(2), 0.3), (3, "n", 3)),
    "rand": _of(lambda n, x: x + torch.rand(3, n), (3, "n")),
    "two lengths": _of(lambda n, x, y: (x @ y.T).softmax(1) @ y, ("n", 3), ("2*n + 1", 3)),
    "lengths apart": _of(lambda n, x, y: (x @ y.T).softmax(1) @ y, ("n", 3), ("n * n", 3)),
    "linspace": _of(lambda n, x: x * torch.linspace(0, 1, n), ("n",)),
    "std": _of(lambda n, x: (x - x.mean(0)) / x.std(0), ("n", 3)),
    "cosine": _of(lambda n, x, y: F.cosine_similarity(x, y, dim=-1), ("n", 3), ("n", 3)),
    "cdist": _of(lambda n, x, y: ((x[:, None] - y[None]) ** 2).sum(-1).amin(1), ("n", 3), (4, 3)),
    "repeat": _of(lambda n, x: x.repeat(2, 1), (2, "n")),
    "repeat_interleave": _of(lambda n, x: x.repeat_interleave(2, 0), ("n", 2)),
}


RECURRENT = {
    "LSTM over": (torch.nn.LSTM, (3, 4), {}, ("n", 2, 3)),
    "LSTM beside": (torch.nn.LSTM, (3, 4), {}, (5, "n", 3)),
    "GRU both ways": (torch.nn.GRU, (3, 4), {"batch_first": True, "bidirectional": True}, (2, "n", 3)),
}


@pytest.mark.parametrize("name", RECURRENT)
def test_recurrent_nets(name):
    kind, sizes, options, shape = RECURRENT[name]
    torch.manual_seed(0)
    net = kind(*sizes, **options)

    def run(n):
        x = torch.randn([n if s == "n" else s for s in shape])
        torch.synchronize()
        x.requires_grad_()
        y, last = net(x)
        net.zero_grad()
        (y * y).mean().backward()
        return y, last, x, [p.grad for p in net.parameters()]

    check(run, tolerance=1e-4)


def _set(x, index, value):
    x[index] = value
    return x


@pytest.mark.parametrize("name", CASES)
def test_padded_is_as_it_is_without(name):
    check(CASES[name])
