"""The part of docs/ecosystem.md that says how packages' own tests did, and the reasons of those that fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.ecosystem.suites.packages import SUITES

REASONS = Path(__file__).parent / "reasons.txt"
BEGIN, END = "<!-- suites -->\n", "<!-- end of suites -->\n"
UNKNOWN = "not looked into"


def reasons() -> list[tuple[str, str, str]]:
    """(package, how the ids of its tests begin, reason), as `reasons.txt` has them, a line each; the longest beginning
    that fits is the one that counts."""
    lines = [line for line in REASONS.read_text().splitlines() if line.strip() and not line.startswith("#")]
    found = [tuple(part.strip() for part in line.split(" | ", 2)) for line in lines]
    return sorted(found, key=lambda r: -len(r[1]))  # type: ignore[arg-type,return-value]


def reason_of(package: str, test: str) -> str:
    """Why a test fails, as far as somebody found out."""
    return next(
        (why for name, begins, why in reasons() if name == package and test.startswith(begins)), UNKNOWN
    )


def write_page(page: Path, found: dict[str, tuple[list[str], dict[str, Any]]]) -> None:
    """Writes the results, `(ids, results)` of each package, between the marks of the page."""
    rows, causes, passed, of, unknown = [], [], 0, 0, 0
    for name, suite in SUITES.items():
        ids, results = found[name]
        if not suite.tests:
            rows.append(f"| {name} | {suite.version} | | {suite.why} |")
            continue
        if not ids:
            rows.append(f"| {name} | {suite.version} | | none chosen yet |")
            continue
        ran = [test for test in ids if test in results]
        failing = [test for test in ran if results[test]["outcome"] != "passed"]
        passed, of, unknown = passed + len(ran) - len(failing), of + len(ids), unknown + len(ids) - len(ran)
        notes = [suite.why] * bool(suite.why) + [f"{len(ids) - len(ran)} not run yet"] * (len(ran) < len(ids))
        rows.append(
            f"| {name} | {suite.version} | {len(ran) - len(failing)} of {len(ids)} | {'; '.join(notes)} |"
        )
        counts: dict[str, list[str]] = {}
        for test in failing:
            counts.setdefault(reason_of(name, test), []).append(test)
        for why, tests in counts.items():
            last = results[tests[0]]["why"].replace("|", "\\|").replace("`", "'")
            told = f"{why}: `{last[:120]}`" if why == UNKNOWN else why
            causes.append(f"| {name} | {len(tests)} | `{tests[0].rpartition('/')[2]}` | {told} |")
    text = (
        f"{passed} of {of} pass{f', {unknown} were not run yet' * bool(unknown)}.\n\n| package | version | tests that pass | |\n|---|---|---|---|\n"
        + "\n".join(rows)
        + "\n"
    )
    if causes:
        text += (
            "\n| package | fail | the first of them | reason |\n|---|---|---|---|\n"
            + "\n".join(causes)
            + "\n"
        )
    whole = page.read_text()
    head, begin, rest = whole.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"{page} has no place for the suites: two lines, {BEGIN.strip()} and {END.strip()}")
    page.write_text(head + begin + text + end + tail)
