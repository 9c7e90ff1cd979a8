"""The programs of `tests/tensor_cases.py` give what PyTorch gave; where ours differs on purpose, that is listed with a
reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import functorch_lite as torch
from tests.tensor_cases import CASES, outcome

KNOWN = json.loads((Path(__file__).parent / "golden" / "tensor_cases.json").read_text())

OTHERWISE = {
    "assert_close: strings": "names of our classes",
}
"""Cases that are not compared, and why."""


@pytest.mark.parametrize("name", sorted(set(CASES) - set(OTHERWISE)))
def test_case(name):
    assert outcome(CASES[name], torch) == KNOWN[name]


def test_every_case_is_recorded():
    assert set(CASES) == set(KNOWN), "run `python -m tests.golden.make_tensor_cases` (needs torch)"


@pytest.mark.parity
@pytest.mark.parametrize("name", sorted(set(CASES) - set(OTHERWISE)))
def test_case_equals_torch(name):
    real = pytest.importorskip("torch")
    assert outcome(CASES[name], torch) == outcome(CASES[name], real)
