"""Workers that are threads of this process: `DataLoader(multiprocessing_context="thread")`.

Nothing is pickled and nothing copied: the dataset is shared, so `__getitem__` must be safe to call from threads, and
which worker takes a batch depends on timing. numpy and XLA release the interpreter's lock while they compute; Python
code does not. Each worker has a copy of an IterableDataset, as in PyTorch: `get_worker_info()` tells it which part to
produce.
"""

from __future__ import annotations

import copy
import functools
import weakref
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any

from ..._core.api import flush, tidied, tidy
from ..._utils import ExceptionWrapper
from ...random.generator import begin_thread
from .fetching import fetcher
from .iterators import _BaseDataLoaderIter, seed_datapipe, shard_datapipe
from .worker import WorkerInfo, get_worker_info, in_thread

__all__ = ["ThreadsIter"]

_END: Any = object()
"""Marker that a worker returns when its stream is at an end."""

WORKERS_ARE_THREADS = (
    "(Workers are threads of this process here; with num_workers=0 errors come as they are.)"
)
"""Said below PyTorch's sentence, which programs may match and which speaks of a process."""


class ThreadsIter(_BaseDataLoaderIter):
    """A pass with threads that fetch ahead."""

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        self._init, self._ahead = loader.worker_init_fn, loader.prefetch_factor
        self._pools = self._started()
        weakref.finalize(self, _shut_down, self._pools)
        self._begin()

    def _begin(self) -> None:
        options = self._auto_collation, self._collate_fn, self._drop_last
        if self._streams:
            self._loads = {pool: _reader(self._shared_seed, *options) for pool in self._pools}
        else:
            fetch = fetcher(self._dataset, *options).fetch
            self._loads = {pool: functools.partial(_fetched, fetch) for pool in self._pools}
        self._pending: deque[tuple[ThreadPoolExecutor, Future]] = deque()
        each = self._num_workers // len(self._pools)
        for _ in range(self._ahead):
            for pool in self._pools:
                for _ in range(each):
                    self._put(pool)

    def _put(self, pool: ThreadPoolExecutor) -> None:
        at = next(self._sampler_iter, _END)
        if at is not _END:
            self._pending.append((pool, pool.submit(_caught, self._loads[pool], at)))

    def _reset(self, loader: Any, first_iter: bool = False) -> None:
        for _, future in self._pending:
            future.cancel()
        super()._reset(loader, first_iter)
        self._begin()

    def _next_data(self) -> Any:
        while self._pending:
            pool, future = self._pending[0]
            batch = self._finished(future)
            self._pending.popleft()
            if batch is not _END:
                self._put(pool)
                return self._raised(batch)
        if not self._persistent_workers:
            _shut_down(self._pools)
        raise StopIteration

    def _started(self) -> list[ThreadPoolExecutor]:
        """The threads that fetch, in one pool; of a stream, a pool for each, which reads its own copy of it."""
        count, seed, init = self._num_workers, self._base_seed, self._init
        ids = iter(range(count))

        own = self._streams

        def begin(dataset: Any) -> None:
            number = next(ids)
            in_thread.info = WorkerInfo(number, count, seed + number, dataset)
            begin_thread((seed + number) % (1 << 64))
            if (
                own or number == 0
            ):  # else all threads share one dataset, and each item is asked for by its index
                shard_datapipe(dataset, self._shares, number if own else 0, count if own else 1)
            if init is not None:
                caught = _caught(init, number)
                in_thread.failed = caught if isinstance(caught, ExceptionWrapper) else None

        datasets = [copy.deepcopy(self._dataset) for _ in range(count)] if own else [self._dataset]
        threads, name = count // len(datasets), "functorch_lite-data"
        pools = [ThreadPoolExecutor(threads, name, initializer=begin, initargs=(d,)) for d in datasets]
        if own:  # in order, so that pool k is worker k
            for pool in pools:
                pool.submit(get_worker_info).result()
        return pools

    @tidied
    def _finished(self, future: Future) -> Any:
        try:
            return future.result(self._timeout or None)
        except FutureTimeout:
            if future.done():
                raise
            raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds") from None

    @tidied
    def _raised(self, batch: Any) -> Any:
        if isinstance(batch, ExceptionWrapper):
            try:
                batch.reraise()
            except Exception as error:
                error.add_note(WORKERS_ARE_THREADS)
                raise
        return batch


def _fetched(fetch: Callable[[Any], Any], at: Any) -> Any:
    batch = fetch(at)
    flush()  # what this thread recorded is computed here, not by the thread that reads it
    return batch


def _reader(shared_seed: int | None, *options: Any) -> Callable[[Any], Any]:
    """Makes the function that returns the batches of a worker's own stream, one after the other, and then _END."""
    stream: list[Any] = []

    def load(at: Any) -> Any:
        if not stream:
            dataset = get_worker_info().dataset  # type: ignore[union-attr]
            if shared_seed is not None:
                seed_datapipe(dataset, shared_seed)
            stream.append(fetcher(dataset, *options))
        try:
            return _fetched(stream[0].fetch, at)
        except StopIteration:
            return _END

    return load


def _caught(call: Callable, *args: Any) -> Any:
    """Returns the result of a worker's call; for an exception, PyTorch's wrapper, as for a worker whose
    `worker_init_fn` raised."""
    if in_thread.failed is not None:
        return in_thread.failed
    try:
        return call(*args)
    except Exception as error:
        tidy(error)
        return ExceptionWrapper(where=f"in DataLoader worker process {get_worker_info().id}")  # type: ignore[union-attr]


def _shut_down(pools: list[ThreadPoolExecutor]) -> None:
    for pool in pools:
        pool.shutdown(wait=False, cancel_futures=True)
