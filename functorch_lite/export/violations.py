"""Violations: what a program does that a size that is to be open does not let it do, with the line, and what to say
instead.

The responsible sizes are found by recording the forward at other sizes: one Dim is moved alone, two together, by
steps, and towards the ends of the range.
"""

from __future__ import annotations

import itertools
import linecache
import re
import traceback
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Never

from .._core.api import USERS, NotOneGraph, kind_of, value_of
from ..compiler.errors import UserError, UserErrorType
from .arguments import MOST
from .dynamic_shapes import Dim
from .dynamic_shapes import _DerivedDim as DerivedDim
from .dynamic_shapes import _DimHint as DimHint
from .open_sizes import OpenSizes
from .sym_int import Guard

if TYPE_CHECKING:
    from .opening import Opening

__all__ = ["Finder", "Violated", "Violation", "guards_that_fail", "refused"]

MOST_LOOKED_AT = 100_000
"""Sizes of a range that are looked at one by one."""


class Violation:
    """One: text in words, fixes as lines `name = …`; said: for the number of a symbol, what to say of it instead."""

    def __init__(self, text: str, fixes: Sequence[str], said: dict[int, Any], source: Any, why: str = ""):
        self.text, self.fixes, self.said, self.source, self.why = text, list(fixes), said, source, why

    def __str__(self) -> str:
        lines = [f"  - {self.text}"]
        if self.source is not None:
            file, line = self.source
            lines.append(f'    File "{file}", line {line}: {linecache.getline(file, line).strip()}')
        if self.why:
            lines.append(f"    {self.why}")
        return "\n".join(lines)


class Violated(Exception):
    """Sizes cannot be open as they were asked to be."""

    def __init__(self, violations: Sequence[Violation], sizes: OpenSizes):
        super().__init__("")
        self.violations, self.sizes = violations, sizes
        self.items = [str(v) for v in violations]

    def narrowed(self, said: list[dict[int, Any]], sizes: OpenSizes, lenient: bool) -> list[dict[int, Any]]:
        """Returns what to ask for instead, where that was left to the program (`Dim.AUTO`, and the range of
        `Dim.DYNAMIC`), or of all. Raises UserError otherwise."""
        changes: dict[int, Any] = {}
        for v in self.violations:
            for k, what in v.said.items():
                asked = sizes.symbols[k].asked
                free = lenient or asked == "AUTO" or (asked == "DYNAMIC" and isinstance(what, DimHint) and what.type != "STATIC")  # fmt: skip
                if free and k not in changes:
                    changes[k] = what
        blamed = [v for v in self.violations if not v.said or not any(k in changes for k in v.said)]
        if blamed or not changes:
            raise self.error()
        found = [dict(s) for s in said]
        for p in sizes.places:
            if p.symbol in changes:
                what = changes[p.symbol]
                if isinstance(what, Dim) and (p.factor, p.offset) != (1, 0):
                    what = DerivedDim(what, p.factor, p.offset)
                if isinstance(what, DimHint) and what.type == "STATIC":
                    del found[p.tensor][p.dim]
                else:
                    found[p.tensor][p.dim] = what
        return found

    def error(self) -> UserError:
        """The error of these violations."""
        names = {self.sizes.symbols[k].described for v in self.violations for k in v.said} or {s.described for s in self.sizes.symbols}  # fmt: skip
        fixes = list(dict.fromkeys(f for v in self.violations for f in v.fixes))
        return refused(f"Constraints violated ({', '.join(sorted(names))})!", self.items, fixes)


def refused(head: str, items: Sequence[str], fixes: Sequence[str] = ()) -> UserError:
    """The error of violations."""
    more = ["", "Suggested fixes:", *[f"  {f}" for f in fixes]] if fixes else []
    return UserError(UserErrorType.CONSTRAINT_VIOLATION, "\n".join([head, *items, *more]))


def _constant(sizes: OpenSizes, k: int, source: Any, why: str = "") -> Violation:
    s = sizes.symbols[k]
    text = (
        f"You marked {s.described} as dynamic but your code specialized it to be a constant ({s.hint}). If you're using mark_dynamic, either remove it or "
        "use maybe_mark_dynamic. If you're using Dim.DYNAMIC, replace it with either Dim.STATIC or Dim.AUTO."
    )
    fixes = [f"{s.name} = {s.hint}"] if s.asked == "Dim" else []
    return Violation(text, fixes, {k: Dim.STATIC}, source, why)


def _bounded(sizes: OpenSizes, k: int, guard: str, least: int | None, most: int | None, source: Any, why: str = "") -> Violation:  # fmt: skip
    s = sizes.symbols[k]
    low, high = s.min if least is None else least, s.max if most is None else most
    bounds = [f"min={low}"] * (low > 2) + [f"max={high}"] * (high != MOST)
    fixes = [f"{s.name} = Dim({', '.join([repr(s.name), *bounds])})"] if s.asked == "Dim" else []
    said: Any = DimHint(s.asked, low, None if high == MOST else high)
    if s.asked == "Dim":
        said = Dim(s.name, min=low, max=high)
    return Violation(_not_all(sizes, k, guard), fixes, {k: said}, source, why)


def _multiple(sizes: OpenSizes, k: int, guard: str, step: int, source: Any, why: str = "") -> Violation:
    s = sizes.symbols[k]
    rest = s.hint % step
    low, high = max(1, -(-(s.min - rest) // step)), MOST if s.max == MOST else (s.max - rest) // step
    said = DerivedDim(Dim(f"_{s.name}", min=low, max=high), step, rest)
    bound = "" if high == MOST else f", max={high}"
    fixes = [f"_{s.name} = Dim('_{s.name}', min={low}{bound})", f"{s.name} = {said!r}"] if s.asked == "Dim" else []  # fmt: skip
    return Violation(_not_all(sizes, k, guard), fixes, {k: said}, source, why)


def _not_all(sizes: OpenSizes, k: int, guard: str) -> str:
    s = sizes.symbols[k]
    return (
        f"Not all values of {s.name} = {s.source} in the specified range satisfy the generated guard {guard}."
    )


def _related(sizes: OpenSizes, i: int, j: int, factor: int, offset: int, source: Any, why: str) -> Violation:
    a, b = sizes.symbols[i], sizes.symbols[j]
    root = Dim(a.name, min=a.min, max=a.max)
    said = root if (factor, offset) == (1, 0) else DerivedDim(root, factor, offset)
    if (factor, offset) == (1, 0):
        text = f"The values of {b.name} = {b.source} and {a.name} = {a.source} must always be equal."
    else:
        text = f"The values of {b.name} = {b.source} must always be related to the values of {a.name} = {a.source} by {b.name} = {said.__name__}."  # fmt: skip
    fixes = [f"{b.name} = {said.__name__}"]
    both: dict[int, Any] = {j: said}
    if a.asked != "Dim":
        both = {i: root, j: said}
    return Violation(text, fixes, both, source, why)


# -- guards ------------------------------------------------------------------------------------------------------------


def guards_that_fail(guards: Sequence[Guard], sizes: OpenSizes) -> list[Violation]:
    """Violations by comparisons that come out in another way at some sizes of the ranges."""
    found = [_of_guard(g, sizes) for g in {g.text: g for g in reversed(guards)}.values()]
    return [v for v in reversed(found) if v is not None]


def _of_guard(guard: Guard, sizes: OpenSizes) -> Violation | None:
    text = guard.text
    among = [k for k, s in enumerate(sizes.symbols) if re.search(rf"\b{s.name}\b", text)]
    holds = lambda *values: bool(value_of(text, sizes.names, values))  # noqa: E731
    shown = guard.text
    for k in among:
        shown = re.sub(rf"\b{sizes.symbols[k].name}\b", lambda _, k=k: sizes.symbols[k].source, shown)
    if len(among) != 1:
        return _of_several(guard, shown, among, holds, sizes)
    (k,) = among
    s = sizes.symbols[k]

    def true_at(n: int) -> bool:
        try:
            return bool(holds(*[n if j == k else h for j, h in enumerate(sizes.hints)]))
        except (ZeroDivisionError, OverflowError, ValueError):
            return False

    low, high = max(s.min, 2), min(s.max, max(MOST_LOOKED_AT, s.hint + 1))
    if s.max > high:
        high = min(high, max(4096, 4 * s.hint))
    truth = [true_at(n) for n in range(low, high + 1)]
    if all(truth):
        if s.max <= high:
            return None
        far = next((e for e in range(12, 48) if not true_at(1 << e)), None)
        if far is None:
            return Violation(_not_all(sizes, k, shown), [], {k: Dim.STATIC}, guard.source)
        a, b = 1 << (far - 1), 1 << far
        while b - a > 1:
            middle = (a + b) // 2
            a, b = (middle, b) if true_at(middle) else (a, middle)
        return _bounded(sizes, k, shown, None, a, guard.source)
    good = [n for n, t in zip(range(low, high + 1), truth) if t]
    if len(good) == 1 and not (s.max > high and true_at(1 << 40)):
        return _constant(sizes, k, guard.source)
    if good and good == list(range(good[0], good[-1] + 1)) and good[0] <= s.hint <= good[-1]:
        most = good[-1] if good[-1] < high else None
        return _bounded(sizes, k, shown, good[0] if good[0] > low else None, most, guard.source)
    step = good[1] - good[0] if len(good) > 1 else 0
    if step > 1 and good == list(range(good[0], high + 1, step)):
        return _multiple(sizes, k, shown, step, guard.source)
    return Violation(_not_all(sizes, k, shown), [], {k: Dim.STATIC}, guard.source)


def _of_several(guard: Guard, shown: str, among: list[int], holds: Any, sizes: OpenSizes) -> Violation | None:
    hints = sizes.hints
    if len(among) == 2:
        i, j = among
        for a, b in ((i, j), (j, i)):
            for factor, offset in _relations(hints[a], hints[b]):
                values = [hints[a] + 3, hints[a] + 8, 2 * hints[a] + 5]
                rows = [[v if k == a else factor * v + offset if k == b else h for k, h in enumerate(hints)] for v in values]  # fmt: skip
                apart = [[v if k == a else factor * v + offset + 1 if k == b else h for k, h in enumerate(hints)] for v in values]  # fmt: skip
                if all(holds(*r) for r in rows) and not any(holds(*r) for r in apart):
                    return _related(sizes, a, b, factor, offset, guard.source, "")
    names = ", ".join(f"{sizes.symbols[k].name} = {sizes.symbols[k].source}" for k in among)
    text = f"Not all values of {names} in the specified ranges satisfy the generated guard {shown}."
    return Violation(text, [], dict.fromkeys(among, Dim.STATIC), guard.source)


def _relations(a: int, b: int) -> list[tuple[int, int]]:
    """Ways in which b may follow from a: (factor, offset)."""
    found = [(1, b - a)]
    if a and b % a == 0 and b != a:
        found.append((b // a, 0))
    return found if abs(b - a) <= 64 or len(found) > 1 else []


# -- what fails at other sizes -----------------------------------------------------------------------------------------


class Finder:
    """Finds out which sizes are to blame for what fails at some: `find` and `unknown` raise Violated. base: values at
    which it is known to work."""

    def __init__(self, opening: Opening, sizes: OpenSizes, base: tuple[int, ...]):
        self.opening, self.sizes, self.base = opening, sizes, base
        self.guards: list[Guard] = []
        """What was seen of a run at other values."""

    def unknown(self, error: NotOneGraph) -> Never:
        """Raises for a Graph that is not told."""
        names = ", ".join(f"{s.name} = {s.source}" for s in self.sizes.symbols)
        text = f"Not all values of {names} in the specified ranges give one Graph: {error.what}."
        raise Violated([Violation(text, [], dict.fromkeys(range(len(self.sizes.symbols)), Dim.STATIC), error.source)], self.sizes)  # fmt: skip

    def find(self, values: Sequence[int], error: Exception) -> Never:
        """Raises for values at which it fails."""
        n = len(values)
        if min(self.sizes.hints) < 2 and isinstance(self._fails(self.base), Exception):
            source, why = _where(error), _why(error, self.sizes, values)
            raise Violated([_constant(self.sizes, k, source, why) for k in range(n)], self.sizes)
        alone = {k: self._fails(self._moved({k: values[k]})) for k in range(n)}
        blamed = [k for k in range(n) if alone[k] is not None]
        found: list[Violation] = []
        if isinstance(error, NotOneGraph) and (branches := self._branches()):
            raise Violated(branches, self.sizes)
        done: set[int] = set()
        for i, j in itertools.combinations(blamed or range(n), 2):
            if i in done or j in done:
                continue
            for a, b in ((i, j), (j, i)):
                related = self._relation(a, b, values[a])
                if related is not None:
                    done |= {a, b}
                    reason = alone[a] or error
                    found.append(_related(self.sizes, a, b, *related, _where(reason), _why(reason, self.sizes, self._moved({a: values[a]}))))  # fmt: skip
                    break
        for k in blamed:
            if k not in done:
                found.append(self._alone(k, values[k], alone[k]))  # type: ignore[arg-type]
        if not found:
            source, why = _where(error), _why(error, self.sizes, values)
            found = [_constant(self.sizes, k, source, why) for k in range(n)]
        raise Violated(found, self.sizes)

    def _branches(self) -> list[Violation]:
        """Violations by comparisons that came out in another way than in the example."""
        guards = []
        for g in self.guards:
            if not value_of(g.text, self.sizes.names, self.base):
                text = g.text[5:-1] if g.text.startswith("not (") else f"not ({g.text})"
                guards.append(Guard(text, g.source))
        return guards_that_fail(guards, self.sizes)

    def _moved(self, to: dict[int, int]) -> tuple[int, ...]:
        return tuple([to.get(k, v) for k, v in enumerate(self.base)])

    def _fails(self, values: tuple[int, ...]) -> Exception | None:
        return self.opening.fails(values, self.opening.at(self.base)[1])

    def _relation(self, a: int, b: int, value: int) -> tuple[int, int] | None:
        for factor, offset in _relations(self.base[a], self.base[b]):
            if all(
                self._fails(self._moved({a: v, b: factor * v + offset})) is None for v in (value, value + 4)
            ):
                return factor, offset
        return None

    def end(self, k: int, good: int, bad: int, works: Callable[[int], bool], error: Exception) -> Never:
        """Raises for an end of a range, `bad`, at which the program differs from the program at `good`."""
        why = _why(error, self.sizes, self._moved({k: bad}))
        raise Violated([self._until(k, good, bad, works, _where(error), why)], self.sizes)

    def _until(self, k: int, good: int, bad: int, works: Callable[[int], bool], source: Any, why: str) -> Violation:  # fmt: skip
        """How far towards `bad` it works."""
        a, b = good, bad
        while abs(b - a) > 1:
            middle = (a + b) // 2
            a, b = (middle, b) if works(middle) else (a, middle)
        name = self.sizes.symbols[k].source
        if b < a:
            return _bounded(self.sizes, k, f"{name} >= {a}", a, None, source, why)
        return _bounded(self.sizes, k, f"{name} <= {a}", None, a, source, why)

    def _alone(self, k: int, bad: int, error: Exception) -> Violation:
        good, s = self.base[k], self.sizes.symbols[k]
        works = lambda n: self._fails(self._moved({k: n})) is None  # noqa: E731
        source, why = _where(error), _why(error, self.sizes, self._moved({k: bad}))
        near = next((g for g in (1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64) if works(good + g)), None)
        name = s.source
        if near == 1 or (near is None and good > 2 and works(good - 1)):
            return self._until(k, good, bad, works, source, why)
        if near is not None:
            return _multiple(self.sizes, k, f"{name} % {near} == {good % near}", near, source, why)
        return _constant(self.sizes, k, source, why)


def _where(error: Exception) -> tuple[str, int] | None:
    """The program's line that an error comes from."""
    if isinstance(error, NotOneGraph):
        return error.source
    frames = [f for f in traceback.extract_tb(error.__traceback__) if kind_of(f.filename) == USERS]
    return (frames[-1].filename, frames[-1].lineno or 0) if frames else None


def _why(error: Exception, sizes: OpenSizes, values: Sequence[int]) -> str:
    at = ", ".join(f"{s.name} = {v}" for s, v in zip(sizes.symbols, values))
    said = error.what if isinstance(error, NotOneGraph) else f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"  # fmt: skip
    return f"at {at}: {said}"
