"""The passes that torch.compile runs where they are asked for: their order, switches, and what is said of them."""

from __future__ import annotations

import pytest

import functorch_lite as torch
from functorch_lite import debug
from functorch_lite.compiler.pipeline import compile_graph

F = torch.nn.functional
config = torch._inductor.config


def names(gm) -> list[str]:
    return [n.name for n in gm.graph.nodes if n.op.startswith("call")]


def same(a, b):
    torch.testing.assert_close(a, b)


def test_stages_come_in_order():
    seen = []

    def note(stage):
        return lambda graph: seen.append((stage, len(graph.nodes)))

    stages = [
        "pre_grad_custom_pass", "joint_custom_pre_pass", "joint_custom_post_pass", "post_grad_custom_pre_pass", "post_grad_custom_post_pass",
    ]  # fmt: skip
    f = torch.compile(lambda x: (x * 1).sin(), options={s: note(s) for s in stages})
    x = torch.randn(3)
    for _ in range(3):
        same(f(x), x.sin())
    assert [s for s, _ in seen] == stages
    assert [n for _, n in seen] == [4, 4, 3, 3, 3]  # the product goes in the joint stage


def test_explain_lists_what_was_done():
    def silu(graph):
        for node in graph.find_nodes(op="call_function", target=torch.relu):
            node.target = F.silu

    f = torch.compile(lambda x: torch.relu(x + 0.0 * 1), options={"joint_custom_post_pass": silu})
    with debug.explain() as report:
        same(f(torch.ones(2)), F.silu(torch.ones(2) + 0.0))
    assert [p.stage for p in report.passes] == ["joint"] * 3
    assert report.passes[2].name == "joint_custom_post_pass silu" and "joint_custom_post_pass silu" in str(
        report
    )
    assert names(debug.graph_after("joint"))[-1].startswith("relu")  # a node keeps its name
    with pytest.raises(ValueError, match="a stage is"):
        debug.graph_after("later")


def test_steps_that_do_nothing_go():
    f = torch.compile(
        lambda x: (x.view(6).view(2, 3) * torch.ones(3)).t().t().exp(), options={"pattern_matcher": True}
    )
    x = torch.randn(2, 3)
    same(f(x), x.exp())
    assert names(debug.graph_after("joint")) == ["exp"]
    f = torch.compile(lambda x: (x * 1).exp(), options={"joint_graph_constant_folding": False})
    same(f(x), x.exp())
    assert names(debug.graph_after("joint")) == ["mul", "exp"]


def test_config_is_read_when_compiled_and_put_back():
    def square(graph):
        for node in graph.find_nodes(op="call_function", target=torch.sin):
            node.target = torch.square

    with config.patch(post_grad_custom_post_pass=square):
        f = torch.compile(lambda x: torch.sin(x))
        same(f(torch.full((2,), 3.0)), torch.full((2,), 9.0))
    assert config.post_grad_custom_post_pass is None
    same(torch.compile(lambda x: torch.sin(x))(torch.ones(2)), torch.ones(2).sin())
    with pytest.raises(AttributeError, match="does not exist"):
        config.no_such_pass = 1
    with pytest.raises(AttributeError, match="does not exist"), config.patch(no_such_pass=1):
        pass
    assert config.trace.enabled is False


def test_every_setting_can_be_read_and_set():
    for name, value in config.get_config_copy().items():
        with config.patch({name: value}):
            found = config
            for part in name.split("."):
                found = getattr(found, part)
            assert found == value


def test_a_numeric_check():
    def wrong(graph):
        for node in graph.find_nodes(op="call_function", target=torch.sin):
            node.target = torch.cos

    options = {"pre_grad_custom_pass": wrong, "fx_passes_numeric_check": {"pre_grad": True}}
    with pytest.raises(Exception, match="pre_grad_custom_pass changes result 0"):
        torch.compile(lambda x: torch.sin(x), options=options)(torch.ones(2))


def test_inner_compile_is_given_what_passes_left():
    given = []

    def inner(gm, inputs):
        given.append(gm)
        return gm

    def backend(gm, inputs):
        return compile_graph(
            gm, inputs, inner, decompositions={F.gelu: lambda x: x * 0.5 * (1 + torch.erf(x / 2**0.5))}
        )

    f = torch.compile(lambda x: F.gelu(x).sum(), backend=backend)
    x = torch.randn(4, requires_grad=True)
    for _ in range(3):
        torch.testing.assert_close(f(x), F.gelu(x).sum())
    assert len(given) == 1 and "gelu" not in names(given[0]) and "erf" in names(given[0])
    (g,) = torch.autograd.grad(f(x), x)
    torch.testing.assert_close(g, torch.autograd.grad(F.gelu(x).sum(), x)[0])


def test_a_step_that_trains_with_passes():
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Dropout(0.2), torch.nn.Linear(4, 1)
    )
    compiled = torch.compile(model, options={"pattern_matcher": True})
    x = torch.randn(5, 3)
    for _ in range(4):
        torch.manual_seed(7)
        wanted = torch.autograd.grad(model(x).square().sum(), list(model.parameters()))
        torch.manual_seed(7)
        got = torch.autograd.grad(compiled(x).square().sum(), list(model.parameters()))
        for a, b in zip(got, wanted, strict=True):
            same(a, b)
