"""Measurement: times of a statement, and what can be said of them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

__all__ = ["Measurement", "TaskSpec", "ordered_unique", "select_unit", "trim_sigfig", "unit_to_english"]

_UNITS = {
    "ns": ("nanosecond", 1e-9),
    "us": ("microsecond", 1e-6),
    "ms": ("millisecond", 1e-3),
    "s": ("second", 1.0),
}
_NOISY, _VERY_NOISY = 0.1, 0.25


def select_unit(t: float) -> tuple[str, float]:
    """The unit in which a time in seconds reads best: ("us", 1e-6).

    Args:
        t: a time in seconds.
    """
    power = 0 if t <= 0 else min(max(math.floor(math.log10(t) / 3), -3), 0)
    name = ("s", "ms", "us", "ns")[-power]
    return name, _UNITS[name][1]


def unit_to_english(u: str) -> str:
    """A unit's name: "us" is "microsecond".

    Args:
        u: the abbreviation, such as "us".
    """
    return _UNITS[u][0]


def trim_sigfig(x: float, n: int) -> float:
    """x rounded to n significant figures.

    Args:
        x: a number.
        n: the number of significant figures.
    """
    if n != int(n):
        raise AssertionError(f"the number of figures must be an integer, got {n}")
    return 0.0 if x == 0 else float(f"{x:.{int(n) - 1}e}")


def ordered_unique(elements: Iterable[Any]) -> list[Any]:
    """The elements without repetition, in the order of their first appearance.

    Args:
        elements: an iterable of hashable values.
    """
    return list(dict.fromkeys(elements))


@dataclasses.dataclass(init=True, repr=False, eq=True, frozen=True)
class TaskSpec:
    """Task of a measurement: the statement, its setup, and the labels that it was given.

    Args:
        stmt: the statement to time: Python code.
        setup: code that runs once before the statement.
        global_setup: code of C++ statements; must be empty for Python. Default: "".
        label: the name of the table. None is the default.
        sub_label: the name of the row. None is the default.
        description: the name of the column. None is the default.
        env: a label of the environment. None is the default.
        num_threads: a label: XLA decides how many threads run. Default: 1.
    """

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The labels as one line; the statement where there are none."""
        if self.label is not None:
            return self.label + (f": {self.sub_label}" if self.sub_label else "")
        return self.stmt if "\n" not in self.stmt else f"stmt:\n{_indented(self.stmt)}"

    def setup_str(self) -> str:
        """The setup, when there is one, as a line or as several."""
        if self.setup in ("", "pass"):
            return ""
        return f"setup:\n{_indented(self.setup)}" if "\n" in self.setup else f"setup: {self.setup}"

    def summarize(self) -> str:
        """Title, description and setup."""
        return "\n".join([x for x in (self.title, self.description or "", self.setup_str()) if x])


def _indented(text: str) -> str:
    return "\n".join("  " + line for line in text.splitlines())


@dataclasses.dataclass(init=True, repr=False)
class Measurement:
    """Times in seconds: `raw_times` of number_per_run runs each, `times` of one run. `mean`, `median`, `iqr`
    summarize `times`.

    Args:
        number_per_run: the number of executions in a run.
        raw_times: the seconds of each run.
        task_spec: what was measured.
        metadata: further information. None is the default.
    """

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict[Any, Any] | None = None

    @property
    def times(self) -> list[float]:
        """Seconds that one run took, by measurement."""
        return [t / self.number_per_run for t in self.raw_times]

    def _statistic(self, f, *args) -> float:
        if not self.raw_times:
            raise ValueError(
                "Measurement: expected at least one time, but there are none; run the timer first"
            )
        return float(f(self.times, *args))

    @property
    def mean(self) -> float:
        """The mean."""
        return self._statistic(np.mean)

    @property
    def median(self) -> float:
        """The median."""
        return self._statistic(np.median)

    @property
    def iqr(self) -> float:
        """The interquartile range."""
        return self._statistic(np.percentile, 75) - self._statistic(np.percentile, 25)

    @property
    def significant_figures(self) -> int:
        """The number of significant figures of the median: the ones that a normal distribution with this range would
        not change."""
        n = len(self.raw_times)
        spread = max(1.645 * self.iqr / 1.349 / math.sqrt(max(n, 1)), self.median * 1e-16, 1e-30)
        figures = math.floor(math.log10(max(self.median, 1e-30)) - math.log10(spread))
        return min(max(figures, 1), 2 if n < 100 else 3)

    @property
    def has_warnings(self) -> bool:
        """Returns whether the times differ a lot."""
        return not self.meets_confidence(_NOISY)

    def meets_confidence(self, threshold: float = _NOISY) -> bool:
        """Returns whether the interquartile range is below this part of the median."""
        return self.iqr / self.median < threshold if self.median else True

    @property
    def title(self) -> str:
        """The labels of what was measured, as a title."""
        return self.task_spec.title

    @property
    def env(self) -> str | None:
        """The environment it was labelled with."""
        return self.task_spec.env

    @property
    def as_row_name(self) -> str:
        """The name of its row in a table."""
        return self.task_spec.sub_label or self.task_spec.stmt or "[Unknown]"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "task_spec" or not hasattr(self.task_spec, name):
            raise AttributeError(f"'Measurement' object has no attribute '{name}'")
        return getattr(self.task_spec, name)

    @staticmethod
    def merge(measurements: Iterable[Measurement]) -> list[Measurement]:
        """Measurements of the same thing joined: each of their times counts as one."""
        groups: dict[TaskSpec, list[Measurement]] = {}
        for m in measurements:
            groups.setdefault(m.task_spec, []).append(m)
        return [Measurement(1, [t for m in group for t in m.times], spec) for spec, group in groups.items()]

    def __repr__(self) -> str:
        unit, scale = select_unit(self.median)
        n = len(self.raw_times)
        lines = [object.__repr__(self), self.task_spec.summarize()]
        lines.append(f"  {'Median: ' if n > 1 else ''}{self.median / scale:.2f} {unit}")
        if n > 1:
            low, high = (self._statistic(np.percentile, q) / scale for q in (25, 75))
            lines.append(f"  IQR:    {self.iqr / scale:.2f} {unit} ({low:.2f} to {high:.2f})")
        threads = self.task_spec.num_threads
        lines.append(
            f"  {n} measurement{'s' if n > 1 else ''}, {self.number_per_run} runs {'per measurement' if n > 1 else ''}, "
            f"{threads} thread{'s' if threads > 1 else ''}"
        )
        if n > 1 and self.has_warnings:
            part = self.iqr / self.median * 100
            lines.append(f"  WARNING: Interquartile range is {part:.1f}% of the median measurement.")
            lines.append(
                "           This suggests significant environmental influence."
                if part > 100 * _VERY_NOISY
                else "           This could indicate system fluctuation."
            )
        return "\n".join(lines)
