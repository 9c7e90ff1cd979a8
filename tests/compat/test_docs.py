"""The code blocks of docs/bridges.md run in order, as they stand."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "bridges.md"


def test_the_page_runs():
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) >= 8
    space: dict = {"__name__": "bridges"}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), space)
