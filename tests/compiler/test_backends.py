"""torch.compile with a function as backend: it is given the function's Graph, and what it gives runs in the function's
place."""

from __future__ import annotations

import copy

import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite._dynamo.exc import BackendCompilerFailed, Unsupported
from functorch_lite.fx.experimental.proxy_tensor import make_fx

F = nn.functional


class Recording:
    """A backend that keeps what it was given, and runs it as it is, or edited."""

    def __init__(self, edit=None):
        self.edit = edit
        self.graphs, self.inputs = [], []

    def __call__(self, gm, example_inputs):
        self.graphs.append(gm)
        self.inputs.append(example_inputs)
        if self.edit is not None:
            self.edit(gm)
            gm.graph.lint()
            gm.recompile()
        return gm.forward


def ops(gm):
    return [n for n in gm.graph.nodes if n.op not in ("placeholder", "output")]


def same(a, b):
    torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-6, equal_nan=True)


def test_it_is_given_the_graph_once():
    backend = Recording()
    f = torch.compile(lambda x, y: torch.relu(x + y) * 2, backend=backend)
    x, y = torch.randn(3), torch.randn(3)
    for _ in range(5):
        same(f(x, y), torch.relu(x + y) * 2)
    assert len(backend.graphs) == 1
    (gm,) = backend.graphs
    assert [n.op for n in gm.graph.nodes] == ["placeholder"] * 2 + ["call_function"] * 3 + ["output"]
    assert [n.target for n in ops(gm)] == [torch.add, torch.relu, torch.mul]
    assert [n.name for n in gm.graph.nodes][:2] == ["x", "y"]
    assert gm.graph.find_nodes(op="call_function", target=torch.relu)[0].meta["val"].shape == (3,)
    assert "test_backends.py" in ops(gm)[0].meta["stack_trace"]
    assert f.replayed.replays >= 2
    f(torch.randn(4), torch.randn(4))
    assert len(backend.graphs) == 2  # other shapes are another graph


def test_what_it_edits_is_what_runs():
    def silu_for_relu(gm):
        for node in gm.graph.nodes:
            if node.op == "call_function" and node.target is torch.relu:
                node.target = F.silu

    f = torch.compile(lambda x: torch.relu(x).sum(), backend=Recording(silu_for_relu))
    x = torch.randn(5, requires_grad=True)
    for _ in range(4):
        (g,) = torch.autograd.grad(f(x), x)
        (wanted,) = torch.autograd.grad(F.silu(x).sum(), x)
        same(g, wanted)


def make(seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(
        nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 2, bias=False)
    )


@pytest.mark.parametrize("training", [True, False])
def test_a_module_trains_as_without(training):
    plain = make().train(training)
    backend = Recording()
    marked = torch.compile(copy.deepcopy(plain), backend=backend)
    x = torch.randn(6, 4)
    found = []
    for model in (plain, marked):
        torch.manual_seed(1)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        losses = []
        for _ in range(6):
            optimizer.zero_grad()
            loss = model(x).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        found.append([*losses, *model.parameters(), *model.buffers()])
    for a, b in zip(*found, strict=True):
        same(a, b)
    assert len(backend.graphs) == 1
    assert sum(n.op == "placeholder" for n in backend.graphs[0].graph.nodes) == len(backend.inputs[0])


def test_results_alias_as_without():
    def f(x, y):
        y.add_(1)
        return x, x.view(-1), y[0], x.clone()

    for g in (f, torch.compile(f, backend=Recording())):
        for _ in range(4):
            x, y = torch.zeros(2, 2), torch.zeros(2)
            same_x, flat, first, copied = g(x, y)
            assert same_x is x
            flat[0] = 5
            y[0] = 7
            assert x[0, 0] == 5 and first == 7 and copied[0, 0] == 0 and y[1] == 1


def test_draws_are_made_anew_each_time():
    f = torch.compile(lambda x: F.dropout(x) + torch.rand(3), backend=Recording())
    x = torch.ones(3)
    torch.manual_seed(3)
    wanted = [F.dropout(x) + torch.rand(3) for _ in range(4)]
    torch.manual_seed(3)
    for w in wanted:
        same(f(x), w)


def test_no_grad_is_a_part_of_the_graph():
    def f(x):
        with torch.no_grad():
            y = x * 2
        return (y * x).sum()

    backend = Recording()
    g = torch.compile(f, backend=backend)
    for _ in range(3):
        x = torch.ones(2, requires_grad=True)
        g(x).backward()
        same(x.grad, torch.full((2,), 2.0))
    assert sum(n.target is torch.set_grad_enabled for n in ops(backend.graphs[0])) == 2
    for call in (g, make_fx(f)(torch.ones(2))):
        with torch.no_grad():  # the mode of whoever calls comes back, whatever it is
            assert not call(torch.ones(2, requires_grad=True)).requires_grad
            assert not torch.is_grad_enabled()
        assert torch.is_grad_enabled()


def test_a_value_that_is_read():
    def f(x):
        return x * 2 if x.sum() > 0 else x - 1

    with pytest.warns(UserWarning, match="reads a value"):
        g = torch.compile(f, backend=Recording())
        for sign in (1, -1, 1, -1):
            x = torch.full((2,), float(sign))
            same(g(x), f(x))
    with pytest.raises(Unsupported):
        torch.compile(f, backend=Recording(), fullgraph=True)(torch.ones(2))


def test_its_errors_are_shown():
    def raises(gm, inputs):
        raise ValueError("no such op")

    with pytest.raises(BackendCompilerFailed, match="backend='raises' raised:\nValueError: no such op") as e:
        torch.compile(lambda x: x + 1, backend=raises)(torch.ones(2))
    assert isinstance(e.value.inner_exception, ValueError) and "torch.add" in e.value.graph.code
    with pytest.raises(BackendCompilerFailed, match="nothing that can be called"):
        torch.compile(lambda x: x + 1, backend=lambda gm, inputs: 3)(torch.ones(2))
    wrong = torch.compile(lambda x: x + 1, backend=lambda gm, inputs: lambda *a: a[0])
    with pytest.raises(RuntimeError, match="is to give 1 results as a tuple or list"):
        wrong(torch.ones(2))


def test_a_function_that_it_made_is_called_each_time():
    calls = []

    def backend(gm, inputs):
        def run(*args):
            calls.append(len(args))
            return gm(*args)

        return run

    f = torch.compile(lambda x: x + 1, backend=backend)
    for _ in range(5):
        f(torch.ones(2))
    assert calls == [1] * 5


def test_a_step_with_backward_inside_is_run_as_it_stands():
    model = make()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(x):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    before = [p.clone() for p in model.parameters()]
    compiled = torch.compile(step, backend=Recording())
    with pytest.warns(UserWarning, match="no Graph stands for step"):
        losses = [compiled(torch.ones(6, 4)) for _ in range(4)]
    with pytest.raises(Unsupported):
        torch.compile(step, backend=Recording(), fullgraph=True)(torch.ones(6, 4))
    assert all(torch.isfinite(x) for x in losses)
    assert any((a != b).any() for a, b in zip(before, model.parameters()))


def test_gradients_that_backward_accumulates_inside_are_kept():
    w = nn.Parameter(torch.ones(2))
    f = torch.compile(lambda x: (x * w).sum().backward(), backend=Recording())
    with pytest.warns(UserWarning, match="backward\\(\\) is called inside"):
        for _ in range(3):
            f(torch.full((2,), 2.0))
    assert w.grad.tolist() == [6, 6]


def test_transforms_of_what_it_runs():
    f = torch.compile(lambda x: torch.sin(x).sum(), backend=Recording())
    x = torch.randn(3, 2)
    same(torch.func.vmap(torch.func.grad(f))(x), x.cos())


def test_numbers_that_change():
    rate = [0.5]
    options = {"pattern_matcher": True}
    for compiled in (
        torch.compile(lambda x: (x * rate[0] + 1) * 1, backend=Recording()),
        torch.compile(lambda x: (x * rate[0] + 1) * 1, options=options),
    ):
        for rate[0] in (0.5, 0.5, 0.5, 0.25, 0.75, 0.75, 0.75, 0.125, 0.5):
            same(compiled(torch.full((2,), 4.0)), torch.full((2,), 4.0 * rate[0] + 1))


def test_arguments_that_are_numbers():
    f = torch.compile(lambda x, n: (x * n).sum() * 1, options={"pattern_matcher": True})
    for n in (2.0, 3.0, 3.0, 3.0, 4.0, 2.0, 5, 5, 5):
        same(f(torch.ones(3), n), (torch.ones(3) * n).sum())


def test_a_copy_runs_its_own_module():
    compiled = torch.compile(make().eval(), backend=Recording())
    x = torch.randn(3, 4)
    wanted = compiled(x)
    other = copy.deepcopy(compiled)
    with torch.no_grad():
        for p in other.parameters():
            p.zero_()
    assert not other(x).any()
    same(compiled(x), wanted)
