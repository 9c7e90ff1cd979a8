"""Views of recording for users: every op run at once, programs compiled and run, their cost, all frames of errors."""

from __future__ import annotations

import contextlib
import itertools
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ._core.api import tracebacks
from ._core.lazy import applied
from ._core.run import executor, host_memory, report
from ._core.run.executor import is_check_bounds_enabled, set_check_bounds
from ._core.run.lowering.table import switch
from ._core.run.report import Guess, ProgramReport
from ._core.run.tiers import tier
from .compiler import pass_reports, settings
from .compiler.pass_reports import PassReport
from .compiler.replay import every
from .compiler.where import where

if TYPE_CHECKING:
    from .compiler.debugging.differ import Difference
    from .compiler.debugging.stepping import NonFinite
    from .compiler.partition.residuals import Residuals

__all__ = [
    "CallsReport",
    "Explanation",
    "NumpyReport",
    "PassReport",
    "ProgramReport",
    "compare",
    "cpu_lowerings",
    "eager",
    "explain",
    "find_nan",
    "full_tracebacks",
    "graph_after",
    "is_check_bounds_enabled",
    "minify",
    "release_memory",
    "repro",
    "residuals",
    "set_check_bounds",
    "stats",
    "tier",
]  # fmt: skip


@contextlib.contextmanager
def eager() -> Iterator[None]:
    """A context in which every op runs at once, so that errors arise at their line.

    >>> with functorch_lite.debug.eager():
    ...     y = torch.ones(2, 3) @ torch.ones(3)
    """
    with executor.at_once():
        yield


@contextlib.contextmanager
def cpu_lowerings(on: bool) -> Iterator[None]:
    """A context in which programs for a CPU are compiled with the library's own lowerings of convolutions, sorts,
    functions and others, or without them, as `jax.jit` would compile them (FUNCTORCH_LITE_CPU_LOWERINGS=0 in the
    environment turns them off from the start). Programs made before are forgotten, on entry and at the end.

    Args:
        on: whether the library's own lowerings are used.

    >>> with functorch_lite.debug.cpu_lowerings(False), functorch_lite.debug.tier("compiled"):
    ...     torch.ones(2).sin().sum().item() > 1.6
    True
    """
    executor.flush()
    before, switch["on"] = switch["on"], bool(on)
    executor.forget_programs()
    try:
        yield
        executor.flush()
    finally:
        switch["on"] = before
        executor.forget_programs()


class full_tracebacks:
    """Shows all frames of errors, the library's and JAX's too; otherwise tracebacks are the user's frames and at most
    two of the library's.

    A context, or a switch that holds from the call on. The environment variable FUNCTORCH_LITE_FULL_TRACEBACKS=1
    switches it on from the start.

    Args:
        mode: whether all frames are shown. Default: True.

    >>> with functorch_lite.debug.full_tracebacks():
    ...     torch.ones(2) @ torch.ones(3)
    Traceback (most recent call last):
    RuntimeError: ...
    """

    def __init__(self, mode: bool = True):
        self.before, tracebacks.full = tracebacks.full, mode

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        tracebacks.full = self.before


def stats() -> dict[str, float]:
    """Counts and seconds since import, of the whole process.

    programs, runs, cold, ops  programs made (each is compiled once), programs run, recordings that NumPy ran instead
                               (see `tier`), ops in what was run
    op_trace_seconds           tracing ops, when an op is recorded that was not before, or its derivative is
    trace_seconds, lower_seconds, compile_seconds  making programs: tracing and lowering by JAX, compiling by XLA, or
                                                   finding it on disk. Not
                               all of it is waited for: while NumPy runs, another thread compiles
    program_bytes              the size of the programs that are kept, worked out when it is first asked for

    >>> before = functorch_lite.debug.stats()["runs"]
    >>> with functorch_lite.debug.tier("compiled"):
    ...     _ = (torch.ones(2) + 1).tolist()
    >>> functorch_lite.debug.stats()["runs"] - before
    1
    """
    totals = {f"{phase}_seconds": took for phase, took in {**applied.seconds, **report.seconds}.items()}
    size = sum(executable.measured().code_bytes for executable in executor.kept())
    return {**executor.stats, **totals, "program_bytes": size}


def release_memory() -> None:
    """Gives the CPU memory that no array is using any more back to the system (see docs/recording.md, "Memory on CPU").

    >>> big = torch.ones(1000, 1000)
    >>> del big
    >>> functorch_lite.debug.release_memory()
    """
    host_memory.release()


def residuals(fn: Callable, *args: Any, budget: float | None = None, **kwargs: Any) -> Residuals:
    """Lists what `fn(*args, **kwargs)` keeps for its backward: each value with its bytes, the op that made it, and the
    line that recorded it.

    The values are the residuals of the differentiated program, by the tensors that require grad, or by all floating
    point ones if none does. fn is run once, and nothing is computed; what it writes is not written. See
    docs/memory.md.

    Args:
        fn: the function to look at; it is called with the further arguments.
        budget: the memory budget, as in `checkpoint(policy="auto")`. None (the default) sets
            none.

    >>> model, x = nn.Sequential(nn.Linear(3, 2), nn.Sigmoid()), torch.ones(4, 3)
    >>> print(functorch_lite.debug.residuals(model, x))
    32  float32[4, 2]  linear  ...
    32  bytes in 1 values
    48  bytes of inputs that the backward reads, of 80
    """
    from .compiler.partition.residuals import residuals  # not loaded before it is asked for

    return residuals(fn, *args, budget=budget, **kwargs)


def compare(fn: Any, *args: Any, against: str = "eager", backend: Callable | None = None) -> Difference:
    """Prints and returns the first op of fn(*args) whose compiled result, or gradient, differs from what the ops give
    that are run one by one.

    See docs/debugging.md, and `compiler.debugging.differ.compare` for the arguments.

    Args:
        fn: the function to run; it is called with the further arguments.
        against: what the compiled result is compared with; see
            `compiler.debugging.differ.compare`. Default: "eager".
        backend: the backend to compile with. None (the default) is the ordinary one.

    >>> difference = functorch_lite.debug.compare(nn.Linear(2, 2), torch.ones(1, 2))
    No difference: results and gradients are those of the ops run one by one.
    """
    from .compiler.debugging.differ import compare  # which needs torch.fx

    return compare(fn, *args, against=against, backend=backend)


def find_nan(fn: Any, *args: Any) -> NonFinite | None:
    """The first op that makes a NaN in fn(*args), or in its gradients, with the user's line; without any the first that
    makes an infinity; else None.

    Args:
        fn: the function to run; it is called with the further arguments.

    >>> print(functorch_lite.debug.find_nan(lambda x: x.log().sum(), torch.tensor([1.0, -1.0])))
    log makes NaN
    ...
    """
    from .compiler.debugging.stepping import find_nan  # which needs torch.fx

    return find_nan(fn, *args)


def minify(graph: Any, inputs: Sequence[Any], fails: Callable | None = None, **options: Any) -> Any:
    """The smallest Graph that was found for which `fails(graph module, inputs)` holds, or that has a `fault=` of "nan"
    or "inf", and its inputs.

    See docs/debugging.md, and `compiler.debugging.minify.minify` for the options.

    Args:
        graph: the Graph to shrink: a GraphModule.
        inputs: its inputs.
        fails: a function (graph module, inputs) that returns whether the failure is there. None
            (the default) leaves it to `fault=`.

    >>> small, inputs = functorch_lite.debug.minify(lambda x: (x.sin() - 2).log() + 1, [torch.ones(3)], fault="nan")
    >>> [node.name for node in small.graph.nodes if node.op == "call_function"]
    ['log']
    """
    from .compiler.debugging.minify import minify  # which needs torch.fx

    return minify(graph, inputs, fails, **options)


@contextlib.contextmanager
def repro(folder: str = "repro", *, level: int = 2, after: str = "aot") -> Iterator[None]:
    """A context in which a program that fails leaves a script in `folder`: `minifier/minifier_launcher.py`, which
    shrinks it when it is run.

    See docs/debugging.md.

    Args:
        folder: the folder into which the script is written. Default: "repro".
        level: 1 writes a script of the whole program to the working directory; 2 writes the
            launcher when a program fails; 3 before each program runs, which may end the process;
            4 also compares results with those of ops run one by one and raises AccuracyError
            where they differ. Default: 2.
        after: "aot" for programs as they are compiled; "dynamo" for the functions that
            torch.compile takes. Default: "aot".

    >>> with functorch_lite.debug.repro("out/"):  # doctest: +SKIP
    ...     train_step()
    """
    if after not in ("aot", "dynamo"):
        raise ValueError(f'repro: after is "aot" or "dynamo", not {after!r}')
    names = ("repro_after", "repro_level", "debug_dir_root")
    executor.flush()
    before = [getattr(settings, name) for name in names]
    for name, value in zip(names, (after, level, str(folder))):
        setattr(settings, name, value)
    try:
        yield
        executor.flush()
    finally:
        for name, value in zip(names, before):
            setattr(settings, name, value)


@dataclass
class NumpyReport:
    """A recording that NumPy ran.

    lines        the user's lines, `train.py:14 to train.py:17`
    ops          how many ops were recorded
    reason       why NumPy ran it
    guess        the seconds that running it and compiling it were guessed to take
    runs         how often it ran
    run_seconds  how many seconds all runs took
    """

    lines: str
    ops: int
    reason: str
    guess: Guess | None
    runs: int
    run_seconds: float

    def __str__(self) -> str:
        return f"NumPy runs the {self.ops} ops recorded from {self.lines}: {self.reason}"


@dataclass
class CallsReport:
    """Calls of a function that torch.compile was given, or of a transform: `name (file:line)`, how many were replayed,
    how many run, and why some kinds of calls are not replayed."""

    function: str
    replays: int
    runs: int
    reasons: list[str]

    def __str__(self) -> str:
        why = f"; not replayed: {'; '.join(self.reasons)}" if self.reasons else ""
        return f"{self.function}: {self.replays} calls replayed, {self.runs} run{why}"


class Explanation:
    """Report of what happened inside `explain()`: programs compiled and run, why each was compiled, and what it took.

    programs  a `ProgramReport` for each program that was made or ran, in that order
    by_numpy  a `NumpyReport` for each place that NumPy ran
    compiled  of each program made, where it was recorded and why it was compiled
    calls     a `CallsReport` for each function that was given to torch.compile, or is a transform's, and was called
    passes    a `PassReport` for each pass that torch.compile ran on a Graph, and for each choice of what is kept for a
              backward
    runs, cold, ops   how many programs ran, how many recordings NumPy ran instead, and how many ops were in them
    op_trace_seconds  what tracing ops took that had not been recorded before
    """

    def __init__(self) -> None:
        self.programs: list[ProgramReport] = []
        self.by_numpy: list[NumpyReport] = []
        self.compiled: list[str] = []
        self.calls: list[CallsReport] = []
        self.passes: list[PassReport] = []
        self.runs = 0
        self.cold = 0
        self.ops = 0
        self.op_trace_seconds = 0.0

    def __str__(self) -> str:
        ran = f"{self.runs} program runs{_in_all(self.programs)}"
        if self.cold:
            ran += f" and {self.cold} runs by NumPy{_in_all(self.by_numpy)}"
        head = f"{ran} for {self.ops} recorded ops; {len(self.compiled)} programs compiled"
        lines = [head, *[f"  {i + 1}. {c}" for i, c in enumerate(self.compiled)]]
        lines += [f"  {x}" for x in (*self.calls, *self.passes)]
        if self.programs or self.by_numpy:
            numbers = itertools.count(1)
            marks = [f"{next(numbers)}. " if p.compiled else "" for p in self.programs]
            rows = [*map(_row, self.programs, marks), *map(_row, self.by_numpy)]
            lines += ["", *_table([_HEADS, *rows])]
            lines += ["", *[f"  {of}" for of in self.by_numpy]] if self.by_numpy else []
        return "\n".join(lines)

    __repr__ = __str__


@contextlib.contextmanager
def explain() -> Iterator[Explanation]:
    """A context that gathers which programs ran and were compiled, why, and what it took.

    Each program is waited for inside it: the seconds of a run are those from its call until its results are there,
    with the wait for what it reads if that is being computed still. They leave out recording, the choice of the
    program, and moving data to the device. The seconds of NumPy are its total time. A program that is still being
    compiled in a different thread when the block ends has no seconds yet.

    >>> with functorch_lite.debug.tier("compiled"), functorch_lite.debug.explain() as report:
    ...     _ = torch.ones(3).sin().sum().item()
    >>> len(report.programs)
    1
    >>> print(report)
    1 ...
    """
    explanation = Explanation()
    gathering = report.Gathering()
    start = {**executor.stats, **applied.seconds}
    called = weakref.WeakKeyDictionary({r: (r.replays, r.runs) for r in every})
    try:
        report.explaining.append(gathering)
        pass_reports.listening.append(explanation.passes)
        yield explanation
        executor.flush()
    finally:
        report.explaining[:] = [g for g in report.explaining if g is not gathering]
        pass_reports.listening[:] = [x for x in pass_reports.listening if x is not explanation.passes]
        explanation.runs = executor.stats["runs"] - start["runs"]
        explanation.cold = executor.stats["cold"] - start["cold"]
        explanation.ops = executor.stats["ops"] - start["ops"]
        explanation.op_trace_seconds = applied.seconds["op_trace"] - start["op_trace"]
        explanation.programs = [
            replace(e.measured(), compiled=e in gathering.made, runs=n, run_seconds=took)
            for e, (n, took) in gathering.programs.items()
        ]
        explanation.by_numpy = [NumpyReport(*place, *count) for place, count in gathering.by_numpy.items()]
        explanation.calls = _calls_since(called)
        explanation.compiled = [str(p) for p in explanation.programs if p.compiled]


def _calls_since(called: weakref.WeakKeyDictionary) -> list[CallsReport]:
    """Makes the reports of the functions that were called since these counts."""
    found = []
    for r in every:
        replays, runs = called.get(r, (0, 0))
        if (r.replays, r.runs) != (replays, runs):
            reasons = list(dict.fromkeys(r.why_not))
            found.append(CallsReport(str(where(r.of)), r.replays - replays, r.runs - runs, reasons))
    return sorted(found, key=lambda report: report.function)


def graph_after(stage: str) -> Any:
    """The Graph that a stage of passes left when torch.compile ran them last, as a torch.fx GraphModule. stage:
    "pre-grad", "joint" or "post-grad".

    Args:
        stage: "pre-grad", "joint" or "post-grad".

    >>> f = torch.compile(lambda x: (x * 1).sin(), options={"joint_graph_constant_folding": True})
    >>> _ = f(torch.zeros(2))
    >>> [n.name for n in functorch_lite.debug.graph_after("joint").graph.nodes]
    ['x', 'sin', 'output']
    """
    if stage not in ("pre-grad", "joint", "post-grad"):
        raise ValueError(f'graph_after: a stage is "pre-grad", "joint" or "post-grad", not {stage!r}')
    if stage not in pass_reports.after:
        raise RuntimeError(
            "graph_after: no passes have run. torch.compile runs them where options= or torch._inductor.config ask for one"
        )
    return pass_reports.after[stage]


_HEADS = (
    "recorded from",
    "ops",
    "trace",
    "lower",
    "compile",
    "guessed",
    "runs",
    "in all",
    "each",
    "guessed",
    "code",
    "arguments",
    "results",
    "temporaries",
)


def _row(of: ProgramReport | NumpyReport, mark: str = "") -> tuple[str, ...]:
    guessed = 0.0
    if of.guess:
        guessed = of.guess.numpy if isinstance(of, NumpyReport) else of.guess.program
    runs = (f"{of.runs}", _time(of.run_seconds), _time(of.run_seconds / max(of.runs, 1)), _time(guessed))
    guessed_making = of.guess.compile if of.guess else 0.0
    if isinstance(of, NumpyReport):
        return (f"{of.lines} (NumPy)", f"{of.ops}", "", "", "", _time(guessed_making), *runs, "", "", "", "")
    making = [_time(t) for t in (of.trace_seconds, of.lower_seconds, of.compile_seconds, guessed_making)]
    sizes = [_size(n) for n in (of.code_bytes, of.argument_bytes, of.output_bytes, of.temp_bytes)]
    return (f"{mark}{of.lines}", f"{of.ops}", *making, *runs, *sizes)


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows)]
    return [
        "  "
        + "  ".join([row[0].ljust(widths[0]), *[c.rjust(w) for c, w in zip(row[1:], widths[1:])]]).rstrip()
        for row in rows
    ]


def _in_all(of: Sequence[ProgramReport | NumpyReport]) -> str:
    return f" ({_time(sum(r.run_seconds for r in of))})" if of else ""


def _time(t: float) -> str:
    """Seconds, in a unit that leaves few digits; none for 0."""
    return (
        "" if not t else f"{t:.2f} s" if t >= 1 else f"{t * 1e3:.1f} ms" if t >= 1e-3 else f"{t * 1e6:.0f} µs"
    )


def _size(n: int) -> str:
    """Bytes, the same."""
    return "" if not n else f"{n / 1e6:.1f} MB" if n >= 1e6 else f"{n / 1e3:.1f} kB" if n >= 1e3 else f"{n} B"
