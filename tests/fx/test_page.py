"""The example of docs/fx.md runs and prints what it says."""

from __future__ import annotations

import re
from pathlib import Path


def test_the_page(capsys):
    page = (Path(__file__).parents[2] / "docs" / "fx.md").read_text()
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL)[1]  # type: ignore[index]
    space: dict = {}
    exec(code, space)
    shown = "\n".join(line[2:] for line in code.splitlines() if line.startswith("# "))
    assert capsys.readouterr().out.strip() == shown
    assert "torch.sigmoid(fc)" in space["gm"].code
