"""Run by test_document.py in a process with four devices: the code blocks of docs/distributed.md in order, as they stand."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "distributed.md"

if __name__ == "__main__":
    space: dict = {"__name__": "distributed"}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL):
        exec(compile(block, str(PAGE), "exec"), space)
        print("block ok")
