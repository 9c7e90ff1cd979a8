"""What `to_python` writes is a program that makes a Graph of the same steps: transforms, loops, writes and derivatives.
(`test_graph_views.py` does it for every op.)"""

from __future__ import annotations

import pytest

import functorch_lite as torch
from functorch_lite._core.api import OPS, Builder, DerivedOp, aval, float32
from functorch_lite._core.lazy.written import CannotWrite
from functorch_lite.compiler.graphs.joint import joint
from functorch_lite.compiler.graphs.run import run_graph
from functorch_lite.compiler.graphs.trace import trace
from functorch_lite.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap
from tests.compiler.graph_programs import SHAPE, program, read, steps

F = torch.nn.functional
scan, map_, while_loop = (getattr(torch._higher_order_ops, n) for n in ("scan", "map", "while_loop"))


def same(graph) -> None:
    """Its program gives the same Graph."""
    again = read(graph.to_python())
    assert steps(again) == steps(graph) and again.out_avals() == graph.out_avals()
    assert read(again.to_python()) is again


def written(x):
    y = x.clone()
    y[:, 1] = 0.5
    y.t()[1:3].add_(-0.0)
    with torch.no_grad():
        z = y.exp()
    return (
        y * z + y.detach(),
        x.to(torch.float64),
        x.sum(0, dtype=torch.float16),
        x ** float("inf"),
        x[1:, ::2],
    )


PROGRAMS = {
    "writes": written,
    "grad": lambda x: grad(lambda y: (y.sin() * y).sum())(x),
    "second": lambda x: hessian(lambda y: (y.sin() * y).sum())(x[0, :2]),
    "vmap": lambda x: vmap(grad(lambda y: y.exp().sum()))(x),
    "chunks": lambda x: vmap(torch.sin, chunk_size=2)(x),
    "jacobians": lambda x: (jacrev(torch.sin)(x[0]), jacfwd(torch.cos)(x[0])),
    "both modes": lambda x: (vjp(torch.sin, x)[1](x), jvp(torch.sin, (x,), (x,))),
    "cond": lambda x: torch.cond(x.sum() > 0, lambda y: y * 2, lambda y: y - 1, (x,)),
    "scan": lambda x: scan(lambda c, e: (c + e, c * 0.5), x[0] * 0, x),
    "map": lambda x: map_(lambda row, y: row * y, x, x[0]),
    "while": lambda x: while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2), (torch.tensor(0), x)),
    "checkpoint": lambda x: torch.utils.checkpoint.checkpoint(torch.sin, x * 2, use_reentrant=False),
    "complex": lambda x: torch.complex(x, x) * 2j + (1 - 0j),
    "draws": lambda x: F.dropout(x, 0.25) + torch.randn(4, 6),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_graph_is_read_back(name):
    x = torch.randn(4, 6, requires_grad=True)
    traced = trace(PROGRAMS[name], (x,), {})
    same(traced.graph)
    if not traced.drawn and name != "while":
        again = read(traced.graph.to_python())
        for a, b in zip(run_graph(traced.graph, traced.inputs), run_graph(again, traced.inputs), strict=True):
            torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-5, equal_nan=True)


def test_derivatives_are_read_back():
    net = torch.nn.Sequential(
        torch.nn.Linear(6, 5), torch.nn.LayerNorm(5), torch.nn.GELU(), torch.nn.Linear(5, 2)
    )
    traced = trace(lambda x: F.cross_entropy(net(x), torch.tensor([0, 1, 1, 0])), (torch.randn(4, 6),), {})
    graph, _, _ = joint(traced.graph, [i for i, a in enumerate(traced.graph.in_avals) if a.taped])
    same(graph)
    assert "rt.derivative(rt.op('nn.functional.linear'" in graph.to_python()


def test_random_programs_are_read_back():
    for seed in range(15):
        same(trace(program(seed)[1], (torch.randn(SHAPE), torch.randn(SHAPE)), {}).graph)


def test_what_has_no_name_is_said_when_it_is_read():
    made = Builder([aval((2,), float32)], 1)
    (y,) = made.add(OPS["sin"], (), [-1])
    assert read(made.graph([y]).to_python()) is made.graph([y])
    (z,) = made.add(DerivedOp(lambda x: (x,), "mine"), None, [y])
    text = made.graph([z]).to_python()
    assert "rt.unknown('mine'" in text
    with pytest.raises(CannotWrite, match="made anew in each process"):
        read(text)
