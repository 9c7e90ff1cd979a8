"""Export with open sizes: the forward is recorded at several sizes, and the programs become one, in which sizes are
computed from the arguments'.

One of these runs is watched: each comparison of sizes that may come out in another way is noted with its line. At the
ends of the ranges the forward is recorded too. Conditions that hold for all these sizes are exported; a condition
that does not is a violation (`violations.py`), unless the size was requested to be dynamic only if possible.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from functools import partial
from typing import Any

from .._core.api import Graph, NotOneGraph, OpenGraph, Rows, Tensor, difference, lookup
from ..nn.modules.module import Module
from ..utils import _pytree as pytree
from .arguments import MOST
from .exported_program import ExportedProgram, leaves_of
from .exporting import exported_once
from .merging import merged
from .open_sizes import OpenSizes, sources_of
from .specified import specified
from .sym_int import Watch, watching
from .violations import Finder, Violated, guards_that_fail, refused

__all__ = ["Opening", "export_open"]

PASSES = 8
"""How often the forward is watched, each time with more sizes that are known to be some."""
ROUNDS = 24
"""How often what is asked of sizes is narrowed: each time by one, at least."""


def export_open(mod: Module, args: tuple, kwargs: dict[str, Any], shapes: Any, lenient: bool = False) -> ExportedProgram:  # fmt: skip
    """The program of a module with open sizes. lenient: what a Dim cannot be is noted in `program._report`, and put
    right. Raises UserError."""
    said = specified(mod, args, kwargs, shapes)
    tensors = [x for x in leaves_of(args, kwargs)[0] if isinstance(x, Tensor)]
    by_id = sources_of(mod, args, kwargs)
    sources = [by_id[id(t)] for t in tensors]
    notes: list[str] = []
    for _ in range(ROUNDS):
        sizes = OpenSizes(tensors, said, sources)
        if not sizes.symbols:
            made = exported_once(mod, args, kwargs)[0]
            break
        try:
            made = Opening(mod, args, kwargs, tensors, sizes).program()
            break
        except Violated as violated:
            said = violated.narrowed(said, sizes, lenient)
            notes += violated.items
    else:
        raise refused(f"after {ROUNDS} attempts there are still sizes that the program fixes:", notes)
    made._report = notes
    return made


class Opening:
    """A module and its arguments, whose open sizes are given values."""

    def __init__(
        self, mod: Module, args: tuple, kwargs: dict[str, Any], tensors: list[Tensor], sizes: OpenSizes
    ):
        self.mod, self.args, self.kwargs, self.tensors, self.sizes = mod, args, kwargs, tensors, sizes
        self._tried: dict[tuple[int, ...], tuple[ExportedProgram, Graph] | Exception] = {}
        self.first, self.example = exported_once(mod, args, kwargs)
        self._tried[sizes.hints] = self.first, self.example

    def at(self, values: Sequence[int], watch: Watch | None = None) -> tuple[ExportedProgram, Graph]:
        """The program where the symbols have these values. Raises what the forward raises."""
        values = tuple(values)
        found = self._tried.get(values) if watch is None else None
        if found is None:
            shapes = iter(self.sizes.shapes(self.tensors, values))
            leaves, spec = pytree.tree_flatten((self.args, self.kwargs))
            zeros: Any = lookup("torch", "zeros")
            now = [zeros(next(shapes), dtype=x.dtype, device=x.device, requires_grad=x.requires_grad) if isinstance(x, Tensor) else x for x in leaves]  # fmt: skip
            args, kwargs = pytree.tree_unflatten(now, spec)
            try:
                watched = contextlib.nullcontext if watch is None else partial(watching, watch)
                found = exported_once(self.mod, args, kwargs, watched)
            except Exception as error:
                self._tried[values] = error
                raise
            if watch is None:
                self._tried[values] = found
        if isinstance(found, Exception):
            raise found
        return found

    def fails(self, values: Sequence[int], like: Graph) -> Exception | None:
        """The reason why no such program exists where the symbols have these values; None if it exists."""
        try:
            _, graph = self.at(values)
        except Exception as error:  # whatever the forward raises
            return error
        return difference(like, graph)

    def program(self) -> ExportedProgram:
        """The program. Raises Violated."""
        sizes = self.sizes
        values = sizes.sets(self._numbers(self.example), 4)
        sets = [sizes.hints, *values[:2]] if min(sizes.hints) >= 2 else values[:3]
        watched = values[2] if min(sizes.hints) >= 2 else values[3]
        finder = Finder(self, sizes, sets[0])
        table = {p.at(sets[1]): sizes.expr(p) for p in sizes.places}
        watch = Watch(table)
        finder.guards = watch.guards
        self._watched(sets[1], watch, finder)
        for each in sets:
            if (error := self.fails(each, self._like(sets))) is not None:
                finder.find(each, error)
        graphs = [self.at(each)[1] for each in sets]
        shapes = sizes.shapes(self.tensors, sizes.exprs)
        rest = [a.shape for a in graphs[0].in_avals[len(shapes) :]]
        made = list(watch.made)
        for _ in range(PASSES):
            rows = Rows(sizes.names, sizes.exprs, sets)
            for expr in (*[sizes.expr(p) for p in sizes.places], *made):
                rows.note(expr)
            unknown = None
            try:
                self.open = OpenGraph(graphs, rows, [*shapes, *rest], sizes.bounds)
            except NotOneGraph as error:
                unknown = error
            known = {value: expr for expr in rows.known.values() if (value := sizes.value(expr, watched)) not in self._constants(graphs)}  # fmt: skip
            watch = Watch(known | {p.at(watched): sizes.expr(p) for p in sizes.places})
            self._watched(watched, watch, finder)
            if unknown is None:
                break
            more = {str(e): e for e in watch.made}.keys() - {str(e) for e in made}
            if not more:
                finder.unknown(unknown)
            made += [e for e in watch.made if str(e) in more]
        else:
            finder.unknown(unknown)  # type: ignore[arg-type]
        _, graph = self.at(watched)
        if (differs := self.open.disagrees(graph, graphs[0], watched)) is not None:
            finder.find(watched, differs)
        if failing := guards_that_fail(watch.guards, sizes):
            raise Violated(failing, sizes)
        self._look_at_ends(sets[1], graphs[0], finder)
        every = [*sets, watched]
        more = Rows(sizes.names, sizes.exprs, every)
        for expr in (*rows.known.values(), *watch.made):
            more.note(expr)
        return merged([self.at(each)[0] for each in every], more, sizes, (self.args, self.kwargs))

    def _like(self, sets: Sequence[tuple[int, ...]]) -> Graph:
        return self.example if sets[0] == self.sizes.hints else self.at(sets[0])[1]

    def _watched(self, values: tuple[int, ...], watch: Watch, finder: Finder) -> None:
        """Records the forward at these values, and sees how it does."""
        try:
            self._tried[values] = self.at(values, watch)
        except Exception as error:
            finder.find(values, error)

    def _numbers(self, graph: Graph) -> set[int]:
        """All sizes and static ints of a recording."""
        found = {n for a in graph.in_avals for n in a.shape}
        for step in graph.steps:
            found.update(n for a in step.avals for n in a.shape)
            found.update(_ints(step.static))
        return found

    def _constants(self, graphs: Sequence[Graph]) -> set[int]:
        """Values that are the same in all of some recordings."""
        return set.intersection(*[self._numbers(g) for g in graphs])

    def _look_at_ends(self, values: Sequence[int], like: Graph, finder: Finder) -> None:
        """Looks at the ends of the ranges.

        Sizes 0 and 1, which PyTorch excludes, are included where the program is the same."""
        for k, s in enumerate(self.sizes.symbols):
            at = lambda n, k=k: tuple([n if j == k else v for j, v in enumerate(values)])  # noqa: E731
            if s.min < 2:
                s.least = 2
                for n in range(1, s.min - 1, -1):
                    if self._differs(at(n), like) is None:
                        s.least = n
                    else:
                        break
            for end in [n for n in (s.min, s.max) if 2 <= n < MOST]:
                if (error := self._differs(at(end), like)) is not None:
                    works = lambda n, at=at: self._differs(at(n), like) is None  # noqa: E731
                    finder.end(k, values[k], end, works, error)

    def _differs(self, values: tuple[int, ...], like: Graph) -> Exception | None:
        """The reason why the forward is not such a program where the symbols have these values."""
        try:
            return self.open.disagrees(self.at(values)[1], like, values)
        except Exception as error:  # whatever the forward raises: it is not for such a size
            return error


def _ints(static: Any) -> list[int]:
    if type(static) is tuple:
        return [n for s in static for n in _ints(s)]
    return [static] if type(static) is int else []
