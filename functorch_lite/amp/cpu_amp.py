"""torch.cpu.amp: the deprecated names of torch.amp for the CPU."""

from __future__ import annotations

import warnings

from .. import amp
from .._core.api import dtype as DType
from .._core.api import dtypes
from ..api_names import listed

__all__ = ["GradScaler", "autocast"]
__dir__ = listed(__name__)


def _deprecated(name: str) -> None:
    warnings.warn(
        f"`torch.cpu.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('cpu', args...)` instead.",
        FutureWarning,
        stacklevel=3,
    )


class autocast(amp.autocast):
    """Deprecated: torch.amp.autocast("cpu", ...)."""

    def __init__(
        self, enabled: bool = True, dtype: DType = dtypes.bfloat16, cache_enabled: bool = True
    ) -> None:
        _deprecated("autocast")
        super().__init__("cpu", dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)


class GradScaler(amp.GradScaler):
    """Deprecated: torch.amp.GradScaler("cpu", ...)."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        _deprecated("GradScaler")
        super().__init__("cpu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)
