"""torch.distributed.elastic.multiprocessing.errors: errors of processes, as files that the process that started them
reads."""

from __future__ import annotations

import faulthandler
import functools
import json
import os
import signal
import socket
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

__all__ = ["ChildFailedError", "ErrorHandler", "ProcessFailure", "get_error_handler", "record"]

_UNKNOWN = "<N/A>"
_ADVICE = "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"


class ErrorHandler:
    """Writer of the file that the environment variable TORCHELASTIC_ERROR_FILE names."""

    def _path(self) -> str | None:
        return os.environ.get("TORCHELASTIC_ERROR_FILE") or None

    def initialize(self) -> None:
        """Print tracebacks of signals that end the process."""
        if not faulthandler.is_enabled():
            faulthandler.enable(all_threads=True)

    def record_exception(self, e: BaseException) -> None:
        """Write an exception with its traceback; without a file, nothing."""
        path = self._path()
        if path:
            more = {"py_callstack": traceback.format_exc(), "timestamp": str(int(time.time()))}
            message = {"message": f"{type(e).__name__}: {e}", "extraInfo": more}
            with open(path, "w") as file:
                json.dump({"message": message}, file)

    def dump_error_file(self, rootcause_error_file: str, error_code: int = 0) -> None:
        """Copy the file of a process that was started here to this process's own.

        Args:
            rootcause_error_file: The file.
            error_code: Exit code that is added.
        """
        with open(rootcause_error_file) as file:
            content = json.load(file)
        if error_code and isinstance(content.get("message"), dict):
            content["message"]["errorCode"] = error_code
        path = self._path()
        if path:
            with open(path, "w") as file:
                json.dump(content, file)


def get_error_handler() -> ErrorHandler:
    """Return the writer of errors."""
    return ErrorHandler()


@dataclass
class ProcessFailure:
    """Failure of a process.

    Args:
        local_rank: Its number on this machine.
        pid: Number of the process.
        exitcode: Its exit code, negative for a signal.
        error_file: The file that it wrote; without one, `message` says which signal ended it.

    Attributes:
        error_file_data: Content of the file.
        message: Its message.
        timestamp: When it failed, in seconds since 1970.
    """

    local_rank: int
    pid: int
    exitcode: int
    error_file: str
    error_file_data: Any = field(init=False)
    message: Any = field(init=False)
    timestamp: int = field(init=False)

    def __post_init__(self) -> None:
        self.error_file_data, self.message, self.timestamp = {"message": "<NONE>"}, "", int(time.time())
        if os.path.isfile(self.error_file):
            with open(self.error_file) as file:
                self.error_file_data = json.load(file)
            self.message = self.error_file_data["message"]
            more = self.message["extraInfo"] if isinstance(self.message, dict) else self.error_file_data
            self.timestamp = int(more.get("timestamp", 0))
        else:
            self.error_file = _UNKNOWN
        if not self.message:
            ended = f"Signal {-self.exitcode} ({self.signal_name()}) received by PID {self.pid}"
            self.message = ended if self.exitcode < 0 else _ADVICE
            if self.exitcode >= 0:
                self.error_file_data["errorTraits"] = {
                    "category": "system_terminated_error",
                    "retryability": "False",
                }

    def signal_name(self) -> str:
        """Return the name of the signal that ended the process, or "<N/A>"."""
        try:
            return signal.Signals(-self.exitcode).name if self.exitcode < 0 else _UNKNOWN
        except ValueError:
            return _UNKNOWN

    def timestamp_isoformat(self) -> str:
        """Return when it failed, as YYYY-MM-DD_HH:MM:SS."""
        return datetime.fromtimestamp(self.timestamp).isoformat(sep="_")


class ChildFailedError(Exception):
    """Processes that were started here failed; the message describes each.

    Args:
        name: Name of the job.
        failures: The failures, by rank.
    """

    def __init__(self, name: str, failures: dict[int, ProcessFailure]):
        if not failures:
            raise AssertionError
        self.name, self.failures = name, failures
        super().__init__(self.format_msg())

    def get_first_failure(self) -> tuple[int, ProcessFailure]:
        """Return the rank and the failure of the process that failed first."""
        return min(self.failures.items(), key=lambda item: item[1].timestamp)

    def format_msg(self, boarder_delim: str = "=", section_delim: str = "-") -> str:
        """Return the description of the failures, between lines of these characters."""
        first, title = self.get_first_failure()[0], f"{self.name} FAILED"
        parts = {rank: self._described(i, rank, f) for i, (rank, f) in enumerate(self.failures.items())}
        widest = max(len(line) for text in (title, *parts.values()) for line in text.split("\n"))
        border, section = (c * min(widest, 60) for c in (boarder_delim, section_delim))
        others = [text for rank, text in parts.items() if rank != first] or ["  <NO_OTHER_FAILURES>"]
        lines = [
            "",
            border,
            title,
            section,
            "Failures:",
            *others,
            section,
            "Root Cause (first observed failure):",
        ]
        return "\n".join([*lines, parts[first], border])

    def _described(self, number: int, rank: int, failure: ProcessFailure) -> str:
        message, name = failure.message, failure.signal_name()
        if isinstance(message, dict):
            shown = message.get("extraInfo", {}).get("py_callstack", message.get("message", _UNKNOWN))
            message = shown.replace("\n", "\n  ")
        return (
            f"[{number}]:\n  time      : {failure.timestamp_isoformat()}\n  host      : {socket.getfqdn()}\n"
            f"  rank      : {rank} (local_rank: {failure.local_rank})\n"
            f"  exitcode  : {failure.exitcode} (pid: {failure.pid}) {'' if name == _UNKNOWN else f' ({name})'}\n"
            f"  error_file: {failure.error_file}\n  traceback : {message}"
        )


def record(fn: Callable, error_handler: ErrorHandler | None = None) -> Callable:
    """Decorate the main function of a process so that its exception is written to the process's error file.

    Args:
        fn: The function.
        error_handler: Writer of the file; by default one that asks TORCHELASTIC_ERROR_FILE for its name.

    Returns:
        The function. It raises what `fn` raises, except SystemExit with code 0.
    """
    handler = error_handler or get_error_handler()

    @functools.wraps(fn)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        handler.initialize()
        try:
            return fn(*args, **kwargs)
        except SystemExit as error:
            if error.code == 0:
                return None
            raise
        except ChildFailedError as error:
            failure = error.get_first_failure()[1]
            if failure.error_file != _UNKNOWN:
                handler.dump_error_file(failure.error_file, failure.exitcode)
            raise
        except Exception as error:
            handler.record_exception(error)
            raise

    return wrapper
