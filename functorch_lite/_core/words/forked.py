"""A forked child of a process that has started XLA.
XLA's threads are not in it, so whoever waits there for XLA waits for ever.

So nothing waits: NumPy runs what is recorded, where it has rules for it, and all else raises at once. Numbers that were
computed before are read where they lie. A process that has not started XLA, as one that only imported the library, has
children that are like any other process.
"""

from __future__ import annotations

import atexit
import contextlib
import os
from collections.abc import Iterator
from typing import Any, NoReturn

import jax

from .jax_private import at_exit, has_started
from .undisturbed import all_done

__all__ = ["here", "in_time", "refuse"]

PATIENCE = 1.0
"""Seconds that a child waits for a lock: another thread may have had it as the process was forked."""


class _Here:
    """`child`: whether this process is such a child."""

    __slots__ = ("child",)


here = _Here()
here.child = False


def refuse(what: str) -> NoReturn:
    """Raises RuntimeError: `what` (such as "sort") needs XLA, which a forked child has not."""
    raise RuntimeError(
        f"{what}: XLA is needed for it, and does not survive a fork. In a forked child NumPy runs what it has rules for, and nothing else runs. "
        'Start the process otherwise: multiprocessing.get_context("spawn") (or "forkserver"), DataLoader(multiprocessing_context="spawn"), '
        "torch.multiprocessing; or fork before anything was computed."
    )


@contextlib.contextmanager
def in_time(lock: Any) -> Iterator[None]:
    """The lock, in a child; RuntimeError if it is never let go of."""
    if not lock.acquire(timeout=PATIENCE):
        refuse("a tensor that another thread of the parent was computing as it forked")
    try:
        yield
    finally:
        lock.release()


_started = False


def _before() -> None:
    """Waits for what is under way: locks that its threads hold would never be let go of, and arrays never be ready, in
    the child."""
    global _started
    all_done()
    _started = has_started()
    with contextlib.suppress(RuntimeError):  # JAX was told to have no CPU
        for array in jax.live_arrays("cpu") if _started else ():
            with contextlib.suppress(RuntimeError):  # it was donated
                array.block_until_ready()


def _in_child() -> None:
    if _started:
        here.child = True
        atexit.unregister(at_exit)  # which would wait for XLA's threads to end


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_child=_in_child)
