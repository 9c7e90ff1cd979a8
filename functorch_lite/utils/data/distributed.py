"""torch.utils.data.distributed: where PyTorch keeps its DistributedSampler."""

from __future__ import annotations

from ...api_names import listed
from .sampler import DistributedSampler

__all__ = ["DistributedSampler"]
__dir__ = listed(__name__)
