"""Timer: times a statement, with nothing left to run when the clock is read."""

from __future__ import annotations

import ast
import contextlib
import enum
import textwrap
import timeit
from collections.abc import Callable, Iterator
from typing import Any

import jax

from ..._core.api import Tensor, flush, functions
from .measurement import Measurement, TaskSpec

__all__ = ["Language", "Timer", "set_torch_threads", "timer"]


class Language(enum.Enum):
    """Language that a statement is written in."""

    PYTHON = 0
    CPP = 1


def timer() -> float:
    """Seconds since some moment, after everything that is recorded was run and has finished."""
    flush()
    for array in jax.live_arrays():
        array.block_until_ready()
    return timeit.default_timer()


@contextlib.contextmanager
def set_torch_threads(n: int) -> Iterator[None]:
    """A context with `torch.set_num_threads(n)`, which warns where n is not the number of threads that XLA has.

    Args:
        n: the number of threads.
    """
    prior = functions.get_num_threads()
    try:
        functions.set_num_threads(n)
        yield
    finally:
        functions.set_num_threads(prior)


def _run(result: Any = None) -> None:
    """Runs what one execution of the statement recorded, its result included, and waits for that result."""
    flush()
    for t in result if isinstance(result, tuple | list) else (result,):
        if isinstance(t, Tensor):
            array = t._cell.value.array
            if isinstance(array, jax.Array):
                array.block_until_ready()


def _running(stmt: str) -> str:
    """The statement, followed by `_run()` of the value of its last expression: a result that is never read would
    never be computed."""
    tree = ast.parse(textwrap.dedent(stmt))
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        call = ast.Call(ast.Name("_functorch_lite_run", ast.Load()), [last.value], [])
        tree.body[-1] = ast.copy_location(ast.Expr(call), last)
        return ast.unparse(ast.fix_missing_locations(tree))
    return ast.unparse(tree) + "\n_functorch_lite_run()"


class Timer:
    """Times a Python statement: `Timer("f(x)", globals=globals()).timeit(100)`.

    Each execution of the statement is a program run of its own, as PyTorch would run its kernels, and the value of its
    last expression is computed and waited for. Before the clock starts the statement is executed a few times, so that
    nothing is compiled while it runs. num_threads is a label: XLA decides how many threads a program gets. Only Python
    is measured; another `language` raises.

    Args:
        stmt: the statement to time: Python code. Default: "pass".
        setup: code that runs once before the statement. Default: "pass".
        global_setup: code of C++ statements; must be empty for Python. Default: "".
        timer: the clock: a function that returns seconds.
        globals: the names that the statement sees: a dict. None (the default) provides none.
        label: the name of the table. None is the default.
        sub_label: the name of the row. None is the default.
        description: the name of the column. None is the default.
        env: a label of the environment. None is the default.
        num_threads: a label: XLA decides how many threads run. Default: 1.
        language: only Language.PYTHON; others raise.

    >>> Timer("x @ x", globals={"x": torch.ones(64, 64)}).timeit(10)
    <...Measurement object at ...>
    x @ x
      ...
    """

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: Any = Language.PYTHON,
    ):
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        if language not in (Language.PYTHON, "py", "python"):
            raise NotImplementedError(f"Timer: only Python is measured here, not {language}")
        if global_setup:
            raise ValueError(
                f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply be moved to `setup`."
            )
        self._spec = TaskSpec(
            textwrap.dedent(stmt).strip(), textwrap.dedent(setup).strip(), "", label, sub_label, description, env, num_threads
        )  # fmt: skip
        names = {**(globals or {}), "_functorch_lite_run": _run}
        self._timer = timeit.Timer(_running(stmt), textwrap.dedent(setup), timer, names)

    def timeit(self, number: int = 1_000_000) -> Measurement:
        """One measurement of `number` executions."""
        self._timer.timeit(max(number // 100, 2))
        return Measurement(number, [self._timer.timeit(number)], self._spec)

    def repeat(self, repeat: int = -1, number: int = -1) -> None:
        """Not supported, as in PyTorch: see blocked_autorange."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback: Callable | None = None) -> None:
        """Not supported, as in PyTorch: see blocked_autorange."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def _block_size(self, min_run_time: float) -> int:
        """Returns so many executions that what timing costs is at most a thousandth of them."""
        overhead = sorted(self._timer.timeit(0) for _ in range(5))[2]
        self._timer.timeit(2)
        number = 1
        while True:
            took = self._timer.timeit(number)
            if overhead <= took * 1e-3 or took >= min_run_time or number >= 1_000_000:
                return number
            number *= 10

    def blocked_autorange(
        self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Measurements until min_run_time seconds were measured, each long enough for the clock's own time not to
        matter."""
        number = self._block_size(min_run_time)
        times: list[float] = []
        while sum(times) < min_run_time:
            times.append(self._timer.timeit(number))
            if callback is not None:
                callback(number, times[-1])
        return Measurement(number, times, self._spec)

    def adaptive_autorange(
        self,
        threshold: float = 0.1,
        *,
        min_run_time: float = 0.01,
        max_run_time: float = 10.0,
        callback: Callable[[int, float], Any] | None = None,
    ) -> Measurement:
        """Measurements until their interquartile range is below `threshold` of the median, or max_run_time seconds were
        measured."""
        number = self._block_size(0.05)
        times: list[float] = []
        while sum(times) < max_run_time:
            times.append(self._timer.timeit(number))
            if callback is not None:
                callback(number, times[-1])
            found = Measurement(number, times, self._spec)
            if sum(times) > min_run_time and len(times) > 3 and found.meets_confidence(threshold):
                break
        return Measurement(number, times, self._spec)
