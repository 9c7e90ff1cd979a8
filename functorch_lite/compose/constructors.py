"""Older ways to make tensors: torch.Tensor(2, 3), torch.FloatTensor([1.0]); from buffers and files; by strides."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.api import (
    OPS,
    Size,
    Tensor,
    UntypedStorage,
    apply_view,
    composite,
    contiguous_strides,
    dtypes,
    from_array,
    strided_only,
    to_size,
)
from .._core.api import dtype as DType
from .._core.api import functions as torch
from .creation import finish, plain_dtype, tensor

__all__ = ["construct"]


def construct(kind: dtypes.dtype | None, device: Any, args: tuple) -> Tensor:
    """What `torch.FloatTensor(*args)` makes: of sizes, of a sequence, of a tensor (which it aliases), or an empty tensor."""
    d = dtypes.default_dtype() if kind is None else kind
    if not args:
        return torch.empty(0, dtype=d, device=device)
    first = args[0]
    if isinstance(first, Tensor) and len(args) == 1 and not (first.ndim == 0 and first.dtype.category <= 1):
        if kind is not None and first.dtype is not kind:
            raise TypeError(f"expected a tensor of {kind} (got {first.dtype})")
        return first.detach()
    if isinstance(first, Size) and len(args) == 1:
        return torch.empty(first, dtype=d, device=device)
    if isinstance(first, float | complex):
        raise TypeError(f"new(): data must be a sequence (got {type(first).__name__})")
    if isinstance(first, list | tuple | np.ndarray | range) and len(args) == 1:
        return tensor(first, dtype=d, device=device)
    return torch.empty(to_size(args, "new", "size", 1), dtype=d, device=device)


def _new_tensor(cls, *args, device=None, **kwargs):
    if cls is not Tensor:
        data = args[0] if args and isinstance(args[0], Tensor) else construct(None, device, args)
        return Tensor._make_subclass(cls, data.detach())  # type: ignore[attr-defined]
    return construct(None, device, args)


Tensor.__new__ = staticmethod(_new_tensor)  # type: ignore[method-assign]
Tensor.__init__ = lambda self, *args, **kwargs: None  # type: ignore[method-assign]


@composite(namespace="Tensor", method=True)
def new(self: Tensor, *args, size=None, device=None) -> Tensor:
    """A tensor of this dtype and device, of sizes, of data or of a storage: `x.new(2, 3)`, `x.new([1, 2])`, `x.new(y.storage())`.

    >>> torch.ones(2).new([1, 2])
    tensor([1., 2.])
    """
    if size is not None:
        args = (*args, Size(size))
    if len(args) == 1 and isinstance(getattr(args[0], "_untyped", args[0]), UntypedStorage):
        return self.new_empty(0).set_(args[0])  # type: ignore[attr-defined]
    return construct(self.dtype, self.device if device is None else device, args)


# -- from memory -----------------------------------------------------------------------------------------------------


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
def to_dlpack(tensor: Tensor) -> Any:
    """A DLPack capsule of the tensor, for libraries that take one (once)."""
    return tensor.__dlpack__()  # type: ignore[attr-defined]


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


# -- by strides ------------------------------------------------------------------------------------------------------


def _strided(size: tuple, stride: tuple, dtype, device, requires_grad: bool) -> Tensor:
    if len(size) != len(stride):
        raise RuntimeError(
            f"mismatch in length of strides and shape: sizes {list(size)}, strides {list(stride)}"
        )
    d = plain_dtype(dtype)
    if tuple(stride) == contiguous_strides(size):
        return torch.zeros(size, dtype=d, device=device, requires_grad=requires_grad)
    room = 0 if 0 in size else 1 + sum((n - 1) * s for n, s in zip(size, stride))
    base = torch.zeros(room, dtype=d, device=device)
    view = apply_view(OPS["as_strided"], (tuple(size), tuple(stride), 0), base)
    return view.requires_grad_(requires_grad)  # type: ignore[attr-defined]


@composite
def empty_strided(
    size: tuple[int, ...],
    stride: tuple[int, ...],
    *,
    dtype: DType | None = None,
    layout=None,
    device=None,
    requires_grad=False,
    pin_memory=False,
) -> Tensor:
    """A tensor of zeros with these strides (a view by strides of contiguous storage).

    Of shape `size`, and the default dtype or that given.

    >>> torch.empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    strided_only(layout, pin_memory)
    return _strided(size, stride, dtype, device, requires_grad)


@composite(namespace="Tensor", method=True)
def new_empty_strided(
    self: Tensor,
    size: tuple[int, ...],
    stride: tuple[int, ...],
    *,
    dtype: DType | None = None,
    layout=None,
    device=None,
    requires_grad=False,
    pin_memory=False,
) -> Tensor:
    """torch.empty_strided with this tensor's dtype and device.

    >>> torch.ones(2).new_empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    strided_only(layout, pin_memory)
    return _strided(
        size,
        stride,
        self.dtype if dtype is None else dtype,
        self.device if device is None else device,
        requires_grad,
    )


@composite
def empty_permuted(
    size, physical_layout, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """A tensor of zeros whose dims lie in memory in the order `physical_layout`, outermost first.

    RuntimeError where `physical_layout` is no permutation of the dims.

    >>> torch.empty_permuted((2, 3, 4), (0, 2, 1)).stride()
    (12, 1, 3)
    """
    strided_only(layout, pin_memory)
    size, order = tuple(size), tuple(physical_layout)
    if len(size) != len(order):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
            f"{len(size)} is not equal to len(physical_layout) = {len(order)}"
        )
    for d in order:
        if not 0 <= d < len(size):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(size) - 1}, but got {d})"
            )
        if order.count(d) > 1:
            raise RuntimeError("Duplicate dim not allowed")
    inner = contiguous_strides([size[d] for d in order])
    strides = [0] * len(size)
    for d, s in zip(order, inner):
        strides[d] = s
    return _strided(size, tuple(strides), dtype, device, requires_grad)
