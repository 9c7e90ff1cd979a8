"""Reports of what passes did: `debug.explain` and `debug.graph_after` show them."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..fx import GraphModule

__all__ = ["PassReport", "after", "counters", "listening", "tell"]


@dataclass
class PassReport:
    """Report of a pass: its stage and name, the seconds it took, the steps before and after it, and how many patterns
    it replaced.

    Its steps are the steps of the forward and the backward, afterwards including the steps that run again.

    Args:
        saved_bytes: of the stage "partition", which chooses what is kept for the backward, the
            bytes of what is and is no input.
    """

    stage: str
    name: str
    seconds: float
    steps_before: int
    steps_after: int
    matches: int = 0
    saved_bytes: int | None = None

    def __str__(self) -> str:
        found = f", {self.matches} patterns replaced" if self.matches else ""
        if self.saved_bytes is not None:
            found += f", {self.saved_bytes:,} bytes saved"
        return f"{self.stage}: {self.name}: {self.steps_before} steps -> {self.steps_after}{found} ({1000 * self.seconds:.1f} ms)"


listening: list[list[PassReport]] = []
"""Lists that reports go to."""


def tell(report: PassReport) -> None:
    """Passes a report to the registered listeners."""
    for reports in listening:
        reports.append(report)


after: dict[str, GraphModule] = {}
"""GraphModules that the stages of the last compilation left: "pre-grad", "joint", "post-grad"."""

counters: defaultdict[str, Counter[str]] = defaultdict(Counter)
"""Counts of matches since import, as in `torch._dynamo.utils`: counters["inductor"]["pattern_matcher_count"],
["pattern_matcher_nodes"] and ["fuse_attention"]."""
