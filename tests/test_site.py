"""The parts of the site: its pages of the API, its pictures, its redirects, and the search for broken links.
`make docs` builds it; docs/site/browser_check.py opens it in a browser and types questions into its search."""

from __future__ import annotations

import doctest
import importlib
import re
import sys
from pathlib import Path

import pytest

import functorch_lite as torch

ROOT = Path(__file__).parent.parent
SITE = ROOT / "docs" / "site"


def part(name):
    if str(SITE) not in sys.path:  # its files import each other
        sys.path.append(str(SITE))
    return importlib.import_module(name)


@pytest.fixture(scope="module")
def pages():
    return dict(part("reference").pages())


def test_every_name_has_a_page(pages):
    assert len(pages) > 1500
    for path, markdown in pages.items():
        for sign in ("<object object", "<not given>", " at 0x"):
            assert sign not in markdown.split("<details")[0], path
        anchors = re.findall(r"\{ #(\S+) \}", markdown, re.MULTILINE)
        assert len(anchors) == len(set(anchors)), path
    assert len({path.lower() for path in pages}) == len(pages)  # also on disks that know no case


def test_a_page_says_how_what_and_where(pages):
    linear, cumsum = pages["api/torch.nn/Linear.md"], pages["api/torch/cumsum.md"]
    assert "torch.nn.Linear(in_features, out_features, bias=True, device=None, dtype=None)" in linear
    assert "| `weight` | (out\\_features, in\\_features), uniform" in linear
    assert "[`torch.nn.functional.linear`](../torch.nn.functional/linear.md)" in linear
    assert "(../../notebooks/basics/3_modules.ipynb)" in linear
    assert "<code>nn/modules/linear.py</code>, line " in linear and "class Linear(Module):" in linear
    assert "```python\ntorch.cumsum(input, dim=..., *, dtype=None" in cumsum
    for example in (
        "torch.cumsum(torch.tensor([1.0, 2.0, 3.0]), 0)",
        "torch.tensor([1.0, 2.0, 3.0]).cumsum_(0)",
    ):
        assert f"```pycon\n>>> {example}\n" in cumsum


def test_a_namespace_lists_its_names_in_groups(pages):
    assert (
        "## Pooling\n" in pages["api/nn.md"]
        and "## Reduction, order and statistics\n" in pages["api/torch.md"]
    )
    assert re.search(
        r"\| \[`cumsum`\]\(torch/cumsum.md\)\{ #torch.cumsum \} \| The running sum", pages["api/torch.md"]
    )
    assert "[`cumsum_`](torch/cumsum.md#torch.Tensor.cumsum_)" in pages["api/Tensor.md"]


def test_every_name_of_tensor_has_an_example(pages):
    names = [n for n in dir(torch.Tensor) if not n.startswith("_")]
    listed = dict(re.findall(r"\]\(([^)]+)\)\{ #torch\.Tensor\.(\w+) \}", pages["api/Tensor.md"]))
    assert sorted(listed.values()) == names and len(names) > 580
    for target, name in listed.items():
        path, _, anchor = target.partition("#")
        markdown = pages[f"api/{path}"]
        assert ">>> " in (markdown.split(f"{{ #{anchor} }}")[1].split("\n## ")[0] if anchor else markdown), (
            name
        )


@pytest.mark.parametrize("name", sorted(part("attributes").WORDS))
def test_examples_of_attributes(name):
    example = doctest.DocTestParser().get_doctest(
        part("attributes").WORDS[name], {"torch": torch}, name, None, None
    )
    assert doctest.DocTestRunner(verbose=False).run(example) == (0, 1)


def test_names_in_docstrings_are_links(pages):
    assert re.search(r"\[`[^`]+`\]\([^)]+\.md", pages["api/torch.func/hessian.md"].split("## ")[0])


def test_what_tutorials_use():
    uses = part("uses").uses()
    titles = [part("uses").title_of(path) for path in uses["torch.func.hessian"]]
    assert "The Hessian of a small network" in titles and "torch.Tensor.set" not in uses


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


def test_questions_lead_to_pages_of_the_site():
    nav = (ROOT / "mkdocs.yml").read_text().split("\nnav:")[1]
    questions = part("browser_check").QUESTIONS
    assert len(questions) >= 21
    for question, page in questions.items():
        source = page.removesuffix(".html") + ".md"
        assert (ROOT / source).exists() and source in nav, question


def test_old_addresses_redirect(tmp_path):
    redirects = part("redirects")
    for new in redirects.REDIRECTS.values():
        assert (ROOT / new).with_suffix(".md").exists()
        (tmp_path / new).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / new).write_text("the page")
    redirects.write(tmp_path)
    redirects.write(tmp_path)  # over its own pages
    assert 'url=../docs/export.html"' in (tmp_path / "docs/leaving.html").read_text()
    (tmp_path / "docs/leaving.html").write_text("a page again")
    with pytest.raises(ValueError, match="is a page of the site"):
        redirects.write(tmp_path)
