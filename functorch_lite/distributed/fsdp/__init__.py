"""torch.distributed.fsdp: parameters, gradients and optimizer state cut over the devices of a mesh (`fully_shard`).
See docs/distributed.md."""

from __future__ import annotations

from ...api_names import listed, lookup_of
from ..sharded import CPUOffload
from ._fully_shard import (
    CPUOffloadPolicy,
    FSDPModule,
    MixedPrecisionPolicy,
    OffloadPolicy,
    UnshardHandle,
    fully_shard,
)

__all__ = [
    "CPUOffload",
    "CPUOffloadPolicy",
    "FSDPModule",
    "MixedPrecisionPolicy",
    "OffloadPolicy",
    "UnshardHandle",
    "fully_shard",
]
__dir__ = listed(__name__)
__getattr__ = lookup_of(__name__)
