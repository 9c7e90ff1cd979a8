"""Breaches: indices that were out of range, divisors that were 0, and other requirements of values that were not met,
as programs tell of them; raised when a value is read.

A program that has bounds (see `bounds.py`) yields one small array more, which says whether one of them was broken. It
waits here until somebody reads a value: then whatever has been computed by then is looked at. So nothing is waited for
that would not be waited for anyhow.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import threading
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..words.device import device
from ..words.errors import reduced_error
from ..words.telling import place_of
from ..words.tracebacks import raiser
from .applied import Applied
from .bounds import DIVISOR, Bound
from .trie import TrieNode
from .value import is_tracer

__all__ = [
    "ERRORS",
    "Breach",
    "OutOfRange",
    "check_bounds",
    "error_of",
    "gathering",
    "look",
    "look_at",
    "note",
    "note_error",
    "out_of_range",
    "pending",
    "require",
    "unmet",
]

check_bounds = {"on": os.environ.get("FUNCTORCH_LITE_CHECK_BOUNDS") != "0"}
"""Whether programs that are made, and NumPy's runs, look at their bounds."""

_INDEX = "index {value} is out of bounds for dimension {more} with size {size}"
SENTENCES = {
    "index": _INDEX,
    "gather": _INDEX,
    "index_copy": f"index_copy_(): {_INDEX}",
    "self": "index out of range in self",
    "data": "INDICES element is out of DATA bounds, id={value} axis_dim={size}",
    "take": "out of range: tried to access index {value} on a tensor of {size} elements.",
    "target": "Target {value} is out of bounds.",
    "margin": "target out of range",
    "labels": "argument #2 'target' is out of range",
    "bag": "An index of input takes value {value} which is not in the valid range [0, {size})",
    "classes": "Class values must be smaller than num_classes.",
    "unpool": "Found an invalid max index: {value}",
}
"""PyTorch's words, by the first word of a bound's `says`; `more` is what follows that."""
_RUNTIME_ERRORS = frozenset(("bag", "classes", "data", "gather", "labels", "margin", "unpool"))
_OF_CLASSES = frozenset(("target", "margin", "labels", "classes"))
_NEGATIVE = "Class values must be non-negative."

_number_at = ctypes.c_int64.from_address
Checks = Sequence[tuple[TrieNode, Bound]]


ERRORS: dict[str, type[Exception]] = {
    "RuntimeError": RuntimeError,
    "ValueError": ValueError,
    "IndexError": IndexError,
}
"""Errors that a `requirement` may name; modules with errors of their own add them."""


class OutOfRange(IndexError, RuntimeError):
    """An index that was out of range, of a function for which PyTorch's error is a RuntimeError."""

    __module__ = "functorch_lite"
    _defined_in = __name__
    __reduce__ = reduced_error  # type: ignore[assignment]


class Breach(Exception):
    """A bound that was broken while NumPy ran what it stands in. size: as a program tells it (see `Seen`)."""

    def __init__(self, bound: Bound, value: int, size: int):
        self.bound, self.value, self.size = bound, value, size


def error_of(node: TrieNode, bound: Bound, value: int, size: int) -> Exception:
    """The error that says which op, of which of the user's lines, got which value, and which it takes."""
    nodes = list(_inside(node.op, bound)) or [node]
    lines = dict.fromkeys([place_of(n.source) for n in nodes if n.source is not None])
    op, where = nodes[0].op.name.lstrip("_"), " or ".join(lines) or "an unknown line"
    at = f"({op}, first recorded at {where}"
    if bound.is_requirement:
        return unmet(bound.says, value, size, f"(first recorded at {where}.)")
    if bound.says == DIVISOR:
        return RuntimeError(f"ZeroDivisionError\n{at}: integers were divided by 0.)")
    low = -size if bound.low < 0 and bound.low == -bound.size else bound.low
    return out_of_range(bound.says, at, value, low, size)


def unmet(says: str, value: int, place: int, where: str = "") -> Exception:
    """Returns the error of a `requirement` that was not met: value is the first flag that is not 0, place its place
    among the flags, -1 where there is one.

    >>> unmet("!RuntimeError: f: {batch}U[{value},{value}] is zero", 2, 1)
    RuntimeError('f: (Batch element 1): U[2,2] is zero')
    """
    error, _, sentence = says[1:].partition(": ")
    batch = f"(Batch element {place}): " if place >= 0 else ""
    sentence = sentence.replace("{value}", str(value)).replace("{batch}", batch)
    return ERRORS[error](f"{sentence}\n{where}" if where else sentence)


@raiser
def require(holds: Any, says: str, value: int = 1, place: int = -1) -> None:
    """Raises the error of a `requirement` now, unless `holds`, where the values are known."""
    if not holds:
        raise unmet(says, value, place)


def out_of_range(says: str, at: str, value: int, low: int, size: int) -> Exception:
    """The error of an index or a target that is not in range(low, size): torch's sentence, and in brackets `at` and
    what is taken.

    >>> out_of_range("target", "(cross_entropy", 3, 0, 3)
    IndexError('Target 3 is out of bounds.\\n(cross_entropy: 3 classes end at 2, 3 was found.)')
    """
    word, _, more = says.partition(":")
    sentence = SENTENCES[word].format(value=value, size=size, more=more)
    if word == "classes" and value < 0:
        sentence = _NEGATIVE
    if word in _OF_CLASSES:
        takes = f"{size} classes end at {size - 1}, {value} was found"
    elif size > low:
        takes = f"it takes {low} to {size - 1}, and got {value}"
    else:
        takes = f"there is nothing, and it got {value}"
    kind = OutOfRange if word in _RUNTIME_ERRORS else IndexError
    return kind(f"{sentence}\n{at}: {takes}.)")


def _inside(op: Any, bound: Bound) -> Iterator[TrieNode]:
    """The ops that say this in what a transform, or a derivative of one, was made of."""
    parts = list(getattr(op, "made_of", None) or ())
    while parts:
        part = parts.pop(0)
        if isinstance(part, tuple):
            parts += part
        elif isinstance(part, Applied):
            yield from _inside(part.op, bound)
        for node in getattr(part, "steps", ()):
            if bound in node.applied.bounds:
                yield from list(_inside(node.op, bound)) or [node]


# -- what programs told ------------------------------------------------------------------------------------------------

pending: list[tuple[Any, Any, bool]] = []
"""Reports not looked at so far: what a program told, with its bounds, and whether that is on the host; or None with an
error. All threads share them: what one computes, another may read."""
MOST_PENDING = 64


def note(flag: Any, checks: Checks, on: device) -> None:  # hot path
    """Keeps what a program told, but one that became a part of the user's JAX program."""
    if is_tracer(type(flag)):
        return
    if on.is_mesh:  # every device has it; that of one is ready as soon as that device's part of a value is
        flag = flag.addressable_data(0)
    pending.append((flag, checks, on.type == "cpu"))
    if len(pending) > MOST_PENDING and (found := _taken(False)) is not None:
        pending.insert(0, (None, found, True))


def note_error(error: Exception) -> None:
    """Keeps the error of what NumPy ran."""
    pending.append((None, error, True))


def look(wait: bool = False) -> None:
    """Raises the error of the first breach in what has been computed by now. wait: or will be."""
    if (found := _taken(wait)) is not None:
        raise found


def _taken(wait: bool) -> Exception | None:  # hot path
    """The error of the first breach in what is computed. With it goes what was computed after."""
    found, left = None, []
    while pending:
        told = flag, checks, on_host = pending.pop()
        if flag is None:
            found = checks
        elif not wait and not flag.is_ready():
            left.append(told)
        # where most are -1, the first number is looked at in its place: an array of NumPy's takes as long as all of the
        # rest
        elif not on_host or wait or _number_at(flag.unsafe_buffer_pointer()).value >= 0:
            numbers = np.asarray(flag).tolist()
            if numbers[0] >= 0:
                found = _error(numbers, checks)
    if left:
        pending.extend(reversed(left))
    return found


def _error(told: list[int], checks: Checks) -> Exception:
    number, value, size = told
    return error_of(*checks[number], value, size)


@atexit.register
def _at_exit() -> None:
    """Warns of a breach that nobody read a value after."""
    with contextlib.suppress(Exception):
        if (found := _taken(False)) is not None:
            warnings.warn(f"No value was read after this error: {found}", stacklevel=1)


# -- NumPy's runs ------------------------------------------------------------------------------------------------------


class _Gathered(threading.local):
    """Where this thread's breaches go to, if anywhere."""

    into: list[Breach] | None = None


_gathered = _Gathered()


@contextlib.contextmanager
def gathering() -> Iterator[list[Breach]]:
    """A context in which NumPy's runs go on after a breach, which is put into the list."""
    before, _gathered.into = _gathered.into, []
    try:
        yield _gathered.into
    finally:
        _gathered.into = before


def look_at(x: np.ndarray, bound: Bound) -> np.ndarray:
    """x, after NumPy looked at it."""
    if not check_bounds["on"]:
        return x
    size = bound.size
    if bound.is_requirement:
        broken = bool(x.any())
        if broken:
            flags = np.ravel(x)
            place = int(np.flatnonzero(flags)[0])
            value, size = int(flags[place]), place if x.ndim else -1
    elif bound.says == DIVISOR:
        value, broken = 0, np.count_nonzero(x) != x.size
    else:
        value = int(np.maximum.reduce(x, None))
        if value < bound.size and x.size > 1:
            value = int(np.minimum.reduce(x, None))
        broken = not bound.low <= value < bound.size
    if broken:
        breach = Breach(bound, value, size)
        if _gathered.into is None:
            raise breach
        _gathered.into.append(breach)
    return x
