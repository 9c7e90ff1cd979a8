"""Each package folder has a README.md of one page: what it is for, and a table of its files that is true."""

from __future__ import annotations

import re

import pytest

from tests import readmes
from tests.test_layers import ROOT, no_tree_is_kept, sources  # noqa: F401  # a fixture

PAGE = 60
"""Most lines that are written by hand; a table is as long as its folder."""


@pytest.mark.parametrize("package", readmes.folders())
def test_a_folder_says_what_is_in_it(package):
    path = readmes.readme(package)
    assert path.exists(), f"{path.relative_to(ROOT)} is not there"
    text = path.read_text()
    assert text == readmes.with_table(text, package), "run `python -m tests.readmes --write`"
    if package not in readmes.ROOMS_OF:
        assert len(text.removesuffix(readmes.generated(package)).splitlines()) <= PAGE


@pytest.mark.parametrize("package", readmes.folders())
def test_what_it_names_is_there(package):
    path = readmes.readme(package)
    words = path.read_text().removesuffix(readmes.generated(package))
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
        assert (path.parent / target).exists(), target
    for tests in re.findall(r"\btests/[\w/]*\w(?:\.py)?(?![\w<])", words):
        assert (ROOT / tests).exists(), tests


def test_every_folder_of_the_compiler_is_a_room():
    inside = {m.rpartition(".")[0] for m in sources() if m.startswith("compiler.")}
    assert inside <= set(readmes.COMPILER)
