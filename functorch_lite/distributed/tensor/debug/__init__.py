"""torch.distributed.tensor.debug: which collectives ran, and which device holds what."""

from __future__ import annotations

from ....api_names import listed, lookup_of
from ._collectives import CommDebugMode
from ._slices import visualize_sharding

__all__ = ["CommDebugMode", "visualize_sharding"]
__dir__ = listed(__name__)
__getattr__ = lookup_of(__name__)
