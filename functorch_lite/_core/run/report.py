"""Reports on programs, on making and running them, and who wants these: `debug.stats()` and `debug.explain()`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import jax

from ..lazy.trie import TrieNode
from .notices import lines_of

__all__ = [
    "Gathering", "Guess", "ProgramReport", "counting", "explaining", "made", "ran", "ran_by_numpy", "seconds", "stats",
    "timing",
]  # fmt: skip

stats: dict[str, int] = {"programs": 0, "runs": 0, "cold": 0, "ops": 0}
"""Programs made, programs run, recordings that NumPy ran (see cold/tier.py), ops in the recordings that were run, since
import."""

seconds: dict[str, float] = {"trace": 0.0, "lower": 0.0, "compile": 0.0}
"""Seconds that making programs took since import, in all threads."""


@dataclass(frozen=True)
class Guess:
    """Guessed seconds of a recording, from which the schedule is made: a run by NumPy, a run of its program, and making
    that program (tracing, lowering and compiling it)."""

    numpy: float
    program: float
    compile: float


@dataclass
class ProgramReport:
    """A program: where its ops were recorded, why it was made, what it took and takes.

    lines           the user's lines, `train.py:14 to train.py:17`
    ops, results    how many ops were recorded, how many results it yields
    inputs          what the recording reads, the first six
    reason          why it was made: what differs from the programs before it of the same lines
    trace_seconds, lower_seconds, compile_seconds  what JAX took to trace it and to lower it, and XLA to compile it or
                                                   to find it on disk;
                    0 for one that is being compiled still
    code_bytes      its size: of its code if XLA tells it, otherwise (on CPU) as it is stored on disk
    argument_bytes, output_bytes, temp_bytes  memory that a run takes: for what it reads, for its results, for what is
                                              in between
    guess           what making and running it were guessed to take; None if NumPy did not run its recording before
    compiled, runs, run_seconds  in an `explain()`: whether it was made there, how often it ran there, and how long in
                                 all
    """

    lines: str
    ops: int
    results: int
    inputs: str
    reason: str
    trace_seconds: float = 0.0
    lower_seconds: float = 0.0
    compile_seconds: float = 0.0
    code_bytes: int = 0
    argument_bytes: int = 0
    output_bytes: int = 0
    temp_bytes: int = 0
    guess: Guess | None = None
    compiled: bool = False
    runs: int = 0
    run_seconds: float = 0.0

    @classmethod
    def of(cls, path: Sequence[TrieNode], results: int, avals: Sequence[Any], reason: str) -> ProgramReport:
        """Makes the report of a program that is to be made. It keeps words and numbers alone."""
        inputs = ", ".join([str(a) for a in avals[:6]]) + (", …" if len(avals) > 6 else "")
        return cls(lines_of(path), len(path), results, inputs, reason)

    def __str__(self) -> str:
        inputs = f"; inputs: {self.inputs}" if self.inputs else ""
        return f"{self.ops} ops recorded from {self.lines}; {self.results} results{inputs}. {self.reason}"

    @contextlib.contextmanager
    def timing(self, phase: str) -> Iterator[None]:
        """A context whose seconds are those of the phase: "trace", "lower" or "compile"."""
        began = perf_counter()
        try:
            yield
        finally:
            took = perf_counter() - began
            seconds[phase] += took
            setattr(self, f"{phase}_seconds", getattr(self, f"{phase}_seconds") + took)

    def measure(self, compiled: Any) -> None:
        """Fills in the bytes, once. It takes a few hundredths of what compiling took."""
        if self.code_bytes or self.output_bytes or not isinstance(compiled, jax.stages.Compiled):
            return
        with contextlib.suppress(RuntimeError, NotImplementedError):  # what not every backend tells
            if (memory := compiled.memory_analysis()) is not None:
                self.code_bytes = memory.generated_code_size_in_bytes
                self.argument_bytes = memory.argument_size_in_bytes
                self.output_bytes = memory.output_size_in_bytes
                self.temp_bytes = memory.temp_size_in_bytes
            self.code_bytes = self.code_bytes or len(compiled.runtime_executable().serialize())  # type: ignore[union-attr]


class Gathering:
    """Events while an `explain()` is on: programs (Executables), and recordings that NumPy ran, by lines, number of
    ops, reason and guess; with each how often it ran, and for how many seconds."""

    def __init__(self) -> None:
        self.made: set[Any] = set()
        self.programs: dict[Any, list] = {}
        self.by_numpy: dict[tuple[str, int, str, Guess | None], list] = {}


explaining: list[Gathering] = []
"""The Gathering of each `explain()` that is on."""

counting: list[Callable[[Sequence[TrieNode]], None]] = []
"""Who is told of each recording that is about to run."""

timing: list[Callable[[TrieNode, int, int], None]] = []
"""Who is told of each op that NumPy ran, and of the nanoseconds of `time.perf_counter_ns` at which it began and
ended."""


def made(executable: Any) -> None:
    """Notes that a program is made."""
    stats["programs"] += 1
    for gathering in explaining:
        gathering.made.add(executable)
        gathering.programs[executable] = [0, 0.0]


def ran(executable: Any, results: Sequence[Any], began: float) -> None:
    """Notes that a program was called when it `began`, after waiting for its results."""
    with contextlib.suppress(Exception):  # whoever reads the results gets it
        jax.block_until_ready(results)
    for gathering in explaining:
        _count(gathering.programs, executable, began)


def ran_by_numpy(path: Sequence[TrieNode], began: float, reason: str, guess: Guess | None = None) -> None:
    """Notes that NumPy ran a recording, why it did, and what that was guessed to take."""
    for gathering in explaining:
        _count(gathering.by_numpy, (lines_of(path), len(path), reason, guess), began)


def _count(counts: dict, key: Any, began: float) -> None:
    count = counts.setdefault(key, [0, 0.0])
    count[0] += 1
    count[1] += perf_counter() - began
