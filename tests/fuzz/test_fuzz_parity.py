"""Fuzzed calls, beside PyTorch: both raise, or they agree.
A few at each run; 20,000 with FUNCTORCH_LITE_PARITY=full."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")
pytest.importorskip("hypothesis")

from tests.fuzz import run, singles
from tests.support.full import FULL

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
@pytest.mark.parametrize("family", singles.FAMILIES)
def test_one_change_at_a_time(family):
    """Of these calls, which do not depend on a seed, one of many."""
    *_, total = run.run_singles(family, 5, 23 if FULL else 8009)
    assert total.cases and not total.found, total.report()


@pytest.mark.parity
def test_a_difference_is_found():
    from tests.fuzz.outcome import Arr, Call, compare

    kind = compare(Call("torch.add", (Arr.of([1.0]), Arr.of([2.0])), {})).kind
    wrong = [
        compare(Call("torch.sort", (Arr.of([2.0, 1.0]),), {"dim": 1})).kind,
        compare(Call("torch.sort", (Arr.of([2.0, 1.0]),), {"bogus": 1})).kind,
    ]
    assert (kind, *wrong) == ("agree", "both raise", "both raise")


FOUND_BEFORE = (
    ("torch.clamp", ((1.5, -2.0), float("nan"), 1.0), {}),
    ("torch.clip", ((1.5, -2.0), float("nan"), True), {}),
    ("torch.nn.functional.hardtanh", ((1.5, -2.0), float("nan"), 1.0), {}),
    ("torch.slogdet", (((float("nan"), 1.0), (2.0, 3.0)),), {}),
    ("torch.round", ((1, 2),), {"decimals": 0}),
    ("torch.special.round", ((1, 2),), {}),
    ("torch.randn_like", (1.5,), {}),
    ("Tensor.flip", ((0.8, 1.0),), {"dims": ()}),
    ("Tensor.index_select", (0.5, 0, (10,)), {}),
    ("torch.float_power", ((0.8, 1.0), None), {}),
    ("torch.fft.rfftfreq", (-1,), {}),
    ("Tensor.random_", ((0, 0, 0), 2**63 - 9, None), {}),
    ("torch.range", (1,), {}),
    ("torch.zeros", (2**40,), {}),
    ("torch.arange", (2**40,), {}),
    ("torch.linspace", (0, 1, 2**40), {}),
)
"""Calls that were answered otherwise once, or ended the process: tuples of numbers are tensors where the first argument
is one."""


@pytest.mark.parity
@pytest.mark.parametrize("target, args, kwargs", FOUND_BEFORE)
def test_found_before(target, args, kwargs):
    from tests.fuzz.outcome import Arr, Call, compare

    makes = target in ("torch.fft.rfftfreq", "torch.range", "torch.zeros", "torch.arange", "torch.linspace")
    tensors = [Arr.of(a) if isinstance(a, tuple) or (i == 0 and not makes) else a for i, a in enumerate(args)]
    outcome = compare(Call(target, tuple(tensors), kwargs))
    assert not outcome.bad, str(outcome)
