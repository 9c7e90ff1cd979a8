"""torch.distributed.fsdp: parameters, gradients and optimizer state cut over the devices of a mesh (`fully_shard`).
See docs/distributed.md."""

from __future__ import annotations

import dataclasses

from ...api_names import listed, lookup_of
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


@dataclasses.dataclass
class CPUOffload:
    """Whether parameters that are not in use lie in the memory of the host, for `FullyShardedDataParallel`, which is
    not supported: packages import this class to check their arguments. `fully_shard` takes a `CPUOffloadPolicy`.

    offload_params: whether parameters and gradients are offloaded.
    """

    offload_params: bool = False


__getattr__ = lookup_of(__name__)
