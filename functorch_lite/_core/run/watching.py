"""Who is told of programs that are made, and of those that fail: scripts that reproduce are written there
(`compiler/debugging/programs.py`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["failed", "made", "watch"]


def _nothing(*args: Any) -> None:
    pass


made: Callable[..., None] = _nothing
"""made(path, live, externals): a program of a recording was made, and is to run."""
failed: Callable[..., None] = _nothing
"""failed(path, live, externals, error): a recording's program could not be compiled or run."""


def watch(when_made: Callable[..., None], when_failed: Callable[..., None]) -> None:
    """Says who is told."""
    global made, failed
    made, failed = when_made, when_failed
