"""Notices of lines that are compiled again and again, and why: one for each."""

from __future__ import annotations

from collections.abc import Sequence

from ..lazy.trie import TrieNode
from ..lazy.value import Value
from ..words.telling import say, short

__all__ = ["lines_of", "why"]

MANY = 5
"""Programs of the same lines at which it is said that there are so many."""
MAX_PLACES = 256
"""Pairs of a first and a last line whose programs are remembered."""


def lines_of(path: Sequence[TrieNode]) -> str:
    """The user's lines that recorded these ops: `train.py:14 to train.py:17`, of the first time that they were
    recorded."""
    first, last = path[0].source, path[-1].source
    if first and last and first != last:
        return f"{short(first)} to {short(last)}"
    return short(first or last)


FIRST = "First time these lines ran."
OTHER_OPS = "The sequence of ops differs from the last time these lines ran."
OTHER_RESULTS = "Other results are still referred to than before."
OTHER_NUMBERS = (
    "A number or a static argument (an axis, a size, an exponent) changed, or what may be overwritten did."
)
OTHER_PACKS = "Small parameters did not come as one array, as an optimizer's step leaves them, or do so now."

_ADVICE = {
    "shape": "Each shape makes a program: pad to a few sizes, or drop the last batch.",
    "dtype": "Each dtype makes a program: cast before.",
    OTHER_OPS: "Each way through branches and each length of a loop makes a program: torch.where and torch.cond make one.",
    OTHER_RESULTS: "Keep the same tensors each time.",
    OTHER_NUMBERS: "Each number that carries structure makes a program: take few of them.",
}
_UNKNOWN = {None, "<stdin>", "<string>"}
"""Files whose lines tell no places apart."""


class _Place:
    """Compilations of the same lines: how often, and the last few: (digest of the ops, inputs' avals, live slots)."""

    __slots__ = ("before", "times")

    def __init__(self) -> None:
        self.before: list[tuple[int, tuple, tuple]] = []
        self.times = 0


_places: dict[tuple, _Place] = {}


def why(path: Sequence[TrieNode], ext: Sequence[Value], live: tuple, settled: bool = False) -> str:
    """Why this recording has no program yet, compared with those compiled for the same lines of the user's; to be asked
    for each that is made.

    Lines that were compiled MANY times are spoken of. settled: the program is made for the packs that there are (see
    `Program`).
    """
    key = (path[0].source, path[-1].source)
    place = _places.pop(key, None) or _Place()
    while len(_places) >= MAX_PLACES:
        del _places[next(iter(_places))]
    _places[key] = place
    mine = (hash(tuple([getattr(n.op, "name", "") for n in path])), tuple([v.aval for v in ext]), live)
    reason, advice = (OTHER_PACKS, "") if settled else _difference(place.before, mine)
    place.before.append(mine)
    del place.before[:-8]
    place.times += 1
    if place.times == MANY and (key[0] or (None,))[0] not in _UNKNOWN:
        say(f"{lines_of(path)}: compiled {MANY} times. {reason} {advice}".rstrip())
    return reason


def _difference(
    before: Sequence[tuple[int, tuple, tuple]], mine: tuple[int, tuple, tuple]
) -> tuple[str, str]:
    """Why there is one more program, and what to do about it."""
    for ops, avals, live in reversed(before):
        if ops == mine[0] and len(avals) == len(mine[1]):
            changed = [i for i, (a, b) in enumerate(zip(avals, mine[1])) if a is not b]
            if changed:
                i = changed[0]
                was, now = avals[i], mine[1][i]
                kind = "shape" if was.shape != now.shape else "dtype" if was.dtype is not now.dtype else ""
                return f"Input {i} changed from {was} to {now}.", _ADVICE.get(kind, "")
            reason = OTHER_RESULTS if live != mine[2] else OTHER_NUMBERS
            return reason, _ADVICE[reason]
    return (OTHER_OPS, _ADVICE[OTHER_OPS]) if before else (FIRST, "")
