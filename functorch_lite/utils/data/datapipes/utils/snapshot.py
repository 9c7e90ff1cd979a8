"""Snapshots of datapipes: a pickled datapipe is run forward to where it was."""

from __future__ import annotations

from typing import Any

from ...graph_settings import apply_random_seed
from .._hook_iterator import _SnapshotState
from ..datapipe import IterDataPipe

__all__ = ["_simple_graph_snapshot_restoration"]


def _simple_graph_snapshot_restoration(datapipe: IterDataPipe, n_iterations: int, rng: Any = None) -> None:
    """Run a datapipe forward, so that its next pass begins behind the items that were already yielded.

    Args:
        datapipe: The last datapipe of the chain.
        n_iterations: Number of items to skip, such as the `_number_of_samples_yielded` of an unpickled datapipe.
        rng: Generator that seeds the steps that shuffle, in the state in which the DataLoader was given it. None: the
            global one.

    Raises:
        RuntimeError: If the datapipe was restored and not iterated since, or has fewer items.

    >>> from functorch_lite.utils.data.datapipes.iter import IterableWrapper
    >>> pipe = IterableWrapper(range(4))
    >>> _simple_graph_snapshot_restoration(pipe, 2)
    >>> list(pipe)
    [2, 3]
    """
    if datapipe._snapshot_state is _SnapshotState.Restored:
        raise RuntimeError(
            "Snapshot restoration cannot be applied. You can only restore simple snapshot to the graph if your graph has not been "
            "restored."
        )
    datapipe.reset()
    apply_random_seed(datapipe, rng)
    items = iter(datapipe)
    for _ in range(n_iterations):
        try:
            next(items)
        except StopIteration as error:
            raise RuntimeError(
                f"Fast-forward {datapipe} by {n_iterations} iterations exceeds the number of samples available."
            ) from error
    datapipe._fast_forward_iterator = items
    datapipe._snapshot_state = _SnapshotState.Restored
