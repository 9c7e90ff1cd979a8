"""Slots for the functions that run recordings, which `run/` fills as it is loaded. Nothing here imports what is above.

`flush`, `force`, `force_array` and `numbers` are read at each call (`engine.force(v)`), never imported by name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..words.device import device
from .value import Value

__all__ = ["flush", "force", "force_array", "install", "numbers"]


def _missing(*args: Any) -> Any:
    raise RuntimeError("nothing runs recordings: functorch_lite._core.run.executor was not loaded")


flush: Callable[..., None] = _missing
"""flush(on: device | None = None): dispatches what is pending in this thread's eager recording; `on` is the next one's
device."""
force: Callable[[Value], Any] = _missing
"""The array of a value, after running what it needs."""
force_array: Callable[[Value], np.ndarray] = _missing
"""The same as a numpy array, which must not be written to, for somebody who reads it: breaches are raised (see
breaches.py)."""
numbers: Callable[[Value], np.ndarray] = _missing
"""The same for what goes on to compute."""


def install(
    run: Callable[[device | None], None],
    array_of: Callable[[Value], Any],
    read: Callable[[Value], np.ndarray],
    numbers_of: Callable[[Value], np.ndarray],
) -> None:
    """Fills the slots."""
    global flush, force, force_array, numbers
    flush, force, force_array, numbers = run, array_of, read, numbers_of
