"""A noted run of a function, and the Step that it gives: what one kind of call does, to be done again without running
it."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.api import (
    Leaf,
    Tensor,
    bare,
    become_view,
    concrete,
    dispatch_ended,
    flush,
    make_tensor,
    make_value,
    one_piece,
    state,
)
from .._core.lazy.known import in_range
from .._core.lazy.pack import Hidden
from .._core.lazy.recorder import Recorder
from .._core.lazy.segment import Appended, Mark, Segment, Sources
from .._core.lazy.tensor import Cell, keep_version, same_version, writes
from .._core.lazy.value import Aval, Noting, Value
from .._core.words.device import ANY
from .._core.words.errors import NotReplayable
from ..func._trees import flatten, unflatten
from ..random.generator import Generator, default_generator, drawing
from .modes import modes
from .noting import Reads, noting
from .ran import Ran
from .ready import Ready
from .simple import is_simple
from .sources import given_cells, sources_of

if TYPE_CHECKING:
    from .watch import Watch

__all__ = ["NotedRun", "Step"]


class NotedRun:
    """A run of the function that is noted.

    While it goes on its tensors hide their numbers, so that nothing can depend on these.

    sources: what it may read; gets the values that hide. A run that `waits` begins to be noted when it has cleared the
    gradients of a recording that is ended, which are then no results of its program; `has_begun`: whether it was noted.
    """

    def __init__(self, tensors: Sequence[Tensor], watch: Watch, waits: bool = False):
        self.tensors, self.watch = tensors, watch
        self.modes = modes()
        self.generators = [default_generator, *watch.generators]
        if any(g._twister is not None for g in self.generators):
            raise NotReplayable("numbers are drawn as PyTorch draws them")
        self.counts = [(g._seed, g._drawn) for g in self.generators]
        self.edges = [(t, t._edge, t._lenses, t._cell) for t in (*tensors, *watch.tensors)]
        self._waits_for = Cleared(tensors, watch) if waits else None
        self.has_begun = False
        if self._waits_for is None or self._waits_for.is_not_for_it:
            if state.here.rec.ended:
                flush()
            self._waits_for = None
            self._begin()

    def _begin_cleared(self) -> None:
        """Dispatches the recording that is ended, whose gradients are cleared now, and begins to note what follows."""
        one_piece.cleared = None
        is_ended = state.here.rec.ended
        dispatch_ended()
        cleared = self._waits_for.cleared() if is_ended else None  # type: ignore[union-attr]
        if cleared is not None:
            for leaf, like in cleared:
                leaf.held = like
            self._begin()
            for leaf, _ in cleared:
                leaf.held = None

    def _begin(self) -> None:
        tensors, watch, rec = self.tensors, self.watch, state.here.rec
        self.has_begun = True
        self.sources = sources = sources_of(tensors, watch)
        self.mark = Mark(rec)
        self.bases = [(t._cell, t._cell.value) for t in tensors if t._lenses]
        self._hidden: dict[Value, Value] = {}
        sources.values[:] = [self._hide(v) if self._is_hidden(v, rec) else v for v in sources.values]
        for cell, v in zip(sources.cells, sources.values):
            if cell is not None:
                cell.value = v
        for t in tensors:
            if t._lenses:
                t._value = self._hidden.get(t._value, t._value)  # type: ignore[arg-type]
        self.leaves: dict[int, Leaf] = {}
        for k, e in enumerate(sources.edges):
            if e is not None and type(e[0]) is Leaf and e[0] not in self.leaves.values():
                self.leaves[k] = leaf = e[0]
                if type(leaf.held) is Value:
                    leaf.held = self._hidden.get(leaf.held, leaf.held)
        self.held = {k: leaf.held for k, leaf in self.leaves.items()}
        self.versions = [0 if c is None else c.version for c in sources.cells]

    def _is_hidden(self, v: Value, rec: Recorder) -> bool:
        """Returns whether a value is to hide.

        A value that the recording has read stays an input, and is guarded by Reads alone; an integer may be an index,
        and its range is checked."""
        if v.rec is rec or v.aval.weak:
            return False
        return v not in rec.ext or not v.aval.dtype.is_floating_point

    def _hide(self, v: Value) -> Value:
        found = self._hidden.get(v)
        if found is None:
            found = self._hidden[v] = make_value(v.aval, Hidden(v))
            keep_version(v, found)  # what was saved for a backward is what it was
        return found

    def __call__(self, fn: Callable, args: tuple, kwargs: dict, fullgraph: bool = False) -> Any:
        self.ranges: list[tuple[Value, int, int]] = []
        self.made: list[Value] = []
        noting.on = one_piece.on = True
        one_piece.ended = False
        if self._waits_for is not None:
            one_piece.cleared = self._begin_cleared
        try:
            with Reads(fullgraph) as self.reads, Ran() as self.ran, drawing() as self.keys:
                made: list[Value] = Noting.made  # type: ignore[assignment]
                first = len(made)
                try:
                    result = fn(*args, **kwargs)
                finally:
                    self.made = made[first:]
            if self.reads.error is not None:  # which the function caught
                raise self.reads.error
            return result
        finally:
            noting.on = one_piece.on = False
            one_piece.cleared = None
            rec = state.here.rec
            if one_piece.ended and not rec.level and rec.path:
                rec.ended = (
                    True  # the function's end is that of the piece of work which a step in it would end
                )
            self.was_read = False
            if self.has_begun:
                self._show()

    def _show(self) -> None:
        for v in self._hidden.values():
            hidden = v.rec
            if type(hidden) is Hidden:  # not so after an interrupt
                self.was_read = self.was_read or hidden.was_read
                self.ranges += [(v, *r) for r in dict.fromkeys(hidden.ranges)]
                hidden.shown(v)

    def step(self, result: Any) -> Step:
        """Returns the Step that the noted run gives: the segment that it recorded, what cells and leaves hold
        afterwards, and how `result`, which the function returned, is made again. Raises NotReplayable where appending
        the segment would not do what the function did: a value was read, a mode or a tensor's place on the tape was
        changed, an argument that is a view was written to, a gradient is a view or on the tape, or no recorded op drew
        something random."""
        if self.reads.why or self.was_read:
            raise NotReplayable(self.reads.why or "a value is read")
        if state.here.rec is not self.mark.rec:
            raise NotReplayable("a recording ends in it: of too many ops, or on another device")
        if modes() != self.modes:
            raise NotReplayable("it changes a mode")
        for t, edge, lenses, cell in self.edges:
            if t._cell is not cell or t._lenses is not lenses or (not lenses and t._edge is not edge):
                raise NotReplayable("it changes what a tensor is: its place on the tape, or its shape")
        if any(cell.value is not v for cell, v in self.bases):
            raise NotReplayable("it writes to an argument that is a view")
        drawn = self._draws()
        made = {id(v) for v in self.made}
        sources, known = self.sources, set(self.sources.values)
        keys = {id(key): k for k, (_, key) in enumerate(self.keys)}
        constants: list[Value] = []
        found: dict[int, Value] = {}
        for v in list(self.mark.rec.ext)[self.mark.externals :]:
            if v not in known and id(v) in made:
                if id(v.array) in keys:
                    found[keys[id(v.array)]] = v
                else:
                    constants.append(v)
        if len(found) < len(drawn):
            raise NotReplayable("something random is not drawn by a recorded op")
        kind = SourcesKind(sources, self.watch, self.ranges)
        n, first = kind.n, kind.homes
        for v in [*constants, *[found[k] for k in range(len(drawn))]]:
            sources.add(v)
        segment = Segment(self.mark, sources)
        effects = [
            (
                k,
                segment.place(c.value),
                c.version - self.versions[k],
                same_version(sources.values[k], c.value),
            )
            for k, c in enumerate(sources.cells[:n])
            if c is not None and first[c] == k and c.value is not sources.values[k]
        ]
        shown = _Shown(result, self.tensors, self.watch.tensors, segment)
        held: list[tuple[int, int | None, int | None]] = []
        for k, leaf in self.leaves.items():
            now = leaf.held
            if now is self.held[k]:
                continue
            if isinstance(now, Tensor) and (type(now) is not Tensor or now._lenses or now._edge is not None):
                raise NotReplayable("a gradient is a view, or on the tape")
            v = now if now is None or type(now) is Value else now._cell.value
            home = segment.home_if_known(now._cell) if isinstance(now, Tensor) else None
            held.append((k, None if v is None else segment.place(v), home))
        written = {k for k, *_ in effects}
        segment.finish([(k, sources.values[k]) for k in sources.gradients])
        if not segment.reads_gradients and written.isdisjoint(sources.gradients):
            kind.loosen()
        cleared = self._cleared([k for k, _, _ in held], n, segment.read)
        step = Step(segment, kind, effects, held, cleared, constants, drawn, shown)
        if step.is_pure:
            by_arguments = n == len(self.tensors) and not (kind.values or kind.cells or kind.ranges)
            step.ready = Ready(segment, self.tensors, self.watch, self.modes, by_arguments)
        return step

    def _cleared(self, replaced: list[int], n: int, read: set[int]) -> list[tuple[int, int]]:
        """Lists the gradients that are replaced and not read before: sources, each after its leaf's tensor."""
        at: dict[Value, list[int]] = {}
        for i, v in enumerate(self.sources.values[:n]):
            at.setdefault(v, []).append(i)
        found = []
        for k in replaced:
            v = self.held[k]
            if type(v) is Value and len(at[v]) == 1 and at[v][0] not in read:
                found.append((k, at[v][0]))
        return found

    def _draws(self) -> list[Generator]:
        """The generators of its draws, in their order."""
        for g, (seed, drawn) in zip(self.generators, self.counts):
            n = sum(of is g for of, _ in self.keys)
            if g._seed != seed or g._drawn != drawn + n:
                raise NotReplayable("it seeds a generator")
        if any(key is None or of not in self.generators for of, key in self.keys):
            raise NotReplayable("something random is drawn of a generator of its own")
        return [of for of, _ in self.keys]


class Cleared:
    """The gradients that leaves hold before a run that is expected to clear them: told by their ids, for whoever holds
    them makes them results of a program. is_not_for_it: whether they can be reached in another way."""

    def __init__(self, tensors: Sequence[Tensor], watch: Watch):
        mine = (*tensors, *watch.tensors)
        self._versions = [(t._cell, t._cell.version) for t in mine]
        self._was: list[tuple[Leaf, int, Aval, weakref.ref | None]] = []
        known = {i for t in mine for i in (id(t), id(t._cell), id(t._cell.value))}
        self.is_not_for_it = any(t._lenses for t in tensors)
        for leaf in dict.fromkeys(
            [t._edge[0] for t in mine if t._edge is not None and type(t._edge[0]) is Leaf]
        ):
            held: Any = leaf.held
            if type(held) is Value:
                self._was.append((leaf, id(held), held.aval, None))
                ids = {id(held)}
            elif held is None:
                continue
            else:
                self._was.append((leaf, id(held), held._aval, weakref.ref(held)))
                ids = {id(held), id(held._cell), id(held._cell.value)}
                self.is_not_for_it |= type(held) is not Tensor or bool(held._lenses) or held._edge is not None
            self.is_not_for_it |= not known.isdisjoint(ids)
            known |= ids

    def cleared(self) -> list[tuple[Leaf, Any]] | None:
        """The leaves that hold nothing now, each with something like what it held; None where more happened than
        that."""
        found = []
        for leaf, was, a, ref in self._was:
            if leaf.held is None:
                v = make_value(a)
                found.append((leaf, v if ref is None else make_tensor(v, 0)))
            elif id(leaf.held) != was or (
                type(leaf.held) is not Value if ref is None else ref() is not leaf.held
            ):
                return None
        return found if all(cell.version == n for cell, n in self._versions) else None


class _Shown:
    """The result of a function, to be rebuilt: a tree of tensors, which are its sources' or new, and of constant
    values."""

    def __init__(self, result: Any, given: Sequence[Tensor], own: Sequence[Tensor], segment: Segment):
        leaves, self.structure = flatten(result)
        self._given = {id(t): k for k, t in reversed(list(enumerate(given)))}
        self._own = {id(t): t for t in own}
        self._segment: Segment | None = segment
        self.tensors: list[tuple] = []
        self._number: dict[int, int] = {}
        self.leaves = [self._leaf(x) for x in leaves]
        del self._given, self._own, self._segment, self._number

    def _leaf(self, x: Any) -> tuple[str, Any]:
        if not isinstance(x, Tensor):
            if not is_simple(x):
                raise NotReplayable(f"it returns an object of type {type(x).__name__}")
            return "simple", x
        if id(x) in self._given:
            return "given", self._given[id(x)]
        if id(x) in self._own:
            return "own", x
        return "new", self._new(x)

    def _new(self, t: Tensor) -> int:
        """The number of a tensor that the function made."""
        number = self._number.get(id(t))
        if number is not None:
            return number
        segment = self._segment
        assert segment is not None
        if type(t) is not Tensor:
            raise NotReplayable("it returns a tensor of a class of its own")
        edge = t._edge
        end = None if edge is None else segment.end_of(edge)
        root = None if t._root is None else self._leaf(t._root)
        seen = segment.place(t._value) if t._lenses and t._seen is t._cell.value else None  # type: ignore[arg-type]
        self.tensors.append((segment.home_of(t._cell), t._aval, end, t._lenses, root, seen))
        self._number[id(t)] = len(self.tensors) - 1
        return len(self.tensors) - 1

    def is_same(self, other: _Shown) -> bool:
        """Returns whether it is made of the same places."""
        mine, others = [[(*t[:3], len(t[3]), *t[4:]) for t in s.tensors] for s in (self, other)]
        return self.structure == other.structure and self.leaves == other.leaves and mine == others

    def made(self, done: Appended, given: Sequence[Tensor]) -> Any:
        """Makes the result again, of what a segment made."""
        new: list[Tensor] = []

        def leaf(kind: str, x: Any) -> Any:
            return given[x] if kind == "given" else new[x] if kind == "new" else x

        for home, a, end, lenses, root, seen in self.tensors:
            t = bare(Tensor)
            t._cell, t._aval = done.cell(home), a
            if end is not None:
                t._edge = done.edge(end)
            if lenses:
                become_view(t, leaf(*root), lenses)
                if seen is not None:
                    t._seen, t._value = t._cell.value, done.value(seen)
            new.append(t)
        return unflatten(self.structure, [leaf(*x) for x in self.leaves])


class SourcesKind:
    """Conditions on sources, so that what was noted of some holds of others: as many, the same ones one value or one
    cell, and integers in range that are looked at (where they are not, running the function raises). `homes`: the first
    source of each cell."""

    def __init__(self, sources: Sources, watch: Watch, ranges: Sequence[tuple[Value, int, int]]):
        first: dict[Value, int] = {}
        self.homes: dict[Cell, int] = {}
        values, cells = sources.values, sources.cells
        self.n, self.shape = len(values), tuple(sources.shape)
        equal = [(k, first.setdefault(v, k)) for k, v in enumerate(values)]
        self.values = [(k, f) for k, f in equal if k != f]
        together = [(k, self.homes.setdefault(c, k)) for k, c in enumerate(cells) if c is not None]
        self.cells = [(k, f) for k, f in together if k != f]
        self.given = given_cells(sources, watch)
        self.is_loose = False
        self.n_cells = (
            len(set(cells)) if 2 in self.shape else 0
        )  # gradients may be one Tensor, or one that is watched
        self.ranges = [(first[v], low, high) for v, low, high in ranges]

    def loosen(self) -> None:
        """Says that no gradient is read or written to: it is all the same whether a leaf holds a Tensor or a Value."""
        self.is_loose, self.n_cells = True, 0
        self.shape = _loose(self.shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SourcesKind) and vars(self) | {"homes": 0} == vars(other) | {"homes": 0}

    __hash__ = None  # type: ignore[assignment]

    def fits(self, sources: Sources, watch: Watch) -> bool:  # hot path
        """Returns whether they are so."""
        values, cells, shape = sources.values, sources.cells, tuple(sources.shape)
        if len(values) != self.n or (
            shape != self.shape and not (self.is_loose and _loose(shape) == self.shape)
        ):
            return False
        for k, f in self.values:
            if values[k] is not values[f]:
                return False
        for k, f in self.cells:
            if cells[k] is not cells[f]:
                return False
        for k, low, high in self.ranges:
            if not in_range(values[k], low, high):
                return False
        if self.n_cells and len(set(cells)) != self.n_cells:
            return False
        return self.given == given_cells(sources, watch)


def _loose(shape: Sequence[Any]) -> tuple:
    return tuple([2 if s == 1 else s for s in shape])


class Step:
    """The effect of one kind of call at one place of the trie: a segment, and what becomes of its tensors.

    kind     how its sources are
    effects  (source, place, versions, same): what cells hold afterwards, and whether derivatives see no other version;
             `held`: (source, place or None, cell or None): what leaves hold
    cleared  (source of a leaf, source of its gradient) where the gradient is replaced and nothing reads it
    ready    whether it is computed at once, where it can be
    """

    ready: Ready | None = None

    def __init__(
        self, segment: Segment, kind: SourcesKind, effects: list, held: list, cleared: list, constants: list[Value], draws: list[Generator],
        shown: _Shown,
    ):  # fmt: skip
        self.segment, self.kind = segment, kind
        self.effects, self.held, self._cleared = effects, held, cleared
        self.constants, self.draws, self.shown = constants, draws, shown
        kind.homes = {}

    @property
    def is_pure(self) -> bool:
        """Returns whether all that it does is to make what it returns, of sources, with nothing on the tape."""
        s = self.segment
        does = (self.effects, self.held, self._cleared, self.constants, self.draws)
        return not any((*does, s.nodes, s.roots, s.gradients, s.ended))

    def is_same(self, other: Step) -> bool:
        """Returns whether another one, of the same place, does the same. (Constants differ on every call.)"""
        return (
            self.segment.is_same(other.segment)
            and (self.kind, self.effects, self.held, self.draws)
            == (other.kind, other.effects, other.held, other.draws)
            and all(map(_same_constant, self.constants, other.constants))
            and self.shown.is_same(other.shown)
        )

    def takes_numbers_like(self, other: Step) -> bool:
        """Returns whether the numbers that are part of its program are so in another's."""
        mine, theirs = self.segment.path, other.segment.path
        alike = len(mine) != len(theirs) or all(a.numbers == b.numbers for a, b in zip(mine, theirs))
        return alike and len(self.constants) == len(other.constants)

    def shows(self) -> set[int]:
        """The slots that tensors hold afterwards, and not the tape alone."""
        held = [place for _, place, _ in self.held if place is not None]
        seen = [t[-1] for t in self.shown.tensors if t[-1] is not None]
        return {
            *self.segment.cells,
            *[place for _, place, *_ in self.effects],
            *held,
            *seen,
            *self.segment.roots,
            *self.segment.gradients,
        }

    def clear(self, sources: Sources) -> None:  # hot path
        """Clears the gradients that are replaced, before the recording that made them is dispatched: then they are
        not results of its program."""
        for k, gradient in self._cleared:
            sources.values[gradient] = sources.cells[gradient] = None  # type: ignore[call-overload]
            sources.edges[k][0].held = None

    def replay(
        self, rec: Recorder, sources: Sources, given: Sequence[Tensor]
    ) -> tuple[Any] | None:  # hot path
        """Does it; its result, in a tuple. None, and nothing is done, where it has to be run."""
        for v in self.constants:
            sources.add(v)
        counts = [(g, g._drawn) for g in self.draws]
        for g in self.draws:
            sources.add(concrete(g.key(), ANY))
        done = None if self.ready is None else self.ready.computed(rec, sources.values)
        if done is None:
            done = self.segment.append(rec, sources)
        if done is None:
            for g, drawn in reversed(counts):
                g._drawn = drawn
            return None
        made, values, cells, edges = done.made, sources.values, sources.cells, sources.edges
        for k, at, versions, same in self.effects:
            cell: Any = cells[k]
            old, cell.value = cell.value, made[at] if at >= 0 else values[-1 - at]
            if same:
                keep_version(old, cell.value)
            cell.version += versions
        if self.effects:
            writes.last = object()
        for k, place, home in self.held:
            held: Any = None if place is None else made[place] if place >= 0 else values[-1 - place]
            if home is not None:
                held = make_tensor(held, 0)
                held._cell = done.cell(home)
            edges[k][0].held = held
        return (self.shown.made(done, given),)


def _same_constant(a: Value, b: Value) -> bool:
    x, y = a.array, b.array
    if a.aval is not b.aval:
        return False
    if a.aval.weak:
        return x is y or repr(x) == repr(y)
    return (
        x is y or np.asarray(x).tobytes() == np.asarray(y).tobytes()
    )  # not by JAX, which would compare halves of 64 bits
