"""Datasets: Dataset, IterableDataset, TensorDataset, StackDataset, ConcatDataset, ChainDataset, Subset,
random_split."""

from __future__ import annotations

import math
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Generic, TypeVar

import numpy as np

from ..._core.api import Tensor, from_array, functions, values_of
from . import blocks

__all__ = [
    "ChainDataset", "ConcatDataset", "Dataset", "IterableDataset", "StackDataset", "Subset", "TensorDataset",
    "random_split",
]  # fmt: skip

T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """A dataset by index: a subclass gives `__getitem__(index)`, mostly `__len__()`, and may give
    `__getitems__(indices)`, which fetches a whole batch at once."""

    def __getitem__(self, index) -> T_co:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset) -> Dataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co]):
    """A dataset as a stream: a subclass gives `__iter__()`."""

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")

    def __add__(self, other: Dataset):
        return ChainDataset([self, other])


class Rows(Sequence):
    """The samples of a TensorDataset at `indices`: a sequence of tuples, which collates to one gather per tensor."""

    def __init__(self, tensors: tuple[Tensor, ...], indices: Sequence[int]):
        self.tensors = tensors
        self.indices = indices

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, i):
        if isinstance(i, slice):
            return Rows(self.tensors, self.indices[i])
        at = self.indices[i]
        return tuple(t[at] for t in self.tensors)

    def collated(self) -> list[Tensor]:
        """Returns what `default_collate` gives for these samples: a list with one batch for each tensor."""
        at = np.asarray(self.indices, np.int64)
        if blocks.pool is not None and (taken := self._taken(at)) is not None:
            return taken
        at = from_array(at)
        return [t[at] if t.device.type == "cpu" else t[at.to(t.device)] for t in self.tensors]

    def _taken(self, at: np.ndarray) -> list[Tensor] | None:
        """Collates in a worker, where its loader can read it; None if an index is to be refused, or gradients flow."""
        if any(t.requires_grad or t.device.type != "cpu" for t in self.tensors) or not at.size:
            return None
        arrays = [values_of(t) for t in self.tensors]
        if any(at.min() < -len(a) or at.max() >= len(a) for a in arrays):
            return None
        outs = [blocks.empty((*at.shape, *a.shape[1:]), a.dtype) for a in arrays]
        # mode: that of "raise" writes to memory of its own first
        return [from_array(np.take(a, at, 0, out, mode="wrap")) for a, out in zip(arrays, outs)]


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Tensors of equal first size; a sample is the tuple of their rows.

    >>> import functorch_lite as torch
    >>> TensorDataset(torch.arange(4), torch.zeros(4))[1]
    (tensor(1), tensor(0.))
    """

    tensors: tuple[Tensor, ...]

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(tensor[index] for tensor in self.tensors)

    def __getitems__(self, indices: Sequence[int]) -> Sequence:
        if type(self).__getitem__ is not TensorDataset.__getitem__:
            return [self[i] for i in indices]
        return Rows(self.tensors, indices)

    def __len__(self) -> int:
        return self.tensors[0].size(0)


def _fetch(dataset: Any, indices: Sequence[int]) -> Sequence:
    many = getattr(dataset, "__getitems__", None)
    return many(indices) if callable(many) else [dataset[i] for i in indices]  # type: ignore


class StackDataset(Dataset):
    """Datasets side by side: a sample is the tuple of their samples, or a dict of them when they are given by
    keyword."""

    datasets: Any

    def __init__(self, *args: Dataset | Sequence | Tensor, **kwargs: Dataset | Sequence | Tensor) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, "
                "but both types are given."
            )
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        every = list(args or kwargs.values())
        self._length = len(every[0])  # type: ignore[arg-type]
        if any(len(d) != self._length for d in every):  # type: ignore[arg-type]
            raise ValueError("Size mismatch between datasets")
        self.datasets = args or kwargs

    def __getitem__(self, index) -> Any:
        if isinstance(self.datasets, dict):
            return {k: dataset[index] for k, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __getitems__(self, indices: Sequence[int]) -> list:
        parts = self.datasets.values() if isinstance(self.datasets, dict) else self.datasets
        columns = []
        for dataset in parts:
            items = _fetch(dataset, indices)
            if len(items) != len(indices):
                raise ValueError(
                    f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(items)}"
                )
            columns.append(items)
        if isinstance(self.datasets, dict):
            return [dict(zip(self.datasets, sample)) for sample in zip(*columns)]
        return list(zip(*columns))

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset[T_co]):
    """Datasets one after the other.

    Args:
        datasets: the data sets.
    """

    datasets: list[Dataset[T_co]]
    cumulative_sizes: list[int]

    def __init__(self, datasets: Iterable[Dataset[T_co]]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(d, IterableDataset) for d in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    @staticmethod
    def cumsum(sequence) -> list[int]:
        """The running sum of the datasets' lengths."""
        return list(accumulate(len(d) for d in sequence))

    @property
    def cummulative_sizes(self) -> list[int]:
        """Deprecated: cumulative_sizes."""
        text = "`cummulative_sizes` attribute is renamed to `cumulative_sizes`"
        warnings.warn(text, FutureWarning, stacklevel=2)
        return self.cumulative_sizes

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx):
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        at = bisect_right(self.cumulative_sizes, idx)
        before = self.cumulative_sizes[at - 1] if at else 0
        return self.datasets[at][idx - before]


class ChainDataset(IterableDataset):
    """IterableDatasets one after the other.

    Args:
        datasets: the data sets.
    """

    def __init__(self, datasets: Iterable[Dataset]) -> None:
        super().__init__()
        self.datasets = datasets

    def __iter__(self):
        for d in self._checked():
            yield from d

    def __len__(self) -> int:
        return sum(len(d) for d in self._checked())  # type: ignore[arg-type]

    def _checked(self) -> Iterator[IterableDataset]:
        for d in self.datasets:
            if not isinstance(d, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield d


class Subset(Dataset[T_co]):
    """The samples of a dataset at `indices`.

    Args:
        dataset: the data set.
        indices: the indices of its samples.
    """

    dataset: Dataset[T_co]
    indices: Sequence[int]

    def __init__(self, dataset: Dataset[T_co], indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, idx):
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: Sequence[int]) -> Sequence:
        if type(self).__getitem__ is not Subset.__getitem__:
            return [self[i] for i in indices]
        return _fetch(self.dataset, [self.indices[i] for i in indices])

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Dataset, lengths: Sequence[int | float], generator: Any = None) -> list[Subset]:
    """Splits a dataset at random into parts of these lengths; fractions that sum to 1 are lengths too.

    Samples left over by fractions are given to the first parts, one each.

    Args:
        dataset: the data set.
        lengths: the lengths of the parts, or fractions that add up to 1.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.
    """
    size = len(dataset)  # type: ignore[arg-type]
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        sizes = []
        for i, fraction in enumerate(lengths):
            if fraction < 0 or fraction > 1:
                raise ValueError(f"Fraction at index {i} is not between 0 and 1")
            sizes.append(math.floor(size * fraction))
        for i in range(size - sum(sizes)):
            sizes[i % len(sizes)] += 1
        for i, length in enumerate(sizes):
            if length == 0:
                warnings.warn(
                    f"Length of split at index {i} is 0. This might result in an empty dataset.", stacklevel=2
                )
        lengths = sizes
    if sum(lengths) != size:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = functions.randperm(size, generator=generator).tolist()
    ends = list(accumulate(int(n) for n in lengths))
    return [Subset(dataset, order[end - int(n) : end]) for end, n in zip(ends, lengths)]
