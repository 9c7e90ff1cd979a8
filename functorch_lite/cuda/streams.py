"""torch.cuda.Stream and torch.cuda.Event: see torch.Stream."""

from __future__ import annotations

from typing import Any

from .. import _streams as streams
from .._core.api import devices as devices
from .._streams import StreamContext
from .devices import resolve

__all__ = ["Event", "Stream"]


class Stream(streams.Stream):
    """A queue of work on a GPU; all of them are the same one here. RuntimeError without a GPU."""

    def __init__(self, device: Any = None, priority: int = 0, **ignored):
        if not devices.is_available("cuda"):
            raise RuntimeError("torch.cuda.Stream requires CUDA support")
        super().__init__(resolve(device), priority=priority)

    def _event(self) -> Event:
        return Event()

    def __repr__(self) -> str:
        return f"<torch.cuda.Stream device={self.device}>"


class Event(streams.Event):
    """A point in the work of a GPU. RuntimeError without one."""

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False):
        if not devices.is_available("cuda"):
            raise RuntimeError("Tried to instantiate dummy base class Event")
        super().__init__(
            resolve(None), enable_timing=enable_timing, blocking=blocking, interprocess=interprocess
        )


def current_stream(device: Any = None) -> Stream:
    """The GPU's one queue of work."""
    return Stream(resolve(device))


default_stream = current_stream


def is_current_stream_capturing() -> bool:
    """False: XLA makes CUDA graphs by itself, and no work of the program's is captured."""
    return False


def set_stream(stream: Any) -> None:
    """Does nothing: there is one queue of work."""


def stream(stream: Any) -> StreamContext:
    """A context in which nothing is different: there is one queue of work."""
    return StreamContext(stream)


_NO_GRAPH = "torch.cuda.{}: kernels are launched by XLA here. Mark the function with torch.compile: its calls are replayed without its Python"


class CUDAGraph:
    """NotImplementedError: a marked function (`torch.compile`) is one program of XLA's, which launches its kernels
    together."""

    def __init__(self, keep_graph: bool = False):
        raise NotImplementedError(_NO_GRAPH.format("CUDAGraph"))


class graph:
    """NotImplementedError, as of CUDAGraph."""

    def __init__(self, *args: Any, **kwargs: Any):
        raise NotImplementedError(_NO_GRAPH.format("graph"))
