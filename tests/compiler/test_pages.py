"""The examples of PyTorch's pages on torch.compile: what they note is what PyTorch notes
(tests/golden/compile_documents.json), or listed with its reason.

`python -m tests.compiler.test_pages` (needs torch) writes the record.
"""

from __future__ import annotations

import contextlib
import io
import json
import warnings
from pathlib import Path

import pytest

import functorch_lite as ours
from functorch_lite.compiler import ran
from tests.compiler.documents import DIFFERENT, EXAMPLES

GOLDEN = Path(__file__).parent.parent / "golden" / "compile_documents.json"


def said(torch, name: str) -> list[str]:
    """What an example notes."""
    lines: list[str] = []
    promised = dict(ran.PURE_BY_PROMISE)
    if torch is not ours:
        torch._dynamo.reset()
    try:
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            EXAMPLES[name](torch, lines.append)
    finally:
        ran.PURE_BY_PROMISE.clear()
        ran.PURE_BY_PROMISE.update(promised)
    return lines


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_example(name):
    with ours.debug.tier("cold"):
        lines, wanted = said(ours, name), json.loads(GOLDEN.read_text())[name]
    assert (lines == wanted) is (name not in DIFFERENT), "\n".join([*lines, "", "PyTorch:", *wanted])


def test_the_list_is_of_examples():
    assert set(DIFFERENT) <= set(EXAMPLES)
    assert len(EXAMPLES) + 13 >= 77  # 13 stand in test_documents.py


@pytest.mark.parity
def test_the_record_is_pytorchs():
    torch = pytest.importorskip("torch")
    pytest.importorskip("torch._dynamo")
    assert {name: said(torch, name) for name in EXAMPLES} == json.loads(GOLDEN.read_text())


if __name__ == "__main__":
    theirs = __import__("torch")
    __import__("torch._dynamo")
    __import__("torch._inductor")
    GOLDEN.write_text(json.dumps({name: said(theirs, name) for name in EXAMPLES}, indent=1) + "\n")
