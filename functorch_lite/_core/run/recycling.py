"""Memory of large results that nobody holds any more, for the next results of that shape (on CPU).

XLA takes the memory of a result from the C library, which takes a block above 64 MB from the system each time: 300 MB
cost 230 ms, where the computation costs 100. So a program that yields such results gets arrays of that shape to write
them into (inputs that it donates): results of its earlier runs, once nobody else refers to them, and zeros before there
are any.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Sequence
from sys import getrefcount
from typing import Any

import jax
import jax.numpy as jnp

from ..lazy.value import LARGE, Aval, is_tracer
from ..words.device import device

__all__ = ["forget", "fresh", "keep", "only_kept", "rooms", "take"]

MAX_KEPT = 2 << 30
"""Bytes of results kept (an eighth of the machine's memory, if that is less), held by somebody else too or not; the
oldest are let go."""

_on = os.environ.get("FUNCTORCH_LITE_KEEP_MEMORY") != "0"
_kept: list[Any] = []
_lock = threading.Lock()


def _alone() -> int:
    """Returns the getrefcount of an array that only `_kept` holds."""
    kept = [object()]
    return getrefcount(kept[0])


_ALONE = _alone()


def rooms(results: Sequence[Aval], given: Sequence[Aval], on: device) -> tuple[jax.ShapeDtypeStruct, ...]:
    """Returns the memory that a program wants to write its results into: a place for each large one that gets no
    donated input's memory.

    Nothing where two sets of them, which a loop has alive, are more than is kept: there would be zeros to fill each
    time.
    """
    large = [a for a in results if a.nbytes >= LARGE]
    if not _on or on.type != "cpu" or on.is_mesh or 2 * sum(a.nbytes for a in large) > MAX_KEPT:
        return ()
    wanted = Counter(a.struct for a in large)
    wanted.subtract(a.struct for a in given if a.struct in wanted)
    return tuple(wanted.elements())


def fresh(places: Sequence[jax.ShapeDtypeStruct]) -> list[jax.Array]:
    """Zeros for each place, of 64 bits where it says so, which outlive a trace of the user's."""
    with jax.enable_x64(True), jax.ensure_compile_time_eval():
        return [jnp.zeros(place.shape, place.dtype) for place in places]


def take(places: Sequence[jax.ShapeDtypeStruct]) -> list[jax.Array]:
    """An array for each place: a kept one that nobody else refers to, or zeros."""
    with _lock:
        found = [_taken(place) for place in places]
    return [fresh([place])[0] if a is None else a for a, place in zip(found, places)]


def _taken(place: jax.ShapeDtypeStruct) -> jax.Array | None:
    for i in range(len(_kept)):
        alone = getrefcount(_kept[i]) == _ALONE
        if alone and _kept[i].shape == place.shape and _kept[i].dtype == place.dtype:
            return _kept.pop(i)
    return None


def keep(results: Sequence[jax.Array]) -> None:
    """Keeps the large ones of a run's results, for a later run."""
    with _lock:
        _kept[:] = [a for a in _kept if not a.is_deleted()]
        _kept.extend(a for a in results if a.nbytes >= LARGE and not is_tracer(type(a)))
        held = sum(a.nbytes for a in _kept)
        while held > MAX_KEPT:
            held -= _kept.pop(0).nbytes


def only_kept(others: int, array: Any) -> bool:
    """Whether the only other reference to an array is the one kept here. others: how many there are beside those that
    the caller knows."""
    return others == 1 and any(array is a for a in _kept)


def forget() -> None:
    """Lets go of all that is kept."""
    with _lock:
        _kept.clear()
