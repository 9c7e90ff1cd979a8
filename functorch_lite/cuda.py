"""torch.cuda: honest about whether JAX has a GPU."""

from __future__ import annotations

import sys

from ._core import device as devices
from ._core.executor import flush
from .amp import cuda_amp as amp

__all__ = [
    "amp",
    "current_device",
    "device_count",
    "empty_cache",
    "get_device_name",
    "is_available",
    "manual_seed",
    "manual_seed_all",
    "synchronize",
]

sys.modules[f"{__name__}.amp"] = amp  # `from torch.cuda.amp import autocast`


def is_available() -> bool:
    """Whether JAX has a GPU."""
    return devices.is_available("cuda")


def device_count() -> int:
    """How many GPUs JAX has."""
    import jax

    return len(jax.devices("gpu")) if is_available() else 0


def current_device() -> int:
    """0: there is no notion of a current GPU; name it in `device=`."""
    devices.resolve("cuda")
    return 0


def get_device_name(device=None) -> str:
    """The GPU's name."""
    return devices.jax_device(devices.resolve("cuda" if device is None else device)).device_kind


def synchronize(device=None) -> None:
    """Dispatches what is recorded and waits until the GPU has done it."""
    import jax

    flush()
    jax.effects_barrier()


def empty_cache() -> None:
    """Nothing to do: XLA manages memory."""


def manual_seed(seed: int) -> None:
    """Seeds the default generator, which all devices share."""
    from .random import manual_seed as set_seed

    set_seed(seed)


manual_seed_all = manual_seed
