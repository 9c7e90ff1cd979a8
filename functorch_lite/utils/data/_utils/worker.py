"""torch.utils.data._utils.worker: what libraries import of it. Workers are threads here."""

from __future__ import annotations

import numpy as np

from ..dataloader import get_worker_info

__all__ = ["get_worker_info"]


def _generate_state(base_seed: int, worker_id: int) -> list[int]:
    """Four words of 32 bits that are a function of a seed and a number, to seed NumPy with."""
    return [int(x) for x in np.random.SeedSequence([base_seed, worker_id]).generate_state(4)]
