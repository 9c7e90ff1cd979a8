"""Forward and backward as Graphs: joint Graphs, their partition, and functorch.compile's functions of them."""

from __future__ import annotations

import pytest

import functorch_lite as torch
from functorch_lite.compat.functorch.compile import aot_function, aot_module, default_partition, nop
from functorch_lite.compiler.aot import trace_joint
from functorch_lite.compiler.graphs.joint import joint
from functorch_lite.compiler.graphs.run import run_graph
from functorch_lite.compiler.graphs.trace import trace
from functorch_lite.fx.experimental.proxy_tensor import make_fx

F = torch.nn.functional


def block(x, w, b):
    h = F.layer_norm(F.gelu(F.linear(x, w, b)), (4,))
    with torch.no_grad():
        s = h.max()
    top, at = torch.max(h * s, 1)
    return (h.softmax(-1) * h).sum() + top.sum(), at


def inputs():
    torch.manual_seed(0)
    return torch.randn(5, 3), torch.randn(4, 3, requires_grad=True), torch.randn(4, requires_grad=True)


FUNCTIONS = {
    "a block": block,
    "one value read twice": lambda x, w, b: ((y := F.linear(x, w, b)) * y + y.sin()).sum(),
    "a detached part": lambda x, w, b: (F.linear(x, w, b) * F.linear(x, w, b).detach()).sum(),
    "a reduction and a broadcast": lambda x, w, b: (w - w.mean(0)).square().sum() + b.std(),
    "two results": lambda x, w, b: (w.exp(), b.cumsum(0)),
    "an unused input": lambda x, w, b: (x @ w.t()).sum(),
    "complex": lambda x, w, b: torch.complex(w, w * 2).abs().sum() + b.sum(),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_joint_graph_gives_what_the_tape_gives(name):
    f, (x, w, b) = FUNCTIONS[name], inputs()
    traced = trace(f, (x, w, b), {})
    both, tangents, places = joint(traced.graph, [1, 2])
    outs = f(x, w, b)
    outs = outs if isinstance(outs, tuple) else (outs,)
    given = [torch.randn_like(outs[k]) for k in tangents]
    wanted = torch.autograd.grad([outs[k] for k in tangents], [w, b], given, allow_unused=True)
    got = run_graph(both, [*traced.inputs, *given])
    for k, g in zip(places, wanted, strict=True):
        assert (k is None) is (g is None)
        if g is not None:
            torch.testing.assert_close(got[k].detach(), g, rtol=1e-6, atol=1e-6)


def test_partition_reads_saved_values_and_computes_nothing_twice():
    x, w, b = inputs()
    gm = trace_joint(block, [x, w, b])
    assert [n.name for n in gm.graph.nodes][:4] == ["primals_1", "primals_2", "primals_3", "tangents_1"]
    forward, backward = default_partition(gm, [[x, w, b], [torch.ones(())]], num_fwd_outputs=2)
    count = sum(n.op.startswith("call") for n in gm.graph.nodes)
    assert sum(n.op.startswith("call") for g in (forward, backward) for n in g.graph.nodes) == count
    outs = forward(x, w, b)
    grads = backward(*outs[2:], torch.ones(()))
    for got, wanted in zip(grads[1:], torch.autograd.grad(block(x, w, b)[0], [w, b]), strict=True):
        torch.testing.assert_close(got.detach(), wanted)


def test_a_function_is_compiled_in_two():
    graphs = []

    def compiler(kind):
        def compile(gm, given):
            graphs.append((kind, [n.name for n in gm.graph.nodes if n.op.startswith("call")], len(given)))
            return gm

        return compile

    f = aot_function(block, compiler("forward"), compiler("backward"))
    x, w, b = inputs()
    for _ in range(3):
        loss, at = f(x, w, b)
        got = torch.autograd.grad(loss, [w, b])
        wanted_loss, wanted_at = block(x, w, b)
        torch.testing.assert_close(loss, wanted_loss)
        assert torch.equal(at, wanted_at) and not at.requires_grad
        for g, e in zip(got, torch.autograd.grad(wanted_loss, [w, b]), strict=True):
            torch.testing.assert_close(g, e)
    assert [g[0] for g in graphs] == ["forward", "backward"]
    assert "gelu" in graphs[0][1] and "gelu_backward" in graphs[1][1] and "gelu_backward" not in graphs[0][1]
    with torch.no_grad():
        f(x, w, b)
    assert [g[0] for g in graphs] == ["forward", "backward", "forward"]


def test_a_module_keeps_its_parameters():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.ReLU())
    compiled = aot_module(model, nop)
    assert {k.removeprefix("orig_module.") for k, _ in compiled.named_parameters()} == {
        k for k, _ in model.named_parameters()
    }
    x = torch.randn(6, 3)
    compiled(x).square().sum().backward()
    got = [p.grad.clone() for p in model.parameters()]
    mean = model[1].running_mean.clone()
    assert mean.abs().sum() > 0
    model.zero_grad()
    model[1].reset_running_stats()
    model(x).square().sum().backward()
    for g, p in zip(got, model.parameters(), strict=True):
        torch.testing.assert_close(g, p.grad)
    torch.testing.assert_close(mean, model[1].running_mean)


# -- make_fx ---------------------------------------------------------------------------------------------------------


def test_make_fx_shows_the_ops():
    gm = make_fx(lambda x: x.sin() + 1)(torch.ones(2))
    assert [(n.op, n.name) for n in gm.graph.nodes] == [
        ("placeholder", "x_1"), ("call_function", "sin"), ("call_function", "add"), ("output", "output"),
    ]  # fmt: skip
    x = torch.randn(2, requires_grad=True)
    torch.testing.assert_close(gm(x), x.sin() + 1)
    torch.testing.assert_close(torch.func.vmap(torch.func.grad(lambda x: gm(x)))(x), x.cos())


def test_make_fx_keeps_structures_writes_and_what_is_captured():
    linear = torch.nn.Linear(3, 2)

    def f(x, d, n):
        x.mul_(2)
        return {"y": linear(x) + torch.rand(2), "rest": [d["k"] * n, None]}

    x = torch.ones(1, 3)
    gm = make_fx(f)(x.clone(), {"k": torch.ones(2)}, 3)
    torch.manual_seed(2)
    a, given = gm(y := x.clone(), {"k": torch.full((2,), 2.0)}, 3), y
    torch.manual_seed(2)
    b = f(z := x.clone(), {"k": torch.full((2,), 2.0)}, 3)
    torch.testing.assert_close(a["y"], b["y"])
    torch.testing.assert_close(a["rest"][0], b["rest"][0])
    assert a["rest"][1] is None and torch.equal(given, z)
    assert [n.target for n in gm.graph.nodes if n.op == "get_attr"] == [
        "_param_constant0",
        "_param_constant1",
    ]
    a["y"].sum().backward()
    assert linear.weight.grad is not None


def test_make_fx_takes_decompositions_and_refuses_what_is_not_there():
    gm = make_fx(
        lambda x: F.gelu(x) * 2, decomposition_table={F.gelu: lambda x: x * torch.sigmoid(1.702 * x)}
    )(torch.ones(2))
    assert [n.name for n in gm.graph.nodes if n.op.startswith("call")] == ["mul", "sigmoid", "mul_1", "mul_2"]
    with pytest.raises(NotImplementedError, match="of the shapes"):
        make_fx(lambda x: x, tracing_mode="symbolic")
    with pytest.raises(AssertionError, match="Expected tracing_mode"):
        make_fx(lambda x: x, tracing_mode="odd")
