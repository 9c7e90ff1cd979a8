"""The examples of PyTorch's page on torch.export: what they note is what PyTorch notes
(tests/golden/export_documents.json), or listed with its reason.

`python -m tests.export.test_documents` (needs torch) writes the record.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

import functorch_lite as ours
from tests.export.documents import DIFFERENT, EXAMPLES

GOLDEN = Path(__file__).parent.parent / "golden" / "export_documents.json"


def said(torch, name: str) -> list[str]:
    """What an example notes."""
    lines: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        EXAMPLES[name](torch, lines.append)
    return lines


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_example(name):
    lines, wanted = said(ours, name), json.loads(GOLDEN.read_text())[name]
    assert (lines == wanted) is (name not in DIFFERENT), "\n".join([*lines, "", "PyTorch:", *wanted])


def test_the_list_is_of_examples():
    assert set(DIFFERENT) <= set(EXAMPLES) and len(EXAMPLES) >= 19


@pytest.mark.parity
@pytest.mark.parametrize("name", list(EXAMPLES))
def test_the_record_is_pytorchs(name):
    torch = pytest.importorskip("torch")
    assert said(torch, name) == json.loads(GOLDEN.read_text())[name]


if __name__ == "__main__":
    theirs = __import__("torch")
    GOLDEN.write_text(json.dumps({name: said(theirs, name) for name in EXAMPLES}, indent=1) + "\n")
