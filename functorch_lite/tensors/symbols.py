"""Numbers that stand for sizes: here plain numbers, whatever torch's sym_* functions are given."""

from __future__ import annotations

import math
from typing import Any

from .._core.api import composite


class _Symbol:
    """A number that a tracer does not know yet.

    Sizes are ints here; only the ragged size of a nested tensor is a SymInt.

    TypeError when it is made.

    >>> isinstance(3, torch.SymInt)
    False
    """

    def __new__(cls, *args, **kwargs):
        raise TypeError(
            f"torch.{cls.__name__} cannot be created: sizes are plain Python numbers here; use int, float or bool"
        )


for _name in ("SymInt", "SymFloat", "SymBool"):
    composite(type(_name, (_Symbol,), {"__doc__": _Symbol.__doc__, "__module__": "torch"}), name=_name)


@composite
def sym_int(a: Any) -> int:
    """int(a), towards zero.

    >>> torch.sym_int(-1.5)
    -1
    """
    return math.trunc(a)


@composite
def sym_float(a: Any) -> float:
    """float(a).

    >>> torch.sym_float(2)
    2.0
    """
    return float(a)


@composite
def sym_not(a: Any) -> bool:
    """not a.

    >>> torch.sym_not(False)
    True
    """
    return not a


@composite
def sym_max(a: Any, b: Any) -> Any:
    """The larger number; a float if either is one.

    >>> torch.sym_max(1, 2.5)
    2.5
    """
    return _joined(max, a, b)


@composite
def sym_min(a: Any, b: Any) -> Any:
    """The smaller number; a float if either is one.

    >>> torch.sym_min(1, 2.5)
    1.0
    """
    return _joined(min, a, b)


def _joined(pick, a: Any, b: Any) -> Any:
    if not isinstance(a, int | float) or not isinstance(b, int | float):
        raise AssertionError(f"expected numbers, but got {type(a)} and {type(b)}")
    found = pick(a, b)
    return float(found) if isinstance(a, float) or isinstance(b, float) else found


@composite
def sym_sqrt(a: Any) -> float:
    """math.sqrt(a).

    >>> torch.sym_sqrt(4)
    2.0
    """
    return math.sqrt(a)


@composite
def sym_sum(args: Any) -> Any:
    """The sum of numbers.

    >>> torch.sym_sum([1, 2, 3])
    6
    """
    return sum(args)


@composite
def sym_ite(b: Any, t: Any, f: Any) -> Any:
    """t if b else f.

    >>> torch.sym_ite(True, 1, 2)
    1
    """
    if not isinstance(b, bool) or type(t) is not type(f):
        raise AssertionError(
            f"expected a bool and two of one type, but got {type(b)}, {type(t)} and {type(f)}"
        )
    return t if b else f
