"""Memory that arrays leave stays with the process, for the next run of their program.

A program's temporaries are one block and its large results others. glibc takes every block above 32 MB from the system
anew and gives it back after use; the system hands such memory out page by page, each filled with zeros at first touch.
For a training step with 40 MB of temporaries that is a fifth of its time. Kept memory can be in pieces that fit no
later request: arrays of many sizes took twice what they occupied at most. So the executor looks now and then, and gives
memory back when the process holds half of the machine's.

XLA allocates in threads of its own, whose arenas hold no block above 64 MB: those still come from the system, and
results of that size are recycled (`recycling`). One arena for all threads would hold them, but then threads wait for
each other's allocations: a jitted step of 20 small layers took twice as long.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from pathlib import Path

from ..words.undisturbed import undisturbed
from . import recycling

# Parameters of mallopt(3), as <malloc.h> numbers them.
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_MAX = -1, -2, -4
_HEAP = 64 << 20
"""Bytes of a heap, of which a thread's arena has any number.

One that is empty is kept if padding of this size is asked for."""

_limit = sys.maxsize
"""Bytes that the process may hold before memory is given back."""


@functools.cache
def most_at_once() -> int:
    """Bytes that one allocation may ask for: the machine's memory and what it swaps to (Linux refuses more); elsewhere,
    any number."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        there = {name: int(rest.split()[0]) << 10 for name, rest in (line.split(":") for line in lines)}
        always = Path("/proc/sys/vm/overcommit_memory").read_text().strip() == "1"
        return sys.maxsize if always else there["MemTotal"] + there["SwapTotal"]
    except (OSError, ValueError, KeyError):
        return sys.maxsize


def _glibc() -> ctypes.CDLL | None:
    """The C library, where it is one whose allocator these settings are for."""
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    return library if hasattr(library, "gnu_get_libc_version") and hasattr(library, "mallopt") else None


def keep() -> bool:
    """Asks the allocator to keep freed memory; whether it was asked.

    Settings of the user's own are left as they are."""
    global _limit
    memory = _memory_of_the_machine()
    recycling.MAX_KEPT = min(recycling.MAX_KEPT, memory // 8)
    chosen = any(name.startswith("MALLOC_") or name == "GLIBC_TUNABLES" for name in os.environ)
    if chosen or os.environ.get("FUNCTORCH_LITE_KEEP_MEMORY") == "0" or (library := _glibc()) is None:
        return False
    library.mallopt(_MMAP_MAX, 0)
    _keep_tops(library, _HEAP, 2**31 - 1)
    _limit = memory // 2
    return True


def release() -> None:
    """Gives memory that is not in use back to the system; it is taken again as it is needed."""
    recycling.forget()
    if (library := _glibc()) is not None:
        library.malloc_trim(0)
        if _limit != sys.maxsize:
            undisturbed(lambda: _trim_here(library))


def trim() -> None:
    """Gives back what the compiler left, in a thread that has compiled: some hundred MB for a large program, which no
    run needs."""
    if _limit != sys.maxsize and (library := _glibc()) is not None:
        library.malloc_trim(0)
        _trim_here(library)


def _keep_tops(library: ctypes.CDLL, pad: int, threshold: int) -> None:
    """How much is free on top of an arena's memory before it shrinks, and how much of it then stays."""
    library.mallopt(_TOP_PAD, pad)
    library.mallopt(_TRIM_THRESHOLD, threshold)


def _trim_here(library: ctypes.CDLL) -> None:
    """Shrinks the arena of this thread, one of those that run programs for the first time: malloc_trim leaves what is
    free on top."""
    library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, (ctypes.c_size_t,)
    library.free.argtypes = (ctypes.c_void_p,)
    _keep_tops(library, 0, 0)
    library.free(library.malloc(1 << 20))
    _keep_tops(library, _HEAP, 2**31 - 1)


def ease() -> None:
    """Gives memory back if the process holds half of the machine's."""
    if _limit != sys.maxsize and resident() > _limit:
        release()


def resident() -> int:
    """Bytes of memory that the process holds (Linux)."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _memory_of_the_machine() -> int:
    """Bytes of memory that there are, or that a container may use."""
    there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for place in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            there = min(there, int(Path(place).read_text()))
        except (OSError, ValueError):  # not there, or "max"
            continue
    return there
