"""A package's suite in processes of its own, to the end: what a process that died or hung left undone is taken up by
the next.

Each result is a line in a file as soon as it is known, so a run that was interrupted goes on where it was.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tests.ecosystem.suites.packages import Suite

HERE = Path(__file__).parent
SLACK_S = 60.0
"""How much longer than a test's limit it may take until its process is ended: importing and collecting have to be done
in it, too."""
COLLECTING_S = 600.0
"""How long a process may take to import and collect its tests."""


class Record:
    """A file of JSON lines: what a suite's tests did. Torn lines, of a process that was killed, are nothing."""

    def __init__(self, file: Path) -> None:
        self.file = file
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()

    def entries(self) -> list[dict[str, Any]]:
        if not self.file.exists():
            return []
        found = []
        for line in self.file.read_text().splitlines():
            try:
                found.append(json.loads(line))
            except json.JSONDecodeError:
                continue
        return found

    def append(self, **entry: Any) -> None:
        with self.file.open("a") as f:
            f.write("\n" + json.dumps(entry) + "\n")

    def results(self) -> dict[str, dict[str, Any]]:
        """The last result of each test."""
        return {e["test"]: e for e in self.entries() if "test" in e}

    def mark(self) -> str:
        """The fingerprint that the file was begun with; nothing, if there is none."""
        return next((e["fingerprint"] for e in self.entries()[:1] if "fingerprint" in e), "")

    def begin(self, fingerprint: str, again: Iterable[str] = ()) -> None:
        """Keeps what a run of the same `fingerprint` left, without the results that are in `again`; all else goes."""
        entries = self.entries()
        same = self.mark() == fingerprint
        left, again = [e for e in entries if "test" in e or "exhausted" in e] if same else [], set(again)
        lines = [{"fingerprint": fingerprint}, *(e for e in left if e.get("test") not in again)]
        self.file.write_text("".join(json.dumps(line) + "\n" for line in lines))


def run(
    suite: Suite,
    folder: Path,
    python: str,
    record: Record,
    *,
    here: bool,
    limit: float,
    only: list[str] | None = None,
    enough: int = 0,
    progress: Callable[[dict[str, dict[str, Any]]], None],
) -> None:
    """Runs the tests `only` (or, mixed, until `enough` of all pass) of the suite in `folder`, as far as `record` does
    not have them."""
    while True:
        done = record.results()
        passed = sum(e["outcome"] == "passed" for e in done.values())
        exhausted = only is None and any("exhausted" in e for e in record.entries())
        if exhausted or (enough and passed >= enough) or (only is not None and set(only) <= set(done)):
            return
        before = len(done)
        lists = {"only": only, "without": list(done)}
        command = [
            python,
            "-m",
            "pytest",
            "-p",
            "suite_plugin",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            "-q",
        ]
        command += ["-c", str(HERE / "pytest.ini"), f"--rootdir={folder}", "--continue-on-collection-errors"]
        command += [f"--suite-record={record.file}", f"--suite-limit={limit:g}"]
        command += ["--suite-here"] * here + [f"--suite-enough={max(enough - passed, 0)}"] * bool(enough)
        for name, ids in lists.items():
            if ids is not None:
                file = record.file.with_suffix(f".{name}")
                file.write_text("".join(line + "\n" for line in ids))
                command.append(f"--suite-{name}={file}")
        if only is not None:
            command += sorted({name.partition("::")[0] for name in set(only) - set(done)})
        else:
            command += suite.tests
        ended = _watch(command, folder, dict(suite.env), record, limit, progress)
        begun = [e["begins"] for e in record.entries() if "begins" in e]
        if begun and begun[-1] not in record.results():
            record.append(test=begun[-1], outcome="failed", s=0, why=ended)
        elif len(record.results()) == before or only is None:
            record.append(exhausted=True)
            break
    if only is not None:  # what is left was not collected
        errors = {e["collecting"]: e["why"] for e in record.entries() if "collecting" in e}
        for name in sorted(set(only) - set(record.results())):
            why = next(
                (w for at, w in errors.items() if at and name.startswith(at)), f"not collected: {ended}"
            )
            record.append(test=name, outcome="failed", s=0, why=why)


def _watch(
    command: list[str],
    folder: Path,
    more: dict[str, str],
    record: Record,
    limit: float,
    progress: Callable[..., None],
) -> str:
    """Runs one process of pytest; ends it when it reports nothing for too long. Returns how it ended."""
    env = {
        **os.environ,
        "PYTHONPATH": str(HERE),
        "HF_HUB_OFFLINE": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "JAX_PLATFORMS": "cpu",
        "MPLBACKEND": "agg",
        "OMP_NUM_THREADS": "1",
        **more,
    }
    with record.file.with_suffix(".log").open("w") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            size, since, collected = -1, time.monotonic(), False
            while process.poll() is None:
                time.sleep(0.2)
                now = record.file.stat().st_size
                if now != size:
                    size, since = now, time.monotonic()
                    collected = collected or any("begins" in e for e in record.entries()[-3:])
                    progress(record.results())
                if time.monotonic() - since > (limit + SLACK_S if collected else COLLECTING_S):
                    return "its process hung, and was ended"
            if process.returncode < 0:
                return f"its process was ended by {signal.Signals(-process.returncode).name}"
            lines = [
                line for line in record.file.with_suffix(".log").read_text().splitlines() if line.strip()
            ]
            return f"its process ended with {process.returncode}: {lines[-1] if lines else ''}"
        finally:
            if process.poll() is None or sys.exc_info()[0] is not None:
                _end(process)


def _end(process: subprocess.Popen) -> None:
    """Ends the process, and what it started, which is in its group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
