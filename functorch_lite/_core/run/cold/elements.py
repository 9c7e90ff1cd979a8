"""Comparisons of numbers that are known, such as `x[i] > 0`: made on the host when the result is read, and taken back
from the recording."""

from __future__ import annotations

from collections.abc import Sequence

from ...lazy.breaches import Breach
from ...lazy.recorder import Recorder, shorten, slots_before, state
from ...lazy.symbolic.recording import exact
from ...lazy.trie import BUSY, TrieNode
from ...lazy.value import COMPUTED, Value, is_tracer
from ..report import counting
from .interpreter import NoRule, Plan
from .tier import AS_SOON_DONE, joined, may_run, quietly

__all__ = ["answered"]

exact.update((
    "all", "any", "eq", "ge", "gt", "le", "logical_and", "logical_not", "logical_or", "logical_xor", "lt", "narrow", "ne", "select", "slice",
))  # fmt: skip
MOST_STEPS = 8


class Question:
    """The last ops of a recording, from number `begin` on, if they are such: their Plan, and the externals that they
    read, by number."""

    __slots__ = ("begin", "plan", "reads")

    def __init__(self, begin: int, plan: Plan, reads: list[int]):
        self.begin, self.plan, self.reads = begin, plan, reads


def answered(rec: Recorder, v: Value) -> bool:
    """Computes a pending value where it was asked for by such ops, last of all that is recorded, of numbers that are
    computed already; whether it did. What they were is not recorded any more then."""
    path = rec.path
    last = path[-1]
    if rec.symbols is not None or counting:
        return False
    question = last.question
    if question is None:
        question = last.question = _question(path) or False
    if not question or v.index < last.base or rec.ended or rec.gradients or rec.session.follows:
        return False
    if state.here.rec is not rec or not may_run(rec.device):
        return False
    base = path[question.begin].base
    if any(root >= base for root in rec.roots):
        return False
    start, rec.node = rec.node, BUSY
    if start is BUSY:
        return False
    try:
        return _computed(rec, question, base)
    finally:
        if rec.node is BUSY:
            rec.node = start


def _computed(rec: Recorder, question: Question, base: int) -> bool:
    """Computes the results of the last ops of a recording, and takes them back from it; whether it did."""
    last = rec.path[-1]
    externals = list(rec.ext)
    given = [externals[e] for e in question.reads]
    for x in given:
        if x.array is None or is_tracer(type(x.array)):
            return False
    targets = rec.slots[slots_before(rec, base) :]
    if len(targets) != last.base + last.n_out - base:  # a backward that was replayed
        return False
    try:
        arrays = quietly(question.plan, given)
    except Breach:  # which is told with the line of its op, by whoever runs it all
        return False
    for x, array in zip(targets, arrays):
        x.uploaded = COMPUTED
        x.array = array
    for x in targets:  # from here on it is a value from outside
        x.rec = None
    shorten(rec, question.begin)
    return True


def _question(path: Sequence[TrieNode]) -> Question | None:
    """The last ops of a path, each of which leads to the last one, if they are exact and done at once."""
    begin, needed = len(path), {path[-1].base}
    while begin and begin > len(path) - MOST_STEPS:
        node = path[begin - 1]
        if not needed.intersection(range(node.base, node.base + node.n_out)):
            break
        if getattr(node.op, "name", "") not in exact or node.taped is not None:
            return None
        needed.update([r for r in node.refs if r >= 0])
        begin -= 1
    if begin == len(path) or min(needed) < path[begin].base:
        return None
    made = range(path[begin].base, path[-1].base + path[-1].n_out)
    try:
        plan, reads = joined(path, tuple(made))
    except NoRule:
        return None
    return Question(begin, plan, reads) if plan.cost <= AS_SOON_DONE else None
