"""How many threads NumPy's matrix products use.

Threads of OpenBLAS wait for each other in a busy loop, so they are limited to one where another thread needs the core."""

from __future__ import annotations

import contextlib
import ctypes
import functools
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

__all__ = ["at_most"]

_NAMES = ("scipy_openblas_{}64_", "openblas_{}64_", "scipy_openblas_{}", "openblas_{}")


@functools.cache
def _calls() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """Returns the functions that read and set the number of threads of the OpenBLAS that came with NumPy; None if none
    did."""
    for folder in (Path(np.__file__).parent.parent / "numpy.libs", Path(np.__file__).parent / ".libs"):
        for file in sorted(folder.glob("*openblas*")):
            with contextlib.suppress(OSError):
                library = ctypes.CDLL(str(file))
                for name in _NAMES:
                    get = getattr(library, name.format("get_num_threads"), None)
                    put = getattr(library, name.format("set_num_threads"), None)
                    if get is not None and put is not None:
                        return get, put
    return None


@contextlib.contextmanager
def at_most(threads: int) -> Iterator[None]:
    """A context in which products use at most so many threads."""
    calls = _calls()
    before = calls[0]() if calls else 1
    if calls is None or before <= threads:
        yield
        return
    calls[1](threads)
    try:
        yield
    finally:
        calls[1](before)
