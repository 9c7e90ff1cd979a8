"""Runs the tutorials in notebooks/, each in a kernel of its own: a cell that raises, or an assertion that fails, is an
error.

    python -m tests.notebooks [--write] [part of a name ...]

With --write what the cells print and draw is stored in the files. What changes from run to run and says nothing is left
out: times of execution, and what a kernel writes to its log.
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent / "notebooks"
BASICS, TUTORIALS = sorted((FOLDER / "basics").glob("*.ipynb")), sorted(FOLDER.glob("*.ipynb"))
ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def run(path: Path) -> nbformat.NotebookNode:
    """The notebook with its outputs; raises what a cell raises."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, timeout=600, record_timing=False, resources={"metadata": {"path": FOLDER}}
    )
    client.execute()
    return notebook


def tidied(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Without what is of one run and one machine only, and with the parts that a stream came in as one."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [o for o in cell.outputs if o.get("name") != "stderr"]
            for output in cell.outputs:
                if "text" in output:
                    output.text = ADDRESS.sub("", output.text)
                elif "text/plain" in output.get("data", {}):
                    output.data["text/plain"] = ADDRESS.sub("", output.data["text/plain"])
    notebook.metadata.language_info = {"name": "python"}
    return notebook


def main(*arguments: str) -> None:
    """Runs those whose name contains one of the arguments, or all."""
    write, names = "--write" in arguments, [a for a in arguments if a != "--write"]
    for path in (*BASICS, *TUTORIALS):
        if names and not any(name in path.stem for name in names):
            continue
        started = time.perf_counter()
        notebook = run(path)
        print(f"{path.stem:32} {time.perf_counter() - started:6.1f} s", flush=True)
        if write:
            nbformat.write(tidied(notebook), path)


if __name__ == "__main__":
    main(*sys.argv[1:])
