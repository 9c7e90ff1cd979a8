"""GPUs: the list of them, the one that 'cuda' means, and their properties."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax

from .._core.api import devices as devices
from .._core.api import tidied
from .._streams import wait_for

__all__ = [
    "current_device", "device", "device_count", "device_of", "get_arch_list", "get_device_capability", "get_device_name",
    "get_device_properties", "init", "is_available", "is_bf16_supported", "is_initialized", "is_tf32_supported", "resolve",
    "set_device", "synchronize",
]  # fmt: skip


def is_available() -> bool:
    """Returns whether JAX has a GPU."""
    return devices.is_available("cuda")


is_initialized = is_available


def init() -> None:
    """Does nothing: JAX finds its GPUs by itself. AssertionError without one."""
    if not is_available():
        raise AssertionError("Torch not compiled with CUDA enabled: JAX sees no GPU")


def device_count() -> int:
    """Returns the number of GPUs that JAX has."""
    return len(jax.devices("gpu")) if is_available() else 0


def _named(device: Any) -> Any:
    """Returns the torch.device that a user's name of a GPU means; None means the current one."""
    given = devices.device(f"cuda:{device}") if isinstance(device, int) else devices.device(device or "cuda")
    if given.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {device}")
    return given


@tidied
def resolve(device: Any) -> Any:
    """The GPU that a user means; AssertionError without one."""
    init()
    return devices.resolve(_named(device))


def current_device() -> int:
    """The index of the GPU that 'cuda' means."""
    return resolve(None).index


def set_device(device: Any) -> None:
    """Makes 'cuda' without an index mean this GPU. A negative index changes nothing."""
    if isinstance(device, int) and device < 0:
        return
    devices.set_current_gpu(resolve(device).index)


class device:
    """A context in which 'cuda' without an index means this GPU."""

    def __init__(self, device: Any):
        self._given = device
        if not isinstance(device, int):
            _named(device)
        self._before = -1

    def __enter__(self) -> None:
        if not (isinstance(self._given, int) and self._given < 0):
            self._before = current_device()
            set_device(self._given)

    def __exit__(self, *exc) -> None:
        set_device(self._before)


class device_of(device):
    """A context in which 'cuda' without an index means the GPU of a tensor; without effect for one on the CPU."""

    def __init__(self, obj: Any):
        super().__init__(obj.get_device() if obj.is_cuda else -1)


def synchronize(device: Any = None) -> None:
    """Dispatches what is recorded and waits until the GPU has done it."""
    wait_for(resolve(device))


def get_device_name(device: Any = None) -> str:
    """The GPU's name."""
    return devices.jax_device(resolve(device)).device_kind


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """The GPU's compute capability, as (major, minor)."""
    major, _, minor = str(devices.jax_device(resolve(device)).compute_capability).partition(".")
    return int(major), int(minor or 0)


class DeviceProperties(NamedTuple):
    """Properties of a GPU that JAX knows; total_memory is what XLA may use of it."""

    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int


def get_device_properties(device: Any = None) -> DeviceProperties:
    """Returns the properties of the GPU that JAX knows."""
    found = resolve(device)
    gpu = devices.jax_device(found)
    memory = (gpu.memory_stats() or {}).get("bytes_limit", 0)
    return DeviceProperties(gpu.device_kind, *get_device_capability(found), memory, gpu.core_count)


def get_arch_list() -> list[str]:
    """The architectures that programs are compiled for: the ones of the available GPUs."""
    found = {get_device_capability(i) for i in range(device_count())}
    return [f"sm_{major}{minor}" for major, minor in sorted(found)]


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Returns whether the GPU computes with bfloat16: XLA does so on all of them, the hardware from compute capability 8 on."""
    return is_available() and (including_emulation or get_device_capability()[0] >= 8)


def is_tf32_supported() -> bool:
    """Returns whether the GPU has TensorFloat32: from compute capability 8 on."""
    return is_available() and get_device_capability()[0] >= 8
