"""Names of Nodes: valid in Python, unique in a Graph, and the same as PyTorch gives."""

from __future__ import annotations

import builtins
import importlib
import keyword
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from .._core.api import devices

__all__ = [
    "GLOBALS", "Global", "Namespace", "inplace_methods", "magic_methods", "reflectable_magic_methods",
    "snake_case", "writes",
]  # fmt: skip


class Global(NamedTuple):
    """A name that all generated code may use: the line that imports it, and how to get it."""

    import_str: str
    get: Callable[[], Any]

    @property
    def obj(self) -> Any:
        """The thing itself."""
        return self.get()


def _module(name: str) -> Callable[[], Any]:
    return lambda: importlib.import_module(name)


GLOBALS = {
    "inf": Global("from math import inf", lambda: math.inf),
    "nan": Global("from math import nan", lambda: math.nan),
    "NoneType": Global("NoneType = type(None)", lambda: type(None)),
    "torch": Global("import functorch_lite as torch", _module("functorch_lite")),
    "device": Global("from functorch_lite import device", lambda: devices.device),
    "fx_pytree": Global(
        "import functorch_lite.fx._pytree as fx_pytree", _module("functorch_lite.fx._pytree")
    ),
    "pytree": Global(
        "import functorch_lite.utils._pytree as pytree", _module("functorch_lite.utils._pytree")
    ),
}

reflectable_magic_methods = {
    "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "floordiv": "{} // {}", "truediv": "{} / {}", "div": "{} / {}",
    "mod": "{} % {}", "pow": "{} ** {}", "lshift": "{} << {}", "rshift": "{} >> {}", "and_": "{} & {}", "or_": "{} | {}",
    "xor": "{} ^ {}", "getitem": "{}[{}]", "matmul": "{} @ {}",
}  # fmt: skip
magic_methods = {
    "eq": "{} == {}", "ne": "{} != {}", "lt": "{} < {}", "gt": "{} > {}", "le": "{} <= {}", "ge": "{} >= {}", "pos": "+{}", "neg": "-{}",
    "invert": "~{}", **reflectable_magic_methods,
}  # fmt: skip
inplace_methods = {
    "iadd": "{} += {}", "iand": "{} &= {}", "ifloordiv": "{} //= {}", "ilshift": "{} <<= {}", "imod": "{} %= {}", "imul": "{} *= {}",
    "imatmul": "{} @= {}", "ior": "{} |= {}", "ipow": "{} **= {}", "irshift": "{} >>= {}", "isub": "{} -= {}",
    "itruediv": "{} /= {}", "ixor": "{} ^= {}", "setitem": "{}[{}] = {}",
}  # fmt: skip


def snake_case(s: str) -> str:
    """`NamedLikeThis` as `named_like_this`.

    >>> snake_case("MaxPool")
    'max_pool'
    """
    return "".join(_snake(s)).lower()


def _snake(s: str) -> Iterator[str]:
    for before, c in zip(" " + s, s):
        yield f"_{c}" if c.isupper() and before.islower() else c


class Namespace:
    """The names that are taken, and by which object."""

    def __init__(self) -> None:
        self._obj_to_name: dict[Any, str] = {}
        self._used_names: set[str] = set()
        self._base_count: dict[str, int] = defaultdict(int)

    def create_name(self, candidate: str, obj: Any) -> str:
        """The candidate, made a valid name, with a number behind it if it is taken.

        An object that has a name keeps it."""
        if obj is not None and obj in self._obj_to_name:
            return self._obj_to_name[obj]
        candidate = re.sub("[^0-9a-zA-Z_]+", "_", candidate) or "_unnamed"
        if candidate[0].isdigit():
            candidate = f"_{candidate}"
        base, _, digits = candidate.rpartition("_")
        number: int | None = None
        if base and digits.isascii() and digits.isdigit():
            number = int(digits)
        else:
            base = candidate
        if self._is_taken(candidate, obj):
            number = self._base_count[base]
            while self._is_taken(candidate, obj):
                number += 1
                candidate = f"{base}_{number}"
        self._used_names.add(candidate)
        if number is not None:
            self._base_count[base] = number
        if obj is not None:
            self._obj_to_name[obj] = candidate
        return candidate

    def associate_name_with_obj(self, name: str, obj: Any) -> None:
        """Notes that a name which was made is this object's."""
        existing = self._obj_to_name.setdefault(obj, name)
        if existing is not name:
            raise AssertionError("obj is already associated")

    def _rename_object(self, obj: Any, name: str) -> None:
        self._obj_to_name[obj] = name
        self._used_names.add(name)

    def _is_taken(self, name: str, obj: Any) -> bool:
        return name in self._used_names or self._is_illegal_name(name, obj)

    def _is_illegal_name(self, name: str, obj: Any) -> bool:
        if name in _KEYWORDS:
            return True
        if name in builtins.__dict__ and name != "_":  # which an interactive Python puts there
            return obj is not builtins.__dict__[name]
        if name in GLOBALS:
            return obj is not GLOBALS[name].obj
        return False


_KEYWORDS = frozenset(keyword.kwlist)


def writes(name: str) -> bool:
    """Returns whether a method or function of this name writes to its first argument, by PyTorch's way of naming."""
    return (name.endswith("_") and not name.endswith("__")) or name == "__setitem__"
