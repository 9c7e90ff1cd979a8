"""Memory of a tensor, as PyTorch would have it: strides, offset, contiguity, its storage.

XLA chooses where and how arrays lie, and a storage here is a Cell; `memory.py` says what its address is.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..declare.op import OPS
from ..lazy.apply import apply_view
from ..lazy.dependence import check_storage
from ..lazy.levels import values_of
from ..lazy.strides import contiguous_strides, geometry_of, lies_in, strides_of
from ..lazy.tensor import Cell, Tensor, make_tensor
from ..lazy.value import concrete
from ..run.executor import force_array
from ..words import dtypes
from ..words.device import CPU, device, is_available, resolve
from ..words.errors import wrap_dim
from ..words.memory_format import check_memory_format, contiguous_format, memory_format, preserve_format
from .gate import wrong_type
from .memory import address
from .methods import attach, copied_base, set_property

__all__ = ["UntypedStorage", "flat_as", "shown", "stretch_in_elements"]


class layout:
    """A memory layout: `strided`, or one of the sparse ones.

    >>> torch.ones(2).layout
    torch.strided
    """

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self):
        return self.name


strided = layout("strided")
sparse_coo = layout("sparse_coo")
sparse_csr = layout("sparse_csr")
sparse_csc = layout("sparse_csc")
sparse_bsr = layout("sparse_bsr")
sparse_bsc = layout("sparse_bsc")
jagged = layout("jagged")


def check_pinning(pin_memory: Any) -> None:
    """RuntimeError for `pin_memory=True` where there is no accelerator to pin memory for, as in PyTorch.

    Where there is one, XLA manages it."""
    if pin_memory.__class__ is not bool and pin_memory is not None:
        raise wrong_type(pin_memory, "bool", "", "pin_memory")
    if pin_memory and not is_available("cuda"):
        raise RuntimeError(
            "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available on this system."
        )


def strided_only(x: layout | None, pin_memory: Any = False) -> None:
    """Checks `layout=` and `pin_memory=` where tensors are made of numbers, which makes strided ones:
    NotImplementedError for any other layout."""
    if pin_memory is not False:
        check_pinning(pin_memory)
    if x is not None and x is not strided:
        if not isinstance(x, layout):
            raise wrong_type(x, "torch.layout", "", "layout")
        raise NotImplementedError(
            f"layout={x} is not here: make the tensor, then call its to_sparse(layout={x})"
        )


LAYOUTS = (strided, sparse_coo, sparse_csr, sparse_csc, sparse_bsr, sparse_bsc, jagged)


# -- storage ---------------------------------------------------------------------------------------------------------


class UntypedStorage:
    """torch.UntypedStorage: the bytes that tensors which alias each other share, or a stretch of them.

    It can be asked, copied, not written to.

    Args:
        of: the number of bytes, which are zeros, or the bytes. Default: 0.
        first: the first byte of the stretch. Default: 0.
        size: the number of bytes of the stretch. None (the default) means all.
        device: the device. None (the default) is the CPU.

    >>> storage = torch.ones(3).untyped_storage()
    >>> storage.size(), storage[4:8].tolist()
    (12, [0, 0, 128, 63])
    """

    def __init__(
        self,
        of: Cell | int | Sequence[int] = 0,
        first: int = 0,
        size: int | None = None,
        *,
        device: Any = None,
    ):
        """of: how many bytes, which are zeros, or the bytes; or, for the library, the Cell of tensors, `first` and
        `size` saying which stretch."""
        if not isinstance(of, Cell):
            made = np.zeros(of, np.uint8) if isinstance(of, int) else np.asarray(of, np.uint8)
            of = make_tensor(concrete(made, resolve(device)), 0)._cell
        self._cell = of
        self._first = first
        self._size = size

    @staticmethod
    def from_file(filename: Any, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
        """The first bytes of a file, which is read as they are asked for.

        RuntimeError where it cannot be read or is shorter; NotImplementedError for `shared`: storages are not written
        to.
        """
        name = os.fspath(filename)
        if shared:
            raise NotImplementedError(
                "from_file(shared=True): a storage cannot be written to here; use shared=False"
            )
        try:
            there = os.stat(name).st_size
            if there < nbytes:
                raise RuntimeError(
                    f"file <{name}> size <{there}> is smaller than the required mapping size <{nbytes}>"
                )
            found = np.memmap(name, np.uint8, "r", shape=(nbytes,)) if nbytes else np.empty(0, np.uint8)
        except OSError as e:
            raise RuntimeError(
                f"unable to open file <{name}> in read-only mode: {e.strerror} ({e.errno})"
            ) from None
        return UntypedStorage(make_tensor(concrete(found.view(np.ndarray), CPU), 0)._cell)

    @property
    def device(self) -> device:
        """Where the bytes are."""
        return self._cell.value.aval.device

    def nbytes(self) -> int:
        """The number of bytes."""
        return self._cell.value.aval.nbytes - self._first if self._size is None else self._size

    size = __len__ = nbytes

    def data_ptr(self) -> int:
        """The address of memory that holds the bytes, as they are now: see `Tensor.data_ptr`."""
        return address(self._cell) + self._first

    @property
    def _cdata(self) -> int:
        """A number that is another one for every storage."""
        return id(self._cell) + self._first

    def element_size(self) -> int:
        """1: bytes."""
        return 1

    def is_shared(self) -> bool:
        """False: memory is not shared between processes."""
        return False

    def tolist(self) -> list[int]:
        """The bytes."""
        return list(self._bytes())

    def untyped(self) -> UntypedStorage:
        """Itself."""
        return self

    def numbers(self, dtype: dtypes.dtype) -> np.ndarray:
        """A copy of the bytes, read as numbers of this dtype."""
        return np.frombuffer(bytearray(self._view()), dtype.np)

    def _view(self) -> memoryview:
        check_storage(self._whole())
        whole = np.ascontiguousarray(force_array(self._cell.value)).reshape(-1).view(np.uint8)
        return whole[self._first : self._first + self.nbytes()].data

    def _bytes(self) -> bytes:
        return bytes(self._view())

    def _whole(self) -> Tensor:
        """A tensor that shows all that the tensors share, in the dtype and shape that it was made with."""
        t = make_tensor(self._cell.value, self._cell.level)
        t._cell = self._cell
        return t

    def _tensor(self) -> Tensor:
        """A tensor that shows the bytes: all of them as `_whole` does."""
        t = self._whole()
        if self._size is None and not self._first:
            return t
        return t.view(-1).view(dtypes.uint8)[self._first : self._first + self.nbytes()]  # type: ignore[attr-defined]

    def clone(self) -> UntypedStorage:
        """Return a copy of the bytes, which no tensor shares."""
        return self.__deepcopy__({})

    def fill_(self, value: int) -> UntypedStorage:
        """Set every byte, and return the storage; tensors that share it show the change.

        Args:
            value: The byte, from 0 to 255.
        """
        self._whole().view(-1).view(dtypes.uint8)[self._first : self._first + self.nbytes()].fill_(value)  # type: ignore[attr-defined]
        return self

    def __deepcopy__(self, memo: dict) -> UntypedStorage:
        return UntypedStorage(copied_base(self._whole(), memo)._cell, self._first, self._size)

    def __getitem__(self, index: int | slice) -> int | UntypedStorage:
        if not isinstance(index, slice):
            return self._view()[index]
        first, end, step = index.indices(self.nbytes())
        if step != 1:
            raise RuntimeError(f"Trying to slice with a step of {step}, but only a step of 1 is supported")
        return UntypedStorage(self._cell, self._first + first, max(end - first, 0))

    def __eq__(self, other) -> bool:
        return isinstance(other, UntypedStorage) and other._key() == self._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[int, int, int | None]:
        return id(self._cell), self._first, self._size

    def __repr__(self) -> str:
        shown = "..." if self.device.type == "meta" else " " + "\n ".join(map(str, self.tolist()))
        return f"{shown}\n[torch.storage.UntypedStorage(device={self.device}) of size {self.nbytes()}]"


@attach()
def untyped_storage(self) -> UntypedStorage:
    """The storage that this tensor shares with its views.

    >>> torch.ones(3).untyped_storage().nbytes()
    12
    """
    return UntypedStorage(self._cell, *_stretch_of(self))


def shown(storage: UntypedStorage, dtype: dtypes.dtype) -> Tensor:
    """A tensor of one dim that shows a storage in this dtype, whole elements of it; its own storage is that one, be it
    a stretch."""
    whole = storage._whole()
    if storage._first or storage._size is not None:
        whole._more = {_STRETCH: (storage._first, storage.nbytes())}
    first, size = storage._first, dtype.itemsize
    if first % size:
        raise NotImplementedError(
            f"a tensor of {dtype} in a storage that begins at byte {first} of another, where none of its elements do"
        )
    return flat_as(whole, dtype)[first // size : (first + storage.nbytes()) // size]  # type: ignore[index]


def flat_as(whole: Tensor, dtype: dtypes.dtype) -> Tensor:
    """The view of all of a tensor that is no view, as whole elements of this dtype in one dim."""
    flat = whole.view(-1)  # type: ignore[attr-defined]
    left = whole._aval.nbytes % dtype.itemsize
    if left:
        flat = flat.view(dtypes.uint8)[:-left]
    return flat if flat.dtype is dtype else flat.view(dtype)


_STRETCH = "stretch"
"""Under this name the root of what `set_` made of a stretch of a storage keeps its first byte, and how many there
are."""


def _stretch_of(t: Tensor) -> tuple[int, int | None]:
    """Returns which bytes of its Cell's contents a tensor's storage is: (the first, how many); None for all."""
    root = t if t._root is None else t._root
    return (0, None) if root._more is None else root._more.get(_STRETCH, (0, None))


def stretch_in_elements(t: Tensor) -> tuple[int, int]:
    """The first element of a tensor's storage in what its Cell holds, and how many there are, of its dtype."""
    first, size = _stretch_of(t)
    size = t._cell.value.aval.nbytes - first if size is None else size
    return first // t._aval.dtype.itemsize, size // t._aval.dtype.itemsize


def _pointer(t: Tensor) -> int:
    """The address of a tensor's first element; 0 without elements, and on a mesh, where there is no one place in
    memory."""
    if not t.numel():  # type: ignore[attr-defined]
        return 0
    found = geometry_of(t)
    if found is None:
        raise NotImplementedError(
            "data_ptr() of a view whose place in its storage is not followed; clone() it, or use untyped_storage()"
        )
    return address(t._cell) + found[1] * t._aval.dtype.itemsize


@attach()
def data_ptr(self) -> int:
    """The address of the first element, in memory that holds the values of this moment: it may be read as long as the
    tensor lives.

    The memory is a copy, one for each storage. A later write to the tensor is there when an address is asked for again,
    which is the same one on a CPU; what is written to the memory itself, the tensor does not see. 0 of a tensor without
    elements, or on the meta device. RuntimeError inside a transform, for what it maps over or differentiates;
    NotImplementedError for a view that is not followed.

    >>> x = torch.ones(4)
    >>> x.data_ptr() == x.view(2, 2).data_ptr()
    True
    >>> import ctypes
    >>> np.frombuffer(ctypes.string_at(x[1:].data_ptr(), 12), np.float32).tolist()
    [1.0, 1.0, 1.0]
    """
    return _pointer(self)


@attach()
def const_data_ptr(self) -> int:
    """data_ptr().

    >>> x = torch.ones(4)
    >>> x.const_data_ptr() == x.data_ptr()
    True
    """
    return _pointer(self)


@attach()
def is_set_to(self, tensor) -> bool:
    """Returns whether both show the same elements of the same storage.

    >>> x = torch.ones(4)
    >>> x.is_set_to(x.view(4)), x.is_set_to(x[:2])
    (True, False)
    """
    mine, other = geometry_of(self), geometry_of(tensor)
    same = mine is not None and mine == other and self._aval.shape == tensor._aval.shape
    return self._cell is tensor._cell and (same or self._lenses == tensor._lenses)


@attach()
def share_memory_(self):
    """Raises NotImplementedError: processes do not share memory here, and what one writes the others do not see.

    >>> torch.ones(2).share_memory_()
    Traceback (most recent call last):
        ...
    NotImplementedError: share_memory_(): processes cannot share memory here; send copies, ...
    """
    raise NotImplementedError(
        "share_memory_(): processes cannot share memory here; send copies, or use threads, which share tensors"
    )


@attach()
def is_shared(self) -> bool:
    """False: see share_memory_.

    >>> torch.ones(2).is_shared()
    False
    """
    return False


@attach()
def pin_memory(self, device=None):
    """The tensor itself: XLA manages host memory.

    >>> torch.ones(2).pin_memory()
    tensor([1., 1.])
    """
    return self


@attach()
def is_pinned(self, device=None) -> bool:
    """False: see pin_memory.

    >>> torch.ones(2).is_pinned()
    False
    """
    return False


@attach()
def record_stream(self, stream) -> None:
    """Nothing: XLA keeps memory for as long as work that uses it is under way.

    >>> torch.ones(2).record_stream(torch.cuda.current_stream() if torch.cuda.is_available() else None)
    """


# -- geometry --------------------------------------------------------------------------------------------------------

set_property("layout", lambda t: strided)
set_property("itemsize", lambda t: t._aval.dtype.itemsize)
set_property("nbytes", lambda t: t._aval.nbytes)
set_property("_cdata", id)


@attach()
def element_size(self) -> int:
    """Bytes per element.

    >>> torch.ones(2, dtype=torch.float64).element_size()
    8
    """
    return self._aval.dtype.itemsize


@attach()
def stride(self, dim: int | None = None):
    """The strides PyTorch's tensor would have, in elements; contiguous ones for a view that is not followed.

    >>> torch.ones(2, 3).stride(), torch.ones(2, 3).t().stride(0)
    ((3, 1), 1)
    """
    strides = strides_of(self) or contiguous_strides(self._aval.shape)
    return strides if dim is None else strides[wrap_dim(dim, len(strides))]


@attach()
def storage_offset(self) -> int:
    """How many elements of the storage lie before this tensor's first one.

    >>> torch.arange(6)[2:].storage_offset()
    2
    """
    found = geometry_of(self)
    if found is None:
        raise NotImplementedError("storage_offset() of a view whose place in its storage is not followed")
    return found[1] - stretch_in_elements(self)[0]


@attach()
def is_contiguous(self, memory_format=contiguous_format) -> bool:
    """Whether the elements lie in row-major order, or another format, as PyTorch would have them; views need not.

    >>> torch.ones(2, 3).is_contiguous(), torch.ones(2, 3).t().is_contiguous()
    (True, False)
    """
    _check_given("is_contiguous", memory_format)
    return lies_in(self, memory_format)


@attach()
def contiguous(self, memory_format=contiguous_format):
    """The tensor itself when its elements lie in this format, else a copy.

    Same shape and dtype.

    >>> torch.ones(2, 3).t().contiguous().stride()
    (2, 1)
    """
    _check_given("contiguous", memory_format)
    if memory_format is preserve_format and not lies_in(self, memory_format):
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    if lies_in(self, memory_format):
        return self
    check_memory_format("contiguous", memory_format, len(self._aval.shape))
    return self.clone()


def _check_given(name: str, given: Any) -> None:
    if not isinstance(given, memory_format):
        raise wrong_type(given, "torch.memory_format", name, "memory_format")


@attach()
def dim_order(self, *, ambiguity_check: bool | list = False) -> tuple[int, ...]:
    """The dims from the outermost in memory to the innermost.

    >>> torch.ones(2, 3, 4).dim_order()
    (0, 1, 2)
    """
    shape, strides = self._aval.shape, self.stride()

    def after(a: int, b: int) -> int:
        """Whether dim a lies outside of dim b in memory: 1, -1, or 0 when strides of 0 leave it open."""
        if not strides[a] or not strides[b]:
            return 0
        outer, inner = (strides[a], shape[a]), (strides[b], shape[b])
        return (outer > inner) - (strides[a] < strides[b])

    order = list(reversed(range(len(shape))))
    for i in range(1, len(order)):
        at = i
        for before in reversed(range(i)):
            how = after(order[before], order[at])
            if how > 0:
                order[before], order[at] = order[at], order[before]
                at = before
            elif how < 0:
                break
    return tuple(reversed(order))


# -- parts of complex numbers ----------------------------------------------------------------------------------------


def _part(name: str):
    def get(t: Tensor) -> Tensor:
        if name == "real" and not t._aval.dtype.is_complex:
            return t
        return apply_view(OPS[name], (), t)

    def put(t: Tensor, value) -> None:
        get(t).copy_(value)  # type: ignore[attr-defined]

    set_property(name, get, put, f"The {name} part of a complex tensor, as a view.")


_part("real")
_part("imag")


def storage_values(t: Tensor):
    """The elements of the whole storage of t, flat, as a numpy array."""
    v = t._cell.value
    if v.rec is not None and v.array is None and v.rec.level:
        return values_of(t)
    return force_array(v).reshape(-1)


__all__ += ["layout", "storage_values"]
