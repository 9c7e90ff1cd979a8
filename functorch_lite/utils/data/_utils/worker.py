"""torch.utils.data._utils.worker: what libraries import of it."""

from __future__ import annotations

from ..worker import WorkerInfo, get_worker_info
from ..worker import numpy_seed as _generate_state

__all__ = ["WorkerInfo", "_generate_state", "get_worker_info"]
