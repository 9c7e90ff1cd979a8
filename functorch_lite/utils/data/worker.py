"""Worker processes of a DataLoader: what one of them does. `processes.py` is the other side.

A worker is forked from Python's fork server, which has imported this module, and so JAX, but has not started XLA: a
worker starts without importing anything, and starts an XLA of its own, on the CPU, when a dataset computes what NumPy
does not.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import random
import signal
import socket
import sys
import threading
import warnings
from typing import Any

import jax
import numpy as np

from ..._core.api import at_most, flush, tidy
from ..._utils import ExceptionWrapper
from ...random import default_engine, manual_seed, set_default_engine
from ...tensors.types import get_default_dtype, set_default_dtype
from . import blocks
from .fetching import MapFetcher, StreamFetcher, fetcher
from .iterators import seed_datapipe, shard_datapipe
from .messages import Gone, Incoming, Outgoing, receive, send

__all__ = ["WorkerInfo", "carried", "get_worker_info", "numpy_seed", "run"]


class WorkerInfo:
    """Facts that `get_worker_info()` gives a worker: `id`, `num_workers`, `seed`, `dataset`."""

    def __init__(self, id: int, num_workers: int, seed: int, dataset: Any) -> None:
        self.id = id
        self.num_workers = num_workers
        self.seed = seed
        self.dataset = dataset

    def __repr__(self) -> str:
        return f"WorkerInfo(id={self.id}, num_workers={self.num_workers}, seed={self.seed}, dataset={self.dataset})"


class _InThread(threading.local):
    info: WorkerInfo | None = None
    failed: ExceptionWrapper | None = None


in_thread = _InThread()
"""State of a worker that is a thread: who it is, and what its `worker_init_fn` raised."""

_worker_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Returns the information on the current DataLoader worker; None outside of a worker."""
    return in_thread.info or _worker_info


def numpy_seed(base_seed: int, worker_id: int) -> list[int]:
    """Four words of 32 bits that are a function of a seed and a number, to seed NumPy with: the same words as in
    PyTorch."""
    words = [worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
    return [int(x) for x in np.random.SeedSequence(words).generate_state(4)]


def run(connection: socket.socket, worker_id: int, environment: dict[str, str], kept: int) -> None:
    """The life of a worker: reads what it is to load, then places from the connection, and writes batches to it, until
    told to end."""
    os.environ.clear()
    os.environ.update(environment)
    os.environ["NPROC"] = "1"  # of XLA's threads, should it start
    os.environ["JAX_PLATFORMS"] = "cpu"
    jax.config.update("jax_platforms", "cpu")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with at_most(1):
            _Worker(connection, worker_id, kept).serve()
    except (KeyboardInterrupt, Gone):
        pass  # of an interrupt, the loader's own process tells; without a loader there is nobody to tell
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()


class _Worker:
    def __init__(self, connection: socket.socket, worker_id: int, kept: int) -> None:
        self.connection, self.id = connection, worker_id
        self.pool = blocks.pool = blocks.Pool(self._announce, kept)
        self.where = f"in DataLoader worker process {worker_id}"
        self.failed: ExceptionWrapper | None = None
        self.known: list[type] = []
        self.lent: list[int] = []
        self.options: tuple = ()
        self.fetcher: MapFetcher | None = None
        self.tasks: queue.SimpleQueue[bytearray] = queue.SimpleQueue()

    def serve(self) -> None:
        """Loads the requested samples until it receives the message to end."""
        settings, fd = receive(self.connection)
        payload, _ = receive(self.connection)
        # what comes is read at once, by another thread: who writes to a worker need not wait until it has written
        threading.Thread(target=self._read, daemon=True).start()
        try:
            self._begin(settings, payload, fd)
        except Exception as error:
            tidy(error)
            self.failed = ExceptionWrapper(where=self.where)
        del settings, payload
        ended = False
        while task := self.tasks.get():
            kind, number, returned, at = pickle.loads(task)
            self.pool.give_back(returned)
            if kind == "resume":
                ended, self.fetcher = False, None
                shared_seed = pickle.loads(at)
                if shared_seed is not None and self.failed is None:
                    seed_datapipe(self.options[0], shared_seed)
                self._tell("resumed", number, None)
            elif not ended:
                self.pool.begin()
                try:
                    result = "data", number, self._fetched(at)
                except StopIteration:
                    ended = True
                    result = "end", number, None
                self._tell(*result)
                del result

    def _begin(self, settings: bytearray, payload: bytearray, fd: int | None) -> None:
        memory = None
        if fd is not None:
            memory = blocks.File.map(fd)
            os.close(fd)
        for setting, *arguments in pickle.loads(settings):
            setting(*arguments)
        loaded, self.known = Incoming(payload, lambda at: (memory, at, None)).load()
        dataset, auto_collation, collate_fn, drop_last, init, count, base_seed, shared_seed, shares = loaded
        seed = base_seed + self.id
        random.seed(seed)
        manual_seed(seed % (1 << 64))
        np.random.seed(numpy_seed(base_seed, self.id))
        global _worker_info
        _worker_info = WorkerInfo(self.id, count, seed, dataset)
        self.options = dataset, auto_collation, collate_fn, drop_last
        if shared_seed is not None:
            seed_datapipe(dataset, shared_seed)
        shard_datapipe(dataset, shares, self.id, count)
        if init is not None:
            init(self.id)
        self.fetcher = fetcher(*self.options)

    def _announce(self, block: blocks.Block, fd: int) -> None:
        send(self.connection, Outgoing.dumps((block.number, block.size), None, None), fd)

    def _read(self) -> None:
        try:
            while True:
                payload, _ = receive(self.connection)
                self.tasks.put(payload)
                if not payload:
                    return
        except Gone:
            os._exit(1)  # the loader's process has ended without a word

    def _fetched(self, at: bytes) -> Any:
        if self.failed is not None:
            return self.failed
        try:
            if self.fetcher is None:
                self.fetcher = fetcher(*self.options)
            data = self.fetcher.fetch(pickle.loads(at))
            flush()
            return data
        except StopIteration:
            if isinstance(self.fetcher, StreamFetcher):
                raise
            return ExceptionWrapper(where=self.where)
        except Exception as error:
            tidy(error)
            return ExceptionWrapper(where=self.where)

    def _lay(self, array: np.ndarray) -> tuple[int, int]:
        place = self.pool.lend(array)
        self.lent.append(place[0])
        return place

    def _tell(self, kind: str, number: int, data: Any) -> None:
        pool = self.pool
        self.lent.clear()
        try:
            payload = Outgoing.dumps((kind, number, data, pool.dropped), self._lay, None, self.known)
        except Exception:
            pool.give_back(self.lent)
            failure = ExceptionWrapper(where=self.where)
            payload = Outgoing.dumps((kind, number, failure, pool.dropped), self._lay, None, self.known)
        pool.dropped = []
        send(self.connection, payload)


def carried() -> list[tuple]:
    """Returns the settings of this process that a worker takes over, as calls to be made there."""
    compat = sys.modules.get("functorch_lite.compat")
    drop_in = [(compat.install_as_torch,)] if compat is not None and compat.is_installed() else []
    return [
        *drop_in,
        (set_default_dtype, get_default_dtype()),
        (set_default_engine, default_engine()),
        (_set_filters, list(warnings.filters)),
    ]


def _set_filters(filters: list) -> None:
    warnings.resetwarnings()
    warnings.filters.extend(filters)  # type: ignore[attr-defined]
