"""A plugin of pytest, loaded by `-p suite_plugin` inside a package's own suite: which tests run, how long each may
take, and a record of each.

A module by itself, imported by no name that begins with `tests`: that is what many suites are called. With
`--suite-here`, `import torch` means this library from the moment the plugin is imported, which is before any test is.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

if "--suite-here" in sys.argv:
    from functorch_lite.compat import install_as_torch

    install_as_torch()
else:  # torchvision's ops in C++ do not load beside PyTorch for CPUs; the rest of it is Python
    sys.modules["torchvision._meta_registrations"] = ModuleType("torchvision._meta_registrations")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("suite")
    group.addoption("--suite-here", action="store_true", help="`import torch` means functorch_lite")
    group.addoption("--suite-record", help="a file that gets a line of JSON for whatever happens")
    group.addoption(
        "--suite-only", default="", help="a file with the ids of the tests that run; all, without it"
    )
    group.addoption("--suite-without", default="", help="a file with ids of tests that do not run")
    group.addoption("--suite-limit", type=float, default=60.0, help="seconds that a test may take")
    group.addoption("--suite-enough", type=int, default=0, help="how many tests are to pass; 0: all")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_Recorder(config), "suite-recorder")


def _lines(file: str) -> set[str]:
    return set(Path(file).read_text().splitlines()) if file else set()


def _digest(text: str) -> str:
    return hashlib.sha1(text.encode()).hexdigest()


def mixed(ids: list[str]) -> list[str]:
    """The ids in an order that looks random and is always the same: one of each function before the second of any, so
    that none fills the choice."""
    turns: dict[str, int] = {}
    order = []
    for name in sorted(ids, key=_digest):
        function = name.partition("[")[0]
        turns[function] = turns.get(function, -1) + 1
        order.append((turns[function], _digest(function), name))
    return [name for _, _, name in sorted(order)]


class _Recorder:
    def __init__(self, config: pytest.Config) -> None:
        option = config.option
        self.only, self.without = _lines(option.suite_only), _lines(option.suite_without)
        self.limit, self.missing = option.suite_limit, option.suite_enough
        self.restricted, self.mixes = bool(option.suite_only), bool(option.suite_enough)
        self.file = open(option.suite_record, "a", buffering=1)  # noqa: SIM115: open as long as the process is
        self.process = os.getpid()
        self.parts: dict[str, tuple[str, str]] = {}
        self.began = 0.0

    def _write(self, **entry) -> None:
        self.file.write(json.dumps(entry) + "\n")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._write(collecting=report.nodeid, why=_why(report))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, config: pytest.Config, items: list
    ) -> None:
        kept = {
            i.nodeid: i
            for i in items
            if i.nodeid not in self.without and (not self.restricted or i.nodeid in self.only)
        }
        order = mixed(list(kept)) if self.mixes else list(kept)
        items[:] = [kept[name] for name in order]
        self._write(collected=len(items))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item):
        self._write(begins=item.nodeid)
        self.parts = {}
        began = self.began = time.monotonic()
        yield
        if os.getpid() != self.process:  # a child that a test forked, and that came back here
            os._exit(1)
        outcomes = [outcome for outcome, _ in self.parts.values()]
        outcome = next((o for o in ("failed", "skipped") if o in outcomes), "passed")
        why = next((w for o, w in self.parts.values() if o == outcome), "")
        self._write(test=item.nodeid, outcome=outcome, s=round(time.monotonic() - began, 2), why=why)
        if self.mixes and outcome == "passed":
            self.missing -= 1
            if not self.missing:
                item.session.shouldstop = "enough tests pass"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.parts[report.when or ""] = (report.outcome, "" if report.passed else _why(report))

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item):
        yield from self._limited()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item):
        yield from self._limited()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item):
        yield from self._limited()

    def _limited(self):
        """Ends what runs in between when the test's time is over: the test's own parts, and not pytest while it reports
        them."""
        signal.signal(signal.SIGALRM, self._too_long)
        signal.setitimer(signal.ITIMER_REAL, max(self.began + self.limit - time.monotonic(), 0.1))
        yield
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _too_long(self, *_) -> None:
        pytest.fail(f"not done after {self.limit:g} s", pytrace=False)


def _why(report) -> str:
    """The error in a line: what pytest calls the crash, or else the last line of what it prints."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash is not None else str(report.longrepr)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return report.outcome
    return (lines[0] if crash is not None else lines[-1])[:300]
