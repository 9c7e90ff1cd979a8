"""Executable: a function of arrays, compiled, whose call an interrupt finds either not done or done.

A program overwrites some of its inputs: an interrupt between that and the keeping of its results would lose both. So it
runs, and its results are kept, within one call of C code, after which alone Python looks whether it was interrupted.
Its first call, which goes through much of JAX's Python, and its compilation are the work of another thread (see
`undisturbed`).
"""

from __future__ import annotations

import atexit
import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from itertools import starmap
from time import perf_counter
from typing import Any

import jax

from ..lazy.value import is_tracer
from ..words import forked
from ..words.device import device, jax_device
from ..words.telling import Waiting
from ..words.undisturbed import Job
from . import disk, host_memory
from .lowering.rewrite import with_lowerings
from .lowering.table import switch
from .report import ProgramReport, explaining, made, ran

__all__ = ["Executable", "Run"]


LONG = 1.0
"""Seconds of compiling that leave enough memory behind to give it back."""


class _Queue:
    """Queue of what is compiled while nobody waits for it: one program after the other, as each takes some hundred MB,
    and the processor. One that is waited for meanwhile is compiled at once (see `Job.wait`)."""

    def __init__(self) -> None:
        self._jobs: deque[Job] = deque()
        self._lock = threading.Lock()
        self._now: Job | None = None

    def add(self, work: Callable[[], Any]) -> Job:
        """A job, which begins when those before it are done."""

        def compile_then_next() -> Any:
            try:
                return work()
            finally:
                with self._lock:
                    if self._now is job:
                        self._now = None
                self._begin()

        job = Job(compile_then_next)
        with self._lock:
            self._jobs.append(job)
        self._begin()
        return job

    def drop(self) -> None:
        """Drops the jobs that have not begun: the process ends, and does not wait for them."""
        with self._lock:
            self._jobs.clear()

    def _begin(self) -> None:
        """Begins the next job that nobody waits for yet, if none is being done."""
        with self._lock:
            if self._now is not None and not self._now.finished:
                return
            self._now = None
            while self._jobs and self._now is None:
                job = self._jobs.popleft()
                self._now = None if job.is_begun() else job
            following = self._now
        if following is not None:
            following.begin()


_queue = _Queue()
atexit.register(lambda: _queue.drop())


def _in_child() -> None:
    """In a forked child nothing of it is compiled, and its lock may be another thread's."""
    global _queue
    _queue = _Queue()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)


class Executable:
    """A function of arrays, for one device, compiled for the arguments of its first call, or found on disk by its name.
    how: what `jax.jit` is told.

    `run` is what calls it; None until it has run once. `report`: what it is, and what making it took. `ready`: which of
    its arguments (bits) were NumPy's arrays in some call: JAX's Python sees to the first call of each kind. `mark`:
    what other processes know it by.
    """

    __slots__ = (
        "_compiled",
        "_compiling",
        "_name",
        "_on",
        "how",
        "jitted",
        "mark",
        "ready",
        "report",
        "run",
    )

    def __init__(
        self, fn: Callable, on: device, report: ProgramReport, name: disk.Name | None = None, **how: Any
    ):
        self.jitted = jax.jit(fn, **how)
        self.how = how
        self.report = report
        self._name = name if switch["on"] else None
        self.run: Callable[..., list] | None = None
        self.ready: set[int] = set()
        self.mark = ""
        self._on = on
        self._compiled: Callable[..., list] | None = None
        self._compiling: Job | None = None

    @property
    def is_on_disk(self) -> bool:
        """Returns whether another process left it there."""
        return self._name is not None and disk.store.has(self._name)

    def begin(self, args: Sequence[Any]) -> None:
        """Begins to compile the function, in another thread, for arguments such as these (arrays, or what stands for
        them)."""
        if self._compiled is None and self._compiling is None:
            self._compiling = self._job(args, _queue.add)

    def compiled_for(self, args: Sequence[Any]) -> Callable[..., list]:
        """The function, compiled; if it was being compiled already, when an interrupt came, when that is done."""
        compiled = self._compiled
        if compiled is None:
            job = self._compiling  # what runs meanwhile, such as a signal handler, may finish the same job
            if job is None or job.error is not None:
                job = self._compiling = self._job(args)
            with Waiting(self._waited_for) as waiting:
                compiled = self._compiled = job.wait(waiting)
            self._compiling = None
        return compiled

    def _waited_for(self) -> tuple[str, str, str]:
        what = f"for {self.report.ops} ops recorded from {self.report.lines}"
        return "waiting for the compiler", what, "The same ops at the same shapes are compiled once."

    def within(self, args: Sequence[Any]) -> list:
        """Its results for tracers of the user's JAX, whose program it becomes a part of: options are for a program that
        is compiled alone."""
        return self.jitted(*args) if self._on.is_mesh else jax.jit(self.jitted.__wrapped__)(*args)

    def _job(self, args: Sequence[Any], job: Callable[[Callable], Job] = Job) -> Job:
        if forked.here.child:
            forked.refuse("a program")
        if self._compiling is None:
            made(self)
        disk.store.begin()
        return job(lambda: self._compile(args))

    def _compile(self, args: Sequence[Any]) -> Callable[..., list]:
        with jax.enable_x64(True), jax.default_device(jax_device(self._on)):
            name = self._name
            if name is not None:
                with self.report.timing("compile"):
                    found = disk.store.found(name, len(args))
                if found is not None:
                    return found
            with self.report.timing("trace"):
                traced = self.jitted.trace(*args)
                if self._on.type == "cpu" and not self._on.is_mesh:
                    traced = with_lowerings(traced, self.how)
            with self.report.timing("lower"):
                lowered = traced.lower()
            if self._on.is_mesh:
                self.mark = self._on.mark_of(lowered)  # type: ignore[attr-defined]
            with self.report.timing("compile"):
                compiled, is_fresh = disk.store.compile(lowered)
            if name is not None and is_fresh:
                disk.store.keep(name, compiled)
            if self.report.compile_seconds > LONG:
                host_memory.trim()
            return compiled

    @property
    def text(self) -> str:
        """The function as XLA compiled and writes it; "" before that."""
        compiled = self._compiled
        return compiled.as_text() or "" if isinstance(compiled, jax.stages.Compiled) else ""

    def measured(self) -> ProgramReport:
        """The report, with its bytes."""
        compiling = self._compiling
        self.report.measure(self._compiled if compiling is None else compiling.result)
        return self.report

    def call_first(self, compiled: Callable[..., list], args: Sequence[Any], found: list) -> None:
        """The first call: its results are appended to `found`. No Python runs in those that follow."""
        with jax.enable_x64(True), jax.default_device(jax_device(self._on)):
            found.extend(starmap(compiled, (args,)))
        self.run = getattr(compiled, "_call", None) or compiled

    def take_any(self) -> None:
        """From here on arguments may lie elsewhere than those that it was compiled for: jax.jit finds the program that
        fits."""
        self.run = self._compiled = self.jitted


class Run:
    """One call of an Executable on arrays.

    Interrupted, it can be gone on with: `results` are there when they are wanted again. bare: which of the arguments
    (bits) are NumPy's."""

    __slots__ = ("_args", "_bare", "_executable", "_first", "_found")

    def __init__(self, executable: Executable, args: Sequence[Any], bare: int = 0):
        self._executable = executable
        self._bare = bare
        self._args: Sequence[Any] = args
        self._first: Job | None = None
        self._found: list[list] = []

    def results(self) -> list:  # hot path
        """The function's results, after calling it if it was not called yet."""
        found = self._found
        if not found:
            run = self._executable.run
            began = perf_counter() if explaining else 0.0
            if run is None or self._first is not None or self._bare not in self._executable.ready:
                began = self._run_first()
            else:
                try:
                    found.extend(starmap(run, (self._args,)))  # one call of C code
                except (TypeError, ValueError):
                    if found:  # it was an interrupt's
                        raise
                    self._run_otherwise()
                except RecursionError:
                    if found:
                        raise
                    self._run_within_itself()
            if began:
                ran(self._executable, found[0], began)
        self._args = ()
        return found[0]

    def is_traced(self) -> bool:
        """Returns whether it becomes a part of the user's JAX program."""
        return any(is_tracer(type(a)) for a in self._args)

    def numbers(self) -> list:
        """Returns the arguments that are on no device: Python's numbers, and NumPy's arrays."""
        return [a for a in self._args if not isinstance(a, jax.Array)]

    def named(self) -> str:
        """Returns a text that tells the program from others, after compiling it if it was not yet."""
        if not self._executable.mark:
            self._executable.compiled_for(self._args)
        return f"the program of {self._executable.report.lines} ({self._executable.mark})"

    def was_done(self) -> bool:
        """Whether the function has been called, or may be at any moment: then it must not be called again."""
        return bool(self._found) or (self._first is not None and self._first.error is None)

    def _run_first(self) -> float:
        """Calls the function the first time; returns when that began, compiling left out, if anybody wants to know."""
        executable, args, found = self._executable, self._args, self._found
        looks = jax.config.jax_debug_nans or jax.config.jax_debug_infs  # for nan, which jax.jit says more of
        if any(is_tracer(type(a)) for a in args):
            found.append(executable.within(args))
            return 0.0
        if looks:
            found.append(executable.jitted(*args))
            return 0.0
        if self._first is None:
            compiled = executable.compiled_for(args)
            self._first = Job(lambda: executable.call_first(compiled, args, found))
        began = perf_counter() if explaining else 0.0
        self._first.wait()
        executable.ready.add(self._bare)
        return began

    def _run_within_itself(self) -> None:
        """The same for code that interrupts a call of this function, which JAX does not call again meanwhile: another
        program for it."""
        function, how = self._executable.jitted.__wrapped__, self._executable.how
        with jax.enable_x64(True):
            self._found.append(jax.jit(function, **how)(*self._args))

    def _run_otherwise(self) -> None:
        """Arguments that the compiled function refuses, before anything is done: tracers of the user's JAX, or arrays
        that lie elsewhere."""
        if any(is_tracer(type(a)) for a in self._args):
            self._found.append(self._executable.within(self._args))
            return
        self._executable.take_any()
        self._found.extend(starmap(self._executable.jitted, (self._args,)))
