"""Samplers: iterables of the indices, or lists of indices, in which a DataLoader visits a dataset."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Iterator, Sequence, Sized
from itertools import islice
from typing import Any, Generic, TypeVar

from ..._core.api import dtypes, functions, is_int
from ...random import Generator

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

T_co = TypeVar("T_co", covariant=True)


def is_positive_int(x: Any) -> bool:
    """Returns whether x is an int, no bool, above zero."""
    return is_int(x) and x > 0


class Sampler(Generic[T_co]):
    """Base class: a subclass gives `__iter__()`, and `__len__()` where it has one."""

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """The indices in order.

    Args:
        data_source: the data set; only its length is used.
    """

    data_source: Sized

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


_DRAWN_AT_ONCE = 32


def draw_seed(generator: Any = None) -> int:
    """A seed for another generator, drawn from this one (by default, from the global one)."""
    return functions.empty((), dtype=dtypes.int64).random_(generator=generator).item()


class RandomSampler(Sampler[int]):
    """The indices shuffled; with `replacement`, drawn independently. `num_samples` of them (by default, all).

    Args:
        data_source: the data set; only its length is used.
        replacement: whether an index may be drawn more than once. Default: False.
        num_samples: the number of indices. None (the default) is the length of the data set.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.
    """

    data_source: Sized
    replacement: bool

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Any = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not is_positive_int(self.num_samples):
            raise ValueError(
                f"num_samples should be a positive integer value, but got num_samples={self.num_samples}"
            )

    @property
    def num_samples(self) -> int:
        """The number of indices of one pass; the dataset's present length unless it was given."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        # a generator of its own, seeded by one draw, and pieces of torch's sizes: with PyTorch's engine, PyTorch's
        # order
        n, count = len(self.data_source), self.num_samples
        generator = Generator().manual_seed(draw_seed()) if self.generator is None else self.generator
        if self.replacement:
            for start in range(0, count, _DRAWN_AT_ONCE):
                size = (min(_DRAWN_AT_ONCE, count - start),)
                yield from functions.randint(0, n, size, generator=generator).tolist()
            return
        for _ in range(count // n):
            yield from functions.randperm(n, generator=generator).tolist()
        yield from functions.randperm(n, generator=generator).tolist()[: count % n]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The given indices, shuffled.

    Args:
        indices: the indices.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.
    """

    indices: Sequence[int]

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for i in functions.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """`num_samples` indices drawn with probabilities in proportion to `weights`.

    Args:
        weights: the weight of each index; they need not add up to 1.
        num_samples: the number of indices to draw.
        replacement: whether an index may be drawn more than once. Default: True.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.
    """

    def __init__(
        self, weights: Sequence[float], num_samples: int, replacement: bool = True, generator: Any = None
    ) -> None:
        if not is_positive_int(num_samples):
            raise ValueError(
                f"num_samples should be a positive integer value, but got num_samples={num_samples}"
            )
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = functions.as_tensor(weights, dtype=dtypes.float64)
        if len(self.weights.shape) != 1:
            raise ValueError(
                f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = functions.multinomial(
            self.weights, self.num_samples, self.replacement, generator=self.generator
        )
        return iter(drawn.tolist())

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of `batch_size` indices of another sampler; `drop_last` drops a last one that is shorter.

    Args:
        sampler: an iterable of indices.
        batch_size: the number of indices in a batch.
        drop_last: whether a last, shorter batch is dropped.
    """

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        if not is_positive_int(batch_size):
            raise ValueError(
                f"batch_size should be a positive integer value, but got batch_size={batch_size}"
            )
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(islice(indices, self.batch_size)):
            if self.drop_last and len(batch) < self.batch_size:
                return
            yield batch

    def __len__(self) -> int:
        count = len(self.sampler)  # type: ignore[arg-type]
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


def _processes() -> Any:
    """torch.distributed; RuntimeError if it is not available."""
    try:
        return importlib.import_module("functorch_lite.distributed")
    except ModuleNotFoundError:
        raise RuntimeError(
            "Requires distributed package to be available: give num_replicas and rank"
        ) from None


def _initialized() -> Any:
    """torch.distributed if a process group exists, else None."""
    found = sys.modules.get("functorch_lite.distributed")
    return found if found is not None and found.is_initialized() else None


def share_of_processes() -> tuple[int, int]:
    """The number of processes of the default group and the rank of this one; (1, 0) without a group."""
    processes = _initialized()
    return (1, 0) if processes is None else (processes.get_world_size(), processes.get_rank())


def draw_shared_seed(generator: Any = None) -> int:
    """A seed that is drawn in each process, and is the first one's in all."""
    seed, processes = draw_seed(generator), _initialized()
    if processes is None:
        return seed
    drawn = functions.tensor(seed, dtype=dtypes.int64)
    processes.broadcast(drawn, src=0)
    return drawn.item()


class DistributedSampler(Sampler[int]):
    """The share of one of several processes in a dataset: every `num_replicas`-th index from `rank` on.

    All shares are of one length: the first indices are repeated at the end, or with `drop_last` the last ones left out.
    With `shuffle` the order follows from seed + epoch, in all processes alike: call `set_epoch` before each epoch.

    Args:
        dataset: the data set; only its length is used.
        num_replicas: the number of processes. None (the default) is the world size.
        rank: the number of this process. None (the default) is its rank.
        shuffle: whether the order is random. Default: True.
        seed: the seed of the order, the same in all processes. Default: 0.
        drop_last: whether indices that do not fill a share for every process are left out. By
            default the first ones are repeated.

    >>> list(torch.utils.data.DistributedSampler(range(5), num_replicas=2, rank=1, shuffle=False))
    [1, 3, 0]
    """

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        num_replicas = _processes().get_world_size() if num_replicas is None else num_replicas
        rank = _processes().get_rank() if rank is None else rank
        if not 0 <= rank < num_replicas:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset, self.num_replicas, self.rank, self.epoch = dataset, num_replicas, rank, 0
        self.shuffle, self.seed, self.drop_last = shuffle, seed, drop_last
        count = len(dataset)
        self.num_samples = count // num_replicas if drop_last else -(-count // num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        if self.shuffle:
            generator = Generator().manual_seed(self.seed + self.epoch)
            indices = functions.randperm(count, generator=generator).tolist()
        else:
            indices = list(range(count))
        return iter([indices[i % count] for i in range(self.rank, self.total_size, self.num_replicas)])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch, from which the order of the next iteration follows."""
        self.epoch = epoch
