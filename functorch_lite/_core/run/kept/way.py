"""Kept: recordings of which another process left a program on disk, which runs at once if it is for these donations and
packs."""

from __future__ import annotations

from ...lazy.graph import prune
from .. import disk
from ..calls import Call
from ..compiled import call_of, keep_at
from ..pending import Pending, without
from ..program import Program
from ..tiers import is_free
from ..way import Way
from . import ledger, stored

__all__ = ["Kept"]

disk.keep_in(stored, ledger)


class Kept(Way):
    """A program from disk."""

    def look(self, pending: Pending) -> None:  # hot path
        """Finds out whether there is one."""
        if pending.path[-1].place is None and is_free() and stored.any_kept() and _is_there(pending):
            pending.is_kept = True

    def offer(self, pending: Pending) -> Call | None:
        place = pending.place
        if not pending.is_kept or (place is not None and place.limit) or pending.is_long:
            return None  # where NumPy runs it, the program is loaded meanwhile
        live, _ = pending.split()
        program = Program(pending, live)
        if not program.executable.is_on_disk:
            pending.is_kept = False
            return None
        keep_at(pending, (live, pending.dead), program)
        return call_of(pending)


def _is_there(pending: Pending) -> bool:
    """Returns whether some program of the recording is on disk."""
    for live in {pending.live, without(pending.live, pending.waiting)}:
        steps, reads = prune(pending.path, live)
        if stored.is_kept(stored.recording(steps, reads, live, pending)):
            return True
    return False
