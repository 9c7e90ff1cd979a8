"""torch.distributed.tensor.placement_types: Shard, Replicate and Partial."""

from __future__ import annotations

from ...api_names import listed
from .._placements import Partial, Placement, Replicate, Shard

__all__ = ["Partial", "Placement", "Replicate", "Shard"]
__dir__ = listed(__name__)
