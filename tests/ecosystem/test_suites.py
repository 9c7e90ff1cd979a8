"""What runs packages' own suites: what is chosen, what a process that dies or hangs leaves, and the reasons of what
fails."""

import json
import sys
from pathlib import Path

from tests.ecosystem.suites.__main__ import ENOUGH, chosen
from tests.ecosystem.suites.packages import SUITES, Suite
from tests.ecosystem.suites.page import UNKNOWN, reasons
from tests.ecosystem.suites.running import Record, run

PAGE = Path(__file__).parents[2] / "docs" / "ecosystem.md"
PROGRAM = """
import os, signal, time
import pytest

@pytest.mark.parametrize("n", range(3))
def test_passes(n): pass
def test_fails(): assert 1 + 1 == 3
def test_hangs(): time.sleep(20)
def test_dies(): os.kill(os.getpid(), signal.SIGKILL)
def test_last(): pass
"""


def test_a_suite_goes_on_after_a_test_that_hangs_and_one_that_ends_the_process(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(PROGRAM)
    names = ["passes[0]", "fails", "hangs", "dies", "last", "gone"]  # the last is no test of the suite
    ids = [f"test_it.py::test_{name}" for name in names]
    record = Record(tmp_path / "record.jsonl")
    seen: list[int] = []
    run(
        Suite("x"), tmp_path, sys.executable, record, here=False, limit=0.5, only=ids, progress=lambda r: seen.append(len(r))
    )  # fmt: skip
    found = record.results()
    assert {n: found[i]["outcome"] for n, i in zip(names, ids)} == {
        "passes[0]": "passed", "fails": "failed", "hangs": "failed", "dies": "failed", "last": "passed", "gone": "failed",
    }  # fmt: skip
    assert "not done after 0.5 s" in found[ids[2]]["why"] and "SIGKILL" in found[ids[3]]["why"]
    assert "not collected" in found[ids[5]]["why"]
    assert seen


def test_a_record_forgets_other_sources_and_what_is_to_run_again(tmp_path: Path) -> None:
    record = Record(tmp_path / "record.jsonl")
    record.begin("one")
    record.append(test="a", outcome="passed")
    record.append(test="b", outcome="failed")
    with record.file.open("a") as f:
        f.write('{"test": "c", "outc')  # of a process that was killed
    record.append(test="d", outcome="passed")
    record.begin("one", again=["b"])
    assert set(record.results()) == {"a", "d"}
    record.begin("two")
    assert record.results() == {} and json.loads(record.file.read_text()) == {"fingerprint": "two"}


def test_what_is_chosen_is_of_a_suite_and_reasons_are_of_what_is_chosen() -> None:
    for name, suite in SUITES.items():
        ids = chosen(name)
        assert suite.version and (suite.tests or not ids), name
        assert ids == sorted(set(ids)) and len(ids) <= ENOUGH, name
    for name, begins, why in reasons():
        assert why and any(test.startswith(begins) for test in chosen(name)), (name, begins)


def test_every_test_that_fails_has_its_reason() -> None:
    assert UNKNOWN not in PAGE.read_text()
