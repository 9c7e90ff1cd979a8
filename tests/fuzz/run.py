"""Runs of the fuzzer: so many calls of a family, the tally of what became of them, and the differences grouped by op.

A family is a module `calls_<name>.py` of this folder with `calls() -> SearchStrategy[Call]`.
"""

from __future__ import annotations

import gc
import importlib
import itertools
import json
import pkgutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tests.fuzz

BATCH = 500
"""Calls in one process: each program holds dozens of memory maps, of which Linux gives a process some 65,000."""
PROGRAMS_KEPT = 150
MOST_SECONDS = 1800
"""After which such a process counts as hung."""


@dataclass
class Tally:
    """What became of the calls of a run."""

    kinds: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    found: list[tuple[str, str, str]] = field(default_factory=list)
    """(op, kind, the difference with its line of Python)"""

    def add(self, outcome) -> None:
        self.kinds[outcome.kind] += 1
        if outcome.kind == "excluded":
            self.reasons[outcome.detail] += 1
        if outcome.bad:
            self.found.append((outcome.call.name, outcome.kind, str(outcome)))

    def merge(self, other: Tally) -> None:
        self.kinds += other.kinds
        self.reasons += other.reasons
        self.found += other.found

    @property
    def cases(self) -> int:
        return sum(self.kinds.values())

    def summary(self) -> str:
        """One line: how many calls, and of which kinds."""
        return f"{self.cases} calls: " + ", ".join(f"{n} {k}" for k, n in self.kinds.most_common())

    def report(self, each: int = 5) -> str:
        """Every difference, grouped by op and kind; of equal kind at most `each`."""
        groups: dict[tuple[str, str], list[str]] = defaultdict(list)
        for name, kind, text in self.found:
            groups[name, kind].append(text)
        lines = []
        for (name, kind), texts in sorted(groups.items()):
            lines.append(f"== {name}: {kind} ({len(texts)})")
            lines += texts[:each]
        lines += [f"excluded, {n}: {why}" for why, n in self.reasons.most_common()]
        return "\n".join([*lines, self.summary()])


def families() -> list[str]:
    """The names of all families."""
    names = [m.name for m in pkgutil.iter_modules(tests.fuzz.__path__)]
    return sorted(n.removeprefix("calls_") for n in names if n.startswith("calls_"))


def strategy_of(family: str):
    """The strategy that draws a family's calls."""
    return importlib.import_module(f"tests.fuzz.calls_{family}").calls()


class Runner:
    """Makes calls in this process and keeps the tally; `before` is given each as a line of Python."""

    def __init__(self, before: Callable[[str], object] = lambda line: None):
        from functorch_lite._core.run import executor

        self.tally = Tally()
        self._before = before
        self._executor = executor
        self._made = executor.stats["programs"]

    def __call__(self, call: Any) -> None:
        from tests.fuzz.outcome import compare, line_of

        self._before(line_of(call))
        self.tally.add(compare(call))
        if self._executor.stats["programs"] - self._made > PROGRAMS_KEPT:
            self._executor.flush()
            self._executor.forget_programs()
            gc.collect()
            self._made = self._executor.stats["programs"]


def run_singles(
    family: str, part: int, parts: int, before: Callable[[str], object] = lambda line: None
) -> Iterator[Tally]:
    """Makes every `parts`-th call of singles.py from number `part` on, in this process; gives the tally so far after
    each."""
    from tests.fuzz import singles

    one = Runner(before)
    for call in itertools.islice(singles.calls(family), part, None, parts):
        one(call)
        yield one.tally


def run_here(
    family: str, cases: int, seed: int, before: Callable[[str], object] = lambda line: None
) -> Tally:
    """Runs calls in this process; `before` is given each as a line of Python. The same seed gives the same calls."""
    from hypothesis import HealthCheck, Phase, Verbosity, given, settings
    from hypothesis import seed as seeded

    one = Runner(before)

    @seeded(seed)
    @settings(
        max_examples=cases, deadline=None, database=None, phases=[Phase.generate], verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(strategy_of(family))
    def each(call):
        one(call)

    each()
    return one.tally


def run_apart(family: str, cases: int, seed: int) -> Iterator[Tally]:
    """The same in processes of their own, a Tally for each: a call that kills its process, or never comes back, is a
    difference called `crash`."""
    with tempfile.TemporaryDirectory() as folder:
        for at in range(0, cases, BATCH):
            n = min(BATCH, cases - at)
            log = Path(folder, f"{at}.json")
            command = [sys.executable, "-m", "tests.fuzz", "--family", family, "--cases", str(n), "--seed"]
            command += [str(seed * 1_000_003 + at), "--into", str(log)]
            try:
                done = subprocess.run(
                    command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=MOST_SECONDS
                )
            except subprocess.TimeoutExpired:  # a wait outside of Python, which no signal ends
                done = subprocess.CompletedProcess(command, "timeout", "")
            yield _read(log, done)


def write(tally: Tally, to: Path) -> None:
    """Leaves a tally where the process that asked for it reads it."""
    to.write_text(
        json.dumps({"kinds": tally.kinds, "reasons": tally.reasons, "found": tally.found, "done": True})
    )


def _read(log: Path, done: subprocess.CompletedProcess) -> Tally:
    try:
        got = json.loads(log.read_text())
        return Tally(Counter(got["kinds"]), Counter(got["reasons"]), [tuple(f) for f in got["found"]])
    except (OSError, ValueError):
        last = log.with_suffix(".last")
        line = last.read_text() if last.exists() else "before the first call"
        text = f"crash: exit status {done.returncode}\n    {line}\n{done.stdout[-1500:]}"
        return Tally(Counter({"crash": 1}), Counter(), [(line.split("(")[0], "crash", text)])
