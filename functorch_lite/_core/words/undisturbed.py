"""Work that nothing interrupts, while whoever waits for it can be interrupted.

Python raises what interrupts a thread (Ctrl-C, what a signal's handler raises, another thread's exception) between any
two of its bytecodes: in the midst of JAX's tracing, whose state of this thread would stay as it is then, or between a
program that has overwritten its inputs and the keeping of its results. So such work is done by threads of their own.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

__all__ = ["Job", "all_done", "caller", "undisturbed"]

_PATIENCE = 0.1
"""Seconds. What another thread sends is raised when a wait for the work is over; signals are at once."""
_STACK = 64 << 20
"""Bytes (of address space): as much as the main thread's, or more, since XLA's compiler recurses."""


class _Here(threading.local):
    job: Job | None = None


_here = _Here()
"""The job that this thread is doing."""


class _Thread(threading.Thread):
    """The thread of a worker: the first is started when there is work for it, not when the library is imported."""

    def __init__(self, worker: _Worker):
        super().__init__(target=worker._work, name="functorch_lite", daemon=True)
        self._worker = worker

    def stop(self) -> None:
        """Ends the thread, unless it is at work: for programs that look for threads that are left. Further work has
        another one."""
        with contextlib.suppress(ValueError):
            _idle.remove(self._worker)
            self._worker._awake.release()
            self.join()


class _Worker:
    """A thread that does one job after another.

    The last one is used first: what its work frees, the allocator keeps for it alone."""

    def __init__(self) -> None:
        self.job: Job | None = None
        self._awake = threading.Lock()
        self._awake.acquire()
        before = threading.stack_size(_STACK)
        try:
            _Thread(self).start()
        finally:
            threading.stack_size(before)

    def give(self, job: Job) -> None:
        _busy.add(job)
        self.job = job
        self._awake.release()

    def _work(self) -> None:
        while True:
            self._awake.acquire()
            job, self.job = self.job, None
            if job is None:  # it is stopped
                return
            with _no_fork:
                _running.add(job)
            done = job._do()  # type: ignore[union-attr]
            _running.discard(job)
            _busy.discard(job)
            _idle.append(self)
            if done:
                job._end()  # type: ignore[union-attr]
            del job


_idle: list[_Worker] = []
_busy: set[Any] = set()
_running: set[Any] = set()
"""Jobs that are being done, some of `_busy`."""
_no_fork = threading.Lock()
"""Is held while the process forks: no job begins then."""
_forking: int | None = None
"""The thread that forks and holds it."""
MOST_WAITED = 60.0
"""Seconds that a fork waits for jobs."""


def all_done() -> None:
    """Before a fork: waits for the jobs that are being done, and lets none begin before it is over.

    What a job holds, a lock of JAX's perhaps, its child could never have."""
    global _forking
    if _here.job is not None:
        return
    _no_fork.acquire()
    _forking = threading.get_ident()
    until = time.monotonic() + MOST_WAITED
    while _running and time.monotonic() < until:
        time.sleep(1e-3)


def _forked() -> None:
    global _forking
    if _forking == threading.get_ident():
        _forking = None
        _no_fork.release()


def _in_child() -> None:
    global _no_fork, _forking
    _no_fork, _forking = threading.Lock(), None
    for workers in (_idle, _busy, _running):
        workers.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_parent=_forked, after_in_child=_in_child)


@atexit.register
def _finish() -> None:
    """Waits for what is still compiled, and written to disk then: XLA does not survive the end of the interpreter."""
    while _busy:
        for job in list(_busy):
            with contextlib.suppress(Exception):
                job.wait()


class Job:
    """Work that another thread does, once: from `begin()` or the first `wait()` on, and to its end if that is
    interrupted.

    `result`: what it returned, when `finished`; `error`: what it raised.
    """

    __slots__ = ("_caller", "_claimed", "_over", "_work", "error", "finished", "result")

    def __init__(self, work: Callable[[], Any]):
        self._work: Callable[[], Any] | None = work
        self._claimed = threading.Lock()
        self._over = threading.Lock()
        self._over.acquire()
        self._caller: FrameType | None = None
        self.finished = False
        self.result: Any = None
        self.error: BaseException | None = None

    def begin(self) -> None:
        """Has the work done from now on, whether anybody waits or not."""
        if not self._claimed.locked():
            (_idle.pop() if _idle else _Worker()).give(self)

    def is_begun(self) -> bool:
        """Returns whether a thread does the work, or has done it."""
        return self._claimed.locked()

    def wait(self, meanwhile: Callable[[], Any] | None = None) -> Any:
        """The work's result, when it is done; raises what it raised. meanwhile: called ten times a second, and when it
        is done."""
        if not self._claimed.locked():
            self._caller = sys._getframe(1)
            self.begin()
        while not self.finished:
            self._over.acquire(timeout=_PATIENCE)
            if meanwhile is not None:
                meanwhile()
        if self.error is not None:
            raise self.error
        return self.result

    def _do(self) -> bool:
        """Does the work; whether it was still to be done."""
        if not self._claimed.acquire(blocking=False):
            return False  # a wait() that was interrupted had found a worker already
        _here.job = self
        try:
            self.result = self._work()  # type: ignore[misc]
        except BaseException as error:
            self.error = error
        _here.job = self._work = self._caller = None
        return True

    def _end(self) -> None:
        self.finished = True
        self._over.release()


def undisturbed(work: Callable[[], Any], meanwhile: Callable[[], Any] | None = None) -> Any:
    """Returns the result of `work()`, done by a thread that nothing interrupts (this one, if it is such a thread).
    meanwhile: as of `Job.wait`."""
    return work() if _here.job is not None else Job(work).wait(meanwhile)


def caller() -> FrameType | None:
    """In such a thread, the frame that waits for its work."""
    return None if _here.job is None else _here.job._caller
