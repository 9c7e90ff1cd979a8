"""A query in a process of its own: if the process dies, the fault is present, and the caller continues.

`python -m functorch_lite.compiler.debugging.isolate` is what the processes are made of: it has imported the library,
reads names of scripts, runs each in a fork, and writes how that ended.
"""

from __future__ import annotations

import os
import runpy
import signal
import subprocess
import sys
import traceback
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
    """Asks scripts. compiler: by its name; folder: where they are written; options: the options of
    `save_graph_repro`."""

    def __init__(self, compiler: str, folder: Path, **options: Any):
        self.compiler, self.folder, self.options = compiler, folder.absolute(), options
        self.count = 0
        self._source: subprocess.Popen | None = None

    def __call__(self, gm: GraphModule, inputs: Sequence[Any]) -> bool:
        """Returns whether the fault is present: the script's exit status is 1, or a signal ended it."""
        self.count += 1
        spelled(gm)  # raises where no script can stand for it
        text = graph_repro(
            gm, inputs, self.compiler, save_dir=self.folder, command="minifier-query", **self.options
        )
        path = write_file(self.folder / f"query_{os.getpid()}_{self.count}.py", text)
        said = path.with_suffix(".err")
        try:
            status = self._forked(path) if hasattr(os, "fork") else self._alone(path, said)
            errors = said.read_text(errors="replace")
        finally:
            path.unlink(missing_ok=True)
            said.unlink(missing_ok=True)
        if status < 0 or (status == 1 and "Traceback" not in errors):
            return True
        if status:
            raise RuntimeError(f"a query could not be made: {path} ended with {status}:\n{errors[-2000:]}")
        return False

    def _forked(self, path: Path) -> int:
        source = self._source
        if source is None or source.poll() is not None:
            source = self._source = subprocess.Popen(
                [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        assert source.stdin is not None and source.stdout is not None
        source.stdin.write(f"{path}\n")
        source.stdin.flush()
        answer = source.stdout.readline()
        if not answer:
            raise RuntimeError("the process that makes queries has ended")
        return int(answer)

    @staticmethod
    def _alone(path: Path, said: Path) -> int:
        with said.open("w") as errors:
            arguments = [sys.executable, str(path), "minifier-query", "--no-isolate"]
            try:
                return subprocess.run(
                    arguments, stdout=subprocess.DEVNULL, stderr=errors, timeout=LONGEST, check=False
                ).returncode
            except subprocess.TimeoutExpired:
                return -1

    def __del__(self) -> None:
        source = self._source
        if source is not None and source.stdin is not None:
            source.stdin.close()  # it ends when there is no more to read
            source.wait()


def _query(path: str) -> None:
    """Runs a script, in this process, which ends with it."""
    signal.alarm(LONGEST)
    errors = os.open(str(Path(path).with_suffix(".err")), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(errors, 2)
    sys.argv = [path, "minifier-query", "--no-isolate"]
    status = 0
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else 2
    except BaseException:
        traceback.print_exc()
        status = 2
    sys.stderr.flush()
    os._exit(status)


def _main() -> None:
    from . import repro as repro  # what scripts import, so that forks need not

    for line in sys.stdin:
        child = os.fork()
        if not child:
            _query(line.rstrip("\n"))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    _main()
