"""Minimum cuts of a program: what is kept so that fewest bytes are, where running again may count as bytes too."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import NamedTuple

from .bans import Rules
from .flow import INFINITE, Network
from .program import INPUT, VIEW, Plan, Program, plan_of

__all__ = ["Cut", "Cuts", "minimum_cut"]

_SCALE = 1 << 20
"""Weight of a byte, so that the cost of running again decides between cuts of as many bytes."""
_SOURCE, _SINK = 0, 1
_NO_PLAN = "no plan: a value that is not to run again cannot be kept either"


class Cut(NamedTuple):
    """A plan, with what its cut counts: bytes of what is kept, inputs that are free left out, and the cost of what runs
    again."""

    plan: Plan
    bytes: int
    cost: float


class Cuts:
    """The network of a program, whose minimum cuts are plans of fewest bytes.

    kept: steps that do not run again. free: steps whose bytes count nothing. never: steps that are not kept.
    A step is an edge of as many bytes as it has, from what is computed before it to what it gives; the ends of edges
    that no cut can go through are one node, and so are the source and what does not run again, and the sink and what
    the backward reads.
    """

    def __init__(
        self,
        program: Program,
        kept: Iterable[int] = (),
        rules: Rules | None = None,
        free: Iterable[int] = (),
        never: Iterable[int] = (),
    ):
        self.program, self.rules = program, rules or Rules()
        steps = program.steps
        self._free, self._never = set(free), set(never)
        self._kept = {i for i in kept if steps[i].savable and steps[i].must != "recompute"}
        self._inner = sorted(program.before)
        self._ends: dict[int, tuple[int, int]] = {}
        self._capacity: dict[int, int] = {}
        required, n = set(program.required), 2
        for i in self._inner:
            capacity = self._capacity[i] = self._bytes(i)
            out = _SINK if i in required else n
            n += out == n
            into = out
            if steps[i].kind == INPUT or i in self._kept or steps[i].must == "save":
                into = _SOURCE
            elif capacity < INFINITE:
                into = n
                n += 1
            if capacity >= INFINITE and into != out:
                if out == _SINK:
                    raise ValueError(_NO_PLAN)
                out = into
            self._ends[i] = into, out
        self._network = Network(n)
        self._again: list[tuple[int, int]] = []
        self._connect()
        self._worth = 0.0

    def _bytes(self, i: int) -> int:
        """Returns the capacity that keeping a step takes: INFINITE if it cannot be kept."""
        s = self.program.steps[i]
        if s.kind == INPUT:
            return 0 if s.parameter and self.rules.free_parameters else s.size * _SCALE
        can = (
            i not in self._never
            and s.savable
            and s.must != "recompute"
            and not (self.rules.recompute_views and s.kind == VIEW)
        )
        return (0 if i in self._free else s.size * _SCALE) + 1 if can or i in self._kept else INFINITE

    def _connect(self) -> None:
        steps, network = self.program.steps, self._network
        total = sum(steps[i].cost for i in self._inner) or 1.0
        for i in self._inner:
            into, out = self._ends[i]
            if into not in (_SOURCE, _SINK) and steps[i].cost > 0:
                # Running again decides ties; with `worth` it counts by itself.
                self._again.append((network.add(_SOURCE, into, 2 + int(steps[i].cost / total * (_SCALE >> 2))), i))  # fmt: skip
            if into != out:
                network.add(into, out, self._capacity[i])
            if into != _SOURCE:
                for u in {self._ends[r][1] for r in steps[i].reads} - {_SINK, into}:
                    network.add(u, into, INFINITE)

    def flowing(self) -> Cuts:
        """Copies the cuts, with what flows already."""
        made = copy.copy(self)
        made._network = self._network.copy()
        return made

    def at(self, worth: float) -> Cut:
        """The cut of fewest bytes, where one unit of the cost of running again counts as `worth` bytes.

        These must not decrease from one to the next."""
        steps = self.program.steps
        for edge, i in self._again:
            was = int(self._worth * steps[i].cost * _SCALE)
            self._network.widen(edge, int(worth * steps[i].cost * _SCALE) - was)
        self._worth = worth
        size, side = self._network.minimum_cut(_SOURCE, _SINK)
        if size >= INFINITE:
            raise ValueError(_NO_PLAN)
        kept = [i for i, (into, out) in self._ends.items() if side[into] and not side[out]]
        again = [i for i, (into, _) in self._ends.items() if not side[into]]
        return Cut(
            plan_of(self.program, kept),
            sum([self._capacity[i] // _SCALE for i in kept]),
            sum([steps[i].cost for i in again]),
        )


def minimum_cut(
    program: Program,
    kept: Iterable[int] = (),
    rules: Rules | None = None,
    free: Iterable[int] = (),
    never: Iterable[int] = (),
) -> Plan:
    """The plan of fewest bytes in which the steps `kept` do not run again; see `Cuts`."""
    return Cuts(program, kept, rules, free, never).at(0.0).plan
