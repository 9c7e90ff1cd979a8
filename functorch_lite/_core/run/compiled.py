"""Compiled: a recording run by a program of its own, or by one that is kept and yields at least what is live.

Programs are kept on the trie node the recording ended at; one that yields more than is live, or donates less than is
dead, is reused rather than compiling another.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from . import host_memory
from .calls import Call
from .executable import Executable
from .late import Late
from .pending import Pending
from .program import Program, may_trust
from .report import stats
from .schedule import clock
from .way import Way, call

__all__ = ["Compiled", "PreparedProgram", "call_of", "find", "keep", "keep_at", "kept", "leave", "use"]

MAX_PROGRAMS_PER_NODE = 16
MAX_PROGRAMS = 512
"""Programs kept at a time.

A compiled CPU program holds some 80 memory maps (large ones 440), of which Linux allows a process 65,530."""
MAX_BYTES, LEAST_PROGRAMS = 512 << 20, 16
"""Bytes of memory that programs may hold, as far as it can be guessed; and how many programs are kept whatever they
hold."""

kept: OrderedDict[Program, tuple[dict, tuple]] = OrderedDict()
"""Every kept program, least recently used first, with the dict of its trie node and its key there."""


class Compiled(Way):
    """A program for the whole recording: the last in the row, which runs what no other does."""

    always = True

    def offer(self, pending: Pending) -> Call:  # hot path
        return call_of(pending)

    def executables(self) -> list[Executable]:
        return [program.executable for program in list(kept)]

    def forget(self) -> None:
        kept.clear()


def call_of(pending: Pending) -> Call:  # hot path
    """The call of the recording's program."""
    live, gradients = pending.split() if pending.waiting else (pending.live, None)
    program = Program(pending, live) if pending.fresh else _program(pending, live)
    if gradients:
        leave(pending, gradients, program)
    return Call(program, pending.externals, live, pending.on)


def _program(pending: Pending, live: tuple[int, ...]) -> Program:  # hot path
    """The program of a recording, for these slots."""
    path, key = pending.path, (live, pending.dead)
    programs = path[-1].programs
    if programs is None:
        programs = path[-1].programs = {}
    program = programs.get(key) or _best(programs, pending, live, Program)
    if program.misfits > 1 and not program.settled:
        program = keep(programs, key, Program(pending, live, settled=True))
    if program.trusts and not may_trust(program.trusts, pending.externals):  # from now on one that looks
        program = keep(programs, key, Program(pending, live, settled=program.settled))
    if pending.refusal is not None and pending.refusal not in program.executable.report.reason:
        program.executable.report.reason += f" It is not padded to a few lengths for all: {pending.refusal}."
    use(program)
    return program


def find(programs: dict, pending: Pending, live: tuple[int, ...], make: Callable[..., Any]) -> Any:
    """The same among other programs than those of where the recording ends. make(pending, live): a program that is not
    there."""
    program = programs.get((live, pending.dead)) or _best(programs, pending, live, make)
    use(program)
    return program


def use(program: Program) -> None:  # hot path
    """Counts a run of a program."""
    if program in kept:
        kept.move_to_end(program)
    stats["runs"] = runs = stats["runs"] + 1
    clock.now += program.turn
    if runs % 64 == 0:
        host_memory.ease()


def _best(programs: dict, pending: Pending, live: tuple[int, ...], make: Callable[..., Program]) -> Program:
    """A cached program that yields at least `live` and donates at most what is dead; a new one when there is none, or
    when the same need has come up repeatedly."""
    wanted, may_donate, key = set(live), set(pending.dead), (live, pending.dead)
    best = None
    for program in programs.values():
        if wanted.issubset(program.live) and program.donated <= may_donate:
            if best is None or len(program.donated) > len(best.donated):
                best = program
    if best is not None:
        count = best.misses[key] = best.misses.get(key, 0) + 1
        if count < 2:
            return best
    return keep(programs, key, make(pending, live))


def keep(programs: dict, key: tuple, program: Program) -> Program:
    """Keeps a program under a key of its trie node; lets go of the one it replaces, and of the oldest when there are
    too many."""
    if key not in programs and len(programs) >= MAX_PROGRAMS_PER_NODE:
        kept.pop(programs.pop(next(iter(programs))), None)
    kept.pop(programs.get(key), None)  # type: ignore[arg-type]
    programs[key] = program
    kept[program] = (programs, key)
    held = sum([p.bytes for p in kept])
    while len(kept) > MAX_PROGRAMS or (held > MAX_BYTES and len(kept) > LEAST_PROGRAMS):
        oldest, (home, old) = kept.popitem(last=False)
        held -= oldest.bytes
        home.pop(old, None)
    return program


def keep_at(pending: Pending, key: tuple, program: Program) -> None:
    """Keeps a program where the recording ends."""
    last = pending.path[-1]
    last.programs = last.programs or {}
    keep(last.programs, key, program)


class PreparedProgram:
    """A program that is compiled in the background, for the recording that it was made for."""

    def __init__(self, pending: Pending, turn: float):
        self._key = live, _ = pending.split()[0], pending.dead
        self.program = Program(pending, live)
        self.program.turn = turn

    def begin(self) -> None:
        """Begins to compile it."""
        self.program.executable.begin(self.program.given)

    def install(self, pending: Pending) -> None:
        """Keeps it where the recording ends."""
        keep_at(pending, self._key, self.program)


def leave(pending: Pending, gradients: tuple[int, ...], program: Program) -> None:
    """Leaves gradients for later, which `program` is not to yield."""
    rec = pending.rec
    left = Late(pending, gradients, program.donated, lambda missing: call(missing, only_always=True))
    for v in rec.slots:  # type: ignore[union-attr]
        if v.index in gradients:
            v.rec = left  # type: ignore[assignment]
    rec.slots = [v for v in rec.slots if v.index not in gradients]  # type: ignore[union-attr]  # last: an interrupt may come between
