"""Steps on MapDataPipes: map, batch, concat, zip, shuffle."""

from __future__ import annotations

import copy
import random
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .._step import same_length, step
from ..datapipe import DataChunk, MapDataPipe
from ..iter.steps import Shuffles, check_batch, count_of_batches
from ..utils.common import need_callable

__all__ = [
    "BatcherMapDataPipe", "ConcaterMapDataPipe", "MapperMapDataPipe", "SequenceWrapperMapDataPipe",
    "ShufflerIterDataPipe", "ZipperMapDataPipe", "default_fn",
]  # fmt: skip


def default_fn(data: Any) -> Any:
    """Return the item."""
    return data


def _copied(sequence: Any, deepcopy: bool) -> dict | None:
    try:
        return {"sequence": copy.deepcopy(sequence)} if deepcopy else None
    except TypeError:
        warnings.warn(
            "The input sequence can not be deepcopied, please be aware of in-place modification would affect source data",
            stacklevel=3,
        )
        return None


@step(None, MapDataPipe, length=lambda pipe: len(pipe.sequence), check=_copied)
def SequenceWrapperMapDataPipe(sequence: Sequence | Mapping, deepcopy: bool = True, *, index: Any) -> Any:
    """The items of a sequence or mapping.

    Args:
        sequence: The sequence or mapping.
        deepcopy: Whether it is copied; one that cannot be copied is used itself, with a warning.

    >>> from functorch_lite.utils.data.datapipes.map import SequenceWrapper
    >>> list(SequenceWrapper(range(5)).map(lambda x: x * x).batch(2))
    [[0, 1], [4, 9], [16]]
    """
    return sequence[index]


@same_length("map", MapDataPipe, check=lambda datapipe, fn: need_callable(fn))
def MapperMapDataPipe(datapipe: MapDataPipe, fn: Callable = default_fn, *, index: Any) -> Any:
    """A function of each item: `pipe.map(fn)`.

    Args:
        datapipe: The source.
        fn: The function; by default items stay as they are.
    """
    return fn(datapipe[index])


@step("batch", MapDataPipe, length=count_of_batches, check=check_batch)
def BatcherMapDataPipe(
    datapipe: MapDataPipe,
    batch_size: int,
    drop_last: bool = False,
    wrapper_class: type = DataChunk,
    *,
    index: int,
) -> Any:
    """Lists of items with successive indices: `pipe.batch(size)`.

    Args:
        datapipe: The source.
        batch_size: Number of items of each.
        drop_last: Whether a last, shorter one is left out.
        wrapper_class: Class that each list is converted to.
    """
    batch: list = []
    try:
        for i in range(index * batch_size, (index + 1) * batch_size):
            batch.append(datapipe[i])
    except IndexError as error:
        if drop_last or not batch:
            raise IndexError(f"Index {index} is out of bound.") from error
    return wrapper_class(batch)


def _check_several(datapipes: Any) -> None:
    if not datapipes:
        raise ValueError("Expected at least one DataPipe, but got nothing")
    if not all(isinstance(d, MapDataPipe) for d in datapipes):
        raise TypeError("Expected all inputs to be `MapDataPipe`")
    if not all(hasattr(type(d), "__len__") for d in datapipes):
        raise TypeError("Expected all inputs to be `Sized`")


@step("concat", MapDataPipe, length=lambda pipe: sum(map(len, pipe.datapipes)), check=_check_several)
def ConcaterMapDataPipe(*datapipes: Any, index: int) -> Any:
    """The items of several datapipes, one datapipe after the other: `pipe.concat(other)`.

    Args:
        datapipes: The datapipes, at least one.
    """
    at = index
    for datapipe in datapipes:
        if at < len(datapipe):
            return datapipe[at]
        at -= len(datapipe)
    raise IndexError(f"Index {index} is out of range.")


@step("zip", MapDataPipe, length=lambda pipe: min(map(len, pipe.datapipes)), check=_check_several)
def ZipperMapDataPipe(*datapipes: Any, index: Any) -> tuple:
    """Tuples of an item of each datapipe: `pipe.zip(other)`.

    Args:
        datapipes: The datapipes, at least one.
    """
    found = []
    for datapipe in datapipes:
        try:
            found.append(datapipe[index])
        except IndexError as error:
            raise IndexError(
                f"Index {index} is out of range for one of the input MapDataPipes {datapipe}."
            ) from error
    return tuple(found)


class ShufflerIterDataPipe(Shuffles):
    """The items in random order: `pipe.shuffle()`, an IterDataPipe.

    Args:
        datapipe: The source.
        indices: Its indices; by default 0 to its length.
    """

    def __init__(self, datapipe: MapDataPipe, *, indices: list | None = None):
        self.datapipe, self._rng = datapipe, random.Random()
        self.indices = list(range(len(datapipe))) if indices is None else indices  # type: ignore[arg-type]
        self._shuffled_indices: list = self.indices

    def reset(self) -> None:
        self._begin()
        self._shuffled_indices = self._rng.sample(self.indices, len(self.indices))

    def __iter__(self) -> Iterator:
        if not self._enabled:
            for index in self.indices:
                yield self.datapipe[index]
        else:
            while self._shuffled_indices:
                yield self.datapipe[self._shuffled_indices.pop()]


MapDataPipe.register_datapipe_as_function("shuffle", ShufflerIterDataPipe)
