"""Identities of ops, applied ops and graphs, equal in every process: a digest of what they were made of, or None.

None is the identity of what no other process could recognize.

Within a process an op is itself. What is kept on disk is found by these digests instead.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import numpy as np

from ..declare.op import OPS, UNSET, Op
from ..words.device import device
from ..words.dtypes import dtype
from ..words.memory_format import memory_format
from ..words.tracebacks import is_ours
from .trie import SignedZero
from .value import Aval

__all__ = ["Nameless", "digest", "function_identity", "identity"]

_PLAIN = {bool, int, float, complex, str, bytes, type(None), type(Ellipsis), type(UNSET)}
_BY_REPR = (dtype, device, memory_format, np.dtype)


class Nameless(Exception):
    """Something has no name that another process would know it by: a user's function, say."""


def digest(*parts: Any) -> bytes:
    """The digest of what is told by these. Raises Nameless."""
    words: list[str] = []
    _tell(parts, words)
    return blake2b("\0".join(words).encode(), digest_size=16).digest()


def identity(*parts: Any) -> bytes | None:
    """The same; None in place of raising."""
    try:
        return digest(*parts)
    except Nameless:
        return None


def _tell(x: Any, words: list[str]) -> None:
    kind = type(x)
    if kind in _PLAIN:
        words.append(f"{kind.__name__} {x!r}")
    elif isinstance(x, tuple | list):
        _tell_all(kind.__name__, x, words)
    elif kind is Aval:
        words.append(f"aval {x} {x.device!r} {x.weak}")
    elif isinstance(x, _BY_REPR):
        words.append(f"{kind.__name__} {x!r}")
    elif kind is SignedZero:
        words.append(f"zero {x.text}")
    elif kind is slice:
        _tell_all("slice", (x.start, x.stop, x.step), words)
    elif kind is dict:
        _tell_all("dict", x.items(), words)
    elif kind is frozenset or kind is set:
        _tell_all("set", sorted([digest(member) for member in x]), words)
    elif isinstance(x, enum.Enum):
        words.append(f"enum {_place(kind)} {x.name}")
    elif kind is type:
        words.append(f"type {x.__name__ if x.__module__ == 'builtins' else _place(x)}")
    elif kind is Op:
        if OPS.get(x.name) is not x:
            raise Nameless(x.name)
        words.append(f"op {x.name} {_place(x.fn)}")
    else:
        found = getattr(x, "identity", None)
        if type(found) is not bytes:
            raise Nameless(kind.__name__)
        words.append(found.hex())


def _tell_all(name: str, members: Iterable, words: list[str]) -> None:
    words.append(f"{name}(")
    for member in members:
        _tell(member, words)
    words.append(")")


def _place(x: Any) -> str:
    """Where a function or class of the library stands."""
    code = getattr(x, "__code__", None)
    ours = (
        is_ours(code.co_filename) if code is not None else x.__module__.partition(".")[0] == "functorch_lite"
    )
    if not ours or "<" in x.__qualname__:
        raise Nameless(x.__qualname__)
    return f"{x.__module__}.{x.__qualname__}"


def function_identity(kind: type, fn: Any, name: str) -> bytes | None:
    """Returns the identity of an op that is a function of the library's by itself; None for one made inside another
    function, and for users'."""
    try:
        return digest(kind.__name__, _place(fn), name)
    except (Nameless, AttributeError):
        return None
