"""`torch._dynamo.utils`: counters of what the passes found, and whether results are the same."""

from __future__ import annotations

from ..compiler.debugging.same import same
from ..compiler.patterns import counters

__all__ = ["counters", "same"]
