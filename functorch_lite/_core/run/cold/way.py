"""Cold: recordings that NumPy runs, while their programs would be waited for (see `tier.py`).
In a forked child it runs all there is."""

from __future__ import annotations

from ...lazy.recorder import Recorder
from ...lazy.symbolic import families
from ...lazy.value import Value
from ...words import forked
from ...words.device import CPU
from ..compiled import keep_at
from ..pending import Pending
from ..program import Program, deterministic
from ..report import stats
from ..tiers import is_cold
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
        place = pending.place = tier.place_of(pending.path, pending.on, pending.externals, is_kept is True)
        if place is None or not place.is_small:
            return None
        place.runs += 1
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
        if place.takes_another(pending.path):
            stats["cold"] += 1
            if place.runs == place.begin and not pending.is_long and not is_cold():
                _begin(place, pending)
            return tier.ByNumPy(pending)
        if place.program is not None:
            keep_at(pending, place.key, place.program)
            place.program = None
            place.plans.clear()
        return None

    def answer(self, rec: Recorder, v: Value) -> bool:
        return answered(rec, v)

    def forget(self) -> None:
        families.forget()


def _begin(place: tier.Place, pending: Pending) -> None:
    """Begins to compile, or to load, the program that is to follow."""
    live, _ = pending.split()
    program = Program(pending, live)
    if place.is_kept and not program.executable.is_on_disk:
        place.is_not_kept()
    if place.runs == place.begin:
        place.key, place.program = (live, pending.dead), program
        program.executable.begin(program.given)
