"""torch.amp: automatic mixed precision. On CPU, float16 and bfloat16 are computed in float32 and rounded: it saves memory there."""

from .autocast_mode import autocast, custom_bwd, custom_fwd, is_autocast_available
from .grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]
