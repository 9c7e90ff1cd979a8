"""torch.cpu: the CPU as a device that is always there."""

from __future__ import annotations

import sys

from ._core.executor import flush
from .amp import cpu_amp as amp

__all__ = ["amp", "current_device", "device_count", "is_available", "is_initialized", "synchronize"]

sys.modules[f"{__name__}.amp"] = amp  # `from torch.cpu.amp import autocast`


def is_available() -> bool:
    """True."""
    return True


def is_initialized() -> bool:
    """True."""
    return True


def device_count() -> int:
    """One."""
    return 1


def current_device() -> str:
    """The name of the CPU."""
    return "cpu"


def synchronize(device=None) -> None:
    """Dispatches everything that is recorded. Values are computed in the background; reading one waits for it."""
    flush()
