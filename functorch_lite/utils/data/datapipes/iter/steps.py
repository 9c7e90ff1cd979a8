"""Steps on one datapipe, or on several of which each item is used: map, filter, batch, group, shuffle, shard, zip."""

from __future__ import annotations

import copy
import functools
import random
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from typing import Any, NamedTuple

from ....._core.api import dtypes, functions
from ...collate import default_collate
from ...sampler import SequentialSampler
from .._decorator import functional_datapipe
from .._step import length_of, same_length, step
from ..dataframe import dataframe_wrapper as frames
from ..datapipe import DataChunk, IterDataPipe
from ..utils.common import StreamWrapper, need_callable, validate_input_col

__all__ = [
    "SHARDING_PRIORITIES", "BatcherIterDataPipe", "CollatorIterDataPipe", "ConcaterIterDataPipe", "FilterIterDataPipe",
    "GrouperIterDataPipe", "IterableWrapperIterDataPipe", "MapperIterDataPipe", "MultiplexerIterDataPipe",
    "SamplerIterDataPipe", "ShardingFilterIterDataPipe", "ShufflerIterDataPipe", "UnBatcherIterDataPipe",
    "ZipperIterDataPipe",
]  # fmt: skip


@step(None, length=lambda pipe: length_of(pipe, pipe.iterable))
def IterableWrapperIterDataPipe(iterable: Iterable, deepcopy: bool = True) -> Iterator:
    """The items of an iterable.

    Args:
        iterable: The iterable.
        deepcopy: Whether each pass is over a copy; an iterable that cannot be copied is used itself, with a warning.

    >>> from functorch_lite.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(5)).map(lambda x: x * x).batch(2))
    [[0, 1], [4, 9], [16]]
    """
    if deepcopy:
        try:
            iterable = copy.deepcopy(iterable)
        except TypeError:
            warnings.warn(
                "The input iterable can not be deepcopied, please be aware of in-place modification would affect source data.",
                stacklevel=3,
            )
    yield from iterable


def _called(fn: Callable, data: Any, columns: Any) -> Any:
    """A function of an item, or of one of its columns, or of several of them."""
    if columns is None:
        return fn(data)
    return fn(*[data[i] for i in columns]) if isinstance(columns, list | tuple) else fn(data[columns])


def _check_map(datapipe: Any, fn: Callable, input_col: Any, output_col: Any) -> dict:
    need_callable(fn)
    if input_col is None and output_col is not None:
        raise ValueError("`output_col` must be None when `input_col` is None.")
    if isinstance(output_col, list | tuple):
        if len(output_col) != 1:
            raise ValueError("`output_col` must be a single-element list or tuple")
        output_col = output_col[0]
    validate_input_col(fn, input_col)
    return {"output_col": output_col}


@same_length("map", check=_check_map)
def MapperIterDataPipe(
    datapipe: IterDataPipe, fn: Callable, input_col: Any = None, output_col: Any = None
) -> Iterator:
    """A function of each item: `pipe.map(fn)`.

    Args:
        datapipe: The source.
        fn: The function.
        input_col: Index or key of the column that the function is called with, or a list of them; None: the whole item.
        output_col: Where the result goes: an index or key, -1 for behind the others, None for the (first) input column,
            of which the others are removed.

    Raises:
        ValueError: If there is an output column and no input column, or if `fn` takes another number of arguments.

    >>> from functorch_lite.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper([(1, 2), (3, 4)]).map(lambda x: -x, input_col=1))
    [(1, -2), (3, -4)]
    """
    several = isinstance(input_col, list | tuple)
    for data in datapipe:
        found = _called(fn, data, input_col)
        if input_col is None:
            yield found
            continue
        whole = list(data) if isinstance(data, tuple) else data
        if output_col == -1:
            whole.append(found)
        elif output_col is not None:
            whole[output_col] = found
        else:
            whole[input_col[0] if several else input_col] = found
            for i in sorted(input_col[1:], reverse=True) if several else ():
                del whole[i]
        yield tuple(whole) if isinstance(data, tuple) else whole


def _collated_frame(conversion: dict, batch: DataChunk) -> Any:
    """The columns of the data frame of a batch, each converted, as a named tuple."""
    if len(batch.items) > 1:
        raise RuntimeError("Only supports one DataFrame per batch")
    columns = frames.get_columns(batch.items[0])
    if any(name not in columns for name in conversion):
        raise RuntimeError("Conversion keys mismatch")
    if any(name not in conversion for name in columns):
        raise RuntimeError("unable to import default collation function from the TorchArrow")
    if not all(callable(conversion[name]) for name in columns):
        raise RuntimeError("Collate (DF)DataPipe requires callable as dict values")
    kind = NamedTuple("CollateResult", [(str(name), Any) for name in columns])  # type: ignore[misc]
    return kind(*(conversion[name](batch.items[0][name]) for name in columns))


@functional_datapipe("collate")
class CollatorIterDataPipe(MapperIterDataPipe):  # type: ignore[misc, valid-type]
    """A batch of each list of items: `pipe.collate()`.

    Args:
        datapipe: The source, whose items are lists.
        conversion: Function from a list to a batch, by default `default_collate`; for data frames, a dict from columns
            to functions.
        collate_fn: The function, in the place of `conversion`.
    """

    def __init__(
        self, datapipe: IterDataPipe, conversion: Any = default_collate, collate_fn: Callable | None = None
    ):
        if isinstance(conversion, dict):
            conversion = functools.partial(_collated_frame, conversion)
        super().__init__(datapipe, fn=collate_fn or conversion)


def _check_filter(datapipe: Any, filter_fn: Callable, input_col: Any) -> None:
    need_callable(filter_fn)
    validate_input_col(filter_fn, input_col)


@step("filter", check=_check_filter)
def FilterIterDataPipe(datapipe: IterDataPipe, filter_fn: Callable, input_col: Any = None) -> Iterator:
    """The items for which a function returns True: `pipe.filter(fn)`.

    Args:
        datapipe: The source.
        filter_fn: The function; of a data frame it may return a column of bools.
        input_col: Index or key of the column that it is called with, or a list of them; None: the whole item.

    Raises:
        ValueError: If the function does not return a bool.
    """
    for data in datapipe:
        says = _called(filter_fn, data, input_col)
        if frames.is_column(says):
            rows = [frames.get_item(data, i) for i, true in enumerate(says) if true]
            if rows:
                yield frames.concat(rows)
        elif not isinstance(says, bool):
            raise ValueError(
                "Boolean output is required for `filter_fn` of FilterIterDataPipe, got", type(says)
            )
        elif says:
            yield data
        else:
            StreamWrapper.close_streams(data)


def check_batch(batch_size: int, **_: Any) -> None:
    """Raises AssertionError for a batch without items."""
    if batch_size <= 0:
        raise AssertionError("Batch size is required to be larger than 0!")


def count_of_batches(pipe: Any) -> int:
    """The number of batches of the source's items."""
    whole, rest = divmod(length_of(pipe, pipe.datapipe), pipe.batch_size)
    return whole + bool(rest and not pipe.drop_last)


@step("batch", length=count_of_batches, check=check_batch)
def BatcherIterDataPipe(
    datapipe: IterDataPipe, batch_size: int, drop_last: bool = False, wrapper_class: type = DataChunk
) -> Iterator:
    """Lists of items: `pipe.batch(size)`.

    Args:
        datapipe: The source.
        batch_size: Number of items of each.
        drop_last: Whether a last, shorter one is left out.
        wrapper_class: Class that each list is converted to.
    """
    batch: list = []
    for data in datapipe:
        batch.append(data)
        if len(batch) == batch_size:
            yield wrapper_class(batch)
            batch = []
    if batch and not drop_last:
        yield wrapper_class(batch)


@step("unbatch")
def UnBatcherIterDataPipe(datapipe: IterDataPipe, unbatch_level: int = 1) -> Iterator:
    """The items of lists: `pipe.unbatch()`.

    Args:
        datapipe: The source, whose items are lists.
        unbatch_level: How many levels of lists are opened; -1: all.
    """

    def items(data: Any, level: int) -> Iterator:
        if level < -1:
            raise ValueError("unbatch_level must be -1 or >= 0")
        if level == 0 or (level == -1 and not isinstance(data, list)):
            yield data
        elif not isinstance(data, list):
            raise IndexError(f"unbatch_level {unbatch_level} exceeds the depth of the DataPipe")
        else:
            for item in data:
                yield from items(item, level - 1 if level > 0 else -1)

    for data in datapipe:
        yield from items(data, unbatch_level)


@functional_datapipe("groupby")
class GrouperIterDataPipe(IterDataPipe):
    """Lists of items that have the same key: `pipe.groupby(key)`.

    A group is yielded once it has `group_size` items; when the buffer is full, the largest group is; at the end, all
    are.

    Args:
        datapipe: The source.
        group_key_fn: Function from an item to its key.
        keep_key: Whether pairs of the key and the list are yielded.
        buffer_size: Number of items that are held.
        group_size: Largest size of a group; None: any.
        guaranteed_group_size: Smallest size of a group that a full buffer yields; by default `group_size`.
        drop_remaining: Whether a full buffer drops a smaller group; otherwise it raises RuntimeError.

    >>> from functorch_lite.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(5)).groupby(lambda x: x % 2))
    [[0, 2, 4], [1, 3]]
    """

    _unsaved = ("buffer_elements", "curr_buffer_size")

    def __init__(
        self,
        datapipe: IterDataPipe,
        group_key_fn: Callable,
        *,
        keep_key: bool = False,
        buffer_size: int = 10000,
        group_size: int | None = None,
        guaranteed_group_size: int | None = None,
        drop_remaining: bool = False,
    ):
        need_callable(group_key_fn)
        if group_size is not None and buffer_size is not None and not 0 < group_size <= buffer_size:
            raise AssertionError("group_size must be > 0 and <= buffer_size")
        least = group_size if guaranteed_group_size is None else guaranteed_group_size
        if least is not None and not (group_size and 0 < least <= group_size):
            raise AssertionError(
                "guaranteed_group_size must be > 0 and <= group_size and group_size must be set"
            )
        self.datapipe, self.group_key_fn, self.keep_key = datapipe, group_key_fn, keep_key
        self.max_buffer_size, self.group_size, self.drop_remaining = buffer_size, group_size, drop_remaining
        self.guaranteed_group_size, self.wrapper_class = least, DataChunk
        self.reset()

    def reset(self) -> None:
        self.buffer_elements: defaultdict[Any, list] = defaultdict(list)
        self.curr_buffer_size = 0

    _clear = reset

    def _take(self, key: Any) -> Any:
        """Removes a group from the buffer and returns it."""
        group = self.wrapper_class(self.buffer_elements.pop(key))
        self.curr_buffer_size -= len(group)
        return group

    def __iter__(self) -> Iterator:
        least = self.guaranteed_group_size
        for item in self.datapipe:
            key, groups = self.group_key_fn(item), self.buffer_elements
            groups[key].append(item)
            self.curr_buffer_size += 1
            if self.group_size == len(groups[key]):
                yield self._told(key, self._take(key))
            if self.curr_buffer_size == self.max_buffer_size:
                largest = max(groups, key=lambda k: len(groups[k]))
                enough = least is None or len(groups[largest]) >= least
                if not (enough or self.drop_remaining):
                    raise RuntimeError("Failed to group items", str(groups[largest]))
                group = self._take(largest)
                if enough:
                    yield self._told(key, group)  # PyTorch gives the last item's key here
        for key in tuple(self.buffer_elements):
            yield self._told(key, self._take(key))

    def _told(self, key: Any, group: Any) -> Any:
        return (key, group) if self.keep_key else group


class Shuffles(IterDataPipe):
    """Base of the datapipes that shuffle."""

    _seed: int | None = None
    _enabled = True

    def set_shuffle(self, shuffle: bool = True) -> Shuffles:
        """Set whether the items are shuffled, and return the datapipe."""
        self._enabled = shuffle
        return self

    def set_seed(self, seed: int) -> Shuffles:
        """Set the seed of the next pass, and return the datapipe; later passes draw theirs from the global generator."""
        self._seed = seed
        return self

    def _begin(self) -> None:
        """Seeds the generator of a pass."""
        if self._enabled and self._seed is None:
            self._seed = int(functions.empty((), dtype=dtypes.int64).random_().item())
        self._rng.seed(self._seed)
        self._seed = None

    def __len__(self) -> int:
        return length_of(self, self.datapipe)


@functional_datapipe("shuffle")
class ShufflerIterDataPipe(Shuffles):
    """The items in random order: `pipe.shuffle()`. Each is drawn from the next `buffer_size` items.

    Args:
        datapipe: The source.
        buffer_size: Number of items that are held.
        unbatch_level: Levels of lists that are opened first.
    """

    def __init__(self, datapipe: IterDataPipe, *, buffer_size: int = 10000, unbatch_level: int = 0):
        if buffer_size <= 0:
            raise AssertionError("buffer_size should be larger than 0")
        self.datapipe = datapipe.unbatch(unbatch_level=unbatch_level) if unbatch_level else datapipe
        self.buffer_size, self._buffer, self._rng = buffer_size, [], random.Random()

    def reset(self) -> None:
        self._buffer: list = []
        if self._enabled:
            self._begin()

    def __iter__(self) -> Iterator:
        if not self._enabled:
            yield from self.datapipe
            return
        for data in self.datapipe:
            if len(self._buffer) < self.buffer_size:
                self._buffer.append(data)
                continue
            at = self._rng.randint(0, len(self._buffer) - 1)
            found, self._buffer[at] = self._buffer[at], data
            yield found
        while self._buffer:
            yield self._buffer.pop(self._rng.randint(0, len(self._buffer) - 1))


class SamplerIterDataPipe(IterDataPipe):
    """The items that a sampler of a datapipe yields.

    Args:
        datapipe: The source, which has a length.
        sampler: Class of the sampler, called with `data_source=datapipe`.
        sampler_args: Its other positional arguments.
        sampler_kwargs: Its other keyword arguments.
    """

    def __init__(
        self,
        datapipe: IterDataPipe,
        sampler: type = SequentialSampler,
        sampler_args: tuple | None = None,
        sampler_kwargs: dict | None = None,
    ):
        if not hasattr(type(datapipe), "__len__"):
            raise AssertionError("Sampler class requires input datapipe implemented `__len__`")
        self.datapipe, self.sampler_args = datapipe, sampler_args or ()
        self.sampler_kwargs = {**(sampler_kwargs or {}), "data_source": datapipe}
        self.sampler = sampler(*self.sampler_args, **self.sampler_kwargs)

    def __iter__(self) -> Iterator:
        return iter(self.sampler)

    def __len__(self) -> int:
        return length_of(self, self.sampler)


class SHARDING_PRIORITIES(IntEnum):
    """Groups of instances among which a datapipe is sharded."""

    DEFAULT = 1
    DISTRIBUTED = 2
    MULTIPROCESSING = 3


class _ShardingIterDataPipe(IterDataPipe):
    """Base of datapipes that have their own `apply_sharding`."""

    def apply_sharding(self, num_of_instances: int, instance_id: int, sharding_group: Any) -> None:
        raise NotImplementedError


@functional_datapipe("sharding_filter")
class ShardingFilterIterDataPipe(_ShardingIterDataPipe):
    """Every n-th item, where n is the number of instances of the datapipe: `pipe.sharding_filter()`.

    A DataLoader with workers calls `apply_sharding` in each, so each worker yields its share.

    Args:
        source_datapipe: The source.
        sharding_group_filter: The only group that counts; None: all.

    >>> from functorch_lite.utils.data.datapipes.iter import IterableWrapper
    >>> pipe = IterableWrapper(range(5)).sharding_filter()
    >>> pipe.apply_sharding(2, 1)
    >>> list(pipe)
    [1, 3]
    """

    def __init__(self, source_datapipe: IterDataPipe, sharding_group_filter: Any = None):
        self.source_datapipe, self.sharding_group_filter = source_datapipe, sharding_group_filter
        self.groups: dict[int, tuple[int, int]] = {}
        self.num_of_instances, self.instance_id = 1, 0

    def apply_sharding(
        self,
        num_of_instances: int,
        instance_id: int,
        sharding_group: Any = SHARDING_PRIORITIES.DEFAULT,
    ) -> None:
        """Set the share of this instance.

        Args:
            num_of_instances: Number of instances in the group.
            instance_id: Index of this one, from 0.
            sharding_group: The group. Instances of several groups are the products of these; DEFAULT excludes others.
        """
        if instance_id >= num_of_instances:
            raise ValueError(
                f"instance_id({instance_id}) should be smaller than num_of_instances({num_of_instances})"
            )
        default = SHARDING_PRIORITIES.DEFAULT
        if self.groups and (sharding_group == default) != (default in self.groups):
            raise RuntimeError("ShardingFilter cannot mix DEFAULT and non DEFAULT groups")
        self.groups[sharding_group] = (num_of_instances, instance_id)
        self.num_of_instances, self.instance_id = 1, 0
        for group in sorted(self.groups, reverse=True):
            if self.sharding_group_filter in (None, group):
                count, at = self.groups[group]
                self.instance_id += self.num_of_instances * at
                self.num_of_instances *= count

    def __iter__(self) -> Iterator:
        for i, item in enumerate(self.source_datapipe):
            if i % self.num_of_instances == self.instance_id:
                yield item

    def __len__(self) -> int:
        whole, rest = divmod(length_of(self, self.source_datapipe), self.num_of_instances)
        return whole + (self.instance_id < rest)


def _lengths(pipe: Any) -> list[int]:
    return [length_of(pipe, d) for d in pipe.datapipes]


def _check_concat(datapipes: Any) -> None:
    if not datapipes:
        raise ValueError("Expected at least one DataPipe, but got nothing")
    if not all(isinstance(d, IterDataPipe) for d in datapipes):
        raise TypeError("Expected all inputs to be `IterDataPipe`")


@step("concat", length=lambda pipe: sum(_lengths(pipe)), check=_check_concat)
def ConcaterIterDataPipe(*datapipes: IterDataPipe) -> Iterator:
    """The items of several datapipes, one datapipe after the other: `pipe.concat(other)`.

    Args:
        datapipes: The datapipes, at least one.
    """
    for datapipe in datapipes:
        yield from datapipe


def _check_zip(datapipes: Any) -> None:
    if not all(isinstance(d, IterDataPipe) for d in datapipes):
        raise TypeError("All inputs are required to be `IterDataPipe` for `ZipIterDataPipe`.")


@step("zip", length=lambda pipe: min(_lengths(pipe)), check=_check_zip)
def ZipperIterDataPipe(*datapipes: IterDataPipe) -> Iterator:
    """Tuples of an item of each datapipe, as long as each has one: `pipe.zip(other)`.

    Args:
        datapipes: The datapipes.
    """
    yield from zip(*datapipes, strict=False)


@step("mux", length=lambda pipe: min(_lengths(pipe)) * len(pipe.datapipes))
def MultiplexerIterDataPipe(*datapipes: IterDataPipe) -> Iterator:
    """An item of each datapipe in turn, as long as each has one: `pipe.mux(other)`.

    Args:
        datapipes: The datapipes.
    """
    for items in zip(*datapipes, strict=False):
        yield from items
