"""The trie: what was recorded before, as a tree of ops; a recording is a path in it.
One root per device, and per signature of a level."""

from __future__ import annotations

import itertools
import sys
import weakref
from collections.abc import Sequence
from types import FrameType
from typing import Any

from ..words.device import device
from ..words.tracebacks import is_ours, known_files
from .value import Aval

__all__ = [
    "BUSY", "DYNAMIC", "LITERAL", "LITERAL_WITH_ZERO", "SignedZero", "TrieNode", "WeakPath", "eager_root", "forget", "has_zero", "hashed",
    "level_root", "trim", "use", "user_call", "user_line",
]  # fmt: skip

MAX_NODES = 60_000
MAX_LEVEL_ROOTS = 4_096

LITERAL, LITERAL_WITH_ZERO, DYNAMIC = 1, 2, 3
"""How a node takes Python numbers: as they were when it was made (0.0 by its sign too), or as inputs of the program."""


class TrieNode:
    """One recorded op at one place.

    `refs` say where its inputs come from; `numbers` how Python numbers are treated there.

    `first` is the key (a list, as keys are made) and node of the first child, nearly always the next: comparing is
    cheaper than looking up.
    """

    at_symbols = False
    """Whether sizes are symbols here (see symbolic/nodes.py)."""
    __slots__ = (
        "__weakref__",
        "applied",
        "avals",
        "backwards",
        "base",
        "bytes",
        "children",
        "externals",
        "first",
        "full",
        "graphs",
        "key",
        "literals",
        "member",
        "n_out",
        "numbers",
        "op",
        "place",
        "plan",
        "programs",
        "question",
        "refs",
        "single",
        "size",
        "source",
        "static",
        "stop",
        "symbolic",
        "taped",
        "used",
        "waits",
    )

    def __init__(self):
        self.children: dict[tuple, TrieNode] = {}
        self.first: tuple[list, TrieNode | None] = ([], None)
        self.programs: dict[Any, Any] | None = None
        self.graphs: dict[Any, Any] | None = None
        self.backwards: dict[Any, Any] | None = None
        self.place: Any = None  # see run/cold/tier.py
        self.plan: Any = None  # what NumPy does for it, see run/cold/tier.py
        self.question: Any = None  # see run/cold/elements.py
        self.member: Any = None  # see run/buckets/choice.py
        self.waits: dict[tuple[int, ...], Any] | None = None  # see run/late.py
        self.taped: Any = None  # the TapePlan, once an op was taped here
        self.base = self.n_out = self.bytes = self.size = self.used = 0
        self.externals = 0  # how many external values the recording has after this op
        self.avals: tuple[Aval, ...] = ()
        self.key: tuple = ()
        self.symbolic: Any = None  # of a root: see symbolic/recording.py
        self.numbers = 0
        self.literals: tuple = ()
        self.stop = ""
        self.full = False
        self.source: tuple[str, int] | None = None

    def add(self, key: tuple, child: TrieNode) -> None:
        """Makes `child` what follows here under `key`."""
        if not self.children or tuple(self.first[0]) == key:
            self.first = (list(key), child)
        self.children[key] = child


BUSY = TrieNode()
"""A recording stands here while something changes it. Nothing is ever recorded here: see `Recorder`."""


class WeakPath:
    """A recording as it is kept by what compares it with later ones: it is gone with the branch of the trie that it
    led to."""

    __slots__ = ("_steps",)

    def __init__(self, path: Sequence[TrieNode]):
        self._steps = tuple([weakref.ref(node) for node in path])

    def steps(self) -> list[TrieNode] | None:
        """The path; None if the trie has forgotten it."""
        path = [step() for step in self._steps]
        return None if None in path else path  # type: ignore[return-value]


_eager_roots: dict[device, TrieNode] = {}
_level_roots: dict[tuple[Aval, ...], TrieNode] = {}
_uses = itertools.count(1)


def eager_root(on: device) -> TrieNode:
    """The root for eager recordings of a device."""
    root = _eager_roots.get(on)
    if root is None:
        root = _eager_roots[on] = TrieNode()
    return root


def level_root(inputs: tuple[Aval, ...]) -> TrieNode:
    """The root for recordings of functions of such inputs."""
    root = _level_roots.get(inputs)
    if root is None:
        if len(_level_roots) >= MAX_LEVEL_ROOTS:
            _level_roots.pop(next(iter(_level_roots)))
        root = _level_roots[inputs] = TrieNode()
    return root


def use(path: Sequence[TrieNode]) -> None:
    """Notes that a recording comes this way; what nobody uses is forgotten first."""
    path[0].used = used = next(_uses)
    if used % 64 == 0:
        trim()


def trim() -> None:
    """Forgets the least recently used branches of eager recordings when they have grown past their bound."""
    for root in list(_eager_roots.values()):  # lists: other threads record meanwhile
        total = sum([c.size for c in list(root.children.values())])
        if total <= MAX_NODES:
            continue
        for key, child in sorted(root.children.items(), key=lambda kc: kc[1].used):
            total -= child.size
            root.children.pop(key, None)
            if tuple(root.first[0]) == key:
                root.first = ([], None)
            if total <= MAX_NODES // 2:
                break


def forget() -> None:
    """Forgets everything."""
    _eager_roots.clear()
    _level_roots.clear()


class SignedZero:
    """In a key in place of a number with a zero, whose sign == does not see."""

    def __init__(self, number):
        self.number = number
        self.text = repr(number)

    def __hash__(self):
        return hash(self.text)

    def __eq__(self, other):
        return type(other) is SignedZero and self.text == other.text

    def __float__(self):
        return float(self.number)

    def __complex__(self):
        return complex(self.number)


def has_zero(number) -> bool:
    """Returns whether a number is 0 or has a part that is, whose sign == does not see."""
    return number == 0 or (type(number) is complex and not (number.real and number.imag))


def hashed(number):
    """A number as part of a key: 0.0 and -0.0 are two."""
    return SignedZero(number) if type(number) in (float, complex) and has_zero(number) else number


def user_line() -> tuple[str, int] | None:
    """File and line of the innermost frame outside the library."""
    frame = _user_frame()
    return None if frame is None else (frame.f_code.co_filename, frame.f_lineno)


def user_call() -> tuple[str, int, int] | None:
    """The same, and where in its code that frame is: two products in one line are two calls."""
    frame = _user_frame()
    return None if frame is None else (frame.f_code.co_filename, frame.f_lineno, frame.f_lasti)


def _user_frame() -> FrameType | None:
    frame: FrameType | None = sys._getframe(3)
    while frame is not None:
        file = frame.f_code.co_filename
        if not (known_files[file] if file in known_files else is_ours(file)):
            break
        frame = frame.f_back
    return frame
