"""torch.xpu for programs that ask whether there is such a device: there is none, as of torch.mps."""

from __future__ import annotations

from typing import Any, NoReturn

from .api_names import listed, lookup_of
from .mps import device_count, empty_cache, is_available, is_initialized, manual_seed, manual_seed_all, refuse

__all__ = [
    "current_device", "device_count", "empty_cache", "is_available", "is_initialized", "manual_seed", "manual_seed_all",
    "synchronize",
]  # fmt: skip
__dir__ = listed(__name__)


def current_device() -> NoReturn:
    """Raises RuntimeError: there is none."""
    refuse("xpu")


def synchronize(device: Any = None) -> NoReturn:
    """Raises RuntimeError: there is none."""
    refuse("xpu")


__getattr__ = lookup_of(__name__)
