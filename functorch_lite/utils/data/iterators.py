"""Iterators of a DataLoader: what all kinds have in common, and the one without workers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

from ..._core.api import is_available
from .dataset import IterableDataset
from .fetching import fetcher
from .sampler import draw_seed

__all__ = ["_BaseDataLoaderIter", "_SingleProcessDataLoaderIter"]

_OF_WORKERS = (
    "For multiprocessing data-loading, this could be caused by not properly configuring the IterableDataset replica at each "
    "worker. Please see https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples."
)


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
        self._sampler_iter = iter(self._index_sampler)
        # of the workers, another for each pass unless they persist; drawn without workers too, as in torch
        self._base_seed = draw_seed(loader.generator)
        self._num_yielded = 0
        self._told = loader._IterableDataset_len_called

    def __iter__(self) -> Iterator[Any]:
        return self

    def _reset(self, loader: Any, first_iter: bool = False) -> None:
        """Begins another pass."""
        self._sampler_iter = iter(self._index_sampler)
        self._num_yielded = 0
        self._told = loader._IterableDataset_len_called

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
