"""Type promotion is torch's for every pair of dtypes (tests/golden/promotion.json, made by make_promotion.py)."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

import functorch_lite as torch
from tests.promotion_cases import cases, operands

GOLDEN = json.loads((Path(__file__).parent / "golden" / "promotion.json").read_text())["results"]
CASES: dict[str, list[tuple[str, str]]] = defaultdict(list)
for _op, _kinds, _left, _right in cases():
    CASES[f"{_op} {_kinds}"].append((_left, _right))


def expected_here(op: str, expected: str, left: str, right: str) -> str:
    """torch's answer, but for complex32, which JAX lacks: complex64 takes its place, where torch often has no
    kernel."""
    halves = op != "lt" and {left, right} & {"float16"} and any("complex" in d for d in (left, right))
    return (
        "complex64"
        if expected == "complex32" or (halves and expected == "!NotImplementedError")
        else expected
    )


@pytest.mark.parametrize("group", CASES)
def test_dtype_is_torchs(group):
    op, _, kinds = group.partition(" ")
    wrong = []
    for (left, right), expected in zip(CASES[group], GOLDEN[group].split(), strict=True):
        try:
            got = operands(torch, op, kinds, left, right).dtype.name
        except Exception as error:
            got = f"!{type(error).__name__}"
        if got != expected_here(op, expected, left, right):
            wrong.append(f"{op}({left}, {right}): {got}, torch {expected}")
    assert not wrong, f"{len(wrong)} of {len(CASES[group])}, as {kinds}:\n" + "\n".join(wrong[:20])


def test_every_recorded_case_is_checked():
    assert set(GOLDEN) == set(CASES)


def test_a_bool_of_numpys_is_a_float():
    yes, ints = np.bool_(True), torch.ones(2, dtype=torch.int32)
    for got in (ints + yes, yes + ints, ints - yes, torch.add(ints, yes), torch.where(ints > 0, yes, ints)):
        assert got.dtype is torch.float32
    assert (ints == yes).tolist() == [True, True]
    with pytest.raises(NotImplementedError, match="\"bitwise_and_cpu\" not implemented for 'Float'"):
        (ints > 0) & yes
    assert (ints + np.int64(3)).dtype is torch.int32
