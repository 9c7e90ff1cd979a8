"""Join: a context in which processes may have different numbers of batches.
One that has run out takes part in the others' collectives until all have."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

from ...api_names import listed
from ..groups import ProcessGroup, checked

__all__ = ["Join", "JoinHook", "Joinable"]
__dir__ = listed(__name__)

_MANY = 1000


class JoinHook:
    """Hooks of a process that has run out of batches: `main_hook` again and again, `post_hook` at the end."""

    def main_hook(self) -> None:
        """Called once for each batch that another process still has: takes part in the collectives of it."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Called when all have run out. is_last_joiner: whether this process was among the last."""


class _JoinConfig(NamedTuple):
    """Settings of the Join context that an object is in."""

    enable: bool = False
    throw_on_early_termination: bool = False
    is_first_joinable: bool = False


class Joinable(ABC):
    """Base of the objects that can be given to Join. It calls `Join.notify_join_context(self)` before the collectives
    of a batch."""

    @abstractmethod
    def __init__(self) -> None:
        super().__init__()
        self._join_config = _JoinConfig()

    @abstractmethod
    def join_hook(self, **kwargs: Any) -> JoinHook:
        """The hook of this object; kwargs are the keywords of Join."""

    @property
    @abstractmethod
    def join_device(self) -> Any:
        """The device that collectives run on."""

    @property
    @abstractmethod
    def join_process_group(self) -> Any:
        """The process group that collectives run in."""


def _total(of: ProcessGroup, mine: int) -> int:
    return int(of.reduced("Join", np.array([mine], np.int32), "SUM")[0])


class Join:
    """`with Join([model, …]):` around a loop.

    A process whose loop ends waits in it, and does the objects' `main_hook` for each batch of the others.

    Args:
        joinables: objects of one process group.
        enable: False does nothing: all processes have the same number of batches.
        throw_on_early_termination: all processes raise RuntimeError as soon as one has run out.
        kwargs: given to the objects' `join_hook`.

    Raises ValueError for no objects, or objects of several process groups.

    >>> with Join([]): pass
    Traceback (most recent call last):
    ValueError: The join context manager requires at least one joinable
    """

    def __init__(
        self,
        joinables: list[Joinable],
        enable: bool = True,
        throw_on_early_termination: bool = False,
        **kwargs: Any,
    ):
        if len(joinables) == 0:
            raise ValueError("The join context manager requires at least one joinable")
        self._joinables = joinables
        self._join_hooks = [j.join_hook(**kwargs) for j in joinables]
        self._enable, self._throw_on_early_termination = enable, throw_on_early_termination
        group = joinables[0].join_process_group
        if any(j.join_process_group != group for j in joinables):
            raise ValueError("Using join context manager with multiple process groups")
        self._process_group = checked(group)
        self._rank = self._process_group.rank()
        for i, joinable in enumerate(joinables):
            joinable._join_config = _JoinConfig(enable, throw_on_early_termination, i == 0)

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        try:
            if self._enable and kind is None:
                self._wait()
        finally:
            for joinable in self._joinables:
                joinable._join_config = _JoinConfig()

    def _wait(self) -> None:
        batches = 0
        while _total(self._process_group, 0):
            if self._throw_on_early_termination:
                _total(self._process_group, 1)
                raise RuntimeError(f"Rank {self._rank} exhausted all inputs.")
            for hook in self._join_hooks:
                hook.main_hook()
            batches += 1
            if batches == _MANY:
                warnings.warn(
                    f"Join: process {self._rank} has at least {_MANY} batches less than others, and waits for them",
                    stacklevel=3,
                )
        for hook in self._join_hooks:
            hook.post_hook(batches == 0)

    @staticmethod
    def notify_join_context(joinable: Joinable) -> int | None:
        """Tells processes that have run out that this one has a batch.

        Returns how many have one, to the first object of a context; to others None.

        Raises RuntimeError with `throw_on_early_termination`, if one has run out.
        """
        config = getattr(joinable, "_join_config", None)
        if config is None:
            raise AssertionError(
                f"Check that the {type(joinable)} constructor calls the ``Joinable`` constructor"
            )
        if not (config.enable and config.is_first_joinable):
            return None
        of = checked(joinable.join_process_group)
        active = _total(of, 1)
        if config.throw_on_early_termination and _total(of, 0):
            raise RuntimeError("Detected at least one rank that exhausted inputs. Throwing across all ranks.")
        return active
