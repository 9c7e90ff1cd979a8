"""torch._dynamo.explain, and fullgraph=True, on functions that read values: the graphs, and the lines."""

from __future__ import annotations

import inspect

import pytest

import functorch_lite as torch
from functorch_lite._dynamo.exc import Unsupported


def no_break(x):
    return (x.sin() + 1).sum()


def item(x):
    y = x.sin()
    n = y.sum().item()  # here
    return y * n


def branch(x):
    y = x.cos()
    if y.sum() > 0:  # here
        return y + 1
    return y - 1


def shown(x):
    y = x.exp()
    print(y)  # here
    return y * 2


def numpy_between(x):
    y = x.tanh()
    z = torch.from_numpy(y.numpy() + 1)  # here
    return z.sin()


def loop(x):
    total = 0.0
    for row in x.sin():
        total += float(row.sum())  # here
    return x * total


FUNCTIONS = {
    no_break: (1, 0),
    item: (2, 1),
    branch: (2, 1),
    shown: (2, 1),
    numpy_between: (2, 1),
    loop: (None, 3),
}


def line_in(f):
    lines, first = inspect.getsourcelines(f)
    return next((first + k for k, line in enumerate(lines) if "# here" in line), None)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_graphs_and_breaks(f):
    x = torch.rand(3, 2)
    found = torch._dynamo.explain(f)(x)
    graphs, breaks = FUNCTIONS[f]
    assert found.graph_break_count == breaks == len(found.break_reasons)
    assert found.graph_count == (graphs or found.graph_count) and found.graph_count >= breaks
    assert found.op_count == sum(map(len, found.ops_per_graph)) > 0
    at = line_in(f)
    for b in found.break_reasons:
        assert b.line == f"{__file__}:{at}" and "reads a value" in b.reason
    text = str(torch._dynamo.explain(f, x))
    assert f"Graph Break Count: {breaks}" in text and (not breaks or f"test_explain.py:{at}" in text)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_fullgraph_raises_at_that_line(f):
    compiled = torch.compile(f, fullgraph=True)
    x = torch.rand(3, 2)
    if not FUNCTIONS[f][1]:
        compiled(x)
        return
    with pytest.raises(Unsupported, match=f"test_explain.py:{line_in(f)}"):
        compiled(x)


def test_results_are_those_of_eager_and_the_warning_has_the_line():
    x = torch.rand(3, 2)
    compiled = torch.compile(branch)
    with pytest.warns(UserWarning, match=f"test_explain.py:{line_in(branch)}"):
        for _ in range(3):
            torch.testing.assert_close(compiled(x), branch(x))
