"""The examples of docs/graphs.md run one after the other, and print what the page says."""

from __future__ import annotations

import re
from pathlib import Path


def test_the_page(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "graphs.md").read_text()
    space: dict = {}
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        capsys.readouterr()
        exec(compile(code, "<docs/graphs.md>", "exec"), space)
        shown = [line[2:] for line in code.splitlines() if line.startswith("# ")]
        if shown:
            assert capsys.readouterr().out.strip() == "\n".join(shown)
