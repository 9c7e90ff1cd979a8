"""Recordings at symbolic sizes, run by NumPy with steps that were made once for all sizes: where a program would not
save what it takes to find one for each length."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np

from ...lazy.symbolic import families
from ...lazy.trie import TrieNode, eager_root
from ...lazy.value import is_tracer
from ...words.device import CPU
from .. import way
from ..pending import Pending
from ..report import explaining, ran_by_numpy, stats
from ..schedule import clock
from ..way import Running
from .interpreter import NoRule
from .symbolic_plan import SymbolicPlan
from .tier import may_run, product_threads, quietly

__all__ = ["note"]

SECONDS_PER_OP = 1.5e-4
"""Seconds that an op costs a recording of the trie at lengths that are new."""
BUCKETS = 8
"""Programs that recordings with many lengths are guessed to need in the end, each for some of them."""
MOST_PLANS = 16


class _End:
    """State of a node at which recordings at symbolic sizes end: how often NumPy is still to run them, before they are
    padded (`left`), and its plans, by the slots that are live. `reason`: why NumPy runs them, and for how long."""

    __slots__ = ("cost", "left", "plans", "reason")

    def __init__(self, cost: float, left: int, reason: str):
        self.cost, self.left, self.reason = cost, left, reason
        self.plans: dict[tuple[int, ...], SymbolicPlan | None] = {}

    def plan(self, pending: Pending) -> SymbolicPlan | None:
        live = pending.live
        if live not in self.plans:
            if len(self.plans) >= MOST_PLANS:
                self.plans.clear()
            try:
                self.plans[live] = SymbolicPlan(pending.path, live, pending.symbols)  # type: ignore[arg-type]
            except NoRule:
                self.plans[live] = None
        return self.plans[live]


def note(pending: Pending) -> None:
    """Notes a recording that came for the first time: of three that differ in sizes a path at symbolic ones is made,
    where NumPy is to run them."""
    made = families.note(eager_root(CPU), pending.path, _is_worth)
    if made is not None:
        end, paths = made
        end.ends = _end(paths)


def _is_worth(paths: Sequence[Sequence[TrieNode]]) -> bool:
    """Returns whether NumPy is to run such recordings, as far as those that it ran tell."""
    places = [p[-1].place for p in paths if p[-1].place is not None]
    return bool(places) and all(place.limit for place in places)


def _end(paths: Sequence[Sequence[TrieNode]]) -> _End:
    """NumPy runs them for good where programs would not save what it takes to find one for each length; else as long as
    takes what compiling takes."""
    place = max([p[-1].place for p in paths if p[-1].place is not None], key=lambda place: place.cost)
    saved = place.saved - SECONDS_PER_OP * len(paths[0])
    if saved <= 0:
        return _End(
            place.cost,
            sys.maxsize,
            "its sizes vary, and programs would save less than choosing one takes",
        )
    left = math.ceil(BUCKETS * place.seconds / saved)
    saves = f"compiling takes about {place.seconds:.1f} s for each of {BUCKETS} buckets of sizes and saves {saved * 1e3:.1f} ms a run"
    return _End(place.cost, left, f"its sizes vary, and it has not run {left} times: {saves}")


def _run(pending: Pending) -> Running | None:
    """Returns the Running that runs a recording at symbolic sizes; None if it is to be one of the trie."""
    end = pending.path[-1].ends  # type: ignore[attr-defined]
    if end is None or not end.left or not may_run(CPU):
        return None
    for v in pending.externals:
        if v.array.__class__ is not np.ndarray and is_tracer(type(v.array)):
            return None
    plan = end.plan(pending)
    if plan is None:
        return None
    stats["cold"] += 1
    clock.now += end.cost
    end.left -= 1
    return _Run(pending, plan, end)


class _Run:
    """A recording that NumPy runs; another way, where that fails. It overwrites nothing."""

    def __init__(self, pending: Pending, plan: SymbolicPlan, end: _End):
        self._pending, self._plan, self._end = pending, plan, end
        self._other: Running | None = None

    def was_done(self) -> bool:
        return self._other is None or self._other.was_done()

    def arrays(self) -> Sequence[Any]:
        pending = self._pending
        if self._other is None:
            began = perf_counter() if explaining else 0.0
            try:
                run = self._plan.at(pending.symbols)  # type: ignore[arg-type]
                with product_threads(self._end.cost):
                    found = quietly(run, [pending.externals[e] for e in self._plan.reads])
                if began:
                    ran_by_numpy(pending.path, began, self._end.reason)
                return found
            except Exception:  # such as an index out of range: whoever runs it in the trie says of which op
                pending.close()
            self._other = way.call(pending)
        return self._other.arrays()


way.at_symbols[0] = _run
