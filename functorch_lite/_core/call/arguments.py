"""Which Python values a parameter takes that is no tensor: torch's checks of ints, bools, strings, dtypes and sequences of ints.

An annotation that is made of these alone (`int | None`, `int | tuple[int, ...]`) says it all; other parameters are not checked here.
torch is strict where Python is not: a bool is no int, an int is no bool, a float is neither.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from ..declare.op import Unset
from ..lazy.tensor import Tensor
from ..words import dtypes
from ..words.dtypes import dtype
from ..words.errors import check_int
from ..words.numbers import is_int
from ..words.tracebacks import tidy
from . import overrides

__all__ = [
    "MISSING", "PYTHON_DTYPES", "SYMINT", "as_int", "check_number", "checked", "checked_composite", "classes_of", "exact_classes", "numpys_names",
    "place",
]  # fmt: skip

PYTHON_DTYPES = {float: dtypes.float64, int: dtypes.int64, bool: dtypes.bool_, complex: dtypes.complex128}
"""What a Python type means as a `dtype=` argument."""


class Nested(tuple):
    """Stands for sequences of ints, and of sequences of ints."""


class Index(int):
    """Stands for ints that PyTorch reads by `__index__`, its SymInt: `_of_one_element` says what else it takes for them."""


_CLASSES = {
    "int": int, "SymInt": Index, "bool": bool, "str": str, "None": type(None), "tuple": tuple, "tuple[int, ...]": tuple, "tuple[tuple[int, ...], ...]": Nested,
    "Unset": Unset, "DType": dtype, "dtype": dtype, "dtypes.dtype": dtype,
}  # fmt: skip
_WORDS = {tuple: "tuple of ints", dtype: "torch.dtype"}


def classes_of(annotation: Any) -> frozenset[type] | None:
    """The classes that an annotation allows; None when it names anything that is not checked here.

    >>> sorted(c.__name__ for c in classes_of("int | None"))
    ['NoneType', 'int']
    """
    parts = [p.strip() for p in str(annotation).split("|")]
    if not all(p in _CLASSES for p in parts):
        return None
    return frozenset(_CLASSES[p] for p in parts) | ({int} if "SymInt" in parts else set())


SYMINT = frozenset((int, Index))
_BY_INDEX = frozenset((tuple, Index))


def exact_classes(classes: frozenset[type]) -> frozenset[type]:
    """Those whose instances need no further look: a tuple's elements do."""
    return classes - {tuple, Nested, Index}


def place(position: int) -> str:
    """Where an argument stands, as torch's sentences say it: they do not of one that is a keyword (0)."""
    return f" (position {position})" if position else ""


def checked(x: Any, classes: frozenset[type], function: str, name: str, position: int) -> Any:
    """`x` as one of `classes`: a list becomes a tuple, a numpy integer or 0-d integer tensor an int, `float` a dtype; or torch's TypeError."""
    if isinstance(x, tuple | list) and (tuple in classes or Nested in classes):
        if x.__class__ is tuple and set(map(type, x)) == {int}:
            return x
        nested = Nested in classes
        return tuple([_element(e, i, nested, function, name, position) for i, e in enumerate(x)])
    if int in classes:
        number = _of_one_element(x, tuple in classes) if classes & _BY_INDEX else as_int(x)
        if number is not None:
            check_int(number)
            return number
    if dtype in classes and isinstance(x, type) and x in PYTHON_DTYPES:
        return PYTHON_DTYPES[x]
    if type(x) in classes or (str in classes and isinstance(x, str)):
        return x
    overrides.meet(x)
    takes = next((c for c in (tuple, dtype, int, bool, str) if c in classes), int)
    raise TypeError(
        f"{function}(): argument '{name}'{place(position)} must be {_WORDS.get(takes, takes.__name__)}, not {type(x).__name__}"
    )


def as_int(x: Any) -> int | None:
    """What torch takes for an int, as one: an int, a NumPy integer, an integer tensor without dims. None for anything else."""
    if is_int(x):
        return int(x)
    if isinstance(x, Tensor) and not x._aval.shape and x._aval.dtype.category == 1:
        return int(x.item())  # type: ignore[attr-defined]
    return None


def _of_one_element(x: Any, bools: bool) -> int | None:
    """The same where torch counts by `__index__`: a tensor of one integer may have dims, and NumPy's array have none. bools: of one bool too."""
    if isinstance(x, Tensor) and x._aval.dtype.category < 2 and math.prod(x._aval.shape) == 1:
        if not (bools or x._aval.dtype.category):
            raise RuntimeError(
                "Expected scalar.isIntegral(false) to be true: a bool in a tensor is no int here"
            )
        return int(x.item())  # type: ignore[attr-defined]
    if isinstance(x, np.ndarray) and not x.ndim and x.dtype.kind in "iu":
        return int(x)
    return as_int(x)


def _element(x: Any, at: int, nested: bool, function: str, name: str, position: int) -> Any:
    """An element of a sequence of ints; torch looks for bools in the first place only."""
    if x.__class__ is int:
        return x
    if nested and isinstance(x, tuple | list):
        return tuple([_element(e, i, False, function, name, position) for i, e in enumerate(x)])
    if isinstance(x, bool) and at:
        return int(x)
    number = _of_one_element(x, True)
    if number is None:
        overrides.meet(x)
        raise TypeError(
            f"{function}(): argument '{name}'{place(position)} must be tuple of ints, but found element of type "
            f"{type(x).__name__} at pos {at}"
        )
    return number


_MOST = float(np.finfo(np.float32).max)


def check_number(x: bool | int | float | complex, d: dtype) -> None:
    """Raises torch's error when a number that is to be written into a tensor of dtype `d` does not fit."""
    if not _fits(x, d):
        if isinstance(x, int) and not -(2**63) <= x < 2**64:
            raise ValueError("Overflow when unpacking long long")
        raise RuntimeError(f"value cannot be converted to type {d.cast_name} without overflow")


def _fits(x: bool | int | float | complex, d: dtype) -> bool:
    if isinstance(x, int) and not -(2**63) <= x < 2**64:
        return False
    if isinstance(x, complex):
        if d.category == 3:
            return _fits(x.real, d.to_real()) and _fits(x.imag, d.to_real())
        return d.category == 0 or (x.imag == 0 and _fits(x.real, d))
    if d.category == 1:
        highest = 2 ** (8 * d.itemsize - d.is_signed) - 1
        lowest = (
            -highest - 1 if d.is_signed else -highest if isinstance(x, int) else 0
        )  # as in C, a negative int wraps around
        return math.isfinite(x) and lowest <= x <= highest
    if d.to_real().name == "float32":
        return not math.isfinite(x) or abs(x) <= _MOST
    return True


NUMPYS = {"dim": "axis", "keepdim": "keepdims"}
"""Parameters that torch's functions take under NumPy's name too; those that PyTorch has in Python do not."""
MISSING: Any = object()


def numpys_names(
    name: str, params: Sequence[Any], is_python: bool
) -> tuple[list[str], list[str], list[str], dict[str, Any]]:
    """What a generated function needs to take its parameters under NumPy's names too: the parameters that are required and must be given
    defaults for it, its further keywords, and the lines that put things right, with the functions these call.

    A required parameter has no other name where another required one follows.
    """
    known = {p.name for p in params}
    optional, keywords, lines = [], [], []
    for i, p in enumerate(() if is_python else params):
        other = NUMPYS.get(p.name)
        if other is None or other in known:
            continue
        default = p.default
        if default is inspect.Parameter.empty:
            if any(q.default is inspect.Parameter.empty for q in params[i + 1 :]):
                continue
            optional.append(p.name)
            lines.append(f"    if {p.name} is _MISSING: {p.name} = _required({other}, {name!r}, {p.name!r})")
            lines.append(f"    elif {other} is not _MISSING: _given_twice({name!r}, {p.name!r})")
        else:
            lines.append(
                f"    if {other} is not _MISSING: {p.name} = _renamed({other}, {p.name} is _d_{p.name}, {name!r}, {p.name!r})"
            )
        keywords.append(f"{other}=_MISSING")
    scope = {
        "_MISSING": MISSING,
        "_required": _required,
        "_given_twice": _given_twice,
        "_renamed": _renamed,
    }
    return optional, keywords, lines, scope


def _required(value: Any, function: str, name: str) -> Any:
    if value is MISSING:
        raise TypeError(f'{function}() missing 1 required positional arguments: "{name}"')
    return value


def _renamed(value: Any, free: bool, function: str, name: str) -> Any:
    return value if free else _given_twice(function, name)


def _given_twice(function: str, name: str) -> Any:
    raise TypeError(f"{function}() got multiple values for argument '{name}'")


_composites: dict[Callable, Callable] = {}
_CHECKED = ("tensors.", "random.", "_core.", "storage", "nn.functional.torch_namespace")
"""Where composites are checked: nn.functional itself is Python in torch too, and looks at its arguments itself."""


def checked_composite(fn: Callable) -> Callable:
    """`fn`, written in terms of other functions, behind checks of what its annotations say; `fn` itself where they say nothing."""
    if fn not in _composites:
        _composites[fn] = (
            _with_checks(fn)
            if type(fn) is FunctionType
            and inspect.unwrap(fn).__globals__.get("__name__", "").partition(".")[2].startswith(_CHECKED)
            else fn
        )
    return _composites[fn]


def _with_checks(fn: FunctionType) -> Callable:
    params = list(inspect.signature(fn).parameters.values())
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in params):
        return fn
    scope: dict[str, Any] = {
        "_fn": fn, "_Tensor": Tensor, "_checked": checked, "_not_a_tensor": _not_a_tensor,
        "_Foreign": overrides.Foreign, "_late_call": overrides.late_call, "_params": params, "_tidy": tidy,
    }  # fmt: skip
    lines, head, passed = [], [], []
    for i, p in enumerate(params):
        n, classes = p.name, classes_of(p.annotation)
        where = f"{fn.__name__!r}, {n!r}, {0 if p.kind is p.KEYWORD_ONLY else i + 1}"
        if str(p.annotation) == "Tensor" or (p.name == "self" and p.annotation is p.empty):
            lines.append(f"    if not isinstance({n}, _Tensor): _not_a_tensor({n}, {where})")
        elif classes:
            scope[f"_exact_{n}"], scope[f"_classes_{n}"] = exact_classes(classes), classes
            huge = f" or {n}.__class__ is int and not -0x8000000000000000 <= {n} < 0x8000000000000000"
            lines.append(
                f"    if {n}.__class__ not in _exact_{n}{huge if int in classes else ''}: {n} = _checked({n}, _classes_{n}, {where})"
            )
        if i and params[i - 1].kind is p.POSITIONAL_ONLY is not p.kind:
            head.append("/")
        if p.kind is p.KEYWORD_ONLY and "*" not in head:
            head.append("*")
        scope[f"_d_{n}"] = p.default
        head.append(n if p.default is p.empty else f"{n}=_d_{n}")
        passed.append(f"{n}={n}" if p.kind is p.KEYWORD_ONLY else n)
    optional, keywords, renames, helpers = numpys_names(
        fn.__name__, params, fn.__name__ in overrides._WRITTEN_IN_PYTHON
    )
    if not lines and not keywords:
        return fn
    scope |= helpers
    head = [f"{n}=_MISSING" if n in optional else n for n in head]
    head += [*([] if "*" in head or not keywords else ["*"]), *keywords]
    body = [
        *renames,
        "    try:",
        *[f"    {line}" for line in lines or ["    pass"]],
        "    except _Foreign: return _late_call(_self, _params, locals())",
        f"    return _fn({', '.join(passed)})",
    ]
    body = [
        "    try:",
        *[f"    {line}" for line in body],
        "    except BaseException as error: _tidy(error); raise",
    ]
    source = f"def {fn.__name__}({', '.join(head)}):\n" + "\n".join(body) + "\n"
    exec(compile(source, f"<functorch_lite {fn.__name__}>", "exec"), scope)
    made = scope["_self"] = scope.pop(fn.__name__)
    made.__doc__, made.__module__, made.__wrapped__ = fn.__doc__, fn.__module__, fn
    made.__annotations__ = fn.__annotations__
    return made


def _not_a_tensor(x: Any, function: str, name: str, position: int) -> None:
    overrides.meet(x)
    if not overrides.overriding(type(x)):
        raise TypeError(
            f"{function}(): argument '{name}'{place(position)} must be Tensor, not {type(x).__name__}"
        )
