"""Ways: what can run a recording that is pending.
They stand in a row (`ways.py`), are asked one after the other, and the first that makes an offer runs it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ..lazy.recorder import Recorder
from ..lazy.value import Value
from ..words import forked
from .executable import Executable
from .pending import Pending

__all__ = ["Answer", "Running", "Way", "answers", "at_symbols", "call", "row", "set_row"]


class Running(Protocol):
    """A recording that some way runs."""

    def arrays(self) -> Sequence[Any]:
        """Returns what the live slots get: arrays, or Packs. Interrupted, it can be called again."""
        ...

    def was_done(self) -> bool:
        """Returns whether it must not be run in another way: something may have been overwritten."""
        ...


class Way:
    """A way of running recordings.

    always    whether it is asked of every recording; otherwise of those alone that end where there is no program yet
    in_child  whether it can do without XLA, which a forked child has not
    """

    always = False
    in_child = False

    def look(self, pending: Pending) -> Running | None:
        """Notes in `pending` what other ways want to know.

        All in the row do, where there is no program yet, before the first is asked for an offer. One that is done
        sooner than any other could be says so by its offer."""
        return None

    def offer(self, pending: Pending) -> Running | None:
        """Returns the Running that runs the recording; None if another way is to run it."""
        raise NotImplementedError

    def answer(self, rec: Recorder, v: Value) -> bool:
        """Computes a value that is asked for by itself, and takes it out of the recording; whether it did."""
        return False

    def executables(self) -> list[Executable]:
        """The programs that it keeps."""
        return []

    def forget(self) -> None:
        """Forgets programs, and all else that changes with what ops depend on."""


Answer = Callable[[Recorder, Value], bool]

at_symbols: list[Callable[[Pending], Running | None]] = [lambda pending: None]
"""Slot for the function that runs a recording at symbolic sizes (see cold/symbolic.py)."""
row: list[Way] = []
answers: list[Answer] = []
"""The `answer` of each way in the row that has one."""
_looks: list[Callable[[Pending], Running | None]] = []
_offers: list[Callable[[Pending], Running | None]] = []
_always: list[Callable[[Pending], Running | None]] = []


def set_row(ways: Sequence[Way]) -> None:
    """Says which ways there are, in the order in which they are asked."""
    row[:] = ways
    answers[:] = [way.answer for way in row if type(way).answer is not Way.answer]
    _looks[:] = [way.look for way in row if type(way).look is not Way.look]
    _offers[:] = [way.offer for way in row]
    _always[:] = [way.offer for way in row if way.always]


def call(pending: Pending, only_always: bool = False) -> Running:  # hot path
    """Returns the Running that runs a recording. only_always: nothing but a program will do, in one piece or several
    (in a forked child NumPy, which is all there is)."""
    if pending.symbols is not None:
        found = None if only_always or forked.here.child else at_symbols[0](pending)
        if found is not None:
            return found
        pending.close()
    if forked.here.child:
        offers = [way.offer for way in row if way.in_child]
    elif only_always or pending.path[-1].programs:
        offers = _always
    else:
        offers = _offers
        for look in _looks:
            found = look(pending)
            if found is not None:
                return found
    for offer in offers:
        found = offer(pending)
        if found is not None:
            return found
    forked.refuse("a program")
