"""What the library says of its own accord: why one waits for the compiler, and which lines are compiled again and again.

It is said on a terminal or in a notebook, and nowhere else (`set_log`).
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from ..lazy.trie import TrieNode
from ..lazy.value import Value

__all__ = ["Waiting", "lines_of", "say", "set_log", "why"]

LONG = 2.0
"""Seconds of waiting for the compiler after which it is said what is waited for."""
PAUSE = 0.1
"""Seconds. Programs that are waited for one after the other with less between them are one wait."""
MANY = 5
"""Programs of the same lines at which it is said that there are so many."""
MAX_PLACES = 256
"""Pairs of a first and a last line whose programs are remembered."""

_log: bool | Callable[[str], Any] = True


def set_log(log: bool | Callable[[str], Any]) -> None:
    """Says whether, or to whom, the library speaks of compiling: once a wait for it has taken two seconds, and once for lines that were compiled five times.

    log: True (as from the start), on stderr if that is a terminal or a notebook's, and otherwise not at all; False, never; a function, to
    which each sentence is given, terminal or not.

    >>> functorch_lite.set_log(False)
    >>> functorch_lite.set_log(print)
    >>> functorch_lite.set_log(True)
    """
    global _log
    if not (isinstance(log, bool) or callable(log)):
        raise TypeError(f"set_log() takes True, False or a function of a string, not {type(log).__name__}")
    _log = log


def say(text: str) -> None:
    """Gives a sentence to whom `set_log` says."""
    if not isinstance(_log, bool):
        _log(text)
    elif _log and _somebody_reads():
        with contextlib.suppress(OSError, ValueError):  # closed meanwhile
            print(
                f"functorch_lite: {text} (functorch_lite.set_log(False) turns this off.)",
                file=sys.stderr,
                flush=True,
            )


def _somebody_reads() -> bool:
    if _notebook() is not None:
        return True
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # None, or closed
        return False


def _notebook() -> Any:
    """IPython's shell if this process is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    return shell if getattr(shell, "kernel", None) is not None else None


# -- the user's lines ------------------------------------------------------------------------------------------------


def lines_of(path: Sequence[TrieNode]) -> str:
    """The user's lines that recorded these ops: `train.py:14 to train.py:17`, of the first time that they were recorded."""
    first, last = path[0].source, path[-1].source
    if first and last and first != last:
        return f"{_short(first)} to {_short(last)}"
    return _short(first or last)


def _short(source: tuple[str, int] | None) -> str:
    if source is None:
        return "?"
    file, line = source
    name = file.replace("\\", "/").rsplit("/", 1)[-1]
    return f"{cell_of(file) or name}:{line}"


def cell_of(file: str) -> str | None:
    """A notebook's name of the cell that it keeps in this file, such as `In[3]`; None if it is no cell."""
    if (shell := _notebook()) is not None:
        with contextlib.suppress(AttributeError, TypeError):
            if (cell := shell.compile.format_code_name(file)) is not None:  # ("Cell", "In[3]")
                return cell[1]
    return None


# -- waits for the compiler ------------------------------------------------------------------------------------------


class _Wait(threading.local):
    began = said = 0.0
    last = float("-inf")


_wait = _Wait()
"""This thread's last wait: when it began, when it was last seen, and when it was spoken of (0 if it was not)."""


class Waiting:
    """A wait for a program of `ops` ops from these lines: to be called now and then while it lasts, and at its end."""

    __slots__ = ("lines", "ops")

    def __init__(self, lines: str, ops: int):
        self.lines, self.ops = lines, ops
        now = perf_counter()
        if now - _wait.last > PAUSE:
            _wait.began, _wait.said = now, 0.0

    def __call__(self) -> None:
        _wait.last = now = perf_counter()
        if not _wait.said and now - _wait.began > LONG:
            _wait.said = now
            say(
                f"waiting for the compiler, {now - _wait.began:.1f} s so far, now for {self.ops} ops recorded from {self.lines}. "
                "The same ops at the same shapes are compiled once."
            )


# -- lines that are compiled again and again -------------------------------------------------------------------------


FIRST = "First time these lines ran."
OTHER_OPS = "The sequence of ops differs from the last time these lines ran."
OTHER_RESULTS = "Other results are still referred to than before."
OTHER_NUMBERS = (
    "A number or a static argument (an axis, a size, an exponent) changed, or what may be overwritten did."
)
OTHER_PACKS = "Small parameters did not come as one array, as an optimizer's step leaves them, or do so now."

_ADVICE = {
    "shape": "Each shape makes a program: pad to a few sizes, or drop the last batch.",
    "dtype": "Each dtype makes a program: cast before.",
    OTHER_OPS: "Each way through branches and each length of a loop makes a program: torch.where and torch.cond make one.",
    OTHER_RESULTS: "Keep the same tensors each time.",
    OTHER_NUMBERS: "Each number that carries structure makes a program: take few of them.",
}
_UNKNOWN = {None, "<stdin>", "<string>"}
"""Files whose lines tell no places apart."""


class _Place:
    """What was compiled for the same lines: how often, and the last few: (digest of the ops, inputs' avals, live slots)."""

    __slots__ = ("before", "times")

    def __init__(self) -> None:
        self.before: list[tuple[int, tuple, tuple]] = []
        self.times = 0


_places: dict[tuple, _Place] = {}


def why(path: Sequence[TrieNode], ext: Sequence[Value], live: tuple, settled: bool = False) -> str:
    """Why this recording has no program yet, compared with those compiled for the same lines of the user's; to be asked for each that is made.

    Lines that were compiled MANY times are spoken of. settled: the program is made for the packs that there are (see `Program`).
    """
    key = (path[0].source, path[-1].source)
    place = _places.pop(key, None) or _Place()
    while len(_places) >= MAX_PLACES:
        del _places[next(iter(_places))]
    _places[key] = place
    mine = (hash(tuple([getattr(n.op, "name", "") for n in path])), tuple([v.aval for v in ext]), live)
    reason, advice = (OTHER_PACKS, "") if settled else _difference(place.before, mine)
    place.before.append(mine)
    del place.before[:-8]
    place.times += 1
    if place.times == MANY and (key[0] or (None,))[0] not in _UNKNOWN:
        say(f"{lines_of(path)}: compiled {MANY} times. {reason} {advice}".rstrip())
    return reason


def _difference(
    before: Sequence[tuple[int, tuple, tuple]], mine: tuple[int, tuple, tuple]
) -> tuple[str, str]:
    """Why there is one more program, and what to do about it."""
    for ops, avals, live in reversed(before):
        if ops == mine[0] and len(avals) == len(mine[1]):
            changed = [i for i, (a, b) in enumerate(zip(avals, mine[1])) if a is not b]
            if changed:
                i = changed[0]
                was, now = avals[i], mine[1][i]
                kind = "shape" if was.shape != now.shape else "dtype" if was.dtype is not now.dtype else ""
                return f"Input {i} changed from {was} to {now}.", _ADVICE.get(kind, "")
            reason = OTHER_RESULTS if live != mine[2] else OTHER_NUMBERS
            return reason, _ADVICE[reason]
    return (OTHER_OPS, _ADVICE[OTHER_OPS]) if before else (FIRST, "")
