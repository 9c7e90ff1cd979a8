"""Chunks: long recordings are cut where they repeat, so that equal stretches share one program.

XLA's compile time grows faster than a program's length, and an unrolled loop is the same stretch over and over.
A cut is made where the content has the smallest hash within a window (content-defined chunking), so stretches
that repeat are cut at the same phase whatever comes before them.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

import jax
import numpy as np

from ..lazy import engine
from ..lazy.apart import Steps
from ..lazy.bounds import Seen
from ..lazy.breaches import note
from ..lazy.graph import annotate, prune
from ..lazy.identity import identity
from ..lazy.trie import TrieNode
from ..words.device import device
from . import disk
from .executable import Executable, Run
from .halves import run_on
from .notices import why
from .pending import WHOLE_PROGRAM_OPS, Pending
from .program import checks_of, compiler_options, upload
from .report import ProgramReport, stats
from .schedule import clock
from .way import Way

__all__ = ["Chunked", "PreparedChunks"]

MIN_CHUNK, MAX_CHUNK = 16, 64
MAX_CHUNK_PROGRAMS = 256

_programs: dict[tuple, Executable] = {}


class Chunk:
    """A stretch of a recording as a program of its own: where its arguments come from, which slots it yields."""

    __slots__ = ("checks", "executable", "given", "inputs", "outputs")

    def __init__(self, executable: Executable, inputs: list, outputs: list[int], checks: list, given: list):
        self.checks = checks  # of this stretch's own lines
        self.executable = executable
        self.inputs = inputs  # slot (>= 0), external (< 0), or a Python number in a 1-tuple
        self.outputs = outputs
        self.given = given  # shapes and dtypes of the arguments; numbers as they are


class Chunked(Way):
    """Chunks, for what is too long for one program."""

    always = True

    def offer(self, pending: Pending) -> ByChunks | None:  # hot path
        return (
            ByChunks(pending.again()) if len(pending.path) > WHOLE_PROGRAM_OPS and not pending.fresh else None
        )

    def executables(self) -> list[Executable]:
        return list(_programs.values())

    def forget(self) -> None:
        _programs.clear()


class PreparedChunks:
    """The chunks of a long recording, compiled in the background."""

    def __init__(self, pending: Pending, turn: float):
        self._key = "plan", pending.live
        self._plan = make_plan(pending.path, pending.live, pending.on)
        self._plan.turn = turn
        for chunk, _ in self._plan.chunks:
            chunk.executable.begin(chunk.given)

    def install(self, pending: Pending) -> None:
        """Keeps them where the recording ends."""
        last = pending.path[-1]
        last.programs = last.programs or {}
        last.programs[self._key] = self._plan


class ByChunks:
    """A long recording, run by chunks. They overwrite nothing: interrupted, they are run again."""

    def __init__(self, pending: Pending):
        self._pending = pending

    def was_done(self) -> bool:
        return False

    def arrays(self) -> list:
        return execute(self._pending)


def execute(pending: Pending) -> list:
    """Runs a long recording chunk by chunk; returns the arrays of the live slots."""
    path, live, externals, on = pending.path, pending.live, pending.externals, pending.on
    node = path[-1]
    if node.programs is None:
        node.programs = {}
    plan = node.programs.get(("plan", live))
    if plan is None:
        before = len(_programs)
        plan = node.programs["plan", live] = make_plan(path, live, on)
        if len(_programs) > before:
            why(path, externals, live)  # for its notice alone: chunks are shared by recordings
    if on.is_mesh:
        arrays = [on.held(v.aval, engine.force(v)) for v in externals]
    else:
        arrays = [upload(v, on) if isinstance(v.array, np.ndarray) else engine.force(v) for v in externals]
    slots: dict[int, Any] = {}
    stats["runs"] += len(plan.chunks)
    clock.now += plan.turn
    with jax.enable_x64(True):
        for chunk, drop in plan.chunks:
            args = [
                (slots[i] if i >= 0 else arrays[-1 - i]) if i.__class__ is int else i[0] for i in chunk.inputs
            ]
            run = Run(chunk.executable, args)
            results = on.together(run) if on.is_mesh else run.results()  # type: ignore[attr-defined]
            slots.update(zip(chunk.outputs, results))
            if chunk.checks:
                note(results[-1], chunk.checks, on)
            for i in drop:
                del slots[i]
    return [slots[i] for i in live]


class ChunkPlan:
    """The chunks of a recording, each with the slots that it is the last to read. turn: guessed seconds of a run, which
    the schedule's clock counts."""

    __slots__ = ("chunks", "turn")

    def __init__(self, chunks: list[tuple[Chunk, list[int]]]):
        self.chunks, self.turn = chunks, 0.0


def make_plan(path: list[TrieNode], live: tuple, on: device) -> ChunkPlan:
    """Cuts the recording and finds or compiles the program of each chunk; with each, the slots it is the last to
    read."""
    steps, _ = prune(path, live)
    pieces = cut(steps)
    last_read: dict[int, int] = {}
    for number, piece in enumerate(pieces):
        for node in piece:
            for ref in node.refs:
                if ref >= 0:
                    last_read[ref] = number
    for i in live:
        last_read[i] = len(pieces)
    plan = []
    for number, piece in enumerate(pieces):
        chunk = _chunk(piece, {i for i, n in last_read.items() if n > number}, on)
        drop = [i for i in chunk.inputs if i.__class__ is int and i >= 0 and last_read[i] == number]
        plan.append((chunk, list(dict.fromkeys(drop))))
    return ChunkPlan(plan)


def cut(steps: list[TrieNode]) -> list[list[TrieNode]]:
    """Pieces of MIN_CHUNK to MAX_CHUNK steps, cut at the smallest hash of the four ops around a place."""
    marks = [crc32(f"{n.op} {n.static} {n.avals}".encode()) for n in steps]  # the same in every process
    pieces, start = [], 0
    while len(steps) - start > MAX_CHUNK:
        places = range(start + MIN_CHUNK, start + MAX_CHUNK)
        at = min(places, key=lambda i: hash(tuple(marks[i - 3 : i + 1])))
        pieces.append(steps[start:at])
        start = at
    pieces.append(steps[start:])
    return pieces


def _chunk(piece: list[TrieNode], read_later: set[int], on: device) -> Chunk:
    numbering: dict[Any, int] = {}  # source (slot, external or literal number) -> argument
    inputs: list[Any] = []
    local: dict[int, int] = {}  # slot -> canonical number within the chunk
    key: list[Any] = []
    program: list[tuple] = []
    in_avals: dict[int, Any] = {}
    for node in piece:
        refs = []
        dynamic = [a for a in node.applied.inputs if a is not None and a.__class__ is not tuple]
        for ref, a in zip(node.refs, dynamic):
            if ref in local:
                refs.append(local[ref])
                continue
            if ref not in numbering:
                numbering[ref] = len(inputs)
                in_avals[len(inputs)] = a
                inputs.append(ref)
            refs.append(-1 - numbering[ref])
        applied, refs = _lift_numbers(node, refs, inputs)
        for i in range(node.n_out):
            local[node.base + i] = len(local)
        program.append((applied, tuple(refs), node))
        key.append((applied, tuple(refs)))
    outputs = [s for s in local if s in read_later]
    full_key = (
        tuple(key),
        tuple(local[s] for s in outputs),
        tuple(in_avals.get(i) for i in range(len(inputs))),
    )
    checks = checks_of(piece)
    given = [in_avals.get(i) for i in range(len(inputs))]
    executable = _programs.get(full_key)
    if executable is None:
        if len(_programs) >= MAX_CHUNK_PROGRAMS:
            _programs.pop(next(iter(_programs)))
        executable = _executable(program, [local[s] for s in outputs], on, given, bool(checks))
        _programs[full_key] = executable
    structs = [i[0] if a is None else a.struct for i, a in zip(inputs, given)]
    return Chunk(executable, inputs, outputs, checks, structs)


def _lift_numbers(node: TrieNode, refs: list[int], inputs: list) -> tuple[Any, list[int]]:
    """Literal numbers become arguments, so that stretches that differ in nothing else (`x[0]`, `x[1]`) are equal."""
    applied = node.applied
    if not applied.has_literals:
        return applied, refs
    out, it = [], iter(refs)
    for i in applied.inputs:
        if i.__class__ is tuple:
            out.append(-1 - len(inputs))
            inputs.append((i[0](i[1]),))
        elif i is not None:
            out.append(next(it))
    return applied.lifted(), out


def _executable(steps: list[tuple], outputs: list[int], on: device, given: list, looks: bool) -> Executable:
    """given: avals of its arguments, None for numbers. looks: whether a last result tells of its bounds."""
    avals = [a for _, _, node in steps for a in node.avals]
    results = [avals[o] for o in outputs]

    def program(*arrays):
        slots: list[Any] = []
        if on.is_mesh:
            arrays = on.entered(arrays, given)
        known = Steps()
        seen = Seen() if looks else None
        run = run_on(on, seen)
        for applied, refs, node in steps:
            args = [slots[r] if r >= 0 else arrays[-1 - r] for r in refs]
            args = known.arguments(node, refs, len(slots), args)
            try:
                outs = run(applied, args)
            except Exception as error:
                annotate(error, node)
                raise
            slots.extend(outs)
        found = [slots[o] for o in outputs]
        told = [] if seen is None else [seen.flag()]
        return (on.left(found, results) if on.is_mesh else found) + told

    options = compiler_options(on, [applied.barriers for applied, _, _ in steps])
    name = _name(steps, outputs, on, looks)
    if name is not None:
        program.__name__ = name.function
    nodes = [node for _, _, node in steps]
    report = ProgramReport.of(nodes, len(outputs), (), "A stretch of a long recording.")
    placements = {"out_shardings": on.shardings(results) + [on.sharding(1)] * looks} if on.is_mesh else {}
    return Executable(program, on, report, name, compiler_options=options, **placements)


def _name(steps: list[tuple], outputs: list[int], on: device, looks: bool) -> disk.Name | None:
    """Returns the name by which other processes find a chunk; None if it has none."""
    first = identity("chunk", [(applied, refs, node.stop) for applied, refs, node in steps], outputs, on)
    if first is None:
        return None
    applied_ops = [a for applied, _, node in steps for a in {applied, node.applied}]
    return disk.store.name(first.hex(), (looks,), applied_ops, on)
