"""The random calls of trees.py beside PyTorch: the same structure, dtypes and values, or the same error with the same
sentence."""

from __future__ import annotations

import pytest

import functorch_lite as ours
from tests.func import trees
from tests.support.full import FULL

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.parity


@pytest.fixture(autouse=True, scope="module")
def registered():
    """The classes of trees.py are containers for both."""
    trees.register(ours)
    trees.register(torch)


def compare(name: str, seeds: range, values: bool) -> None:
    fine = 0
    for seed in seeds:
        theirs, mine = trees.call(torch, name, seed, values), trees.call(ours, name, seed, values)
        assert trees.same(mine, theirs) or trees.excused(mine, theirs), f"seed {seed}: {mine} is not {theirs}"
        fine += theirs[0] != "error"
    assert fine >= len(seeds) // 3


@pytest.mark.parametrize("name", trees.CALLS)
def test_values(name):
    compare(name, range(100, 160 if FULL else 103), True)


@pytest.mark.parametrize("name", trees.CALLS)
def test_structure_and_errors(name):
    """Nothing is computed of ours, so that there can be many."""
    compare(name, range(1000, 3000 if FULL else 1025), False)
