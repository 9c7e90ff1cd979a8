"""Compare: measurements as a table, a row for each sub_label, a column for each description."""

from __future__ import annotations

import enum
from collections.abc import Iterable

from .measurement import Measurement, ordered_unique, select_unit, trim_sigfig, unit_to_english

__all__ = ["Colorize", "Compare"]

BEST, GOOD, BAD, VERY_BAD, END = (
    "\033[92m\033[1m",
    "\033[34m",
    "\033[2m\033[91m",
    "\033[31m\033[1m",
    "\033[0m",
)


class Colorize(enum.Enum):
    """Cells that the colors of a table compare with each other."""

    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


class Compare:
    """Shows measurements side by side: `Compare([timer.timeit(100) for timer in timers]).print()`.

    A table for each label, a section for each number of threads. Measurements of the same thing are merged.

    Args:
        results: the measurements.
    """

    def __init__(self, results: Iterable[Measurement]):
        self._results: list[Measurement] = []
        self.extend_results(results)
        self._trim = False
        self._colorize = Colorize.NONE
        self._warn = False

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """Adds measurements."""
        for r in results:
            if not isinstance(r, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(r)} instead.")
            self._results.append(r)

    def trim_significant_figures(self) -> None:
        """Shows no more figures than mean something."""
        self._trim = True

    def colorize(self, rowwise: bool = False) -> None:
        """Colors the best and the worst of each column (or row)."""
        self._colorize = Colorize.ROWWISE if rowwise else Colorize.COLUMNWISE

    def highlight_warnings(self) -> None:
        """Marks measurements whose times differ a lot."""
        self._warn = True

    def print(self) -> None:
        """Prints the tables."""
        print(str(self))

    def __str__(self) -> str:
        merged = Measurement.merge(self._results)
        labels = ordered_unique(m.task_spec.label for m in merged)
        return "\n".join(self._table([m for m in merged if m.task_spec.label == label]) for label in labels)

    def _table(self, results: list[Measurement]) -> str:
        unit, scale = select_unit(min(m.median for m in results))
        columns = ordered_unique(m.task_spec.description for m in results)
        sections = ordered_unique((m.env, m.task_spec.num_threads) for m in results)
        several_envs = len({env for env, _ in sections}) > 1
        names = ordered_unique(m.as_row_name for m in results)
        left = max(len(n) for n in names) + 6
        cells: dict[tuple, Measurement] = {
            (m.env, m.task_spec.num_threads, m.as_row_name, m.task_spec.description): m for m in results
        }
        digits = {d: self._digits([m for k, m in cells.items() if k[3] == d], scale) for d in columns}
        width = {
            d: max(
                [
                    len(d or ""),
                    *[len(self._number(m, scale, digits[d])) for k, m in cells.items() if k[3] == d],
                ]
            )
            for d in columns
        }
        rows = [" " * left + "".join(f"  |  {(d or '').center(width[d])}" for d in columns)]
        for env, threads in sections:
            rows.append(f"{threads} threads: {f'({env}) ' if several_envs else ''}".ljust(len(rows[0]), "-"))
            for name in names:
                line = {d: cells.get((env, threads, name, d)) for d in columns}
                if not any(line.values()):
                    continue
                text = "      " + name.ljust(left - 6)
                for d, m in line.items():
                    shown = "" if m is None else self._number(m, scale, digits[d])
                    padded = shown.rjust(width[d])
                    peers = [x for x in line.values() if x] if self._colorize is Colorize.ROWWISE else [
                        x for k, x in cells.items() if k[3] == d and k[:2] == (env, threads)
                    ]  # fmt: skip
                    text += "  |  " + (padded if m is None else self._colored(padded, m, peers))
                rows.append(text)
        title = results[0].task_spec.label or ""
        head = f"[{f' {title} '.center(len(rows[0]) - 2, '-')}]"
        notes = [f"Times are in {unit_to_english(unit)}s ({unit})."]
        if self._warn and any(m.has_warnings for m in results):
            notes.append("(! XX%) Measurement has high variance, where XX is the IQR / median * 100.")
        return "\n".join([head, *rows, "", *notes, ""])

    def _digits(self, results: list[Measurement], scale: float) -> int:
        """Decimals that a column shows: as many as its most precise time needs, at most one unless figures are
        trimmed."""
        if not self._trim:
            return 1
        needed = 0
        for m in results:
            text = f"{trim_sigfig(m.median / scale, m.significant_figures):.10f}".rstrip("0")
            needed = max(needed, len(text.partition(".")[2]))
        return min(needed, 3)

    def _number(self, m: Measurement, scale: float, digits: int) -> str:
        t = m.median / scale
        shown = f"{trim_sigfig(t, m.significant_figures) if self._trim else t:.{digits}f}"
        return f"(! {m.iqr / m.median * 100:.0f}%) {shown}" if self._warn and m.has_warnings else shown

    def _colored(self, text: str, m: Measurement, peers: list[Measurement]) -> str:
        if self._colorize is Colorize.NONE or len(peers) < 2:
            return text
        best = min(p.median for p in peers)
        times = m.median / best
        color = (
            BEST
            if times <= 1.0
            else GOOD
            if times <= 1.05
            else VERY_BAD
            if times > 2
            else BAD
            if times > 1.25
            else ""
        )
        return f"{color}{text}{END}" if color else text
