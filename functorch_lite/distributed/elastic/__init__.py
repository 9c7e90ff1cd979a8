"""torch.distributed.elastic: events and metrics of a launcher, and processes with logs and records of their errors.

The number of processes is fixed: agents and rendezvous, by which machines join and leave, are not supported.
"""

from __future__ import annotations

from . import events, metrics, multiprocessing

__all__ = ["events", "metrics", "multiprocessing"]
