"""torch.multiprocessing: Python's own multiprocessing, with `spawn`. Tensors go to other processes as copies of their
numbers.

Processes are spawned by default, as XLA's threads do not survive a fork: in a forked child NumPy runs what it has rules
for, and all else raises. In a program that runs on the drop-in `torch`, so do the processes
that it starts.
"""

from __future__ import annotations

import multiprocessing as _python
import multiprocessing.connection as _connection
import signal
import sys
import traceback
from collections.abc import Callable
from multiprocessing import *  # noqa: F403
from multiprocessing import get_context
from typing import Any

from ._elsewhere import beside
from .distributed._children import end_with_parent

__all__ = [
    *_python.__all__, "ProcessContext", "ProcessException", "ProcessExitedException", "ProcessRaisedException", "SpawnContext", "get_all_sharing_strategies",
    "get_sharing_strategy", "set_sharing_strategy", "spawn", "start_processes",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(_python, name)


class ProcessException(Exception):
    """A process that was started failed."""

    def __init__(self, msg: str, error_index: int, pid: int):
        super().__init__(msg)
        self.msg, self.error_index, self.pid = msg, error_index, pid

    def __reduce__(self):
        return type(self), (self.msg, self.error_index, self.pid)


class ProcessRaisedException(ProcessException):
    """A process raised; the message has its traceback."""


class ProcessExitedException(ProcessException):
    """A process ended by a signal or with an exit code."""

    def __init__(
        self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None
    ):
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name

    def __reduce__(self):
        return type(self), (self.msg, self.error_index, self.pid, self.exit_code, self.signal_name)


def get_all_sharing_strategies() -> set[str]:
    """The names of PyTorch's ways to share memory. None shares memory here."""
    return {"file_descriptor", "file_system"}


_strategy = ["file_descriptor"]


def get_sharing_strategy() -> str:
    """The name that was set."""
    return _strategy[0]


def set_sharing_strategy(new_strategy: str) -> None:
    """Sets a name, which changes nothing: tensors go to other processes as copies."""
    if new_strategy not in get_all_sharing_strategies():
        raise AssertionError(f"invalid sharing strategy {new_strategy!r}")
    _strategy[0] = new_strategy


_GRACE = 30.0


def _run(fn: Callable, i: int, args: tuple, errors: Any) -> None:
    end_with_parent()
    try:
        fn(i, *args)
    except KeyboardInterrupt:
        pass
    except BaseException:
        errors.put(traceback.format_exc())
        sys.exit(1)


class ProcessContext:
    """Processes that were started: `join()` waits for them."""

    def __init__(self, processes: list, error_queues: list):
        self.processes, self.error_queues = processes, error_queues
        self.sentinels = {p.sentinel: i for i, p in enumerate(processes)}

    def pids(self) -> list[int]:
        """Their process ids."""
        return [int(p.pid) for p in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Waits for one or more to end; True once all have.

        If one fails, ends the others and raises ProcessRaisedException or ProcessExitedException. grace_period: seconds
        that they have to end, 30 by default."""
        if not self.sentinels:
            return True
        failed = None
        for sentinel in _connection.wait(list(self.sentinels), timeout=timeout):
            i = self.sentinels.pop(sentinel)  # type: ignore[arg-type]
            self.processes[i].join()
            if self.processes[i].exitcode != 0:
                failed = i
                break
        if failed is None:
            return not self.sentinels
        for p in self.processes:
            if p.is_alive():
                p.terminate()
        for p in self.processes:
            p.join(_GRACE if grace_period is None else grace_period)
            if p.is_alive():
                p.kill()
                p.join()
        process = self.processes[failed]
        if self.error_queues[failed].empty():
            code = process.exitcode
            if code < 0:
                name = signal.Signals(-code).name
                raise ProcessExitedException(
                    f"process {failed} terminated with signal {name}", failed, process.pid, code, name
                )
            raise ProcessExitedException(
                f"process {failed} terminated with exit code {code}", failed, process.pid, code
            )
        text = (
            f"\n\n-- Process {failed} terminated with the following error:\n{self.error_queues[failed].get()}"
        )
        raise ProcessRaisedException(text, failed, process.pid)


class SpawnContext(ProcessContext):
    """Handle of the processes that `spawn(join=False)` started."""


def start_processes(
    fn: Callable,
    args: tuple = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Starts `nprocs` processes that call `fn(i, *args)`, and waits for them, or returns them if not `join`."""
    context = get_context(start_method)
    processes, errors = [], []
    for i in range(nprocs):
        queue = context.SimpleQueue()
        process = context.Process(target=_run, args=(fn, i, args, queue), daemon=daemon)  # type: ignore[attr-defined]
        process.start()
        processes.append(process)
        errors.append(queue)
    started = SpawnContext(processes, errors)
    if not join:
        return started
    while not started.join():
        pass
    return None


def spawn(
    fn: Callable,
    args: tuple = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """`start_processes` that spawns them: in a script, below `if __name__ == "__main__"`.

    >>> spawn(print, args=("hello",), nprocs=2)  # doctest: +SKIP
    """
    if start_method != "spawn":
        raise ValueError(
            f"This method only supports start_method=spawn (got: {start_method}). To use a different start_method use torch.multiprocessing.start_processes(...)"
        )
    return start_processes(fn, args, nprocs, join, daemon, start_method)


beside(f"{__name__}.spawn")
