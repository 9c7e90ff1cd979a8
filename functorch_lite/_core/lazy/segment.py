"""Segments: a stretch of an eager recording, appended again without running the code that recorded it.

A recording is a path in the trie, so what a piece of code recorded is a stretch of a path. Where the code would do the
same again, and the recording stands at the same place with the same values in its reach, the stretch is appended as a
whole: the recording is then, to the last reference, what it would have been, and so are its programs and its tape.

Values are told by *places*: a slot of the stretch by its index (≥ 0), a source (a value that the code may have read) by
-1 - its number. Ends of edges (see `tape.Edge`) and cells are told so too: a node of the stretch, or a cell made by it,
by its number, those of a source's tensor by -1 - the source's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..words.errors import NotReplayable
from .pack import Pack
from .recorder import Recorder, admit, state
from .tape import Leaf, Node, order
from .tensor import Cell
from .trie import BUSY, TrieNode
from .value import Aval, Value

__all__ = ["Mark", "Segment", "Sources"]

NEW = 0.5
"""Where a value is that no op of the recording read before."""


class Sources:
    """Values that code may read, each with the cell that holds it and its tensor's edge on the tape, or None. Several
    may be one value. `shape`: of leaves, whether they have a gradient, and a Tensor of it; `n_given`: how many, the
    first ones, are arguments. `gradients`: which ones the leaves hold."""

    __slots__ = ("cells", "edges", "gradients", "n_given", "shape", "values")

    def __init__(self) -> None:
        self.n_given = 0
        self.shape: list[Any] = []
        self.gradients: list[int] = []
        self.values: list[Value] = []
        self.cells: list[Cell | None] = []
        self.edges: list[Any] = []

    def add(self, value: Value, cell: Cell | None = None, edge: Any = None) -> None:
        """One more."""
        self.values.append(value)
        self.cells.append(cell)
        self.edges.append(edge)


class Mark:
    """Where a recording stands before a piece of code runs."""

    def __init__(self, rec: Recorder):
        if rec.symbols is not None:  # a segment is of nodes of the trie
            rec.symbols.close(rec)
        self.rec = rec
        self.node = rec.node
        self.before = rec.node.base + rec.node.n_out
        self.ops, self.externals, self.taped = len(rec.path), len(rec.ext), len(rec.session.nodes)
        self.roots, self.gradients = len(rec.roots), len(rec.gradients)
        self.is_regular = rec.session.regular

    def path(self) -> list[TrieNode]:
        """Returns the steps that were recorded since. Raises NotReplayable where they are no stretch of one
        recording."""
        rec = self.rec
        if state.here.rec is not rec or rec.flushed:
            raise NotReplayable("a value is read")
        if rec.session.regular is not self.is_regular:
            raise NotReplayable("a hook, or a function with a derivative of its own")
        path = rec.path[self.ops :]
        if any(node.full for node in path):
            raise NotReplayable("too many ops, or bytes, are pending")
        return path


class Segment:
    """The stretch since a mark.

    `place`, `end_of` and `home_of` tell the places of values, edges and cells that somebody holds afterwards, which are
    to be asked for before `finish`.

    start, path, end  the trie node that it follows, and its own
    uses              (source, where it was, its aval) of the values that its ops read, in the order in which they were
                      met
    read              the sources whose values are read, or are among what somebody holds afterwards
    held              the slots that somebody holds afterwards; `nodes`: the nodes of the tape that lead from there;
                      `cells`: what cells hold
    """

    def __init__(self, mark: Mark, sources: Sources):
        rec = mark.rec
        self._rec, self._before = rec, mark.before
        self.start, self.path, self.end = mark.node, mark.path(), rec.node
        self._number_of = {v: k for k, v in reversed(list(enumerate(sources.values)))}
        self._edge_of = {e: k for k, e in reversed(list(enumerate(sources.edges))) if e is not None}
        self._cell_of = {c: k for k, c in reversed(list(enumerate(sources.cells))) if c is not None}
        self._nodes = rec.session.nodes[mark.taped :]
        self._taped = {node: k for k, node in enumerate(self._nodes)}
        self._wanted: set[int] = set()
        self._slots: dict[int, Aval] = {}
        self._cells: dict[Cell, int] = {}
        self.read: set[int] = set()
        self.uses = self._uses(mark)
        self.roots = rec.roots[mark.roots :]
        self.ended = rec.ended
        gradients = [g if type(g) is Value else g._cell.value for g in rec.gradients[mark.gradients :]]
        self.gradients = [self.place(g) for g in gradients]

    def place(self, v: Value) -> int:
        """Where a value is that is held afterwards."""
        if v.rec is self._rec and v.index >= self._before:
            self._slots[v.index] = v.aval
            return v.index
        if v not in self._number_of:
            raise NotReplayable("something is read that is not watched")
        self.read.add(self._number_of[v])
        return -1 - self._number_of[v]

    def end_of(self, edge: Any) -> tuple[int, int]:
        """Where an edge leads that is held afterwards, and to which output there."""
        node, out = edge
        number = self._taped.get(node)
        if number is not None:
            self._wanted.add(number)
            return number, out
        if edge not in self._edge_of:
            raise NotReplayable("the tape leads to something that is not watched")
        return -1 - self._edge_of[edge], out

    def home_of(self, cell: Cell) -> int:
        """Where a cell is that is held afterwards."""
        if cell in self._cell_of:
            self.read.add(self._cell_of[cell])
            return -1 - self._cell_of[cell]
        return self._cells.setdefault(cell, len(self._cells))

    def home_if_known(self, cell: Cell) -> int | None:
        """Where a cell is, if anything else has it: what was asked for so far, a source, or a node of the tape.

        None for one that is like new."""
        known = cell in self._cell_of or cell in self._cells
        return (
            self.home_of(cell) if known or any(cell in getattr(n, "cells", ()) for n in self._nodes) else None
        )

    def _uses(self, mark: Mark) -> list[tuple[int, Any, Aval]]:
        external = list(mark.rec.ext)
        wanted = {r for node in self.path for r in node.refs if r < mark.before}
        found = []
        for v, k in self._number_of.items():
            if v.rec is mark.rec and v.index in wanted:
                found.append((k, v.index, v.aval))
                wanted.discard(v.index)
        for r in sorted([r for r in wanted if r < 0], reverse=True):
            wanted.discard(r)
            v = external[-1 - r]
            if v not in self._number_of:
                raise NotReplayable("something is read that is not watched")
            found.append((self._number_of[v], r if -r <= mark.externals else NEW, v.aval))
        if wanted:
            raise NotReplayable("something is read that is not watched")
        self.read.update([k for k, _, _ in found])
        return found

    def finish(self, gradients: Sequence[tuple[int, Value]] = ()) -> Segment:
        """Ends the asking, and lets go of what it was made from. gradients: sources; `reads_gradients`: whether
        anything here is one of them."""
        self.nodes: list[tuple[int, _NodeOf]] = []
        for k in range(len(self._nodes) - 1, -1, -1):  # edges lead backwards
            if k in self._wanted:
                self.nodes.append((k, _NodeOf(self._nodes[k], self)))
        self.nodes.reverse()
        self.cells = [self.place(cell.value) for cell in self._cells]
        self.held = sorted(self._slots.items())
        self.reads_gradients = any(k in self.read or self._number_of[v] in self.read for k, v in gradients)
        for name in (
            "_rec",
            "_nodes",
            "_number_of",
            "_edge_of",
            "_cell_of",
            "_taped",
            "_wanted",
            "_slots",
            "_cells",
        ):
            delattr(self, name)
        return self

    def watched(self, node: Node) -> list[tuple[int, int]]:
        """The cells that a node watches and somebody may write to, and what they held."""
        mine = [(c, v) for c, v in zip(node.cells, node.seen) if c in self._cell_of or c in self._cells]
        return [(self.home_of(c), self.place(v)) for c, v in mine]

    def is_same(self, other: Segment) -> bool:
        """Returns whether another one, made at the same place, does the same."""
        return (
            self.start is other.start
            and self.path == other.path
            and self.uses == other.uses
            and (self.held, self.roots, self.gradients, self.ended)
            == (other.held, other.roots, other.gradients, other.ended)
            and self.cells == other.cells
            and len(self.nodes) == len(other.nodes)
            and all(k == j and a.is_same(b) for (k, a), (j, b) in zip(self.nodes, other.nodes))
        )

    def append(self, rec: Recorder, sources: Sources) -> Appended | None:
        """Appends it to a recording for these sources: what is held of it. None, and nothing is done, where the
        recording stands elsewhere, or the values are not where those were that it was made of."""
        start, rec.node = rec.node, BUSY
        if start is not self.start or rec.ended:
            rec.node = start
            return None
        ext, values = rec.ext, sources.values
        admitted, slots, ops, taped = len(ext), len(rec.slots), len(rec.path), len(rec.session.nodes)
        roots, gradients = len(rec.roots), len(rec.gradients)
        done = None
        try:
            for k, where, a in self.uses:
                v = values[k]
                if v.aval is not a:
                    break
                if v.rec is rec:
                    if v.index != where:
                        break
                elif where is NEW:
                    if v in ext:
                        break
                    if v.array is None and v.rec.__class__ is not Pack:
                        admit(rec, v)
                    ext[v] = -1 - len(ext)
                elif ext.get(v) != where:
                    break
            else:
                done = self._appended(rec, sources)
                return done
            return None
        finally:
            if done is None and rec.ext is ext:  # it does not fit, or an interrupt came
                del rec.path[ops:], rec.slots[slots:], rec.session.nodes[taped:]
                del rec.roots[roots:], rec.gradients[gradients:]
                while len(ext) > admitted:
                    ext.popitem()
            rec.node = self.start if done is None else self.end

    def _appended(self, rec: Recorder, sources: Sources) -> Appended:
        made, values, new = {}, sources.values, Value
        for index, a in self.held:
            made[index] = v = new()
            v.aval = a
            v.rec = rec
            v.index = index
            v.array = None
        rec.slots.extend(made.values())
        cells = []
        for at in self.cells:
            cell = Cell()
            cell.value, cell.level, cell.version = made[at] if at >= 0 else values[-1 - at], 0, 0
            cells.append(cell)
        done = Appended(made, cells, {}, sources)
        for k, template in self.nodes:
            done.nodes[k] = template.made(rec.session, done)
        rec.path.extend(self.path)
        rec.roots += self.roots
        rec.gradients += [made[g] if g >= 0 else values[-1 - g] for g in self.gradients]
        rec.ended = self.ended
        return done


class Appended:
    """Values, cells and nodes that an appended segment made, by its places."""

    __slots__ = ("_sources", "cells", "made", "nodes")

    def __init__(self, made: dict[int, Value], cells: list[Cell], nodes: dict[int, Node], sources: Sources):
        self.made, self.cells, self.nodes, self._sources = made, cells, nodes, sources

    def value(self, at: int) -> Value:
        """The value at a place."""
        return self.made[at] if at >= 0 else self._sources.values[-1 - at]

    def edge(self, at: tuple[int, int]) -> Any:
        """The edge that leads there."""
        k, out = at
        return (self.nodes[k], out) if k >= 0 else (self._sources.edges[-1 - k][0], out)

    def cell(self, at: int) -> Cell:
        """The cell there."""
        return self.cells[at] if at >= 0 else self._sources.cells[-1 - at]  # type: ignore[return-value]


class _NodeOf:
    """A node of the tape, to be made again."""

    __slots__ = ("cells", "edges", "freed", "saved", "seen", "step")

    def __init__(self, node: Any, segment: Segment):
        if type(node) is not Node or node.hooks is not None or node.pre_hooks is not None or node.retained:
            raise NotReplayable("a hook, or a function with a derivative of its own")
        self.step, self.freed = node.step, node.freed
        self.edges = [segment.end_of(e) for e in node.edges]
        self.saved = [(segment.place(v), None) if type(v) is Value else (None, v) for v in node.saved]
        watched = segment.watched(node)
        self.cells, self.seen = [c for c, _ in watched], [v for _, v in watched]

    def is_same(self, other: _NodeOf) -> bool:
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def made(self, session, done: Appended) -> Node:
        node = Node.__new__(Node)
        node.order = next(order)
        node.step = self.step
        node.session = session
        node.place = len(session.nodes)
        session.nodes.append(node)
        node.freed = self.freed
        node.edges = [done.edge(e) for e in self.edges]
        node.saved = tuple([x if at is None else done.value(at) for at, x in self.saved])
        node.cells = tuple([done.cell(c) for c in self.cells])
        node.seen = tuple([done.value(v) for v in self.seen])
        return node


def is_leaf(edge: Any) -> bool:
    """Returns whether an edge leads to a leaf."""
    return edge is not None and type(edge[0]) is Leaf
