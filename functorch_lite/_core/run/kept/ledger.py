"""The ledger: how many seconds NumPy has spent on each recording, over all processes.

A recording that runs for a short time in each of many processes is compiled once its runs have paid for that together.
Seconds are the guessed ones of the schedule, so that the same script has the same ledger on an idle machine and on a
busy one. A process reads the ledger once and adds its own seconds when it ends.
"""

from __future__ import annotations

import atexit
import contextlib
import os
from typing import TYPE_CHECKING

from ...lazy import facts
from ...lazy.graph import prune
from ..pending import Pending
from .stored import recording

if TYPE_CHECKING:
    from ..schedule import Ticket

__all__ = ["note", "spent"]

MOST_BYTES = 4 << 20

_read: dict[str, dict[str, float]] = {}
"""By folder, of which a process has one: seconds of earlier processes, by the name of the recording."""
_noted: dict[str, Ticket] = {}
"""Tickets of this process, by the name of the recording."""


def spent(pending: Pending) -> float:
    """Returns the seconds that NumPy spent on a recording in earlier processes."""
    before = _before()
    name = _name(pending) if before else None
    return 0.0 if name is None else before.get(name, 0.0)


def note(pending: Pending, ticket: Ticket) -> None:
    """Has the seconds of a recording's ticket added to the ledger when the process ends."""
    name = _name(pending)
    if name is not None:
        if not _noted:
            atexit.register(_write)
        _noted[name] = ticket


def _name(pending: Pending) -> str | None:
    steps, reads = prune(pending.path, pending.live)
    return recording(steps, reads, pending.live, pending)


def _before() -> dict[str, float]:
    if not _read:
        where = facts.folder()
        seconds: dict[str, float] = {}
        if where is not None:
            with contextlib.suppress(OSError), open(_file(where)) as file:
                for line in file:
                    name, _, number = line.partition(" ")
                    with contextlib.suppress(ValueError):  # a line that was not written to its end
                        seconds[name] = seconds.get(name, 0.0) + float(number)
        _read[where or ""] = seconds
    return next(iter(_read.values()))


def _write() -> None:
    where = facts.folder()
    lines = [f"{name} {ticket.spent:.3f}\n" for name, ticket in _noted.items()]
    if where is None or not lines:
        return
    with contextlib.suppress(OSError):
        os.makedirs(where, mode=0o700, exist_ok=True)
        file = os.open(_file(where), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            if os.fstat(file).st_size < MOST_BYTES:
                os.write(file, "".join(lines).encode())
        finally:
            os.close(file)


def _file(where: str) -> str:
    return os.path.join(where, "spent")
