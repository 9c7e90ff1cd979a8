"""Iterators of a DataLoader: what all kinds have in common, and the one without workers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

from ..._core.api import is_available
from ...random import Generator
from .datapipes.datapipe import IterDataPipe, MapDataPipe
from .dataset import IterableDataset
from .fetching import fetcher
from .graph_settings import apply_random_seed, apply_sharding
from .sampler import draw_seed, draw_shared_seed, share_of_processes

__all__ = ["_BaseDataLoaderIter", "_SingleProcessDataLoaderIter", "seed_datapipe", "shard_datapipe"]

_OF_WORKERS = (
    "For multiprocessing data-loading, this could be caused by not properly configuring the IterableDataset replica at each "
    "worker. Please see https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples."
)


def seed_datapipe(datapipe: Any, seed: int) -> None:
    """Seeds the steps of a datapipe that draw at random, by numbers drawn from a generator with this seed."""
    apply_random_seed(datapipe, Generator().manual_seed(seed))


def shard_datapipe(datapipe: Any, shares: tuple[int, int] | None, worker: int, workers: int) -> None:
    """Gives a worker's datapipe its share: of the process's share (count, rank), that of this worker; None: nothing is
    shared out."""
    if shares is not None:
        count, rank = shares
        apply_sharding(datapipe, count * workers, worker * count + rank)


class _BaseDataLoaderIter:
    """One pass through a loader's batches; `_next_data` of a subclass gives them."""

    def __init__(self, loader: Any) -> None:
        self._dataset = loader.dataset
        self._streams = isinstance(self._dataset, IterableDataset)
        self._auto_collation = loader._auto_collation
        self._drop_last = loader.drop_last
        self._index_sampler = loader._index_sampler
        self._num_workers = loader.num_workers
        self._timeout = loader.timeout
        self._collate_fn = loader.collate_fn
        self._pin_memory = False
        self._persistent_workers = loader.persistent_workers
        if loader.pin_memory:
            _warn_of_pinning(loader.pin_memory_device)
        self._seed_steps(loader)
        self._shares = share_of_processes() if isinstance(self._dataset, IterDataPipe | MapDataPipe) else None
        self._sampler_iter = iter(self._index_sampler)
        # of the workers, another for each pass unless they persist; drawn without workers too, as in torch
        self._base_seed = draw_seed(loader.generator)
        self._num_yielded = 0
        self._told = loader._IterableDataset_len_called

    def __iter__(self) -> Iterator[Any]:
        return self

    def _reset(self, loader: Any, first_iter: bool = False) -> None:
        """Begins another pass."""
        if not first_iter:
            self._seed_steps(loader)
        self._sampler_iter = iter(self._index_sampler)
        self._num_yielded = 0
        self._told = loader._IterableDataset_len_called

    def _seed_steps(self, loader: Any) -> None:
        """Draws a seed for a pass through an IterDataPipe, the same in all workers."""
        self._shared_seed = None
        if isinstance(self._dataset, IterDataPipe):
            self._shared_seed = draw_shared_seed(loader.generator)
            seed_datapipe(self._dataset, self._shared_seed)

    def _next_index(self) -> Any:
        return next(self._sampler_iter)

    def _next_data(self) -> Any:
        raise NotImplementedError

    def __next__(self) -> Any:
        data = self._next_data()
        self._num_yielded += 1
        if self._streams and self._told is not None and self._num_yielded > self._told:
            text = (
                f"Length of IterableDataset {self._dataset} was reported to be {self._told}(when accessing len(dataloader)), "
                f"but {self._num_yielded} samples have been fetched. "
            )
            warnings.warn(text + _OF_WORKERS if self._num_workers else text, stacklevel=2)
        return data

    def __len__(self) -> int:
        return len(self._index_sampler)

    def __getstate__(self):
        raise NotImplementedError("{} cannot be pickled", type(self).__name__)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """Pass through a loader's batches without workers."""

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        if self._timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        shard_datapipe(self._dataset, self._shares, 0, 1)
        self._dataset_fetcher = fetcher(
            self._dataset, self._auto_collation, self._collate_fn, self._drop_last
        )

    def _next_data(self) -> Any:
        return self._dataset_fetcher.fetch(self._next_index())


def _warn_of_pinning(device: str) -> None:
    if device:
        warnings.warn(
            "pin_memory_device is deprecated, the current accelerator will be used as the device,"
            f"ignore pin_memory_device='{device}'.",
            stacklevel=6,
        )
    if not is_available("cuda"):
        warnings.warn(
            "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used.",
            stacklevel=6,
        )
