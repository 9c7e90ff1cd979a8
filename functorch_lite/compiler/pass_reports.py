"""What passes did, for whoever asks: `debug.explain` and `debug.graph_after`."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..fx import GraphModule

__all__ = ["PassReport", "after", "counters", "listening"]


@dataclass
class PassReport:
    """What a pass did: its stage and name, the seconds it took, the steps before and after it, and how many patterns it replaced."""

    stage: str
    name: str
    seconds: float
    steps_before: int
    steps_after: int
    matches: int = 0

    def __str__(self) -> str:
        found = f", {self.matches} patterns replaced" if self.matches else ""
        return f"{self.stage}: {self.name}: {self.steps_before} steps -> {self.steps_after}{found} ({1000 * self.seconds:.1f} ms)"


listening: list[list[PassReport]] = []
"""Lists that reports go to."""

after: dict[str, GraphModule] = {}
"""What the stages of the last compilation left: "pre-grad", "joint", "post-grad"."""

counters: defaultdict[str, Counter[str]] = defaultdict(Counter)
"""What was matched since import, as in `torch._dynamo.utils`: counters["inductor"]["pattern_matcher_count"], ["pattern_matcher_nodes"] and
["fuse_attention"]."""
