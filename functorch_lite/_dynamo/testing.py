"""`torch._dynamo.testing`: what tests compare results with."""

from __future__ import annotations

from ..compiler.debugging.compare import (
    collect_results,
    rand_strided,
    reduce_to_scalar_loss,
    requires_bwd_pass,
)
from ..compiler.debugging.same import same

__all__ = ["collect_results", "rand_strided", "reduce_to_scalar_loss", "requires_bwd_pass", "same"]
