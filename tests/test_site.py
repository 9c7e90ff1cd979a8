"""What the site is made of: its pages of the API, its pictures, and the search for links that lead nowhere. `make docs` builds it."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
SITE = ROOT / "docs" / "site"


def part(name):
    spec = importlib.util.spec_from_file_location(f"site_{name}", SITE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    sys.modules[spec.name] = module  # type: ignore[union-attr]
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    return module


def test_every_name_has_an_entry_with_its_example():
    pages = dict(part("reference").pages())
    assert len(pages) == 16
    assert (
        "## cumsum { #torch.cumsum }\n\n```python\ntorch.cumsum(input, dim=..., *, dtype=None"
        in pages["api/torch.md"]
    )
    assert "```pycon\n>>> torch.cumsum(torch.tensor([1.0, 2.0, 3.0]), 0)\n" in pages["api/torch.md"]
    assert "As [`torch.cumsum`](torch.md#torch.cumsum), into the tensor itself." in pages["api/Tensor.md"]
    assert "- weight: (out\\_features, in\\_features), uniform" in pages["api/nn.md"]
    for page, markdown in pages.items():
        assert (
            "<object object" not in markdown and "<not given>" not in markdown and " at 0x" not in markdown
        ), page
        anchors = re.findall(r"^## .* \{ #(\S+) \}$", markdown, re.MULTILINE)
        assert len(anchors) == len(set(anchors)) and anchors, page
    assert sum(m.count("{ #") for m in pages.values()) > 1800


def test_pictures_are_in_step():
    for name, picture in part("pictures").drawn().items():
        written = (ROOT / "docs" / "images" / f"{name}.svg").read_text()
        assert written == picture + "\n", "python docs/site/pictures.py"


def test_links_that_lead_nowhere_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<h1 id="top"></h1><a href="b.html#here">1</a><a href="b.html#gone">2</a><a href="#top">3</a><a href="c.html">4</a>'
        '<a href="https://example.org/x">5</a><script src="https://example.org/x.js"></script>'
    )
    (tmp_path / "b.html").write_text('<h2 id="here"></h2>')
    found = part("links").broken(tmp_path)
    assert [line.split(": ", 1)[1] for line in found] == [
        "fetches https://example.org/x.js from elsewhere",
        "b.html#gone: there is no such anchor",
        "c.html: there is no such file",
    ]


def test_all_pages_are_in_the_table_of_contents():
    nav = (ROOT / "mkdocs.yml").read_text().split("\nnav:")[1]
    pages = [*(ROOT / "docs").glob("*.md"), *(ROOT / "notebooks").rglob("*.ipynb")]
    assert not [p.name for p in pages if p.relative_to(ROOT).as_posix() not in nav]
