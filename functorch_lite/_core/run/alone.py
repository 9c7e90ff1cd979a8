"""A segment computed at once where nothing is recorded, by a program that it has: what its recording, flushed right
after it, would give.

What is left out is the recording: some 60 µs of Python, which is more than the program takes where data are small.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..lazy import trie
from ..lazy.segment import Appended, Segment, Sources
from ..lazy.tensor import Cell
from ..lazy.value import Value, make_value
from ..words import forked
from ..words.device import device
from . import compiled
from .calls import Call
from .report import counting, stats

__all__ = ["computed"]


def computed(segment: Segment, values: Sequence[Value], on: device) -> Appended | None:  # hot path
    """Computes a segment, which has no tape, from these sources, by a program. None, and nothing is done, where it has
    no program that yields all that is held, overwrites nothing and looks at nothing first, where sources are pending,
    or where it fails: then it is to be recorded."""
    path = segment.path
    live = tuple([index for index, _ in segment.held])
    program = (path[-1].programs or {}).get((live, ()))
    if program is None or program.trusts or program.packed or counting or forked.here.child:
        return None
    externals = [values[k] for k, _, _ in segment.uses]
    if len(set(externals)) < len(externals):
        return None
    for (_, _, a), v in zip(segment.uses, externals):
        if v.aval is not a or v.array is None:
            return None
    try:
        outs = Call(program, externals, live, on).arrays()
    except Exception:  # of the program: it is raised when a result of the recording is read
        return None
    compiled.use(program)
    trie.use(path)
    stats["ops"] += len(path)
    made = {index: make_value(a, None, index, out) for (index, a), out in zip(segment.held, outs)}
    cells = []
    for at in segment.cells:
        cell = Cell()
        cell.value, cell.level, cell.version = made[at] if at >= 0 else values[-1 - at], 0, 0
        cells.append(cell)
    sources = Sources()
    sources.values = values  # type: ignore[assignment]
    return Appended(made, cells, {}, sources)
