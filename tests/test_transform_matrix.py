"""docs/transforms.md lists every op, with a reason for each "no"; the values of some ops are checked anew (all: make
parity-full)."""

from __future__ import annotations

import pytest

from tests import transform_matrix as matrix
from tests.samples import all_samples

SOME = (
    "mul",
    "nn.functional.softmax",
    "linalg.solve",
    "sort",
    "nn.functional.conv2d",
    "cumprod",
    "argmax",
    "index_put",
)


@pytest.mark.parametrize("name", SOME)
def test_values(name):
    wrong = {c: v for c, v in matrix.verdicts(name).items() if v not in (matrix.YES, matrix.CONSTANT)}
    assert not wrong


def test_page_lists_every_op():
    rows = [line.split("`")[1] for line in matrix.PAGE.read_text().splitlines() if line.startswith("| `")]
    assert rows == sorted(all_samples()), "run `python -m tests.after OP`"


def test_a_page_is_read_as_it_was_written():
    text = matrix.PAGE.read_text()
    assert matrix.page(matrix.read(text)) == text


def test_a_planted_fault_is_found(monkeypatch):
    real = matrix.pairs_of

    def off(case, column):
        for a, b in real(case, column):
            yield (a * 1.001 if column == "hvp" else a), b

    monkeypatch.setattr(matrix, "pairs_of", off)
    found = matrix.verdicts("sin")
    assert found["hvp"] != matrix.YES and found["grad"] == matrix.YES
