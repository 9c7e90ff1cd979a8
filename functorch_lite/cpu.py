"""torch.cpu: the CPU as a device that is always there. Its streams and events are as empty as PyTorch's."""

from __future__ import annotations

import sys
from typing import Any

from ._core.api import synchronize as _synchronize
from ._streams import StreamContext
from .amp import cpu_amp as amp
from .api_names import listed, lookup_of

__all__ = [
    "Event", "Stream", "StreamContext", "current_device", "current_stream", "device_count", "is_available", "is_initialized",
    "set_device", "stream", "synchronize",
]  # fmt: skip
__dir__ = listed(__name__)

sys.modules[f"{__name__}.amp"] = amp  # `from torch.cpu.amp import autocast`


def is_available() -> bool:
    """True."""
    return True


def is_initialized() -> bool:
    """True."""
    return True


def device_count() -> int:
    """Returns 1."""
    return 1


def current_device() -> str:
    """The name of the CPU."""
    return "cpu"


def set_device(device: Any) -> None:
    """Does nothing: there is one CPU."""


def synchronize(device=None) -> None:
    """Dispatches everything that is recorded. Values are computed in the background; reading one waits for it."""
    _synchronize()


class Stream:
    """Stands for the one queue of work."""

    def __init__(self, priority: int = -1):
        pass

    def wait_stream(self, stream: Any) -> None:
        """Does nothing."""

    def record_event(self) -> None:
        """Does nothing."""

    def wait_event(self, event: Any) -> None:
        """Does nothing."""


class Event:
    """Stands for a point in the one queue of work."""

    def query(self) -> bool:
        """True."""
        return True

    def record(self, stream: Any = None) -> None:
        """Does nothing."""

    def synchronize(self) -> None:
        """Does nothing."""

    def wait(self, stream: Any = None) -> None:
        """Does nothing."""


_stream = Stream()


def current_stream(device: Any = None) -> Stream:
    """The one queue of work."""
    return _stream


def stream(stream: Stream) -> StreamContext:
    """A context in which nothing is different."""
    return StreamContext(stream)


__getattr__ = lookup_of(__name__)
