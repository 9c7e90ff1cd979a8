"""Graphs as torch.fx shows them: run again, they record the Graph that they are of."""

from __future__ import annotations

import warnings

import pytest

import functorch_lite as torch
from functorch_lite._core.api import NotOneOp
from functorch_lite.compiler.graphs import view
from functorch_lite.compiler.graphs.calls import OpCall
from functorch_lite.compiler.graphs.trace import trace
from functorch_lite.nn import functional as F
from tests import checker
from tests.arguments import fill, placeholders
from tests.compiler.graph_programs import read, steps
from tests.samples import all_samples
from tests.support.full import FULL

SAMPLES = all_samples()
MOST = 6 if FULL else 2
"""Samples of an op."""
PUBLIC = [name for name in sorted(SAMPLES) if not checker.subject(name).runs_on_host]


def tensors(out) -> list:
    if isinstance(out, torch.Tensor):
        return [out]
    return [t for x in out for t in tensors(x)] if isinstance(out, tuple | list) else []


def view_of(traced, names=()):
    return view.view_of(traced.graph, traced.names(names), traced.drawn)


def again(traced):
    """What the view of a Graph records."""
    inputs = tuple([x for i, x in enumerate(traced.inputs) if i not in traced.drawn])
    return trace(view_of(traced), inputs, {}).graph


@pytest.mark.parametrize("family", range(8))
def test_every_op_reads_back(family):
    wrong = []
    for name in PUBLIC[family::8]:
        call = checker.subject(name).call
        for k, sample in enumerate([s for s in SAMPLES[name] if s.error is None][:MOST]):
            given = [torch.from_numpy(checker.array_of(t)) for t in placeholders(sample)]

            def run(*fresh, call=call, sample=sample):
                args, kwargs = fill(sample, list(fresh))
                return tensors(call(*args, **kwargs))

            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    traced = trace(run, tuple(given), {})
                    if steps(read(traced.graph.to_python())) != steps(traced.graph):
                        wrong.append(f"{name}[{k}] as Python\n{traced.graph.to_python()}")
                    if steps(again(traced)) != steps(traced.graph):
                        wrong.append(f"{name}[{k}]\n{traced.graph.to_python()}\n{again(traced).to_python()}")
            except (NotOneOp, NotImplementedError):
                continue
            except Exception as e:
                wrong.append(f"{name}[{k}]: {type(e).__name__}: {e}\n{view_of(traced).code}")
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:5])


def test_names_are_those_of_public_functions():
    def f(x, w, b):
        y = F.linear(x, w, b).relu().view(-1)[1:3]
        return F.softmax(y, 0), torch.sort(y, descending=True)[0], y.to(torch.float64)

    gm = view_of(trace(f, (torch.ones(2, 3), torch.ones(4, 3), torch.ones(4)), {}), ["x", "w", "b"])
    calls = [n for n in gm.graph.nodes if n.op.startswith("call")]
    assert not any(isinstance(n.target, OpCall) for n in calls)
    assert [n.target for n in calls[:4]] == [F.linear, torch.relu, "view", torch.narrow]
    assert "torch.sort(narrow, descending = True)" in gm.code


def test_a_write_is_a_step():
    def f(x):
        y = x.clone()
        y[0] = 1
        return y

    gm = view_of(trace(f, (torch.zeros(3),), {}))
    assert gm(torch.zeros(3))[0].tolist() == [1, 0, 0]
    assert [n.name for n in gm.graph.nodes][1:-1] == ["clone", "select", "fill", "select_put"]


def test_draws_and_generators():
    generator = torch.Generator().manual_seed(5)

    def f(x):
        return x + torch.rand(3, generator=generator) + torch.rand(3)

    traced = trace(f, (torch.zeros(3),), {})
    gm = view_of(traced)
    torch.manual_seed(1)
    first = f(torch.zeros(3))
    generator.manual_seed(5)
    torch.manual_seed(1)
    assert torch.equal(gm(torch.zeros(3))[0], first)
    assert not torch.equal(gm(torch.zeros(3))[0], first)


def test_captured_tensors_are_inputs():
    weight = torch.nn.Parameter(torch.full((2,), 3.0))
    traced = trace(lambda x: x * weight, (torch.ones(2),), {})
    assert traced.inputs[1] is not None and traced.inputs[1].requires_grad
    gm = view_of(traced, ["x"])
    assert [n.name for n in gm.graph.nodes if n.op == "placeholder"] == ["x", "captured1"]
    gm(*traced.inputs)[0].sum().backward()
    assert weight.grad.tolist() == [1, 1]
