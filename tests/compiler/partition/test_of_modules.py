"""Joint GraphModules cut in two by the planner, as functorch.compile's partition_fn."""

from __future__ import annotations

import pytest

import functorch_lite as torch
from functorch_lite._functorch import partitioners
from functorch_lite._functorch.partitioners import choose_saved_values_set, classify_nodes, default_partition
from functorch_lite.compat.functorch.compile import aot_function, min_cut_rematerialization_partition, nop
from functorch_lite.compiler.aot import trace_joint

F = torch.nn.functional
config = torch._functorch.config


def mlp(x, *ws):
    for w in ws[:-1]:
        x = F.gelu(x @ w)
    return (x @ ws[-1]).square().mean()


def inputs():
    torch.manual_seed(0)
    return [torch.randn(16, 8), *[torch.randn(8, 8, requires_grad=True) for _ in range(4)]]


def saved_bytes(gm, inputs, budget):
    info = classify_nodes(gm, [], 1)
    found = choose_saved_values_set(gm.graph, info, budget)
    return sum(n.meta["val"].numel() * 4 for n in found if n.op != "placeholder")


@pytest.mark.parametrize("budget", [0, 0.3, 0.6, 1])
def test_gradients_are_the_same_at_every_budget(budget):
    args = inputs()
    split = []

    def partition(gm, given, **kwargs):
        split.append(min_cut_rematerialization_partition(gm, given, **kwargs))
        return split[-1]

    with config.patch(activation_memory_budget=budget):
        f = aot_function(mlp, nop, partition_fn=partition)
        for _ in range(2):
            got = torch.autograd.grad(f(*args), args[1:])
    for a, b in zip(got, torch.autograd.grad(mlp(*args), args[1:]), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-6, atol=1e-6)
    forward, backward = split[0]
    (out,) = forward.graph.find_nodes(op="output")
    taken = [n.name for n in backward.graph.find_nodes(op="placeholder")]
    assert [n.name for n in out.args[0][1:]] == [n for n in taken if not n.startswith("tangents")]
    calls = [n.name for n in backward.graph.nodes if n.op.startswith("call") and "backward" not in n.name]
    assert any("matmul" in n for n in calls) is (budget < 0.6)


def test_bytes_do_not_fall_as_the_budget_grows():
    args = inputs()
    gm = trace_joint(mlp, args)
    found = [saved_bytes(gm, args, b / 10) for b in range(11)]
    assert found == sorted(found) and found[0] == 0 and found[-1] >= 3 * 16 * 8 * 4
    with pytest.raises(RuntimeError, match="The valid ranges for memory budget"):
        saved_bytes(gm, args, 1.5)


def test_what_is_drawn_is_drawn_once():
    args = inputs()

    def f(x, *ws):
        for w in ws:
            x = F.dropout(F.gelu(x @ w), 0.5)
        return x.sum()

    with config.patch(activation_memory_budget=0.2):
        g = aot_function(f, nop, partition_fn=min_cut_rematerialization_partition)
        found = []
        for h in (f, g):
            torch.manual_seed(3)
            found.append(torch.autograd.grad(h(*args), args[1:]))
    for a, b in zip(*found, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-6, atol=1e-6)


def test_part_of_it_under_no_grad_and_several_results():
    def f(x, w, v, *_):
        h = (x @ w).sin()
        with torch.no_grad():
            s = h.max()
        return (h * s) @ v, h.argmax(1), v

    args = inputs()[:3]
    for fn in (min_cut_rematerialization_partition, default_partition):
        outs = aot_function(f, nop, partition_fn=fn)(*args)
        wanted = f(*args)
        for a, b in zip(outs, wanted, strict=True):
            torch.testing.assert_close(a, b)
        for a, b in zip(
            torch.autograd.grad(outs[0].sum(), args[1:]),
            torch.autograd.grad(wanted[0].sum(), args[1:]),
            strict=True,
        ):
            torch.testing.assert_close(a, b)


def test_nodes_are_classified():
    gm = trace_joint(mlp, inputs())
    info = partitioners.classify_nodes(gm, [1, 2], 1)
    names = {n.name for n in info.required_fw_nodes}
    assert "gelu" in names and not any("backward" in n for n in names)
    assert [n.name for n in info.static_lifetime_input_nodes] and all(
        map(info.is_required_bw, gm.graph.find_nodes(op="placeholder")[-1:])
    )
    with (
        config.patch(activation_memory_budget_solver="none such"),
        pytest.raises(RuntimeError, match="none such"),
    ):
        choose_saved_values_set(gm.graph, info, 0.5)
