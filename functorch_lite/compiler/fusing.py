"""Attention that a marked function writes out, fused as it is recorded.

A run that is noted tells which of its products end an attention of which nothing is read elsewhere (`approved`). In
runs after it `scaled_dot_product_attention` is recorded in the place of these products; scores and weights, which
nothing reads then, are in no program. So what the function does besides, and what its derivatives lead to, stays as it
is.
"""

from __future__ import annotations

import functools
from bisect import bisect_right
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from .._core.api import (
    Aval,
    Builder,
    Formula,
    Graph,
    Tensor,
    Value,
    apply_once,
    autocast,
    hashed,
    make_tensor,
    read,
    state,
)
from .._core.api import apply as plain
from .._core.lazy.recorder import slots_before
from .._core.lazy.tape import Node
from .graphs.run import run_graph

if TYPE_CHECKING:
    from .._core.lazy.trie import TrieNode
    from .passes.attention import Attention

__all__ = ["Products", "approved"]

_PRODUCTS = ("matmul", "bmm", "einsum")
_SCORES = (*_PRODUCTS, "baddbmm")
_EXPONENTIALS = ("nn.functional.softmax", "exp")

MOST_STEPS, MOST_DEPTH, FEW = 64, 24, 6
"""Limits of the search for attention: steps before the product that ends it, and before that of queries and keys."""


class Products:
    """A context in which this thread's eager products are counted, and those numbered in `fused` are recorded as the
    attention that they end.

    places: the trie node of each product.
    """

    def __init__(self, fused: Collection[int] = ()):
        self.fused = fused
        self.places: list[TrieNode | None] = []

    def __enter__(self) -> Products:
        autocast.STATE.on += 1
        self._before, autocast.LOCAL.instead = autocast.LOCAL.instead, self
        return self

    def __exit__(self, *_: Any) -> None:
        autocast.LOCAL.instead = self._before
        autocast.STATE.on -= 1

    def __call__(self, op: Any, static: Any, inputs: Sequence[Any]) -> Any:
        if op.name not in _PRODUCTS or len(inputs) != 2 or state.rec.level or state.here.run_at_once:
            return plain(op, static, inputs)
        number = len(self.places)
        self.places.append(None)
        out = _fused(op, static, inputs) if number in self.fused else None
        if out is None:
            out = plain(op, static, inputs)
            self.places[number] = state.rec.path[-1] if state.rec.path else None
        return out


def approved(
    places: Sequence[TrieNode | None],
    path: Sequence[TrieNode],
    external: Sequence[Value],
    held: Collection[int],
) -> dict[int, int]:
    """The numbers of the products in a recorded stretch that end an attention of which nothing else is read: by no
    other step, and not by who holds these slots afterwards. (Derivatives of what goes do not count: they go too.) For
    each, how many steps that is."""
    if not any(n.op.name in _EXPONENTIALS for n in path):
        return {}
    at = {id(n): k for k, n in enumerate(path)}
    readers: dict[int, list[int]] = {}
    for k, node in enumerate(path):
        if not isinstance(node.op, Formula):
            for r in node.refs:
                readers.setdefault(r, []).append(k)
    found = {}
    for number, place in enumerate(places):
        k = at.get(id(place))
        if k is None or path[k].stop or path[k].refs[0] < 0:
            continue
        cut = _Slice(path[:k], external, path[k].applied, path[k].refs)
        match = _matched(cut.graph)
        if match is None:
            continue
        inner = [r for r, v in cut.at.items() if v in match.inner]
        inside = {k, *[cut.maker(r) for r in inner]}
        if all(r not in held and inside.issuperset(readers.get(r, ())) for r in inner):
            found[number] = len(inside)
    return found


class _Slice:
    """The steps before a product that may be of the attention that it ends, as a Graph of their own: alike wherever it
    is recorded.

    graph  it; its result is the product
    at     by reference in the recording, what a value is in the Graph
    replaced  nodes of the tape that the fused attention stands for, as `edges` found them
    """

    def __init__(
        self, path: Sequence[TrieNode], external: Sequence[Value], applied: Any, refs: Sequence[int]
    ):
        self._path, self._product = path, refs
        self._bases = [n.base for n in path]
        self._steps = {k: path[k] for k in sorted(self._chosen())}
        avals = dict(zip(refs, applied.in_avals))
        for step in self._steps.values():
            avals.update(zip(step.refs, step.applied.in_avals))
        given = {s.base + i for s in self._steps.values() for i in range(s.n_out)}
        # a place that has seen several numbers takes them as inputs: here each is the number that it is
        numbers = {r: _number(external[-1 - r]) for r, a in avals.items() if r < 0 and a.weak}
        outside = [r for r in avals if r not in given and r not in numbers]
        made = Builder([avals[r] for r in outside], len(outside))
        self.at = {r: -1 - k for k, r in enumerate(outside)}
        for s in self._steps.values():
            if numbers.keys().isdisjoint(s.refs):
                outs = made.add_applied(s.applied, [self.at[r] for r in s.refs], s.stop, None, s.avals)
            else:
                now = iter([numbers.get(r) or self.at[r] for r in s.refs])
                full = [next(now) if type(x) is Aval else x for x in s.applied.inputs]
                outs = made.add(s.op, s.static, full, s.stop)
            self.at.update(zip(range(s.base, s.base + s.n_out), outs))
        self.graph = made.graph(made.add_applied(applied, [self.at[r] for r in refs]))

    def _chosen(self) -> set[int]:
        """The numbers of the steps: back from the weights to the product of queries and keys, and a few before that."""
        found: set[int] = set()
        now = [(self._product[0], MOST_DEPTH, False)]
        while now:
            then = []
            for ref, depth, is_before in now:
                k = self.maker(ref)
                if k is None or k in found or not depth or len(found) >= MOST_STEPS:
                    continue
                node = self._path[k]
                is_product = node.op.name in _SCORES
                if is_product and is_before:
                    continue
                found.add(k)
                left = min(depth - 1, FEW) if is_product else depth - 1
                then += [(r, left, is_before or is_product) for r in node.refs]
            now = then
        return found

    def maker(self, ref: int) -> int | None:
        """The number of the step that gives a value."""
        k = bisect_right(self._bases, ref) - 1
        return k if ref >= 0 and k >= 0 and ref < self._bases[k] + self._path[k].n_out else None

    def edges(self, match: Attention, given: Sequence[Any]) -> list[tuple[int, Any]] | None:
        """Where the inputs of the fused attention are in the recording, and in the tape. given: the edges of the
        product's operands. None where the tape leads elsewhere than the recording does: a tensor that is also read
        detached, a hook, an intermediate leaf."""
        found: dict[int, tuple[int, Any]] = {}
        self.replaced: list[Node] = []
        todo = list(zip(self._product, given))
        while todo:
            ref, edge = todo.pop()
            if ref not in self.at:  # a number
                continue
            number = match.takes.get(self.at[ref])
            if number is not None:
                if found.setdefault(number, (ref, edge)) != (ref, edge):
                    return None
                continue
            k = self.maker(ref)
            step = None if k is None else self._steps.get(k)
            if step is None:
                continue
            node = None if edge is None else edge[0]
            if node is not None and not _is_plain(node, step):
                return None
            if node is not None:
                self.replaced.append(node)
            refs = iter(step.refs)
            for i, spec in enumerate(step.applied.inputs):
                if type(spec) is Aval:
                    todo.append((next(refs), None if node is None else node.edge_of(i)))
        n = len(match.graph.in_avals)
        return [found[k] for k in range(n)] if len(found) == n else None


def _number(v: Value) -> tuple[type, Any]:
    return type(v.array), hashed(v.array)


def _is_plain(node: Any, step: TrieNode) -> bool:
    """Returns whether a node of the tape belongs to this step, and no gradient is requested there."""
    return (
        type(node) is Node
        and node.step is step
        and not (node.freed or node.hooks or node.pre_hooks or node.retained)
    )


@functools.lru_cache(256)
def _matched(graph: Graph) -> Attention | None:
    from .passes.attention import attention_at_end  # which is not loaded before there is a softmax

    return attention_at_end(graph)


def _fused(op: Any, static: Any, inputs: Sequence[Any]) -> Tensor | None:
    """The attention that a product of these ends, recorded; None where it ends none."""
    rec = state.rec
    values = [read(x) for x in inputs]
    refs = [v.index if v.rec is rec else rec.ext.get(v, -1 - len(rec.ext) - k) for k, v in enumerate(values)]
    if refs[0] < 0:
        return None
    external = list(rec.ext)
    cut = _Slice(rec.path, external, apply_once(op, static, tuple([v.aval for v in values])), refs)
    match = _matched(cut.graph)
    found = None if match is None else cut.edges(match, [x._edge for x in inputs])
    if match is None or found is None:
        return None
    known = {(r, x._edge): x for r, x in zip(refs, inputs)}
    given = [
        known[at] if at in known else make_tensor(_value(rec, external, at[0]), 0, at[1]) for at in found
    ]
    out = run_graph(match.graph, given)[0]
    if out._edge is not None:
        _watch(out._edge[0], cut.replaced, {read(x) for x in given})
    return out


def _watch(node: Any, replaced: Sequence[Node], values: Collection[Value]) -> None:
    """Makes a node watch the inputs that the replaced nodes watch and that it reads itself: they may not be
    overwritten before the derivative is taken."""
    pairs = {(id(c), v): c for n in replaced for c, v in zip(n.cells, n.seen) if v in values}
    node.cells = [*node.cells, *pairs.values()]
    node.seen = [*node.seen, *[v for _, v in pairs]]


def _value(rec: Any, external: Sequence[Value], ref: int) -> Value:
    """The value that a reference stands for."""
    return external[-1 - ref] if ref < 0 else rec.slots[slots_before(rec, ref)]
