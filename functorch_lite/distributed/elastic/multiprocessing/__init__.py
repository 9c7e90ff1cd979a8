"""torch.distributed.elastic.multiprocessing: processes with logs and records of how they ended."""

from __future__ import annotations

from typing import Any

from .api import (
    DefaultLogsSpecs,
    LogsDest,
    LogsSpecs,
    MultiprocessContext,
    PContext,
    RunProcsResult,
    SignalException,
    Std,
    SubprocessContext,
    to_map,
)
from .errors import ProcessFailure

__all__ = [
    "DefaultLogsSpecs", "LogsDest", "LogsSpecs", "MultiprocessContext", "PContext", "ProcessFailure", "RunProcsResult",
    "SignalException", "Std", "SubprocessContext", "start_processes", "to_map",
]  # fmt: skip


def _check(given: dict[int, Any], count: int, what: str) -> None:
    if set(given) != set(range(count)):
        raise RuntimeError(
            f"{what}, local rank mapping mismatch, expected: {set(range(count))}, actual: {set(given)}"
        )


def start_processes(
    name: str,
    entrypoint: Any,
    args: dict[int, tuple],
    envs: dict[int, dict[str, str]],
    logs_specs: LogsSpecs,
    log_line_prefixes: dict[int, str] | None = None,
    start_method: str = "spawn",
    numa_options: Any = None,
    duplicate_stdout_filters: list[str] | None = None,
    duplicate_stderr_filters: list[str] | None = None,
) -> PContext:
    """Start copies of a function or program, one for each entry of `args` and `envs`.

    Args:
        name: Name of the job, shown before lines of output.
        entrypoint: A function that can be pickled, or the path of a program.
        args: Arguments by process, from 0.
        envs: Environment variables by process, from 0.
        logs_specs: Where output goes, such as `DefaultLogsSpecs(log_dir, redirects=Std.ALL)`.
        log_line_prefixes: What is shown before lines of output, by process; by default `[name0]:`.
        start_method: How processes of a function are started: "spawn", "forkserver" or "fork".
        numa_options: Only None is supported.
        duplicate_stdout_filters: Lines of output with one of these texts go to filtered_stdout.log too.
        duplicate_stderr_filters: Lines of errors with one of these texts go to filtered_stderr.log too.

    Returns:
        The processes: `wait()` returns a RunProcsResult, `close()` ends them.

    Raises:
        RuntimeError: If `args` and `envs` are not numbered alike from 0.
    """
    if numa_options is not None:
        raise NotImplementedError("start_processes: numa_options is not supported; leave it None")
    _check(args, len(args), "args")
    _check(envs, len(args), "envs")
    more = {
        "duplicate_stdout_filters": duplicate_stdout_filters,
        "duplicate_stderr_filters": duplicate_stderr_filters,
    }
    given = name, entrypoint, args, envs, logs_specs, log_line_prefixes
    context: PContext
    if isinstance(entrypoint, str):
        context = SubprocessContext(*given, **more)
    else:
        context = MultiprocessContext(*given, start_method=start_method, **more)
    try:
        context.start()
    except Exception:
        context.close()
        raise
    return context
