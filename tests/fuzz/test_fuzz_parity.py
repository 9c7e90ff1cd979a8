"""Fuzzed calls, beside PyTorch: both raise, or they agree. A few at each run; 20,000 with FUNCTORCH_LITE_PARITY=full."""

from __future__ import annotations

import os

import pytest

pytest.importorskip("torch")
pytest.importorskip("hypothesis")

from tests.fuzz import run

FULL = os.environ.get("FUNCTORCH_LITE_PARITY") == "full"
CASES = 20_000 if FULL else 180


@pytest.mark.parity
@pytest.mark.parametrize("family", run.families())
def test_both_raise_or_agree(family):
    cases = CASES // len(run.families())
    total = run.Tally()
    for tally in run.run_apart(family, cases, seed=1) if FULL else [run.run_here(family, cases, seed=1)]:
        total.merge(tally)
    print(total.summary())
    assert total.cases >= cases * 0.95
    assert not total.found, total.report()


@pytest.mark.parity
def test_a_difference_is_found():
    from tests.fuzz.outcome import Arr, Call, compare

    kind = compare(Call("torch.add", (Arr.of([1.0]), Arr.of([2.0])), {})).kind
    wrong = [
        compare(Call("torch.sort", (Arr.of([2.0, 1.0]),), {"dim": 1})).kind,
        compare(Call("torch.sort", (Arr.of([2.0, 1.0]),), {"bogus": 1})).kind,
    ]
    assert (kind, *wrong) == ("agree", "both raise", "both raise")
