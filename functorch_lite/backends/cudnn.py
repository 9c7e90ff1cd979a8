"""torch.backends.cudnn: hints about which kernels to choose. They may be set and read; XLA decides for itself."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

__all__ = ["allow_tf32", "benchmark", "deterministic", "enabled", "flags", "is_available", "version"]

enabled = True
benchmark = False
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """Whether JAX has a GPU, which it drives through cuDNN where that is faster."""
    from .._core.device import is_available

    return is_available("cuda")


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
    before = {name: globals()[name] for name in given}
    globals().update(given)
    try:
        yield
    finally:
        globals().update(before)
