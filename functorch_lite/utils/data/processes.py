"""The loader's side of worker processes: starts them, hands out places, and puts what comes back into order.
`worker.py` is theirs.

Batch k is made by worker k mod n, so what a worker draws at random does not depend on timing. Each worker has a socket
of its own, which is closed when it ends, however it ends: that is how its death is noticed.
"""

from __future__ import annotations

import io
import itertools
import multiprocessing
import os
import pickle
import signal
import socket
import time
from collections.abc import Sequence
from multiprocessing import connection, forkserver, spawn
from typing import Any

import numpy as np

from ..._core.api import tidied
from ..._utils import ExceptionWrapper
from . import worker
from .blocks import Block, File
from .iterators import _BaseDataLoaderIter
from .messages import Gone, Incoming, Outgoing, receive, send

__all__ = ["_MultiProcessingDataLoaderIter", "make_ready"]

NAME = "functorch_lite-data"
"""Beginning of the names of workers."""
GRACE = 5.0
"""Seconds that a worker has to end what it is loading when its loader does not need it any more."""

NO_PICKLE = (
    "{error}\n\nDataLoader: {what} cannot be sent to a worker process. Classes, functions and lambdas can, wherever they were "
    "defined; open files, locks, sockets and generators cannot: open them in the worker, at first use or in worker_init_fn. Or "
    'say multiprocessing_context="thread": then the workers are threads of this process, which share the dataset with it.'
)


_server = forkserver._forkserver  # type: ignore[attr-defined]


def _forget_server() -> None:
    _server._forkserver_pid = None  # no child of a process that was forked: that one would start its own


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_server)


_preparation_data = spawn.get_preparation_data


def _without_main(name: str) -> dict[str, Any]:
    """Returns what multiprocessing tells a new process first; a worker is not told to run the main script: it gets by
    value what it needs of it."""
    data = _preparation_data(name)
    if name.startswith(NAME):
        data.pop("init_main_from_name", None)
        data.pop("init_main_from_path", None)
    return data


spawn.get_preparation_data = _without_main


def make_ready() -> None:
    """Starts the server from which workers are forked, unless it runs already, and does not wait for it."""
    here = multiprocessing.current_process()
    if here.daemon or getattr(here, "_inheriting", False):
        return  # such a process can start no other: that is told when one is to be started
    if worker.__name__ not in _server._preload_modules:
        # in place of the main script, which such a process would run, as if it was imported
        others = [name for name in _server._preload_modules if name != "__main__"]
        forkserver.set_forkserver_preload([*others, worker.__name__])
    forkserver.ensure_running()


class _Process:
    """A worker as its loader sees it."""

    def __init__(self, context: Any, number: int, kept: int) -> None:
        self.connection, theirs = socket.socketpair()
        self.number = number
        self.blocks: dict[int, np.ndarray] = {}
        self.returned: list[int] = []
        """Blocks of which an array is gone: told with the next message."""
        with theirs:
            self.process = context.Process(
                target=worker.run,
                args=(theirs, number, dict(os.environ), kept),
                name=f"{NAME}-{number}",
                daemon=True,
            )
            try:
                self.process.start()
            except BaseException:
                self.connection.close()
                raise

    def fileno(self) -> int:
        """Returns the file descriptor that `wait` waits for."""
        return self.connection.fileno()

    def ask(self, kind: str, number: int, at: Any = None) -> None:
        """Tells it what to do next."""
        returned, self.returned = self.returned, []
        at = bytes(Outgoing.dumps(at, None, []))
        send(self.connection, pickle.dumps((kind, number, returned, at)))

    def heard(self, known: Sequence[type]) -> tuple[str, int, Any] | None:
        """The next message from it; None for one that is between it and this object."""
        payload, fd = receive(self.connection)
        if fd is not None:
            try:
                number, size = Incoming(payload, None).load()
                self.blocks[number] = Block(number, size, fd).memory
            finally:
                os.close(fd)
            return None
        kind, number, data, dropped = Incoming(payload, self._find, known).load()
        for block in dropped:
            del self.blocks[block]
        return kind, number, data

    def _find(self, where: tuple[int, int]) -> tuple:
        block, at = where
        return self.blocks[block], at, _Return(self.returned_to, block)

    def returned_to(self, block: int) -> None:
        """An array of this block is gone."""
        self.returned.append(block)

    def why(self) -> RuntimeError:
        """Returns the error for a worker that has ended, in PyTorch's words."""
        self.process.join(GRACE)
        pid, code = self.process.pid, self.process.exitcode
        if code is not None and code < 0:
            name = signal.strsignal(-code)
            return RuntimeError(f"DataLoader worker (pid {pid}) is killed by signal: {name}. ")
        return RuntimeError(
            f"DataLoader worker (pid {pid}) exited unexpectedly with exit code {code}. Details are lost due to multiprocessing. "
            "Rerunning with num_workers=0 may give better error trace."
        )


class _Return:
    """A call to be made when an array of a block is gone."""

    __slots__ = ("block", "to")

    def __init__(self, to: Any, block: int) -> None:
        self.to, self.block = to, block

    def __call__(self) -> None:
        self.to(self.block)


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Pass through a loader's batches, or with persistent workers one after the other, with worker processes."""

    def __init__(self, loader: Any) -> None:
        self._workers: list[_Process] = []
        self._ended = False
        self._pid = os.getpid()
        super().__init__(loader)
        self._ahead, self._in_order = loader.prefetch_factor, loader.in_order
        self._start(loader)
        self._reset(loader, first_iter=True)

    @tidied
    def _start(self, loader: Any) -> None:
        file = File()
        try:
            seeds = self._base_seed, self._shared_seed
            payload, self._by_value = _pickled(loader, (*seeds, self._shares), file)
            settings = pickle.dumps(worker.carried())
            context = loader.multiprocessing_context or multiprocessing.get_context("forkserver")
            if context.get_start_method() == "forkserver":
                make_ready()
            for number in range(self._num_workers):
                self._workers.append(_Process(context, number, self._ahead + 2))
            for process in self._workers:
                send(process.connection, settings, file.fd if file.size else None)
                send(process.connection, payload)
        except Gone:
            raise self._lost(process) from process.why()
        except BaseException:
            self._shutdown_workers()
            raise
        finally:
            file.close()

    @tidied
    def _reset(self, loader: Any, first_iter: bool = False) -> None:
        super()._reset(loader, first_iter)
        self._sent = self._given = 0
        """Tasks that were handed out, and those of them whose batches were asked for."""
        self._tasks: dict[int, tuple] = {}
        """Task -> its worker's number, and what it gave if that is there."""
        self._reads = [True] * self._num_workers
        """Whether a worker's stream goes on."""
        self._load = [0] * self._num_workers
        """Number of tasks that each has."""
        self._turns = itertools.cycle(range(self._num_workers))
        if not first_iter:
            for process in self._workers:
                self._ask(process, "resume", 0, self._shared_seed)
            left = self._num_workers
            while left:
                left -= self._heard()[0] == "resumed"
        for _ in range(self._ahead * self._num_workers):
            self._put()

    def _put(self) -> None:
        """Hands out the next task, to the worker whose turn it is."""
        try:
            at = self._next_index()
        except StopIteration:
            return
        most = self._ahead * self._num_workers
        for number in itertools.islice(self._turns, self._num_workers):
            if self._reads[number] and (self._in_order or self._load[number] < most // sum(self._reads)):
                break
        else:
            return
        self._tasks[self._sent] = (number,)
        self._load[number] += 1
        self._ask(self._workers[number], "task", self._sent, at)
        self._sent += 1

    @tidied
    def _next_data(self) -> Any:
        if self._ended:
            raise StopIteration
        while True:
            while self._given < self._sent:
                task = self._tasks.get(self._given)
                if task is not None and (len(task) == 2 or self._reads[task[0]]):
                    break
                self._tasks.pop(self._given, None)
                self._given += 1
            else:
                if not self._persistent_workers:
                    self._shutdown_workers()
                raise StopIteration
            if len(task) == 2:
                return self._take(self._given, task[1])
            kind, number, data = self._heard()
            if kind == "end":
                self._reads[self._tasks[number][0]] = False
                self._put()
            elif number == self._given or not self._in_order:
                return self._take(number, data)
            else:
                self._tasks[number] += (data,)

    def _take(self, number: int, data: Any) -> Any:
        self._given += number == self._given
        self._load[self._tasks.pop(number)[0]] -= 1
        self._put()
        if isinstance(data, ExceptionWrapper):
            data.reraise()
        return data

    # -- talking to workers --------------------------------------------------------------------------------------------

    def _ask(self, process: _Process, kind: str, number: int, at: Any = None) -> None:
        try:
            process.ask(kind, number, at)
        except Gone:
            raise self._lost(process) from process.why()
        except BaseException:
            self._shutdown_workers()  # half a message may have been written
            raise

    def _heard(self) -> tuple[str, int, Any]:
        """The next message of any worker."""
        end = time.monotonic() + self._timeout if self._timeout else None
        while True:
            left = None if end is None else max(0.0, end - time.monotonic())
            ready = connection.wait(self._workers, left)
            if not ready:
                raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds")
            process = ready[0]
            try:
                heard = process.heard(self._by_value)  # type: ignore[union-attr]
            except Gone:
                raise self._lost(process) from process.why()  # type: ignore[union-attr, arg-type]
            except BaseException:
                self._shutdown_workers()  # half a message may have been read
                raise
            if heard is not None:
                return heard

    def _lost(self, process: _Process) -> RuntimeError:
        self._shutdown_workers()
        return RuntimeError(f"DataLoader worker (pid(s) {process.process.pid}) exited unexpectedly")

    def _shutdown_workers(self) -> None:
        """Ends the workers: each ends what it is loading, and is ended if that takes long."""
        if self._ended or self._pid != os.getpid():
            return
        self._ended = True
        for process in self._workers:
            try:
                send(process.connection, b"")
            except (Gone, OSError):
                pass
            process.connection.close()
        end = time.monotonic() + GRACE
        for process in self._workers:
            process.process.join(max(0.0, end - time.monotonic()))
            if process.process.exitcode is None:
                process.process.terminate()
                process.process.join(GRACE)
            if process.process.exitcode is None:
                process.process.kill()
                process.process.join(GRACE)

    def __del__(self) -> None:
        self._shutdown_workers()


def _pickled(loader: Any, more: tuple, file: File) -> tuple[memoryview, list[type]]:
    """Pickles what a worker is sent: returns the message, whose arrays are laid into `file`, and the classes in it that
    go by value."""
    by_value: list[type] = []
    parts = {
        "the dataset": loader.dataset, "auto_collation": loader._auto_collation, "collate_fn": loader.collate_fn,
        "drop_last": loader.drop_last, "worker_init_fn": loader.worker_init_fn,
    }  # fmt: skip
    loaded = *parts.values(), loader.num_workers, *more
    try:
        return Outgoing.dumps((loaded, by_value), file.lay, by_value), by_value
    except Exception as error:
        text = NO_PICKLE.format(error=error, what=_culprit(parts) or "what it loads with")
        try:
            raised = type(error)(text)
        except Exception:
            raised = TypeError(text)
        raise raised from None


def _culprit(parts: dict[str, Any]) -> str | None:
    """Names the object among these, and the attribute of it, that cannot be pickled; None if all can."""
    for name, part in parts.items():
        if _fails(part):
            inside = vars(part) if hasattr(part, "__dict__") else {}
            return next((f"{name}'s attribute {k!r}" for k, v in inside.items() if _fails(v)), name)
    return None


def _fails(obj: Any) -> bool:
    try:
        Outgoing(io.BytesIO(), None, []).dump(obj)
    except Exception:
        return True
    return False
