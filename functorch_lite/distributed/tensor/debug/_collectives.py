"""CommDebugMode: which collectives are in the compiled programs that ran inside."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ...._core.api import Gathering, explaining, flush
from ....api_names import listed

__all__ = ["CommDebugMode", "collectives_in"]
__dir__ = listed(__name__)

_NAMES = {
    "all-reduce": "all_reduce",
    "all-gather": "all_gather_into_tensor",
    "reduce-scatter": "reduce_scatter_tensor",
    "all-to-all": "all_to_all_single",
    "collective-broadcast": "broadcast",
    "collective-permute": "permute",
    "ragged-all-to-all": "all_to_all_single",
}
_CALL = re.compile(r"= (\S.*?) (" + "|".join(_NAMES) + r")(?:-start)?\(")
_ARRAY = re.compile(r"([a-z]+)(\d*)[a-z0-9]*\[([\d,]*)\]")


def collectives_in(text: str) -> Counter[str]:
    """The collectives in a program's text, by torch's names; `permute` is what exchanges borders between neighbours."""
    return Counter([name for name, _ in _calls(text)])


def _calls(text: str) -> Iterator[tuple[str, int]]:
    """Each collective in a program's text: its name, and the bytes of its result on a device."""
    for line in text.splitlines():
        call = _CALL.search(line)
        if call:
            yield _NAMES[call.group(2)], sum(map(_bytes, _ARRAY.finditer(call.group(1))))


def _bytes(array: re.Match) -> int:
    bits = int(array.group(2) or 8)  # pred has no number
    return math.prod([int(n) for n in array.group(3).split(",") if n]) * bits // 8


class CommDebugMode:
    """A context that counts the collectives of the programs that run inside, each as often as it runs.

    XLA may join several into one, and on CPU it replaces a reduce_scatter by an all_reduce and a slice. The copies
    that `distribute_tensor` makes to devices are not collectives.

    >>> with CommDebugMode() as comm:
    ...     pass
    >>> comm.get_total_counts()
    0
    """

    def __init__(self) -> None:
        self.comm_counts: Counter[str] = Counter()
        self._programs: list[tuple[Any, int]] = []

    def __enter__(self) -> CommDebugMode:
        flush()
        self.comm_counts, self._programs = Counter(), []
        self._gathering = Gathering()
        explaining.append(self._gathering)
        return self

    def __exit__(self, *exception: Any) -> None:
        try:
            flush()
        finally:
            explaining.remove(self._gathering)
        for executable, (runs, _) in self._gathering.programs.items():
            if runs:
                self._programs.append((executable, runs))
                for name, count in collectives_in(executable.text).items():
                    self.comm_counts[name] += count * runs

    def get_comm_counts(self) -> dict[str, int]:
        """How many of each kind ran."""
        return dict(self.comm_counts)

    def get_comm_bytes(self) -> dict[str, int]:
        """The bytes of the results of each kind, on one device, over all runs; PyTorch has no such method."""
        found: Counter[str] = Counter()
        for executable, runs in self._programs:
            for name, size in _calls(executable.text):
                found[name] += size * runs
        return dict(found)

    def get_total_counts(self) -> int:
        """How many ran in all."""
        return sum(self.comm_counts.values())

    @property
    def comm_module_counts(self) -> dict[str, dict[str, dict[str, int]]]:
        """The counts of the whole, under "Global": a compiled program does not tell modules apart."""
        return {"Global": {"forward": self.get_comm_counts(), "backward": {}}}

    def generate_comm_debug_tracing_table(self, noise_level: int = 3) -> str:
        """A line for each program that had collectives: the lines of the user's that it was recorded from, how often it
        ran, and its collectives. noise_level: 0 leaves out programs without any."""
        lines = ["Global"]
        for executable, runs in self._programs:
            counts = collectives_in(executable.text)
            if counts or noise_level > 0:
                what = ", ".join(f"{name}: {n}" for name, n in sorted(counts.items())) or "none"
                lines.append(
                    f"  {executable.report.lines} ({executable.report.ops} ops, {runs} runs): {what}"
                )
        return "\n".join(lines)
