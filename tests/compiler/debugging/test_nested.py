"""Steps that hold Graphs (transforms, loops, branches, checkpoints): written, read back, opened and shrunk."""

from __future__ import annotations

import json

import pytest

import functorch_lite as torch
from functorch_lite._higher_order_ops import associative_scan, map, scan, while_loop
from functorch_lite.compiler.debugging.nested import KINDS, edited
from functorch_lite.compiler.debugging.reading import as_data, from_data
from functorch_lite.compiler.debugging.script import graph_repro
from functorch_lite.compiler.debugging.spelling import spelled
from functorch_lite.compiler.graphs.make_fx import make_fx
from functorch_lite.utils._pytree import tree_leaves
from functorch_lite.utils.checkpoint import checkpoint

from .faults import names

W = torch.tensor([[0.5, -0.25, 0.125], [1.0, -0.5, 0.25], [-0.75, 0.5, 0.0]])
X = torch.linspace(-1, 1, 12).reshape(4, 3)
FUNCTIONS = {
    "checkpoint": lambda x: checkpoint(lambda y: (y @ W).relu().sum(), x, use_reentrant=False) * 2,
    "cond": lambda x: torch.cond(x.sum() > 0, lambda a: (a @ W).relu(), lambda a: a.relu() + W[0], (x,)),
    "map": lambda x: map(lambda r, s: (r @ W).relu() * s, x, x.sum()),
    "while_loop": lambda x: while_loop(
        lambda i, a: i < 3, lambda i, a: (i + 1, (a @ W).relu() + 0.1), (torch.tensor(0), x)
    ),
    "scan": lambda x: scan(lambda c, r: (c * r.sin() + W[0], (c @ W).relu()), x[0], x),
    "associative_scan": lambda x: associative_scan(
        lambda a, b: a * b + W[0].relu(), x, 0, combine_mode="generic"
    ),
    "vmap": torch.vmap(lambda r: (r @ W).relu()),
    "grad": torch.func.grad(lambda r: (r @ W).relu().sum()),
    "all of them": torch.vmap(
        torch.func.grad(lambda r: checkpoint(lambda y: (y @ W).relu().sum(), r, use_reentrant=False))
    ),
}


def test_each_kind_has_a_program():
    assert set(KINDS) <= set(FUNCTIONS)


def same(a, b):
    return all(torch.allclose(x, y, atol=1e-6) for x, y in zip(tree_leaves(a), tree_leaves(b), strict=True))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_written_read_and_edited(name):
    f = FUNCTIONS[name]
    gm, expected = make_fx(f)(X), f(X)
    text = spelled(gm)
    given = [X, *text.members.values()]
    scope = {"__name__": "script"}
    exec(graph_repro(gm, [X], "eager"), scope)
    assert same(scope["Repro"]()(*given), expected)
    read, _ = from_data(json.loads(json.dumps(as_data(text, {}))))
    assert same(read(*given), expected)
    seen = []
    assert same(edited(gm, lambda n: seen.append(n.name))(X), expected)
    assert any("relu" in n for n in seen)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_shrunk_to_the_op_inside(name):
    def fails(gm, inputs):
        found = []
        edited(gm, lambda n: found.append(n.name))
        return any("relu" in n for n in found)

    small, inputs = torch.debug.minify(FUNCTIONS[name], [X], fails)
    assert names(small) == ["relu"] and len(inputs) == 1


def test_a_nan_inside_of_a_checkpoint_is_found_where_it_is_made():
    x = torch.tensor([4.0, 0.0], requires_grad=True)
    found = torch.debug.find_nan(
        lambda x: checkpoint(lambda y: (y.log() * 0).sum(), x, use_reentrant=False), x
    )
    assert found.op == "mul" and found.cause.op == "log"
    found = torch.debug.find_nan(
        lambda x: checkpoint(lambda y: (y * 0).sqrt().sum(), x, use_reentrant=False), x
    )
    assert found.backward and found.op.startswith(("mul", "sqrt"))
