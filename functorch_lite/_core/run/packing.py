"""Packs: the small results of an optimizer's step, kept as one array from program to program.

Each argument and result of a program costs some 4.5 µs to dispatch, and forty layers have eighty parameters. So an op
that says so (`op.packs`) has its small results joined into one 1-d array, the last thing its program does, and a
program that reads them takes that array and cuts it, the first thing it does. To everybody else they are promises as
others are: `array` is None, and `rec` is their Pack, of which `executor.force` takes the array when somebody asks for
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from ..lazy.pack import Layout, Pack, at_once
from ..lazy.trie import TrieNode
from ..lazy.value import Aval, Value

__all__ = ["Group", "expected", "layouts", "present"]

LEAST_MEMBERS = 8
SMALL = 32 << 10
"""Bytes. Joining and cutting larger ones costs more than their arguments do."""


_layouts: dict[tuple, Layout] = {}


class Group:
    """Externals of a program that it takes as a pack."""

    __slots__ = ("layout", "members", "parts", "places")

    def __init__(self, layout: Layout, members: Sequence[int], places: Sequence[int]):
        self.layout = layout
        self.members = members
        self.places = list(places)
        self.parts = tuple([layout.part_of[p] for p in places])

    def pack(self, externals: list[Value]) -> Pack | None:  # hot path
        """The pack of this layout that the members are now parts of, if they are."""
        values = [externals[e] for e in self.members]
        pack = values[0].rec
        if type(pack) is not Pack or pack.layout is not self.layout:
            return None
        base = pack.base
        alike = [v.rec for v in values].count(pack) == len(values) and [
            v.index - base for v in values
        ] == self.places
        return pack if alike else None

    def join(self, arrays: list) -> Any:
        """Joins the members' arrays to the one that the program takes in place of the pack."""
        if all(type(a) is np.ndarray for a in arrays):
            return self.layout.join(arrays, self.parts, np)
        with jax.enable_x64(True), at_once(*arrays):
            return self.layout.join_some(arrays, self.parts)


def layouts(steps: Sequence[TrieNode], live: Sequence[int]) -> list[tuple[Layout, TrieNode]]:
    """How the live results of a recording's ops are packed: a layout for each op that packs some."""
    wanted = set(live)
    found = []
    for node in steps:
        pairs = getattr(node.op, "packs", None)
        layout = pairs and _layout(node, [out for out, _ in pairs(node.static) if node.base + out in wanted])
        if layout:
            found.append((layout, node))
    return found


def _layout(node: TrieNode, places: list[int]) -> Layout | None:
    dtype = node.avals[0].dtype.np
    small = [p for p in places if _is_small(node.avals[p]) and node.avals[p].dtype.np == dtype]
    if len(small) < LEAST_MEMBERS:
        return None
    key = tuple(small), tuple([node.avals[p].shape for p in small]), dtype
    found = _layouts.get(key)
    if found is None:
        found = _layouts.setdefault(key, Layout(*key))
    return found


def present(ext: Sequence[Value], reads: Sequence[int]) -> list[Group]:
    """The packs that externals are parts of now."""
    members: dict[Pack, list[int]] = {}
    for e in reads:
        if type(ext[e].rec) is Pack:
            members.setdefault(ext[e].rec, []).append(e)
    return [Group(p.layout, of, [ext[e].index - p.base for e in of]) for p, of in members.items()]


def _is_small(a: Aval) -> bool:
    """Returns whether what is of this aval may be packed: on a mesh, if every device has the whole of it."""
    return a.nbytes <= SMALL and (not a.device.is_mesh or a.device is a.device.home)


def expected(
    packed: Sequence[tuple[Layout, TrieNode]], ext: Sequence[Value], reads: Sequence[int]
) -> list[Group]:
    """The packs that externals will be parts of when this recording comes again: what an op replaces, then comes as
    what it made of it."""
    groups, found = [], set()
    for layout, node in packed:
        before = {out: node.refs[at] for out, at in node.op.packs(node.static)}
        places = {
            -1 - before[p]: p
            for p in layout.places
            if before[p] < 0 and ext[-1 - before[p]].aval is node.avals[p]
        }
        places = {e: p for e, p in places.items() if e not in found}
        if len(places) >= LEAST_MEMBERS:
            groups.append(Group(layout, list(places), list(places.values())))
            found.update(places)
    return groups + present(ext, [e for e in reads if e not in found])
