"""The sparse tensors: indices and values, which are ordinary tensors; gradients flow through the values."""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np

from .._core import device as devices
from .._core import dtypes, overrides
from .._core.apply import from_array
from .._core.bind import composite
from .._core.bind import functions as torch
from .._core.errors import wrap_dim
from .._core.levels import values_of
from .._core.printing import contents, is_default, with_suffixes
from .._core.storage import layout, sparse_coo, sparse_csr
from .._core.tensor import Tensor
from .._core.value import aval

__all__ = ["SparseCoo", "SparseCsr", "SparseTensor", "from_dense"]

_new = object.__new__


def unsupported(what: str = "this operation") -> NoReturn:
    """What a sparse tensor says to everything it does not know."""
    raise NotImplementedError(f"{what} is not supported for sparse tensors here; use to_dense()")


class SparseTensor(Tensor):
    """What the two kinds have in common. It has no storage: ops that know only dense tensors raise when they ask for it."""

    __torch_function__ = staticmethod(overrides.disabled)
    _values: Tensor
    is_sparse = False
    is_sparse_csr = False
    layout: layout
    __hash__ = object.__hash__

    @property
    def _cell(self) -> NoReturn:  # type: ignore[override]
        unsupported()

    # what it is

    @property
    def requires_grad(self) -> bool:
        """Whether the values require grad."""
        return self._values.requires_grad  # type: ignore[attr-defined]

    @property
    def is_leaf(self) -> bool:
        """Whether the values are a leaf."""
        return self._values.is_leaf  # type: ignore[attr-defined]

    @property
    def grad_fn(self) -> Any:
        """Where the values come from."""
        return self._values.grad_fn  # type: ignore[attr-defined]

    @property
    def grad(self) -> Any:
        """The gradient, with the same indices."""
        g = self._values.grad  # type: ignore[attr-defined]
        return None if g is None else self._with(g)

    @property
    def _version(self) -> int:
        return self._values._version  # type: ignore[attr-defined]

    def _with(self, values: Any) -> Any:
        """The same pattern with other values."""
        raise NotImplementedError

    def _nnz(self) -> int:
        return self._values.shape[0]  # type: ignore[attr-defined]

    def requires_grad_(self, requires_grad: bool = True):
        """Makes the values a leaf that requires grad."""
        self._values.requires_grad_(requires_grad)  # type: ignore[attr-defined]
        return self

    def detach(self):
        """The same without history."""
        return self._with(self._values.detach())  # type: ignore[attr-defined]

    def clone(self, *, memory_format=None):
        """A copy."""
        return self._with(self._values.clone())  # type: ignore[attr-defined]

    def to(self, *args, **kwargs):
        """Other dtype of the values."""
        return self._with(self._values.to(*args, **kwargs))  # type: ignore[attr-defined]

    def float(self):
        """float32 values."""
        return self.to(dtypes.float32)

    def double(self):
        """float64 values."""
        return self.to(dtypes.float64)

    def cpu(self):
        """The tensor itself: sparse tensors are on the CPU."""
        return self

    def numpy(self, *, force: bool = False) -> NoReturn:
        """Not of sparse tensors."""
        raise TypeError("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.")

    def item(self):
        """The number a tensor of one element holds."""
        return self.to_dense().item()

    # arithmetic

    def __neg__(self):
        return self._with(-self._values)

    def __mul__(self, other):
        if isinstance(other, SparseTensor):
            return self._meet(other, lambda a, b: a * b)
        if isinstance(other, Tensor) and other.ndim:  # type: ignore[attr-defined]
            return self._with(self._values * self._taken(other))
        return self._with(self._values * other)

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, Tensor) and other.ndim:  # type: ignore[attr-defined]
            unsupported("division by a tensor")
        return self._with(self._values / other)

    def __add__(self, other):
        if isinstance(other, SparseTensor):
            return self._join(other, 1)
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")

    def __radd__(self, other):
        if isinstance(other, Tensor):
            return other + self.to_dense()
        return NotImplemented

    def __sub__(self, other):
        if isinstance(other, SparseTensor):
            return self._join(other, -1)
        raise RuntimeError("sub(sparse, dense) is not supported. Use to_dense().")

    def __rsub__(self, other):
        return other - self.to_dense() if isinstance(other, Tensor) else NotImplemented

    def __matmul__(self, other):
        from .functions import mm

        return mm(self, other)

    def __rmatmul__(self, other):
        return self.t() @ other if other.ndim == 1 else (self.t() @ other.mT).mT

    def _unsupported(self, *args, **kwargs) -> NoReturn:
        unsupported()

    for _name in ("eq", "ne", "lt", "le", "gt", "ge", "pow", "rpow", "mod", "floordiv", "rtruediv", "bool", "float", "int", "index", "iter", "getitem", "setitem", "iadd", "isub", "imul"):  # fmt: skip
        locals()[f"__{_name}__"] = _unsupported
    del _name

    def mul(self, other):
        """Elementwise product."""
        return self * other

    def add(self, other, *, alpha=1):
        """Sum of two sparse tensors."""
        return self + (other if alpha == 1 else other * alpha)

    def sub(self, other, *, alpha=1):
        """Difference of two sparse tensors."""
        return self - (other if alpha == 1 else other * alpha)

    def div(self, other):
        """Quotient by a number."""
        return self / other

    def neg(self):
        """Negative."""
        return -self

    def mm(self, mat2):
        """torch.sparse.mm."""
        return self @ mat2

    matmul = mv = mm

    def sum(self, dim=None, dtype=None):
        """torch.sparse.sum."""
        from .functions import sum as total

        return total(self, dim, dtype)

    def _meet(self, other: SparseTensor, op: Any) -> Any:
        if self.shape != other.shape:
            raise RuntimeError(
                f"sizes of sparse tensors differ: {tuple(self.shape)} and {tuple(other.shape)}"
            )
        return from_pattern(
            op(self.to_dense(), other.to_dense()), pattern(self) & pattern(other), self.layout
        )

    def _join(self, other: SparseTensor, sign: int) -> Any:
        if self.shape != other.shape:
            raise RuntimeError(
                f"sizes of sparse tensors differ: {tuple(self.shape)} and {tuple(other.shape)}"
            )
        dense = self.to_dense() + other.to_dense() * sign
        return from_pattern(dense, pattern(self) | pattern(other), self.layout)

    def _taken(self, dense: Any) -> Any:
        """A dense tensor's elements at the indices."""
        return dense.expand(self.shape)[tuple(self.to_sparse()._indices())]

    def to_dense(self, dtype=None, *, masked_grad=None):
        """The tensor with its zeros."""
        raise NotImplementedError

    def to_sparse(self, sparse_dim=None, *, layout=None, blocksize=None, dense_dim=None):
        """In coordinate form, or that of `layout`."""
        if layout is not None and layout is not sparse_coo:
            method = getattr(self, f"to_{layout.name}")
            return method(dense_dim) if blocksize is None else method(blocksize, dense_dim)
        if blocksize is not None or dense_dim is not None:
            raise NotImplementedError(
                "to_sparse: blocksize= is for block layouts, and dense_dim= is not supported"
            )
        return self.to_sparse_coo()

    def to_sparse_coo(self):
        """In coordinate form."""
        raise NotImplementedError

    def t(self):
        """Transposed."""
        raise NotImplementedError


def _made(cls: type, values: Any, shape: tuple) -> Any:
    t = _new(cls)
    t._values = values
    t._aval = aval(tuple(shape), values.dtype, devices.CPU)
    return t


class SparseCoo(SparseTensor):
    """Coordinate form: indices of shape (sparse dims, nnz), values of shape (nnz, *dense dims)."""

    is_sparse = True
    layout = sparse_coo
    _index: Tensor
    _coalesced: bool

    @classmethod
    def make(cls, indices: Any, values: Any, shape: tuple, coalesced: bool = False) -> SparseCoo:
        """Of checked parts."""
        t = _made(cls, values, shape)
        t._index, t._coalesced = indices, coalesced
        return t

    def _with(self, values: Any) -> SparseCoo:
        shape = (*self.shape[: self.sparse_dim()], *values.shape[1:])
        return SparseCoo.make(self._index, values, shape, self._coalesced)

    def sparse_dim(self) -> int:
        """The number of sparse dims."""
        return self._index.shape[0]  # type: ignore[attr-defined]

    def dense_dim(self) -> int:
        """The number of dense dims."""
        return self._values.ndim - 1  # type: ignore[attr-defined]

    def is_coalesced(self) -> bool:
        """Whether indices are unique and sorted."""
        return self._coalesced

    def _indices(self) -> Any:
        return self._index

    def indices(self) -> Any:
        """The indices of a coalesced tensor."""
        if not self._coalesced:
            raise RuntimeError("Cannot get indices on an uncoalesced tensor, please call .coalesce() first")
        return self._index

    def values(self) -> Any:
        """The values of a coalesced tensor."""
        if not self._coalesced:
            raise RuntimeError("Cannot get values on an uncoalesced tensor, please call .coalesce() first")
        return self._values

    def coalesce(self) -> SparseCoo:
        """Sorted indices without repeats, whose values are added. The indices are read."""
        if self._coalesced:
            return self
        indices = values_of(self._index)
        sizes = tuple(self.shape[: self.sparse_dim()])
        flat = np.ravel_multi_index(tuple(indices), sizes) if indices.size else np.zeros(0, np.int64)
        unique, where = np.unique(flat, return_inverse=True)
        new = np.stack(np.unravel_index(unique, sizes)).astype(np.int64)
        values = torch.zeros((len(unique), *self._values.shape[1:]), dtype=self.dtype)  # type: ignore[attr-defined]
        if len(unique):
            values = values.index_add(0, from_array(where.reshape(-1).astype(np.int64)), self._values)
        return SparseCoo.make(from_array(new), values, tuple(self.shape), True)

    def to_dense(self, dtype=None, *, masked_grad=None) -> Any:
        """The tensor with its zeros; values of repeated indices are added."""
        zeros = torch.zeros(tuple(self.shape), dtype=self.dtype)
        made = zeros
        if self._nnz():
            made = torch.index_put(zeros, tuple(self._index.unbind(0)), self._values, accumulate=True)  # type: ignore[attr-defined]
        return made if dtype is None else made.to(dtype)

    def to_sparse_coo(self) -> Any:
        """The tensor itself."""
        return self

    def to_sparse_csr(self, dense_dim=None) -> SparseCsr:
        """In row form."""
        c = self.coalesce()
        if c.sparse_dim() != 2 or c.dense_dim():
            unsupported("to_sparse_csr() of more or fewer than 2 dims")
        counts = torch.bincount(c._index[0], minlength=self.shape[0])
        crow = torch.cat([torch.zeros(1, dtype=dtypes.int64), counts.cumsum(0)])
        return SparseCsr.make(crow, c._index[1], c._values, tuple(self.shape))

    def __copy__(self) -> SparseCoo:
        return self._with(self._values)

    def t(self) -> SparseCoo:
        """Transposed: a matrix with its dims exchanged, a vector or a scalar as it is."""
        sparse, dense = self.sparse_dim(), self.dense_dim()
        if not self.shape:
            return self
        if sparse > 2 or dense:
            raise RuntimeError(
                f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {sparse} sparse and {dense} dense "
                "dimensions"
            )
        return self.transpose(0, sparse - 1)

    def transpose(self, dim0: int, dim1: int) -> SparseCoo:
        """Two sparse dims exchanged."""
        n = self.sparse_dim()
        order = list(range(n))
        dim0, dim1 = wrap_dim(dim0, len(self.shape)), wrap_dim(dim1, len(self.shape))
        if dim0 == dim1:
            return self
        if dim0 >= n or dim1 >= n:
            unsupported("transpose() of dense dims")
        order[dim0], order[dim1] = order[dim1], order[dim0]
        shape = [self.shape[d] for d in order] + list(self.shape[n:])
        return SparseCoo.make(self._index[order], self._values, tuple(shape))

    def __repr__(self, *args, **kwargs) -> str:
        return _shown({"indices": self._index, "values": self._values.detach()}, self, on_new_line=True)  # type: ignore[attr-defined]


class SparseCsr(SparseTensor):
    """Row form of a matrix: crow_indices (rows + 1), col_indices (nnz), values (nnz)."""

    is_sparse_csr = True
    layout = sparse_csr
    _crow: Tensor
    _col: Tensor

    @classmethod
    def make(cls, crow: Any, col: Any, values: Any, shape: tuple) -> SparseCsr:
        """Of checked parts."""
        t = _made(cls, values, shape)
        t._crow, t._col = crow, col
        return t

    def _with(self, values: Any) -> SparseCsr:
        return SparseCsr.make(self._crow, self._col, values, tuple(self.shape))

    def crow_indices(self) -> Any:
        """Where each row begins."""
        return self._crow

    def col_indices(self) -> Any:
        """The column of each value."""
        return self._col

    def values(self) -> Any:
        """The values."""
        return self._values

    def sparse_dim(self) -> int:
        """2."""
        return 2

    def dense_dim(self) -> int:
        """0."""
        return 0

    def is_coalesced(self) -> NoReturn:
        """Not of CSR."""
        raise RuntimeError("is_coalesced expected sparse coordinate tensor layout but got SparseCsr")

    def to_sparse_coo(self) -> SparseCoo:
        """In coordinate form."""
        places = torch.arange(self._nnz())
        rows = torch.searchsorted(self._crow, places, right=True) - 1
        return SparseCoo.make(torch.stack([rows, self._col.long()]), self._values, tuple(self.shape), True)  # type: ignore[attr-defined]

    def to_sparse_csr(self, dense_dim=None) -> SparseCsr:
        """The tensor itself."""
        return self

    def to_dense(self, dtype=None, *, masked_grad=None) -> Any:
        """The tensor with its zeros."""
        return self.to_sparse().to_dense(dtype)

    def t(self) -> Any:
        """Transposed, in coordinate form."""
        return self.to_sparse().t()

    def __repr__(self, *args, **kwargs) -> str:
        parts = {"crow_indices": self._crow, "col_indices": self._col, "values": self._values.detach()}  # type: ignore[attr-defined]
        return _shown(parts, self, on_new_line=False)


def _shown(parts: dict[str, Any], t: Any, on_new_line: bool) -> str:
    lines = []
    for name, part in parts.items():
        head = f"{name}=tensor("
        if part.numel():
            lines.append(f"{head}{contents(values_of(part), part.dtype, 7 + len(head))})")
        else:
            lines.append(f"{head}[], size={tuple(part.shape)})")
    suffixes = [f"size={tuple(t.shape)}", f"nnz={t._nnz()}"]
    if not is_default(t.dtype):
        suffixes.append(f"dtype={t.dtype}")
    suffixes.append(f"layout={t.layout}")
    if t.requires_grad:
        suffixes.append("requires_grad=True" if t.is_leaf else f"grad_fn=<{t.grad_fn.name()}>")
    return with_suffixes("tensor(" + ",\n       ".join(lines), suffixes, 7, on_new_line)


# -- patterns --------------------------------------------------------------------------------------------------------


def pattern(t: Any) -> np.ndarray:
    """Which elements of a sparse tensor are kept."""
    c = t.to_sparse()
    mask = np.zeros(tuple(t.shape[: c.sparse_dim()]), bool)
    mask[tuple(values_of(c._indices()))] = True
    return mask


def from_pattern(dense: Any, mask: np.ndarray, kind: layout = sparse_coo) -> Any:
    """A sparse tensor of the elements of a dense one where the mask says so."""
    where = np.stack(np.nonzero(mask)) if mask.ndim else np.zeros((0, int(mask)), np.int64)
    index = from_array(where.astype(np.int64))
    values = dense[tuple(index.unbind(0))]  # type: ignore[attr-defined]
    made = SparseCoo.make(index, values, tuple(dense.shape), True)
    return made.to_sparse_csr() if kind is sparse_csr else made


def from_dense(t: Any, sparse_dim: int | None = None) -> SparseCoo:
    """The coordinate form of a dense tensor: its elements (or slices) that are not zero, which are read."""
    n = t.ndim if sparse_dim is None else sparse_dim
    mask = values_of(t) != 0
    if n < t.ndim:
        mask = mask.reshape((*t.shape[:n], math.prod(t.shape[n:]))).any(-1)
    return from_pattern(t, mask)


@composite(namespace="Tensor", method=True)
def to_sparse(
    self: Any, sparse_dim: int | None = None, *, layout=None, blocksize=None, dense_dim=None
) -> Any:
    """The tensor in coordinate form (or in row form, by `layout`)."""
    if layout not in (None, sparse_coo, sparse_csr):
        method = getattr(self, f"to_{layout.name}")
        return method(dense_dim) if blocksize is None else method(blocksize, dense_dim)
    if blocksize is not None or dense_dim is not None:
        raise NotImplementedError(
            "to_sparse: blocksize= is for block layouts, and dense_dim= is not supported"
        )
    made = from_dense(self, sparse_dim)
    return made.to_sparse_csr() if layout is sparse_csr else made


@composite(namespace="Tensor", method=True)
def to_sparse_coo(self: Any) -> Any:
    """The tensor in coordinate form."""
    return from_dense(self)


@composite(namespace="Tensor", method=True)
def to_sparse_csr(self: Any, dense_dim: int | None = None) -> Any:
    """The matrix in row form."""
    return from_dense(self).to_sparse_csr(dense_dim)


@composite(namespace="Tensor", method=True)
def to_dense(self: Any, dtype=None, *, masked_grad=None) -> Any:
    """The tensor itself: it is dense."""
    return self if dtype is None else self.to(dtype)


@composite(namespace="Tensor", method=True)
def sparse_mask(self: Any, mask: Any) -> Any:
    """The elements of a dense tensor at a sparse tensor's indices."""
    return mask._with(mask._taken(self))


def _only_sparse(name: str, kind: str = "sparse coordinate") -> None:
    def fn(self):
        raise RuntimeError(f"{name} expected {kind} tensor layout but got Strided")

    fn.__name__, fn.__doc__ = name, "Of sparse tensors only."
    composite(fn, namespace="Tensor", method=True)


for _name in ("is_coalesced", "indices", "coalesce"):
    _only_sparse(_name)
for _name in ("crow_indices", "col_indices"):
    _only_sparse(_name, "sparse row compressed")
for _name in ("ccol_indices", "row_indices"):
    _only_sparse(_name, "sparse column compressed")
_only_sparse("values", "sparse")


@composite(namespace="Tensor", method=True)
def sparse_dim(self: Any) -> int:
    """0: it is dense."""
    return 0


@composite(namespace="Tensor", method=True)
def dense_dim(self: Any) -> int:
    """All dims: it is dense."""
    return self.ndim
