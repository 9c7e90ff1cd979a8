"""DataLoader: iterates over a dataset in batches, in this thread or with worker threads that fetch ahead.

With `num_workers > 0` the workers are threads of this process, not processes: numpy and JAX release the interpreter's lock
while they compute, nothing is pickled, and the dataset is shared, so `__getitem__` must be safe to call from threads. Of an
IterableDataset each worker has a copy, as in PyTorch: `get_worker_info()` tells it which part to give.
"""

from __future__ import annotations

import copy
import threading
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from itertools import islice
from typing import Any, Generic, TypeVar

from ..._core.api import flush, is_available, tidied, tidy
from ..._utils import ExceptionWrapper
from .collate import default_collate, default_convert
from .dataset import Dataset, IterableDataset, Rows
from .sampler import BatchSampler, RandomSampler, SequentialSampler, draw_seed

__all__ = ["DataLoader", "get_worker_info"]

_collate_fn_t = Callable[[list], Any]
_worker_init_fn_t = Callable[[int], None]

T_co = TypeVar("T_co", covariant=True)

_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")
_END: Any = object()
"""What a worker gives when its stream is at an end."""


class WorkerInfo:
    """What `get_worker_info()` tells a worker: `id`, `num_workers`, `dataset`, `seed`."""

    def __init__(self, id: int, num_workers: int, dataset: Any, seed: int):
        self.id = id
        self.num_workers = num_workers
        self.dataset = dataset
        self.seed = seed

    def __repr__(self) -> str:
        return f"WorkerInfo(id={self.id}, num_workers={self.num_workers}, seed={self.seed}, dataset={self.dataset})"


_worker = threading.local()

WORKERS_ARE_THREADS = (
    "(Workers are threads of this process here; with num_workers=0 errors come as they are.)"
)
"""Said below PyTorch's sentence, which programs may match and which speaks of a process."""


def get_worker_info() -> WorkerInfo | None:
    """In a DataLoader's worker, what worker it is; elsewhere None."""
    return getattr(_worker, "info", None)


_IN_FILES = {
    "multiprocessing_context": "_DataLoader__multiprocessing_context",
    "_length_told": "_IterableDataset_len_called",
    "_complete": "_DataLoader__initialized",
}
"""What attributes are called in files, which PyTorch reads too."""


class DataLoader(Generic[T_co]):
    """Iterates over `dataset` in batches of `batch_size`, which `collate_fn` makes of the samples.

    shuffle, sampler, batch_sampler: in which order (at most one of them). batch_size=None: single samples, no batches.
    drop_last: leave out a last batch that is smaller. generator: what shuffles. num_workers: threads that fetch ahead,
    `prefetch_factor` (2) batches each; `worker_init_fn(id)` is called in each. `pin_memory` changes nothing.
    """

    def __init__(
        self,
        dataset: Dataset[T_co],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable | None = None,
        batch_sampler: Iterable[list] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[list], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        streaming = isinstance(dataset, IterableDataset)
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers, multiprocessing_context)
        if streaming:
            _check_stream(shuffle, sampler, batch_sampler)
        shuffle = bool(shuffle)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError(
                "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
            )
        if sampler is None:
            if streaming:
                sampler = _InfiniteConstantSampler()
            else:
                sampler = (
                    RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
                )  # type: ignore[arg-type]
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers > 0 and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        if collate_fn is None:
            collate_fn = default_convert if batch_sampler is None else default_collate
        self.collate_fn = collate_fn
        self.persistent_workers = persistent_workers
        self._pools: list[ThreadPoolExecutor] = []
        self._length_told: int | None = None
        self._complete = True

    def __getstate__(self) -> dict[str, Any]:
        state = {
            _IN_FILES.get(name, name): value for name, value in self.__dict__.items() if name != "_pools"
        }
        return {**state, "_dataset_kind": int(isinstance(self.dataset, IterableDataset)), "_iterator": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        own = {theirs: name for name, theirs in _IN_FILES.items()}
        left_out = ("_dataset_kind", "_iterator")
        kept = {own.get(name, name): value for name, value in state.items() if name not in left_out}
        self.__dict__.update(kept, _pools=[])

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _FIXED and self.__dict__.get("_complete"):
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    def __iter__(self) -> Iterator[Any]:
        # of the workers, another for each pass unless they persist; drawn without workers too, as in torch
        seed = 0 if self._pools else draw_seed(self.generator)
        if self.pin_memory:
            self._warn_of_pinning()
        if isinstance(self.dataset, IterableDataset):
            return self._counted(
                self._streams_ahead(seed) if self.num_workers else self._stream(self.dataset)
            )
        if self.num_workers:
            return self._fetched_ahead(seed)
        return self._fetched()

    def __len__(self) -> int:
        if not isinstance(self.dataset, IterableDataset):
            return len(self.sampler if self.batch_sampler is None else self.batch_sampler)  # type: ignore[arg-type]
        count = self._length_told = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is None:
            return count
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)

    def _warn_of_pinning(self) -> None:
        if self.pin_memory_device:
            warnings.warn(
                "pin_memory_device is deprecated, the current accelerator will be used as the device,ignore "
                f"pin_memory_device='{self.pin_memory_device}'.",
                stacklevel=3,
            )
        if not is_available("cuda"):
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used.",
                stacklevel=3,
            )

    def _counted(self, stream: Iterator[Any]) -> Iterator[Any]:
        """The batches of a stream, with a warning at each that is more than the dataset's length, if that was asked for."""
        told = self._length_told
        for count, batch in enumerate(stream, 1):
            if told is not None and count > told:
                warnings.warn(
                    f"Length of IterableDataset {self.dataset} was reported to be {told}(when accessing len(dataloader)), but {count} "
                    "samples have been fetched. ",
                    stacklevel=2,
                )
            yield batch

    @tidied
    def _load(self, at: Any) -> Any:
        """The batch of these indices, or the sample of this index."""
        dataset: Any = self.dataset
        if self.batch_sampler is None:
            return self.collate_fn(dataset[at])
        many = getattr(dataset, "__getitems__", None)
        samples = many(at) if callable(many) else [dataset[i] for i in at]
        if type(samples) is Rows and self.collate_fn is not default_collate:
            samples = list(samples)
        return self.collate_fn(samples)  # type: ignore[arg-type]

    def _places(self) -> Iterator[Any]:
        return iter(self.sampler if self.batch_sampler is None else self.batch_sampler)

    def _fetched(self) -> Iterator[Any]:
        for at in self._places():
            yield self._load(at)

    def _stream(self, dataset: Any) -> Iterator[Any]:
        samples = iter(dataset)
        if self.batch_sampler is None:
            for sample in samples:
                yield self.collate_fn(sample)
            return
        for places in self.batch_sampler:
            batch = list(islice(samples, len(places)))
            if not batch or (self.drop_last and len(batch) < len(places)):
                return
            yield self.collate_fn(batch)

    # -- worker threads -----------------------------------------------------------------------------------------------

    def _workers(self, seed: int) -> list[ThreadPoolExecutor]:
        """The threads that fetch, in one pool; of a stream, a pool for each, which reads its own copy of it."""
        if self._pools:
            return self._pools
        ids = iter(range(self.num_workers))
        init, count, dataset = self.worker_init_fn, self.num_workers, self.dataset
        own = isinstance(dataset, IterableDataset)

        from ...random.generator import begin_thread

        def begin(copied):
            number = next(ids)
            _worker.info = WorkerInfo(number, count, copied, seed + number)
            begin_thread((seed + number) % (1 << 64))
            if init is not None:
                caught = _caught(init, number)
                _worker.failed = caught if isinstance(caught, ExceptionWrapper) else None

        datasets = [copy.deepcopy(dataset) for _ in range(count)] if own else [dataset]
        threads, name = count // len(datasets), "functorch_lite-data"
        pools = [ThreadPoolExecutor(threads, name, initializer=begin, initargs=(d,)) for d in datasets]
        if own:  # in order, so that pool k is worker k
            for pool in pools:
                pool.submit(get_worker_info).result()
        if self.persistent_workers:
            self._pools = pools
            weakref.finalize(self, _shut_down, pools)
        return pools

    def _streams_ahead(self, seed: int) -> Iterator[Any]:
        """The batches of the workers' streams, one of each in turn, until all are at an end."""
        pools = self._workers(seed)

        def worker():
            stream: list[Iterator[Any]] = []

            def load():
                if not stream:
                    stream.append(self._stream(get_worker_info().dataset))  # type: ignore[union-attr]
                batch = next(stream[0], _END)
                flush()
                return batch

            return lambda: _caught(load)

        loads = {pool: worker() for pool in pools}
        pending = deque(
            (pool, pool.submit(loads[pool])) for _ in range(self.prefetch_factor or 2) for pool in pools
        )
        try:
            while pending:
                pool, future = pending[0]
                batch = self._awaited(future)
                pending.popleft()
                if batch is not _END:
                    pending.append((pool, pool.submit(loads[pool])))
                    yield batch
        finally:
            for _, future in pending:
                future.cancel()
            if pools is not self._pools:
                _shut_down(pools)

    @tidied
    def _awaited(self, future: Future) -> Any:
        try:
            batch = future.result(self.timeout or None)
        except FutureTimeout:
            if future.done():
                raise
            raise RuntimeError(f"DataLoader timed out after {self.timeout} seconds") from None
        if isinstance(batch, ExceptionWrapper):
            try:
                batch.reraise()
            except Exception as error:
                error.add_note(WORKERS_ARE_THREADS)
                raise
        return batch

    def _fetched_ahead(self, seed: int) -> Iterator[Any]:
        pools = self._workers(seed)
        (pool,) = pools

        def load(at):
            batch = self._load(at)
            flush()  # what this thread recorded is computed here, not by the thread that reads it
            return batch

        places = self._places()
        pending = deque(
            pool.submit(_caught, load, at)
            for at in islice(places, self.num_workers * (self.prefetch_factor or 2))
        )
        try:
            while pending:
                batch = self._awaited(pending[0])
                pending.popleft()
                pending.extend(pool.submit(_caught, load, at) for at in islice(places, 1))
                yield batch
        finally:
            for future in pending:
                future.cancel()
            if pools is not self._pools:
                _shut_down(pools)


def _caught(call: Callable, *args: Any) -> Any:
    """What a worker's call gives; of an exception, PyTorch's wrapper, as of a worker whose `worker_init_fn` raised."""
    if getattr(_worker, "failed", None) is not None:
        return _worker.failed
    try:
        return call(*args)
    except Exception as error:
        tidy(error)
        return ExceptionWrapper(where=f"in DataLoader worker process {_worker.info.id}")


def _shut_down(pools: list[ThreadPoolExecutor]) -> None:
    for pool in pools:
        pool.shutdown(wait=False, cancel_futures=True)


class _BaseDataLoaderIter:
    """The class of PyTorch's iterators of a DataLoader, which libraries name. They are generators here, and so of no such class."""


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """One without workers."""


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """One with workers."""


class _InfiniteConstantSampler:
    """The sampler of a stream: as many places as are asked for."""

    def __iter__(self):
        while True:
            yield None


def _check_workers(num_workers, timeout, prefetch_factor, persistent_workers, context) -> None:
    if num_workers < 0:
        raise ValueError(
            "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
        )
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing."
            "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")
    if context is not None:
        if num_workers == 0:
            raise ValueError(
                "multiprocessing_context can only be used with multi-process loading (num_workers > 0), "
                f"but got num_workers={num_workers}"
            )
        raise NotImplementedError(
            "multiprocessing_context is not supported: workers are threads of this process"
        )


def _check_stream(shuffle, sampler, batch_sampler) -> None:
    given = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
    for name, value in given.items():
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
            )
