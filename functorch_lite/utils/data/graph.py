"""torch.utils.data.graph: the datapipes that a datapipe is made of."""

from __future__ import annotations

import functools
import warnings
from collections import deque
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from ...api_names import listed
from .datapipes.datapipe import IterDataPipe, MapDataPipe

__all__ = ["traverse", "traverse_dps"]
__dir__ = listed(__name__)

DataPipe = IterDataPipe | MapDataPipe
DataPipeGraph = dict[int, tuple[Any, "DataPipeGraph"]]


def traverse_dps(datapipe: Any) -> dict:
    """Return the graph of a datapipe: the datapipes in its attributes, and so on.

    Only attributes that are datapipes, dicts, lists, tuples, sets and deques are looked into.

    Args:
        datapipe: The datapipe.

    Returns:
        A dict from the `id` of the datapipe to the pair of it and the graph of its sources, a dict of the same form.

    Raises:
        RuntimeError: If it is not a datapipe.

    >>> from functorch_lite.utils.data.datapipes.iter import IterableWrapper
    >>> pipe = IterableWrapper(range(3)).batch(2)
    >>> traverse_dps(pipe)[id(pipe)][0]
    BatcherIterDataPipe
    """
    return _graph(datapipe, True, frozenset())


def traverse(datapipe: Any, only_datapipe: bool | None = None) -> dict:
    """Return the graph of a datapipe; deprecated in favour of `traverse_dps`.

    Args:
        datapipe: The datapipe.
        only_datapipe: Whether only datapipes and collections are looked into; otherwise objects and partial functions
            are too.
    """
    text = (
        "`traverse` function is deprecated and will be removed after 1.13. Please use `traverse_dps` instead."
    )
    if not only_datapipe:
        text += " And, the behavior will be changed to the equivalent of `only_datapipe=True`."
    warnings.warn(text, FutureWarning, stacklevel=2)
    return _graph(datapipe, bool(only_datapipe), frozenset())


def _graph(datapipe: Any, only: bool, above: frozenset[int]) -> dict:
    if not isinstance(datapipe, DataPipe):
        raise RuntimeError(f"Expected `IterDataPipe` or `MapDataPipe`, but {type(datapipe)} is found")
    if id(datapipe) in above:
        return {}
    above |= {id(datapipe)}
    sources: dict = {}
    seen = set(above)
    for value in vars(datapipe).values():
        for source in _found(value, only, seen):
            sources.update(_graph(source, only, above))
    return {id(datapipe): (datapipe, sources)}


def _found(value: Any, only: bool, seen: set[int]) -> Iterator[Any]:
    """The datapipes in a value, each once, without looking into them."""
    if id(value) in seen or isinstance(value, str | bytes | int | float | type | ModuleType):
        return
    parts: Any = ()
    if isinstance(value, dict):
        parts = [*value, *value.values()]
    elif isinstance(value, list | tuple | set | frozenset | deque):
        parts = value
    elif isinstance(value, DataPipe):
        yield value
    elif not only:
        parts = [value.func, value.args, value.keywords] if isinstance(value, functools.partial) else []
        parts = [*parts, *getattr(value, "__dict__", {}).values()]
    else:
        return
    seen.add(id(value))
    for part in parts:
        yield from _found(part, only, seen)
