"""`torch._dynamo.utils`: counters of what the passes found, and whether results are the same."""

from __future__ import annotations

from ..compiler.debugging.same import same
from ..compiler.patterns import counters

__all__ = ["counters", "same"]


def is_compile_supported(device_type: str) -> bool:
    """True: what is compiled for a device is compiled by XLA."""
    return True
