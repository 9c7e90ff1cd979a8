"""torch.cuda.amp: the deprecated names of torch.amp for CUDA."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from .. import amp
from .._core.api import dtype as DType
from .._core.api import dtypes

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


def _deprecated(name: str) -> None:
    warnings.warn(
        f"`torch.cuda.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('cuda', args...)` instead.",
        FutureWarning,
        stacklevel=3,
    )


class autocast(amp.autocast):
    """Deprecated: torch.amp.autocast("cuda", ...)."""

    def __init__(
        self, enabled: bool = True, dtype: DType = dtypes.float16, cache_enabled: bool = True
    ) -> None:
        _deprecated("autocast")
        super().__init__("cuda", dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)


class GradScaler(amp.GradScaler):
    """Deprecated: torch.amp.GradScaler("cuda", ...)."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        _deprecated("GradScaler")
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def custom_fwd(fwd: Callable | None = None, *, cast_inputs: DType | None = None) -> Any:
    """Deprecated: torch.amp.custom_fwd(..., device_type="cuda")."""
    warnings.warn(
        "`torch.cuda.amp.custom_fwd(args...)` is deprecated. Please use `torch.amp.custom_fwd(args..., device_type='cuda')` "
        "instead.",
        FutureWarning,
        stacklevel=2,
    )
    made = functools.partial(amp.custom_fwd, device_type="cuda", cast_inputs=cast_inputs)
    return made if fwd is None else made(fwd)


def custom_bwd(bwd: Callable) -> Callable:
    """Deprecated: torch.amp.custom_bwd(..., device_type="cuda")."""
    warnings.warn(
        "`torch.cuda.amp.custom_bwd(args...)` is deprecated. Please use `torch.amp.custom_bwd(args..., device_type='cuda')` "
        "instead.",
        FutureWarning,
        stacklevel=2,
    )
    return amp.custom_bwd(bwd, device_type="cuda")
