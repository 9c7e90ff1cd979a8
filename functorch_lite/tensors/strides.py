"""Tensors by strides: views of a storage, and tensors that are made to show other parts of one."""

from __future__ import annotations

import functools
import math
import operator
import warnings
from collections.abc import Sequence
from typing import Any

from .._core.api import (
    OPS,
    Leaf,
    SymInt,
    Tensor,
    UntypedStorage,
    apply_view,
    check_memory_format,
    check_writable,
    composite,
    contiguous_strides,
    flat_as,
    geometry_of,
    read,
    shown,
    signs_of,
    spread_size,
    stretch_in_elements,
    strided_only,
)
from .._core.api import dtype as DType
from .._core.api import functions as torch
from .create import plain_dtype
from .views_in_place import become, has_aliases


def _storage_of(
    input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset
) -> tuple[Tensor, int]:
    """The tensor that holds a view's whole storage, and where in it a view by strides begins.

    A view that is a leaf, whose gradient its base knows nothing of, stands for its part of the storage."""
    if not input._lenses:
        return input, storage_offset or 0
    found = geometry_of(input)
    base = input._root
    assert base is not None
    own_leaf = input._edge is not None and (base._edge is None or type(input._edge[0]) is Leaf)
    if own_leaf and found is not None and found[0] == contiguous_strides(input._aval.shape):
        first = 0 if storage_offset is None else storage_offset - found[1]
        last = first + sum((n - 1) * s for n, s in zip(size, stride))
        if 0 <= first <= last < math.prod(input._aval.shape):
            return input, first
    if found is None or base._lenses or own_leaf or signs_of(input) != (False, False):
        raise NotImplementedError(
            "as_strided() of a view whose place in its storage is not followed; use as_strided() of its base, or clone() it"
        )
    offset = found[1] if storage_offset is None else storage_offset + stretch_in_elements(input)[0]
    return base if base._aval.dtype is input._aval.dtype else flat_as(base, input._aval.dtype), offset


@composite(method=True)
def as_strided(
    input: Tensor, size: tuple[int, ...], stride: tuple[int, ...], storage_offset: SymInt | None = None
) -> Tensor:
    """The view of the elements at `storage_offset + sum(i * stride)` of the storage of `input`.

    >>> torch.arange(6).as_strided((2, 2), (1, 2))
    tensor([[0, 2],
            [1, 3]])
    """
    base, offset = _storage_of(input, size, stride, storage_offset)
    return apply_view(OPS["as_strided"], (tuple(size), tuple(stride), offset), base)


@composite(method=True)
def as_strided_(
    input: Tensor, size: tuple[int, ...], stride: tuple[int, ...], storage_offset: SymInt | None = None
) -> Tensor:
    """as_strided in place: the tensor itself becomes the view.

    >>> torch.arange(6).as_strided_((2, 2), (3, 1))
    tensor([[0, 1],
            [3, 4]])
    """
    if not input._lenses:
        return become(input, OPS["as_strided"], (tuple(size), tuple(stride), storage_offset or 0), keep=True)
    view = as_strided(input, size, stride, storage_offset)
    check_writable(input)
    for name in ("_lenses", "_root", "_seen", "_value", "_aval", "_edge"):
        setattr(input, name, getattr(view, name))
    return input


def _laid_out(input: Tensor) -> tuple[Tensor, int]:
    """A copy of input in a storage like its own, and where in that it begins."""
    if not input._lenses:
        return input.clone(), 0  # type: ignore[attr-defined]
    found, base = geometry_of(input), input._root
    if found is None or base is None or base._lenses or base._aval.dtype is not input._aval.dtype:
        raise NotImplementedError(
            "as_strided_scatter() of a view whose place in its storage is not followed; clone() it"
        )
    storage = torch.zeros(math.prod(base._aval.shape), dtype=input.dtype, device=input.device)
    out = as_strided(storage, tuple(input.shape), *found)
    out.copy_(input)  # type: ignore[attr-defined]
    return out, found[1]


@composite(method=True)
def as_strided_scatter(
    input: Tensor,
    src: Tensor,
    size: tuple[int, ...],
    stride: tuple[int, ...],
    storage_offset: SymInt | None = None,
) -> Tensor:
    """A copy of input with src written through the view `as_strided(size, stride, storage_offset)` of it.

    Same shape and dtype as input.

    >>> torch.as_strided_scatter(torch.zeros(4), torch.ones(2), (2,), (2,))
    tensor([1., 0., 1., 0.])
    """
    out, at = _laid_out(input)
    view = as_strided(out, size, stride, at if storage_offset is None else storage_offset)
    if view.shape != src.shape:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src.shape)}, slice size = "
            f"{list(view.shape)}"
        )
    view.copy_(src)  # type: ignore[attr-defined]
    return out


@composite(namespace="Tensor", method=True)
def set_(
    self: Tensor,
    source: Any = None,
    storage_offset: int = 0,
    size: tuple[int, ...] | None = None,
    stride: tuple[int, ...] | None = None,
) -> Tensor:
    """Makes the tensor show what `source` holds: a tensor, or a storage, all of it or what size, stride and offset
    select.

    Without a source the tensor becomes empty. Raises RuntimeError if the dtypes differ; a storage without a dtype is
    taken for one of the tensor's.

    >>> torch.empty(0).set_(torch.arange(6.).untyped_storage(), 1, (2, 2), (2, 1))
    tensor([[1., 2.],
            [3., 4.]])
    """
    check_writable(self)
    untyped = getattr(source, "_untyped", source)
    if source is None:
        source = torch.empty(0, dtype=self.dtype, device=self.device)
    elif isinstance(untyped, UntypedStorage):
        if untyped is not source and source.dtype is not self.dtype:
            raise RuntimeError(
                f"Expected a Storage of type {self.dtype.cpp_name} or an UntypedStorage, but got type "
                f"{source.dtype.scalar_name} for argument 1 'storage'"
            )
        source = shown(untyped, self.dtype)
        if size is None and storage_offset:
            raise TypeError("set_(): storage_offset needs a size")
    elif not isinstance(source, Tensor):
        raise TypeError(f"set_(): argument 'source' must be Tensor or Storage, not {type(source).__name__}")
    if source.dtype is not self.dtype:
        raise RuntimeError(
            f"Could not set tensor of type {source.dtype.cpp_name} to a tensor of type {self.dtype.cpp_name}"
        )
    if size is not None:
        if not source.is_contiguous():  # type: ignore[attr-defined]
            raise RuntimeError("passed in tensor to be used as storage must be contiguous")
        stride = contiguous_strides(tuple(size)) if stride is None else stride
        first = storage_offset + source.storage_offset()  # type: ignore[attr-defined]
        last = first + sum([(n - 1) * step for n, step in zip(size, stride)])
        room = stretch_in_elements(source)[1]
        if 0 not in size and room <= last < source._cell.value.aval.nbytes // self.dtype.itemsize:
            raise RuntimeError("Trying to resize storage that is not resizable")
        source = as_strided(source, size, stride, first)
    self.data = source
    return self


@composite(method=True)
def resize_(input: Tensor, *spread, size=None, memory_format=None) -> Tensor:
    """Gives the tensor another size: the first elements of its storage, which grows with zeros where it is too small.

    Any number of elements; RuntimeError for a tensor that requires grad.

    >>> torch.arange(4).resize_(2, 2)
    tensor([[0, 1],
            [2, 3]])
    """
    shape = spread_size(spread, size, "resize_", "size", 2)
    check_memory_format("resize_", memory_format, len(shape))
    if input._edge is not None:
        raise RuntimeError("cannot resize variables that require grad")
    count = math.prod(shape)
    found = geometry_of(input)
    if found is None:
        raise NotImplementedError(
            "resize_() of a view whose place in its storage is not followed; clone() it"
        )
    strides = contiguous_strides(shape)
    room = input._cell.value.aval
    if found[1] + count <= math.prod(room.shape) and room.dtype is input._aval.dtype:
        return input if input.shape == shape else as_strided_(input, shape, strides, found[1])
    if input._lenses or has_aliases(input):
        raise NotImplementedError(
            "resize_(): storage that other tensors see cannot grow; make a new tensor of the size and copy into it"
        )
    grown = torch.cat(
        [input.reshape(-1), torch.zeros(count - input.numel(), dtype=input.dtype, device=input.device)]
    )
    made = grown.reshape(shape)
    input._cell.value, input._aval = read(made), made._aval
    return input


@composite(method=True)
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format=None) -> Tensor:
    """resize_ to another tensor's size.

    >>> torch.arange(4).resize_as_(torch.ones(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    check_memory_format("resize_as_", memory_format, the_template.ndim)
    return resize_(input, tuple(the_template.shape))


def _as_size(input: Tensor, name: str, sizes) -> Tensor:
    warnings.warn(f"non-inplace {name} is deprecated", stacklevel=3)
    count = functools.reduce(operator.mul, sizes, 1)
    if input.numel() != count:
        wanted, found = ("x".join(map(str, s)) for s in (sizes, input.shape))
        raise RuntimeError(
            f"requested resize to {wanted} ({count} elements in total), but the given tensor has a size of {found} "
            f"({input.numel()} elements). autograd's resize can only change the shape of a given tensor, while preserving the "
            "number of elements. "
        )
    return input.contiguous().view(*sizes)


@composite(namespace="Tensor", method=True)
def resize(self: Tensor, *sizes) -> Tensor:
    """The tensor with another shape of as many elements. Deprecated: use reshape.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.arange(4).resize(2, 2)
    tensor([[0, 1],
            [2, 3]])
    """
    return _as_size(self, "resize", sizes)


@composite(namespace="Tensor", method=True)
def resize_as(self: Tensor, tensor: Tensor) -> Tensor:
    """The tensor with another's shape, which has as many elements. Deprecated: use reshape_as.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.arange(4).resize_as(torch.ones(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    return _as_size(self, "resize_as", tensor.size())


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

    The shape is `size`; the dtype is the default one unless given.

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

    RuntimeError if `physical_layout` is not a permutation of the dims.

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
