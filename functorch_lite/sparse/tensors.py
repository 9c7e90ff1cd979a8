"""Base of all sparse tensors, and tensors in coordinate form.

Indices and values are ordinary tensors; gradients flow through the values."""

from __future__ import annotations

import copy
import math
from typing import Any, NoReturn

import numpy as np

from .._core.api import (
    Tensor,
    aval,
    bare,
    composite,
    contents,
    dtypes,
    from_array,
    is_default,
    layout,
    overrides,
    size_of_ints,
    sparse_coo,
    values_of,
    with_suffixes,
)
from .._core.api import functions as torch

__all__ = ["SparseCoo", "SparseTensor", "index_of", "made", "shown", "title", "unsupported"]


def unsupported(what: str = "this operation") -> NoReturn:
    """Raises NotImplementedError for something that sparse tensors do not have."""
    raise NotImplementedError(f"{what} is not supported for sparse tensors here; use to_dense()")


def title(x: layout) -> str:
    """The layout's name in PyTorch's sentences: Sparse, SparseCsr, …, Strided."""
    name = x.name.removeprefix("sparse_")
    return "Sparse" if x is sparse_coo else f"Sparse{name.title()}" if name != x.name else name.title()


def index_of(array: np.ndarray, values: Any) -> Any:
    """The tensor of indices that numpy found, where the values are."""
    return from_array(np.ascontiguousarray(array, np.int64), on=values.device)


class SparseTensor(Tensor):
    """Base of the kinds of sparse tensors. It has no storage; `dispatch` says what the public functions do with it."""

    __torch_function__ = staticmethod(
        overrides.disabled
    )  # until dispatch.py is imported, which all of this package is
    _numbers: Tensor
    _of_parts = True
    is_sparse = False
    layout: layout
    __hash__ = object.__hash__

    @property
    def _cell(self) -> NoReturn:  # type: ignore[override]
        unsupported()

    @property
    def _edge(self) -> Any:  # type: ignore[override]
        return self._numbers._edge

    # what it is

    @property
    def shape(self) -> Any:
        """The shape."""
        return size_of_ints(self._aval.shape)

    @property
    def ndim(self) -> int:
        """The number of dims."""
        return len(self._aval.shape)

    @property
    def dtype(self) -> Any:
        """The dtype of the values."""
        return self._aval.dtype

    @property
    def device(self) -> Any:
        """The CPU."""
        return self._aval.device

    @property
    def is_sparse_csr(self) -> bool:
        """Returns whether the layout is torch.sparse_csr."""
        return self.layout.name == "sparse_csr"

    @property
    def requires_grad(self) -> bool:
        """Returns whether the values require grad."""
        return self._numbers.requires_grad  # type: ignore[attr-defined]

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        self._numbers.requires_grad = flag  # type: ignore[attr-defined]

    @property
    def is_leaf(self) -> bool:
        """Returns whether the values are a leaf."""
        return self._numbers.is_leaf  # type: ignore[attr-defined]

    @property
    def grad_fn(self) -> Any:
        """The grad_fn of the values."""
        return self._numbers.grad_fn  # type: ignore[attr-defined]

    @property
    def grad(self) -> Any:
        """The gradient, with the same indices."""
        g = self._numbers.grad  # type: ignore[attr-defined]
        return None if g is None else self._gradient(g)

    @grad.setter
    def grad(self, new: Any) -> None:
        if new is not None:
            unsupported("setting .grad to a tensor")
        self._numbers.grad = None  # type: ignore[attr-defined]

    @property
    def data(self) -> Any:
        """The same tensor without history."""
        return self.detach()

    @property
    def _version(self) -> int:
        return self._numbers._version  # type: ignore[attr-defined]

    def _with(self, values: Any) -> Any:
        """Returns the same pattern with other values."""
        raise NotImplementedError

    def _gradient(self, values: Any) -> Any:
        """The gradient of the tensor whose values have this one."""
        return self._with(values)

    def _values_of(self, gradient: Any) -> Any:
        """The reverse: what its values get of a gradient with the same indices."""
        if not isinstance(gradient, SparseTensor) or not self._same_pattern(gradient):
            unsupported("a gradient that has not the indices of the sparse tensor it belongs to")
        return gradient._numbers

    def _replace(self, other: Any) -> None:
        """Becomes `other`, which is of the same class."""
        for name in (*self._PARTS, "_numbers", "_aval"):
            setattr(self, name, getattr(other, name))

    _PARTS: tuple[str, ...] = ()
    """The names of what a tensor has beside its values."""

    def _become(self, other: Any) -> Any:
        """Does an op in place: takes over another's numbers, and its pattern if that is not the same object."""
        if torch.is_grad_enabled() and self.requires_grad and self.is_leaf:
            raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
        if not torch.can_cast(other.dtype, self.dtype):
            raise RuntimeError(
                f"result type {_scalar(other)} can't be cast to the desired output type {_scalar(self)}"
            )
        if all(getattr(self, name) is getattr(other, name) for name in self._PARTS):
            self._numbers.copy_(other._numbers)  # type: ignore[attr-defined]
        else:
            self._replace(other.to(self.dtype))
        return self

    def requires_grad_(self, requires_grad: bool = True):
        """Makes the values a leaf that requires grad."""
        self._numbers.requires_grad_(requires_grad)  # type: ignore[attr-defined]
        return self

    def detach(self):
        """Returns the same tensor without history."""
        return self._with(self._numbers.detach())  # type: ignore[attr-defined]

    def clone(self, *, memory_format=None):
        """A copy."""
        return self._with(self._numbers.clone())  # type: ignore[attr-defined]

    def to(self, *args, **kwargs):
        """Other dtype of the values."""
        args = tuple([a._numbers if isinstance(a, SparseTensor) else a for a in args])
        kwargs = {k: v._numbers if isinstance(v, SparseTensor) else v for k, v in kwargs.items()}
        made = self._numbers.to(*args, **kwargs)  # type: ignore[attr-defined]
        if made.device.type != "cpu":
            unsupported(f"the device {made.device}")
        return self if made is self._numbers else self._with(made)

    def cpu(self):
        """The tensor itself: sparse tensors are on the CPU."""
        return self

    def numpy(self, *, force: bool = False) -> NoReturn:
        """Not of sparse tensors."""
        raise TypeError(
            f"can't convert {title(self.layout)} layout tensor to numpy. Use Tensor.to_dense() first."
        )

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None) -> None:
        """Tensor.backward; `gradient` is a sparse tensor of the same indices."""
        if gradient is None:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        self._numbers.backward(self._values_of(gradient), retain_graph, create_graph, inputs)  # type: ignore[attr-defined]

    def _same_pattern(self, other: SparseTensor) -> bool:
        """Returns whether two hold values of the same elements, in the same order. Indices are read."""
        raise NotImplementedError

    def __deepcopy__(self, memo: dict) -> Any:
        if not self.is_leaf:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment."
            )
        new = self._with(copy.deepcopy(self._numbers, memo))
        memo[id(self)] = new
        return new

    def __copy__(self) -> Any:
        return self._with(self._numbers)

    def __reduce_ex__(self, protocol):
        parts = [getattr(self, name) for name in self._PARTS]
        return _again, (type(self), parts, self._numbers, tuple(self.shape))

    def __iter__(self):
        return iter([self[i] for i in range(len(self))])  # type: ignore[arg-type, index]

    # what each kind has

    def sparse_dim(self) -> int:
        """The number of sparse dims."""
        raise NotImplementedError

    def dense_dim(self) -> int:
        """The number of dense dims."""
        raise NotImplementedError

    def _nnz(self) -> int:
        raise NotImplementedError

    def to_sparse_coo(self) -> Any:
        """Returns the tensor in coordinate form."""
        raise NotImplementedError

    def to_dense(self, dtype=None, *, masked_grad=None) -> Any:
        """The tensor with its zeros."""
        raise NotImplementedError


def _again(cls: type, parts: list, values: Any, shape: tuple) -> Any:
    """Makes a sparse tensor of its parts: pickle calls this."""
    t = made(cls, values, shape)
    for name, part in zip(cls._PARTS, parts):  # type: ignore[attr-defined]
        setattr(t, name, part)
    return t


def _scalar(t: Any) -> str:

    return t.dtype.scalar_name


def made(cls: type, values: Any, shape: tuple) -> Any:
    """A sparse tensor of this class, but for its indices.

    The first of a process lets the public functions look for such tensors."""
    overrides.turn_on()
    t = bare(cls)
    t._numbers = values
    t._aval = aval(tuple(shape), values.dtype, values.device)
    return t


class SparseCoo(SparseTensor):
    """Coordinate form: indices of shape (sparse dims, nnz), values of shape (nnz, *dense dims)."""

    is_sparse = True
    layout = sparse_coo
    _index: Tensor
    _coalesced: bool
    _PARTS = ("_index", "_coalesced")

    @classmethod
    def make(cls, indices: Any, values: Any, shape: tuple, coalesced: bool = False) -> SparseCoo:
        """Makes a tensor of checked parts. Fewer than two elements are coalesced."""
        t = made(cls, values, shape)
        t._index, t._coalesced = indices, coalesced or values.shape[0] < 2
        return t

    def _with(self, values: Any) -> SparseCoo:
        shape = (*self.shape[: self.sparse_dim()], *values.shape[1:])
        return SparseCoo.make(self._index, values, shape, self._coalesced)

    def _gradient(self, values: Any) -> Any:
        """Makes the gradient of this tensor from the gradient of its values. Values at one place are added, and all
        have the gradient of the sum."""
        if self._coalesced or not self.sparse_dim():
            return self._with(values)
        flat = np.ravel_multi_index(tuple(values_of(self._index)), tuple(self.shape[: self.sparse_dim()]))
        _, first = np.unique(flat, return_index=True)
        if len(first) == len(flat):
            return self._with(values)
        at = index_of(first, values)
        return SparseCoo.make(self._index[:, at], values[at], tuple(self.shape), True)  # type: ignore[index]

    def _same_pattern(self, other: SparseTensor) -> bool:
        if not isinstance(other, SparseCoo) or self.shape != other.shape:
            return False
        return self._index is other._index or np.array_equal(values_of(self._index), values_of(other._index))

    def sparse_dim(self) -> int:
        """The number of sparse dims."""
        return self._index.shape[0]  # type: ignore[attr-defined]

    def dense_dim(self) -> int:
        """The number of dense dims."""
        return self._numbers.ndim - 1  # type: ignore[attr-defined]

    def _nnz(self) -> int:
        return self._index.shape[1]  # type: ignore[attr-defined]

    def is_coalesced(self) -> bool:
        """Returns whether indices are unique and sorted."""
        return self._coalesced

    def _coalesced_(self, coalesced: bool) -> SparseCoo:
        self._coalesced = coalesced
        return self

    def _uncoalesced(self) -> SparseCoo:
        """Returns the same tensor, said not to be coalesced: PyTorch says so of many results, though they are."""
        return SparseCoo.make(self._index, self._numbers, tuple(self.shape))

    def _indices(self) -> Any:
        return self._index

    def _values(self) -> Any:
        return self._numbers.detach()  # type: ignore[attr-defined]

    def _of_compressed(self, name: str, kind: str) -> NoReturn:
        raise RuntimeError(f"{name} expected sparse {kind} compressed tensor layout but got Sparse")

    def crow_indices(self) -> NoReturn:
        """Not of this form."""
        self._of_compressed("crow_indices", "row")

    def col_indices(self) -> NoReturn:
        """Not of this form."""
        self._of_compressed("col_indices", "row")

    def ccol_indices(self) -> NoReturn:
        """Not of this form."""
        self._of_compressed("ccol_indices", "column")

    def row_indices(self) -> NoReturn:
        """Not of this form."""
        self._of_compressed("row_indices", "column")

    def indices(self) -> Any:
        """The indices of a coalesced tensor."""
        if not self._coalesced:
            raise RuntimeError("Cannot get indices on an uncoalesced tensor, please call .coalesce() first")
        return self._index

    def values(self) -> Any:
        """The values of a coalesced tensor."""
        if not self._coalesced:
            raise RuntimeError("Cannot get values on an uncoalesced tensor, please call .coalesce() first")
        return self._numbers

    def coalesce(self) -> SparseCoo:
        """Sorted indices without repeats, whose values are added. The indices are read."""
        if self._coalesced:
            return self
        indices = values_of(self._index)
        sizes = tuple(self.shape[: self.sparse_dim()])
        flat = np.ravel_multi_index(tuple(indices), sizes) if sizes else np.zeros(self._nnz(), np.int64)
        unique, where = np.unique(flat, return_inverse=True)
        new = np.stack(np.unravel_index(unique, sizes)) if sizes else np.zeros((0, len(unique)))
        numbers: Any = self._numbers
        if self.dtype is dtypes.bool_:
            numbers = numbers.to(dtypes.uint8)
        values = torch.zeros((len(unique), *numbers.shape[1:]), dtype=numbers.dtype, device=numbers.device)
        values = values.index_add(0, index_of(where.reshape(-1), values), numbers).to(self.dtype)
        return SparseCoo.make(index_of(new, values), values, tuple(self.shape), True)

    def to_dense(self, dtype=None, *, masked_grad=None) -> Any:
        """The tensor with its zeros; values of repeated indices are added.

        >>> torch.sparse_coo_tensor([[0, 0]], [1.0, 2.0], (3,)).to_dense()
        tensor([3., 0., 0.])
        """
        if not self.sparse_dim():
            made = self._numbers.sum(0, dtype=self.dtype)  # type: ignore[attr-defined]
        else:
            made = torch.zeros(tuple(self.shape), dtype=self.dtype, device=self.device)
            if self._numbers.numel():  # type: ignore[attr-defined]
                at = tuple(self._index.unbind(0))  # type: ignore[attr-defined]
                made = torch.index_put(made, at, self._numbers, accumulate=True)
        return made if dtype is None else made.to(dtype)

    def to_sparse_coo(self) -> Any:
        """The tensor itself."""
        return self

    def __repr__(self, *args, **kwargs) -> str:
        return shown({"indices": self._index, "values": self._numbers.detach()}, self, on_new_line=True)  # type: ignore[attr-defined]


def shown(parts: dict[str, Any], t: Any, on_new_line: bool) -> str:
    """Returns the text of a sparse tensor of these parts."""
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


# -- of dense tensors ------------------------------------------------------------------------------------------------


def from_dense(t: Any, sparse_dim: int | None = None) -> SparseCoo:
    """The coordinate form of a dense tensor: its elements (or slices) that are not zero, which are read."""
    n = t.ndim if sparse_dim is None else sparse_dim
    if not 0 <= n <= t.ndim:
        raise RuntimeError(
            f"dense_to_sparse: sparse_dim argument must be in [0,{t.ndim}] range, but {n} is given"
        )
    if not n and t.ndim:
        raise RuntimeError("dense_to_sparse: sparse_dim argument must be in >0 when self.dim()>0")
    mask = values_of(t) != 0
    if n < t.ndim:
        mask = mask.reshape((*t.shape[:n], math.prod(t.shape[n:]))).any(-1)
    where = np.stack(np.nonzero(mask)) if mask.ndim else np.zeros((0, int(mask)), np.int64)
    index = index_of(where, t)
    if n:
        values = t[tuple(index.unbind(0))]
    else:
        values = t.reshape(1)[: where.shape[1]]
    return SparseCoo.make(index, values, tuple(t.shape), True)


@composite(namespace="Tensor", method=True)
def to_sparse(
    self: Any, sparse_dim: int | None = None, *, layout=None, blocksize=None, dense_dim=None
) -> Any:
    """The tensor in coordinate form, or in the given `layout`; its last dims stay dense if `sparse_dim`, or
    `dense_dim`, says so.

    >>> torch.eye(2).to_sparse().values()
    tensor([1., 1.])
    """
    if layout is None or layout is sparse_coo:
        if blocksize is not None:
            raise RuntimeError(
                f"to_sparse: only sparse_bsr and sparse_bsc layouts take a blocksize, but got {title(sparse_coo)}"
            )
        if dense_dim is not None:
            raise RuntimeError("to_sparse: a dense_dim argument is for compressed layouts: give sparse_dim")
        if not isinstance(self, SparseTensor):
            return from_dense(self, sparse_dim)
        if sparse_dim not in (None, self.sparse_dim()):
            raise RuntimeError(
                f"to_sparse: conversion from {title(self.layout)} to Sparse with sparse_dim argument !=self.sparse_dim() is not supported"
            )
        return self.to_sparse_coo()
    if layout.name == "strided":
        return self.to_dense()
    method = getattr(self, f"to_{layout.name}")
    if layout.name in ("sparse_bsr", "sparse_bsc"):
        return method(blocksize, dense_dim)
    if blocksize is not None:
        raise RuntimeError("to_sparse: blocksize= is for the layouts sparse_bsr and sparse_bsc")
    return method(dense_dim)


SparseTensor.to_sparse = to_sparse  # type: ignore[attr-defined]


@composite(namespace="Tensor", method=True)
def to_sparse_coo(self: Any) -> Any:
    """The tensor in coordinate form.

    >>> torch.eye(2).to_sparse_coo().layout
    torch.sparse_coo
    """
    return from_dense(self)


@composite(namespace="Tensor", method=True)
def to_dense(self: Any, dtype=None, *, masked_grad=None) -> Any:
    """The tensor itself: it is dense.

    >>> torch.eye(1).to_dense()
    tensor([[1.]])
    """
    return self if dtype is None else self.to(dtype)


def _only_sparse(name: str, kind: str = "sparse coordinate") -> None:
    def fn(self):
        raise RuntimeError(f"{name} expected {kind} tensor layout but got Strided")

    fn.__name__ = name
    fn.__doc__ = f"Raises RuntimeError: `{name}` is there for a {kind} tensor, and this one is strided."
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
    """Returns the number of all dims: the tensor is dense."""
    return self.ndim
