"""Recording at symbolic sizes: a recording stands at a node that is known for all lengths, and holds the numbers of its
symbols.

It begins where the trie does not know the lengths, and what was recorded so far is known at symbolic ones (`enter`);
where it comes to something that is not, its path becomes one of the trie (`close`), and it goes on as any other.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...words.device import CPU
from ...words.errors import check_memory
from .. import engine, recorder
from ..applied import Applied, Formula, apply_once
from ..kinds import EAGER
from ..pack import Pack
from ..sized import taken_apart
from ..trie import BUSY, DYNAMIC, LITERAL, LITERAL_WITH_ZERO, TrieNode
from ..value import Aval, Noting, Value, number_value, promises
from ..wide_ints import check_wide
from .nodes import SymbolicAval, SymbolicFormula, SymbolicNode, derivative_of

__all__ = ["Root", "Symbols", "closed_path", "exact", "generic", "same_numbers"]


def generic(key: Sequence) -> tuple[tuple, list[int]]:
    """The key of a node without its sizes, and those: of new values from outside, then the ints among the static
    arguments."""
    op, static, *rest = key
    ints: list[int] = []
    found: list[Any] = [generic_op(op), None]
    for x in rest:
        if type(x) is Aval:
            ints.extend(x.shape)
            x = x.generic
        found.append(x)
    found[1] = taken_apart(static, ints)
    return tuple(found), ints


def generic_op(op: Any) -> Any:
    """Returns the object that stands for an op in keys without sizes."""
    if isinstance(op, Formula):
        if type(op) is SymbolicFormula:
            return op if op.generic is None else op.generic
        op.tell_sizes()
        if op.sized is not None:
            return derivative_of(op.sized[0])
    return op


class Root(SymbolicNode):
    """Where recordings at symbolic sizes begin."""

    __slots__ = ()

    def enter(
        self, rec: recorder.Recorder, start: TrieNode, key: tuple, inputs: Sequence, admitted: int
    ) -> bool:
        """Goes on with a recording at symbolic sizes, if what it recorded so far is known at those, and so is what
        comes next, or that is run by itself. key, inputs: of that. start: the node of the recording, which the caller
        has taken; where it goes on, it is given back, with so many externals as were `admitted`."""
        if rec.stops or rec.kind is not EAGER or rec.device is not CPU or rec.session.follows:
            return False
        if Noting.made is not None or recorder.state.here.run_at_once:
            return False
        path, node, sizes = [], self, []
        for step in rec.path:
            found = node.find(*_apart(step.key, sizes), functools.partial(same_numbers, step))
            if found is None:
                return False
            if not (found[0].is_pinned or found[0].is_of(step.op, found[1])):
                return False
            node, sizes = found  # type: ignore[assignment]
            path.append(node)
        if node.find(*_apart(key, sizes)) is None and not (path and _is_question(key[0], inputs, key[-1])):
            return False
        symbols = Symbols(self, sizes)
        symbols.bytes = start.bytes
        while len(rec.ext) > admitted:
            rec.ext.popitem()
        _move(rec, path, node, symbols)
        return True


def _apart(key: Sequence, sizes: list[int]) -> tuple[tuple, list[int], list[int]]:
    found, ints = generic(key)
    return found, sizes, ints


def same_numbers(a: TrieNode, b: TrieNode) -> bool:
    return a.numbers == b.numbers and (a.numbers == DYNAMIC or repr(a.literals) == repr(b.literals))


def _move(rec: recorder.Recorder, path: list, node: TrieNode, symbols: Symbols | None) -> None:
    """Lets a recording, which the caller has taken, and its tape, stand on other nodes that say the same, and gives it
    back."""
    now = dict(zip(rec.path, path))
    for old, new in now.items():
        if new.taped is None:
            new.taped = old.taped
    try:
        _moved(rec, path, node, symbols, now)
    except BaseException:  # an interrupt
        _moved(rec, path, node, symbols, now)
        raise


def _moved(rec: recorder.Recorder, path: list, node: TrieNode, symbols: Symbols | None, now: dict) -> None:
    for taped in rec.session.nodes:
        if isinstance(taped.step, TrieNode):  # no Function's
            taped.step = now.get(taped.step, taped.step)
    rec.session.symbols = symbols
    rec.path[:] = path
    rec.symbols = symbols
    rec.careful = symbols is not None
    rec.node = node


class Symbols:
    """The symbols of a recording.

    sizes   their numbers
    avals   what results are at these
    bytes   of all results so far
    are_settled  whether the recording is over
    """

    __slots__ = ("_avals", "are_settled", "bytes", "root", "sizes")

    def __init__(self, root: Root, sizes: list[int]):
        self.root, self.sizes = root, sizes
        self._avals: dict[SymbolicAval, Aval] = {}
        self.bytes = 0
        self.are_settled = False

    def aval(self, of: Any) -> Aval:
        """The Aval of a result."""
        if type(of) is not SymbolicAval:
            return of
        found = of.fixed or self._avals.get(of)
        if found is None:
            found = self._avals[of] = of.at(self.sizes)
            check_memory(found.shape, found.dtype.itemsize)
        return found

    def generic_avals(self, path: Sequence[Any], added: Sequence[Any]) -> dict[int, SymbolicAval] | None:
        """Returns the results' avals at any sizes, by index. None where the steps that were added hold for some sizes
        alone."""
        if any(step.check is not None or step.binds for step in added):
            return None
        return {step.base + k: a for step in path for k, a in enumerate(step.avals)}

    def back_to(self, node: TrieNode) -> None:
        """Forgets the symbols that were bound after a node."""
        self.sizes = self.sizes[: node.n_symbols]  # type: ignore[attr-defined]
        self._avals.clear()

    def record(  # hot path
        self, rec: recorder.Recorder, op: Any, static: Any, inputs: Sequence, mask: int, instead: Any
    ) -> tuple[TrieNode, Sequence[Value]]:
        """`recorder.record`, at symbolic sizes."""
        if rec.ended and not recorder.is_apart(rec):
            if type(op) is SymbolicFormula:
                op = op.closed(self.sizes)
            engine.flush()
            return recorder.record(recorder.state.rec, op, static, inputs, mask, instead)
        start, rec.node = rec.node, BUSY
        if start is BUSY:
            if type(op) is SymbolicFormula:
                op = op.closed(self.sizes)
            return recorder.record_elsewhere(rec, op, static, inputs, mask, instead)
        try:
            found = self._recorded(rec, start, op, static, inputs, mask)
        except BaseException:
            recorder.recover(rec, rec.ext, start, start.externals)
            raise
        if found is not None:
            return found
        rec.node = start
        if _is_question(op, inputs, mask):
            return _aside(rec, op, static, inputs)
        sizes = self.sizes
        is_apart = recorder.is_apart(rec)
        if not is_apart:
            self.close(rec)
        if type(op) is SymbolicFormula:
            op = op.closed(sizes)
        if is_apart:
            return (instead or recorder.record_apart)(op, static, inputs, mask)
        return recorder.record(recorder.state.rec, op, static, inputs, mask, instead)

    def _recorded(
        self, rec: recorder.Recorder, start: Any, op: Any, static: Any, inputs: Sequence, mask: int
    ) -> tuple[TrieNode, Sequence[Value]] | None:
        """Records an op in a recording that was taken at `start`, and gives the recording back; returns None, and the
        recording is still taken, where the op is not known at symbolic sizes."""
        ext = rec.ext
        admitted = len(ext)
        key: list[Any] = [op, static]
        numbers = ()
        for v in inputs:
            if v.__class__ is Value:
                if v.rec is rec:
                    key.append(v.index)
                else:
                    number = ext.get(v)
                    if number is None:
                        if v.array is None and v.rec.__class__ is not Pack:
                            recorder.admit(rec, v)
                        ext[v] = -1 - len(ext)
                        number = v.aval
                    key.append(number)
            elif v is None:
                key.append(None)
            else:
                numbers += (v,)
                key.append(type(v))
        key.append(mask)
        found = self.next(rec, start, key, op, inputs, numbers)
        if found is not None:
            node, avals = found
            outs = promises(avals, rec, node.base)
            rec.path.append(node)
            rec.slots.extend(outs)
            rec.node = node
            return node, outs
        while len(ext) > admitted:
            ext.popitem()
        return None

    def next(  # hot path
        self, rec: recorder.Recorder, start: Any, key: list, op: Any, inputs: Sequence, numbers: tuple
    ) -> tuple[SymbolicNode, Sequence[Aval]] | None:
        """Returns the node of an op that is recorded after `start`, and the avals of its results; None if it is not
        known at symbolic sizes. key: that of the trie, at these sizes. The recording is to move to the node."""
        last, node, ints = start.last
        sizes: Any = self.sizes
        if key == last and self._takes(rec, numbers, node):
            if node.binds or node.check is not None:
                sizes = node.match(sizes, ints)
        else:
            sizes = None
        if sizes is None:  # the last time there were other sizes, or another op
            generic_key, ints = generic(key)
            found = start.find(generic_key, self.sizes, ints, functools.partial(self._takes, rec, numbers))
            if found is None or not (found[0].is_pinned or found[0].is_of(op, found[1])):
                return None
            node, sizes = found
            if not isinstance(op, Formula):  # which may be told at other sizes later
                start.last = key, node, ints
        before, self.sizes = self.sizes, sizes
        known, avals = self._avals, node.fixed
        try:
            if avals is None:
                avals = [a.fixed or known.get(a) or self.aval(a) for a in node.avals]
            if numbers and (node.numbers == DYNAMIC or op.numbers is not None):
                self._numbers(rec, node, op, inputs, numbers, avals)
        except BaseException:
            self.sizes = before
            known.clear()
            raise
        for a in avals:
            self.bytes += a.nbytes
        return node, avals

    def close(self, rec: recorder.Recorder) -> None:
        """Lets the recording go on at its sizes alone."""
        start, rec.node = rec.node, BUSY
        if start is BUSY:
            return
        try:
            path = closed_path(rec.root, rec.path, self.sizes, list(rec.ext))
            rec.stays = True
            _move(rec, path, path[-1] if path else rec.root, None)
        except BaseException:
            if rec.node is BUSY:
                rec.node = start
            raise

    def _takes(self, rec: recorder.Recorder, numbers: tuple, node: SymbolicNode) -> bool:  # hot path
        """Whether a node takes these numbers, and the recording does not become too long."""
        if len(rec.path) + 1 >= recorder.MAX_PENDING_OPS or self.bytes >= recorder.MAX_PENDING_BYTES:
            return False
        if not numbers:  # others are of recordings that number their values from outside otherwise
            return len(rec.ext) == node.externals
        if node.numbers == DYNAMIC:
            return len(rec.ext) + len(numbers) == node.externals
        return (
            len(rec.ext) == node.externals
            and node.literals == numbers
            and (
                node.numbers == LITERAL
                or (node.numbers == LITERAL_WITH_ZERO and repr(numbers) == repr(node.literals))
            )
        )

    def _numbers(
        self, rec: recorder.Recorder, node: SymbolicNode, op: Any, inputs: Sequence, numbers: tuple, avals: Sequence
    ) -> None:  # fmt: skip
        """Treats Python numbers as `recorder.advance` does."""
        static = node.static_at(self.sizes)
        if node.numbers == DYNAMIC:
            check_wide(op, static, inputs)
        if op.numbers is not None:
            op.numbers(op, static, inputs, avals[0])
        if node.numbers == DYNAMIC:
            rec.numbers = made = [number_value(v, CPU) for v in numbers]
            for number in made:
                rec.ext[number] = -1 - len(rec.ext)


exact: set[str] = set()
"""Names of ops that round nothing: whoever runs them gives the same, so that they need not run with what they were
recorded with. Filled by whoever can run them alone."""


def _is_question(op: Any, inputs: Sequence, mask: int) -> bool:
    """Returns whether an op asks something of numbers that are computed already, such as `x == 3`."""
    if mask or getattr(op, "name", "") not in exact:
        return False
    return all(v.__class__ is not Value or v.array.__class__ is np.ndarray for v in inputs)


def _aside(
    rec: recorder.Recorder, op: Any, static: Any, inputs: Sequence
) -> tuple[TrieNode, Sequence[Value]]:
    """Records an op by itself, to be run when its result is asked for: the recording stays where it is."""
    aside = recorder.Recorder(rec.root)
    aside.stays = True
    recorded = recorder.record(aside, op, static, inputs)
    aside.flushed = True
    return recorded


def closed_path(
    root: TrieNode, path: Sequence[Any], sizes: Sequence[int], externals: Sequence[Value]
) -> list[TrieNode]:
    """The path in the trie of a recording at symbolic sizes, at these."""
    node, found = root, []
    avals: list[Aval] = []
    n_ext = 0
    for step in path:
        key, applied, n_ext = _closed_key(step, sizes, externals, n_ext)
        child = node.children.get(key)
        if child is None or not same_numbers(child, step):
            child = _grown(node, key, step, applied or _applied(key, step, avals, externals), len(found))
            (found[0] if found else child).size += 1
            node.add(key, child)
        avals += child.avals
        found.append(child)
        node = child
    return found


def _closed_key(
    step: SymbolicNode, sizes: Sequence[int], externals: Sequence[Value], n_ext: int
) -> tuple[tuple, Applied | None, int]:
    """The key of a node at given sizes, its Applied if that had to be made, and how many externals there are after
    it."""
    _, _, *rest = step.key
    applied = step.applied
    if type(applied) is Applied:
        op, static, made = applied.op, step.static_at(sizes), applied
    elif isinstance(applied.op, Formula):
        made = applied.closed(sizes)
        op, static = made.op, None
    else:
        op, static, made = applied.op, step.static_at(sizes), None
    key: list[Any] = [op, static]
    for x in rest[:-1]:
        if type(x) is tuple:
            key.append(externals[n_ext].aval)
            n_ext += 1
        else:
            key.append(x)
    key.append(rest[-1])
    return tuple(key), made, step.externals


def _applied(key: tuple, step: SymbolicNode, avals: Sequence[Aval], externals: Sequence[Value]) -> Applied:
    refs = iter(step.refs)
    spec = []
    for i in step.applied.inputs:
        if type(i) is Aval:
            r = next(refs)
            spec.append(avals[r] if r >= 0 else externals[-1 - r].aval)
        else:
            spec.append(i)
    return apply_once(key[0], key[1], tuple(spec))


def _grown(parent: TrieNode, key: tuple, of: SymbolicNode, applied: Applied, before: int) -> TrieNode:
    node = TrieNode()
    node.key = key
    node.op, node.static, node.applied = key[0], key[1], applied
    node.avals, node.n_out, node.single = applied.avals, of.n_out, applied.single
    node.base = of.base
    node.bytes = parent.bytes + sum(a.nbytes for a in node.avals)
    node.full = before + 1 >= recorder.MAX_PENDING_OPS or node.bytes >= recorder.MAX_PENDING_BYTES
    node.source, node.refs, node.externals = of.source, of.refs, of.externals
    node.numbers, node.literals = of.numbers, of.literals
    return node
