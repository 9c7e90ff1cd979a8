"""Control flow beside PyTorch: what is checked before its compiler comes in, and associative_scan, which does without
it."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import functorch_lite as ours

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.parity

THEIR_OPS = importlib.import_module("torch._higher_order_ops")
OUR_OPS = importlib.import_module("functorch_lite._higher_order_ops")


def cases(torch, ops):
    x, xs, yes = torch.ones(3), torch.arange(12.0).reshape(4, 3) / 7, torch.tensor(True)
    generic = {"combine_mode": "generic"}

    def both(c, x):
        return c + x, c * x

    return {
        "cond pred type": lambda: torch.cond("a", torch.sin, torch.cos, (x,)),
        "cond pred size": lambda: torch.cond(x > 0, torch.sin, torch.cos, (x,)),
        "cond branch": lambda: torch.cond(yes, 1, torch.cos, (x,)),
        "cond operands": lambda: torch.cond(yes, torch.sin, torch.cos, x),
        "cond operand type": lambda: torch.cond(yes, torch.sin, torch.cos, (x, 2)),
        "cond of a bool": lambda: torch.cond(True, torch.sin, torch.cos, (x,)),
        "cond of a float": lambda: torch.cond(0.0, torch.sin, torch.cos, (x,)),
        "while_loop function": lambda: ops.while_loop(1, lambda i: i, (x,)),
        "map xs": lambda: ops.map(torch.sin, 3),
        "map empty": lambda: ops.map(torch.sin, xs[:0]),
        "map lengths": lambda: ops.map(lambda x: x[0], (xs, x)),
        "scan function": lambda: ops.scan(3, x, xs),
        "scan dim": lambda: ops.scan(both, x, xs, dim=3),
        "scan reverse": lambda: ops.scan(both, x, xs, reverse=1),
        "scan init": lambda: ops.scan(both, (), xs),
        "scan init type": lambda: ops.scan(both, 1.0, xs),
        "scan empty": lambda: ops.scan(both, x, xs[:0]),
        "scan nothing": lambda: ops.scan(both, x, ())[0],
        "associative_scan function": lambda: ops.associative_scan(2, xs, 0, **generic),
        "associative_scan mode": lambda: ops.associative_scan(torch.add, xs, 0, combine_mode="x"),
        "associative_scan on the CPU": lambda: ops.associative_scan(torch.add, xs, 0),
        "associative_scan dim": lambda: ops.associative_scan(torch.add, xs, 5, **generic),
        "associative_scan reverse": lambda: ops.associative_scan(torch.add, xs, 0, 2, **generic),
        "associative_scan empty": lambda: ops.associative_scan(torch.add, xs[:0], 0, **generic),
        "associative_scan lengths": lambda: ops.associative_scan(
            lambda a, b: (a[0] + b[0], a[1] + b[1]), (xs, xs[:2]), 0, **generic
        ),
        "sums": lambda: ops.associative_scan(torch.add, xs, 0, **generic),
        "sums from the end": lambda: ops.associative_scan(lambda a, b: a * 0.5 + b, xs, -1, True, **generic),
        "pairs": lambda: ops.associative_scan(
            lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (xs, xs + 1), 0, **generic
        )[1],
    }


def outcome(case):
    try:
        return case().numpy()
    except Exception as error:
        # a message about several tensors lists the sizes that the algorithm has at that moment
        return f"{type(error).__name__}: {str(error).split(', got sizes')[0]}"


THEIRS, MINE = cases(torch, THEIR_OPS), cases(ours, OUR_OPS)


@pytest.mark.parametrize("name", THEIRS)
def test_case(name):
    mine, theirs = outcome(MINE[name]), outcome(THEIRS[name])
    if isinstance(theirs, str):
        assert mine == theirs
    else:
        np.testing.assert_allclose(mine, theirs, rtol=1e-5)
