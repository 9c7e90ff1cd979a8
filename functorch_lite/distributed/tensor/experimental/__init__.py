"""torch.distributed.tensor.experimental."""

from __future__ import annotations

from ....api_names import listed, lookup_of
from ..._replication import implicit_replication
from ._local_map import local_map

__all__ = ["implicit_replication", "local_map"]
__dir__ = listed(__name__)
__getattr__ = lookup_of(__name__)
