"""`torch._dynamo.utils`: counters of what the passes found."""

from __future__ import annotations

from ..compiler.patterns import counters

__all__ = ["counters"]
