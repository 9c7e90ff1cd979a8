"""Sources: what a call may read now, its arguments and what is watched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from .._core.api import Leaf, Tensor, Value, read
from .._core.lazy.segment import Sources

if TYPE_CHECKING:
    from .watch import Watch

__all__ = ["add_gradients", "add_tensor", "given_cells", "sources_of"]


def sources_of(tensors: Sequence[Tensor], watch: Watch) -> Sources:
    """Returns what a call may read now; for an argument that is a view, what the view shows."""
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
    """Counts the cells of the arguments, and tells which of them are watched by themselves."""
    cells, among = sources.cells[: sources.n_given], watch.cell_set
    return len(set(cells)), tuple([c in among for c in cells])


def add_tensor(sources: Sources, t: Tensor) -> None:  # hot path
    """Adds the current value of a tensor that is not a view, and the gradient of its leaf."""
    edge = t._edge
    sources.add(t._cell.value, t._cell, edge)
    if edge is not None and type(edge[0]) is Leaf:
        add_gradients(sources, (edge[0],))


def add_gradients(sources: Sources, leaves: Iterable[Leaf]) -> None:  # hot path
    """Adds the gradients that leaves hold."""
    values, cells, edges = sources.values, sources.cells, sources.edges
    shape, gradients = sources.shape, sources.gradients
    for leaf in leaves:
        held = leaf.held
        if held is None:
            shape.append(0)
            continue
        gradients.append(len(values))
        edges.append(None)
        if type(held) is Value:
            shape.append(1)
            values.append(held)
            cells.append(None)
        else:  # a Tensor that somebody may hold: it is written to. One that is a view, or on the tape, is like no other: nothing is replayed
            shape.append(object() if held._lenses or held._edge is not None else 2)
            values.append(held._cell.value)
            cells.append(held._cell)
