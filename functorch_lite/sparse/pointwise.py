"""Elementwise functions of sparse tensors: functions that map 0 to 0, and arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.api import (
    DisableTorchFunctionSubclass,
    Tensor,
    dtypes,
    op_called,
    sparse_bsc,
    sparse_bsr,
    sparse_csc,
    sparse_csr,
    strided,
    traits,
    values_of,
)
from .._core.api import functions as torch
from .compressed import SparseCompressed, from_grid
from .dispatch import further, handles
from .tensors import SparseCoo, SparseTensor, index_of, title, unsupported

__all__ = ["add", "join", "mul", "taken"]

_LINEAR = (
    "neg",
    "positive",
    "real",
    "imag",
    "conj",
    "conj_physical",
    "resolve_conj",
    "resolve_neg",
    "view_as_real",
    "view_as_complex",
)


def _by_values(name: str, linear: bool) -> None:
    def fn(input: Any, *args, **kwargs) -> Any:
        kwargs.pop("inplace", None)
        s = input if linear or isinstance(input, SparseCompressed) else input.coalesce()
        return s._with(getattr(torch, name)(s._numbers, *args, **kwargs))

    fn.__name__ = name
    handles(name, in_place=not linear or name in ("neg", "conj_physical"))(fn)


@further
def _of_zeros(name: str) -> None:
    """Notes what an op of this name does, if it treats each element of its one tensor by itself and gives 0 for 0."""
    op = op_called(name)
    if op is None or op.namespace != "torch" or traits.takes(op) != 1 or not traits.is_pointwise(op):
        return
    with DisableTorchFunctionSubclass():
        if not values_of(getattr(torch, op.name.rpartition(".")[2])(torch.zeros(()))).any():
            _by_values(name, linear=False)


for _name in _LINEAR:
    _by_values(_name, linear=True)


_CASTS = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "long": "int64", "int": "int32", "short": "int16",
    "char": "int8", "byte": "uint8", "bool": "bool", "cfloat": "complex64", "cdouble": "complex128",
}  # fmt: skip


def _cast_to(name: str, dtype: Any) -> None:
    def fn(self: Any, memory_format: Any = None) -> Any:
        return self.to(dtype)

    handles(name)(fn)


for _name, _to in _CASTS.items():
    _cast_to(_name, dtypes.DTYPES[_to])


@handles("type")
def _type(self: Any, dtype: Any = None, non_blocking: bool = False) -> Any:
    if dtype is not None:
        return self.to(dtype)
    return torch.zeros(0, dtype=self.dtype).type().replace("torch.", "torch.sparse.", 1)


@handles("type_as")
def _type_as(self: Any, other: Any) -> Any:
    return self.to(other.dtype)


@handles("to")
def _to_as(self: Any, *args, **kwargs) -> Any:
    """`dense.to(sparse)`: dtype and device of the other."""
    args = tuple([a.dtype if isinstance(a, SparseTensor) else a for a in args])
    return self.to(*args, **kwargs)


# -- arithmetic ------------------------------------------------------------------------------------------------------


def _number(x: Any) -> bool:
    return not isinstance(x, Tensor) or (not isinstance(x, SparseTensor) and x.ndim == 0)  # type: ignore[attr-defined]


def taken(s: Any, dense: Any) -> Any:
    """A dense tensor's elements where a sparse one holds some, in the shape of its values."""
    if isinstance(s, SparseCoo):
        full = dense.expand(tuple(s.shape))
        return full[tuple(s._index.unbind(0))] if s.sparse_dim() else full[None].expand(s._numbers.shape)
    grid = s._grid()
    full = dense.expand(tuple(s.shape))
    n = s._batch()
    if s._blocked():
        (height, width), (rows, columns) = s._block(), grid.shape[n : n + 2]
        full = full.reshape(*full.shape[:n], rows, height, columns, width, *full.shape[n + 2 :]).movedim(
            n + 2, n + 1
        )
    return full[tuple(grid._index.unbind(0))].reshape(s._numbers.shape)


def _same_size(name: str, a: Any, b: Any) -> None:
    if tuple(a.shape) != tuple(b.shape):
        raise RuntimeError(
            f"{name}: expected sizes of 'self' and 'other' to match, but {list(a.shape)} != {list(b.shape)}"
        )


@handles("mul", in_place=True)
def mul(input: Any, other: Any) -> Any:
    """The product, element by element: sparse if either is."""
    if not isinstance(input, SparseTensor):
        input, other = other, input
    if _number(other):
        return input._with(input._numbers * other)
    if not isinstance(other, SparseTensor):
        if input.ndim < other.ndim:
            unsupported("a product with a dense tensor of more dims")
        return input._with(input._numbers * taken(input, other))
    if input._same_pattern(other) and (isinstance(input, SparseCompressed) or input._coalesced):
        return input._with(input._numbers * other._numbers)
    _layouts_alike(input, other)
    if tuple(input.shape) != tuple(other.shape):
        raise RuntimeError(
            f"mul operands have incompatible sizes: {list(input.shape)} and {list(other.shape)}"
        )
    return _in_layout(_meet(_coordinates(input), _coordinates(other)), input)


@handles("div", in_place=True)
def div(input: Any, other: Any, *, rounding_mode: Any = None) -> Any:
    """The quotient by a number."""
    if not _number(other):
        raise RuntimeError(
            f"Sparse division requires a scalar or zero-dim dense tensor divisor (got shape {list(other.shape)} for divisor)"
        )
    if rounding_mode is not None and isinstance(input, SparseCoo):
        input = input.coalesce()
    return input._with(torch.div(input._numbers, other, rounding_mode=rounding_mode))


@handles("floor_divide", in_place=True)
def _floor_divide(input: Any, other: Any) -> Any:
    return div(input, other, rounding_mode="floor")


@handles("pow")
def _pow(input: Any, exponent: Any) -> Any:
    if not isinstance(input, SparseTensor) or not isinstance(exponent, int | float):
        unsupported("pow() with a tensor as exponent")
    if exponent == 0:
        raise RuntimeError(
            "pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor dense"
        )
    if exponent < 0:
        unsupported("pow() with a negative exponent, of which the zeros would be infinite,")
    s = input.coalesce() if isinstance(input, SparseCoo) else input
    return s._with(s._numbers**exponent)


@handles("add", in_place=True)
def add(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """input + alpha * other: of two sparse tensors, or of a dense and a sparse one (dense)."""
    if not isinstance(input, SparseTensor):
        if _number(input):
            unsupported("a sum with a number")
        return input + _scaled(other.to_dense(), alpha)
    if _number(other):
        unsupported("a sum with a number")
    if not isinstance(other, SparseTensor):
        if isinstance(input, SparseCompressed):
            return input.to_dense() + _scaled(other, alpha)
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    return join(input, _scaled(other, alpha))


@handles("sub", in_place=True)
def sub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """input - alpha * other."""
    if _number(other) or _number(input):
        unsupported("a difference with a number")
    return add(input, other, alpha=-alpha)


@handles("rsub")
def _rsub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    return sub(other, input, alpha=alpha)


def _scaled(t: Any, alpha: Any) -> Any:
    return (
        t
        if type(alpha) is int and alpha == 1
        else mul(t, alpha)
        if isinstance(t, SparseTensor)
        else t * alpha
    )


def _layouts_alike(a: Any, b: Any) -> None:
    if type(a) is not type(b) or a.layout is not b.layout:
        unsupported(f"arithmetic of the layouts {title(a.layout)} and {title(b.layout)}")


def _coordinates(t: Any) -> SparseCoo:
    return t.coalesce() if isinstance(t, SparseCoo) else t._grid().coalesce()


def _in_layout(grid: SparseCoo, like: Any) -> Any:
    return grid if isinstance(like, SparseCoo) else from_grid(grid, like.layout)


def join(a: Any, b: Any) -> Any:
    """The sum of two sparse tensors of one layout."""
    _layouts_alike(a, b)
    _same_size("add", a, b)
    if a._same_pattern(b):
        return a._with(a._numbers + b._numbers)
    if isinstance(a, SparseCompressed) and a._block() != b._block():
        unsupported("a sum of blocks of different sizes")
    if isinstance(a, SparseCoo) and (a.sparse_dim(), a.dense_dim()) != (b.sparse_dim(), b.dense_dim()):
        raise RuntimeError(
            f"add: expected 'self' and 'other' to have same number of sparse dimensions, but {a.sparse_dim()} != {b.sparse_dim()}"
        )
    x, y = (a, b) if isinstance(a, SparseCoo) else (a._grid(), b._grid())
    dtype = torch.result_type(x._numbers, y._numbers)
    index = torch.cat([x._index, y._index], 1)
    values = torch.cat([x._numbers.to(dtype), y._numbers.to(dtype)])
    total = SparseCoo.make(index, values, tuple(x.shape))
    both = x._coalesced and y._coalesced
    return _in_layout(total.coalesce() if both else total, a)


def _meet(a: SparseCoo, b: SparseCoo) -> SparseCoo:
    """The product of two coalesced tensors: of the elements that both hold."""
    sizes = tuple(a.shape[: a.sparse_dim()])
    at = [np.ravel_multi_index(tuple(values_of(t._index)), sizes) for t in (a, b)]
    _, mine, its = np.intersect1d(*at, assume_unique=True, return_indices=True)
    mine_at, its_at = index_of(mine, a), index_of(its, a)
    values = a._numbers[mine_at] * b._numbers[its_at]  # type: ignore[index]
    return SparseCoo.make(a._index[:, mine_at], values, tuple(a.shape), True)  # type: ignore[index]


# -- writing, and making anew ------------------------------------------------------------------------------------------


@handles("copy_")
def _copy_(self: Any, src: Any, non_blocking: bool = False) -> Any:
    if not isinstance(self, SparseTensor):
        return self.copy_(src.to_dense())
    if not isinstance(src, SparseTensor) or type(src) is not type(self) or src.layout is not self.layout:
        raise RuntimeError(
            "copy_() between dense and sparse Tensors is not implemented! Found self type = "
            f"{_type(self) if isinstance(self, SparseTensor) else self.type()} and src type = {src.type()}"
        )
    return self._become(src.to(self.dtype).clone())


_TURNED = {sparse_csr: sparse_csc, sparse_csc: sparse_csr, sparse_bsr: sparse_bsc, sparse_bsc: sparse_bsr}
"""The layout that compresses the other dim."""


def _empty(like: Any, dtype: Any) -> Any:
    """A tensor of the same kind that holds nothing."""
    numbers = like._numbers.new_zeros((0,), dtype=dtype or like.dtype)
    if isinstance(like, SparseCoo):
        index = torch.zeros((like.sparse_dim(), 0), dtype=dtypes.int64, device=like.device)
        values = numbers.reshape(0, *like._numbers.shape[1:])
        return SparseCoo.make(index, values, tuple(like.shape), True)
    grid = like._grid()
    values = torch.zeros((0, *grid._numbers.shape[1:]), dtype=dtype or like.dtype, device=like.device)
    index = torch.zeros((grid.sparse_dim(), 0), dtype=dtypes.int64, device=like.device)
    return from_grid(SparseCoo.make(index, values, tuple(grid.shape), True), like.layout)


@handles("zero_")
def _zero_(self: Any) -> Any:
    return self._become(_empty(self, None))


@handles("zeros_like", "empty_like")
def _zeros_like(
    input: Any,
    *,
    dtype=None,
    layout=None,
    device=None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format=None,
) -> Any:
    if layout is strided:
        return torch.zeros(
            tuple(input.shape), dtype=dtype or input.dtype, device=device, requires_grad=requires_grad
        )
    made = _empty(input, dtype)
    if layout not in (None, input.layout):
        if not isinstance(input, SparseCompressed) or layout is not _TURNED.get(input.layout):
            unsupported(f"layout={layout}")
        made = from_grid(made._grid(), layout)
    return made.requires_grad_() if requires_grad else made


def _dense_like(name: str) -> None:
    def fn(input: Any, *args, layout=None, **kwargs) -> Any:
        if layout is not strided:
            unsupported(f"{name}() without layout=torch.strided")
        dense = torch.zeros(tuple(input.shape), dtype=input.dtype, device=input.device)
        return getattr(torch, name)(dense, *args, **kwargs)

    handles(name)(fn)


for _name in ("ones_like", "full_like", "rand_like", "randn_like", "randint_like"):
    _dense_like(_name)


@handles("clone")
def _clone(input: Any, *, memory_format=None) -> Any:
    return input.clone()


@handles("contiguous")
def _contiguous(self: Any, memory_format=None) -> Any:
    return self


@handles("sparse_mask")
def _sparse_mask(self: Any, mask: Any) -> Any:
    """The elements of a tensor where a sparse one holds some; 0 where it does not hold any itself."""
    if not isinstance(mask, SparseTensor):
        raise RuntimeError(f"sparse_mask expected a sparse mask but got {title(mask.layout)}")
    if tuple(self.shape) != tuple(mask.shape):
        raise RuntimeError(
            f"sparse_mask(): operands have incompatible sizes; self has size {list(self.shape)} but mask has size {list(mask.shape)}"
        )
    dense = self.to_dense() if isinstance(self, SparseTensor) else self
    return mask._with(taken(mask, dense))


@handles("is_contiguous")
def _is_contiguous(self: Any, memory_format=None) -> bool:
    if isinstance(self, SparseCoo):
        return False
    raise RuntimeError(f"Sparse {title(self.layout)[6:].upper()} tensors do not have is_contiguous")


@handles("stride")
def _stride(self: Any, dim: int | None = None) -> Any:
    if isinstance(self, SparseCoo):
        return (0,) * self.ndim if dim is None else 0
    raise RuntimeError(f"Sparse {title(self.layout)[6:].upper()} tensors do not have strides")


@handles("storage_offset")
def _storage_offset(self: Any) -> int:
    return 0


@handles("data_ptr", "const_data_ptr")
def _no_address(self: Any) -> int:
    raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")


@handles("storage", "untyped_storage", "tolist")
def _no_storage(self: Any) -> Any:
    raise NotImplementedError("Cannot access storage of a sparse tensor")


@handles("new_zeros", "new_empty")
def _new_zeros(
    self: Any, *size: Any, dtype=None, layout=None, device=None, requires_grad: bool = False, pin_memory=False
) -> Any:
    shape = size[0] if len(size) == 1 and not isinstance(size[0], int) else size
    if not isinstance(self, SparseCoo) or layout not in (None, self.layout):
        unsupported("new_zeros() of compressed tensors, or with another layout,")
    options = {"dtype": dtype or self.dtype, "device": device, "requires_grad": requires_grad}
    return torch.sparse_coo_tensor(tuple(shape), **options)


@handles("new_tensor")
def _new_tensor(
    self: Any,
    data: Any,
    *,
    dtype=None,
    device=None,
    requires_grad: bool = False,
    layout=None,
    pin_memory=False,
) -> Any:
    return torch.tensor(data, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)


@handles("item")
def _item(self: Any) -> Any:
    if self.numel() != 1:
        raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
    return self.to_dense().item()


@handles("bool_of", "is_nonzero")
def _bool(self: Any) -> bool:
    if self.numel() != 1:
        many = "more than one value" if self.numel() else "no values"
        raise RuntimeError(f"Boolean value of Tensor with {many} is ambiguous")
    return bool(_item(self))


def _number_of(name: str, kind: type) -> None:
    handles(name)(lambda self: kind(_item(self)))


for _name, _kind in (("float_of", float), ("int_of", int), ("complex_of", complex)):
    _number_of(_name, _kind)


@handles("equal")
def _equal(input: Any, other: Any) -> bool:
    """Returns whether two sparse tensors are the same, in the same layout."""
    _layouts_alike(input, other)
    if tuple(input.shape) != tuple(other.shape):
        return False
    a, b = _coordinates(input), _coordinates(other)
    return bool(torch.equal(a._index, b._index) and torch.equal(a._numbers, b._numbers)) or bool(
        torch.equal(a.to_dense(), b.to_dense())
    )
