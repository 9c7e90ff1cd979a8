"""Removal of steps that do nothing, and folding of tensors that hold one number: a Graph to a Graph with the same
results, to the bit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from ..._core.api import OPS, Applied, Builder, Graph, apply_once, from_numpy, hashed
from .known import Moved, Uniform, known, normal

__all__ = ["depending", "simplify"]

_OF_SHAPES = frozenset(["create.full_like", "create.ones_like", "create.zeros_like"])


class _Maker:
    """A new Graph, with the replacements of an old one's values: references, or numbers that become tensors only when
    they are read."""

    def __init__(self, graph: Graph):
        self.made = Builder(graph.in_avals, graph.n_inputs)
        self.now: dict[int, int] = {-1 - i: -1 - i for i in range(len(graph.in_avals))}
        """References in the new Graph, by those in the old one."""
        self.uniform: dict[int, Uniform] = {}
        self.source: dict[int, tuple[int, tuple]] = {}
        """The value that a value of the new Graph is a moved or converted form of."""
        self.first: dict[tuple[int, tuple], int] = {}
        self._tensors: dict[tuple, int] = {}

    def origin(self, ref: int) -> tuple[int, tuple]:
        """The value that a value is a form of, and how it is made of it."""
        return self.source.get(ref, (ref, ()))

    def read(self, old: int, aval: Any) -> int:
        """A reference to what stood for this in the old Graph."""
        if old in self.now:
            return self.now[old]
        u = self.uniform[old]
        key = (u.key, aval)
        found = self._tensors.get(key)
        if found is None:
            number = u.number.item()
            (found,) = self.made.add(
                OPS["create.full"], (aval.shape, aval.dtype), [(type(number), hashed(number))]
            )
            self._tensors[key] = found
        self.now[old] = found
        return found


def simplify(
    graph: Graph, differentiated: Collection[int] = (), moved: dict[int, int] | None = None
) -> Graph:
    """Removes steps that do nothing; tensors of one number that are computed from nothing else are made at once.

    differentiated: the inputs that gradients are wanted of. The sum that is the gradient of a value with several
    readers is added up in the order of these; so of what is differentiated only what is read there alone is removed.
    A value with a gradient of zeros keeps it. moved: receives the positions of values in the new Graph.
    """
    new = _Maker(graph)
    taped = depending(graph, differentiated)
    readers = Counter([r for step in graph.steps for r in step.refs] + list(graph.outputs))
    for step in graph.steps:
        avals = step.applied.in_avals
        facts = known(step.applied, [new.uniform.get(r) for r in step.refs])
        outs = range(step.base, step.base + step.n_out)
        if all(isinstance(f, Uniform) for f in facts) and step.refs and not taped[step.base]:
            new.uniform.update(zip(outs, facts))  # type: ignore[arg-type]
            continue
        refs = [new.read(r, a) for r, a in zip(step.refs, avals)]
        applied = step.applied
        fact = facts[0] if len(facts) == 1 and not step.stop else None
        total = None
        if isinstance(fact, Moved):
            at = step.refs[fact.input]
            aval = avals[fact.input]
            start, how = new.origin(refs[fact.input])
            origin = new.made.aval(start)
            # the gradient of an input that is not differentiated is nobody's, and one reader is no sum
            alone = readers[at] == 1 and not how and aval.taped == step.avals[0].taped
            if not taped[step.base] or (alone and sum(taped[r] for r in step.refs) == 1):
                total = start, normal(origin.shape, origin.dtype.np, (*how, *fact.how))
                there = start if not total[1] else new.first.get(total)
                if there is not None and new.made.aval(there) is step.avals[0]:
                    new.now[step.base] = there
                    continue
                if len(total[1]) == 1:
                    applied, refs = _directly(start, origin, applied, total[1], refs)
        made = new.made.add_applied(applied, refs, step.stop, step.source, step.avals)
        new.now.update(zip(outs, made))
        if total is not None:
            new.source[made[0]] = total
            new.first.setdefault(total, made[0])
        for old, f in zip(outs, facts):
            if isinstance(f, Uniform):
                new.uniform[old] = f
    out_avals = graph.out_avals()
    outputs = [new.read(o, a) for o, a in zip(graph.outputs, out_avals)]
    if moved is not None:
        moved.update(new.now)
    return new.made.graph(outputs)


def _directly(
    start: int, origin: Any, applied: Applied, how: tuple, refs: list[int]
) -> tuple[Applied, list[int]]:
    """An op that does this at once to what the step's input was made of, if there is one and it spares a step."""
    if refs == [start]:
        return applied, refs
    ((what, to),) = how
    if what == "transpose":
        return applied, refs
    if what == "convert":
        direct = apply_once(OPS["_cast"], (from_numpy(to),), (origin,))
    else:
        direct = apply_once(OPS["reshape"], (to,), (origin,))
    return (direct, [start]) if direct.avals == applied.avals else (applied, refs)


def depending(graph: Graph, differentiated: Collection[int]) -> dict[int, bool]:
    """Tells, by reference, whether a value depends on the inputs `differentiated`. Those that have the shape of another
    alone, as of zeros_like, do not."""
    found = {-1 - i: i in differentiated for i in range(len(graph.in_avals))}
    for step in graph.steps:
        depends = step.op.name not in _OF_SHAPES and any(found[r] for r in step.refs)
        for k in range(step.n_out):
            found[step.base + k] = depends
    return found
