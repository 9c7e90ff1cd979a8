"""Families: recordings that are equal but for sizes. Of three of them a path at symbolic sizes is made.

What depends on the symbols is told exactly: shapes of results come from the traces at symbolic sizes (`sized.py`),
composed along the path; ints among static arguments are told from the three recordings, and looked at whenever one is
recorded. Where an op's trace holds for some sizes alone, the node checks that.
"""

from __future__ import annotations

import itertools
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from ...jaxprs.sizes import FUNCTIONS
from ...words import dtypes
from ..applied import Applied, Formula
from ..recorder import cut_at, note_varying
from ..sized import LEAST, Sized, follows, kind_of
from ..trie import DYNAMIC, MAX_NODES, TrieNode, WeakPath
from ..value import Aval
from .nodes import SymbolicApplied, SymbolicAval, SymbolicNode, Text, in_terms_of, symbolic_aval, tell
from .recording import Root, generic, same_numbers

__all__ = ["forget", "note"]

SETS = 3
MOST_FAMILIES, MOST_TRIES, MOST_OPS = 256, 24, 1_000
LEAST_TRIES = 8
"""Tries after which recordings are cut around an op that is not told at symbolic sizes."""
MOST_NEW, LEAST_ROUNDS = 16, 3
"""Recordings of new families in a row after which they are cut at the rounds of their loop, if it has that many."""


class _Family:
    """The last recordings of a family, and how often a path of three of them was tried."""

    __slots__ = ("paths", "tries")

    def __init__(self) -> None:
        self.paths: list[WeakPath] = []
        self.tries = 0


_families: OrderedDict[Any, _Family] = OrderedDict()
_new: dict[tuple, int] = {}
"""How many recordings in a row were of a new family, by the op and the line with which they begin."""


def forget() -> None:
    """Forgets all recordings."""
    _families.clear()
    _new.clear()


def _count(root: TrieNode, path: Sequence[TrieNode], is_new: bool) -> None:
    """Counts recordings of new families: a loop without reads, whose rounds go ways of their own, makes nothing but
    those. Its rounds come again."""
    first = path[0].op, path[0].source
    if not is_new:
        _new.pop(first, None)
        return
    if len(_new) > MOST_FAMILIES:
        _new.clear()
    now = _new[first] = _new.get(first, 0) + 1
    if now >= MOST_NEW:
        _new.pop(first, None)
        again = _comes_again(path)
        if again is not None:
            cut_at(root, first, again)


def _comes_again(path: Sequence[TrieNode]) -> tuple | None:
    """Returns the op, and its line, with which the rounds of a loop begin; None if nothing comes again.

    Most ops that come again come once a round, which tells how many rounds there are; of those that come so often, the
    first that cuts the path into pieces of which none is long."""
    places: dict[tuple, list[int]] = {}
    for at, node in enumerate(path):
        places.setdefault((node.op, node.source), []).append(at)
    often = Counter([len(those) for those in places.values() if len(those) >= LEAST_ROUNDS])
    if not often:
        return None
    rounds = max(often, key=lambda n: (often[n], n))
    longest = {
        which: max(b - a for a, b in zip([0, *those], [*those, len(path)]))
        for which, those in places.items()
        if len(those) == rounds
    }
    return next(which for which, n in longest.items() if n <= 1.5 * min(longest.values()))


def note(
    root: TrieNode, path: Sequence[TrieNode], is_worth: Callable[[Sequence[Sequence[TrieNode]]], bool]
) -> tuple[SymbolicNode, list[list[TrieNode]]] | None:
    """Notes a recording of the CPU that came for the first time.

    Where its end is known at symbolic sizes from now on: that node, and the recordings that it was made of."""
    if len(path) > MOST_OPS or any(node.stop for node in path):
        return None
    key = tuple([(getattr(n.op, "name", n.op), n.refs, n.n_out, n.numbers == DYNAMIC) for n in path])
    family = _families.pop(key, None)
    _count(root, path, family is None)
    if family is None:
        family = _Family()
    _families[key] = family
    if len(_families) > MOST_FAMILIES:
        _families.popitem(last=False)
    if family.tries >= MOST_TRIES:
        return None
    before = [(p, steps) for p in family.paths if (steps := p.steps()) is not None]
    known = [*before, (WeakPath(path), list(path))][-SETS:]
    kept, paths = [p for p, _ in known], [steps for _, steps in known]
    family.paths = kept
    if len(kept) < SETS:
        return None
    family.tries += 1
    if family.tries >= MOST_TRIES:
        family.paths = []
    if not is_worth(paths):
        return None
    if root.symbolic is None or root.symbolic.size > MAX_NODES:
        root.symbolic = Root()
    try:
        end = _Making(root.symbolic, paths).make()
    except _Refused as refused:
        if refused.without is not None:
            family.paths = [p for k, p in enumerate(kept) if k != refused.without]
        if refused.untold is not None and family.tries >= LEAST_TRIES:
            at = next(k for k, node in enumerate(path) if node.applied is refused.untold)
            for node in path[at : at + 2]:
                cut_at(root, (path[0].op, path[0].source), (node.op, node.source))
        return None
    family.paths = kept[-1:]  # a size that was the same in these may differ from it in those that follow
    return end, paths


class _Refused(Exception):
    """These recordings do not tell what others are.

    without: the number of the one that is to blame, if it is one: it has sizes that are small.
    untold: the op that is, if it is not known at symbolic sizes; the last recording's.
    """

    def __init__(self, without: int | None = None, untold: Applied | None = None):
        self.without, self.untold = without, untold


class _Making:
    """The making of a path at symbolic sizes. Raises _Refused."""

    def __init__(self, root: Root, paths: Sequence[Sequence[TrieNode]]):
        self.root, self.paths = root, paths
        self.rows: list[tuple[int, ...]] = []  # of each symbol, its values in the recordings
        self.slots: list[tuple[Text, ...]] = []
        self.externals: list[tuple[Text, ...]] = []
        self.ensured: set[str] = set()
        self.named: dict[Sized, str] = {}
        """By Sized: the name by which guards call its `admits`."""
        self.forward: list[dict[Applied, tuple[Sized, tuple[Text, ...]] | None]] = [{} for _ in paths]
        """By recording: its applied ops at symbols, and the sizes at which each stands (None: several)."""
        self.varies = False
        self.is_pinned = True

    def make(self) -> SymbolicNode:
        """The node at which it ends."""
        at: SymbolicNode = self.root
        made: list[tuple[SymbolicNode, tuple, SymbolicNode]] = []
        for steps in zip(*self.paths):
            keys, ints = zip(*[generic(step.key) for step in steps])
            if any(key != keys[0] for key in keys[1:]):
                raise _Refused
            self._look_at_numbers(steps)
            node = self._known(at, keys[0], ints, steps[-1])
            if node is None:
                node = self._node(at, steps, keys[0], list(zip(*ints)))
                made.append((at, keys[0], node))
            else:
                self.rows += [tuple([i[k] for i in ints]) for k in node.binds]
            if type(node.applied) is SymbolicApplied:
                for step, known in zip(steps, self.forward):
                    of = step.applied.general or step.applied
                    here = node.applied.sized, node.applied.at
                    known[of] = here if known.get(of, here) == here else None
            self.externals += node.outside
            if steps[0].numbers == DYNAMIC:
                self.externals += [()] * (node.externals - len(self.externals))
            self.slots += [a.texts for a in node.avals]
            at = node
        if self.varies:
            raise _Refused
        self.root.size += len(made)
        for parent, key, node in made:  # nothing can be refused any more
            node.other = parent.children.get(key)  # type: ignore[assignment]
            parent.children[key] = node
            parent.first = (key, node)
        return at

    def _look_at_numbers(self, steps: Sequence[TrieNode]) -> None:
        """Python numbers that differ are to be inputs of the recordings that follow."""
        if any(repr(s.literals) != repr(steps[0].literals) for s in steps if s.numbers != DYNAMIC):
            for s in steps:
                note_varying(s.op, s.source, tuple(map(type, s.literals)))
            self.varies = True

    def _known(
        self, at: SymbolicNode, key: tuple, ints: Sequence[list[int]], model: TrieNode
    ) -> SymbolicNode | None:
        """Returns the node that follows already, and holds for all of the recordings; None if there is none. model: the
        node of the last of them, as which it has to number the values from outside, and to take Python numbers."""
        found = []
        for k, those in enumerate(ints):
            child = at.find(key, [row[k] for row in self.rows], those, lambda node: same_numbers(node, model))
            if child is None:
                return None
            found.append(child[0])
        if any(f is not found[0] for f in found):
            return None
        if (found[0].refs, found[0].externals) != (model.refs, model.externals):
            raise _Refused
        return found[0]

    def _node(
        self, parent: SymbolicNode, steps: Sequence[TrieNode], key: tuple, rows: list[tuple[int, ...]]
    ) -> SymbolicNode:
        model = steps[-1]
        node = SymbolicNode()
        node.key = key
        binds, texts = [], []
        for k, row in enumerate(rows):
            text = self._text(row)
            if text is None:
                for which, n in enumerate(row):
                    if n < LEAST:
                        raise _Refused(which)
                binds.append(k)
                text = f"s[{len(self.rows)}]"
                self.rows.append(row)
            texts.append(text)
        node.binds = tuple(binds)
        node.n_symbols = len(self.rows)
        checks = [f"i[{k}]=={t}" for k, t in enumerate(texts) if k not in binds]
        sizes, at = [], 0
        outside = []
        inputs: list[tuple[Text, ...]] = []
        for x in key[2:-1]:
            if type(x) is tuple:
                shape = tuple(texts[at : at + x[0]])
                at += x[0]
                outside.append(shape)
                inputs.append(shape)
            elif type(x) is int:
                inputs.append(self.slots[x] if x >= 0 else [*self.externals, *outside][-1 - x])
            elif x is not None:  # a number
                inputs.append(())
        statics = texts[at:]
        for shape in inputs:
            sizes += shape
        node.outside, node.statics_in_text = tuple(outside), tuple(statics)
        node.statics = tell(node.statics_in_text)
        node.has_sizes = any(type(t) is not int for t in statics)
        node.op, node.static, node.single, node.n_out = model.op, model.static, model.single, model.n_out
        node.refs, node.externals, node.base = model.refs, model.externals, model.base
        node.numbers, node.literals, node.source = model.numbers, model.literals, model.source
        found, guards = self._applied([s.applied for s in steps], inputs, [*sizes, *statics], len(sizes))
        node.applied = found
        node.is_pinned = self.is_pinned
        node.avals = found.avals if type(found) is SymbolicApplied else tuple(map(_fixed, found.avals))
        sizes_known = [a.fixed for a in node.avals]
        node.fixed = None if None in sizes_known else tuple(sizes_known)
        for guard in guards:
            if guard not in self.ensured:
                self.ensured.add(guard)
                checks.append(guard)
        if checks:
            asked = {name: of.admits for of, name in self.named.items()}
            node.check = eval(f"lambda s, i: {' and '.join(checks)}", {**FUNCTIONS, **asked})
        return node

    def _text(self, row: tuple[int, ...]) -> Text | None:
        """Returns an int, or an expression that makes these ints of the symbols; None if nothing does."""
        if all(n == row[0] for n in row):
            return row[0]
        found = follows(row, self.rows)
        return None if found is None else in_terms_of(found, [f"s[{k}]" for k in range(len(self.rows))])

    def _applied(
        self, those: Sequence[Applied], inputs: Sequence[tuple[Text, ...]], sizes: list[Text], n_sizes: int
    ) -> tuple[Any, list[str]]:
        """Returns an op at symbolic sizes, and the guards that have to hold for it. sizes: of its inputs, and static
        ints."""
        model = those[-1]
        self.is_pinned = not isinstance(model.op, Formula)
        if all(a is model for a in those):
            shapes = [n for i in model.inputs if type(i) is Aval for n in i.shape]
            return model, [f"{t}=={n}" for t, n in zip(sizes, shapes) if t != n]
        of = [a.general or a for a in those]
        if isinstance(model.op, Formula):
            return self._derivative(model, of, inputs)
        told = []
        for a in of:
            kind, numbers = kind_of(a.op, a.static, a.inputs) or (None, ())
            found = None if kind is None else kind.told(numbers)
            if found is None:
                raise _Refused(untold=model)
            if told and found[1] is not told[0][1]:
                raise _Refused
            told.append(found)
        pattern, sized, _ = told[-1]
        sizes, fixed = (
            [*sizes, n_sizes],
            [f for f in pattern.fixed if f[0] < len(sizes)],
        )  # the last is no size
        at = tuple([sizes[k] for k in pattern.firsts])
        guards = []
        for k, n in fixed:
            if sizes[k] != n:
                guards.append(f"{sizes[k]}=={n}")
        for k, text in pattern.texts.items():
            expected = in_terms_of(text.replace(" ", ""), at)
            if expected != sizes[k]:
                guards.append(f"{sizes[k]}=={expected}")
        guards += [in_terms_of(text.replace("^", "**"), at) for text in pattern.within]
        guards += self._apart(sized, at)
        return SymbolicApplied(model, sized, at, _results(sized, at)), guards

    def _apart(self, sized: Sized, at: Sequence[Text]) -> list[str]:
        """Returns a guard: sizes of an op that are small, or equal to each other or to numbers that stood beside them,
        are looked at."""
        if not at:
            return []
        name = self.named.setdefault(sized, f"admits_{len(self.named)}")
        different = [f"{t}>={LEAST}" for t in dict.fromkeys(at)]
        different += [f"{t}!={n}" for t in dict.fromkeys(at) for n in sized.apart if n >= LEAST]
        different += [f"{a}!={b}" for a, b in itertools.combinations(at, 2)]
        return [f"({' and '.join(different)} or {name}(({', '.join(map(str, at))},)))"]

    def _derivative(
        self, model: Applied, of: Sequence[Applied], inputs: Sequence[tuple[Text, ...]]
    ) -> tuple[SymbolicApplied, list[str]]:
        told = [a.op.sized for a in of]
        if any(a.sized is None or t is None for a, t in zip(of, told)):
            raise _Refused
        half = told[0][0]
        if any(t[0] is not half for t in told):
            raise _Refused
        expected_sizes = [
            (t, e) for shape, (es, _) in zip(inputs, half.texts("inputs")) for t, e in zip(shape, es)
        ]
        named = {e: t for t, e in reversed(expected_sizes)}
        at = [named.get(name) for name in half.names]
        self.is_pinned = None not in at
        if not self.is_pinned:  # some size stands in none of its inputs: that of what it is the derivative of
            forward = {known.get(a.op.made_of[0]) for a, known in zip(of, self.forward)}
            (first,) = forward if len(forward) == 1 else (None,)
            if first is None or all(half is not h[0] for h in first[0].halves.values() if h is not None):
                raise _Refused
            at = list(first[1])
        guards = self._apart(half, at)
        for t, e in expected_sizes:
            wanted = in_terms_of(e, at)
            if t != wanted:
                guards.append(f"{t}=={wanted}")
        return SymbolicApplied(model, half, tuple(at), _results(half, at)), guards


def _results(sized: Any, at: Sequence[Text]) -> tuple[SymbolicAval, ...]:
    return tuple(
        [
            symbolic_aval(tuple([in_terms_of(n, at) for n in shape]), dtypes.from_numpy(d))
            for shape, d in sized.texts("results")
        ]
    )


def _fixed(a: Aval) -> SymbolicAval:
    return symbolic_aval(a.shape, a.dtype)
