"""Memory of a GPU, as XLA counts it. Without a GPU all counts are 0, as in PyTorch."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from typing import Any

from .._core.api import devices as devices
from .._core.api import flush
from .devices import is_available, resolve

__all__ = [
    "empty_cache", "max_memory_allocated", "max_memory_cached", "max_memory_reserved", "mem_get_info", "memory_allocated", "memory_cached",
    "memory_reserved", "memory_stats", "memory_stats_as_nested_dict", "memory_summary", "reset_max_memory_allocated",
    "reset_max_memory_cached", "reset_peak_memory_stats",
]  # fmt: skip

_COUNTS = {
    "allocated_bytes.all.current": "bytes_in_use",
    "allocated_bytes.all.peak": "peak_bytes_in_use",
    "allocation.all.allocated": "num_allocs",
    "reserved_bytes.all.current": "pool_bytes",
    "reserved_bytes.all.peak": "peak_pool_bytes",
}
"""PyTorch's names for what XLA counts."""


def memory_stats(device: Any = None) -> OrderedDict[str, int]:
    """Returns XLA's counts, under PyTorch's names; counts that XLA does not keep are left out. Empty without a GPU."""
    if not is_available():
        return OrderedDict()
    flush()
    stats = devices.jax_device(resolve(device)).memory_stats() or {}
    return OrderedDict((name, stats[key]) for name, key in sorted(_COUNTS.items()) if key in stats)


def memory_stats_as_nested_dict(device: Any = None) -> dict[str, Any]:
    """`memory_stats`, by the parts of the names."""
    nested: dict[str, Any] = {}
    for name, count in memory_stats(device).items():
        *outer, last = name.split(".")
        inner = nested
        for part in outer:
            inner = inner.setdefault(part, {})
        inner[last] = count
    return nested


def _count(name: str, device: Any) -> int:
    if not is_available():
        return 0
    stats = memory_stats(device)
    if name not in stats:
        raise NotImplementedError(f"XLA does not count {name} on this device; it counts {list(stats)}")
    return stats[name]


def memory_allocated(device: Any = None) -> int:
    """Bytes in use by arrays."""
    return _count("allocated_bytes.all.current", device)


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes that were in use since the process started."""
    return _count("allocated_bytes.all.peak", device)


def memory_reserved(device: Any = None) -> int:
    """Bytes that XLA's allocator holds."""
    return _count("reserved_bytes.all.current", device)


def max_memory_reserved(device: Any = None) -> int:
    """The most bytes that XLA's allocator held."""
    return _count("reserved_bytes.all.peak", device)


memory_cached, max_memory_cached = memory_reserved, max_memory_reserved


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """(free, total) bytes of what XLA may use of the GPU's memory."""
    flush()
    stats = devices.jax_device(resolve(device)).memory_stats() or {}
    return stats["bytes_limit"] - stats["bytes_in_use"], stats["bytes_limit"]


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    """`memory_stats` as a text."""
    found = resolve(device)
    stats = memory_stats(found)
    width = max((len(name) for name in stats), default=0)
    return "\n".join(
        [f"memory of {found}, as XLA counts it", *[f"{n:{width}} {c:>16,}" for n, c in stats.items()]]
    )


def empty_cache() -> None:
    """Does nothing: XLA manages memory."""


def reset_peak_memory_stats(device: Any = None) -> None:
    """Warns: XLA's peaks cannot be reset. Without a GPU there are none."""
    if is_available():
        warnings.warn(
            "reset_peak_memory_stats has no effect: XLA counts the peak from the start of the process. Measure in a process of its own.",
            stacklevel=2,
        )


reset_max_memory_allocated = reset_max_memory_cached = reset_peak_memory_stats
