"""Join: a context in which processes may have different numbers of batches. With one process there is nobody to wait for; with several it raises."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from ...api_names import listed
from ..groups import get_world_size, is_initialized

__all__ = ["Join", "JoinHook", "Joinable"]
__dir__ = listed(__name__)


class JoinHook:
    """What a process that has run out of batches does: `main_hook` again and again, `post_hook` at the end."""

    def main_hook(self) -> None:
        """Called while other processes still have batches: never here."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Called when all have run out; is_last_joiner is True here."""


class Joinable(ABC):
    """What can be given to Join."""

    @abstractmethod
    def __init__(self) -> None:
        super().__init__()

    @abstractmethod
    def join_hook(self, **kwargs: Any) -> JoinHook:
        """The hook of this object."""

    @property
    @abstractmethod
    def join_device(self) -> Any:
        """The device that collectives run on."""

    @property
    @abstractmethod
    def join_process_group(self) -> Any:
        """The process group that collectives run in."""


class Join:
    """`with Join([model, …]):` around a loop. At its end each object's `post_hook` runs.

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
        if enable and is_initialized() and get_world_size() > 1:
            raise NotImplementedError(
                "Join: processes with different numbers of batches are not there yet: give all the same number, as DistributedSampler does"
            )
        self._hooks = [j.join_hook(**kwargs) for j in joinables]
        self._enable = enable

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        if self._enable and kind is None:
            for hook in self._hooks:
                hook.post_hook(True)

    @staticmethod
    def notify_join_context(joinable: Joinable) -> None:
        """None: nobody waits to be told."""
        return None
