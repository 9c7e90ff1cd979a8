"""torch.utils.data.distributed: where PyTorch keeps its DistributedSampler."""

from __future__ import annotations

from .sampler import DistributedSampler

__all__ = ["DistributedSampler"]
