"""torch.accelerator: the GPU or TPU that JAX has, by whatever name; code that asks here runs on either, and on the CPU
where there is none."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from . import cuda
from ._core.api import check_type
from ._core.api import devices as devices
from ._streams import Stream, wait_for
from .api_names import listed, lookup_of

__all__ = [
    "current_accelerator", "current_device_idx", "current_device_index", "current_stream", "device_count", "device_index",
    "empty_cache", "empty_host_cache", "get_memory_info", "is_available", "max_memory_allocated", "max_memory_reserved", "memory_allocated",
    "memory_reserved", "memory_stats", "reset_accumulated_memory_stats", "reset_peak_memory_stats", "set_device_idx", "set_device_index",
    "set_stream", "synchronize",
]  # fmt: skip
__dir__ = listed(__name__)

_KINDS = ("cuda", "xla")


def current_accelerator(check_available: bool = False) -> Any:
    """The device, without an index, that tensors are moved to: 'cuda' where JAX has a GPU, 'xla' where it has a TPU,
    None otherwise.

    check_available: changes nothing; a device that JAX lists is available.

    >>> torch.accelerator.current_accelerator() or torch.device("cpu")
    device(type='cpu')
    """
    return next((devices.device(kind) for kind in _KINDS if devices.is_available(kind)), None)


def is_available() -> bool:
    """Returns whether JAX has a GPU or TPU."""
    return current_accelerator() is not None


def device_count() -> int:
    """Returns the number of GPUs or TPUs; 0 if there are none."""
    found = current_accelerator()
    return 0 if found is None else devices.count(found.type)


def _found() -> Any:
    found = current_accelerator()
    if found is None:
        raise RuntimeError("Cannot access accelerator device when none is available.")
    return found


def _resolved(device: Any) -> Any:
    """The device that a user means: an index, a name, a torch.device, None for the current one."""
    kind = _found().type
    given = devices.device(f"{kind}:{device}") if isinstance(device, int) else devices.device(device or kind)
    if given.type != kind:
        raise ValueError(f"{given.type} doesn't match the current accelerator {kind}.")
    return devices.resolve(given)


def current_device_index() -> int:
    """The index of the device that is used where none is named."""
    return _resolved(None).index


def set_device_index(device: Any, /) -> None:
    """Makes this GPU the one that is used where none is named; a negative index changes nothing."""
    if isinstance(device, int) and device < 0:
        return
    wanted = _resolved(device)
    if wanted.type == "cuda":
        devices.set_current_gpu(wanted.index)
    elif wanted.index:
        raise NotImplementedError("'xla' without an index is the first TPU: name another as 'xla:1'")


current_device_idx, set_device_idx = current_device_index, set_device_index


class device_index:
    """A context in which this GPU is used where none is named; None changes nothing."""

    def __init__(self, device: int | None, /):
        self.idx = device
        self.prev_idx = -1

    def __enter__(self) -> None:
        if self.idx is not None:
            self.prev_idx = current_device_index()
            set_device_index(self.idx)

    def __exit__(self, *exc) -> None:
        if self.idx is not None:
            set_device_index(self.prev_idx)


def synchronize(device: Any = None, /) -> None:
    """Dispatches what is recorded and waits until the device has done it."""
    wait_for(_resolved(device))


def current_stream(device: Any = None, /) -> Stream:
    """The stream that work goes to: all are the same one."""
    return Stream(_resolved(device))


def set_stream(stream: Any) -> None:
    """Checks what it is given, and does nothing else: work is ordered by the data that it uses."""
    check_type(isinstance(stream, Stream), stream, "torch.Stream", "set_stream", "stream")
    _found()


def _gpu(device: Any) -> Any:
    """The GPU whose memory is queried."""
    found = _resolved(device)
    if found.type != "cuda":
        raise NotImplementedError("the memory of a TPU: jax.devices()[0].memory_stats() tells of it")
    return found


def memory_stats(device_index: Any = None, /) -> OrderedDict[str, int]:
    """Returns the counts of XLA's allocator, under PyTorch's names: see torch.cuda.memory_stats."""
    return cuda.memory_stats(_gpu(device_index))


def memory_allocated(device_index: Any = None, /) -> int:
    """Bytes in use by arrays."""
    return cuda.memory_allocated(_gpu(device_index))


def max_memory_allocated(device_index: Any = None, /) -> int:
    """The most bytes that were in use since the process started."""
    return cuda.max_memory_allocated(_gpu(device_index))


def memory_reserved(device_index: Any = None, /) -> int:
    """Bytes that XLA's allocator holds."""
    return cuda.memory_reserved(_gpu(device_index))


def max_memory_reserved(device_index: Any = None, /) -> int:
    """The most bytes that XLA's allocator held."""
    return cuda.max_memory_reserved(_gpu(device_index))


def get_memory_info(device_index: Any = None, /) -> tuple[int, int]:
    """(free, total) bytes of what XLA may use of the device's memory."""
    return cuda.mem_get_info(_gpu(device_index))


def reset_peak_memory_stats(device_index: Any = None, /) -> None:
    """Warns: XLA's peaks cannot be reset."""
    cuda.reset_peak_memory_stats(_gpu(device_index))


reset_accumulated_memory_stats = reset_peak_memory_stats


def empty_cache() -> None:
    """Does nothing: XLA manages memory."""
    _found()


empty_host_cache = empty_cache

__getattr__ = lookup_of(__name__)
