"""torch.amp: automatic mixed precision.
On CPU, float16 and bfloat16 are computed in float32 and rounded: it saves memory there."""

from ..api_names import listed
from .autocast_mode import autocast, custom_bwd, custom_fwd, is_autocast_available
from .grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]
__dir__ = listed(__name__, "autocast_mode", "grad_scaler")
