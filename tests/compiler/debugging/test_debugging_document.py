"""The pages on debugging: their code runs, and prints what the pages say it prints."""

from __future__ import annotations

import contextlib
import io
import linecache
import re
import runpy
import shlex
import sys
from pathlib import Path

import pytest

import functorch_lite as torch

DOCS = Path(__file__).parents[3] / "docs"
PAGES = {"nan": 3, "index_errors": 2, "crashes": 2, "wrong_results": 1, "debugging": 1}
"""Each page, and how many outputs it shows."""

BLOCK = re.compile(r"```(python|text|sh)\n(.*?)```", re.DOTALL)
NUMBER = re.compile(r"-?\d+\.\d+(e[-+]\d+)?")


def plain(text):
    """The text with every fraction replaced, and without surrounding blank lines."""
    return NUMBER.sub("1.5", text).strip()


@pytest.mark.parametrize("page", PAGES)
def test_the_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "functorch_lite", torch)
    torch.manual_seed(0)
    scope, program, said, shown = {"__name__": "train"}, "", "", 0
    for kind, code in BLOCK.findall((DOCS / f"{page}.md").read_text()):
        if kind == "text":
            assert plain(said) == plain(code)
            shown += 1
            continue
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            if kind == "sh":
                called, *arguments = shlex.split(code)
                assert called == "python"
                monkeypatch.setattr(sys, "argv", arguments)
                runpy.run_path(arguments[0], run_name="__main__")
            else:
                before, program = program.count("\n"), program + code  # the page is one program
                linecache.cache["train.py"] = (len(program), None, program.splitlines(True), "train.py")
                exec(compile("\n" * before + code, "train.py", "exec"), scope)
        said = out.getvalue()
    assert shown == PAGES[page]
