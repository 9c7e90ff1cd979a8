"""Padded: recordings that come with many lengths, run by a program for each few of them; by NumPy while that is
compiled."""

from __future__ import annotations

from functools import partial

from .. import compiled
from ..pending import Pending
from ..report import stats
from ..tiers import is_cold
from ..way import Running, Way
from . import choice
from .axes import NoRule
from .padded_program import PaddedCall, PaddedProgram

__all__ = ["Padded"]


class Padded(Way):
    """A program for all recordings of a bucket (see `choice.py`)."""

    def offer(self, pending: Pending) -> Running | None:  # hot path
        if not choice.is_worth(pending.place) or pending.is_kept or pending.on.is_mesh or pending.is_long:
            return None
        path, externals = pending.path, pending.externals
        if is_cold() or not choice.may_pad(externals):
            return None
        member = choice.member_of(path, externals)
        if member is None:
            return None
        found = _call(pending, member) if member.comes(path, externals) else None
        if found is None:
            pending.refusal = member.reason
        return found

    def forget(self) -> None:
        choice.forget()


def _call(pending: Pending, member: choice.Member) -> Running | None:
    """The run of a recording by a padded program, or by NumPy while that is compiled; None if it cannot be."""
    bucket = member.bucket()
    live, gradients = pending.split()
    make = partial(PaddedProgram, instance=member.instance)
    try:
        turns = choice.turns(pending.place)
        if bucket.turns < turns:
            bucket.turns += 1
            if bucket.turns == max(1, turns // choice.SHARE):
                program = compiled.find(bucket.programs, pending, live, make)
                program.executable.begin(program.given)
            stats["cold"] += 1
            return pending.place.call(pending, turns)
        program = compiled.find(bucket.programs, pending, live, make)
    except NoRule as reason:
        member.refuse(reason)
        return None
    if gradients:
        compiled.leave(pending, gradients, program)
    return PaddedCall(program, pending.externals, live, pending.on, member.instance)  # type: ignore[arg-type]
