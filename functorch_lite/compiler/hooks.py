"""Hooks of what compiles, which a setting turns on.

The functions that they call are in a higher layer, in `debugging/`, and are loaded at the call: `__init__.py` sets
the slots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import settings

__all__ = ["debugging", "failed", "made", "watched"]


class debugging:
    """Slots for the functions of `debugging/hooked.py`, by their names there."""

    made: Callable[..., None]
    failed: Callable[..., None]
    watched: Callable[..., Callable]
    saved: Callable[..., Any]
    folder: Callable[[], Any]


def watched(compiler_fn: Callable, after: str) -> Callable:
    """A compiler, and what it makes, watched while `torch._dynamo.config.repro_after` is set."""
    return compiler_fn if settings.repro_after is None else debugging.watched(compiler_fn, after)


def made(*program: Any) -> None:
    """Tells of a program (path, live, externals) before it runs, where programs are watched."""
    if settings.repro_after == "aot":
        debugging.made(*program)


def failed(*program: Any) -> None:
    """Tells of a program that could not be compiled or run, and of its error, where programs are watched."""
    if settings.repro_after == "aot":
        debugging.failed(*program)
