"""torch.utils.data.datapipes.iter: the steps that a chain of IterDataPipes is made of, each also a method of every
IterDataPipe.

Datapipes that read files, split a chain in several, or share it among workers are not supported; PyTorch no longer
develops any of them.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ....._core.api import dtypes, functions
from ...collate import default_collate
from ...sampler import SequentialSampler
from .._decorator import functional_datapipe
from ..datapipe import DataChunk, IterDataPipe

__all__ = [
    "Batcher",
    "Collator",
    "Concater",
    "Filter",
    "IterableWrapper",
    "Mapper",
    "Multiplexer",
    "Sampler",
    "Shuffler",
    "UnBatcher",
    "Zipper",
]


class IterableWrapperIterDataPipe(IterDataPipe):
    """The items of an iterable, which is copied for each pass, unless it cannot be, or deepcopy is False.

    >>> from functorch_lite.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(5)).map(lambda x: x * x).batch(2))
    [[0, 1], [4, 9], [16]]
    """

    def __init__(self, iterable: Iterable, deepcopy: bool = True):
        self.iterable, self.deepcopy = iterable, deepcopy

    def __iter__(self) -> Iterator:
        items = self.iterable
        if self.deepcopy:
            try:
                items = copy.deepcopy(items)
            except TypeError:  # a generator, say
                pass
        yield from items

    def __len__(self) -> int:
        if not hasattr(self.iterable, "__len__"):
            raise TypeError(f"{type(self).__name__} instance doesn't have valid length")
        return len(self.iterable)  # type: ignore[arg-type]


class _OfOne(IterDataPipe):
    """A step on one datapipe, as long as that is."""

    datapipe: Any

    def __len__(self) -> int:
        return len(self.datapipe)


def _parts(data: Any, at: Any) -> list:
    return [data[i] for i in at] if isinstance(at, list | tuple) else [data[at]]


@functional_datapipe("map")
class MapperIterDataPipe(_OfOne):
    """A function of each item; or of its part `input_col`, or several, which goes where that was, or to `output_col`
    (-1: behind the others)."""

    def __init__(self, datapipe: IterDataPipe, fn: Callable, input_col: Any = None, output_col: Any = None):
        if input_col is None and output_col is not None:
            raise ValueError("`output_col` must be None when `input_col` is None.")
        if isinstance(output_col, list | tuple):
            if len(output_col) != 1:
                raise ValueError("`output_col` must be a single-element list or tuple")
            output_col = output_col[0]
        self.datapipe, self.fn, self.input_col, self.output_col = datapipe, fn, input_col, output_col

    def _mapped(self, data: Any) -> Any:
        if self.input_col is None:
            return self.fn(data)
        found = self.fn(*_parts(data, self.input_col))
        first = self.input_col[0] if isinstance(self.input_col, list | tuple) else self.input_col
        whole = list(data) if isinstance(data, tuple) else copy.copy(data)
        if self.output_col == -1:
            whole.append(found)
        else:
            whole[first if self.output_col is None else self.output_col] = found
        for i in (
            sorted(self.input_col[1:], reverse=True)
            if isinstance(self.input_col, list | tuple) and self.output_col is None
            else ()
        ):
            del whole[i]
        return tuple(whole) if isinstance(data, tuple) else whole

    def __iter__(self) -> Iterator:
        for data in self.datapipe:
            yield self._mapped(data)


@functional_datapipe("collate")
class CollatorIterDataPipe(MapperIterDataPipe):
    """A batch of each list of items."""

    def __init__(
        self, datapipe: IterDataPipe, conversion: Callable | None = None, collate_fn: Callable | None = None
    ):
        super().__init__(datapipe, fn=collate_fn or conversion or default_collate)


@functional_datapipe("filter")
class FilterIterDataPipe(IterDataPipe):
    """The items of which a function says True: of the whole, or of the part `input_col`."""

    def __init__(self, datapipe: IterDataPipe, filter_fn: Callable, input_col: Any = None):
        self.datapipe, self.filter_fn, self.input_col = datapipe, filter_fn, input_col

    def __iter__(self) -> Iterator:
        for data in self.datapipe:
            says = self.filter_fn(*([data] if self.input_col is None else _parts(data, self.input_col)))
            if not isinstance(says, bool):
                raise ValueError(
                    f"Boolean output is required for `filter_fn` of FilterIterDataPipe, got {type(says)}"
                )
            if says:
                yield data


@functional_datapipe("batch")
class BatcherIterDataPipe(IterDataPipe):
    """Lists of items; the last, shorter one too unless drop_last."""

    def __init__(
        self,
        datapipe: IterDataPipe,
        batch_size: int,
        drop_last: bool = False,
        wrapper_class: type = DataChunk,
    ):
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        self.datapipe, self.batch_size, self.drop_last, self.wrapper_class = (
            datapipe,
            batch_size,
            drop_last,
            wrapper_class,
        )

    def __iter__(self) -> Iterator:
        batch: list = []
        for data in self.datapipe:
            batch.append(data)
            if len(batch) == self.batch_size:
                yield self.wrapper_class(batch)
                batch = []
        if batch and not self.drop_last:
            yield self.wrapper_class(batch)

    def __len__(self) -> int:
        whole, rest = divmod(len(self.datapipe), self.batch_size)  # type: ignore[arg-type]
        return whole + bool(rest and not self.drop_last)


@functional_datapipe("unbatch")
class UnBatcherIterDataPipe(IterDataPipe):
    """The items of lists, of lists of lists (unbatch_level=2), or of whatever depth (-1)."""

    def __init__(self, datapipe: IterDataPipe, unbatch_level: int = 1):
        self.datapipe, self.unbatch_level = datapipe, unbatch_level

    def __iter__(self) -> Iterator:
        for data in self.datapipe:
            yield from self._items(data, self.unbatch_level)

    def _items(self, data: Any, level: int) -> Iterator:
        if level < -1:
            raise ValueError("unbatch_level must be -1 or >= 0")
        if level == 0 or (level == -1 and not isinstance(data, list | DataChunk)):
            yield data
        elif not isinstance(data, list | DataChunk):
            raise IndexError(f"unbatch_level {self.unbatch_level} exceeds the depth of the DataPipe")
        else:
            for item in data:
                yield from self._items(item, max(level - 1, -1) if level > 0 else -1)


@functional_datapipe("shuffle")
class ShufflerIterDataPipe(_OfOne):
    """Items in another order: each is drawn from the next `buffer_size`, by a generator whose seed `set_seed` gives, or
    PyTorch's generator.

    unbatch_level: of lists, their items.
    """

    def __init__(self, datapipe: IterDataPipe, *, buffer_size: int = 10000, unbatch_level: int = 0):
        if buffer_size <= 0:
            raise AssertionError("buffer_size should be larger than 0")
        self.datapipe = datapipe.unbatch(unbatch_level=unbatch_level) if unbatch_level else datapipe
        self.buffer_size, self._shuffle_enabled, self._seed, self._rng = (
            buffer_size,
            True,
            None,
            random.Random(),
        )

    def set_shuffle(self, shuffle: bool = True) -> ShufflerIterDataPipe:
        """Returns whether it does anything."""
        self._shuffle_enabled = shuffle
        return self

    def set_seed(self, seed: int) -> ShufflerIterDataPipe:
        """The seed of the next pass; those after it have PyTorch's generator's."""
        self._seed = seed
        return self

    def reset(self) -> None:
        if self._shuffle_enabled:
            drawn = self._seed
            if drawn is None:
                drawn = int(functions.empty((), dtype=dtypes.int64).random_().item())
            self._rng.seed(drawn)
            self._seed = None

    def __iter__(self) -> Iterator:
        if not self._shuffle_enabled:
            yield from self.datapipe
            return
        held: list = []
        for data in self.datapipe:
            if len(held) < self.buffer_size:
                held.append(data)
                continue
            at = self._rng.randint(0, len(held) - 1)
            found, held[at] = held[at], data
            yield found
        while held:
            yield held.pop(self._rng.randint(0, len(held) - 1))


@functional_datapipe("sampler")
class SamplerIterDataPipe(IterDataPipe):
    """Samples that a sampler of a datapipe yields."""

    def __init__(
        self,
        datapipe: IterDataPipe,
        sampler: type = SequentialSampler,
        sampler_args: tuple | None = None,
        sampler_kwargs: dict | None = None,
    ):
        self.datapipe = datapipe
        self.sampler = sampler(*(sampler_args or ()), data_source=datapipe, **(sampler_kwargs or {}))

    def __iter__(self) -> Iterator:
        return iter(self.sampler)

    def __len__(self) -> int:
        return len(self.sampler)


class _OfSeveral(IterDataPipe):
    _refusal = "Expected all inputs to be `IterDataPipe`"

    def __init__(self, *datapipes: IterDataPipe):
        if not datapipes:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        if not all(isinstance(d, IterDataPipe) for d in datapipes):
            raise TypeError(self._refusal)
        self.datapipes = datapipes

    def _lengths(self) -> Sequence[int]:
        return [len(d) for d in self.datapipes]  # type: ignore[arg-type]


@functional_datapipe("concat")
class ConcaterIterDataPipe(_OfSeveral):
    """The items of several datapipes, one datapipe after the other."""

    def __iter__(self) -> Iterator:
        for datapipe in self.datapipes:
            yield from datapipe

    def __len__(self) -> int:
        return sum(self._lengths())


@functional_datapipe("zip")
class ZipperIterDataPipe(_OfSeveral):
    """Tuples of an item of each datapipe, as long as all have one."""

    _refusal = "All inputs are required to be `IterDataPipe` for `ZipIterDataPipe`."

    def __iter__(self) -> Iterator:
        yield from zip(*self.datapipes)

    def __len__(self) -> int:
        return min(self._lengths())


@functional_datapipe("mux")
class MultiplexerIterDataPipe(_OfSeveral):
    """An item of each datapipe in turn, as long as all have one."""

    def __iter__(self) -> Iterator:
        for items in zip(*self.datapipes):
            yield from items

    def __len__(self) -> int:
        return min(self._lengths()) * len(self.datapipes)


Batcher, Collator, Concater, Filter, IterableWrapper, Mapper = (
    BatcherIterDataPipe, CollatorIterDataPipe, ConcaterIterDataPipe, FilterIterDataPipe, IterableWrapperIterDataPipe, MapperIterDataPipe,
)  # fmt: skip
Multiplexer, Sampler, Shuffler, UnBatcher, Zipper = (
    MultiplexerIterDataPipe, SamplerIterDataPipe, ShufflerIterDataPipe, UnBatcherIterDataPipe, ZipperIterDataPipe,
)  # fmt: skip
