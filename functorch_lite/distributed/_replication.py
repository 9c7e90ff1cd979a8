"""Makes ops accept plain tensors as replicated DTensors:
`torch.distributed.tensor.experimental.implicit_replication`."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

__all__ = ["implicit_replication", "replication"]


class _Replication(threading.local):
    on = False


replication = _Replication()


@contextlib.contextmanager
def implicit_replication() -> Iterator[None]:
    """A context in which every device has the same plain tensors: ops accept them together with DTensors."""
    before, replication.on = replication.on, True
    try:
        yield
    finally:
        replication.on = before
