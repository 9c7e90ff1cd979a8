"""vmap's randomness= beside PyTorch: where PyTorch draws it draws as we do, and where it refuses the reason is
listed."""

from __future__ import annotations

import warnings

import pytest

import functorch_lite as ours
from tests.func.randomness import PROGRAMS, outcome, seen

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.parity

REFUSED = {
    "same": (
        "Batching rule not implemented for aten::lstm.input.",
        "Vmap does not currently support same randomness with a batched tensor input.",
        "vmap: we do not yet support aten::rrelu.",
        "In order to use an autograd.Function with functorch transforms",
    ),
    "different": (
        "Batching rule not implemented for aten::lstm.input.",
        "vmap: Cannot ask for different inplace randomness on an unbatched tensor.",
        "vmap: we do not yet support aten::rrelu.",
        "In order to use an autograd.Function with functorch transforms",
    ),
}
"""What PyTorch says where it does not draw and we do: test_randomness.py shows that we draw."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_modes(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for mode, expected in (("same", "equal"), ("different", "different")):
            theirs = outcome(torch, name, mode)
            if isinstance(theirs, Exception):
                assert str(theirs).startswith(REFUSED[mode]), f"{mode}: {theirs}"
            else:
                assert seen(theirs) == expected
        mine, theirs = seen(outcome(ours, name, "error")), seen(outcome(torch, name, "error"))
        if not any(reason in theirs for reason in REFUSED["same"]):
            assert mine == theirs
