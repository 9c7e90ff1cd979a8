"""The tutorials as they are stored: whole, with their outputs, and with nothing in them of the machine that ran them.
`make notebooks` runs them."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "notebooks"
BASICS, TUTORIALS = sorted((FOLDER / "basics").glob("*.ipynb")), sorted(FOLDER.glob("*.ipynb"))
NOTEBOOKS = [*BASICS, *TUTORIALS]
LINK = re.compile(r"\[[^\]]*\]\(([^)#]+)[^)]*\)")
OF_A_MACHINE = re.compile(r"ipykernel_|/tmp/|/home/|/root/|site-packages|0x[0-9a-f]{8}")


def text_of(output: dict) -> str:
    data = output.get("data", {})
    return "".join(output.get("text", [])) + "".join(data.get("text/plain", []))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_outputs_are_stored(path):
    cells = [c for c in json.loads(path.read_text())["cells"] if c["cell_type"] == "code"]
    assert [c["execution_count"] for c in cells] == list(range(1, len(cells) + 1)), (
        "python -m tests.notebooks --write"
    )
    outputs = [o for c in cells for o in c["outputs"]]
    assert any("image/png" in o.get("data", {}) for o in outputs), "a tutorial has a picture"
    for output in outputs:
        assert output["output_type"] != "error" and output.get("name") != "stderr"
        assert not OF_A_MACHINE.search(text_of(output)), text_of(output)
    assert any("assert" in "".join(c["source"]) for c in cells), "a tutorial shows that its numbers are right"
    assert path.stat().st_size < 400_000


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_links_lead_somewhere(path):
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] == "markdown":
            for link in LINK.findall("".join(cell["source"])):
                assert link.startswith("https://") or (path.parent / link).exists(), link


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_lesson_says_what_is_learnt_and_asks_for_something(path):
    texts = [
        "".join(c["source"]) for c in json.loads(path.read_text())["cells"] if c["cell_type"] == "markdown"
    ]
    assert texts[0].startswith("# ") and "**What you will learn**" in texts[0]
    assert sum(text.startswith("## Exercise") for text in texts) == 1


def test_each_page_of_the_basics_leads_to_the_next():
    assert len(BASICS) == 8
    for path, after in pairwise(BASICS):
        assert f"({after.name})" in path.read_text()


def test_the_tour_names_all_others():
    tour = TUTORIALS[0].read_text()
    assert all(path.name in tour for path in TUTORIALS[1:]) and len(TUTORIALS) >= 23
