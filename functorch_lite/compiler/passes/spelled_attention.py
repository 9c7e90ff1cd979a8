"""Attention in whatever way it is spelled: softmax(q kᵀ scale + mask) v is looked for by what steps mean, back from its
last step."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, NamedTuple

from ..._core.api import Aval, Graph, finfo

__all__ = ["PRODUCTS", "Change", "Found", "Steps", "found_at"]

PRODUCTS = ("matmul", "bmm")


class Change(NamedTuple):
    """A change of scores of a shape: "add", "sub", "times" or "over" an operand; "leave out" where it says so, or all but
    "keep" where it does, which are set to a number; "maximum" with a number, or "clamp" to what is not below it.
    operand, number: a Python number, or a tensor by its reference; the number of "add" and "sub" multiplies the
    operand."""

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


class Found(NamedTuple):
    """Parts of an attention that was found: references to query, key and value, what multiplies these, the changes of
    the scores, the last one first, the key of dropout and its probability, and the numbers of the steps that go.
    is_transposed: the key's last two dims are still to be swapped."""

    query: int
    key: int
    is_transposed: bool
    value: int
    factors: list[Change]
    changes: list[Change]
    scores: tuple[int, ...]
    drop: tuple[int, Any] | None
    dead: set[int]


class Steps:
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


def found_at(seen: Steps, k: int) -> Found | None:
    """The attention that step number k is the last of."""
    last = seen.graph.steps[k]
    walk = _Walk(seen, last.stop)
    drop = None
    if last.stop:
        return None
    if last.op.name in PRODUCTS:
        weights, value = last.refs
        weights = walk.through_reshapes(weights)
        step = walk.take(weights, "nn.functional._dropout")
        if step is not None:
            weights, key, p = seen.inputs(step)
            drop = (key, p)
            weights = walk.through_reshapes(weights)
        scores = _softmax(seen, walk, weights)
    elif last.op.name == "div" and len(last.refs) == 2 and last.static == (None,):
        product = walk.take(last.refs[0], *PRODUCTS)  # it is the weighted sums that are divided
        if product is None:
            return None
        e, value = product.refs
        scores = _exponentials(seen, walk, e, last.refs[1])
    else:
        return None
    if scores is None:
        return None
    changes: list[Change] = []
    while True:
        scores = walk.through_reshapes(walk.through_casts(scores))
        scores = _unshifted(seen, walk, scores)
        found = _mask(seen, walk, scores) or _factor(seen, walk, scores)
        if found is None:
            break
        scores, change = found
        changes.append(change)
    is_swapped = _is_swap(seen.step(scores, "permute"))
    below = walk.take(scores, "permute").refs[0] if is_swapped and walk.readers(scores) == 1 else scores
    product = walk.take(below, *PRODUCTS)
    if product is None:
        return None
    query, transposed = product.refs
    at = _key(seen, transposed)
    if at is None:
        return None
    key, is_transposed, factors = at
    if below != scores:  # (k qᵀ)ᵀ
        if is_transposed:
            return None
        query, key = key, query
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
    return Found(query, key, is_transposed, value, factors, changes, seen.aval(scores).shape, drop, walk.dead)


class _Walk:
    """A walk back from a result, over steps that nothing else reads."""

    def __init__(self, seen: Steps, stop: str):
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


def _softmax(seen: Steps, walk: _Walk, weights: int) -> int | None:
    """Returns the input of a softmax over the last dim, or None."""
    weights = walk.through_casts(weights)
    last = len(seen.aval(weights).shape) - 1
    step = walk.take(weights, "nn.functional.softmax")
    if step is not None:
        return step.refs[0] if step.static[0] == last else None
    step = walk.take(weights, "exp")
    if step is not None:
        return _logarithms(seen, walk, step.refs[0])
    step = walk.take(weights, "div")
    if step is None or len(step.refs) != 2 or step.static != (None,):
        return None
    return _exponentials(seen, walk, *step.refs)


def _logarithms(seen: Steps, walk: _Walk, ref: int) -> int | None:
    """Returns the input of a log_softmax over the last dim, which may be written as scores - logsumexp(scores)."""
    last = len(seen.aval(ref).shape) - 1
    step = walk.take(ref, "nn.functional.log_softmax")
    if step is not None:
        return step.refs[0] if step.static[0] == last else None
    step = walk.take(ref, "sub")
    if step is None or len(step.refs) != 2:
        return None
    scores, total = step.refs
    by = walk.take(total, "logsumexp")
    if by is None or by.refs != (scores,) or by.static not in ((last, True), ((last,), True)):
        return None
    return _read_twice(walk, scores)


def _read_twice(walk: _Walk, scores: int) -> int | None:
    """Returns the scores, if the two steps that were found are all that reads them."""
    if walk.seen.readers[scores] != 2:
        return None
    walk.shared.add(scores)
    return scores


def _exponentials(seen: Steps, walk: _Walk, e: int, total: int) -> int | None:
    """Returns the scores of which `e` is exp(scores - their maximum over the last dim), and `total` the sum of e over
    that dim."""
    last = len(seen.aval(e).shape) - 1
    by = walk.take(total, "sum")
    exp = walk.take(e, "exp", readers=2)
    if by is None or exp is None or by.refs != (e,) or by.static[:2] != (last, True):
        return None
    shifted = walk.take(exp.refs[0], "sub")
    if shifted is None or len(shifted.refs) != 2:
        return None
    scores, top = shifted.refs
    return _read_twice(walk, scores) if _is_greatest(seen, walk, top, scores) else None


def _is_greatest(seen: Steps, walk: _Walk, top: int, scores: int) -> bool:
    """Returns whether a value is the maximum of the scores over the last dim, which it keeps."""
    step = _greatest(seen, walk, top)
    if step is None or step.refs != (scores,) or step.static[1] is not True:
        return False
    rank, dims = len(seen.aval(scores).shape), step.static[0]
    return [d % rank for d in (dims if isinstance(dims, tuple) else (dims,))] == [rank - 1]


def _greatest(seen: Steps, walk: _Walk, ref: int) -> Any:
    """The step that gives maxima along a dim, perhaps detached: `amax`, or `max` of whose places nothing is read."""
    step = walk.take(ref, "detach")
    ref = ref if step is None else step.refs[0]
    step = walk.take(ref, "amax")
    if step is not None:
        return step
    step = seen.step(ref, "max")
    alone = step is not None and step.n_out == 2 and ref == step.base and not seen.readers[ref + 1]
    if not alone or walk.readers(ref) != 1 or step.stop != walk.stop or len(step.refs) != 1:
        return None
    walk.dead.add(seen.maker[ref])
    return step


def _is_swap(step: Any) -> bool:
    """Returns whether it swaps the last two dims."""
    if step is None:
        return False
    *lead, a, b = step.static[0]
    n = len(lead)
    return n > 0 and lead == list(range(n)) and (a, b) == (n + 1, n)


def _unshifted(seen: Steps, walk: _Walk, scores: int) -> int:
    """Returns the scores before their maxima were subtracted, which changes no softmax."""
    step = seen.step(scores, "sub")
    if step is None or len(step.refs) != 2 or walk.readers(scores) != 1 or step.stop != walk.stop:
        return scores
    before, top = step.refs
    trial = _Walk(seen, walk.stop)
    if seen.readers[before] != 2 or not _is_greatest(seen, trial, top, before):
        return scores
    walk.dead |= {*trial.dead, seen.maker[scores]}
    walk.shared.add(before)
    return before


def _mask(seen: Steps, walk: _Walk, scores: int) -> tuple[int, Change] | None:
    """(the scores, what is done to them), where that is no factor."""
    aval = seen.aval(scores)
    step = seen.step(scores, "add", "sub", "masked_fill", "where", *_LEAST)
    if step is None or walk.readers(scores) != 1 or step.stop != walk.stop:
        return None
    inputs = seen.inputs(step)
    if step.op.name in ("add", "sub"):
        alpha = inputs[2] if len(inputs) > 2 and inputs[2] not in (None, (int, 1)) else None
        if len(step.refs) != 2 or type(alpha) is int:
            return None
        either = step.op.name == "add" and alpha is None
        for s, m in (inputs[:2], inputs[1::-1])[: 2 if either else 1]:
            leads = seen.aval(s).shape == aval.shape and seen.aval(s).dtype is aval.dtype
            if leads and _leads_to_product(seen, s) and seen.aval(m).dtype.is_floating_point:
                walk.take(scores, step.op.name)
                return s, Change(step.op.name, m, alpha and alpha[1], aval.shape)
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
    return s, Change(kind, m, number, aval.shape)


def _filled_with(seen: Steps, fill: Any, aval: Aval) -> float | int | None:
    """The number that scores are set to, or a tensor without dims that holds it, if it is one of theirs."""
    number = _number_of(seen, fill)
    if number is not None:
        return number if number == -math.inf or abs(number) <= finfo(aval.dtype).max else None
    same = type(fill) is int and seen.aval(fill).shape == () and seen.aval(fill).dtype is aval.dtype
    return fill if same else None


_LEAST = ("max", "maximum", "clamp", "clamp_min")


def _leads_to_product(seen: Steps, ref: Any) -> bool:
    """Whether a value is a product with something done to its elements: the scores, and not a mask."""
    for _ in range(12):
        step = (
            seen.step(
                ref,
                *PRODUCTS,
                "permute",
                "add",
                "sub",
                "mul",
                "div",
                "masked_fill",
                "where",
                "_cast",
                "reshape",
                *_LEAST,
            )
            if type(ref) is int
            else None
        )
        if step is None or not step.refs:
            return False
        if step.op.name in PRODUCTS:
            return True
        if step.op.name in ("add", "mul", "where", "max", "maximum"):
            return any(_leads_to_product(seen, r) for r in step.refs)
        ref = step.refs[0]
    return False


def _number_of(seen: Steps, x: Any) -> float | None:
    """The number that an input is: itself, or a tensor of one number that the function makes."""
    if type(x) is tuple:
        return float(x[1]) if x[0] in (int, float) else None
    step = seen.step(x, "create.full", "create.full_like") if type(x) is int else None
    number = seen.inputs(step)[-1] if step is not None else None
    return float(number[1]) if type(number) is tuple else None


def _factor(seen: Steps, walk: _Walk | None, ref: int) -> tuple[int, Change] | None:
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
    return a, Change(kind, b if number is None else number, None, aval.shape)


def _is_per_query(seen: Steps, change: Change, q: Aval, scores: tuple[int, ...]) -> bool:
    """Whether it is a factor of the scores that may multiply the queries: it is the same for all keys."""
    if change.kind not in ("times", "over"):
        return False
    shape = seen.aval(change.operand).shape
    return not shape or (change.shape == scores and len(shape) <= len(q.shape) and shape[-1] == 1)


def _key(seen: Steps, ref: int) -> tuple[int, bool, list[Change]] | None:
    """Finds the key in what multiplies the queries: the key, whether its last two dims are still swapped, and by what
    it was multiplied. None where they were never swapped."""
    factors: list[Change] = []
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
