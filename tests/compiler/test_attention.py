"""Attention that is written out is fused where that is what it is, in inference and in training, and nowhere else."""

from __future__ import annotations

import inspect
import json
import math
from pathlib import Path

import pytest

import functorch_lite as torch
from functorch_lite._core.run import executor
from functorch_lite._dynamo.utils import counters
from functorch_lite.compiler.graphs.run import run_graph
from functorch_lite.compiler.graphs.trace import trace
from functorch_lite.compiler.passes import canonical, fuse_attention, simplify
from functorch_lite.nn import functional as F
from tests.compiler.attention_blocks import BLOCKS, NOT_FUSED, B, E, T, of, parameters

SPELLINGS = json.loads((Path(__file__).parent.parent / "golden" / "attention_spellings.json").read_text())[
    "spellings"
]
SIZES = {"B": 2, "H": 4, "T": 16, "D": 8}
TOLERANCE = {torch.float32: (1e-5, 1e-4), torch.bfloat16: (4e-2, 2e-1)}


def spelled(name: str, dtype):
    """A spelling as a function, and arguments for it."""
    source = SPELLINGS[name]["source"]
    scope = {"torch": torch, "F": F, "math": math, **SIZES}
    exec(compile(source, f"<{name}>", "exec"), scope)
    f = scope[source.split("def ")[1].split("(")[0]]
    shape = (
        (2, 16, 4, 8)
        if "length before heads" in name
        else (8, 16, 8)
        if name in ("3-D bmm", "baddbmm")
        else (2, 4, 16, 8)
    )
    torch.manual_seed(0)
    args = [torch.randn(shape).to(dtype).requires_grad_() for _ in range(3)]
    for p in list(inspect.signature(f).parameters)[3:]:
        if p == "s":
            args.append(torch.tensor(2.5, dtype=dtype))
        elif "boolean" in name:
            args.append((torch.rand(2, 1, 16, 16) > 0.3) | torch.eye(16, dtype=torch.bool))
        else:
            args.append(torch.randn((1, 4, 16, 16) if p == "bias" else (2, 1, 16, 16)).to(dtype))
    return f, args


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["float32", "bfloat16"])
@pytest.mark.parametrize("name", SPELLINGS)
def test_spellings(name, dtype):
    f, args = spelled(name, dtype)
    traced = trace(f, tuple(args), {})
    graph, count = fuse_attention(canonical(simplify(traced.graph, {0, 1, 2})))
    assert count == (not SPELLINGS[name]["must_not"]), graph.to_python()
    assert graph.out_avals() == traced.graph.out_avals()
    keys = [
        torch.tensor([1, 2], dtype=torch.uint32) if i in traced.drawn else x
        for i, x in enumerate(traced.inputs)
    ]
    found = []
    with torch.debug.tier("cold"):
        for g in (traced.graph, graph):
            out = run_graph(g, keys)[0]
            found.append((out, torch.autograd.grad(out.float().square().sum(), args[:3])))
        executor.flush()
    (a, grads_a), (b, grads_b) = found
    tolerance, of_gradients = TOLERANCE[dtype]
    torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance)
    for x, y in zip(grads_a, grads_b, strict=True):
        torch.testing.assert_close(x, y, rtol=of_gradients, atol=of_gradients)
    if count:  # no step gives weights: one number for each pair of a query and a key, in each head
        pairs = math.prod(traced.graph.in_avals[0].shape[:-1]) * 16
        sizes = [math.prod(a.shape) for step in graph.steps for a in step.avals if a.dtype.is_floating_point]
        assert pairs not in sizes


@pytest.mark.parametrize("name", BLOCKS)
def test_families_of_models(name):
    with torch.debug.tier("cold"):
        check_family(name)


def seeded(f, *args):
    torch.manual_seed(3)
    return f(*args)


def check_family(name):
    f, w = BLOCKS[name], of(name, parameters())
    x = torch.randn(B, T, E, requires_grad=True)
    before = counters["inductor"]["fuse_attention"]
    compiled = torch.compile(f, options={"pattern_matcher": True})
    out, wanted = (seeded(g, x, w) for g in (compiled, f))
    assert counters["inductor"]["fuse_attention"] - before == (name not in NOT_FUSED)
    torch.testing.assert_close(out, wanted, rtol=1e-5, atol=1e-5)
    (got,), (want,) = (torch.autograd.grad(o.square().sum(), x) for o in (out, wanted))
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)


def test_dropout_draws_what_it_drew():
    def f(q, k, v):
        return F.dropout((q @ k.mT).softmax(-1), 0.5) @ v

    compiled = torch.compile(f, options={"pattern_matcher": True})
    args = [torch.randn(1, 2, 8, 4) for _ in range(3)]
    torch.manual_seed(3)
    wanted = [f(*args) for _ in range(3)]
    torch.manual_seed(3)
    for w in wanted:
        torch.testing.assert_close(compiled(*args), w)


def test_masks_that_are_combined_and_rows_without_keys():
    keep = torch.ones(8, 8, dtype=torch.bool).tril()
    keep[0] = False

    def f(q, k, v, bias):
        s = (q @ k.mT / 2 + bias).masked_fill(~keep, torch.finfo(torch.float32).min)
        return torch.softmax(s, -1) @ v

    args = [torch.randn(1, 2, 8, 4), torch.randn(1, 2, 8, 4), torch.randn(1, 2, 8, 4), torch.randn(8, 8)]
    before = counters["inductor"]["fuse_attention"]
    torch.testing.assert_close(torch.compile(f, options={"pattern_matcher": True})(*args), f(*args))
    assert counters["inductor"]["fuse_attention"] == before + 1


def test_a_scale_after_the_mask_scales_both():
    def f(q, k, v, m):
        return torch.softmax((q @ k.mT + m) * 0.5, -1) @ v

    args = [torch.randn(1, 2, 8, 4), torch.randn(1, 2, 8, 4), torch.randn(1, 2, 8, 4), torch.randn(8, 8)]
    before = counters["inductor"]["fuse_attention"]
    torch.testing.assert_close(torch.compile(f, options={"pattern_matcher": True})(*args), f(*args))
    assert counters["inductor"]["fuse_attention"] == before + 1


def none_fused(f, *args):
    before = counters["inductor"]["fuse_attention"]
    torch.testing.assert_close(torch.compile(f, options={"pattern_matcher": True})(*args), f(*args))
    assert counters["inductor"]["fuse_attention"] == before


def test_rows_that_only_a_maximum_keeps():
    """Where every key is masked twice, PyTorch's maximum gives all of them the same weight, and half of the
    gradient."""
    least = torch.finfo(torch.float32).min
    mask = torch.zeros(8, 8)
    mask[:2] = -math.inf
    mask[2] = least

    def f(q, k, v):
        return torch.softmax(torch.max(q @ k.mT + mask, torch.tensor(least)), -1) @ v

    args = [torch.randn(1, 2, 8, 4, requires_grad=True) for _ in range(3)]
    before = counters["inductor"]["fuse_attention"]
    out, wanted = torch.compile(f, options={"pattern_matcher": True})(*args), f(*args)
    assert counters["inductor"]["fuse_attention"] == before + 1
    torch.testing.assert_close(out, wanted)
    found, expected = (torch.autograd.grad(o.square().sum(), args) for o in (out, wanted))
    for a, b in zip(found, expected):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)


def test_a_mask_that_the_fused_op_does_not_take():
    args = [torch.randn(1, 2, 8, 4) for _ in range(3)]
    none_fused(lambda q, k, v, m: torch.softmax(q @ k.mT + m, -1) @ v, *args, torch.randn(8, 8).half())


def test_scores_that_are_whole_numbers():
    args = [3 * torch.randn(1, 2, 8, 4) for _ in range(3)]
    none_fused(lambda q, k, v: torch.softmax((q @ k.mT).long().float(), -1) @ v, *args)
