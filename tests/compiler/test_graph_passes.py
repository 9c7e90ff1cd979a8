"""Passes of Graphs: as little is left as PyTorch leaves, and the results are those without, to the last bit."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core.api import forget_programs
from functorch_lite.compiler.graphs.run import run_graph
from functorch_lite.compiler.graphs.trace import trace
from functorch_lite.compiler.passes import merge_common, simplify
from functorch_lite.nn import functional as F
from tests.compiler.graph_programs import SHAPE, program
from tests.support.full import FULL

PROGRAMS, TOGETHER = (2_000 if FULL else 20), 20

GRAPHS = json.loads((Path(__file__).parent.parent / "golden" / "graph_passes.json").read_text())["graphs"]
ARGUMENTS = {
    "x": lambda t: [t.randn(4, 6)],
    "xi": lambda t: [t.arange(24).view(4, 6)],
    "xy": lambda t: [t.randn(4, 6), t.randn(4, 6)],
    "mm": lambda t: [t.randn(5, 7), t.randn(7, 3)],
}


def mm(t):
    return ARGUMENTS["mm"](t)


def assert_same(found: Sequence, expected: Sequence) -> None:
    """Equal but for rounding, which differs from program to program; signs of zeros too."""
    for a, b in zip(found, expected, strict=True):
        torch.testing.assert_close(a.detach(), b.detach(), rtol=1e-5, atol=1e-5, equal_nan=True)
        if a.is_floating_point():
            assert torch.equal(a.signbit()[b == 0], b.signbit()[b == 0])


@pytest.mark.parametrize("name", GRAPHS)
def test_no_more_is_left_than_pytorch_leaves(name):
    forget_programs()
    fact = GRAPHS[name]
    scope = {"torch": torch, "F": F, "mm": mm}
    function = eval(compile(fact["function"], f"<{name}>", "eval"), scope)
    arguments = (ARGUMENTS.get(fact["arguments"]) or eval(fact["arguments"], scope))(torch)
    if arguments[0].is_floating_point():
        arguments[0].view(-1)[:3] = torch.tensor([float("nan"), float("inf"), -0.0])
    traced = trace(function, tuple(arguments), {})
    before = traced.graph.to_python()
    graph = merge_common(simplify(traced.graph))
    assert len(graph.steps) <= fact["ops"], graph.to_python()
    assert traced.graph.to_python() == before
    assert merge_common(simplify(graph)) is graph
    assert (
        simplify(merge_common(traced.graph)).outputs and list(graph.out_avals()) == traced.graph.out_avals()
    )
    with torch.debug.tier(
        "compiled"
    ):  # XLA takes x + 0.0 for x: see "The sign of a zero" in docs/differences.md
        keys = [
            torch.tensor([1, 2], dtype=torch.uint32) if i in traced.drawn else x
            for i, x in enumerate(traced.inputs)
        ]
        assert_same(run_graph(graph, keys), run_graph(traced.graph, keys))


KEPT = {
    "zero minus": lambda a: torch.zeros(4, 6) - a,
    "times zero": lambda a: a * 0,
    "int divided": lambda a: (a * 10).to(torch.int64) / 1,
    "through half": lambda a: a.half().float(),
    "a wider shape": lambda a: a[:1] + torch.zeros(4, 6),
    "x - x": lambda a: a - a,
    "under no_grad": lambda a: torch.no_grad()(lambda: a * 1)() * a,
    "detached": lambda a: a.detach() * a,
}


@pytest.mark.parametrize("name", KEPT)
def test_what_does_something_stays(name):
    x = torch.randn(4, 6, requires_grad=True)
    traced = trace(KEPT[name], (x,), {})
    graph = merge_common(simplify(traced.graph))
    assert len(graph.steps) >= len(traced.graph.steps) - (name in ("zero minus",))
    outs = [run_graph(g, traced.inputs)[0] for g in (traced.graph, graph)]
    assert_same(outs[:1], outs[1:])
    if outs[0].requires_grad:
        grads = [torch.autograd.grad(o.sum(), x)[0] for o in outs]
        assert_same(grads[:1], grads[1:])


def test_draws_are_not_merged():
    traced = trace(lambda: (torch.rand(3), torch.rand(3)), (), {})
    assert len(merge_common(traced.graph).steps) == 2


def test_equal_results_are_tensors_of_their_own():
    traced = trace(lambda a: (a * 1, a + 1, 1 + a), (x := torch.ones(2),), {})
    a, b, c = run_graph(merge_common(simplify(traced.graph)), traced.inputs)
    b.add_(1)
    a.add_(5)
    assert c.tolist() == [2, 2] and b.tolist() == [3, 3] and x.tolist() == [1, 1]


def compared(seeds: Sequence[int]) -> list[str]:
    """What differs of some programs, run op by op, backwards too: a program of several is rounded as it is fused."""
    wrong, found = [], []
    with warnings.catch_warnings(), torch.debug.tier("compiled"), torch.debug.eager():
        warnings.simplefilter("ignore")
        for seed in seeds:
            source, f = program(seed)
            torch.manual_seed(seed)
            inputs = [torch.randn(SHAPE), torch.randn(SHAPE)]
            for graded in (False, True):
                leaves = [t.clone().requires_grad_(graded) for t in inputs]
                traced = trace(f, tuple(leaves), {})
                keys = [
                    torch.tensor([seed, i], dtype=torch.uint32) if i in traced.drawn else x
                    for i, x in enumerate(traced.inputs)
                ]
                wanted = {0, 1} if graded else set()
                small = merge_common(simplify(traced.graph, wanted), wanted)
                runs = [_results(g, keys, leaves if graded else ()) for g in (traced.graph, small)]
                found.append((f"{source}\nseed {seed}, gradients: {graded}", *runs))
        for what, a, b in found:
            if [x.dtype for x in a] != [x.dtype for x in b] or not all(map(_equal, a, b)):
                wrong.append(what)
    return wrong


def _results(graph, inputs: Sequence, leaves: Sequence) -> list:
    outs = run_graph(graph, inputs)
    if not leaves:
        return outs
    total = sum([o.float().sum() for o in outs if o.requires_grad], torch.zeros(()))
    grads = (
        torch.autograd.grad(total, leaves, create_graph=True, allow_unused=True)
        if total.requires_grad
        else ()
    )
    return [o.detach() for o in outs] + [g.detach() for g in grads if g is not None]


def _equal(a, b) -> bool:
    return a.shape == b.shape and np.allclose(a.numpy(), b.numpy(), 1e-4, 1e-4, equal_nan=True)


@pytest.mark.parametrize("first", range(0, PROGRAMS, TOGETHER))
def test_random_programs(first: int):
    wrong = compared(range(first, first + TOGETHER))
    assert not wrong, f"{len(wrong)} of {2 * TOGETHER}, first:\n{wrong[0]}"
