"""Attention written out, as `scaled_dot_product_attention`: softmax(q kᵀ scale + mask) v in whatever way it is spelled.

Its derivative computes the weights again, so they are not kept. Where something else reads weights or scores, or the
softmax is over another axis, nothing is done. A query whose keys are all masked by -inf gets zeros, as from
`scaled_dot_product_attention`, where the softmax gives nan.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any, NamedTuple

from ..._core.api import OPS, Builder, Graph
from .canonical import canonical
from .products import with_products
from .simplify import simplify
from .spelled_attention import PRODUCTS, Change, Found, Steps, found_at

__all__ = ["Attention", "attention_at_end", "fuse_attention"]


def fuse_attention(graph: Graph) -> tuple[Graph, int]:
    """The Graph with attention in the place of what does the same, and how many there are.

    It is to be canonical (see `canonical`)."""
    seen = Steps(with_products(graph, {}))
    found = {k: at for k in range(len(seen.graph.steps)) if (at := found_at(seen, k)) is not None}
    while found:
        made = _rebuilt(seen, found, {})
        if isinstance(made, Graph):
            return made, len(found)
        del found[made]  # the op does not take what is there, such as a mask of another dtype
    return graph, 0


class Attention(NamedTuple):
    """Attention that a Graph ends in, fused.

    graph  it, of the values numbered in `reads` to the Graph's result
    takes  for each value of the Graph that one of `graph`'s inputs is, the number of that input
    inner  the values of the Graph that are computed no more
    """

    graph: Graph
    takes: dict[int, int]
    inner: frozenset[int]


def attention_at_end(graph: Graph) -> Attention | None:
    """The attention that a Graph's only result is computed by in its last step, if that is what it is.

    A query whose keys are all masked gets nan, as the softmax has it."""
    first: dict[int, int] = {}
    then: dict[int, int] = {}
    products: dict[int, int] = {}
    now: dict[int, int] = {}
    plain = canonical(simplify(graph, (), first), then)
    seen = Steps(with_products(plain, products))
    at = {old: products[then[new]] for old, new in first.items() if new in then}
    last = max((k for k, s in enumerate(seen.graph.steps) if s.op.name in PRODUCTS), default=None)
    found = None if last is None else found_at(seen, last)
    if last is None or found is None:
        return None
    made = _rebuilt(seen, {last: found}, now, fills=False)
    if not isinstance(made, Graph):
        return None
    slots = {s.base for k, s in enumerate(seen.graph.steps) if k in found.dead}
    inner = frozenset([old for old, new in at.items() if new in slots])
    takes = {now[new]: old for old, new in reversed(at.items()) if new in now and old not in inner}
    del takes[made.outputs[0]]
    return _ending(made, takes, {old: now[new] for old, new in at.items() if new in now}, inner)


def _ending(graph: Graph, stops: Collection[int], at: dict[int, int], inner: frozenset[int]) -> Attention:
    """The last steps of a Graph, from where its values are at hand."""
    wanted, steps, reads = set(graph.outputs), [], {}
    for step in reversed(graph.steps):
        if step.base in wanted:
            steps.append(step)
            wanted.update([r for r in step.refs if r not in stops])
            reads.update(dict.fromkeys([r for r in step.refs if r in stops]))
    order = list(reads)
    avals = {s.base + i: a for s in graph.steps for i, a in enumerate(s.avals)}
    avals |= {-1 - i: a for i, a in enumerate(graph.in_avals)}
    made = Builder([avals[r] for r in order], len(order))
    now = {r: -1 - k for k, r in enumerate(order)}
    for step in reversed(steps):
        outs = made.add_applied(step.applied, [now[r] for r in step.refs], step.stop, step.source, step.avals)
        now.update(zip(range(step.base, step.base + step.n_out), outs))
    places = {r: k for k, r in enumerate(order)}
    takes = {old: places[new] for old, new in at.items() if new in places and old not in inner}
    return Attention(made.graph([now[o] for o in graph.outputs]), takes, inner)


def _rebuilt(seen: Steps, found: dict[int, Found], now: dict[int, int], fills: bool = True) -> Graph | int:
    """The Graph with what was found fused, or the number of one that cannot be. now: is told where values are in it."""
    graph = seen.graph
    made = Builder(graph.in_avals, graph.n_inputs)
    now.update({-1 - i: -1 - i for i in range(len(graph.in_avals))})
    dead = set().union(*[f.dead for f in found.values()])
    for k, step in enumerate(graph.steps):
        if k in dead:
            continue
        if k in found:
            try:
                outs = _fused(made, now, found[k], step, fills)
            except (RuntimeError, ValueError, TypeError, IndexError):
                return k
            if outs is None:
                return k
        else:
            refs = [now[r] for r in step.refs]
            outs = made.add_applied(step.applied, refs, step.stop, step.source, step.avals)
        now.update(zip(range(step.base, step.base + step.n_out), outs))
    return made.graph([now[o] for o in graph.outputs])


def _fused(made: Builder, now: dict[int, int], f: Found, last: Any, fills: bool) -> list[int] | None:
    """Adds the steps of a fused attention to `made`, and returns the references of its results; None if these have not
    the aval of `last`, the step that is replaced. Masks and sums become the one mask of scaled_dot_product_attention;
    with other changes of the scores the op is `_softmax_attention`, which takes them one by one. That one is also taken
    where there is any change and not `fills`: a query without keys may not get zeros."""
    source = last.source

    def add(op: str, static: tuple, *inputs: Any) -> int:
        (out,) = made.add(OPS[op], static, inputs, source=source)
        return out

    def shaped(out: int) -> list[int] | None:
        if made.aval(out).shape != last.avals[0].shape:
            out = add("reshape", (last.avals[0].shape,), out)
        return [out] if made.aval(out) is last.avals[0] else None

    query, key, value = now[f.query], now[f.key], now[f.value]
    lead, aval = f.scores[:-2], made.aval(value)
    if aval.shape[:-2] != lead:
        value = add("reshape", ((*lead, *aval.shape[-2:]),), value)
    if f.is_transposed:
        rank = len(made.aval(key).shape)
        key = add("permute", ((*range(rank - 2), rank - 1, rank - 2),), key)
    scale = 1.0
    for factor in f.factors:
        if factor.is_scale:
            scale = scale / factor.operand if factor.kind == "over" else scale * factor.operand
        else:
            static = (None,) if factor.kind == "over" else ()
            query = add("div" if static else "mul", static, query, now[factor.operand])
    rng, p = (None, None) if f.drop is None else f.drop
    drawn = (now[rng] if type(rng) is int else None, now[p] if type(p) is int else p)
    dtype = made.aval(query).dtype

    def tensor(x: Any, full: tuple[int, ...] = ()) -> int:
        """A tensor as it is now, spread over `full` where what it changed had another shape than the scores have here;
        or of a number."""
        if type(x) is not int:
            return add("create.full", ((), dtype), (float, x))
        x = now[x]
        if full and full != f.scores:
            if made.aval(x).shape != full:
                x = add("expand", (full,), x)
            x = add("reshape", (f.scores,), x)
        return x

    said: list[tuple[Change, Any]] = []
    for c in reversed(f.changes):
        one = None if c.operand is None else tensor(c.operand, c.shape)
        if c.kind in ("add", "sub"):
            times = (1 if c.number is None else c.number) * (1 if c.kind == "add" else -1)
            one = one if times == 1 else add("mul", (), one, (type(times), times))
            c = c._replace(kind="add", number=None)
        said.append((c, add("logical_not", (), one) if c.kind == "leave out" else one))
    masks_alone = all(c.kind == "add" or c.hides for c, _ in said)
    if not masks_alone or (said and not fills):
        kinds, operands = [], []
        for c, one in said:
            kinds.append("keep" if c.kind == "leave out" else c.kind)
            number = None if c.number is None else tensor(c.number)
            operands += [x for x in (one, number) if x is not None]
        static, more = (len(operands), " ".join(kinds)), (*drawn, (float, scale))
        return shaped(add("nn.functional._softmax_attention", static, query, key, value, *operands, *more))
    mask = None
    for c, one in said:
        if c.kind != "add" and len(said) > 1:
            zero = add("create.zeros", ((), dtype))
            one = add("where", (), one, zero, add("create.full", ((), dtype), (float, -math.inf)))
        mask = one if mask is None else add("add", (), mask, one)
    if f.drop is None:
        op, static, more = "scaled_dot_product_attention", (("0.0", 0.0), False, False), ()
    else:
        op, static, more = "_dropped_attention", (False, False), drawn
    return shaped(add(f"nn.functional.{op}", static, query, key, value, mask, *more, (float, scale)))
