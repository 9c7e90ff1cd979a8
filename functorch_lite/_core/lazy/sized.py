"""Ops at other sizes: what an op does at sizes at which it was never traced, told from one trace at symbolic sizes.

A program whose data have another length at each step applies its ops at sizes that were never seen, and tracing an op
takes some milliseconds. So what has come with three sets of sizes is traced once more at *symbolic* ones
(`jax.export.symbolic_shape`), and what it does at any further sizes is that jaxpr with the numbers put in: the same
shapes, the same equations, its derivatives too. An op that JAX refuses to trace so is traced at each size.

What JAX cannot decide of sizes (`n > 25`, `n >= m`) is taken to be as it is at those that are traced: the trace serves
sizes of which it holds.

Which of the sizes are symbols is told from the three sets: those that differ. Sizes that are equal in all three are one
symbol, and static arguments that differ must be a symbol, a multiple of one, a product of two, or one and a number. JAX
takes for unequal what it cannot tell to be equal: so a trace serves sizes that differ where its symbols do, and that
are at least `LEAST`, as ops have ways of their own for the small ones (a determinant of 2 × 2). Where sizes are equal
or smaller, it is looked at whether what is traced there is the same (`Sized.admits`).
"""

from __future__ import annotations

import contextlib
import copy
import itertools
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
from jax.extend.core import ClosedJaxpr, InconclusiveDimensionOperation

from ..declare.op import Op
from ..jaxprs.sizes import FUNCTIONS, AtSizes, same, simplified
from ..words import dtypes
from ..words.device import CPU
from .value import Aval, aval

__all__ = [
    "COMPARISON", "LEAST", "OPPOSITE", "Kind", "Pattern", "Sized", "are_open", "at_sizes", "constraint", "equal_pairs", "follows", "forget", "is_at_least", "kind_of", "open_sizes", "pays_from", "put_together", "sizes_of", "symbols",
    "taken_apart",
]  # fmt: skip

SETS = 3
"""Sets of sizes after which an op is traced at symbolic ones."""
LEAST = 5
"""The least size that a symbol stands for when it is traced."""
SMALL = range(1, LEAST)
MOST_SEEN, MOST_TRIED, MOST_JAXPRS, MOST_SIZED, MOST_REFUSED, MOST_EQUAL = 32, 8, 8, 16, 3, 32
MOST_KINDS = 4096


class Sized:
    """A jaxpr at symbolic sizes, and what it is at sizes that are given (`at`: the values of the symbols, in order)."""

    def __init__(self, closed: ClosedJaxpr, names: Sequence[str], single: bool):
        self.closed = closed
        self.single = single
        self.folds = False
        """Whether JAX leaves something out of it where sizes are known, so that it has to be gone through at each sizes
        (see `simplified`)."""
        self.names = names
        self.halves: dict[Any, Any] = {}
        """Its derivatives, by what they are of: see `Applied.backward`."""
        self._exprs: dict[int, int] = {}
        self._texts: dict[str, int] = {}
        self._held: list[Any] = []
        self._ins = self._row(closed.in_avals)
        self._outs = self._row(closed.out_avals)
        self._tell: Callable[..., tuple] | None = None
        self._jaxprs: dict[tuple[int, ...], ClosedJaxpr] = {}
        self.known: dict[Any, Any] = {}
        """Facts that others found out about it, once for all sizes."""
        self.apart: tuple[int, ...] = ()
        """The numbers that stood beside the symbols, and the small ones."""
        self.holds_where_equal: Callable[[tuple[tuple[int, int], ...]], bool] | None = None
        """Whether what is traced where pairs of the symbols and of these numbers are equal, by their places, is what it
        says."""
        self._may: dict[tuple[tuple[int, int], ...], bool] = {}
        self.op_at: Callable[[tuple[int, ...]], tuple[Any, tuple, tuple]] | None = None
        """Gives op, static arguments and inputs at sizes: what it was traced of."""

    def _row(self, avals: Sequence[Any]) -> list[tuple]:
        return [(tuple(map(self._note, a.shape)), a.dtype, a.weak_type) for a in avals]

    def _note(self, size: Any) -> Any:
        """A size, or where it is among those that are told."""
        if type(size) is int or not jax.export.is_symbolic_dim(size):
            return int(size)
        at = self._exprs.get(id(size))
        if at is None:
            at = self._texts.get(text := str(size).replace("^", "**"))
            if at is None:
                at = self._texts[text] = len(self._texts)
                self._tell = None
            self._exprs[id(size)] = at
            self._held.append(size)  # so that the id stays its own
        return _Told(at)

    def _told(self, at: tuple[int, ...]) -> tuple:
        """All sizes that were noted, as they are now."""
        tell = self._tell
        if tell is None:
            body = ", ".join(self._texts)
            tell = self._tell = eval(
                f"lambda {', '.join(self.names)}: ({body}{',' * bool(body)})", dict(FUNCTIONS)
            )
        return tell(*at)

    def avals(self, at: tuple[int, ...]) -> list[tuple[tuple[int, ...], Any]]:
        """Shapes and dtypes of the results."""
        told = self._told(at)
        return [(_shape(shape, told), dtype) for shape, dtype, _ in self._outs]

    def text(self, size: Any) -> str | int:
        """A size as a text in `names`."""
        noted = self._note(size)
        return list(self._texts)[noted.at] if type(noted) is _Told else noted

    def texts(self, which: str) -> list[tuple[list[str | int], Any]]:
        """Shapes, as texts in `names`, and dtypes: of the "inputs" or of the "results"."""
        texts = list(self._texts)
        rows = self._ins if which == "inputs" else self._outs
        return [([texts[n.at] if type(n) is _Told else n for n in shape], dtype) for shape, dtype, _ in rows]

    def in_avals(self, at: tuple[int, ...]) -> tuple[Aval, ...]:
        """Its inputs at such sizes."""
        told = self._told(at)
        return tuple(
            [aval(_shape(shape, told), dtypes.from_numpy(d), CPU, weak) for shape, d, weak in self._ins]
        )

    def takes(self, at: tuple[int, ...], inputs: Sequence[Aval]) -> bool:
        """Returns whether these are its inputs at such sizes."""
        told = self._told(at)
        return len(inputs) == len(self._ins) and all(
            a.shape == _shape(shape, told) and a.struct.dtype == dtype and a.weak == weak
            for a, (shape, dtype, weak) in zip(inputs, self._ins)
        )

    def numbers(self, at: tuple[int, ...]) -> Callable[[Any], int]:
        """Returns a function that gives the number of a size, which may be symbolic, at these values of the symbols."""
        told, exprs = self._told(at), self._exprs

        def number(size: Any) -> int:
            if type(size) is int:
                return size
            k = exprs.get(id(size))
            if k is None or k >= len(told):
                noted = self._note(size)
                return self._told(at)[noted.at] if type(noted) is _Told else noted
            return told[k]

        return number

    def admits(self, at: tuple[int, ...]) -> bool:
        """Whether it holds at sizes of which some are small, or equal to each other or to numbers that stood beside
        them: that is looked at where it comes to that, once for all sizes of which the same ones are."""
        together = (*at, *self.apart)
        if len(set(together)) == len(together):
            return min(at, default=1) > 0
        if min(at) < 1:
            return False
        equal = tuple(equal_pairs(together))
        found = self._may.get(equal)
        if found is None:
            look = self.holds_where_equal if len(self._may) < MOST_EQUAL else None
            self._may[equal] = False  # while it is looked at
            found = self._may[equal] = look is not None and look(equal)
        return found

    def note(self, *sizes: Any) -> None:
        """Notes sizes that will be asked for."""
        for size in sizes:
            self._note(size)

    def jaxpr(self, at: tuple[int, ...]) -> ClosedJaxpr:
        """The jaxpr at such sizes."""
        found = self._jaxprs.get(at)
        if found is None:
            if len(self._jaxprs) >= MOST_JAXPRS:
                self._jaxprs.clear()
            found = AtSizes(self.numbers(at)).closed(self.closed)
            found = self._jaxprs[at] = simplified(found) if self.folds else found
        return found

    def agrees(self, at: tuple[int, ...], traced: ClosedJaxpr) -> bool:
        """Returns whether it is what was traced at these sizes; finds out whether it folds."""
        self.find_out_whether_it_folds(at)
        return self.is_at(at, traced)

    def find_out_whether_it_folds(self, at: tuple[int, ...]) -> None:
        """Sets `folds` by what it is at some sizes."""
        self.folds = False
        self.folds = not same(now := self.jaxpr(at), simplified(now))
        self._jaxprs.clear()

    def is_at(self, at: tuple[int, ...], traced: ClosedJaxpr) -> bool:
        """Returns whether it is what was traced at these sizes."""
        return same(self.jaxpr(at), simplified(traced))


class _Told:
    """A size that is told: by its place among them."""

    __slots__ = ("at",)

    def __init__(self, at: int):
        self.at = at


def _shape(noted: tuple, told: tuple) -> tuple[int, ...]:
    return tuple([told[n.at] if type(n) is _Told else n for n in noted])


_open = threading.local()


@contextlib.contextmanager
def open_sizes() -> Iterator[None]:
    """Under which ops are traced for all sizes, those too at which another way would be faster, and for all
    platforms."""
    before = are_open()
    _open.is_on = True
    try:
        yield
    finally:
        _open.is_on = before


def are_open() -> bool:
    """Returns whether ops are traced for all sizes."""
    return getattr(_open, "is_on", False)


def pays_from(size: Any, least: int) -> bool:
    """size >= least, where it chooses between two ways that compute the same.

    Of sizes that are left open, and of which it is not known, False."""
    try:
        return bool(size >= least)
    except InconclusiveDimensionOperation:
        if are_open():
            return False
        raise


def is_at_least(size: Any, least: int) -> bool:
    """size >= least; False of a symbolic size of which that is not known."""
    try:
        return bool(size >= least)
    except InconclusiveDimensionOperation:
        return False


# -- which sizes are symbols -------------------------------------------------------------------------------------------


class Kind:
    """An op of some structure: what was seen of its sizes, and what it is at symbolic ones."""

    __slots__ = ("_patterns", "_refused", "_seen", "made_before")

    def __init__(self) -> None:
        self.made_before: list[tuple] = []
        """Op, static arguments and inputs that were traced at their sizes."""
        self._seen: list[tuple[int, ...]] = []
        self._patterns: list[tuple[Pattern, Sized]] = []
        self._refused: set[Any] = set()

    def find(self, sizes: tuple[int, ...]) -> tuple[Sized, tuple[int, ...]] | None:
        """Returns its Sized and the values of the symbols at these sizes, if a trace serves them; else None."""
        found = self.told(sizes)
        return None if found is None else found[1:]

    def told(self, sizes: tuple[int, ...]) -> tuple[Pattern, Sized, tuple[int, ...]] | None:
        """The same, with the pattern that these sizes are of."""
        for pattern, sized in self._patterns:
            at = pattern.match(sizes)
            if at is not None and sized.admits(at):
                return pattern, sized, at
        return None

    def patterns(self, sizes: tuple[int, ...]) -> list[Pattern]:
        """The patterns of these sizes and two others that were seen, if there is a new one: at first sizes that differ
        have nothing to do with each other."""
        if len(self._refused) >= MOST_REFUSED or len(self._patterns) >= MOST_SIZED:
            return []
        groups: dict[tuple[int, ...], list] = {}
        for seen in self._seen:
            differ = tuple([k for k, (a, b) in enumerate(zip(seen, sizes)) if a != b])
            if any(min(seen[k], sizes[k]) < LEAST for k in differ if k < sizes[-1]):
                continue
            groups.setdefault(differ, []).append(seen)
        several = [(len(d), d) for d, g in groups.items() if len(g) >= SETS - 1 and d]
        if not several:
            return []
        _, differ = min(several)
        if differ in self._refused:
            return []
        for others in itertools.combinations(reversed(groups[differ][-MOST_TRIED:]), SETS - 1):
            sets = [*others, sizes]
            free, bound = [Pattern.of(differ, sets, b) for b in (False, True)]
            found = [free, bound] if free and bound and bound.texts != free.texts else [free]
            found = [p for p in found if p is not None and p.are_apart(p.match(sizes))]
            if found:
                return found
        return []  # sizes are equal by chance

    def see(self, sizes: tuple[int, ...], made: tuple) -> None:
        """Notes sizes at which the op was traced. made: op, static arguments and inputs."""
        if sizes not in self._seen:
            if len(self._seen) >= MOST_SEEN:
                self._seen.pop(0)
            self._seen.append(sizes)
        self.made_before = [*self.made_before, made][-MOST_SEEN:]

    def add(
        self, patterns: Sequence[Pattern], trace: Callable[[Pattern], tuple[Pattern, Sized] | None]
    ) -> bool:
        """Traces at the symbols of the first of these patterns for which that is not refused (None); whether there is
        one."""
        for pattern in patterns:
            found = trace(pattern)
            if found is not None:
                self._patterns.append(found)
                return True
        self._refused.add(patterns[0].differ)
        return False


class Pattern:
    """Pattern of an op's sizes and static ints: which are symbols, or follow from them.

    names   of the symbols
    firsts  where each symbol stands first
    texts   of the places that symbols make, by place
    fixed   (place, number) of the others
    apart   those that a symbol may be, too, and the small ones
    within  what has to hold of the symbols besides
    """

    __slots__ = ("_follow", "_holds", "apart", "differ", "firsts", "fixed", "names", "texts", "within")

    def __init__(
        self, differ: tuple[int, ...], firsts: list[int], follow: dict[int, str], fixed: dict[int, int]
    ):
        self.differ = differ
        self.firsts = firsts
        self.names = [f"n{k}" for k in range(len(firsts))]
        self.texts = {**dict(zip(firsts, self.names)), **follow}
        self.fixed = tuple(fixed.items())
        text = ", ".join([f"({at}, {t})" for at, t in follow.items()])
        self._follow = eval(f"lambda {', '.join(self.names)}: ({text}{',' * bool(text)})")
        self.within: tuple[str, ...] = ()
        self.apart = (*SMALL, *sorted({n for n in fixed.values() if n >= LEAST}))
        self._holds: Callable[..., bool] | None = None

    @staticmethod
    def of(differ: tuple[int, ...], sets: Sequence[tuple[int, ...]], bound: bool = False) -> Pattern | None:
        """The pattern of some sets of sizes, which differ in these places; None where some are too small.

        (Static ones come last.) bound: sizes too may follow from others."""
        rows = {at: tuple([s[at] for s in sets]) for at in differ}
        n_sizes = sets[0][-1]
        firsts: list[int] = []
        follow: dict[int, str] = {}
        if any(min(row) < LEAST for at, row in rows.items() if at < n_sizes):
            return None
        for at in differ:
            if at < n_sizes:
                others = [rows[f] for f in firsts]
                if rows[at] not in others and not (bound and follows(rows[at], others)):
                    firsts.append(at)
        for at in differ:
            if at not in firsts:
                text = follows(rows[at], [rows[f] for f in firsts])
                if text is not None:
                    follow[at] = text
                elif min(rows[at]) < LEAST:
                    return None
                else:  # a static argument that follows from nothing, such as the size of what is made
                    firsts.append(at)
        fixed = {at: n for at, n in enumerate(sets[0]) if at not in rows}
        return Pattern(differ, firsts, follow, fixed)

    def match(self, sizes: tuple[int, ...]) -> tuple[int, ...] | None:
        """The values of the symbols at these sizes; None if they are none of this pattern."""
        for at, n in self.fixed:
            if sizes[at] != n:
                return None
        values = tuple([sizes[f] for f in self.firsts])
        for at, n in self._follow(*values):
            if sizes[at] != n:
                return None
        return values if self.admits(values) else None

    def made_of(self, values: Sequence[Any]) -> dict[int, Any]:
        """Returns the numbers, by place, that symbols of these values make."""
        return {**dict(zip(self.firsts, values)), **dict(self._follow(*values))}

    def admits(self, values: Sequence[int]) -> bool:
        """Returns whether the symbols may have these values, as far as they are not equal."""
        return min(values) > 0 and (self._holds is None or self._holds(*values))

    def are_apart(self, values: Sequence[int] | None) -> bool:
        """Whether no two of these values of the symbols, and of the numbers beside them, are equal; False of no
        values."""
        return values is not None and len({*values, *self.apart}) == len(values) + len(self.apart)

    def decided(self, undecided: InconclusiveDimensionOperation, values: Sequence[int]) -> Pattern | None:
        """The pattern of those of its sizes where a comparison that JAX cannot decide comes out as it does at these.

        None if it is not known which."""
        said = COMPARISON.search(str(undecided))
        if said is None:
            return None
        a, which, b = said.groups()
        text = f"{a} {which} {b}"
        if not self._says(text)(*values):
            text = f"{a} {OPPOSITE[which]} {b}"
        if text in self.within:  # JAX makes nothing of it
            return None
        found = copy.copy(self)
        found.within = (*self.within, text)
        found._holds = self._says(*found.within)
        return found

    def _says(self, *texts: str) -> Callable[..., bool]:
        body = " and ".join(texts).replace("^", "**")
        return eval(f"lambda {', '.join(self.names)}: {body}", dict(FUNCTIONS))


def equal_pairs(values: Sequence[Any]) -> list[tuple[int, int]]:
    """Returns the pairs of places whose values are equal."""
    return [(i, j) for i, j in itertools.combinations(range(len(values)), 2) if values[i] == values[j]]


COMPARISON = re.compile(r"comparison '([^']*)' (>=|<=|>|<) '([^']*)' is inconclusive")
OPPOSITE = {">=": "<", "<": ">=", ">": "<=", "<=": ">"}


def follows(row: tuple[int, ...], firsts: Sequence[tuple[int, ...]]) -> str | None:
    """Returns the expression that makes these numbers of those of the symbols; None if there is none."""
    for k, first in enumerate(firsts):
        if row == first:
            return f"n{k}"
        if len({a - b for a, b in zip(row, first)}) == 1:
            return f"n{k} + {row[0] - first[0]}"
        if (
            row[0]
            and first[0]
            and row[0] % first[0] == 0
            and all(a == b * (row[0] // first[0]) for a, b in zip(row, first))
        ):
            return f"{row[0] // first[0]} * n{k}"
        for j in range(k):
            if all(a == b * c for a, b, c in zip(row, first, firsts[j])):
                return f"n{j} * n{k}"
    for k, first in enumerate(firsts if min(row) >= LEAST else ()):
        if (c := first[0] // row[0]) > 1 and all(a == b // c for a, b in zip(row, first)):
            return f"n{k} // {c}"
    return None


_kinds: dict[Any, Kind] = {}


def kind_of(op: Any, static: tuple, inputs: tuple) -> tuple[Kind, tuple[int, ...]] | None:
    """The kind that an op with such arguments is of, and its sizes: those of its inputs, then static ints, and how many
    are the inputs'. None of what is not looked at."""
    if type(op) is not Op and not op.is_sizeless and getattr(op.fn, "__closure__", op) is not None:
        return None  # it was made of something, which may have sizes of its own
    sizes: list[int] = []
    spec = []
    for i in inputs:
        if type(i) is Aval:
            if i.device.is_mesh:
                return None
            sizes.extend(i.shape)
            spec.append((len(i.shape), i.dtype, i.device, i.weak))
        else:
            spec.append(i)
    n = len(sizes)
    structure = taken_apart(static, sizes)
    sizes.append(n)
    key = op, structure, tuple(spec)
    kind = _kinds.get(key)
    if kind is None:
        if len(_kinds) >= MOST_KINDS:
            _kinds.pop(next(iter(_kinds)))
        kind = _kinds[key] = Kind()
    return kind, tuple(sizes)


class _Int:
    """Stands for an int in static arguments."""

    def __repr__(self) -> str:
        return "int"


_INT = _Int()


def taken_apart(static: Any, ints: list[int]) -> Any:
    """Static arguments without their ints, which are put aside."""
    if type(static) is int:
        ints.append(static)
        return _INT
    if type(static) is tuple:
        return tuple([taken_apart(s, ints) for s in static])
    return static


def put_together(structure: Any, ints: Iterator[int]) -> Any:
    """The reverse: with these ints."""
    if structure is _INT:
        return next(ints)
    return tuple([put_together(s, ints) for s in structure]) if type(structure) is tuple else structure


def symbols(pattern: Pattern, static: tuple, inputs: tuple) -> tuple[tuple, list[jax.ShapeDtypeStruct]]:
    """Static arguments and inputs at the symbols of a pattern."""
    scope = jax.export.SymbolicScope(
        [*[f"{name} >= {LEAST}" for name in pattern.names], *map(constraint, pattern.within)]
    )
    dims = jax.export.symbolic_shape(", ".join(pattern.names), scope=scope)
    static, shapes = _with_sizes(pattern, dims, static, inputs)
    avals = [i for i in inputs if type(i) is Aval]
    structs = [jax.ShapeDtypeStruct(s, a.dtype.np, weak_type=a.weak) for s, a in zip(shapes, avals)]
    return static, structs


def constraint(text: str) -> str:
    """A comparison as JAX takes it: by >= or <=."""
    if " < " in text:
        return text.replace(" < ", " <= ") + " - 1"
    return text.replace(" > ", " >= ") + " + 1" if " > " in text else text


def at_sizes(pattern: Pattern, at: Sequence[int], static: tuple, inputs: tuple) -> tuple[tuple, tuple]:
    """Static arguments and inputs at other values of the symbols of a pattern."""
    static, shapes = _with_sizes(pattern, at, static, inputs)
    it = iter(shapes)
    return static, tuple(
        [aval(next(it), i.dtype, i.device, i.weak) if type(i) is Aval else i for i in inputs]
    )


def _with_sizes(
    pattern: Pattern, values: Sequence[Any], static: tuple, inputs: tuple
) -> tuple[tuple, list[tuple]]:
    """Static arguments, and shapes of the inputs, with these values as the symbols of a pattern."""
    made = pattern.made_of(values)
    at = 0
    shapes = []
    for i in inputs:
        if type(i) is Aval:
            shapes.append(tuple([made.get(at + k, n) for k, n in enumerate(i.shape)]))
            at += len(i.shape)
    ints: list[int] = []
    structure = taken_apart(static, ints)
    return put_together(structure, iter([made.get(at + k, n) for k, n in enumerate(ints)])), shapes


def sizes_of(
    found: Sequence[tuple[tuple[int, ...], Any]], dtype_of: Callable[[Any], Any], device: Any
) -> tuple[Aval, ...]:
    """Avals of shapes and dtypes."""
    return tuple([aval(shape, dtype_of(dtype), device) for shape, dtype in found])


def forget() -> None:
    """Forgets what was told."""
    _kinds.clear()
