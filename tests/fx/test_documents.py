"""The examples of PyTorch's pages on torch.fx: what they print is what PyTorch prints (tests/golden/fx_documents.json).

`python -m tests.fx.test_documents` (needs torch) writes the record.
"""

from __future__ import annotations

import contextlib
import io
import json
import warnings
from pathlib import Path

import pytest

import functorch_lite as ours
import functorch_lite.fx
from tests.fx.documents import EXAMPLES

GOLDEN = Path(__file__).parent.parent / "golden" / "fx_documents.json"
OTHER_NAMES = (("torch._C._nn.", "torch.nn.functional."), ("functorch_lite.", "torch."))


def said(torch, name: str) -> list[str]:
    """What an example notes."""
    lines: list[str] = []
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        EXAMPLES[name](torch, lines.append)
    for old, new in OTHER_NAMES:
        lines = [line.replace(old, new) for line in lines]
    return lines


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_example(name):
    assert said(ours, name) == json.loads(GOLDEN.read_text())[name]


@pytest.mark.parity
@pytest.mark.parametrize("name", list(EXAMPLES))
def test_the_record_is_pytorchs(name):
    torch = pytest.importorskip("torch")
    __import__("torch.fx.experimental.optimization")
    assert said(torch, name) == json.loads(GOLDEN.read_text())[name]


if __name__ == "__main__":
    theirs = __import__("torch")
    __import__("torch.fx.experimental.optimization")
    GOLDEN.write_text(json.dumps({name: said(theirs, name) for name in EXAMPLES}, indent=1) + "\n")
