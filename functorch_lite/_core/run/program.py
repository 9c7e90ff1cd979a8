"""Program: a recording compiled.
What it reads, yields and may overwrite is decided here; when it runs, in executor.py."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from ..lazy.bounds import Bound, Origin, Seen, needed_range
from ..lazy.breaches import check_bounds
from ..lazy.graph import prune, replay
from ..lazy.known import in_range
from ..lazy.trie import TrieNode
from ..lazy.value import COMPUTED, COMPUTED_READ, Aval, Value, is_tracer
from ..words import forked
from ..words.device import device, is_jax_default, jax_device
from . import disk, packing, recycling, watching
from .executable import Executable
from .halves import run_on
from .notices import why
from .pending import Pending
from .report import ProgramReport

__all__ = [
    "Program", "bytes_of", "checks_of", "compiler_options", "deterministic", "may_trust", "moved", "placed", "upload",
]  # fmt: skip


class Plan(NamedTuple):
    """Parts that a program is made of. steps: the ops; reads: every external that they read; single: the slots that it
    yields outside of packs; results: their avals."""

    steps: list[TrieNode]
    reads: list[int]
    single: list[int]
    results: list[Aval]


class Program:
    """A recording, compiled.

    externals   numbers of the externals it reads, in the order of its arguments
    from_elsewhere  arguments, by number, that may be on another device: tensors without dims, and what the library made
                    for the op
    groups      further externals, which it takes in packs (see packing.py)
    live        the slots it yields; `sources`: which of its arrays has each
    packed      (slot of an op's first result, Layout) of the packs among its arrays, which are the last
    donated     externals whose memory it may overwrite
    executable  the function, which it is as soon as it has run once
    given       shapes and dtypes of its arguments
    rooms       what it wants to write its large results into (see recycling.py)
    misses      how often it stood in for a program that would fit better, by (live, donated)
    bytes       a guess of the memory that it holds
    checks      what it looks at: steps, each with a bound (see lazy/bounds.py); if there are any, its last result tells
                of them
    trusts      externals, by number, with the range that their elements must be known to be in: then it has nothing to
                look at
    misfits     how often it was given parameters one by one for a pack, or a pack's parts for single ones
    turn        guessed seconds of a run, which the schedule's clock counts
    settled     whether it takes the packs that there were when it was made, not those expected from its second run on
    """

    __slots__ = (
        "bytes", "checks", "donated", "executable", "externals", "from_elsewhere", "given", "groups", "live", "misfits", "misses", "packed", "rooms", "settled",
        "sources", "trusts", "turn",
    )  # fmt: skip

    def __init__(self, pending: Pending, live: tuple[int, ...], settled: bool = False):
        plan = self._planned(pending, live, settled)
        steps, single, results = plan.steps, plan.single, plan.results
        ext, on, reads, groups, at_base = (
            pending.externals,
            pending.on,
            self.externals,
            self.groups,
            self.packed,
        )
        trusts = trusted(steps, ext, on)
        self.trusts = trusts or []
        self.checks = checks = checks_of(steps) if trusts is None else []
        self.rooms = recycling.rooms(results, [ext[e].aval for e in reads if e in self.donated], on)
        given = [ext[e].aval for e in reads]

        def program(*arrays):
            if on.is_mesh:
                arrays = [*on.entered(arrays, given), *arrays[len(reads) :]]
            inputs = dict(zip(reads, arrays))
            for group, flat in zip(groups, arrays[len(reads) :]):
                inputs.update(zip(group.members, group.layout.cut(flat, group.parts)))
            slots: dict[int, Any] = {}
            seen = Seen() if checks else None
            replay(steps, slots, inputs, run_on(on, seen))
            packs = [layout.join([slots[base + p] for p in layout.places]) for base, layout in at_base]
            found = [slots[i] for i in single]
            told = [] if seen is None else [seen.flag()]
            return (on.left(found, results) if on.is_mesh else found) + packs + told

        rooms_at = len(reads) + len(groups)
        give_at = [*self._given_at(), *range(rooms_at, rooms_at + len(self.rooms))]
        options = compiler_options(on, [node.applied.barriers for node in steps])
        name = self._name(pending, plan, give_at, options)
        if name is not None:
            program.__name__ = name.function
        placements = {}
        if on.is_mesh:
            placements["out_shardings"] = on.shardings(results) + [on.sharding(1)] * (
                len(at_base) + bool(checks)
            )
        reason = why(pending.path, ext, live, settled)
        report = ProgramReport.of(pending.path, len(live), [v.aval for v in ext], reason)
        how = {"donate_argnums": give_at, "keep_unused": bool(self.rooms), "compiler_options": options}
        self.executable = Executable(program, on, report, name, **how, **placements)
        watching.made(pending.path, live, ext)
        self.given = [ext[e].aval.struct for e in reads] + [g.layout.struct for g in groups] + [*self.rooms]

    def _planned(self, pending: Pending, live: tuple[int, ...], settled: bool) -> Plan:
        """Decides what the program reads, in packs or not, what it yields, and what it overwrites."""
        ext, on = pending.externals, pending.on
        steps, every = prune(pending.path, live)
        self.live, self.settled, self.misfits = live, settled, 0
        self.misses: dict[tuple, int] = {}
        self.turn = 0.0
        self.bytes = bytes_of(steps)
        packed = packing.layouts(steps, live)
        self.packed = [(node.base, layout) for layout, node in packed]
        in_packs = {base + p: k for k, (base, layout) in enumerate(self.packed) for p in layout.places}
        single = [i for i in live if i not in in_packs]
        at = {i: k for k, i in enumerate(single)}
        self.sources = [at[i] if i in at else len(single) + in_packs[i] for i in live]
        self.groups = packing.present(ext, every) if settled else packing.expected(packed, ext, every)
        grouped = {e for group in self.groups for e in group.members}
        self.externals = reads = [e for e in every if e not in grouped]
        self.from_elsewhere = [k for k, e in enumerate(reads) if ext[e].aval.device.home is not on]
        results = _avals_of(pending.path, single)
        read = set(reads)
        self.donated = frozenset(donated_of(ext, [e for e in pending.dead if e in read], results))
        return Plan(steps, every, single, results)

    def _given_at(self) -> list[int]:
        """Its arguments, by number, whose memory it may overwrite."""
        return [k for k, e in enumerate(self.externals) if e in self.donated]

    def _name(self, pending: Pending, plan: Plan, give_at: Sequence[int], options: Any) -> disk.Name | None:
        """Returns the name by which other processes find the program; None if it has none."""
        first = disk.store.recording(plan.steps, plan.reads, self.live, pending)
        if first is None:
            return None
        at = {e: k for k, e in enumerate(plan.reads)}
        groups = [
            ([at[e] for e in g.members], g.places, g.layout.places, g.layout.shapes, g.layout.dtype)
            for g in self.groups
        ]
        rooms = [(r.shape, r.dtype) for r in self.rooms]
        rest = ([at[e] for e in self.externals], groups, give_at, rooms, options, bool(self.checks))
        return disk.store.name(first, rest, [node.applied for node in pending.path], pending.on)


def checks_of(steps: Iterable[TrieNode]) -> list[tuple[TrieNode, Bound]]:
    """Returns the bounds that a program of these steps looks at, each with its step, in the order in which `Seen`
    counts."""
    if not check_bounds["on"]:
        return []
    return [(node, bound) for node in steps for bound in node.applied.bounds]


MOST_TRUSTED = 1 << 23
"""Bytes of an external up to which it is looked at on the host, once for each array."""


def trusted(steps: Sequence[TrieNode], ext: Sequence[Value], on: device) -> list[tuple[int, int, int]] | None:
    """Externals, each with a range, which keep all bounds of the steps as they are in it: those at hand on the host,
    whole or in part. None if any bound hangs on another array."""
    if not check_bounds["on"] or on.type != "cpu" or on.is_mesh:
        return None
    found: dict[tuple[int, int, int], None] = {}
    made: dict[int, tuple[TrieNode, int]] = {}
    for node in steps:
        for bound, origin in zip(node.applied.bounds, node.applied.origins.fed):
            if not _is_of_externals(origin, node, needed_range(bound), made, found):
                return None
        made.update({node.base + i: (node, i) for i in range(node.n_out)})
    return list(found) if may_trust(found, ext) else None


def _is_of_externals(
    origin: Origin | None, node: TrieNode, wanted: tuple[int, int], made: dict, found: dict
) -> bool:
    """Whether what a step reads, or gives, is in range(*wanted) if externals are in ranges that are put into `found`.
    made: the steps before, by slot."""
    among = None if origin is None else origin.within(*wanted)
    if among is None:
        return False
    for k in origin.arguments:  # type: ignore[union-attr]
        ref = node.refs[k]
        if ref < 0:
            found[-1 - ref, *among] = None
        else:
            before, i = made[ref]
            if not _is_of_externals(before.applied.origins.given[i], before, among, made, found):
                return False
    return True


def may_trust(ranges: Iterable[tuple[int, int, int]], ext: Sequence[Value]) -> bool:  # hot path
    """Whether these externals are known to be in their ranges."""
    for e, low, size in ranges:
        if ext[e].aval.nbytes > MOST_TRUSTED or not in_range(ext[e], low, size, False):
            return False
    return True


BYTES_PER_RESULT = 64 << 10
"""Bytes of memory, guessed, of a program for each of its results: code, what XLA keeps beside it, and what JAX does.
(Measured on CPU: 22 MB for a step of a transformer, of 122 ops with 342 results.)"""


def bytes_of(steps: Iterable[TrieNode]) -> int:
    """The memory that a program of these steps is guessed to hold.

    What is forgotten for it depends on the recorded ops alone."""
    return BYTES_PER_RESULT * sum([1 + node.n_out for node in steps])


deterministic = {"on": False, "warn_only": False}
"""Settings made by `use_deterministic_algorithms`."""


def compiler_options(on: device, barriers: Iterable[frozenset[bool]]) -> dict[str, Any] | None:
    """How programs of this device are compiled. barriers: of each op, where its optimization barriers are (see
    Applied).

    XLA's CPU compiler takes barriers out early, and then merges what a checkpoint computes again with what was computed
    before, so that no memory is saved; they stay when that pass is left out. But it has no code for a barrier in a loop
    that it compiles as one kernel (the process would abort): with one in a loop or branch, the pass runs.
    """
    if on.type == "cpu" and frozenset().union(*barriers) == {False}:
        return {"xla_disable_hlo_passes": "cse_barrier_expander"}
    if on.type != "cuda":
        return None
    # XLA would leave out that an op's result is rounded to a half before the next op reads it
    rounded = {"xla_allow_excess_precision": False}
    return {**rounded, "xla_gpu_deterministic_ops": True} if deterministic["on"] else rounded


def _avals_of(path: list[TrieNode], live: list[int]) -> list:
    by_slot = {}
    for node in path:
        for i, a in enumerate(node.avals):
            by_slot[node.base + i] = a
    return [by_slot[i] for i in live]


def donated_of(ext: list[Value], dead: list[int], out_avals: list) -> list[int]:
    """Returns the dead externals whose memory some output can use."""
    room: dict[tuple, int] = {}
    for a in out_avals:
        key = _room(a)
        room[key] = room.get(key, 0) + 1
    give = []
    for e in dead:
        key = _room(ext[e].aval)
        if room.get(key, 0):
            room[key] -= 1
            give.append(e)
    return give


def _room(a: Aval) -> tuple:
    """Returns a key that is equal for arrays that can have the same memory."""
    return a.struct.shape, a.struct.dtype, a.device if a.device.is_mesh else None


def placed(array: np.ndarray, on: device) -> jax.Array:
    """A numpy array on a device, also while the user's JAX traces. It is the library's own: nobody writes to it."""
    if forked.here.child:
        forked.refuse("an array for JAX")
    if on.is_mesh:
        return on.put(array)
    target = jax_device(on) if not is_jax_default(on) else None
    with jax.enable_x64(True), jax.ensure_compile_time_eval():
        return jax.device_put(array, target)


def upload(v: Value, on: device):
    """Puts a numpy-backed value on its device, once."""
    v.array = placed(v.array, on)
    uploaded = getattr(v, "uploaded", None)
    if uploaded is not COMPUTED and uploaded is not COMPUTED_READ:
        v.uploaded = True
    return v.array


def moved(array, on: device):
    """An array on this device."""
    if on.is_mesh:
        return on.put(array)
    target = jax_device(on)
    if isinstance(array, jax.Array) and not is_tracer(type(array)) and target not in array.devices():
        return jax.device_put(array, target)
    return array
