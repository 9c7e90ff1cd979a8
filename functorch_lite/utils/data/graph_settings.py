"""torch.utils.data.graph_settings: settings of the steps that a chain of datapipes is made of."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

from ...api_names import listed
from .datapipes.datapipe import IterDataPipe, MapDataPipe
from .datapipes.iter import Shuffler

__all__ = ["apply_shuffle_settings"]
__dir__ = listed(__name__)


def apply_shuffle_settings(datapipe: Any, shuffle: bool | None = None) -> Any:
    """The datapipe, in which every step that shuffles does so, or does not.

    None: as it is. One that has no such step gets one, with a warning.

    >>> from functorch_lite.utils.data.datapipes.iter import IterableWrapper
    >>> list(apply_shuffle_settings(IterableWrapper(range(4)).shuffle(), False))
    [0, 1, 2, 3]
    """
    if shuffle is None:
        return datapipe
    found = [step for step in _steps(datapipe, set()) if isinstance(step, Shuffler)]
    if shuffle and not found:
        warnings.warn(
            "`shuffle=True` was set, but the datapipe does not contain a `Shuffler`. Adding one at the end. Be aware that the default buffer "
            "size might not be sufficient for your task.",
            stacklevel=2,
        )
        datapipe = datapipe.shuffle()
        found = [datapipe]
    for step in found:
        step.set_shuffle(shuffle)
    return datapipe


def _steps(datapipe: Any, seen: set[int]) -> Iterator[Any]:
    if id(datapipe) in seen:
        return
    seen.add(id(datapipe))
    yield datapipe
    for value in vars(datapipe).values():
        for part in value if isinstance(value, list | tuple) else [value]:
            if isinstance(part, IterDataPipe | MapDataPipe):
                yield from _steps(part, seen)
