"""torch.Stream, torch.Event, and the module of a device. Work here is ordered by the data that it uses, so streams
need not be distinguished.

A program for several streams gives the same results with any of them. The only thing that a stream or an event can do
is wait: then everything recorded runs to its end.
"""

from __future__ import annotations

import importlib
import time
from typing import Any

import jax

from ._core.api import composite, synchronize
from ._core.api import devices as devices

__all__ = ["Event", "Stream", "StreamContext", "wait_for"]


def wait_for(device: Any) -> None:
    """Runs what is recorded, and waits until a device has done all that it was given."""
    synchronize()
    if device.type != "cpu":  # a device runs programs in order: when this one is done, so are those before it
        (jax.device_put(0.0, devices.jax_device(device)) + 0).block_until_ready()


def _place(device: Any) -> Any:
    wanted = devices.device("cuda" if device is None and devices.is_available("cuda") else device or "cpu")
    if wanted.type != "cpu" and not devices.is_available(wanted.type):
        raise RuntimeError(f"PyTorch is not linked with support for {wanted.type} devices")
    return devices.resolve(wanted)


@composite
class Stream:
    """A queue of work on a device; all of them are the same one here.

    Args:
        device: the device. None (the default) is the current one.
        priority: accepted for compatibility; it changes nothing. Default: 0.

    >>> with torch.Stream("cpu") as s:
    ...     y = torch.ones(2) + 1
    """

    def __init__(self, device: Any = None, *, priority: int = 0, **ignored):
        self.device = _place(device)
        self.device_type = self.device.type
        self.device_index = -1 if self.device.index is None else self.device.index
        self.stream_id = 0
        self.priority = priority

    def query(self) -> bool:
        """True, once what is recorded was run: it waits."""
        self.synchronize()
        return True

    def synchronize(self) -> None:
        """Runs what is recorded, and waits for it."""
        wait_for(self.device)

    def wait_event(self, event: Any) -> None:
        """Does nothing: what is recorded later runs later."""

    def wait_stream(self, stream: Any) -> None:
        """Does nothing: what is recorded later runs later."""

    def record_event(self, event: Any = None) -> Any:
        """Records the event, or a new one, and returns it."""
        event = self._event() if event is None else event
        event.record(self)
        return event

    def _event(self) -> Any:
        return Event(self.device)

    def __enter__(self):
        return self

    def __exit__(self, *exc) -> None:
        return None

    def __eq__(self, other) -> bool:
        return isinstance(other, Stream) and self.device is other.device

    def __hash__(self) -> int:
        return hash((self.device, self.stream_id))

    def __repr__(self) -> str:
        return f"torch.Stream device_type={self.device_type}, device_index={self.device_index}, stream_id={self.stream_id}"


@composite
class Event:
    """A point in the work of a device.

    With `enable_timing=True`, `record()` waits until the device has finished, and stores the time.

    At `record`, RuntimeError for a device without events, such as the CPU.

    Args:
        device: the device. None (the default) is the current one.
        enable_timing: whether `record()` waits for the device and notes the time. Default: False.
        blocking: accepted for compatibility; it changes nothing. Default: False.
        interprocess: must be False: events cannot be shared between processes. Default: False.

    >>> torch.Event().query()
    True
    """

    def __init__(
        self,
        device: Any = None,
        *,
        enable_timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
    ):
        if interprocess:
            raise NotImplementedError("events cannot be shared between processes here")
        self.device = _place(device)
        self._timed = enable_timing
        self._at: float | None = None
        self._recorded = False

    def record(self, stream: Any = None) -> None:
        """Marks the work recorded so far."""
        if self.device.type == "cpu":
            raise RuntimeError("cpu backend doesn't support events.")
        if self._timed:
            wait_for(self.device)
            self._at = time.perf_counter()
        self._recorded = True

    def query(self) -> bool:
        """True, once the marked work was run: it waits."""
        self.synchronize()
        return True

    def wait(self, stream: Any = None) -> None:
        """Does nothing: what is recorded later runs later."""

    def synchronize(self) -> None:
        """Waits for the marked work."""
        if self._recorded:
            wait_for(self.device)

    def elapsed_time(self, end_event: Any) -> float:
        """Milliseconds from this event to another."""
        if not (self._timed and end_event._timed):
            raise ValueError(
                "Both events must be created with argument 'enable_timing=True' to calculate elapsed time."
            )
        if self._at is None or end_event._at is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return 1000 * (end_event._at - self._at)


class StreamContext:
    """`with torch.cuda.stream(s)`, `with torch.cpu.stream(s)`."""

    def __init__(self, stream: Any):
        self.stream = stream

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exc) -> None:
        return None


@composite
def get_device_module(device: Any = None) -> Any:
    """torch.cpu or torch.cuda: the module of a device; None means the GPU's if one exists, else the CPU's.

    >>> torch.get_device_module("cpu") is torch.cpu
    True
    """
    if device is not None and not isinstance(device, str | devices.device):
        raise RuntimeError(f"Invalid value of device '{device}', expect torch.device, str, or None")
    if device is None:
        kind = "cuda" if devices.is_available("cuda") else "cpu"
    else:
        kind = devices.device(device).type
    if kind not in ("cpu", "cuda"):
        raise RuntimeError(
            f"Device '{kind}' does not have a corresponding module registered as 'torch.{kind}'."
        )
    return importlib.import_module(f"{__package__}.{kind}")
