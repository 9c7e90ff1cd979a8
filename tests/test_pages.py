"""The Python blocks of README.md and of the pages in docs/ run in order, each page in one namespace.

A ```text block directly below a Python block is what that block prints. Words are compared letter for letter, and
fractions to two digits: NumPy and a compiled program may round differently.
(Pages whose examples need several devices or a script of their own have tests of their own.)"""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

import functorch_lite as torch
from functorch_lite.compiler import replay

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"```python\n(?P<code>.*?)```(?:\n\n```text\n(?P<prints>.*?)```)?", re.DOTALL)
FRACTION = re.compile(r"-?\d+\.\d*(?:e[-+]?\d+)?")

DEBUGGING = ("nan", "index_errors", "crashes", "wrong_results", "debugging")
"""Pages of tests/compiler/debugging/test_debugging_document.py."""

ELSEWHERE = {
    *(f"docs/{name}.md" for name in DEBUGGING),
    "docs/distributed.md",  # tests/distributed/test_document.py
    "docs/distributed_checkpoints.md",  # tests/distributed/test_document.py
    "docs/pipelines.md",  # tests/distributed/collectives_program.py
    "docs/processes.md",  # tests/distributed/collectives_program.py
}
"""Pages with code that other tests run."""

NEEDS = {"docs/export.md": "flatbuffers", "docs/bridges.md": "flax"}
"""Pages with code that needs an extra."""

PAGES = [
    page
    for page in ["README.md", *sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "docs").glob("*.md"))]
    if page not in ELSEWHERE and BLOCK.search((ROOT / page).read_text())
]


def complaint(printed: str, expected: str) -> str | None:
    """How the printed text differs from the text of the page; None if it does not."""
    if FRACTION.sub("#", printed).split() != FRACTION.sub("#", expected).split():
        return f"printed\n{printed}\nbut the page shows\n{expected}"
    numbers = zip(FRACTION.findall(printed), FRACTION.findall(expected), strict=True)
    wrong = [(a, b) for a, b in numbers if float(a) != pytest.approx(float(b), rel=0.02, abs=0.011)]
    return f"printed and expected numbers differ: {wrong}" if wrong else None


@pytest.mark.parametrize("page", PAGES)
def test_the_page_runs(page, tmp_path, monkeypatch):
    if page in NEEDS:
        pytest.importorskip(NEEDS[page])
    monkeypatch.chdir(tmp_path)
    torch.manual_seed(0)
    namespace: dict = {"__name__": "page"}
    path = ROOT / page
    text = path.read_text()
    for block in BLOCK.finditer(text):
        line = text[: block.start()].count("\n") + 1
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                exec(compile("\n" * line + block["code"], str(path), "exec"), namespace)
        except Exception as error:
            error.add_note(f"not replayed: {[why for f in replay.every for why in f.why_not]}")
            raise
        if block["prints"] is not None:
            wrong = complaint(out.getvalue(), block["prints"])
            assert wrong is None, f"{page}, line {line}: {wrong}"


def test_differences_are_seen():
    assert complaint("loss 0.50 of 3\n", "loss 0.505 of  3") is None
    assert complaint("loss 0.50", "loss 0.60") is not None
    assert complaint("shape [3, 4]", "shape [3, 5]") is not None


def test_no_page_is_longer_than_it_should_be():
    """A guide answers one question in at most 1,200 words; tables and code are not counted."""
    generated = {"api.md", "fast.md", "primitives.md", "transforms.md", "ecosystem.md"}
    words = {}
    for path in (ROOT / "docs").glob("*.md"):
        text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
        prose = [line for line in text.splitlines() if not line.startswith("|")]
        words[path.name] = len(" ".join(prose).split())
    assert {name: n for name, n in words.items() if n > 1200 and name not in generated} == {}
    assert len((ROOT / "README.md").read_text().split()) <= 800
