"""The code blocks of docs/distributed.md, as they stand.
Run by test_document.py in a process with four devices: those for one process, in order; collectives_program.py runs
those for several."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "distributed.md"


def blocks(several_processes: bool) -> list[str]:
    """Those that make a process group, or the others."""
    found = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return [block for block in found if ("init_process_group(" in block) is several_processes]


if __name__ == "__main__":
    space: dict = {"__name__": "distributed"}
    for block in blocks(False):
        exec(compile(block, str(PAGE), "exec"), space)
        print("block ok")
