"""chunk_size="auto": as many examples, rows or columns at a time as fit a memory budget, by XLA's own analysis ahead of
time.

The whole is compiled for analysis first. If it takes more than the budget, it is cut into equal parts: a guess from
how memory grows with the size of a part, then more or fewer parts until one more or one fewer would not do. The chunk
size that was determined is cached with the graph.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax

from .._core.api import Aval, DerivedOp, Graph, device, jax_device, tracing

__all__ = ["check_chunk_size", "chunk_for", "memory_budget"]

_given: list[int] = []
_of_device: dict[device, int] = {}


@contextlib.contextmanager
def memory_budget(nbytes: int) -> Iterator[None]:
    """Within it, what a transform with chunk_size="auto" may take for temporaries and results, in bytes.

    By default it is half of the memory that was free on the device when one was first needed.

    >>> with memory_budget(2**30):
    ...     torch.func.jacrev(torch.sin, chunk_size="auto")(torch.zeros(2)).shape
    torch.Size([2, 2])
    """
    if not isinstance(nbytes, int) or nbytes <= 0:
        raise ValueError(f"memory_budget: expected a positive number of bytes, got {nbytes!r}")
    _given.append(nbytes)
    try:
        yield
    finally:
        _given.pop()


def check_chunk_size(who: str, chunk_size: Any) -> None:
    """Raises torch's error unless it is None, "auto" or a positive int."""
    if chunk_size is None or chunk_size == "auto":
        return
    if not isinstance(chunk_size, int) or chunk_size <= 0:
        raise ValueError(f"{who}: `chunk_size` should be greater than 0.")


def chunk_for(
    graph: Graph, key: tuple, total: int, make: Callable[[int | None], DerivedOp], avals: Sequence[Aval]
) -> int | None:
    """The largest chunk of `total` that fits the budget; None for all at once.

    make(chunk) gives the transform's op, avals are of its inputs, key says which transform of the graph it is.
    """
    on = avals[0].device if avals else device("cpu")
    budget = _given[-1] if _given else _default_budget(on)
    return graph.derive(("chunk", key, total, budget), lambda: (_search(total, make, avals, budget),))[0]


def _search(total: int, make, avals, budget: int) -> int | None:
    def fits(parts: int) -> bool:
        if parts not in needs:
            chunk = -(-total // parts)
            needs[parts] = program_bytes(make(None if parts == 1 else chunk), avals)
        return needs[parts] <= budget

    needs: dict[int, int] = {}
    if total <= 1 or fits(1):
        return None
    if not fits(total):
        warnings.warn(
            f'chunk_size="auto": even one at a time takes {needs[total]} bytes, more than the budget of {budget}',
            stacklevel=4,
        )
        return 1
    per_item = max((needs[1] - needs[total]) / (total - 1), 1.0)
    chunk = max(int((budget - needs[total]) / per_item) + 1, 1)
    low, high = 1, total  # parts: low is too few, high is enough
    guess = min(max(-(-total // chunk), 2), total)
    while high - low > max(1, high // 8):
        if fits(guess):
            high = guess
        else:
            low = guess
        near = high - max(1, high // 8) if high == guess else low + max(1, low // 8)
        guess = min(max(near, low + 1), high - 1) if high - low > 1 else high
    return -(-total // high)


def program_bytes(op: DerivedOp, avals: Sequence[Aval]) -> int:
    """Memory that a program of this op takes beyond its inputs: temporaries and results, by XLA's analysis."""
    with tracing():
        lowered = jax.jit(lambda *arrays: op.call(None, arrays)).lower(*[a.struct for a in avals])
        analysis = lowered.compile().memory_analysis()
    if analysis is None:
        raise NotImplementedError(
            'chunk_size="auto" needs a memory analysis, which XLA does not give for this device; pass an int instead'
        )
    return int(analysis.temp_size_in_bytes + analysis.output_size_in_bytes)


def _default_budget(on: device) -> int:
    found = _of_device.get(on)
    if found is None:
        stats = jax_device(on).memory_stats()
        if stats and "bytes_limit" in stats:
            free = stats["bytes_limit"] - stats.get("bytes_in_use", 0)
        else:
            free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        found = _of_device[on] = max(free // 2, 1)
    return found
