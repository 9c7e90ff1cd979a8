"""DataLoader: iterates over a dataset in batches, which it makes itself or has worker processes make ahead.

With `num_workers > 0` the workers are processes, as in PyTorch (`processes.py`), or with
`multiprocessing_context="thread"` threads of this one (`threads.py`).
"""

from __future__ import annotations

import multiprocessing
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.context import BaseContext
from typing import Any, Generic, TypeVar

from .collate import default_collate, default_convert
from .datapipes.datapipe import (
    IterDataPipe,
    MapDataPipe,
    _IterDataPipeSerializationWrapper,
    _MapDataPipeSerializationWrapper,
)
from .dataset import Dataset, IterableDataset
from .graph_settings import apply_shuffle_settings
from .iterators import _BaseDataLoaderIter, _SingleProcessDataLoaderIter
from .processes import _MultiProcessingDataLoaderIter, make_ready
from .sampler import BatchSampler, RandomSampler, SequentialSampler
from .threads import ThreadsIter
from .worker import get_worker_info

__all__ = ["DataLoader", "get_worker_info"]

_collate_fn_t = Callable[[list], Any]
_worker_init_fn_t = Callable[[int], None]

T_co = TypeVar("T_co", covariant=True)

_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")
THREAD = "thread"
"""The `multiprocessing_context` whose workers are threads."""


class DataLoader(Generic[T_co]):
    """Iterates over `dataset` in batches of `batch_size`, which `collate_fn` makes of the samples.

    With workers, batch k is made by worker k % num_workers. Each worker has a copy of the data set, and seeds the random
    numbers of Python, NumPy and torch from `generator` and its id. Workers run on the CPU. An exception in a worker is
    raised again in this process; RuntimeError is raised after `timeout` seconds, or if a worker dies. The data set is
    pickled, and classes and functions of the main script are pickled by value; the script does not run again.

    Args:
        dataset: the data set: indexable, or an IterableDataset.
        batch_size: the number of samples in a batch. None returns single samples. Default: 1.
        shuffle: whether the order is random. None (the default) means False.
        sampler: an iterable of indices. None (the default) takes them in order, or shuffled.
        batch_sampler: an iterable of lists of indices, instead of `batch_size`, `shuffle`,
            `sampler` and `drop_last`. None is the default.
        num_workers: the number of worker processes that fetch ahead; 0 fetches in this process.
            Default: 0.
        collate_fn: a function of a list of samples that returns a batch. None (the default) is
            `default_collate`.
        pin_memory: accepted for compatibility; it changes nothing but warnings. Default: False.
        drop_last: whether a last, smaller batch is dropped. Default: False.
        timeout: the seconds to wait for a batch from a worker; 0 waits without limit. Default: 0.
        worker_init_fn: a function of the id of a worker, called in each. None (the default) calls
            nothing.
        multiprocessing_context: "forkserver", "spawn", or "thread" for threads that share the
            data set. None (the default) means "forkserver".
        generator: the `torch.Generator` that shuffles and seeds the workers. None (the default)
            is the global generator.
        prefetch_factor: the number of batches that each worker fetches ahead. None (the default)
            is 2.
        persistent_workers: whether the workers stay after the end of a pass. Default: False.
        pin_memory_device: deprecated, as in PyTorch; it changes nothing. Default: "".
        in_order: whether batches come in the order of the sampler. Default: True.

    Steps of an IterDataPipe that shuffle are seeded from `generator` for each pass, alike in all workers; `shuffle` turns
    them on or off, and adds one where there is none. A worker gets its share of every `sharding_filter`.

    >>> loader = torch.utils.data.DataLoader(range(6), batch_size=2, shuffle=True)
    >>> sorted(x for batch in loader for x in batch.tolist())
    [0, 1, 2, 3, 4, 5]
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
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        if isinstance(dataset, IterDataPipe):
            dataset = _IterDataPipeSerializationWrapper(apply_shuffle_settings(dataset, shuffle))
            shuffle = None
        elif isinstance(dataset, MapDataPipe):
            dataset = _MapDataPipeSerializationWrapper(dataset)
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
        # attributes have PyTorch's names, as files that one of the two writes are read by the other
        self.dataset = dataset
        self._dataset_kind = int(streaming)
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
        self._iterator: _BaseDataLoaderIter | None = None
        self._IterableDataset_len_called: int | None = None
        self.__initialized = True
        if self.__multiprocessing_context != "thread":
            self._warn_of_many_workers(3)
        if num_workers and self.__multiprocessing_context is None:
            make_ready()  # while the program goes on to its model

    def __getstate__(self) -> dict[str, Any]:
        # no __setstate__: a class that hands attributes on to a loader of its own, as accelerate's do, would find it
        # there when it is unpickled
        return {**self.__dict__, "_iterator": None}

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _FIXED and self.__dict__.get("_DataLoader__initialized"):
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    @property
    def multiprocessing_context(self) -> Any:
        """The maker of the workers: a context of multiprocessing, "thread", or None for the default."""
        return self.__multiprocessing_context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context: Any) -> None:
        self.__multiprocessing_context = _context(context, self.num_workers)

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def __iter__(self) -> Iterator[Any]:
        if not self.persistent_workers or not self.num_workers:
            return self._get_iterator()
        if self._iterator is None or getattr(self._iterator, "_ended", False):
            self._iterator = self._get_iterator()
        else:
            self._iterator._reset(self)
        return self._iterator

    def _get_iterator(self) -> _BaseDataLoaderIter:
        if not self.num_workers:
            return _SingleProcessDataLoaderIter(self)
        if self.__multiprocessing_context == THREAD:
            return ThreadsIter(self)
        self.check_worker_number_rationality()
        return _MultiProcessingDataLoaderIter(self)

    def check_worker_number_rationality(self) -> None:
        """Warns if there are more workers than this process may use processors."""
        self._warn_of_many_workers(5)

    def _warn_of_many_workers(self, stacklevel: int) -> None:
        affinity = hasattr(os, "sched_getaffinity")
        most = len(os.sched_getaffinity(0)) if affinity else os.cpu_count()
        if self.num_workers and (most is None or self.num_workers > most):
            told = (
                "DataLoader is not able to compute a suggested max number of worker in current system."
                if most is None
                else f"Our suggested max number of worker in current system is {most}"
                f"{'' if affinity else ' (`cpuset` is not taken into account)'}, which is smaller than what this DataLoader is "
                "going to create."
            )
            warnings.warn(
                f"This DataLoader will create {self.num_workers} worker processes in total. {told} Please be aware that excessive "
                "worker creation might get DataLoader running slow or even freeze, lower the worker number to avoid potential "
                "slowness/freeze if necessary.",
                stacklevel=stacklevel,
            )

    def __len__(self) -> int:
        if not isinstance(self.dataset, IterableDataset):
            return len(self.sampler if self.batch_sampler is None else self.batch_sampler)  # type: ignore[arg-type]
        count = self._IterableDataset_len_called = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is None:
            return count
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


class _InfiniteConstantSampler:
    """The sampler of a stream: as many places as are asked for."""

    def __iter__(self):
        while True:
            yield None


def _check_workers(num_workers, timeout, prefetch_factor, persistent_workers) -> None:
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


NO_FORK = (
    'multiprocessing_context="fork" is not supported: a forked copy of a process that has started XLA lacks XLA\'s threads. Leave it '
    "out: the workers that there are instead take what a forked one does, lambdas and classes of the main script among it"
)
NO_WORKERS = (
    "DataLoader: worker processes need sockets that pass on open files, which this system does not have; "
    'use num_workers=0 or multiprocessing_context="thread"'
)


def _context(context: Any, num_workers: int) -> Any:
    """Returns the context that was given, checked: None, THREAD, or a context of multiprocessing."""
    methods = multiprocessing.get_all_start_methods()
    if context is None or num_workers == 0 or context == THREAD:
        if context is not None and num_workers == 0:
            raise ValueError(
                "multiprocessing_context can only be used with multi-process loading (num_workers > 0), "
                f"but got num_workers={num_workers}"
            )
        if context is None and num_workers and "forkserver" not in methods:
            raise NotImplementedError(NO_WORKERS)
        return context
    if isinstance(context, str):
        if context not in methods:
            raise ValueError(
                "multiprocessing_context option should specify a valid start method in "
                f"{methods!r}, but got multiprocessing_context={context!r}"
            )
        context = multiprocessing.get_context(context)
    if not isinstance(context, BaseContext):
        raise TypeError(
            "multiprocessing_context option should be a valid context object or a string specifying the start method, "
            f"but got multiprocessing_context={context}"
        )
    if context.get_start_method() == "fork":
        raise NotImplementedError(NO_FORK)
    if "forkserver" not in methods:
        raise NotImplementedError(NO_WORKERS)
    return context


def _check_stream(shuffle, sampler, batch_sampler) -> None:
    given = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
    for name, value in given.items():
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
            )
