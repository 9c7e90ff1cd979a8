"""Programs with planted faults, and what a fault is (tests/golden/minifier.json)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import functorch_lite as torch
from functorch_lite.compiler.graphs.calls import op_called
from functorch_lite.compiler.graphs.make_fx import as_called

FACTS = json.loads((Path(__file__).parents[2] / "golden" / "minifier.json").read_text())["facts"]
ERRORS = FACTS.pop("errors")

SMALLEST = {
    "two ops needed together": 2,
    "three of one op": 3,
    "nan made midway": 2,
    "matrix product that feeds tanh": 2,
}
"""Ops of the smallest Graph that fails, where it is more than one."""

AT_MOST = {"nan made midway": 3}


def names(gm):
    """The ops of a module, one after the other."""
    found = []
    for n in gm.graph.nodes:
        if n.op.startswith("call"):
            op = op_called(n.op, n.target)
            found.append((op.name if op is not None else str(n.target)).rpartition(".")[2])
    return found


def has_nan(out):
    return any(bool(torch.isnan(o).any()) for o in torch.utils._pytree.tree_leaves(out))


def program(fact):
    """The function of a fact."""
    source = fact["source"]
    indent = len(source) - len(source.lstrip())
    lines = [line[indent:] for line in source.splitlines()]
    scope = {"torch": torch, "n": 20}
    exec("\n".join(lines), scope)
    return next(f for name, f in scope.items() if callable(f) and name != "torch" and hasattr(f, "__code__"))


def inputs(name, fact):
    torch.manual_seed(0)
    count = fact["default"]["inputs_before"]
    if count == 5:
        return [torch.randn(4, 8), torch.randn(8, 8), torch.randn(8, 8), torch.randn(8), torch.randn(8)]
    return [torch.randn(16, 8)]


def fault(text):
    """The predicate that a fact names."""
    m = re.fullmatch(r"(\w+) (?:is|occurs) (present|three times)", text)
    if m:
        times = 3 if m[2] == "three times" else 1
        return lambda gm, _: sum(n == m[1] for n in names(gm)) >= times
    m = re.fullmatch(r"(\w+) and (\w+) are both present", text)
    if m:
        both = {m[1].replace("mm", "matmul"), m[2]}
        return lambda gm, _: both <= set(names(gm))
    assert text == "a result has NaN"
    return lambda gm, inps: has_nan(gm(*inps))


def graph(name):
    """The Graph of a fact, its inputs, and its predicate."""
    fact = FACTS[name]
    given = inputs(name, fact)
    return as_called(program(fact))(*given), given, fault(fact["fault"])
