"""torch.distributed._tensor: the older name of torch.distributed.tensor."""

from __future__ import annotations

from ...api_names import listed
from ..tensor import (
    DeviceMesh,
    DTensor,
    Partial,
    Placement,
    Replicate,
    Shard,
    distribute_module,
    distribute_tensor,
    empty,
    full,
    init_device_mesh,
    ones,
    rand,
    randn,
    zeros,
)

__all__ = [
    "DTensor", "DeviceMesh", "Partial", "Placement", "Replicate", "Shard", "distribute_module", "distribute_tensor", "empty", "full", "init_device_mesh",
    "ones", "rand", "randn", "zeros",
]  # fmt: skip
__dir__ = listed(__name__)
