"""What a call may read now: its arguments, and what is watched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .._core.api import Leaf, Tensor, Value, read
from .._core.lazy.segment import Sources

if TYPE_CHECKING:
    from .watch import Watch

__all__ = ["add_gradient", "add_tensor", "given_cells", "sources_of"]


def sources_of(tensors: Sequence[Tensor], watch: Watch) -> Sources:
    """What a call may read now: of an argument that is a view what it shows."""
    sources = Sources()
    of_views = []
    for t in tensors:
        if t._lenses:
            of_views.append(t._cell)
            sources.add(read(t), None, t._edge)
        else:
            add_tensor(sources, t)
    sources.n_given = len(sources.values)
    watch.add_sources(sources)
    if of_views and not set(of_views).isdisjoint(sources.cells):
        sources.shape.append(
            object()
        )  # what is written elsewhere shows in a view: such a call is like no other
    return sources


def given_cells(sources: Sources, watch: Watch) -> tuple[int, tuple[bool, ...]]:
    """How many cells the arguments have, and which of them are watched by themselves."""
    cells, among = sources.cells[: sources.n_given], watch.cell_set
    return len(set(cells)), tuple([c in among for c in cells])


def add_tensor(sources: Sources, t: Tensor) -> None:  # hot path
    """What a tensor that is no view holds now, and the gradient of its leaf."""
    edge = t._edge
    sources.add(t._cell.value, t._cell, edge)
    if edge is not None and type(edge[0]) is Leaf:
        add_gradient(sources, edge[0])


def add_gradient(sources: Sources, leaf: Leaf) -> None:  # hot path
    """What a leaf holds."""
    held = leaf.held
    if held is None:
        sources.shape.append(0)
    elif type(held) is Value:
        sources.shape.append(1)
        sources.gradients.append(len(sources.values))
        sources.add(held)
    else:  # a Tensor that somebody may hold: it is written to. One that is a view, or on the tape, is like no other: nothing is replayed
        sources.shape.append(object() if held._lenses or held._edge is not None else 2)
        sources.gradients.append(len(sources.values))
        sources.add(held._cell.value, held._cell)
