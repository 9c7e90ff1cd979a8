"""The user's code that ran, and what its names may mean: learnt from one run, by Python's profiling hook."""

from __future__ import annotations

import builtins
import dis
import functools
import gc
import re
import sys
from types import CodeType, FrameType
from typing import Any

from .._core.api import BELOW, OURS, USERS, advise, below, cell_of, is_installed, kind_of

__all__ = ["PURE_BY_PROMISE", "Ran", "is_pure"]

_IMPURE = frozenset(
    "open print input id globals locals exec eval compile breakpoint __import__ memoryview aiter anext help exit quit".split()
)
_READ_FILES = frozenset(("fromfile", "load", "loadtxt", "genfromtxt", "memmap", "save", "savez", "savetxt"))
_PURE_MODULES = frozenset(
    (
        "math",
        "cmath",
        "operator",
        "_operator",
        "itertools",
        "functools",
        "_functools",
        "typing",
        "collections",
    )
)
"""Modules of whose C code nothing depends on more than its arguments."""
_ANY_ATTRIBUTE = frozenset(
    "getattr hasattr setattr delattr vars dir __dict__ __getattribute__ __setattr__ __delattr__ attrgetter methodcaller".split()
)


_FORMATS = frozenset(("format", "format_map"))


PURE_BY_PROMISE: dict[Any, Any] = {}
"""Functions of which the user said so, and what says it (`substitute_in_graph`)."""


def is_pure(f: Any) -> bool:
    """Returns whether a callable of C's gives what its arguments decide on alone, and changes nothing else."""
    if PURE_BY_PROMISE and f in PURE_BY_PROMISE:
        return True
    name, module = getattr(f, "__name__", ""), getattr(f, "__module__", None) or ""
    if module.partition(".")[0] in ("numpy", "jax"):
        return not module.startswith("numpy.random") and name not in _READ_FILES
    if module == "builtins":
        return getattr(builtins, name, None) is f and name not in _IMPURE
    return module in _PURE_MODULES


class Ran:
    """The code of the user's that ran in its context, each with its globals; `names`: of globals and attributes in
    it."""

    def __init__(self) -> None:
        self.codes: dict[CodeType, dict[str, Any]] = {}

    def __enter__(self) -> Ran:
        self._collected = gc.isenabled()
        gc.disable()  # finalizers of what others left would count as its code
        self._before = sys.getprofile()
        self._outside = sys._getframe(1)
        sys.setprofile(self._called)
        return self

    def __exit__(self, *_: Any) -> None:
        del self._outside
        if self._before is None or callable(self._before):
            sys.setprofile(self._before)
        else:  # cProfile's, which is C's
            sys.setprofile(None)
            self._before.enable()
        if self._collected:
            gc.enable()

    def _called(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code not in self.codes and _is_users(frame, self._outside):
            self.codes[frame.f_code] = frame.f_globals

    @property
    def names(self) -> set[str]:
        """Returns the names that the code calls, attributes too."""
        return {name for code in self.codes for name in code.co_names}

    @property
    def reads_any_attribute(self) -> bool:
        """Returns whether attributes are read, or set, by names that are none of its own."""
        return not _ANY_ATTRIBUTE.isdisjoint(self.names) or any(map(_reads_by_string, self.codes))

    @property
    def may_read_rates(self) -> bool:
        """Returns whether learning rates may be read as numbers."""
        return not self.names.isdisjoint(("lr", "param_groups")) or any(
            "lr" in c.co_consts for c in self.codes
        )

    @property
    def operators(self) -> set[str]:
        """The methods of the operators in its code."""
        return set().union(*map(_operators_of, self.codes))

    def is_made_by_it(self, code: CodeType) -> bool:
        """Returns whether code belongs to a function that other code in it creates."""
        return any(code in other.co_consts for other in self.codes)


_WORDS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul", "&": "and", "|": "or",
    "^": "xor", "<<": "lshift", ">>": "rshift", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne",
    "UNARY_NEGATIVE": "neg", "UNARY_INVERT": "invert", "BINARY_SUBSCR": "getitem", "STORE_SUBSCR": "setitem",
}  # fmt: skip


@functools.lru_cache(1_024)
def _reads_by_string(code: CodeType) -> bool:
    """Returns whether code matches patterns of classes, or formats what may have attributes: `"{0.k}".format(a)`."""
    if not _FORMATS.isdisjoint(code.co_names):
        texts = [c for c in code.co_consts if isinstance(c, str) and "{" in c]
        if not texts or any(re.search(r"\{[^{}]*[.\[]", text) for text in texts):
            return True
    return any(i.opname == "MATCH_CLASS" for i in dis.get_instructions(code))


@functools.lru_cache(1_024)
def _operators_of(code: CodeType) -> set[str]:
    said = {
        text
        for i in dis.get_instructions(code)
        for text in (i.opname, i.argrepr.removesuffix("="), i.argrepr)
    }
    words = [_WORDS[text] for text in said if text in _WORDS]
    return {f"__{kind}{word}__" for word in words for kind in ("", "r", "i")}


def _is_below(frame: FrameType | None) -> bool:
    """Returns whether JAX called a frame's code, or what that called: such are packages that JAX is built on."""
    while frame is not None:
        file = frame.f_code.co_filename
        if kind_of(file) == OURS:
            return False
        if file.startswith(below()):
            return True
        frame = frame.f_back
    return False


def _is_finalizer(frame: FrameType) -> bool:
    """Returns whether a frame is of a finalizer of the standard library's or of an installed package's: it runs when something
    goes, whatever code runs then."""
    file = frame.f_code.co_filename
    is_one = frame.f_code.co_qualname.endswith(("__del__", "finalize.__call__"))
    return is_one and (kind_of(file) == BELOW or is_installed(file))


_SAY = (advise.__code__.co_filename, cell_of.__code__.co_filename)
"""Files that tell the user something. In a notebook they call IPython's code, and the kernel's."""


def _is_users(frame: FrameType | None, outside: FrameType) -> bool:
    """Returns whether a frame is the user's, or of the standard library's code that the user's called.

    Code that an import runs is not, because it runs once; neither is the code of finalizers in the standard library
    or in an installed package, nor code that shows a warning or a notice."""
    users = False
    while frame is not None and frame is not outside:
        file = frame.f_code.co_filename
        if file.startswith("<frozen importlib") or file in _SAY or _is_finalizer(frame):
            return False
        if (
            file == "<string>" and not users
        ):  # made by exec: dataclass does, and namedtuple, for whom they are called
            known = frame.f_globals
            if str(known.get("__name__")).startswith("namedtuple_"):
                frame = frame.f_back
                continue
            file = known.get("__file__") or file
        if not users:
            kind = kind_of(file)
            if kind == OURS or file.startswith(below()) or (kind == USERS and _is_below(frame.f_back)):
                return False
            users = kind == USERS
        frame = frame.f_back
    return users
