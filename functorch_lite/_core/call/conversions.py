"""Arguments as the ops take them: a Python value in the place of a tensor, a number, a size or a static argument, or torch's TypeError."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare.op import check_ints
from ..lazy.dependence import requires_grad
from ..lazy.known import at_hand
from ..lazy.tensor import Tensor
from ..words.dtypes import dtype
from ..words.numbers import is_numpys, is_python_number, plain, python_number
from . import overrides
from .arguments import PYTHON_DTYPES, checked, place

__all__ = [
    "PLAIN", "no_size", "plain_number", "spread_size", "to_array_argument", "to_arrays_argument", "to_ints",
    "to_number_argument", "to_real_argument", "to_size", "to_static", "to_static_number",
]  # fmt: skip

PLAIN = frozenset((int, bool, str, type(None), dtype))
"""The types of static arguments that are taken as they are."""


def to_array_argument(x, function: str, name: str, position: int, number: bool, none: bool):
    """An argument that is no Tensor where one is expected: a numpy scalar, None if allowed, or torch's TypeError."""
    if x is None and none:
        return None
    if number:
        if is_numpys(x):
            return python_number(x)
        if is_python_number(x):
            return plain_number(x)
    overrides.meet(x)
    raise TypeError(
        f"{function}(): argument '{name}'{place(position)} must be Tensor, not {type(x).__name__}"
    )


def plain_number(x):
    """A number of a class derived from Python's (an IntEnum, NumPy's float64) as Python's own."""
    for kind in (bool, int, float, complex):
        if isinstance(x, kind):
            return kind(x)


def to_number_argument(x, function: str, name: str, position: int, none: bool):
    """A Python number, a 0-d tensor in its place that has no gradient (by which torch has none), or None if allowed."""
    if (x is None and none) or (isinstance(x, Tensor) and not x._aval.shape and not requires_grad(x)):
        known = at_hand(x) if x is not None and x._aval.dtype.category == 3 else None
        return x if known is None else known.item()  # which real ops take without an imaginary part
    if is_numpys(x):
        return python_number(x)
    if is_python_number(x):
        return plain_number(x)
    overrides.meet(x)
    raise TypeError(
        f"{function}(): argument '{name}'{place(position)} must be Number, not {type(x).__name__}"
    )


def to_real_argument(x, function: str, name: str, position: int, none: bool):
    """A Python number that is not complex as a float, a 0-d tensor in its place, or None if allowed."""
    if x is None and none:
        return None
    if isinstance(x, Tensor) and not x._aval.shape and not requires_grad(x):
        return float(x) if x._aval.dtype.is_complex else x  # type: ignore[arg-type]  # where it has no imaginary part
    x = plain(x)
    if isinstance(x, bool | int | float):
        return float(x)
    overrides.meet(x)
    raise TypeError(f"{function}(): argument '{name}'{place(position)} must be float, not {type(x).__name__}")


def to_arrays_argument(xs, function: str, name: str, position: int) -> tuple:
    """A list or tuple of Tensors."""
    if isinstance(xs, Tensor) or not isinstance(xs, tuple | list):
        overrides.meet(xs)
        raise TypeError(
            f"{function}(): argument '{name}'{place(position)} must be tuple of Tensors, not {type(xs).__name__}"
        )
    for i, x in enumerate(xs):
        if not isinstance(x, Tensor):
            overrides.meet(x)
            raise TypeError(
                f"expected Tensor as element {i} in argument {position - 1}, but got {type(x).__name__}"
            )
    return tuple(xs)


_INTS = frozenset((int, tuple))
_ONLY_INT = frozenset((int,))
_2_63 = 1 << 63


def to_ints(x, function: str, name: str, position: int) -> tuple[tuple[int, ...], int | None]:
    """An int, or a sequence of ints, as a tuple, and how many they are: None of a single int."""
    if x.__class__ is not int:
        x = checked(x, _INTS, function, name, position)
    check_ints(x, function, name)
    return (x, len(x)) if x.__class__ is tuple else ((x,), None)


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


def to_static_number(x, function: str, name: str, position: int):
    """The same in the place of a number: of tensors those without dims and without a gradient, which would be lost."""
    if isinstance(x, Tensor) and (x._aval.shape or requires_grad(x)):
        raise TypeError(
            f"{function}(): argument '{name}'{place(position)} must be Number, not {type(x).__name__}"
        )
    return to_static(x)


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
                overrides.meet(given)
                raise TypeError(
                    f"{function}(): argument '{name}'{place(position)} must be tuple of ints, but found element of type "
                    f"{type(given).__name__} at pos {i}"
                )
            x = int(x)
        size.append(x)
    return tuple(size)


def no_size(x, function: str, name: str, position: int):
    """Raises torch's TypeError for what is no size."""
    overrides.meet(x)
    raise TypeError(
        f"{function}(): argument '{name}'{place(position)} must be tuple of ints, not {type(x).__name__}"
    )


def spread_size(spread: tuple, given: Any, function: str, name: str, position: int) -> tuple[int, ...]:
    """A size given as ints, as one sequence, or by its name (`given`, None when it was not)."""
    if given is None:
        if (
            spread
            and _ONLY_INT.issuperset(map(type, spread))
            and -_2_63 <= min(spread)
            and max(spread) < _2_63
        ):  # hot path
            return spread
        return to_size(spread, function, name, position)
    if spread:
        raise TypeError(f"{function}() got multiple values for argument '{name}'")
    return (
        to_size((given,), function, name, position)
        if isinstance(given, tuple | list)
        else no_size(given, function, name, position)
    )
