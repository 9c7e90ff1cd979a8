"""How many processor cores this process may use."""

from __future__ import annotations

import contextlib
import functools
import os
from pathlib import Path

__all__ = ["THREADS", "available_cores", "threads"]

_NPROC = int(told) if (told := os.environ.get("NPROC", "")).isdecimal() else 0
THREADS = {"xla": _NPROC, "numpy": _NPROC}
"""The numbers of threads that `set_num_threads`, or NPROC in the environment, asked for: of XLA, whose threads are made
once, and of NumPy's products; 0 if neither did."""


@functools.cache
def available_cores() -> int:
    """Returns the number of cores: those of the process's affinity mask, bounded by its cgroup's quota and by NPROC in
    the environment, from which XLA takes the size of its thread pool."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _quota()
    if quota is not None:
        cores = min(cores, max(1, int(quota)))
    return min(cores, _NPROC) if _NPROC else cores


def threads() -> int:
    """Returns how many threads the products of NumPy may use."""
    return min(available_cores(), THREADS["numpy"] or available_cores())


def _quota() -> float | None:
    """Returns the cores that the process's cgroup may use (version 2, then version 1); None without a limit."""
    with contextlib.suppress(OSError, ValueError):
        group = Path("/proc/self/cgroup").read_text().strip().rpartition(":")[2]
        for folder in (f"/sys/fs/cgroup{group}", "/sys/fs/cgroup"):
            file = Path(folder, "cpu.max")
            if file.exists():
                most, period = file.read_text().split()
                return None if most == "max" else int(most) / int(period)
    with contextlib.suppress(OSError, ValueError):
        most = int(Path("/sys/fs/cgroup/cpu/cpu.cfs_quota_us").read_text())
        return most / int(Path("/sys/fs/cgroup/cpu/cpu.cfs_period_us").read_text()) if most > 0 else None
    return None
