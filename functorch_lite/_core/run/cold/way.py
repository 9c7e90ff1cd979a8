"""Cold: recordings that NumPy runs, while their programs would be waited for (see `tier.py`).
In a forked child it runs all there is."""

from __future__ import annotations

from ...lazy.recorder import Recorder
from ...lazy.symbolic import families
from ...lazy.value import Value
from ...words import forked
from ...words.device import CPU
from .. import disk
from ..chunks import PreparedChunks
from ..compiled import PreparedProgram
from ..pending import Pending
from ..program import deterministic
from ..report import stats
from ..schedule import Next, clock
from ..way import Way
from . import symbolic, tier
from .elements import answered

__all__ = ["Cold"]


class Cold(Way):
    """NumPy's run, where a recording is to have one more; what is to follow it is compiled meanwhile."""

    in_child = True

    def look(self, pending: Pending) -> tier.ByNumPy | None:  # hot path
        """Finds the place where the recording ends, unless a program on disk is there sooner than NumPy would begin.

        What is small, it runs at once."""
        is_kept = pending.is_kept
        if pending.path[-1].place is None and pending.on is CPU and tier.may_run(CPU):
            symbolic.note(pending)
        if is_kept and not deterministic["on"] and not tier.is_ready(pending.path):
            return None
        is_new = pending.path[-1].place is None
        place = pending.place = tier.place_of(pending.path, pending.on, pending.externals, is_kept is True)
        if is_new and place is not None and place.ticket is not None:
            place.ticket.credit(disk.ledger.spent(pending))
        if place is None or not place.is_small:
            return None
        clock.now += place.cost
        stats["cold"] += 1
        return tier.ByNumPy(pending)

    def offer(self, pending: Pending) -> tier.ByNumPy | None:  # hot path
        if forked.here.child:
            return tier.ByNumPy(pending)
        place = pending.place
        if pending.is_kept is False:  # what is on disk is another program
            place = tier.place_of(pending.path, pending.on, pending.externals)
            if place is not None:
                place.is_not_kept()
        if place is None:
            return None
        following = place.next(pending.path)
        if following is Next.PROGRAM:
            if place.prepared is not None:
                place.prepared.install(pending)
                place.prepared = None
                place.plans.clear()
            return None
        stats["cold"] += 1
        if following is Next.BEGIN:
            _begin(place, pending)
        elif place.ticket is not None and place.ticket.is_worth_noting():
            disk.ledger.note(pending, place.ticket)
        return tier.ByNumPy(pending)

    def answer(self, rec: Recorder, v: Value) -> bool:
        return answered(rec, v)

    def forget(self) -> None:
        families.forget()
        clock.forget()


def _begin(place: tier.Place, pending: Pending) -> None:
    """Begins to compile, or to load, the program that is to follow."""
    turn = place.ticket.turn - place.ticket.saved  # type: ignore[union-attr]
    if pending.is_long:
        place.prepared = PreparedChunks(pending, turn)
        return
    prepared = PreparedProgram(pending, turn)
    if place.is_kept and not prepared.program.executable.is_on_disk:
        place.is_not_kept()
        return
    prepared.program.executable.report.guess = place.guess
    place.prepared = prepared
    prepared.begin()
