"""`tensor[index]` and `tensor[index] = value`: torch's indexing as views, gathers and scatters.

Integers, slices, None and Ellipsis give views (lenses). What remains, tensors, lists and masks, is one `index` or
`index_put`. Boolean masks are turned into integer indices on the host, except where a scalar is written: that is a
`where`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..declare.op import OPS
from ..lazy.apply import apply, apply_view, check_writable, from_array, read, write
from ..lazy.kinds import VMAP_MASK
from ..lazy.known import at_hand, outside
from ..lazy.levels import values_of
from ..lazy.recorder import state
from ..lazy.tensor import Lens, Tensor, make_tensor, set_cell
from ..lazy.windows import is_likely_read, picked, selected, sliced
from ..words import dtypes
from ..words.advice import about_imaginary, advise
from ..words.device import ANY
from ..words.errors import broadcast_shapes
from ..words.numbers import check_number, is_python_number, is_whole, plain, plain_number
from ..words.pytorchs import refuse_pytorchs
from . import overrides
from .joining import pick
from .moving import to_device
from .results import cast, write_inplace

__all__ = ["basic_part", "check_fill", "check_indices", "getitem", "masked_select", "resolve", "setitem"]


def getitem(t: Tensor, index: Any) -> Tensor:
    """t[index]."""
    if index.__class__ is int:  # hot path: rows of a tensor
        shape = t._aval.shape
        if not shape:
            raise IndexError(
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim "
                "tensor to a number"
            )
        at = index if 0 <= index < shape[0] else _wrapped(index, 0, shape[0])
        if t._value is None if t._lenses else is_likely_read(t):
            return picked(t, (at,))
        return apply_view(OPS["select"], (0,), t, (at,))
    if index.__class__ is tuple and (places := _places(t, index)):
        return picked(t, places)
    if index.__class__ is slice and t._aval.shape:
        viewed, advanced = _slice(t, 0, index), None
    else:
        viewed, advanced = basic_part(t, index)
    if not advanced:
        return viewed if viewed is not t else apply_view(OPS["alias"], (), t)
    dims, indices = resolve(viewed, advanced)
    if len(advanced) == 1 and _is_mask(advanced[0][1]):
        joined = pick(viewed, dims[0], [at_hand(i) for i in indices])
        if joined is not None:
            return joined
    return apply(OPS["index"], (len(indices), dims), (viewed, *indices))


def _places(t: Tensor, index: tuple) -> list[int]:  # hot path
    """An index of ints, counted from the front; nothing of any other index."""
    shape = t._aval.shape
    if len(index) > len(shape):
        return []
    for i in index:
        if i.__class__ is not int:
            return []
    places = []
    for i in index:
        n = shape[len(places)]
        places.append(i if 0 <= i < n else _wrapped(i, len(places), n))
    return places


def setitem(t: Tensor, index: Any, value: Any) -> None:
    """t[index] = value, in place."""
    check_writable(t)
    d = t._aval.dtype
    if not isinstance(value, Tensor):
        if not (is_python_number(value) or is_whole(value)):
            refuse_pytorchs(value)
            kind = type(value)
            where = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
            raise TypeError(f"can't assign a {where} to a torch.{d.scalar_name}Tensor")
        if value.__class__ not in (bool, int, float, complex):
            value = plain_number(plain(value))
        check_number(value, d)
        if d.category == 2 and d.itemsize == 2 and not isinstance(value, complex):
            if abs(value) > dtypes.finfo(d).max:  # `fill_` refuses it, an assignment does not
                value = math.copysign(math.inf, value)
    if index is False:
        return None
    if index is True:
        index = Ellipsis
    viewed, advanced = basic_part(t, index)
    if not isinstance(value, Tensor):
        if not advanced:
            write(viewed, apply(OPS["fill"], (), (viewed, value)))
            return None
        if len(advanced) == 1 and _is_mask(advanced[0][1]):
            return _write_mask(viewed, advanced[0], value)
        if isinstance(value, complex) and d.category < 3:
            value = value.real if d.category else value != 0
        value = from_array(np.asarray(value).astype(d.np), on=ANY)
    if not advanced:
        _write_basic(viewed, to_device(cast(value, d), viewed._aval.device))
        return None
    if len(advanced) == 1 and _is_mask(advanced[0][1]) and value.numel() == 1:  # type: ignore[attr-defined]
        return _write_mask(viewed, advanced[0], value)
    dims, indices = resolve(viewed, advanced)
    value = _without_leading_ones(
        value, len(viewed._aval.shape) + max((len(i._aval.shape) for i in indices), default=0) - len(dims)
    )
    write(viewed, apply(OPS["index_put"], (len(indices), False, dims), (viewed, *indices, value)))
    return None


def _without_leading_ones(value: Tensor, ndim: int) -> Tensor:
    have = list(value._aval.shape)
    while len(have) > ndim and have[0] == 1:
        have.pop(0)
    return value if len(have) == len(value._aval.shape) else value.reshape(tuple(have))  # type: ignore[attr-defined]


def _write_basic(viewed: Tensor, value: Tensor) -> None:
    want = viewed._aval.shape
    value = _without_leading_ones(value, len(want))
    have = value._aval.shape
    ok = len(have) <= len(want) and all(a in (1, b) for a, b in zip(reversed(have), reversed(want)))
    if not ok:
        raise RuntimeError(
            f"The expanded size of the tensor ({want[-1] if want else 1}) must match the existing size ({have[-1] if have else 1}) "
            f"at non-singleton dimension {max(len(want) - 1, 0)}.  Target sizes: {list(want)}.  Tensor sizes: {list(value._aval.shape)}"
        )
    about_imaginary(value._aval.dtype, viewed._aval.dtype)
    if value._aval is viewed._aval and viewed._lenses and _is_plain(viewed) and _is_plain(value):
        if value._cell is viewed._cell and _lenses_alike(value, viewed):  # x[i] += 1, which wrote it already
            set_cell(viewed._cell, viewed._cell.value)
        else:
            write(viewed, value)
        return
    write(viewed, apply(OPS["_copy"], (), (viewed, value)))


def _is_plain(t: Tensor) -> bool:
    """Whether nothing is to be told of a tensor but its numbers: it is not taped, and not of a transform."""
    here = state.here
    if here.rec.level or here.run_at_once or t._cell.level or t._edge is not None:
        return False
    return t._root is None or t._root._edge is None


def _lenses_alike(a: Tensor, b: Tensor) -> bool:
    """Returns whether two views of one tensor show the same part."""
    if a._root is not b._root or len(a._lenses) != len(b._lenses):
        return False
    for x, y in zip(a._lenses, b._lenses):
        if not (x.__class__ is y.__class__ is Lens and x.op is y.op and x.static == y.static):
            return False
        if x.numbers != y.numbers or any(type(n) is not int for n in x.numbers):
            return False
    return True


def check_fill(input: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    """Checks the value that is written into `input` where a mask is true, and returns both. A value of one element and
    another dtype is looked at only if it is at hand; a complex one then becomes its real part."""
    d = input._aval.dtype
    if value._aval.dtype is not d:
        known = at_hand(value)
        if known is not None and known.size == 1:
            number = known.item()
            check_number(number, d)
            if d.category == 2 and math.isfinite(abs(number)) and abs(number) > dtypes.finfo(d).max:
                raise RuntimeError(f"value cannot be converted to type {d.cpp_name} without overflow")
            if isinstance(number, complex) and 0 < d.category < 3:
                return input, from_array(np.asarray(number.real), on=ANY)
    return input, value


def _write_mask(viewed: Tensor, advanced: tuple[int, Any], value: Any) -> None:
    dim, mask = advanced
    mask = _as_tensor(mask)
    _check_mask(viewed, mask, dim)
    if mask._aval.dtype is not dtypes.bool_:
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype unsigned char")
    shape = mask._aval.shape
    extra = len(viewed._aval.shape) - dim - len(shape)
    if extra:
        mask = mask.reshape((*shape, *([1] * extra)))  # type: ignore[attr-defined]
    d = viewed._aval.dtype
    if isinstance(value, Tensor):
        if value._aval.dtype.category == 3 > d.category and at_hand(value) is None:
            check_number(1j, d)  # there may be an imaginary part, which is refused
        viewed, value = check_fill(viewed, value)
        value = value.reshape(())  # type: ignore[attr-defined]
    if isinstance(value, complex) and not value.imag and not d.is_complex:
        value = value.real
    write_inplace(viewed, apply(OPS["masked_fill"], (), (viewed, mask, value)))


def _wrapped(index: int, dim: int, size: int) -> int:
    if not -size <= index < size:
        if not -(2**63) <= index < 2**63:
            raise ValueError("Overflow when unpacking long long")
        raise IndexError(f"index {index} is out of bounds for dimension {dim} with size {size}")
    return index + size if index < 0 else index


def _is_mask(x: Any) -> bool:
    if isinstance(x, Tensor):
        return x._aval.dtype.name in ("bool", "uint8")
    return isinstance(x, np.ndarray) and x.dtype == np.bool_


MOST_AS_TUPLE = 32
"""A list this long is an index tensor, whatever is in it."""


def _items(index: Any) -> list:
    """An index as its items.

    A list is a tuple of items, as in numpy of old, if one of its elements is more than a number."""
    if isinstance(index, tuple):
        return list(index)
    if isinstance(index, list | range | str) and len(index) < MOST_AS_TUPLE and any(map(_is_item, index)):
        return list(index)
    return [index]


def _is_item(x: Any) -> bool:
    return (
        x is None
        or x is Ellipsis
        or isinstance(x, Tensor | list | tuple | range | str | bytes | slice | np.ndarray)
    )


def _index_data(x: Any) -> Any:
    """A sequence or numpy array in an index: an array of integers or a mask, or an int or bool when it has no dims."""
    try:
        array = np.asarray(x)
    except ValueError as e:
        raise ValueError(f"expected sequences of the same length in an index, got {x!r}") from e
    if array.dtype == object:
        odd = next((e for e in np.ravel(array) if not isinstance(e, int | float)), None)
        if isinstance(odd, int | float):
            raise ValueError("Overflow when unpacking long long")
        raise RuntimeError(f"Could not infer dtype of {type(odd).__name__}")
    if array.dtype.kind in "US":
        raise TypeError(f"new(): invalid data type '{'str' if array.dtype.kind == 'U' else 'bytes'}'")
    if array.dtype.kind == "c":
        raise TypeError("'complex' object cannot be interpreted as an integer")
    if not (array.dtype == np.bool_ or (array.dtype == np.uint8 and isinstance(x, np.ndarray))):
        array = array.astype(np.int64)
    return array if array.ndim else array.item()


def basic_part(t: Tensor, index: Any) -> tuple[Tensor, list[tuple[int, Any]]]:
    """Applies the ints, slices, None and Ellipsis of an index as views; returns what is left: (dim of the view,
    index)."""
    if index.__class__ is tuple and _PLAIN.issuperset(map(type, index)):
        used = len(index) - index.count(None) - (spread := index.count(...))
        if used <= len(t._aval.shape) and spread < 2:
            return _plain_part(t, index, len(t._aval.shape) - used), []
    if isinstance(index, Tensor) and index._aval.shape and t._aval.shape and not _is_mask(index):
        return t, [(0, index)]
    if isinstance(index, slice):
        _check_slice(index)
    items = _items(index)
    consumed, ellipsis = 0, False
    for i in items:
        if i is Ellipsis:
            ellipsis = True
        elif i is not None and not isinstance(i, bool):
            consumed += len(_shape_of(i)) if _is_mask(i) else 1
    ndim = len(t._aval.shape)
    if consumed > ndim:
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    if not ellipsis:
        items.append(Ellipsis)
    dim, view, advanced = 0, t, []
    for i in items:
        if isinstance(i, list | tuple | range | str | bytes | np.ndarray):
            i = _index_data(i)
        if i is Ellipsis:
            dim += ndim - consumed
        elif i is None:
            view = _unsqueezed(view, dim)
            dim += 1
        elif isinstance(i, slice):
            view = _slice(view, dim, i)
            dim += 1
        elif isinstance(i, bool) or (isinstance(i, Tensor) and not i._aval.shape and _is_mask(i)):
            view = _unsqueezed(view, dim)
            advanced.append((dim, np.zeros(int(bool(i)), np.int64)))
            dim += 1
        elif isinstance(i, Tensor) and not i._aval.shape and i._aval.dtype.category == 1 and not _known(i):
            view = apply_view(OPS["_select_at"], (dim,), view, (_as_it_is_now(i),))
        elif is_whole(i) or (isinstance(i, Tensor) and not i._aval.shape and i._aval.dtype.category == 1):
            at = int(i) if not isinstance(i, Tensor) else i.__index__()  # type: ignore[attr-defined]
            view = selected(view, dim, _wrapped(at, dim, _size(view, dim)))
        elif isinstance(i, Tensor | np.ndarray):
            advanced.append((dim, i))
            dim += len(_shape_of(i)) if _is_mask(i) else 1
        else:
            overrides.meet(i)
            raise IndexError(
                "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
                f"(got {type(i).__name__})"
            )
    return view, advanced


_PLAIN = frozenset((int, slice, type(None), type(...)))


def _plain_part(t: Tensor, index: tuple, unused: int) -> Tensor:  # hot path
    """The same of an index that has nothing but ints, slices, None and one Ellipsis, which stands for `unused` dims."""
    dim = 0
    for i in index:
        if i.__class__ is slice:
            t = _slice(t, dim, i)
            dim += 1
        elif i.__class__ is int:
            t = selected(t, dim, _wrapped(i, dim, t._aval.shape[dim]))
        elif i is None:
            t = _unsqueezed(t, dim)
            dim += 1
        else:
            dim += unused
    return t


def _unsqueezed(t: Tensor, dim: int) -> Tensor:
    return apply_view(OPS["unsqueeze"], (dim,), t)


def _known(i: Tensor) -> bool:
    """Whether an index tensor's value is at hand, so that it may be read; a pending one stays an input of the view."""
    return read(i).array is not None


def _as_it_is_now(i: Tensor) -> Tensor:
    """An index that a view keeps: later writes to `i` do not move the view."""
    return make_tensor(read(i), i._cell.level)


def _shape_of(x: Any) -> tuple[int, ...]:
    return x._aval.shape if isinstance(x, Tensor) else x.shape


def _size(view: Tensor, dim: int) -> int:
    shape = view._aval.shape
    if dim >= len(shape):  # behind a mask that came as a list, and was counted as one index
        raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
    return shape[dim]


def _slice(view: Tensor, dim: int, s: slice) -> Tensor:
    start, stop, step = s.start, s.stop, s.step
    if step is None:
        if start is stop is None:
            return view
        n = _size(view, dim)
        first, last = 0 if start is None else start, n if stop is None else stop
        if first.__class__ is last.__class__ is int and 0 <= first <= last <= n:
            return sliced(view, dim, first, last - first)
    if step is not None or start.__class__ not in _BOUNDS or stop.__class__ not in _BOUNDS:
        _check_slice(s)
    start, stop, step = s.indices(_size(view, dim))
    return sliced(view, dim, start, len(range(start, stop, step)), step)


_BOUNDS = frozenset((int, type(None)))


def _check_slice(s: slice) -> None:
    # torch looks at start and stop first, but after a start of -1 not at stop
    last = isinstance(s.start, int) and s.start == -1
    slice(s.start, None if last else s.stop).indices(0)
    if s.indices(0)[2] < 0:
        raise ValueError("step must be greater than zero")


def _as_tensor(x: Any) -> Tensor:
    if isinstance(x, Tensor):
        return x
    return from_array(np.array(x), on=ANY)


def _check_mask(viewed: Tensor, mask: Tensor, dim: int) -> None:
    have = viewed._aval.shape[dim : dim + len(mask._aval.shape)]
    if len(have) < len(mask._aval.shape):
        raise IndexError(f"too many indices for tensor of dimension {len(viewed._aval.shape)}")
    if have != mask._aval.shape:
        bad = next(i for i, (a, b) in enumerate(zip(mask._aval.shape, have)) if a != b)
        raise IndexError(
            f"The shape of the mask {list(mask._aval.shape)} at index {bad} does not match the shape of the indexed tensor "
            f"{list(viewed._aval.shape)} at index {dim + bad}"
        )


def resolve(viewed: Tensor, advanced: list[tuple[int, Any]]) -> tuple[tuple[int, ...], list[Tensor]]:
    """Dims and integer index tensors; a mask becomes one index tensor for each of its dims."""
    dims: list[int] = []
    indices: list[Tensor] = []
    shape = viewed._aval.shape
    given: list[tuple[int, Tensor]] = []
    for dim, i in advanced:
        i = _as_tensor(i)
        if _is_mask(i):
            if i._aval.dtype is dtypes.uint8:
                advise(
                    "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.",
                    once=False,
                )
            _check_mask(viewed, i, dim)
            for k, where in enumerate(np.nonzero(values_of(i, VMAP_MASK))):
                dims.append(dim + k)
                indices.append(from_array(where, on=ANY))
        else:
            if dim >= len(shape):
                raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
            if i._aval.dtype.name not in ("int32", "int64") and (
                i._aval.shape or i._aval.dtype.category != 1
            ):
                raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
            given.append((dim, i))
            dims.append(dim)
            indices.append(i if i._aval.dtype.name in ("int32", "int64") else i.long())  # type: ignore[attr-defined]
    if not any(0 in i._aval.shape for i in indices):  # otherwise torch looks at no index
        for dim, i in given:
            if 0 not in shape or shape[dim] == 0:
                check_indices(i, shape[dim], dim, negative=True)
    on = viewed._aval.device
    return tuple(dims), [i if i._aval.device in (on, ANY) else to_device(i, on) for i in indices]


def check_indices(i: Tensor, size: int, dim: int, negative: bool = False) -> None:
    """Raises torch's IndexError for an index tensor that is out of range, when its values are at hand on the host.

    Others cannot be seen before the program runs: the error comes when a value is read (see lazy/breaches.py).
    """
    values = outside(i, -size if negative else 0, size)
    if values is not None:
        high = int(values.max())
        bad = high if high >= size else int(values.min())
        raise IndexError(f"index {bad} is out of bounds for dimension {dim} with size {size}")


def masked_select(t: Tensor, mask: Tensor) -> Tensor:
    """The elements of t where mask is True (both broadcast together), as a 1-d tensor; the mask is read at once."""
    if mask._aval.dtype.name != "bool":
        raise RuntimeError(f"masked_select: expected BoolTensor for mask, but got {mask._aval.dtype}")
    shape = broadcast_shapes(t._aval.shape, mask._aval.shape)
    return getitem(t.expand(shape), mask.expand(shape))  # type: ignore[attr-defined]
