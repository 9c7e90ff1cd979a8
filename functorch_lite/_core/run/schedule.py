"""The schedule of compilation: when the program of a recording is compiled, and from which run on it replaces NumPy.

Where the process has more than one core, programs are compiled in a background thread, one at a time, while NumPy runs
their recordings. Everything is decided by a clock that counts *guessed* seconds of the runs so far: when the thread is
free, which recording is compiled next, and when its program is ready. A script therefore switches at the same runs
every time, on an idle machine and on a busy one. A program that is late is waited for.

With one core, compilation takes the script's own time. It begins when NumPy's runs have cost `PAID_BEFORE` times as
much as compiling is guessed to take.
"""

from __future__ import annotations

import enum
import math

from .cores import available_cores

__all__ = ["FIRST_RUNS", "MOST_RUNS", "PAID_BEFORE", "Next", "Ticket", "clock"]

FIRST_RUNS = 4
"""The run of a recording at which its compilation may begin: the first steps of a script often differ from the rest."""
PAYS_WITHIN = 180.0
"""Seconds of the script within which a program must be expected to save what compiling it takes."""
MARGIN = 1.2
"""How much later than guessed a program is expected: a wait stops the script, a late switch only keeps NumPy."""
PAID_BEFORE = 2.3
"""With one core: how often NumPy's runs must have cost what compiling does before it begins.

(Measured: NumPy takes about as long as PyTorch, so a program that is compiled in vain is time that a script loses.)"""
WORTH_NOTING = 0.05
"""Fraction of the seconds of compiling that NumPy must have spent on a recording before the ledger takes it."""
MOST_RUNS = 20_000
"""With one core: the most runs by NumPy of a recording that is to be compiled."""


class Next(enum.Enum):
    """The next run of a recording: by NumPy; by NumPy, while its program begins to be compiled; or by the program."""

    NUMPY = enum.auto()
    BEGIN = enum.auto()
    PROGRAM = enum.auto()


class Clock:
    """The clock of a process, and its background thread as the clock knows it.

    now      guessed seconds of all runs so far, by NumPy and by programs
    free_at  the time at which the thread has compiled what it began
    """

    def __init__(self) -> None:
        self.now = self.free_at = 0.0
        self._waiting: dict[Ticket, None] = {}

    @property
    def is_compiling(self) -> bool:
        """Returns whether a program is being compiled in the background, according to the clock."""
        return self.now < self.free_at

    def admits(self, ticket: Ticket) -> bool:
        """Whether a ticket that wants to begin may do so: the thread is free, and no other recording that runs as often
        saves more."""
        self._waiting[ticket] = None
        if self.now < self.free_at:
            return False
        rate = ticket.rate()
        if any(other.last > ticket.last and other.rate() > rate for other in self._waiting):
            return False
        del self._waiting[ticket]
        return True

    def forget(self) -> None:
        """Forgets the recordings that wait."""
        self._waiting.clear()


clock = Clock()


class Ticket:
    """The place of one recording in the schedule.

    turn     guessed seconds of a run by NumPy, with recording it
    saved    how many of them a program saves
    seconds  guessed seconds of compiling (or loading) the program
    first    the run at which that may begin
    before   seconds that NumPy spent on it in earlier processes
    is_noted whether the seconds of this process were noted for those to come
    runs     how often NumPy ran the recording
    born, last  the clock's time at its first and its latest run
    ready    the clock's time from which on the program runs it; None before compilation begins
    """

    __slots__ = ("before", "born", "first", "is_noted", "last", "ready", "runs", "saved", "seconds", "turn")

    def __init__(self, turn: float, saved: float, seconds: float, first: int = FIRST_RUNS):
        self.turn, self.saved, self.seconds, self.first = turn, saved, seconds, first
        self.runs, self.before, self.is_noted = 0, 0.0, False
        self.born = self.last = 0.0
        self.ready: float | None = None

    @property
    def spent(self) -> float:
        """Seconds that NumPy spent on it in this process."""
        return self.runs * self.turn

    def credit(self, seconds: float) -> None:
        """Counts seconds that NumPy spent on it in earlier processes: its program may begin at its first run."""
        self.before = seconds
        if seconds:
            self.first = 1

    def is_worth_noting(self) -> bool:
        """Returns whether processes to come should know what NumPy spent on it, and do not yet."""
        if self.is_noted or self.spent < WORTH_NOTING * self.seconds:
            return False
        self.is_noted = True
        return True

    def rate(self) -> float:
        """Seconds saved in a second of the script, as far as its past tells."""
        return self.saved * max(self.runs - 1, 1) / max(clock.now - self.born, self.turn)

    def next(self) -> Next:
        """Counts one more run, and says what runs it."""
        now = clock.now
        if not self.runs:
            self.born = now
        self.runs += 1
        if self.ready is None:
            result = Next.BEGIN if self._begins() else Next.NUMPY
        else:
            result = Next.PROGRAM if self._is_ready(now) else Next.NUMPY
        if result is not Next.PROGRAM:
            self.last = now
            clock.now = now + self.turn
        return result

    def _begins(self) -> bool:
        if available_cores() == 1:
            paid = PAID_BEFORE * self.seconds / self.saved - self.before / self.turn
            if self.runs < min(max(self.first, math.ceil(paid)), MOST_RUNS):
                return False
        elif self.runs < self.first or self.rate() * PAYS_WITHIN < self.seconds or not clock.admits(self):
            return False
        self.ready = clock.free_at = clock.now + MARGIN * self.seconds
        return True

    def _is_ready(self, now: float) -> bool:
        return now >= self.ready  # type: ignore[operator]
