"""A query in a process of its own: where that dies, the fault is there, and whoever asked goes on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...fx import GraphModule
from .saved import write_file
from .script import graph_repro
from .spelling import spelled

__all__ = ["Isolated"]

LONGEST = 600
"""Seconds that a query may take; one that takes longer has the fault."""


class Isolated:
    """Asks scripts. compiler: by its name; folder: where they are written; options: those of `save_graph_repro`."""

    def __init__(self, compiler: str, folder: Path, **options: Any):
        self.compiler, self.folder, self.options = compiler, folder, options
        self.count = 0

    def __call__(self, gm: GraphModule, inputs: Sequence[Any]) -> bool:
        """Whether the fault is there: the script's exit status is 1, or a signal ended it."""
        self.count += 1
        spelled(gm)  # raises where no script can stand for it
        text = graph_repro(
            gm, inputs, self.compiler, save_dir=self.folder, command="minifier-query", **self.options
        )
        path = write_file(self.folder / f"query_{os.getpid()}_{self.count}.py", text)
        try:
            done = subprocess.run(
                [sys.executable, str(path), "minifier-query", "--no-isolate"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                timeout=LONGEST,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return True
        finally:
            path.unlink(missing_ok=True)
        if done.returncode < 0 or (done.returncode == 1 and b"Traceback" not in done.stderr):
            return True
        if done.returncode:
            said = done.stderr.decode(errors="replace")[-2000:]
            raise RuntimeError(f"a query could not be made: {path} ended with {done.returncode}:\n{said}")
        return False
