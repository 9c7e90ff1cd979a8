"""torch.cuda.nvtx: marks for NVIDIA's profilers, which PyTorch without CUDA refuses to set too."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, NoReturn

__all__ = ["mark", "range", "range_pop", "range_push"]


def range_push(msg: str = "") -> NoReturn:
    """Raises RuntimeError, as PyTorch does without CUDA."""
    raise RuntimeError(
        "NVTX functions not installed. Are you sure you have a CUDA build? Here jax.profiler.TraceAnnotation marks what runs"
    )


range_pop = mark = range_push


@contextlib.contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """A context, or a decorator, that raises RuntimeError where it begins."""
    range_push(msg)
    yield
