"""torch.distributed.tensor: tensors on the devices of a mesh. See docs/distributed.md."""

from __future__ import annotations

from ...api_names import listed, lookup_of
from .._borders import over_batch as over_batch
from .._dtensor import DTensor, distribute_tensor
from .._placements import Partial, Placement, Replicate, Shard
from ..device_mesh import DeviceMesh as DeviceMesh
from ..device_mesh import init_device_mesh as init_device_mesh
from . import debug as debug
from . import experimental as experimental
from . import parallel as parallel
from . import placement_types as placement_types
from ._factories import empty, full, ones, rand, randn, zeros
from ._modules import distribute_module

__all__ = [
    "DTensor", "Partial", "Placement", "Replicate", "Shard", "distribute_module", "distribute_tensor", "empty", "full", "ones", "rand", "randn", "zeros",
]  # fmt: skip
__dir__ = listed(__name__, "debug", "experimental", "parallel", "placement_types")
__getattr__ = lookup_of(__name__)
