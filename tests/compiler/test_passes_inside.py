"""Passes reach the Graphs inside of a Graph: branches, loops, checkpoints, transforms."""

from __future__ import annotations

import pytest

import functorch_lite as torch
from functorch_lite._core.api import DerivedOp
from functorch_lite._dynamo.utils import counters
from functorch_lite._higher_order_ops import associative_scan, map, scan, while_loop
from functorch_lite.compiler.graphs.trace import trace
from functorch_lite.compiler.passes import canonical, changed_inside, merge_common, simplify
from functorch_lite.func import grad, hessian, jacrev, jvp, vjp, vmap
from functorch_lite.utils.checkpoint import checkpoint


def idle(x):
    """x, after five steps that do nothing."""
    return (x.t().t() * 1).reshape(-1).reshape(x.shape) / 1


def line(x):
    return idle(x[None])[0].sin().sum()


PROGRAMS = {
    "cond": lambda x: torch.cond(x.sum() > 0, lambda x: idle(x).sin(), lambda x: idle(x).cos(), (x,)),
    "while_loop": lambda x: while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, idle(x).sin()), (torch.tensor(0), x))[1],
    "scan": lambda x: scan(lambda c, y: (idle(c) * y.sum(), c + 0), x, x)[1],
    "map": lambda x: map(lambda r: idle(r[None])[0].exp(), x),
    "associative_scan": lambda x: associative_scan(lambda a, b: idle(a[None])[0] * b, x, 0, combine_mode="generic"),
    "checkpoint": lambda x: checkpoint(lambda x: idle(x).sin(), x, use_reentrant=False),
    "grad": lambda x: grad(lambda x: idle(x).sin().sum())(x),
    "vjp": lambda x: vjp(lambda x: idle(x).sin(), x)[1](x)[0],
    "jvp": lambda x: jvp(lambda x: idle(x).sin(), (x,), (x,))[1],
    "vmap": lambda x: vmap(lambda r: idle(r[None])[0].exp())(x),
    "vmap of grad": lambda x: vmap(grad(line))(x),
    "jacrev": lambda x: jacrev(lambda x: idle(x).sin())(x),
    "hessian": lambda x: hessian(lambda x: idle(x).sin().sum())(x),
    "loop in a branch": lambda x: torch.cond(x.sum() > 0, lambda x: map(lambda r: idle(r[None])[0].exp(), x), lambda x: x.cos(), (x,)),
}  # fmt: skip


DIFFERENTIATED = ("grad", "vjp", "jvp", "vmap of grad", "jacrev", "hessian")


def steps(graph) -> int:
    """How many steps there are, with those of the Graphs inside."""
    n = 0
    for s in graph.steps:
        n += 1
        if isinstance(s.op, DerivedOp) and s.op.of is not None:
            n += sum(steps(g) for g in s.op.of[0])
    return n


def simpler(graph, wanted):
    return merge_common(canonical(simplify(graph, wanted)), wanted)


@pytest.mark.parametrize("name", PROGRAMS)
def test_steps_that_do_nothing_go_inside(name):
    f = PROGRAMS[name]
    torch.manual_seed(0)
    x = torch.randn(3, 3)
    graph = trace(f, (x,), {}).graph
    before = graph.to_python()
    made = simpler(changed_inside(graph, simpler, ()), ())
    assert graph.to_python() == before
    # what is differentiated keeps steps whose gradients would be added up in another order
    assert steps(made) <= steps(graph) - (1 if name in DIFFERENTIATED else 4)
    assert simpler(changed_inside(made, simpler, ()), ()) is made
    for training in (False, True):
        found = []
        for g in (f, torch.compile(f, options={"pattern_matcher": True})):
            y = x.clone().requires_grad_(training and name != "while_loop")
            out = g(y)
            found.append(
                (out.detach(), *(torch.autograd.grad(out.sin().sum(), y) if y.requires_grad else ()))
            )
        for a, b in zip(*found, strict=True):
            torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-5)


def test_a_shared_graph_is_changed_once():
    seen = []

    def note(graph, wanted):
        seen.append(graph)
        return graph

    def body(x):
        return idle(x).sin()

    def f(x):
        for _ in range(3):
            x = checkpoint(body, x, use_reentrant=False)
        return x

    graph = trace(f, (torch.randn(2, 2),), {}).graph
    assert changed_inside(graph, note, ()).to_python() == graph.to_python() and len(seen) == 1


def test_attention_is_fused_inside():
    def attend(q, k, v):
        return torch.softmax(q @ k.mT / 2, -1) @ v

    programs = [
        lambda *a: torch.cond(a[0].sum() > 0, attend, lambda q, k, v: v.sin(), a),
        lambda *a: checkpoint(attend, *a, use_reentrant=False),
        lambda *a: vmap(grad(lambda *b: attend(*b).sum()))(*a),
        lambda *a: vmap(attend)(*a),
    ]
    args = [torch.randn(2, 2, 4, 4).abs() for _ in range(3)]
    for f in programs:
        before = counters["inductor"]["fuse_attention"]
        torch.testing.assert_close(torch.compile(f, options={"pattern_matcher": True})(*args), f(*args))
        assert counters["inductor"]["fuse_attention"] == before + 1
