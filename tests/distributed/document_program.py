"""The code blocks of the pages on several devices.

Run by test_document.py in a process with four devices: those for one process, in order. collectives_program.py runs
those for several processes."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("distributed", "distributed_checkpoints", "processes", "pipelines")


def blocks(several_processes: bool) -> list[tuple[str, str]]:
    """(file, code) of the blocks that create a process group, or of the others."""
    found = []
    for page in PAGES:
        path = DOCS / f"{page}.md"
        for block in re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL):
            if ("init_process_group(" in block) is several_processes:
                found.append((str(path), block))
    return found


if __name__ == "__main__":
    namespace: dict = {"__name__": "distributed"}
    for file, block in blocks(False):
        exec(compile(block, file, "exec"), namespace)
        print("block ok")
