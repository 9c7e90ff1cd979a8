"""Iterators of IterDataPipes: the rule that only the latest iterator of a datapipe is valid, the reset before each pass,
and the states that restoring a snapshot needs."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

__all__ = ["hook_iterator", "hook_reset"]

_FEEDBACK = (
    "\nFor feedback regarding this single iterator per IterDataPipe constraint, feel free to comment on this issue: "
    "https://github.com/pytorch/data/issues/45."
)


class _SnapshotState(Enum):
    """State of an IterDataPipe: not started, restored (the next pass does not reset it), or iterating."""

    NotStarted = 0
    Restored = 1
    Iterating = 2


def _described(datapipe: Any) -> str:
    """A datapipe with the arguments that it keeps as attributes, for error messages."""
    names = set(inspect.signature(type(datapipe)).parameters) & set(dir(datapipe))
    values = [(name, getattr(datapipe, name)) for name in sorted(names)]
    shown = [f"{name}={v.__name__ if inspect.isfunction(v) else repr(v)}" for name, v in values]
    return f"{type(datapipe).__name__}({', '.join(shown)})"


def _check(datapipe: Any, iterator_id: int | None) -> None:
    """Raises RuntimeError if a newer iterator of the datapipe exists."""
    if getattr(datapipe, "_is_child_datapipe", False):
        if not datapipe._check_valid_iterator_id(iterator_id):
            raise RuntimeError(
                "This iterator has been invalidated, because a new iterator has been created "
                f"from one of the ChildDataPipes of {_described(datapipe.main_datapipe)}.{_FEEDBACK}"
            )
    elif datapipe._valid_iterator_id != iterator_id:
        raise RuntimeError(_invalid(datapipe) + _FEEDBACK)


def _invalid(datapipe: Any) -> str:
    return (
        "This iterator has been invalidated because another iterator has been created from the same IterDataPipe: "
        f"{_described(datapipe)}\nThis may be caused by multiple references to the same IterDataPipe. We recommend using `.fork()` "
        "if that is necessary."
    )


def _begin(datapipe: Any) -> int:
    """Numbers a new iterator, which invalidates the others, and resets the datapipe."""
    if getattr(datapipe, "_is_child_datapipe", False):
        return datapipe._set_main_datapipe_valid_iterator_id()
    last = datapipe._valid_iterator_id
    datapipe._valid_iterator_id = 0 if last is None else last + 1
    datapipe.reset()
    return datapipe._valid_iterator_id


def _explain(error: Exception, datapipe: Any) -> None:
    """Adds to an error's message which datapipe raised it, unless the message already names one."""
    added = f"\nThis exception is thrown by __iter__ of {_described(datapipe)}"
    first = error.args[0] if error.args else None
    if not isinstance(first, str):
        error.args = (added,)
    elif "thrown by __iter__ of" not in first and "single iterator per IterDataPipe constraint" not in first:
        error.args = (first + added, *error.args[1:])


class IteratorDecorator:
    """An iterator that counts what it yields and raises once it is no longer the latest of its datapipe."""

    def __init__(self, iterator: Iterator, datapipe: Any, iterator_id: int, counts_itself: bool):
        self.iterator, self.datapipe, self.iterator_id = iterator, datapipe, iterator_id
        self.counts_itself = counts_itself

    def __iter__(self) -> IteratorDecorator:
        return self

    def __next__(self) -> Any:
        _check(self.datapipe, self.iterator_id)
        found = next(self.iterator)
        if not self.counts_itself:
            self.datapipe._number_of_samples_yielded += 1
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self.iterator, name)


def hook_iterator(cls: type) -> None:
    """Replaces the `__iter__` (and `__next__`) of a class by one that follows the rules of this file.

    A generator begins its pass when its first item is asked for; any other iterator when it is made.
    """
    iterate: Callable = vars(cls)["__iter__"]
    if getattr(iterate, "_is_hooked", False):
        return
    advance = vars(cls).get("__next__")
    if inspect.isgeneratorfunction(iterate):

        def passing(self: Any, *args: Any, **kwargs: Any) -> Any:
            forwarded, self._fast_forward_iterator = self._fast_forward_iterator, None
            if forwarded:
                self._snapshot_state = _SnapshotState.Iterating
                yield from forwarded
                return
            items, mine = iterate(self, *args, **kwargs), _begin(self)
            try:
                for item in items:
                    self._number_of_samples_yielded += 1
                    yield item
                    _check(self, mine)
            except Exception as error:
                _explain(error, self)
                raise

    else:

        def passing(self: Any, *args: Any, **kwargs: Any) -> Any:
            found = iterate(self, *args, **kwargs)
            self._snapshot_state = _SnapshotState.Iterating
            forwarded, self._fast_forward_iterator = self._fast_forward_iterator, None
            if forwarded:
                return forwarded
            return IteratorDecorator(found, self, _begin(self), found is self and advance is not None)

        if advance is not None:

            @functools.wraps(advance)
            def __next__(self: Any, *args: Any, **kwargs: Any) -> Any:
                found = advance(self, *args, **kwargs)
                self._number_of_samples_yielded += 1
                return found

            cls.__next__ = __next__  # type: ignore[attr-defined]
    hooked = functools.wraps(iterate)(passing)
    hooked._is_hooked = True  # type: ignore[attr-defined]
    cls.__iter__ = hooked  # type: ignore[attr-defined]


def hook_reset(cls: type) -> None:
    """Replaces the `reset` of a class by one that leaves a datapipe alone that was just restored."""
    reset: Callable = vars(cls)["reset"]
    if getattr(reset, "_is_hooked", False):
        return

    @functools.wraps(reset)
    def hooked(self: Any, *args: Any, **kwargs: Any) -> None:
        if self._snapshot_state is not _SnapshotState.Restored:
            self._number_of_samples_yielded = 0
            self._fast_forward_iterator = None
            reset(self, *args, **kwargs)
        self._snapshot_state = _SnapshotState.Iterating

    hooked._is_hooked = True  # type: ignore[attr-defined]
    cls.reset = hooked  # type: ignore[attr-defined]
