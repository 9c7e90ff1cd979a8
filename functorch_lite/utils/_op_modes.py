"""The modes that a thread's ops are handed to, one by one, by `compiler/aten/dispatch.py`: `TorchDispatchMode`s, and
the one that hands ops to classes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import local
from typing import Any

from .._core.api import flush, overrides, state

__all__ = ["entered", "here", "of_ops", "without"]


class _Here(local):
    """The modes of this thread, innermost last."""

    modes: tuple = ()


here = _Here()


@contextmanager
def entered(mode: Any) -> Iterator[None]:
    """A context with one more mode."""
    flush()
    with of_ops((*here.modes, mode)):
        yield


@contextmanager
def without(count: int | None = None) -> Iterator[None]:
    """A context without the innermost modes: so many, or all."""
    modes = here.modes
    with of_ops(() if count is None else modes[: len(modes) - count]):
        yield


@contextmanager
def of_ops(modes: tuple) -> Iterator[None]:
    """A context with these modes."""
    thread, before = state.here, here.modes
    base = thread.run_at_once
    here.modes = modes
    if not modes:
        thread.run_at_once = False
    elif base.__class__ is bool:
        thread.run_at_once = overrides.ops_by_class.seen()
    try:
        yield
    finally:
        here.modes, thread.run_at_once = before, base
