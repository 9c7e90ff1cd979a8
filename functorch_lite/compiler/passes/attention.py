"""Attention written out, as `scaled_dot_product_attention`: softmax(q kᵀ scale + mask) v in whatever way it is spelled.

Its derivative computes the weights again, so they are not kept. Where something else reads weights or scores, or the
softmax is over another axis, nothing is done. A query whose keys are all masked by -inf gets zeros, as from
`scaled_dot_product_attention`, where the softmax gives nan.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection
from typing import Any, NamedTuple

from ..._core.api import OPS, Aval, Builder, Graph, finfo
from .canonical import canonical
from .products import with_products
from .simplify import simplify

__all__ = ["Attention", "attention_at_end", "fuse_attention"]

_PRODUCTS = ("matmul", "bmm")


class _Change(NamedTuple):
    """A change of scores of a shape: "add", "times" or "over" an operand; "leave out" where it says so, or all but
    "keep" where it does, which are set to a number; "maximum" with a number, or "clamp" to what is not below it.
    operand, number: a Python number, or a tensor by its reference."""

    kind: str
    operand: Any
    number: Any
    shape: tuple[int, ...]

    @property
    def is_scale(self) -> bool:
        """Returns whether a Python number multiplies or divides."""
        return self.kind in ("times", "over") and type(self.operand) is not int

    @property
    def hides(self) -> bool:
        """Returns whether it sets scores to -inf."""
        return self.kind in ("keep", "leave out") and self.number == -math.inf


class _Found(NamedTuple):
    """Parts of an attention that was found: references to query, key and value, what multiplies these, the changes of
    the scores, the last one first, the key of dropout and its probability, and the numbers of the steps that go.
    is_transposed: the key's last two dims are still to be swapped."""

    query: int
    key: int
    is_transposed: bool
    value: int
    factors: list[_Change]
    changes: list[_Change]
    scores: tuple[int, ...]
    drop: tuple[int, Any] | None
    dead: set[int]


def fuse_attention(graph: Graph) -> tuple[Graph, int]:
    """The Graph with attention in the place of what does the same, and how many there are.

    It is to be canonical (see `canonical`)."""
    seen = _Steps(with_products(graph, {}))
    found = {k: at for k in range(len(seen.graph.steps)) if (at := _attention(seen, k)) is not None}
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
    seen = _Steps(with_products(plain, products))
    at = {old: products[then[new]] for old, new in first.items() if new in then}
    last = max((k for k, s in enumerate(seen.graph.steps) if s.op.name in _PRODUCTS), default=None)
    found = None if last is None else _attention(seen, last)
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


def _rebuilt(seen: _Steps, found: dict[int, _Found], now: dict[int, int], fills: bool = True) -> Graph | int:
    """The Graph with the matches fused, or the number of one that cannot be fused. now: receives the positions of
    values in it."""
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


class _Steps:
    """A Graph's steps, by what they give and how often that is read."""

    def __init__(self, graph: Graph):
        self.graph = graph
        self.maker = {s.base + i: k for k, s in enumerate(graph.steps) for i in range(s.n_out)}
        self.readers = Counter([r for s in graph.steps for r in s.refs] + list(graph.outputs))
        self._avals = {s.base + i: a for s in graph.steps for i, a in enumerate(s.avals)}

    def aval(self, ref: int) -> Aval:
        """Returns the Aval of a value."""
        return self._avals[ref] if ref >= 0 else self.graph.in_avals[-1 - ref]

    def step(self, ref: int, *names: str) -> Any:
        """The step that gives a value, if it is one of these ops'."""
        k = self.maker.get(ref)
        step = None if k is None else self.graph.steps[k]
        return step if step is not None and step.op.name in names else None

    def inputs(self, step: Any) -> list[Any]:
        """A step's inputs: references, numbers as (type, number), None."""
        refs = iter(step.refs)
        return [next(refs) if type(x) is Aval else x for x in step.applied.inputs]


def _attention(seen: _Steps, k: int) -> _Found | None:
    """The attention that step number k is the last of."""
    last = seen.graph.steps[k]
    if last.op.name not in _PRODUCTS or last.stop:
        return None
    weights, value = last.refs
    walk = _Walk(seen, last.stop)
    drop = None
    weights = walk.through_reshapes(weights)
    step = walk.take(weights, "nn.functional._dropout")
    if step is not None:
        weights, key, p = seen.inputs(step)
        drop = (key, p)
        weights = walk.through_reshapes(weights)
    scores = _softmax(seen, walk, weights)
    if scores is None:
        return None
    changes: list[_Change] = []
    while True:
        scores = walk.through_reshapes(walk.through_casts(scores))
        found = _mask(seen, walk, scores) or _factor(seen, walk, scores)
        if found is None:
            break
        scores, change = found
        changes.append(change)
    product = walk.take(scores, "matmul", "bmm")
    if product is None:
        return None
    query, transposed = product.refs
    at = _key(seen, transposed)
    if at is None:
        return None
    key, is_transposed, factors = at
    while (found := _factor(seen, None, query)) is not None and found[1].is_scale:
        query, change = found
        factors.append(change)
    parts = [seen.aval(r) for r in (query, key, value)]
    q, lead = parts[0], seen.aval(scores).shape[:-2]
    while changes and (changes[-1].is_scale or _is_per_query(seen, changes[-1], q, seen.aval(scores).shape)):
        factors.append(changes.pop())
    if any(a.dtype is not last.avals[0].dtype for a in parts) or any(a.shape[:-2] != lead for a in parts[:2]):
        return None
    if math.prod(parts[2].shape[:-2]) != math.prod(
        lead
    ):  # else batch and heads are one dim in one product, and two in the other
        return None
    return _Found(
        query, key, is_transposed, value, factors, changes, seen.aval(scores).shape, drop, walk.dead
    )


class _Walk:
    """A walk back from a result, over steps that nothing else reads."""

    def __init__(self, seen: _Steps, stop: str):
        self.seen, self.stop = seen, stop
        self.dead: set[int] = set()
        self.shared: set[int] = set()
        """Values that two steps of the walk read."""

    def readers(self, ref: int) -> int:
        """Counts the readers of a value, where two reads by the walk are one."""
        return self.seen.readers[ref] - (ref in self.shared)

    def take(self, ref: int, *names: str, readers: int = 1) -> Any:
        """The step that gives a value, if it is of these ops and read this often; it is part of what is replaced."""
        step = self.seen.step(ref, *names)
        if step is None or self.readers(ref) != readers or step.stop != self.stop or step.n_out != 1:
            return None
        self.dead.add(self.seen.maker[ref])
        return step

    def through_casts(self, ref: int) -> int:
        """Returns the value that a value was converted from."""
        while (step := self.seen.step(ref, "_cast")) is not None:
            (before,) = step.refs
            if (
                not all(self.seen.aval(r).dtype.is_floating_point for r in (before, ref))
                or self.take(ref, "_cast") is None
            ):
                break
            ref = before
        return ref

    def through_reshapes(self, ref: int) -> int:
        """Returns the scores before a change of their shape that keeps the same queries and keys."""
        while (step := self.seen.step(ref, "reshape")) is not None:
            (before,) = step.refs
            if (
                self.seen.aval(before).shape[-2:] != self.seen.aval(ref).shape[-2:]
                or self.take(ref, "reshape") is None
            ):
                break
            ref = before
        return ref


def _softmax(seen: _Steps, walk: _Walk, weights: int) -> int | None:
    """Returns the input of a softmax over the last dim, or None."""
    weights = walk.through_casts(weights)
    last = len(seen.aval(weights).shape) - 1
    step = walk.take(weights, "nn.functional.softmax")
    if step is not None:
        return step.refs[0] if step.static[0] == last else None
    step = walk.take(weights, "div")
    if step is None or len(step.refs) != 2 or step.static != (None,):
        return None
    e, total = step.refs
    by = walk.take(total, "sum")
    exp = walk.take(e, "exp", readers=2)
    if by is None or exp is None or by.refs != (e,) or by.static[:2] != (last, True):
        return None
    shifted = walk.take(exp.refs[0], "sub")
    if shifted is None or len(shifted.refs) != 2:
        return None
    scores, top = shifted.refs
    greatest = walk.take(top, "amax") or _detached(walk, top)
    if greatest is None or greatest.refs != (scores,) or greatest.static[:2] != (last, True):
        return None
    if seen.readers[scores] != 2:
        return None
    walk.shared.add(scores)
    return scores


def _detached(walk: _Walk, ref: int) -> Any:
    step = walk.take(ref, "detach")
    return None if step is None else walk.take(step.refs[0], "amax")


def _mask(seen: _Steps, walk: _Walk, scores: int) -> tuple[int, _Change] | None:
    """(the scores, the operation on them), if it is not a factor."""
    aval = seen.aval(scores)
    step = seen.step(scores, "add", "masked_fill", "where", *_LEAST)
    if step is None or walk.readers(scores) != 1 or step.stop != walk.stop:
        return None
    inputs = seen.inputs(step)
    if step.op.name == "add":
        if len(step.refs) != 2 or (len(inputs) > 2 and inputs[2] not in (None, (int, 1))):
            return None
        for s, m in (inputs[:2], inputs[1::-1]):
            leads = seen.aval(s).shape == aval.shape and seen.aval(s).dtype is aval.dtype
            if leads and _leads_to_product(seen, s) and seen.aval(m).dtype.is_floating_point:
                walk.take(scores, "add")
                return s, _Change("add", m, None, aval.shape)
        return None
    m, kind = None, "keep"
    if step.op.name == "masked_fill":
        s, m, number = inputs
        kind = "leave out"
    elif step.op.name == "where":
        m, s, number = inputs
        if not _leads_to_product(seen, s):
            s, number, kind = number, s, "leave out"
    elif step.op.name in ("clamp", "clamp_min"):
        s, number, *most = inputs
        kind = "clamp"
        if most not in ([], [None]):
            return None
    else:
        if len(step.refs) != 2 or any(type(x) is not int for x in inputs[:2]):  # a maximum along a dim
            return None
        kind = "maximum"
        s, number = inputs[:2] if _leads_to_product(seen, inputs[0]) else inputs[1::-1]
    if not _leads_to_product(seen, s) or seen.aval(s).shape != aval.shape:
        return None
    if m is not None and (type(m) is not int or seen.aval(m).dtype.name != "bool"):
        return None
    number = _filled_with(seen, number, aval)
    if number is None:
        return None
    walk.take(scores, step.op.name)
    return s, _Change(kind, m, number, aval.shape)


def _filled_with(seen: _Steps, fill: Any, aval: Aval) -> float | int | None:
    """The number that scores are set to, or a tensor without dims that holds it, if it is one of theirs."""
    number = _number_of(seen, fill)
    if number is not None:
        return number if number == -math.inf or abs(number) <= finfo(aval.dtype).max else None
    same = type(fill) is int and seen.aval(fill).shape == () and seen.aval(fill).dtype is aval.dtype
    return fill if same else None


_LEAST = ("max", "maximum", "clamp", "clamp_min")


def _leads_to_product(seen: _Steps, ref: Any) -> bool:
    """Returns whether a value is a product with something done to its elements: the scores, and not a mask."""
    for _ in range(12):
        step = (
            seen.step(
                ref, *_PRODUCTS, "add", "mul", "div", "masked_fill", "where", "_cast", "reshape", *_LEAST
            )
            if type(ref) is int
            else None
        )
        if step is None or not step.refs:
            return False
        if step.op.name in _PRODUCTS:
            return True
        if step.op.name in ("add", "mul", "where", "max", "maximum"):
            return any(_leads_to_product(seen, r) for r in step.refs)
        ref = step.refs[0]
    return False


def _number_of(seen: _Steps, x: Any) -> float | None:
    """The number that an input is: itself, or a tensor of one number that the function makes."""
    if type(x) is tuple:
        return float(x[1]) if x[0] in (int, float) else None
    step = seen.step(x, "create.full", "create.full_like") if type(x) is int else None
    number = seen.inputs(step)[-1] if step is not None else None
    return float(number[1]) if type(number) is tuple else None


def _factor(seen: _Steps, walk: _Walk | None, ref: int) -> tuple[int, _Change] | None:
    """(what is multiplied or divided, by what)."""
    step = seen.step(ref, "mul", "div")
    if step is None or (walk is not None and (walk.readers(ref) != 1 or step.stop != walk.stop)):
        return None
    if step.op.name == "div" and step.static != (None,):
        return None
    a, b = seen.inputs(step)[:2]
    if type(a) is not int or (
        step.op.name == "mul" and type(b) is int and not _leads_to_product(seen, a) and walk is not None
    ):
        a, b = b, a
    aval = seen.aval(ref)
    if type(a) is not int or seen.aval(a).shape != aval.shape or seen.aval(a).dtype is not aval.dtype:
        return None
    number = _number_of(seen, b)
    if number is None and (walk is None or type(b) is not int):
        return None
    if walk is not None and not _leads_to_product(seen, a):
        return None
    if walk is not None:
        walk.take(ref, "mul", "div")
    kind = "over" if step.op.name == "div" else "times"
    return a, _Change(kind, b if number is None else number, None, aval.shape)


def _is_per_query(seen: _Steps, change: _Change, q: Aval, scores: tuple[int, ...]) -> bool:
    """Returns whether it is a factor of the scores that may multiply the queries: it is the same for all keys."""
    if change.kind not in ("times", "over"):
        return False
    shape = seen.aval(change.operand).shape
    return not shape or (change.shape == scores and len(shape) <= len(q.shape) and shape[-1] == 1)


def _key(seen: _Steps, ref: int) -> tuple[int, bool, list[_Change]] | None:
    """Finds the key among the factors of the queries: the key, whether its last two dims are still swapped, and its
    factor. None where they were never swapped."""
    factors: list[_Change] = []
    if (
        step := seen.step(ref, "reshape")
    ) is not None:  # batch and heads are one dim, which became one after the last two were swapped
        (before,) = step.refs
        below = seen.step(before, "permute")
        same = seen.aval(before).shape[-2:] == seen.aval(ref).shape[-2:]
        swapped = below is not None and below.static[0][-2] > below.static[0][-1]
        return (ref, True, factors) if same and swapped else None
    while (step := seen.step(ref, "permute")) is None:
        factor = _factor(seen, None, ref)
        if factor is None:
            return None
        ref, number = factor
        factors.append(number)
    order = list(step.static[0])
    last = len(order) - 1
    if order[-1] == last or order[-2] == last - 1:
        return None
    if order[:-2] != list(range(last - 1)):  # heads were moved in the same step
        return ref, True, factors
    (ref,) = step.refs
    while (factor := _factor(seen, None, ref)) is not None:
        ref, number = factor
        factors.append(number)
    return ref, False, factors


def _fused(made: Builder, now: dict[int, int], f: _Found, last: Any, fills: bool) -> list[int] | None:
    """Adds the steps of a fused attention to `made`, and returns the references of its results; None if these have
    not the aval of `last`, the step that is replaced. Masks and sums become the one mask of
    scaled_dot_product_attention; with other changes of the scores the op is `_softmax_attention`, which takes them
    one by one. That one is also used if the scores change and not `fills`: a query without keys may not get zeros."""
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

    said: list[tuple[_Change, Any]] = []
    for c in reversed(f.changes):
        one = None if c.operand is None else tensor(c.operand, c.shape)
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
