"""Code that Python runs in the middle of other code of the same thread.

Python calls the handler of a signal between two bytecodes, the finalizers of garbage wherever an object is allocated,
and functions that trace or profile at every line. Such code may use tensors. `interruption` says whether it runs now.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from _thread import get_ident
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

__all__ = ["interruption"]

_NAMES = (
    "SIGALRM", "SIGVTALRM", "SIGPROF", "SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGCHLD", "SIGWINCH",
)  # fmt: skip
_SIGNALS = tuple([getattr(signal, name) for name in _NAMES if hasattr(signal, name)])
"""The signals that programs usually handle. Asking for the handlers of all 64 takes too long."""


class _Collection:
    """`thread`: the thread that collects garbage now, 0 if none does; `count`: how many collections there were."""

    thread = 0
    count = 0


def _collecting(phase: str, info: dict[str, int]) -> None:
    if phase == "start":
        _Collection.count += 1
        _Collection.thread = get_ident()
    else:
        _Collection.thread = 0


gc.callbacks.append(_collecting)


class _Handlers:
    """`installed`: the handlers of `_SIGNALS` when they were last looked at; `codes`: the code of those that are written
    in Python. Python calls them in the main thread, `thread`."""

    installed: tuple = ()
    codes: frozenset[CodeType] = frozenset()
    thread = threading.main_thread().ident


def _in_child() -> None:
    _Handlers.thread = get_ident()
    _Collection.thread = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)


def interruption() -> tuple[int, int] | None:
    """Returns what tells the innermost interruption of this thread from others while it lasts; None outside of any.

    The code of a handler that the program calls by itself counts as an interruption too.
    """
    me = get_ident()
    collection = _Collection.count if _Collection.thread == me else 0
    codes = _Handlers.codes
    if me == _Handlers.thread:
        installed = tuple(map(signal_handler, _SIGNALS))
        if installed != _Handlers.installed:
            _Handlers.codes = codes = frozenset([code for f in installed for code in _codes(f)])
            _Handlers.installed = installed
    else:
        codes = frozenset()
    trace, profile = sys.gettrace(), sys.getprofile()
    if trace is not None or profile is not None:
        frame = _interrupting(codes.union(_codes(trace), _codes(profile)), trace is not None)
    elif codes:
        frame = _interrupting(codes, False)
    else:
        frame = 0
    return (collection, frame) if collection or frame else None


signal_handler: Callable[[int], Any] = getattr(signal, "_signal", signal).getsignal
"""`signal.getsignal` without its conversion to an enumeration, which takes longer than all else here."""


def _interrupting(codes: frozenset[CodeType], traced: bool) -> int:
    """The id of the innermost frame of such code; 0 if there is none. traced: also of a frame's own trace function."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        below = frame.f_back
        if frame.f_code in codes:
            return id(frame)
        if (
            traced
            and below is not None
            and below.f_trace is not None
            and frame.f_code in _codes(below.f_trace)
        ):
            return id(frame)
        frame = below
    return 0


def _codes(function: Any) -> Iterator[CodeType]:
    """The code that runs first, of this library's or the user's, when Python calls a function."""
    for _ in range(8):  # of partials of methods of ...
        if function is None or isinstance(function, int):
            return
        code = getattr(function, "__code__", None)
        if isinstance(code, CodeType):
            yield code
            return
        inner = getattr(function, "func", None) or getattr(function, "__func__", None)
        if inner is None and not isinstance(function, type):
            inner = getattr(type(function), "__call__", None)  # noqa: B004
        function = inner
