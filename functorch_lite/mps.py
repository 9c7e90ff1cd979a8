"""torch.mps for programs that ask whether there is such a device: there is none."""

from __future__ import annotations

from typing import Any, NoReturn

from .api_names import listed, lookup_of

__all__ = [
    "current_device", "device_count", "empty_cache", "is_available", "is_initialized", "manual_seed", "manual_seed_all",
    "synchronize",
]  # fmt: skip
__dir__ = listed(__name__)


def is_available() -> bool:
    """False."""
    return False


def is_initialized() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def refuse(module: str) -> NoReturn:
    """Raises the error of a module of devices that there are none of."""
    raise RuntimeError(
        f'torch.mps.{module}: an MPS device was expected to exist, but JAX has backends for CPU and for CUDA GPUs only; use device "cpu" or "cuda"'
    )


def current_device() -> NoReturn:
    """Raises RuntimeError: there is none."""
    refuse("mps")


def empty_cache() -> None:
    """Does nothing: nothing is kept."""


def synchronize(device: Any = None) -> NoReturn:
    """Raises RuntimeError: there is none."""
    current_device()


def manual_seed(seed: int) -> None:
    """Seeds the generators of no device."""


def manual_seed_all(seed: int) -> None:
    """Seeds the generators of no device."""


__getattr__ = lookup_of(__name__)
