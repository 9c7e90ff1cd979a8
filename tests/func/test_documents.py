"""Every code example of PyTorch's documents, where FUNCTORCH_LITE_DOCUMENTS says where they lie (see
tests/documents.py)."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.document_facts import DOUBTFUL, INCOMPLETE, RAISES, READ_AS
from tests.documents import blocks, name_of

FOLDER = os.environ.get("FUNCTORCH_LITE_DOCUMENTS")
DOCUMENTS = sorted(Path(FOLDER).glob("*.md")) if FOLDER else []
COMPARED = [p for p in DOCUMENTS if name_of(p) in ("modules", "optim")]
NUMBER = re.compile(r"-?\d+\.\d*(?:e[-+]\d+)?")

pytestmark = pytest.mark.skipif(not FOLDER, reason="FUNCTORCH_LITE_DOCUMENTS is not set")


@cache
def outcome(path: Path, *options: str) -> dict:
    """What became of a document: see tests/documents.py."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.documents", str(path), *options],
        cwd=Path(__file__).parent.parent.parent,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.rstrip().rsplit("\n", 1)[-1])


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_every_example_does_what_the_document_says(path):
    failures = outcome(path)["failures"]
    assert not failures, "\n\n".join(f"{f['block']}. {f['title']}\n{f['error']}" for f in failures)


@pytest.mark.parity
@pytest.mark.parametrize("path", COMPARED, ids=name_of)
def test_every_example_prints_what_it_prints_with_torch(path):
    pytest.importorskip("torch")
    ours, theirs = outcome(path), outcome(path, "--torch")
    assert not theirs["failures"]
    assert ours["printed"].keys() == theirs["printed"].keys()
    for block, printed in theirs["printed"].items():
        assert _form(ours["printed"][block]) == _form(printed), block
        np.testing.assert_allclose(
            _numbers(ours["printed"][block]), _numbers(printed), rtol=2e-3, atol=2e-4, err_msg=block
        )


def _form(printed: str) -> str:
    """What was printed, without numbers, white space, addresses and the library's name."""
    text = NUMBER.sub("#", printed).replace("functorch_lite", "torch")
    return re.sub(r"\s|0x[0-9a-f]+", "", text)


def _numbers(printed: str) -> list[float]:
    """The fractions that were printed."""
    return [float(n) for n in NUMBER.findall(printed)]


def test_the_lists_of_exceptions_name_blocks_that_exist():
    present = {(name_of(p), number) for p in DOCUMENTS for number, _, _ in blocks(p)}
    assert {*RAISES, *INCOMPLETE, *DOUBTFUL, *READ_AS} <= present
