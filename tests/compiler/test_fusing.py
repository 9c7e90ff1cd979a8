"""Attention that a marked function writes out is fused without being asked, where nothing else reads its weights; all
else stays as it was."""

from __future__ import annotations

import pytest

import functorch_lite as torch
from functorch_lite._core.run import executor
from functorch_lite.compiler.replay import mismatches
from functorch_lite.nn import functional as F
from tests.compiler.test_attention import SPELLINGS, TOLERANCE, spelled

CALLS = 7


def fused(compiled) -> int:
    """How many attentions are fused, in all kinds of calls."""
    entries = getattr(compiled, "replayed", None) or compiled.__dict__["replayed"]
    return sum(len(e._fused or ()) for e in entries.entries.values())


def same(a, b, tolerance=1e-5):
    torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)


def check(f, args, n: int | None = 1, calls: int = CALLS) -> None:
    """Results and gradients of each call are those of f, and n attentions are fused (None: any)."""
    compiled = torch.compile(f)
    leaves = [a for a in args if isinstance(a, torch.Tensor) and a.requires_grad]
    for _ in range(calls):
        found = []
        for g in (f, compiled):
            torch.manual_seed(0)
            out = g(*args)
            outs = out if isinstance(out, tuple) else (out,)
            loss = sum(o.float().square().sum() for o in outs)
            found.append((outs, torch.autograd.grad(loss, leaves) if leaves else ()))
            executor.flush()
        (a, grads_a), (b, grads_b) = found
        dtype = args[0].dtype
        for x, y in zip(a, b, strict=True):
            same(y, x, TOLERANCE[dtype][0])
        for x, y in zip(grads_a, grads_b, strict=True):
            same(y, x, TOLERANCE[dtype][1])
    assert n is None or fused(compiled) == n
    assert compiled.replayed.replays and not mismatches


def qkv(grad: bool = True, *shape: int):
    torch.manual_seed(1)
    return [torch.randn(shape or (2, 2, 8, 4), requires_grad=grad) for _ in range(3)]


@pytest.mark.parametrize("name", SPELLINGS)
def test_spellings(name):
    with torch.debug.tier("cold"):
        for dtype in (torch.float32, torch.bfloat16):
            f, args = spelled(name, dtype)
            check(f, args, int(not SPELLINGS[name]["must_not"]))
            check(f, [a.detach() for a in args], int(not SPELLINGS[name]["must_not"]))


def plain(q, k, v):
    return torch.softmax(q @ k.mT / 2, -1) @ v


def test_weights_that_are_read_keep_it_as_it_was():
    kept = []

    def returned(q, k, v):
        w = torch.softmax(q @ k.mT, -1)
        return w @ v, w

    def read(q, k, v):
        w = torch.softmax(q @ k.mT, -1)
        return w @ v + w.sum()

    def stored(q, k, v):
        w = torch.softmax(q @ k.mT, -1)
        kept.append(w)
        return w @ v

    def hooked(q, k, v):
        w = torch.softmax(q @ k.mT, -1)
        out = w @ v
        w.register_hook(lambda g: g * 2)
        return out

    for f in (returned, read):
        check(f, qkv(), 0)
    for f in (stored, hooked):
        compiled, args = torch.compile(f), qkv()
        for _ in range(CALLS):
            a, b = (torch.autograd.grad(g(*args).square().sum(), args) for g in (f, compiled))
            for x, y in zip(a, b, strict=True):
                same(y, x)
        assert not fused(compiled)


def test_what_is_detached_gets_no_gradient():
    check(lambda q, k, v: torch.softmax(q.detach() @ k.mT, -1) @ v + 0 * q, qkv())
    check(lambda q, k, v: torch.softmax((q @ k.mT).detach(), -1) @ v + 0 * q + 0 * k, qkv())
    check(lambda x: torch.softmax(x @ x.detach().mT, -1) @ x, qkv()[:1], None)
    check(lambda x: torch.softmax(x @ x.mT, -1) @ x, qkv()[:1], 1)

    def partly(q, k, v):
        with torch.no_grad():
            s = q @ k.mT
        return torch.softmax(s, -1) @ v + 0 * q + 0 * k

    check(partly, qkv())


def test_rows_without_keys_are_nan_as_they_were():
    keep = torch.ones(8, 8, dtype=torch.bool).tril()
    keep[0] = False
    bias = torch.zeros(8, 8).masked_fill(~keep, float("-inf"))
    check(lambda q, k, v: torch.softmax((q @ k.mT).masked_fill(~keep, float("-inf")), -1) @ v, qkv())
    check(lambda q, k, v: torch.softmax(q @ k.mT + bias, -1) @ v, qkv())
    check(lambda q, k, v: F.dropout(torch.softmax(q @ k.mT + bias, -1), 0.4) @ v, qkv())
    low = torch.finfo(torch.float32).min
    check(lambda q, k, v: torch.softmax((q @ k.mT).masked_fill(~keep, low), -1) @ v, qkv())


def test_numbers_that_change():
    compiled = torch.compile(lambda q, k, v, s: torch.softmax(q @ k.mT * s, -1) @ v)
    args = qkv()
    for s in (0.5, 0.25, 0.125, 0.5, 0.25, 0.125, 0.5, 0.25, 0.125):
        same(compiled(*args, s), torch.softmax(args[0] @ args[1].mT * s, -1) @ args[2])


class Block(torch.nn.Module):
    def __init__(self, width=8, heads=2, drop=0.0):
        super().__init__()
        self.heads, self.drop = heads, drop
        self.qkv = torch.nn.Linear(width, 3 * width)
        self.out = torch.nn.Linear(width, width)
        self.register_buffer("mask", torch.ones(16, 16).tril() == 0)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).split(c, 2)
        q, k, v = (y.view(b, t, self.heads, c // self.heads).transpose(1, 2) for y in (q, k, v))
        w = (q @ k.transpose(-2, -1)) * (c // self.heads) ** -0.5
        w = w.masked_fill(self.mask[:t, :t], float("-inf")).softmax(-1)
        w = F.dropout(w, self.drop, self.training)
        return x + self.out((w @ v).transpose(1, 2).reshape(b, t, c))


@pytest.mark.parametrize("drop", [0.0, 0.3])
@pytest.mark.parametrize("marked", ["module", "step"])
def test_training(marked, drop):
    def run(compiles):
        torch.manual_seed(0)
        model = torch.nn.Sequential(Block(drop=drop), Block(drop=drop), torch.nn.Linear(8, 1))
        called = torch.compile(model) if compiles and marked == "module" else model
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

        def step(x):
            optimizer.zero_grad()
            loss = called(x).square().mean()
            loss.backward()
            optimizer.step()
            return loss

        do = torch.compile(step) if compiles and marked == "step" else step
        x = torch.randn(3, 8, 8)
        losses = [do(x).item() for _ in range(8)]
        return losses, fused(do if marked == "step" else called) if compiles else 0

    (wanted, _), (got, n) = run(False), run(True)
    same(torch.tensor(got), torch.tensor(wanted))
    assert n == 2


def test_no_weights_are_kept_for_the_backward():
    compiled, args = torch.compile(plain), qkv(True, 1, 1, 64, 2)
    for _ in range(CALLS):
        out = compiled(*args)
    assert {tuple(v.aval.shape) for v in out._edge[0].saved if hasattr(v, "aval")} == {(1, 1, 64, 2)}


def test_it_can_be_switched_off():
    with torch._inductor.config.patch(pattern_matcher=False):
        check(plain, qkv(), 0)


def test_what_it_reads_changes():
    args = qkv()

    class Net(torch.nn.Module):
        shows = False

        def forward(self, q, k, v):
            w = torch.softmax(q @ k.mT, -1)
            return (w @ v, w) if self.shows else w @ v

    net = Net()
    compiled = torch.compile(net)
    for shows in (False, True, False, True):
        net.shows = shows
        for _ in range(CALLS):
            out = compiled(*args)
            if shows:
                (g,) = torch.autograd.grad(out[0].sum(), out[1])
                same(g, args[2].sum(-1)[:, :, None].expand(2, 2, 8, 8))
            same(out[0] if shows else out, torch.softmax(args[0] @ args[1].mT, -1) @ args[2])


def test_under_autocast_and_in_transforms():
    def low(q, k, v):
        with torch.autocast("cpu"):
            return torch.softmax(q @ k.mT, -1) @ v

    args = qkv()
    compiled = torch.compile(low)
    for _ in range(CALLS):
        same(compiled(*args), low(*args), 4e-2)
    compiled = torch.compile(lambda *a: torch.func.vmap(torch.func.grad(lambda *b: plain(*b).sum()))(*a))
    for _ in range(CALLS):
        same(compiled(*args), torch.autograd.grad(plain(*args).sum(), args[0])[0])


def test_a_query_that_is_overwritten_before_backward_is_noticed_still():
    def loss(a, k, v):
        q = a * 1.0
        out = torch.softmax(q @ k.transpose(-1, -2) / 2, -1) @ v
        q.add_(1)
        return out.sum()

    a, k, v = (torch.randn(2, 4, 4, requires_grad=True) for _ in range(3))
    marked = torch.compile(loss)
    for _ in range(5):
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            marked(a, k, v).backward()
