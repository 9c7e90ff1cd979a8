"""Messages that the library writes of its own accord, and to whom: that one waits, and for what.

It is said on a terminal or in a notebook, and nowhere else (`set_log`). What is said of a wait goes away when the wait
is over.
"""

from __future__ import annotations

import contextlib
import linecache
import os
import shutil
import sys
import threading
from collections.abc import Callable
from time import perf_counter
from typing import Any

from .tracebacks import is_ours
from .undisturbed import undisturbed

__all__ = ["Waiting", "awaited", "cell_of", "place_of", "say", "set_log", "short"]

LONG = 2.0
"""Seconds of waiting after which it is said what is waited for."""
PAUSE = 0.1
"""Seconds. What is waited for one after the other with less between is one wait."""

_log: bool | Callable[[str], Any] = True


def set_log(log: bool | Callable[[str], Any]) -> None:
    """Says whether, or to whom, the library speaks of waiting and compiling: while a wait for tracing or for the
    compiler takes longer than two seconds, and once for lines that were compiled five times.

    log: True (as from the start), on stderr if that is a terminal or a notebook's, and otherwise not at all; False,
    never; a function, to which each sentence is given, terminal or not. On a terminal and in a notebook what is said of
    a wait is taken away at its end.

    >>> functorch_lite.set_log(False)
    >>> functorch_lite.set_log(print)
    >>> functorch_lite.set_log(True)
    """
    global _log
    if not (isinstance(log, bool) or callable(log)):
        raise TypeError(f"set_log() takes True, False or a function of a string, not {type(log).__name__}")
    _log = log


_OFF = "(functorch_lite.set_log(False) turns this off.)"


def say(text: str) -> None:
    """Gives a sentence to whom `set_log` says."""
    if not isinstance(_log, bool):
        _log(text)
    elif _log and _somebody_reads():
        _write(f"functorch_lite: {text} {_OFF}\n")


def _write(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # closed meanwhile
        print(text, end="", file=sys.stderr, flush=True)


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


def short(source: tuple[str, int] | None) -> str:
    """A line of a file, `train.py:14`, or of a notebook's cell, `In[3]:2`."""
    if source is None:
        return "?"
    file, line = source
    name = file.replace("\\", "/").rsplit("/", 1)[-1]
    return f"{cell_of(file) or name}:{line}"


def place_of(source: tuple[str, int] | None) -> str:
    """Returns a line as an error message names it: `/home/me/train.py:14`, or `Cell In[3], line 2: y = table[labels]`.

    The traceback of an error that a notebook raises as it shows a tensor has no line of any cell: so the line is
    quoted."""
    if source is None:
        return "an unknown line"
    if (cell := cell_of(source[0])) is None:
        return f"{source[0]}:{source[1]}"
    code = linecache.getline(*source).strip()
    return f"Cell {cell}, line {source[1]}" + (f": {code}" if code else "")


def cell_of(file: str) -> str | None:
    """A notebook's name of the cell that it keeps in this file, such as `In[3]`; None if it is no cell."""
    if (shell := _notebook()) is not None:
        with contextlib.suppress(AttributeError, TypeError):
            if (cell := shell.compile.format_code_name(file)) is not None:  # ("Cell", "In[3]")
                return cell[1]
    return None


def _waiting_line() -> str:
    """The user's line that waits here."""
    frame = sys._getframe()
    while frame.f_back is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return short((frame.f_code.co_filename, frame.f_lineno))


# -- waits -----------------------------------------------------------------------------------------------------------


class _Wait(threading.local):
    began = said = 0.0
    last = float("-inf")


_wait = _Wait()
"""This thread's last wait: when it began, when it was last seen, and when a function was told of it (0 if none was)."""


class Waiting:
    """A wait, to be called now and then while it lasts: a context, after which what was said of it on a terminal is
    gone.

    what: for what, asked for if it is said: a word for the wait, what is waited for now, and what is done about it.
    """

    __slots__ = ("_what", "_wipes")
    _shown: Waiting | None = None
    """The one that stands on the terminal."""

    def __init__(self, what: Callable[[], tuple[str, str, str]]):
        self._what = what
        self._wipes = ""
        now = perf_counter()
        if now - _wait.last > PAUSE:
            _wait.began, _wait.said = now, 0.0

    def __call__(self) -> None:
        _wait.last = now = perf_counter()
        if now - _wait.began <= LONG or _log is False or self._wipes:
            return
        if _log is not True and not _wait.said:
            _wait.said = now
            _log(self._text(now))
        elif _log is True and Waiting._shown is None and _somebody_reads():
            text = f"functorch_lite: {self._text(now)} {_OFF}"
            Waiting._shown, self._wipes = self, _wiping(text)
            _write(text)

    def _text(self, now: float) -> str:
        begin, what, end = self._what()
        return f"{begin}, {now - _wait.began:.1f} s so far, now {what}. {end}"

    def __enter__(self) -> Waiting:
        return self

    def __exit__(self, *_: object) -> None:
        if self._wipes:
            Waiting._shown = None
            _write(self._wipes)


def _wiping(text: str) -> str:
    """Returns the text that takes away another, which was written last, without a new line after it."""
    if _notebook() is not None:  # whose line is as long as the text
        return f"\r{' ' * len(text)}\r"
    if os.environ.get("TERM") == "dumb":
        return "\n"
    rows = (len(text) - 1) // max(shutil.get_terminal_size().columns, 1)
    up = f"\x1b[{rows}A" if rows else ""
    return f"\r{up}\x1b[J"


def awaited(work: Callable[[], Any], what: Callable[[], str]) -> Any:
    """Returns the result of `work()`, which traces `what()`, undisturbed; whoever waits is told of it."""

    def said() -> tuple[str, str, str]:
        return "tracing", f"{what()} at {_waiting_line()}", "The same ops at the same shapes are traced once."

    with Waiting(said) as waiting:
        return undisturbed(work, waiting)
