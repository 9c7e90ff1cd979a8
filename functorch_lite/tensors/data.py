"""Tensors of data: Python numbers and nested sequences, numpy arrays, buffers, files, and what speaks DLPack.

The shape of a nested sequence is read along the first elements; every other one must fit it. Numbers must fit the
dtype: nothing wraps around.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import jax
import numpy as np

from .._core.api import (
    Tensor,
    UntypedStorage,
    advise,
    bind,
    check_number,
    check_pinning,
    composite,
    converted_numbers,
    dtypes,
    forked,
    from_array,
    is_numpys,
    is_python_number,
    number_dtype,
    plain_number,
    promote_types,
    refuse_pytorchs,
    strided_only,
    to_device,
    values_of,
)
from .._core.api import devices as devices
from .._core.api import dtype as DType
from .create import finish, plain_dtype


@composite
def tensor(data, *, dtype=None, device=None, requires_grad: bool = False, pin_memory=False) -> Tensor:
    """A new leaf tensor with a copy of `data`: numbers, nested sequences, numpy arrays.

    >>> torch.tensor([[1., 2.], [3., 4.]])
    tensor([[1., 2.],
            [3., 4.]])
    """
    check_pinning(pin_memory)
    if isinstance(data, Tensor):
        advise(_COPY.format("torch.tensor"), once=False)
    if isinstance(data, UntypedStorage):
        numbers = data.numbers(plain_dtype(dtype))
        return finish(from_array(numbers), data.device if device is None else device, requires_grad)
    if isinstance(getattr(data, "_untyped", None), UntypedStorage):
        data = bind.functions.empty(0, dtype=dtype).set_(data).clone()
    return _made(data, dtype, device, requires_grad)


_COPY = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than {}(sourceTensor)."
)


def _made(data: Any, dtype: Any, device: Any, requires_grad: bool) -> Tensor:
    d = None if dtype is None else plain_dtype(dtype)
    return finish(from_array(array_of(data, d)), device, requires_grad)


@composite
def as_tensor(data, *, dtype=None, device=None) -> Tensor:
    """`data` as a tensor; the tensor itself when it is one with that dtype and device.

    >>> torch.as_tensor([1, 2])
    tensor([1, 2])
    """
    if isinstance(data, Tensor):
        return data.to(dtype=dtype, device=device)
    return tensor(data, dtype=dtype, device=device)


@composite
def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad: bool | None = None) -> Tensor:
    """`obj` as a tensor, without a copy where it is one already (copy=True forces one; copy=False raises where one is
    made).

    requires_grad: of the result, be it `obj` itself; None: as `obj` does.

    >>> torch.asarray([1., 2.])
    tensor([1., 2.])
    """
    if isinstance(obj, Tensor):
        out = obj.to(dtype=dtype, device=device)
        out = out.clone() if copy and out is obj else out
        if copy is False and out is not obj:
            raise ValueError(
                f"can't alias tensor with dtype '{obj.dtype.scalar_name}' into dtype '{out.dtype.scalar_name}'."
            )
        if requires_grad is None and obj.requires_grad:
            advise(_LEFT_OUT)
        if requires_grad is None or out.requires_grad == requires_grad:
            return out
        return out.requires_grad_(True) if requires_grad else _without_grad(out, of=obj)
    if copy is False:
        raise ValueError(
            f"asarray(): copy=False is not possible here: tensors do not share memory with a {type(obj).__name__}"
        )
    return tensor(obj, dtype=dtype, device=device, requires_grad=requires_grad is True)


def _without_grad(t: Tensor, of: Tensor) -> Tensor:
    return t.requires_grad_(False) if t is of and t.is_leaf else t.detach()


_LEFT_OUT = (
    "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. "
    "Pass requires_grad=False explicitly to get the old behavior and silence this warning."
)


@composite(namespace="Tensor", method=True)
def new_tensor(self, data, *, dtype=None, device=None, requires_grad: bool = False) -> Tensor:
    """torch.tensor with this tensor's dtype and device.

    >>> torch.ones(2, dtype=torch.float64).new_tensor([1, 2])
    tensor([1., 2.], dtype=torch.float64)
    """
    if isinstance(data, Tensor):
        advise(_COPY.format("tensor.new_tensor"), once=False)
    return _made(
        data, self.dtype if dtype is None else dtype, self.device if device is None else device, requires_grad
    )


@composite
def scalar_tensor(
    s, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False
) -> Tensor:
    """A 0-d tensor of a Python number, floating point unless dtype says otherwise.

    >>> torch.scalar_tensor(3)
    tensor(3.)
    """
    strided_only(layout, pin_memory)
    d = plain_dtype(dtype)
    if is_numpys(s) or (isinstance(s, Tensor) and not s.ndim):
        s = s.item()
    if not isinstance(s, int | float | complex):
        refuse_pytorchs(s)
        raise TypeError(f"scalar_tensor(): argument 's' (position 1) must be Number, not {type(s).__name__}")
    check_number(s, d)
    return finish(tensor(s, dtype=d), device, requires_grad)


@composite
def from_numpy(ndarray) -> Tensor:
    """A tensor with the values of a numpy array. The memory is not shared: later writes to the array are not seen.

    Same shape and dtype; TypeError for dtypes that no tensor has.

    Args:
        ndarray: a NumPy array.

    >>> torch.from_numpy(np.array([1, 2, 3]))
    tensor([1, 2, 3])
    """
    if not isinstance(ndarray, np.ndarray):
        refuse_pytorchs(ndarray)
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    dtypes.from_numpy(ndarray.dtype)
    return from_array(np.array(ndarray))


@composite
def from_dlpack(ext_tensor, *, device=None, copy: bool | None = None) -> Tensor:
    """A tensor with the values of an object that speaks DLPack (jax, numpy, torch, cupy).

    The memory is not shared: copy=False raises."""
    if copy is False:
        raise ValueError("from_dlpack(): copy=False is not possible here: tensors do not share memory")
    if forked.here.child:
        forked.refuse("from_dlpack")
    with jax.enable_x64(True):
        made = from_array(jax.numpy.array(jax.dlpack.from_dlpack(_exporter(ext_tensor))))
    return made if device is None else to_device(made, devices.resolve(device))


def _exporter(given: Any) -> Any:
    """Returns an object that speaks DLPack: the argument, or, of a capsule as `to_dlpack` makes, one in the CPU's
    memory."""
    if type(given).__name__ != "PyCapsule":
        return given
    on_cpu = (1, 0)  # kDLCPU in dlpack.h
    return SimpleNamespace(__dlpack__=lambda **_: given, __dlpack_device__=lambda: on_cpu)


@composite
def to_dlpack(tensor: Tensor) -> Any:
    """A DLPack capsule of the tensor, for libraries that take one (once)."""
    return tensor.__dlpack__()  # type: ignore[attr-defined]


@composite
def frombuffer(
    buffer, *, dtype: dtypes.dtype, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """A 1-d tensor of the bytes of a buffer. They are copied: later writes to the buffer are not seen.

    >>> torch.frombuffer(bytearray([1, 0, 2, 0]), dtype=torch.int16)
    tensor([1, 2], dtype=torch.int16)
    """
    try:
        data = memoryview(buffer).cast("B")
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    length, item = len(data), dtype.itemsize
    if length == 0 or count == 0:
        raise ValueError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({length} bytes) minus 1"
        )
    if count < 0:
        if (length - offset) % item:
            raise ValueError(
                f"buffer length ({length - offset} bytes) after offset ({offset} bytes) must be a multiple of element size ({item})"
            )
        count = (length - offset) // item
    if offset + count * item > length:
        raise ValueError(
            f"requested buffer length ({count} * {item} bytes) after offset ({offset} bytes) must not be greater than actual "
            f"buffer length ({length} bytes)"
        )
    array = np.frombuffer(bytes(data[offset : offset + count * item]), dtype=dtype.np)
    return from_array(np.array(array), requires_grad)


@composite
def from_file(
    filename,
    shared: bool | None = None,
    size: int = 0,
    *,
    dtype=None,
    layout=None,
    device=None,
    pin_memory=False,
) -> Tensor:
    """A 1-d tensor of the first `size` elements of a file. They are read, not mapped: shared=True is not supported.

    1-d, of the default dtype or that given; RuntimeError for a file with fewer elements.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as f:
    ...     _ = f.write(np.float32([1, 2]).tobytes()); f.flush()
    ...     torch.from_file(f.name, size=2)
    tensor([1., 2.])
    """
    strided_only(layout, pin_memory)
    if shared:
        raise NotImplementedError(
            "from_file(shared=True): tensors here do not write to files; use numpy.memmap"
        )
    d = plain_dtype(dtype)
    with open(filename, "rb") as file:
        data = file.read(size * d.itemsize)
    if len(data) < size * d.itemsize:
        raise RuntimeError(
            f"from_file: {filename} has {len(data)} bytes, {size} elements of {d} need {size * d.itemsize}"
        )
    return finish(from_array(np.frombuffer(data, dtype=d.np).copy()), device, False)


# -- Python data as numpy arrays ---------------------------------------------------------------------------------------


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
    """Returns whether x is read element by element: a list, a tuple, an object with a length and items (a deque), an
    array with dims."""
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
    """Returns the dtype of a tensor of these leaves: bool, int64, the default dtype or its complex one for Python
    numbers; a leaf with a dtype brings it."""
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
