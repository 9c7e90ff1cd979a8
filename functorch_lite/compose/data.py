"""What torch.tensor makes of Python data: numbers, nested sequences, numpy arrays, tensors among them; as new numpy arrays.

The shape is read along the first elements; every other sequence must fit it. Numbers must fit the dtype: nothing wraps around.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import jax
import numpy as np

from .._core.api import (
    Tensor,
    converted_numbers,
    dtypes,
    is_numpys,
    is_python_number,
    number_dtype,
    plain_number,
    promote_types,
    values_of,
)
from .._core.api import dtype as DType

__all__ = ["array_of"]

_NUMBERS = frozenset((bool, int, float, complex))


def array_of(data: Any, d: DType | None) -> np.ndarray:
    """The data as a new array of dtype `d`, or of the dtype that torch chooses for it."""
    if isinstance(data, Tensor):
        data = values_of(data)
    if isinstance(data, np.ndarray) or is_numpys(data):
        if d is None:
            dtypes.from_numpy(data.dtype)
        return np.array(data, dtype=d.np if d else None)
    if isinstance(data, jax.Array):
        return np.array(data, dtype=d.np if d else None)
    if is_python_number(data):
        data = plain_number(data)
        if d is None and data.__class__ is not int:
            return np.array(data, number_dtype(data.__class__).np)
        return _stored([data], {data.__class__}, d or number_dtype(data.__class__)).reshape(())
    if isinstance(data, str | bytes):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if _is_sequence(data):
        return _of_sequence(data, d)
    if hasattr(data, "__array__"):
        return np.array(data, dtype=d.np if d else None)
    raise _not_a_number(data, d)


def _is_sequence(x: Any) -> bool:
    """Whether x is read element by element: a list, a tuple, what has a length and items (a deque), an array with dims."""
    if isinstance(x, list | tuple | range):
        return True
    if isinstance(x, np.ndarray):
        return x.ndim > 0
    kind = type(x)
    return (
        not isinstance(x, int | float | complex | str | bytes | Mapping | Tensor)
        and not hasattr(x, "__array__")
        and hasattr(kind, "__getitem__")
        and hasattr(kind, "__len__")
    )


def _of_sequence(data: Any, d: DType | None) -> np.ndarray:
    sizes, first = [], data
    while _is_sequence(first):
        sizes.append(len(first))
        if not len(first):
            break
        first = first[0]
    if isinstance(first, str) and first:
        raise ValueError("too many dimensions 'str'")
    if 0 in sizes:
        return np.zeros(sizes, (d or dtypes.default_dtype()).np)
    leaves = [data]
    for dim, size in enumerate(sizes):
        if dim and size > 1 and all(isinstance(x, np.ndarray) and x.dtype != object for x in leaves):
            break  # arrays are put together as they are
        inner: list[Any] = []
        for x in leaves:
            if not _is_sequence(x) and not (dim and isinstance(x, Tensor) and x.ndim):
                raise TypeError("not a sequence")
            if len(x) != size:
                raise ValueError(f"expected sequence of length {size} at dim {dim} (got {len(x)})")
            inner.extend(x.tolist() if isinstance(x, Tensor) else x)
        leaves = inner
    if isinstance(leaves[0], np.ndarray) and all(isinstance(x, np.ndarray) for x in leaves):
        return _of_arrays(leaves, d).reshape(sizes)
    kinds = set(map(type, leaves))
    return _stored(leaves, kinds, d or _common_dtype(leaves, kinds)).reshape(sizes)


def _of_arrays(arrays: list[np.ndarray], d: DType | None) -> np.ndarray:
    try:
        whole = np.array(arrays)
    except ValueError as error:
        raise ValueError(f"expected sequences of equal length ({error})") from None
    dtypes.from_numpy(whole.dtype)
    return whole if d is None else converted_numbers(whole, d.np)


def _common_dtype(leaves: list, kinds: set[type]) -> DType:
    """Of Python numbers bool, int64, the default dtype, or its complex one; what has a dtype brings it."""
    if kinds <= _NUMBERS:
        return number_dtype(max(kinds, key=(bool, int, float, complex).index))
    found = None
    for x in leaves:
        if isinstance(x, Tensor):
            own = x.dtype
        elif isinstance(x, np.ndarray) or is_numpys(x):
            own = dtypes.from_numpy(x.dtype)
        elif is_python_number(x):
            own = number_dtype(plain_number(x).__class__)
        elif _is_sequence(x):
            own = dtypes.default_dtype()  # refused when it is to be stored
        else:
            raise _not_a_number(x, None)
        found = own if found is None else promote_types(found, own)
    assert found is not None
    return found


def _not_a_number(x: Any, d: DType | None) -> Exception:
    name = type(x).__name__
    if isinstance(x, str | bytes):
        return TypeError(f"new(): invalid data type '{name}'")
    if d is None:
        return RuntimeError(f"Could not infer dtype of {name}")
    whole = f"'{name}' object cannot be interpreted as an integer"
    return TypeError(whole if d.category == 1 else f"must be real number, not {name}")


def _number_of(x: Any, d: DType) -> Any:
    """A leaf as a Python number."""
    if isinstance(x, Tensor):
        if x.numel() != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        if d.category == 1 and x.dtype.category > 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        if d.category == 2 and x.dtype.is_complex:
            raise RuntimeError("value cannot be converted to type double without overflow")
        return x.item()  # type: ignore[attr-defined]
    if isinstance(x, np.ndarray) or is_numpys(x):
        return (x.real if d.category == 2 else x).item()
    if not is_python_number(x):
        raise _not_a_number(x, d)
    return plain_number(x)


def _stored(leaves: list, kinds: set[type], d: DType) -> np.ndarray:
    """The leaves, of these types, as a 1-d array of dtype d, if they fit it."""
    if not kinds <= _NUMBERS:
        leaves = [_number_of(x, d) for x in leaves]
        kinds = set(map(type, leaves))
    if d.category == 0:
        return np.array([x != 0 for x in leaves], bool)
    if complex in kinds and d.category < 3:
        raise _not_a_number(1j, d)
    if d.category == 3:
        return np.array(leaves, np.complex128).astype(d.np)
    if d.category == 2:
        with np.errstate(over="ignore"):
            return converted_numbers(np.array(leaves, np.float64), d.np)
    return _integers(leaves, kinds, d)


def _integers(leaves: list, kinds: set[type], d: DType) -> np.ndarray:
    if float in kinds:
        if not all(map(math.isfinite, leaves)):
            raise _overflow(d)
        leaves = [int(x) for x in leaves]
    if d.name == "uint64":
        return np.array(leaves, np.uint64)
    try:
        wide = np.array(leaves, np.int64)
    except OverflowError:
        if float in kinds:
            raise _overflow(d) from None
        raise ValueError("Overflow when unpacking long long") from None
    limits = np.iinfo(d.np)
    least = (
        limits.min if d.is_signed else -limits.max
    )  # torch lets a negative number wrap around where its absolute value fits
    if wide.size and (int(wide.min()) < least or int(wide.max()) > limits.max):
        raise _overflow(d)
    return wide.astype(d.np)


def _overflow(d: DType) -> RuntimeError:
    return RuntimeError(f"value cannot be converted to type {d.name} without overflow")
