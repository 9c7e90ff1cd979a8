"""Steps that make several datapipes of one: fork and demux."""

from __future__ import annotations

import copy as copying
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from .._decorator import functional_datapipe
from .._hook_iterator import _SnapshotState
from .._step import length_of
from ..datapipe import IterDataPipe
from ..utils.common import StreamWrapper, need_callable
from .steps import ConcaterIterDataPipe, MultiplexerIterDataPipe, ZipperIterDataPipe

__all__ = [
    "ConcaterIterDataPipe", "DemultiplexerIterDataPipe", "ForkerIterDataPipe", "MultiplexerIterDataPipe",
    "ZipperIterDataPipe",
]  # fmt: skip

_UNLIMITED = "Unlimited buffer size is set for `{}`, please be aware of OOM at random places"


class _Container(IterDataPipe):
    """The source that several children read from: one iterator, whose items are held until each child has had them.

    A subclass says in `_next` which item a child gets next.
    """

    _unsaved = ("_source", "_stopped", "_ended")
    _name = ""

    def __init__(self, datapipe: IterDataPipe, num_instances: int, buffer_size: int):
        self.main_datapipe, self.num_instances, self.buffer_size = datapipe, num_instances, buffer_size
        if buffer_size < 0:
            warnings.warn(_UNLIMITED.format(self._name), UserWarning, stacklevel=4)
        self._clear()

    def _clear(self) -> None:
        self._source: Iterator | None = None
        self._stopped = [True] * self.num_instances
        self._ended = False

    def reset(self) -> None:
        self._clear()

    def _next(self, child: int) -> Any:
        """The next item of a child; StopIteration at the end."""
        raise NotImplementedError

    def _forget(self, child: int) -> None:
        """Closes the streams that are held for a child that stops."""

    def get_next_element_by_instance(self, instance_id: int) -> Iterator:
        """Yield the items of a child."""
        if self._source is None and self._stopped[instance_id]:
            self._source, self._ended = iter(self.main_datapipe), False
            self._snapshot_state = _SnapshotState.Iterating
            self._stopped = [False] * self.num_instances
        try:
            while not self._stopped[instance_id]:
                try:
                    item = self._next(instance_id)
                except StopIteration:
                    break
                yield item
        finally:
            self._stopped[instance_id] = True
            if all(self._stopped):
                self._source = None
            self._forget(instance_id)

    def is_every_instance_exhausted(self) -> bool:
        """Return whether all children are at the end."""
        return self._ended and all(self._stopped)


class _Forker(_Container):
    """Every item for each child."""

    _unsaved = (*_Container._unsaved, "_held", "_first", "_read")
    _name = "fork"

    def __init__(self, datapipe: IterDataPipe, num_instances: int, buffer_size: int, copy: str | None):
        if copy not in (None, "shallow", "deep"):
            raise ValueError(
                f"Unknown copy method `{copy}` requested, choose one of None, `shallow` or `deep`."
            )
        self.copy = copy
        super().__init__(datapipe, num_instances, buffer_size)

    def _clear(self) -> None:
        super()._clear()
        self._held: deque = deque()
        self._first = 0  # index of the first item that is held
        self._read = [0] * self.num_instances

    def _next(self, child: int) -> Any:
        at = self._read[child] - self._first
        if at < len(self._held):
            item = self._held[at]
        elif self._ended or self._source is None:
            raise StopIteration
        else:
            try:
                item = next(self._source)
            except StopIteration:
                self._ended, self._source = True, None
                raise
            self._held.append(item)
        self._read[child] += 1
        if min(self._read) > self._first:
            self._held.popleft()
            self._first += 1
        if 0 <= self.buffer_size < max(self._read) - self._first:
            raise BufferError(
                f"ForkerIterDataPipe buffer overflow,buffer size {self.buffer_size} is insufficient."
            )
        return {None: lambda x: x, "shallow": copying.copy, "deep": copying.deepcopy}[self.copy](item)

    def _forget(self, child: int) -> None:
        if all(self._stopped):
            while self._held:
                StreamWrapper.close_streams(self._held.popleft())

    def get_length_by_instance(self, instance_id: int) -> int:
        """Return the length of a child."""
        return length_of(self, self.main_datapipe)


class _Demultiplexer(_Container):
    """Each item for the child whose number a function returns."""

    _unsaved = (*_Container._unsaved, "_held")
    _name = "demux"

    def __init__(
        self,
        datapipe: IterDataPipe,
        num_instances: int,
        classifier_fn: Callable,
        drop_none: bool,
        buffer_size: int,
    ):
        self.classifier_fn, self.drop_none = classifier_fn, drop_none
        super().__init__(datapipe, num_instances, buffer_size)

    def _clear(self) -> None:
        super()._clear()
        self._held: list[deque] = [deque() for _ in range(self.num_instances)]

    def _next(self, child: int) -> Any:
        if self._held[child]:
            return self._held[child].popleft()
        while not (self._ended or self._source is None):
            try:
                item = next(self._source)
            except StopIteration:
                self._ended, self._source = True, None
                raise
            of = self.classifier_fn(item)
            if of is None and self.drop_none:
                StreamWrapper.close_streams(item)
                continue
            if of is None or not 0 <= of < self.num_instances:
                raise ValueError(
                    f"Output of the classification fn should be between 0 and {self.num_instances - 1}. {of} is returned."
                )
            if of == child:
                return item
            self._held[of].append(item)
            if 0 <= self.buffer_size < sum(map(len, self._held)):
                raise BufferError(
                    f"DemultiplexerIterDataPipe buffer overflow, buffer size {self.buffer_size} is insufficient."
                )
        raise StopIteration

    def _forget(self, child: int) -> None:
        while self._held[child]:
            StreamWrapper.close_streams(self._held[child].popleft())

    def get_length_by_instance(self, instance_id: int) -> int:
        """Raise TypeError: the length of a child is not known."""
        raise TypeError


class _ChildDataPipe(IterDataPipe):
    """One of the datapipes that fork or demux returns.

    The children share a buffer. A new iterator of a child that already had one resets the source, and invalidates the
    iterators of all children.
    """

    _is_child_datapipe = True

    def __init__(self, main_datapipe: _Container, instance_id: int):
        self.main_datapipe, self.instance_id = main_datapipe, instance_id

    def __iter__(self) -> Iterator:
        return self.main_datapipe.get_next_element_by_instance(self.instance_id)

    def __len__(self) -> int:
        return self.main_datapipe.get_length_by_instance(self.instance_id)  # type: ignore[attr-defined]

    def _set_main_datapipe_valid_iterator_id(self) -> int:
        """Numbers a new iterator, with a new number if this child already had an iterator of the last one."""
        main = self.main_datapipe
        if main._valid_iterator_id is None:
            main._valid_iterator_id = 0
        elif main._valid_iterator_id == self._valid_iterator_id:
            main._valid_iterator_id += 1
            if not main.is_every_instance_exhausted():
                warnings.warn(
                    "Some child DataPipes are not exhausted when __iter__ is called. We are resetting the buffer and each child DataPipe "
                    "will read from the start again.",
                    UserWarning,
                    stacklevel=4,
                )
            main.reset()
        self._valid_iterator_id = main._valid_iterator_id
        return self._valid_iterator_id

    def _check_valid_iterator_id(self, iterator_id: int | None) -> bool:
        return iterator_id == self._valid_iterator_id == self.main_datapipe._valid_iterator_id


def _need_instances(count: int) -> None:
    if count < 1:
        raise ValueError(f"Expected `num_instances` larger than 0, but {count} is found")


@functional_datapipe("fork")
class ForkerIterDataPipe(IterDataPipe):
    """Several datapipes with the same items: `pipe.fork(n)` returns a list of them, for n = 1 the datapipe itself.

    Args:
        datapipe: The source.
        num_instances: Their number.
        buffer_size: How many items one may be ahead of another; -1: any number. BufferError beyond it.
        copy: Whether each gets a "shallow" or "deep" copy of an item; None: the item itself.

    >>> from functorch_lite.utils.data.datapipes.iter import IterableWrapper
    >>> a, b = IterableWrapper(range(3)).fork(2)
    >>> list(a), list(b)
    ([0, 1, 2], [0, 1, 2])
    """

    def __new__(  # type: ignore[misc]
        cls, datapipe: IterDataPipe, num_instances: int, buffer_size: int = 1000, copy: str | None = None
    ) -> Any:
        _need_instances(num_instances)
        if num_instances == 1:
            return datapipe
        container = _Forker(datapipe, num_instances, buffer_size, copy)
        return [_ChildDataPipe(container, i) for i in range(num_instances)]


@functional_datapipe("demux")
class DemultiplexerIterDataPipe(IterDataPipe):
    """Several datapipes, each with the items of its number: `pipe.demux(n, fn)` returns a list of them.

    Args:
        datapipe: The source.
        num_instances: Their number.
        classifier_fn: Function from an item to the number of its datapipe, from 0, or to None.
        drop_none: Whether items for which the function returns None are left out; otherwise it raises ValueError.
        buffer_size: How many items are held for datapipes that have not read them; -1: any number. BufferError beyond
            it.

    >>> from functorch_lite.utils.data.datapipes.iter import IterableWrapper
    >>> even, odd = IterableWrapper(range(5)).demux(2, lambda x: x % 2)
    >>> list(even), list(odd)
    ([0, 2, 4], [1, 3])
    """

    def __new__(  # type: ignore[misc]
        cls,
        datapipe: IterDataPipe,
        num_instances: int,
        classifier_fn: Callable,
        drop_none: bool = False,
        buffer_size: int = 1000,
    ) -> Any:
        _need_instances(num_instances)
        need_callable(classifier_fn)
        container = _Demultiplexer(datapipe, num_instances, classifier_fn, drop_none, buffer_size)
        return [_ChildDataPipe(container, i) for i in range(num_instances)]
