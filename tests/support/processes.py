"""Processes of a test's own that need no two seconds of imports: each is forked from one that has imported the library
and not started JAX.

A child may still choose how many devices there are, and whatever else XLA_FLAGS says. What looks at how Python starts
(the seed of hashes, what is imported when, settings that are read at import) needs a new interpreter, which
`subprocess` gives.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import runpy
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from tests.support.full import FULL

ROOT = Path(__file__).parents[2]


def run(module: str, *arguments: str, devices: int = 4, timeout: float = 900) -> str:
    """What `python -m module arguments` prints, with this many CPU devices; its errors are raised.

    What it computes on the first device alone, to compare with, is NumPy's, unless at full length: nothing is compiled
    for it.
    """
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={devices}"
    env = {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags}
    if not FULL:
        env["FUNCTORCH_LITE_TIER"] = "cold"
    done = python("-m", module, *arguments, timeout=timeout, **env)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
    return done.stdout


def python(*command: str, timeout: float = 900, **env: str) -> subprocess.CompletedProcess:
    """`python -m module …` or `python -c code …`, in the repository's folder; env: what is read after the import of the
    library, and the tier."""
    with tempfile.TemporaryDirectory() as folder:
        job = {"command": command, "env": {**os.environ, **env}, "into": folder}
        parent = _parent()
        parent.stdin.write(json.dumps(job) + "\n")
        parent.stdin.flush()
        child = int(parent.stdout.readline())
        killer = subprocess.Popen(["sh", "-c", f"sleep {timeout} && kill -9 {child}"], start_new_session=True)
        status = int(parent.stdout.readline())
        os.killpg(killer.pid, 9)
        killer.wait()
        printed = [Path(folder, name).read_text() for name in ("1", "2")]
    return subprocess.CompletedProcess(command, status, *printed)


@functools.cache
def _parent() -> subprocess.Popen:
    command, pipe = [sys.executable, "-m", __name__], subprocess.PIPE
    parent = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)
    atexit.register(parent.stdin.close)
    return parent


def _serve(jobs, answers) -> dict | None:
    """Forks a child for each job, which gets it, and prints its id and its exit status."""
    for line in jobs:
        with warnings.catch_warnings(action="ignore"):  # of JAX, which has no threads yet
            child = os.fork()
        if not child:
            return json.loads(line)
        print(child, file=answers, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), file=answers, flush=True)
    return None


def _become(job: dict) -> None:
    """Does the job as the program of this process."""
    os.environ.clear()
    os.environ.update(job["env"])
    for stream in (1, 2):
        os.dup2(os.open(f"{job['into']}/{stream}", os.O_WRONLY | os.O_CREAT), stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    chosen = functorch_lite.debug.tier(job["env"].get("FUNCTORCH_LITE_TIER", "auto"))
    chosen.__enter__()  # for good
    option, what, *arguments = job["command"]
    sys.argv, sys.path[0] = [option, *arguments], ""
    if option == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        exec(compile(what, "<string>", "exec"), sys.modules["__main__"].__dict__)


if __name__ == "__main__":
    import functorch_lite

    if (job := _serve(sys.stdin, os.fdopen(os.dup(1), "w"))) is not None:
        _become(job)
