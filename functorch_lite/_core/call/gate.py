"""The gate: what each kind of parameter takes, and as what, of ops and of functions on tensors; torch's TypeError for
all else.

A Kind is made from an annotation. torch is strict where Python is not: a bool is no int, an int is no bool, a float is
neither.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Collection
from typing import Any, NoReturn

import numpy as np

from ..declare.op import Param, Unset, check_ints
from ..lazy.dependence import requires_grad
from ..lazy.known import at_hand
from ..lazy.tensor import Tensor
from ..words import dtypes
from ..words.dtypes import dtype
from ..words.errors import check_int
from ..words.numbers import is_int, is_numpys, plain, plain_number, python_number
from ..words.pytorchs import refuse_pytorchs
from ..words.tracebacks import raiser
from . import overrides

__all__ = [
    "BOOL", "INT", "INTS", "INTS_OR_INT", "NUMBERS", "PLAIN", "PYTHON_DTYPES", "SYMINT", "Kind", "as_int", "check_type", "checked", "classes_of",
    "kind_in_function", "kind_in_op", "spread_size", "to_arrays_argument", "to_number_argument", "to_real_argument", "to_size", "to_static",
    "wrong_type",
]  # fmt: skip

PYTHON_DTYPES = {float: dtypes.float64, int: dtypes.int64, bool: dtypes.bool_, complex: dtypes.complex128}
"""The dtype that a Python type means as a `dtype=` argument."""

NUMBERS = frozenset((int, float, bool, complex))
PLAIN = frozenset((int, bool, str, type(None), dtype))
"""The types of static arguments that are taken as they are."""

# -- refusals --------------------------------------------------------------------------------------------------------


def _place(function: str, name: str, position: int) -> str:
    """Where an argument stands, as torch says it: of a keyword (0) not at which position."""
    return f"{function and f'{function}(): '}argument '{name}'{f' (position {position})' if position else ''}"


def wrong_type(x: Any, takes: str, function: str, name: str, position: int = 0) -> TypeError:
    """torch's error of an argument of the wrong type. function: "" where torch does not say whose it is."""
    refuse_pytorchs(x)
    return TypeError(f"{_place(function, name, position)} must be {takes}, not {type(x).__name__}")


@raiser
def check_type(fits: Any, x: Any, takes: str, function: str, name: str, position: int = 0) -> None:
    """Raises it unless x `fits`."""
    if not fits:
        raise wrong_type(x, takes, function, name, position)


def _wrong_element(x: Any, at: int, function: str, name: str, position: int) -> TypeError:
    overrides.meet(x)
    return TypeError(
        f"{_place(function, name, position)} must be tuple of ints, but found element of type {type(x).__name__} at pos {at}"
    )


# -- kinds -----------------------------------------------------------------------------------------------------------


class Kind:
    """A kind of parameter: which arguments it accepts as they are, what it converts others to, and torch's word for
    it."""

    word = "Tensor"
    accepts = "isinstance({n}, Tensor)"
    """Condition in generated code, for a parameter {n}: the argument is taken as it is."""

    def convert(self, x: Any, *where: Any) -> Any:
        """Converts an argument that was not accepted as it is, or raises torch's TypeError."""
        return self.refuse(x, *where)

    def refuse(self, x: Any, *where: Any) -> NoReturn:
        overrides.meet(x)
        raise wrong_type(x, self.word, *where)

    def lines(self, n: str, where: str) -> list[str]:
        """Generated code that has the argument of a parameter n checked."""
        return [f"if not ({self.accepts.format(n=n)}): {n} = _convert_{n}({n}, {where})"]

    def names(self, n: str) -> dict[str, Any]:
        """Returns the names that generated code for a parameter `n` refers to, with their values."""
        return {f"_convert_{n}": self.convert}


class Overridable(Kind):
    """A tensor; in functions on tensors also what overrides the functions that these call."""

    def convert(self, x: Any, *where: Any) -> Any:
        overrides.meet(x)
        return x if overrides.overriding(type(x)) else self.refuse(x, *where)


class Operand(Kind):
    """A tensor, or in its place a number or None, if allowed."""

    def __init__(self, number: bool, none: bool):
        self.number, self.none = number, none
        self.accepts = f"{'{n}.__class__ in _NUMBERS or ' * number}{'{n} is None or ' * none}{Kind.accepts}"

    def convert(self, x: Any, *where: Any) -> Any:
        if x is None and self.none:
            return None
        number = _number_of(x) if self.number else None
        return self.refuse(x, *where) if number is None else number


class Operands(Kind):
    """A list or tuple of tensors."""

    word = "tuple of Tensors"

    def convert(self, x: Any, *where: Any) -> tuple:
        if isinstance(x, Tensor) or not isinstance(x, tuple | list):
            self.refuse(x, *where)
        for i, t in enumerate(x):
            if not isinstance(t, Tensor):
                overrides.meet(t)
                raise TypeError(
                    f"expected Tensor as element {i} in argument {where[2] - 1}, but got {type(t).__name__}"
                )
        return tuple(x)

    def lines(self, n: str, where: str) -> list[str]:
        return [f"{n} = _convert_{n}({n}, {where})"]


class Numeric(Kind):
    """A Python number, a 0-d tensor in its place that has no gradient (by which torch has none), or None if allowed."""

    word = "Number"
    accepts = "{n}.__class__ in _NUMBERS"

    def __init__(self, none: bool):
        self.none = none

    def convert(self, x: Any, *where: Any) -> Any:
        if (x is None and self.none) or _is_single(x):
            return x if x is None else self.of_tensor(x)
        number = self.of_number(x)
        return self.refuse(x, *where) if number is None else number

    def of_tensor(self, x: Tensor) -> Any:
        """A complex one whose value is at hand as a number, which real ops take without an imaginary part."""
        known = at_hand(x) if x._aval.dtype.category == 3 else None
        return x if known is None else known.item()

    def of_number(self, x: Any) -> Any:
        return _number_of(x)


class RealNumber(Numeric):
    """The same, not complex, as a float."""

    word = "float"
    accepts = "{n}.__class__ is float"

    def of_tensor(self, x: Tensor) -> Any:
        return float(x) if x._aval.dtype.is_complex else x  # type: ignore[arg-type]  # where it has no imaginary part

    def of_number(self, x: Any) -> Any:
        x = plain(x)
        return float(x) if isinstance(x, bool | int | float) else None


class Static(Kind):
    """Whatever is hashable. numeric: in the place of a number, where a tensor's dims, and its gradient, would be
    lost."""

    word = "Number"
    accepts = "{n}.__class__ in _PLAIN"

    def __init__(self, numeric: bool = False):
        self.numeric = numeric

    def convert(self, x: Any, *where: Any) -> Any:
        if self.numeric and isinstance(x, Tensor) and not _is_single(x):
            self.refuse(x, *where)
        return to_static(x)


class Size(Kind):
    """A sequence of ints. spread: the ints may be arguments of their own, in a tuple `n_args`."""

    word = "tuple of ints"

    def __init__(self, spread: bool):
        self.spread = spread

    def lines(self, n: str, where: str) -> list[str]:
        if self.spread:
            return [f"{n} = _size({n}_args, {where}) if {n} is _MISSING else _spread({n}_args, {n}, {where})"]
        return [
            f"{n} = _size(({n},), {where}) if isinstance({n}, tuple | list) else _convert_{n}({n}, {where})"
        ]


class Ints(Kind):
    """An int, or a sequence of ints: as a tuple, and how many they are, None of a single int."""

    def convert(self, x: Any, *where: Any) -> tuple[tuple[int, ...], int | None]:
        if x.__class__ is not int:
            x = checked(x, INTS_OR_INT, *where)
        check_ints(x, *where[:2])
        return (x, len(x)) if x.__class__ is tuple else ((x,), None)

    def lines(self, n: str, where: str) -> list[str]:
        return [f"{n}, _{n}_static = _convert_{n}({n}, {where})"]


class Nested(tuple):
    """Stands for sequences of ints, and of sequences of ints."""


class Index(int):
    """Stands for ints that PyTorch reads by `__index__`, its SymInt: `_of_one_element` says what else it takes for
    them."""


_CLASSES = {
    "int": int, "SymInt": Index, "bool": bool, "str": str, "None": type(None), "tuple": tuple, "tuple[int, ...]": tuple, "tuple[tuple[int, ...], ...]": Nested,
    "Unset": Unset, "DType": dtype, "dtype": dtype, "dtypes.dtype": dtype,
}  # fmt: skip
_WORDS = {tuple: "tuple of ints", dtype: "torch.dtype", int: "int", bool: "bool", str: "str"}


@functools.cache
def classes_of(annotation: Any) -> frozenset[type] | None:
    """The classes that an annotation allows; None when it names anything that is not checked here.

    >>> sorted(c.__name__ for c in classes_of("int | None"))
    ['NoneType', 'int']
    """
    parts = [p.strip() for p in str(annotation).split("|")]
    if not all(p in _CLASSES for p in parts):
        return None
    return frozenset(_CLASSES[p] for p in parts) | ({int} if "SymInt" in parts else set())


class Classes(Kind):
    """An object of one of these classes: ints, bools, strings, dtypes, sequences of ints. sized: of ints those of 64
    bits; what is sized elsewhere is not here."""

    def __init__(self, classes: Collection[type], sized: bool = False):
        self.classes = frozenset(classes)
        self.exact = self.classes - {tuple, Nested, Index}
        """Classes whose instances need no further look; a tuple's elements do."""
        self.word = next((_WORDS[c] for c in _WORDS if c in classes), "int")
        self.accepts = "{n}.__class__ in _exact_{n}"
        if sized and int in classes:
            small = "-0x8000000000000000 <= {n} < 0x8000000000000000"
            self.accepts += f" and ({{n}}.__class__ is not int or {small})"
            if self.exact <= {int, type(None)}:  # faster
                none = "{n} is None or " * (type(None) in self.exact)
                self.accepts = f"{none}({{n}}.__class__ is int and {small})"

    def names(self, n: str) -> dict[str, Any]:
        return {f"_convert_{n}": self.convert, f"_exact_{n}": self.exact}

    def convert(self, x: Any, function: str, name: str, position: int) -> Any:
        """A list becomes a tuple, a numpy integer or an integer tensor without dims an int, `float` a dtype."""
        classes = self.classes
        if isinstance(x, tuple | list) and (tuple in classes or Nested in classes):
            if x.__class__ is tuple and set(map(type, x)) == {int}:
                return x
            nested = Nested in classes
            return tuple([_element(e, i, nested, function, name, position) for i, e in enumerate(x)])
        if int in classes:
            by_index = tuple in classes or Index in classes
            number = _of_one_element(x, tuple in classes) if by_index else as_int(x)
            if number is not None:
                check_int(number)
                return number
        if dtype in classes and isinstance(x, type) and x in PYTHON_DTYPES:
            return PYTHON_DTYPES[x]
        if type(x) in classes or (str in classes and isinstance(x, str)):
            return x
        return self.refuse(x, function, name, position)


@functools.cache
def _of_classes(classes: frozenset[type], sized: bool = False) -> Classes:
    return Classes(classes, sized)


def kind_in_op(p: Param, in_python: bool = False, lenient: bool = False, spread: bool = False) -> Kind:
    """The kind of an op's parameter; of one that may be a tensor or static ("mixed"), that of what is no tensor.

    in_python: the function is one of PyTorch's that are Python; lenient: it looks at this argument itself.
    """
    if p.kind == "array":
        return Operand(p.allows_number, p.allows_none)
    if p.kind == "arrays":
        return Operands()
    if p.kind == "ints":
        return Ints()
    if p.kind == "size":
        return Size(spread)
    if p.kind == "mixed" and p.allows_array:
        return Static() if p.typed else _of_classes(frozenset((int, p.default.__class__)))
    if p.is_int:
        none = {type(None)} if p.allows_none else set()
        return _of_classes((SYMINT if "SymInt" in p.annotation else INT) | none, sized=True)
    if p.is_real:
        return RealNumber(p.allows_none)
    if p.kind == "number":
        return Numeric(p.allows_none or in_python)
    if p.kind == "mixed":
        return Static(numeric=True)
    if not lenient and (classes := classes_of(p.annotation)):
        return _of_classes(classes)
    return Static(numeric=p.typed and "Any" not in p.annotation)


def kind_in_function(p: inspect.Parameter) -> Kind | None:
    """The kind of a parameter of a function on tensors; None where its annotation says nothing that is checked."""
    if str(p.annotation) == "Tensor" or (p.name == "self" and p.annotation is p.empty):
        return Overridable()
    classes = classes_of(p.annotation)
    return _of_classes(classes, sized=True) if classes else None


# -- arguments that functions look at themselves -----------------------------------------------------------------------

INT, INTS, BOOL = frozenset((int,)), frozenset((tuple,)), frozenset((bool,))
INTS_OR_INT = INT | INTS
SYMINT = INT | {Index}


def checked(x: Any, classes: frozenset[type], function: str, name: str, position: int) -> Any:
    """`x` as one of `classes` (`Classes.convert`), or torch's TypeError."""
    return _of_classes(classes).convert(x, function, name, position)


def to_arrays_argument(x: Any, function: str, name: str, position: int) -> tuple:
    """A list or tuple of Tensors, as a tuple."""
    return Operands().convert(x, function, name, position)


def to_number_argument(x: Any, function: str, name: str, position: int, none: bool):
    """A Python number, a 0-d tensor in its place that has no gradient, or None if allowed."""
    return Numeric(none).convert(x, function, name, position)


def to_real_argument(x: Any, function: str, name: str, position: int, none: bool):
    """The same of a number that is not complex, as a float."""
    return RealNumber(none).convert(x, function, name, position)


def _is_single(x: Any) -> bool:
    """Whether x is a tensor that stands for a number: it has no dims, and no gradient, which would be lost."""
    return isinstance(x, Tensor) and not x._aval.shape and not requires_grad(x)


def _number_of(x: Any) -> Any:
    """A number of NumPy's, or of a class derived from Python's, as Python's own; None for anything else."""
    return python_number(x) if is_numpys(x) else plain_number(x)


def as_int(x: Any) -> int | None:
    """Converts to an int what torch takes for one: an int, a NumPy integer, an integer tensor without dims. None for
    anything else."""
    if is_int(x):
        return int(x)
    if isinstance(x, Tensor) and not x._aval.shape and x._aval.dtype.category == 1:
        return int(x.item())  # type: ignore[attr-defined]
    return None


def _of_one_element(x: Any, bools: bool) -> int | None:
    """The same where torch counts by `__index__`: a tensor of one integer may have dims, and NumPy's array have none.
    bools: of one bool too."""
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
        raise _wrong_element(x, at, function, name, position)
    return number


def to_static(x):
    """A hashable static argument: lists become tuples, 0-d integer tensors and numpy integers become ints."""
    if x.__class__ in PLAIN:
        return x
    if isinstance(x, tuple | list):
        return tuple([to_static(e) for e in x])
    if isinstance(x, Tensor):
        if x.numel() != 1:  # type: ignore[attr-defined]
            raise TypeError(f"a Tensor with {x.numel()} elements cannot be converted to Scalar")  # type: ignore[attr-defined]
        return x.item()  # type: ignore[attr-defined]
    if is_numpys(x):
        return x.item()
    if x is float or x is int or x is bool or x is complex:
        return PYTHON_DTYPES[x]
    overrides.meet(x)
    return x


_2_63 = 1 << 63


def to_size(xs, function: str, name: str, position: int) -> tuple[int, ...]:
    """A size given as ints or as one sequence of ints; torch looks for bools in the first place only."""
    if xs.__class__ is int:
        return (xs,)
    if xs.__class__ is tuple and not xs:
        raise TypeError(f'{function}() missing 1 required positional arguments: "{name}"')
    if len(xs) == 1 and isinstance(xs[0], tuple | list):
        xs = xs[0]
    size = []
    for i, x in enumerate(xs):
        if x.__class__ is not int:
            given = x
            if isinstance(x, Tensor) or (
                (isinstance(x, np.ndarray) or is_numpys(x)) and not x.ndim and x.dtype.kind in "iu"
            ):
                x = x.item()  # type: ignore[attr-defined]
            if not isinstance(x, int) or (i == 0 and isinstance(x, bool)):
                raise _wrong_element(given, i, function, name, position)
            x = int(x)
        size.append(x)
    return tuple(size)


def spread_size(spread: tuple, given: Any, function: str, name: str, position: int) -> tuple[int, ...]:
    """A size given as ints, as one sequence, or by its name (`given`, None when it was not)."""
    if given is None:
        if (
            spread and INT.issuperset(map(type, spread)) and -_2_63 <= min(spread) and max(spread) < _2_63
        ):  # hot path
            return spread
        return to_size(spread, function, name, position)
    if spread:
        raise TypeError(f"{function}() got multiple values for argument '{name}'")
    if not isinstance(given, tuple | list):
        Size(False).refuse(given, function, name, position)
    return to_size((given,), function, name, position)
