"""torch.distributed.tensor.experimental."""

from __future__ import annotations

from ....api_names import listed, lookup_of
from ..._replication import implicit_replication

__all__ = ["implicit_replication"]
__dir__ = listed(__name__)
__getattr__ = lookup_of(__name__)
