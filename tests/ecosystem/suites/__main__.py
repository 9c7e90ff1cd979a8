"""Runs packages' own tests on this library; see `make ecosystem`.

    python -m tests.ecosystem.suites [--failed] [--page docs/ecosystem.md] [package …]
    python -m tests.ecosystem.suites --pytorch PYTHON --write [package …]

The first runs the tests in `chosen/`, those that no earlier run of the same sources did; `--failed` runs those that
failed again, whatever the sources. The second chooses them: up to 80 that pass under PYTHON, which has PyTorch. Both go
on where they were interrupted; what they know is in `build/suites`.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
import sys
import time
from pathlib import Path

from tests.ecosystem.suites.packages import SUITES, Suite, fetch
from tests.ecosystem.suites.page import write_page
from tests.ecosystem.suites.running import Record, run

ROOT = Path(__file__).parents[3]
BUILD = ROOT / "build" / "suites"
CHOSEN = Path(__file__).parent / "chosen"
ENOUGH = 80
PYTORCH_LIMIT_S = 2.0
"""How long a test may take under PyTorch to be chosen: what is in it shall be what it tests, not how long it trains."""
LIMIT_S = 90.0
"""How long one may take here, compiling included."""


def fingerprint() -> str:
    """Of the library's sources and of what is chosen: results are of them."""
    found = hashlib.sha1()
    for folder in ("functorch_lite", "nn", "optim", "compat"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            found.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes())
    return found.hexdigest()


def chosen(name: str) -> list[str]:
    """The ids of the tests that run of a package."""
    file = CHOSEN / f"{name}.txt"
    return file.read_text().splitlines() if file.exists() else []


class _Progress:
    """A line that says how far a suite is: written over on a terminal, and now and then elsewhere."""

    def __init__(self, name: str, of: int) -> None:
        self.name, self.of, self.told = name, of, time.monotonic()

    def __call__(self, results: dict) -> None:
        line = f"{self.name:14} {sum(r['outcome'] == 'passed' for r in results.values()):3} passed, {len(results):3} done of {self.of}"
        if sys.stdout.isatty():
            print(line, end="\r", flush=True)
        elif time.monotonic() - self.told > 30:
            self.told = time.monotonic()
            print(line, flush=True)


def choose(name: str, suite: Suite, python: str) -> list[str]:
    """Up to ENOUGH tests that pass under PyTorch, twice: in a mixed order, until there are enough, and in the suite's
    own, as they will run here."""
    folder = BUILD / name
    folder.mkdir(parents=True, exist_ok=True)
    root = fetch(suite, folder)
    mark = f"{suite.version} {PYTORCH_LIMIT_S} {ENOUGH}"
    mixed, ordered = Record(folder / "mixed.jsonl"), Record(folder / "ordered.jsonl")
    told = _Progress(name, ENOUGH)
    mixed.begin(mark)
    run(suite, root, python, mixed, here=False, limit=PYTORCH_LIMIT_S, enough=ENOUGH, progress=told)
    passing = [e["test"] for e in mixed.results().values() if e["outcome"] == "passed"][:ENOUGH]
    ordered.begin(mark)
    run(suite, root, python, ordered, here=False, limit=3 * PYTORCH_LIMIT_S, only=passing, progress=told)
    again = ordered.results()
    return sorted(name for name in passing if again[name]["outcome"] == "passed")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.ecosystem.suites", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument(
        "--pytorch", metavar="PYTHON", default=str(ROOT / ".venv-ecosystem-pytorch" / "bin" / "python")
    )
    parser.add_argument("--write", action="store_true", help="choose tests, and write their ids")
    parser.add_argument("--failed", action="store_true", help="run again what failed, keep what passed")
    parser.add_argument("--limit", type=float, default=LIMIT_S, help="seconds that a test may take")
    parser.add_argument("--page", type=Path, help="the page to write the results into")
    parser.add_argument("packages", nargs="*", choices=[[], *SUITES], metavar="package")
    asked = parser.parse_args(arguments)
    for name in asked.packages or SUITES:
        suite, folder = SUITES[name], BUILD / name
        if not suite.tests:
            print(f"{name:14} none: {suite.why}")
            continue
        began = time.monotonic()
        if asked.write:
            ids = choose(name, suite, os.path.abspath(asked.pytorch))
            (CHOSEN / f"{name}.txt").write_text("".join(line + "\n" for line in ids))
            print(
                f"{name:14} {len(ids):3} chosen                {time.monotonic() - began:5.0f} s", flush=True
            )
            continue
        ids, record = chosen(name), Record(folder / "here.jsonl")
        folder.mkdir(parents=True, exist_ok=True)
        root = fetch(suite, folder)
        results = record.results()
        if asked.failed:
            record.begin(
                record.mark() or fingerprint(), [n for n, e in results.items() if e["outcome"] != "passed"]
            )
        else:
            record.begin(fingerprint())
        run(
            suite,
            root,
            sys.executable,
            record,
            here=True,
            limit=asked.limit,
            only=ids,
            progress=_Progress(name, len(ids)),
        )
        results = record.results()
        good = sum(results[n]["outcome"] == "passed" for n in ids)
        print(
            f"{name:14} {good:3} of {len(ids):3} pass             {time.monotonic() - began:5.0f} s",
            flush=True,
        )
    if asked.page is not None:
        write_page(
            asked.page,
            {name: (chosen(name), Record(BUILD / name / "here.jsonl").results()) for name in SUITES},
        )
    return 0


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM):  # either ends what runs, too
        signal.signal(number, signal.default_int_handler)
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        print("\ninterrupted; the next run goes on here")
        sys.exit(130)
