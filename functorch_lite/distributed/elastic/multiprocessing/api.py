"""Processes of a job: where their output goes, how they are waited for, and what is known once they end."""

from __future__ import annotations

import abc
import multiprocessing
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import IntFlag
from typing import Any, TextIO

from .errors import ProcessFailure, record

__all__ = [
    "DefaultLogsSpecs", "LogsDest", "LogsSpecs", "MultiprocessContext", "PContext", "RunProcsResult", "SignalException", "Std",
    "SubprocessContext", "to_map",
]  # fmt: skip

_PERIOD = 0.05
"""Seconds between two looks at a log."""


class SignalException(Exception):
    """A signal that ends the process was received.

    Args:
        msg: The message.
        sigval: The signal.
    """

    def __init__(self, msg: str, sigval: signal.Signals):
        super().__init__(msg)
        self.sigval = sigval


class Std(IntFlag):
    """Streams of a process: its output, its errors, both, or none."""

    NONE = 0
    OUT = 1
    ERR = 2
    ALL = OUT | ERR

    @classmethod
    def from_str(cls, vm: str) -> Any:
        """Return the streams of "1", or a dict by process of "0:3,1:0".

        >>> from functorch_lite.distributed.elastic.multiprocessing import Std
        >>> Std.from_str("0:3,1:0")[0] is Std.ALL
        True
        """
        if re.match(r"^[0123]$", vm):
            return cls(int(vm))
        if re.match(r"^(\d:[0123],)*(\d:[0123])$", vm):
            return {int(part[0]): cls(int(part[2])) for part in vm.split(",")}
        raise ValueError(rf"{vm} does not match: <^[0123]$> or <^(\d:[0123],)*(\d:[0123])$>")


def to_map(val_or_map: Any, local_world_size: int) -> dict[int, Std]:
    """Return the streams of each process, of streams for all or of a dict, in which those that lack have none."""
    if isinstance(val_or_map, Std):
        return dict.fromkeys(range(local_world_size), val_or_map)
    return {i: val_or_map.get(i, Std.NONE) for i in range(local_world_size)}


@dataclass
class LogsDest:
    """Files that the processes write, by process. An empty name is the console."""

    stdouts: dict[int, str] = field(default_factory=dict)
    stderrs: dict[int, str] = field(default_factory=dict)
    tee_stdouts: dict[int, str] = field(default_factory=dict)
    tee_stderrs: dict[int, str] = field(default_factory=dict)
    error_files: dict[int, str] = field(default_factory=dict)
    filtered_stdout: str = ""
    filtered_stderr: str = ""


class LogsSpecs(abc.ABC):
    """Choice of files for the output of processes: a subclass defines `reify`.

    Args:
        log_dir: Folder of the files.
        redirects: Streams that go to files, `Std` or a dict by process.
        tee: Streams that go to files and to the console.
        local_ranks_filter: Processes whose output is shown on the console; None: all.
    """

    def __init__(
        self,
        log_dir: str | None = None,
        redirects: Any = Std.NONE,
        tee: Any = Std.NONE,
        local_ranks_filter: set[int] | None = None,
    ):
        self._root_log_dir, self._redirects, self._tee = log_dir, redirects, tee
        self._local_ranks_filter = local_ranks_filter

    @abc.abstractmethod
    def reify(self, envs: dict[int, dict[str, str]]) -> LogsDest:
        """Return the files for processes with these environment variables."""

    @property
    @abc.abstractmethod
    def root_log_dir(self) -> str:
        """The folder of the files."""


class DefaultLogsSpecs(LogsSpecs):
    """Files `<log_dir>/<run>/attempt_<n>/<process>/stdout.log`, `stderr.log` and `error.json`.

    Args:
        log_dir: The folder, which is made; None: a temporary one; os.devnull: no files.
        redirects: See LogsSpecs.
        tee: See LogsSpecs.
        local_ranks_filter: See LogsSpecs.
    """

    def __init__(
        self,
        log_dir: str | None = None,
        redirects: Any = Std.NONE,
        tee: Any = Std.NONE,
        local_ranks_filter: set[int] | None = None,
    ):
        if log_dir != os.devnull:
            if log_dir and os.path.isfile(log_dir):
                raise NotADirectoryError(f"log_dir: {log_dir} is a file")
            log_dir = log_dir or tempfile.mkdtemp(prefix="torchelastic_")
            os.makedirs(log_dir, exist_ok=True)
        super().__init__(log_dir, redirects, tee, local_ranks_filter)
        self._run_log_dir: str | None = None

    @property
    def root_log_dir(self) -> str:
        return str(self._root_log_dir)

    def reify(self, envs: dict[int, dict[str, str]]) -> LogsDest:
        """Return the files, whose folders are made.

        Args:
            envs: Environment variables by process; TORCHELASTIC_ERROR_FILE is added to each.
        """
        ranks, none = range(len(envs)), self._root_log_dir == os.devnull
        general = envs.get(0, {})
        folder = os.devnull
        if not none:
            if self._run_log_dir is None:
                run = general.get("TORCHELASTIC_RUN_ID", "test_run_id")
                self._run_log_dir = tempfile.mkdtemp(prefix=f"{run}_", dir=self._root_log_dir)
            folder = os.path.join(
                self._run_log_dir, f"attempt_{general.get('TORCHELASTIC_RESTART_COUNT', '0')}"
            )
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
        redirects, tees = to_map(self._redirects, len(ranks)), to_map(self._tee, len(ranks))
        found = LogsDest(
            filtered_stdout=os.path.join(folder, "filtered_stdout.log"),
            filtered_stderr=os.path.join(folder, "filtered_stderr.log"),
        )
        for rank in ranks:
            where = os.path.join(folder, str(rank))
            if not none:
                os.mkdir(where)
            found.error_files[rank] = os.devnull if none else os.path.join(where, "error.json")
            envs[rank]["TORCHELASTIC_ERROR_FILE"] = "" if none else found.error_files[rank]
            shown = not self._local_ranks_filter or rank in self._local_ranks_filter
            for stream, name, files, tee_files in (
                (Std.OUT, "stdout.log", found.stdouts, found.tee_stdouts),
                (Std.ERR, "stderr.log", found.stderrs, found.tee_stderrs),
            ):
                to_file = not none and (redirects[rank] | tees[rank]) & stream
                files[rank] = os.path.join(where, name) if to_file else "" if shown or none else os.devnull
                if none:
                    tee_files[rank] = os.devnull
                elif tees[rank] & stream and shown:
                    tee_files[rank] = files[rank]
        return found

    def __repr__(self) -> str:
        return (
            f"DefaultLogsSpecs(root_log_dir={self._root_log_dir}, redirects={self._redirects}, tee={self._tee}, "
            f"local_ranks_filter={self._local_ranks_filter})"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DefaultLogsSpecs) and repr(self) == repr(other)


@dataclass
class RunProcsResult:
    """Result of processes that ended, by process: values that functions returned, failures, and files of output."""

    return_values: dict[int, Any] = field(default_factory=dict)
    failures: dict[int, ProcessFailure] = field(default_factory=dict)
    stdouts: dict[int, str] = field(default_factory=dict)
    stderrs: dict[int, str] = field(default_factory=dict)

    def is_failed(self) -> bool:
        """Return whether a process failed."""
        return bool(self.failures)


class _Tail:
    """A thread that copies the lines of growing files, with a header before each."""

    def __init__(
        self, name: str, files: dict[int, str], to: TextIO, prefixes: Any, needles: list[str] | None
    ):
        self._to, self._needles, self._ended = to, needles, threading.Event()
        self._threads = [
            threading.Thread(
                target=self._copy, args=((prefixes or {}).get(rank, f"[{name}{rank}]:"), file), daemon=True
            )
            for rank, file in files.items()
            if file != os.devnull
        ]

    def _copy(self, header: str, path: str) -> None:
        while not os.path.exists(path):
            if self._ended.wait(_PERIOD):
                break
        if not os.path.exists(path):
            return
        with open(path, errors="replace") as file:
            while True:
                ended = self._ended.is_set()  # before the line is read: what was written until then is copied
                line = file.readline()
                if line and (self._needles is None or any(needle in line for needle in self._needles)):
                    self._to.write(f"{header}{line}")
                elif not line and ended:
                    return
                elif not line:
                    time.sleep(_PERIOD)

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()


class PContext(abc.ABC):
    """Processes that were started: they can be waited for, and ended.

    Args:
        name: Name of the job, shown before lines of output.
        entrypoint: Function or program.
        args: Its arguments, by process.
        envs: Environment variables, by process.
        logs_specs: Where output goes.
        log_line_prefixes: What is shown before lines of output, by process.
        duplicate_stdout_filters: Lines of output with one of these texts go to filtered_stdout.log too.
        duplicate_stderr_filters: Lines of errors with one of these texts go to filtered_stderr.log too.
    """

    def __init__(
        self,
        name: str,
        entrypoint: Any,
        args: dict[int, tuple],
        envs: dict[int, dict[str, str]],
        logs_specs: LogsSpecs,
        log_line_prefixes: dict[int, str] | None = None,
        duplicate_stdout_filters: list[str] | None = None,
        duplicate_stderr_filters: list[str] | None = None,
    ):
        self.name, self.entrypoint, self.args, self.envs, self.nprocs = (
            name,
            entrypoint,
            args,
            envs,
            len(args),
        )
        to = logs_specs.reify(envs)
        self.stdouts, self.stderrs, self.error_files = to.stdouts, to.stderrs, to.error_files
        self._filtered: list[TextIO] = []
        self._tails = [
            _Tail(name, to.tee_stdouts, sys.stdout, log_line_prefixes, None),
            _Tail(name, to.tee_stderrs, sys.stderr, log_line_prefixes, None),
        ]
        for needles, path, files in (
            (duplicate_stdout_filters, to.filtered_stdout, to.tee_stdouts),
            (duplicate_stderr_filters, to.filtered_stderr, to.tee_stderrs),
        ):
            if needles:
                self._filtered.append(open(path, "w", errors="replace", buffering=1))
                self._tails.append(_Tail(name, files, self._filtered[-1], log_line_prefixes, needles))
        self._failed_at: dict[int, int] = {}

    def start(self) -> None:
        """Start the processes. SIGTERM, SIGINT, SIGHUP and SIGQUIT raise SignalException from then on, in the main
        thread."""
        if threading.current_thread() is threading.main_thread():
            for name in os.environ.get(
                "TORCHELASTIC_SIGNALS_TO_HANDLE", "SIGTERM,SIGINT,SIGHUP,SIGQUIT"
            ).split(","):
                signal.signal(getattr(signal, name.strip()), _raise)
        self._start()
        for tail in self._tails:
            tail.start()

    @abc.abstractmethod
    def _start(self) -> None: ...

    @abc.abstractmethod
    def _exits(self) -> dict[int, int | None]:
        """The exit code of each process, None while it runs."""

    def _returned(self) -> dict[int, Any]:
        return {}

    def _poll(self) -> RunProcsResult | None:
        """The result, once all processes ended well or one failed."""
        exits = self._exits()
        failed = {rank: code for rank, code in exits.items() if code}
        if not failed and any(code is None for code in exits.values()):
            return None
        pids = self.pids()
        self.close()
        failures = {
            rank: ProcessFailure(rank, pids[rank], code, self.error_files[rank])
            for rank, code in failed.items()
        }
        return RunProcsResult({} if failed else self._returned(), failures, self.stdouts, self.stderrs)

    def wait(self, timeout: float = -1, period: float = 1) -> RunProcsResult | None:
        """Wait until all processes have ended, or one has failed; then the others are ended too.

        Args:
            timeout: Seconds to wait; negative: without end; 0: only look.
            period: Seconds between two looks.

        Returns:
            The result, or None if the processes still run.
        """
        end = time.monotonic() + timeout
        while True:
            found = self._poll()
            if found or timeout == 0 or (timeout > 0 and time.monotonic() >= end):
                return found
            time.sleep(period if timeout < 0 else max(0.0, min(period, end - time.monotonic())))

    @abc.abstractmethod
    def pids(self) -> dict[int, int]:
        """Return the numbers of the processes."""

    def close(self, death_sig: signal.Signals | None = None, timeout: int = 30) -> None:
        """End the processes that still run.

        Args:
            death_sig: Signal that they get; by default SIGTERM.
            timeout: Seconds until they get SIGKILL.
        """
        end = time.monotonic() + timeout
        sent = death_sig or signal.SIGTERM
        while any(code is None for code in self._exits().values()):
            for rank, code in self._exits().items():
                if code is None and sent is not None:
                    with suppress(ProcessLookupError):
                        os.kill(self.pids()[rank], sent)
            sent = None
            if time.monotonic() > end:
                sent, end = signal.SIGKILL, time.monotonic() + timeout
            time.sleep(_PERIOD)
        for tail in self._tails:
            tail.stop()
        for file in self._filtered:
            file.close()


def _raise(number: int, frame: Any) -> None:
    raise SignalException(f"Process {os.getpid()} got signal: {number}", signal.Signals(number))


def _run(rank: int, fn: Callable, args: tuple, env: dict[str, str], out: str, err: str, sender: Any) -> None:
    """Main function of a process that runs a function."""
    os.environ.update(env)
    for path, stream, number in ((out, sys.stdout, 1), (err, sys.stderr, 2)):
        if path:
            stream.flush()
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    sender.send_bytes(pickle.dumps(record(fn)(*args)))
    for stream in (sys.stdout, sys.stderr):
        stream.flush()


class MultiprocessContext(PContext):
    """Processes that run a function; see PContext.

    Args:
        start_method: How processes are started: "spawn", "forkserver" or "fork".
    """

    def __init__(self, *args: Any, start_method: str = "spawn", **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._context: Any = multiprocessing.get_context(start_method)
        self._processes: dict[int, Any] = {}
        self._receivers: dict[int, Any] = {}
        self._values: dict[int, Any] = {}

    def _start(self) -> None:
        for rank in range(self.nprocs):
            self._receivers[rank], sender = self._context.Pipe(duplex=False)
            given = (
                rank,
                self.entrypoint,
                self.args[rank],
                self.envs[rank],
                self.stdouts[rank],
                self.stderrs[rank],
            )
            self._processes[rank] = self._context.Process(target=_run, args=(*given, sender))
            self._processes[rank].start()
            sender.close()

    def _exits(self) -> dict[int, int | None]:
        for rank, receiver in self._receivers.items():
            with suppress(EOFError):
                if rank not in self._values and receiver.poll():
                    self._values[rank] = pickle.loads(receiver.recv_bytes())
        return {rank: process.exitcode for rank, process in self._processes.items()}

    def _returned(self) -> dict[int, Any]:
        return dict(sorted(self._values.items()))

    def pids(self) -> dict[int, int]:
        return {rank: process.pid for rank, process in self._processes.items()}


class SubprocessContext(PContext):
    """Processes that run a program, whose arguments are converted to strings; see PContext."""

    def _start(self) -> None:
        self._processes: dict[int, subprocess.Popen] = {}
        for rank in range(self.nprocs):
            files = [open(path, "w") if path else None for path in (self.stdouts[rank], self.stderrs[rank])]
            self._processes[rank] = subprocess.Popen(
                [self.entrypoint, *map(str, self.args[rank])],
                env={**os.environ, **self.envs[rank]},
                stdout=files[0],
                stderr=files[1],
            )
            for file in files:
                if file is not None:
                    file.close()

    def _exits(self) -> dict[int, int | None]:
        return {rank: process.poll() for rank, process in getattr(self, "_processes", {}).items()}

    def pids(self) -> dict[int, int]:
        return {rank: process.pid for rank, process in self._processes.items()}
