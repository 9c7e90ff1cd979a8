"""Every code example of PyTorch's documents, where FUNCTORCH_LITE_DOCUMENTS says where they lie (see tests/documents.py)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documents import INCOMPLETE, RAISES, blocks, name_of

FOLDER = os.environ.get("FUNCTORCH_LITE_DOCUMENTS")
NOT_OF_FUNC = ("modules", "optim")
DOCUMENTS = [p for p in sorted(Path(FOLDER).glob("*.md")) if name_of(p) not in NOT_OF_FUNC] if FOLDER else []

pytestmark = pytest.mark.skipif(not FOLDER, reason="FUNCTORCH_LITE_DOCUMENTS is not set")


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_every_example_does_what_the_document_says(path):
    done = subprocess.run(
        [sys.executable, "-m", "tests.documents", str(path)],
        cwd=Path(__file__).parent.parent.parent,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    failures = json.loads(done.stdout.rstrip().rsplit("\n", 1)[-1])
    assert not failures, "\n\n".join(f"{f['block']}. {f['title']}\n{f['error']}" for f in failures)


def test_the_lists_of_exceptions_name_blocks_that_exist():
    present = {(name_of(p), number) for p in DOCUMENTS for number, _, _ in blocks(p)}
    assert {*RAISES, *INCOMPLETE} <= present
