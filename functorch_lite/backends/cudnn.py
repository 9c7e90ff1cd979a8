"""torch.backends.cudnn: `allow_tf32` is how precise float32 convolutions are on a GPU; the others are hints about which
kernels to choose, which may be set and read: XLA decides for itself."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from .._core.api import PRECISION, set_precision
from .._core.api import devices as devices
from .._elsewhere import ImportedModule

__all__ = ["allow_tf32", "benchmark", "deterministic", "enabled", "flags", "is_available", "version"]

enabled = True
benchmark = False
deterministic = False
allow_tf32: bool


class _Cudnn(ImportedModule):
    """This module, of which one name is more than a value."""

    @property
    def allow_tf32(self) -> bool:
        """Returns whether float32 convolutions may be computed in TensorFloat32: ten bits of the factors, and several times as
        fast."""
        return PRECISION["convolution"] != "highest"

    @allow_tf32.setter
    def allow_tf32(self, allowed: bool) -> None:
        if not isinstance(allowed, bool):
            raise RuntimeError(f"set_allow_tf32_cublas expects a bool, but got {type(allowed).__name__}")
        if allowed != self.allow_tf32:
            set_precision(convolution="high" if allowed else "highest")


sys.modules[__name__].__class__ = _Cudnn


def is_available() -> bool:
    """Returns whether JAX has a GPU, which it drives through cuDNN where that is faster."""
    return devices.is_available("cuda")


def version() -> int | None:
    """None: JAX does not tell."""
    return None


@contextlib.contextmanager
def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
    fp32_precision: str = "none",
) -> Iterator[None]:
    """The hints of this module with these values inside the context.

    >>> with torch.backends.cudnn.flags(enabled=False):
    ...     print(torch.backends.cudnn.enabled)
    False
    """
    given = {
        "enabled": enabled,
        "benchmark": benchmark,
        "deterministic": deterministic,
        "allow_tf32": allow_tf32,
    }
    module = sys.modules[__name__]
    before = {name: getattr(module, name) for name in given}
    try:
        for name, value in given.items():
            setattr(module, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)
