"""torch.distributed.tensor.experimental."""

from __future__ import annotations

from ....api_names import listed
from ..._replication import implicit_replication
from ...sharded import names_beside

__all__ = ["implicit_replication"]
__dir__ = listed(__name__)
__getattr__ = names_beside(__name__)
