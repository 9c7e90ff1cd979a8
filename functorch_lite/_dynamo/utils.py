"""`torch._dynamo.utils`: counters of what the passes found."""

from __future__ import annotations

from ..compiler.patterns import counters

__all__ = ["counters"]


def is_compile_supported(device_type: str) -> bool:
    """True: what is compiled for a device is compiled by XLA."""
    return True
