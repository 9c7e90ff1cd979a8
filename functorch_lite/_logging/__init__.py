"""torch._logging: what torch.compile says of what it does."""

from __future__ import annotations

from ..api_names import lookup_of
from ..compiler.logs import set_logs

__all__ = ["set_logs"]

__getattr__ = lookup_of(__name__)
