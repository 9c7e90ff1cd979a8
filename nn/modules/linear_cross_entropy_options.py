"""The options with which PyTorch's linear_cross_entropy goes through the batch in pieces."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from functorch_lite._core.api import DTYPES

__all__ = ["LinearCrossEntropyOptions"]

_POLICIES = ("accurate", "balanced", "compact", "auto")
_ACCUMULATORS = ("float16", "bfloat16", "float32", "float64")


@dataclass(frozen=True)
class LinearCrossEntropyOptions:
    """Options of cutting the batch into chunks. They are checked and kept; what is computed is the same with and
    without them.

    Args:
        allow_retain_graph: whether backward may run more than once. Default: False.
        batch_chunk_size: the number of samples in a chunk. None (the default) leaves it to
            `chunking_method`.
        chunking_method: "auto", "aspect_ratio:N" or None. Default: "auto".
        acc_policy: "accurate", "balanced", "compact" or "auto". Default: "auto".
        acc_dtype: the dtype of sums: float16, bfloat16, float32 or float64. None (the default)
            leaves it to the op.

    >>> nn.LinearCrossEntropyOptions(batch_chunk_size=64).batch_chunk_size
    64
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: Any = None

    def __post_init__(self) -> None:
        size = self.batch_chunk_size
        if size is not None and (not isinstance(size, int) or size <= 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size}")
        method = self.chunking_method
        if method not in (None, "auto") and not re.fullmatch(r"aspect_ratio:\d+", str(method)):
            raise ValueError(f"invalid chunking_method: {method!r}")
        if self.acc_policy not in _POLICIES:
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        if self.acc_dtype is not None and self.acc_dtype not in [DTYPES[n] for n in _ACCUMULATORS]:
            raise ValueError(
                "acc_dtype must be one of {None, torch.float16, torch.bfloat16, torch.float32, torch.float64}, got "
                f"{self.acc_dtype}. Pass acc_dtype=None to let the op pick automatically."
            )
