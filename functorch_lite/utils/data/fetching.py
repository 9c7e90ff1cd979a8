"""Fetching: from places in a dataset to a batch, by indices or by reading on in a stream."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

from ..._core.api import tidied
from .collate import default_collate
from .dataset import IterableDataset, Rows

__all__ = ["MapFetcher", "StreamFetcher", "fetcher"]


class MapFetcher:
    """Fetcher from a dataset by index: `fetch(indices)` is a batch; without `auto_collation`, `fetch(index)` one
    sample."""

    def __init__(
        self, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool
    ) -> None:
        self.dataset, self.auto_collation = dataset, auto_collation
        self.collate_fn, self.drop_last = collate_fn, drop_last

    @tidied
    def fetch(self, at: Any) -> Any:
        """The batch of these indices, or the sample of this index."""
        dataset = self.dataset
        if not self.auto_collation:
            return self.collate_fn(dataset[at])
        many = getattr(dataset, "__getitems__", None)
        samples = many(at) if callable(many) else [dataset[i] for i in at]
        if type(samples) is Rows and self.collate_fn is not default_collate:
            samples = list(samples)
        return self.collate_fn(samples)


class StreamFetcher(MapFetcher):
    """Fetcher from a stream: `fetch(places)` is a batch of the next samples, as many as there are places; StopIteration
    at its end."""

    def __init__(self, *options: Any) -> None:
        super().__init__(*options)
        self.samples = iter(self.dataset)
        self.ended = False

    @tidied
    def fetch(self, at: Any) -> Any:
        """The next batch, or the next sample."""
        if self.ended:
            raise StopIteration
        if not self.auto_collation:
            return self.collate_fn(next(self.samples))
        batch = list(islice(self.samples, len(at)))
        self.ended = len(batch) < len(at)
        if not batch or (self.drop_last and self.ended):
            raise StopIteration
        return self.collate_fn(batch)


def fetcher(
    dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool
) -> MapFetcher:
    """Makes the fetcher of this dataset."""
    kind = StreamFetcher if isinstance(dataset, IterableDataset) else MapFetcher
    return kind(dataset, auto_collation, collate_fn, drop_last)
