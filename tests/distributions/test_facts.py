"""What distributions tell, as PyTorch told it when tests/golden/distributions.json was recorded."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite.distributions.kl import _KL_REGISTRY
from tests.distributions import cases

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "distributions.json").read_text())


@pytest.mark.parametrize("i", range(len(cases.CASES)), ids=[c.name for c in cases.CASES])
def test_facts(i):
    case = cases.CASES[i]
    found = cases.facts(torch, case)
    kinds = {v.dtype for v in found.values() if isinstance(v, np.ndarray)}
    assert kinds <= {np.dtype(case.dtype), np.dtype(np.int64)}
    tolerance = cases.LOOSER.get(case.kind, cases.TOLERANCE[case.dtype])
    cases.assert_same(found, GOLDEN["cases"][f"{i}-{case.name}"], case.parameters, tolerance)


def test_divergences_of_all_pairs_are_registered():
    mine = {f"{p}-{q}" for p, q in cases.pairs(_KL_REGISTRY) + cases.MORE_PAIRS}
    assert mine == set(GOLDEN["divergences"])


def _pairs():
    """A third of the pairs, and those within a family, in every run; the others in that of parity."""
    for i, pair in enumerate(GOLDEN["divergences"]):
        p, q = pair.split("-")
        yield pytest.param(pair, marks=[] if p == q or i % 3 == 0 else [pytest.mark.parity])


@pytest.mark.parametrize("pair", _pairs())
def test_divergence(pair):
    p, q = pair.split("-")
    parameters = {f"p {k}": v for k, v in cases.MAKERS[p][0].items()} | cases.MAKERS[q][1]
    cases.assert_same(cases.divergence(torch, p, q), GOLDEN["divergences"][pair], parameters, 2e-8)
