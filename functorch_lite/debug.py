"""What users can see of recording: run every op at once, explain which programs were compiled and run, see all frames of errors."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ._core.api import state, tracebacks
from ._core.run import executor, host_memory, program
from ._core.run.cold.tier import tier

__all__ = ["Explanation", "eager", "explain", "full_tracebacks", "release_memory", "stats", "tier"]


@contextlib.contextmanager
def eager() -> Iterator[None]:
    """A context in which every op runs at once, so that errors arise at their line.

    >>> with functorch_lite.debug.eager():
    ...     y = x @ w
    """
    executor.flush()
    here = state.here
    before, here.run_at_once = here.run_at_once, True
    try:
        yield
    finally:
        here.run_at_once = before


class full_tracebacks:
    """Shows all frames of errors, the library's and JAX's too; otherwise tracebacks are the user's frames and at most two of the library's.

    A context, or a switch that holds from the call on. The environment variable FUNCTORCH_LITE_FULL_TRACEBACKS=1 switches it on from the start.

    >>> with functorch_lite.debug.full_tracebacks():
    ...     train_step()
    """

    def __init__(self, mode: bool = True):
        self.before, tracebacks.full = tracebacks.full, mode

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        tracebacks.full = self.before


def stats() -> dict[str, int]:
    """Counts since import: programs made (each is compiled once), programs run, recordings that NumPy ran instead (see `tier`), ops in what was run."""
    return dict(executor.stats)


def release_memory() -> None:
    """Gives the CPU memory that no array is using any more back to the system (see docs/recording.md, "Memory on CPU").

    >>> del big
    >>> functorch_lite.debug.release_memory()
    """
    host_memory.release()


class Explanation:
    """What happened inside `explain()`: programs compiled and run, and why each was compiled."""

    def __init__(self):
        self.compiled: list[str] = []
        self.runs = 0
        self.cold = 0
        self.ops = 0

    def __str__(self) -> str:
        by_numpy = f" and {self.cold} runs by NumPy" if self.cold else ""
        head = f"{self.runs} program runs{by_numpy} for {self.ops} recorded ops; {len(self.compiled)} programs compiled"
        return "\n".join([head, *[f"  {i + 1}. {c}" for i, c in enumerate(self.compiled)]])

    __repr__ = __str__


@contextlib.contextmanager
def explain() -> Iterator[Explanation]:
    """A context that gathers which programs ran and were compiled, and why.

    >>> with functorch_lite.debug.explain() as report:
    ...     train_step()
    >>> print(report)
    """
    report = Explanation()
    before, program.log = program.log, []
    start = dict(executor.stats)
    try:
        yield report
        executor.flush()
    finally:
        log, program.log = program.log, before
        report.runs = executor.stats["runs"] - start["runs"]
        report.cold = executor.stats["cold"] - start["cold"]
        report.ops = executor.stats["ops"] - start["ops"]
        report.compiled = [_sentence(*detail) for what, detail in log if what == "compile"]


def _sentence(path, live, ext, seen) -> str:
    first, last = path[0].source, path[-1].source
    where = (
        f"{_short(first)} to {_short(last)}" if first and last and first != last else _short(first or last)
    )
    inputs = ", ".join(str(v.aval) for v in ext[:6]) + (", …" if len(ext) > 6 else "")
    return f"{len(path)} ops recorded from {where}; {len(live)} results; inputs: {inputs}. {seen}"


def _short(source) -> str:
    return "?" if source is None else f"{source[0].rsplit('/', 1)[-1]}:{source[1]}"
