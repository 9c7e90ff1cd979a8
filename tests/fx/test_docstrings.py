"""The examples in the docstrings of functorch_lite.fx, and the one of docs/fx.md, run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import functorch_lite as torch
from functorch_lite import fx

MODULES = sorted(m.name for m in pkgutil.walk_packages(fx.__path__, f"{fx.__name__}."))


@pytest.mark.parametrize("name", [fx.__name__, *MODULES])
def test_examples(name):
    module = importlib.import_module(name)
    space = {**vars(module), "torch": torch, "model": None}
    for test in doctest.DocTestFinder().find(module, globs=space):
        result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
        assert not result.failed, test.name


def test_the_page(capsys):
    page = (Path(__file__).parents[2] / "docs" / "fx.md").read_text()
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL)[1]  # type: ignore[index]
    space: dict = {}
    exec(code, space)
    shown = "\n".join(line[2:] for line in code.splitlines() if line.startswith("# "))
    assert capsys.readouterr().out.strip() == shown
    assert "torch.sigmoid(fc)" in space["gm"].code
