"""Parts of sparse tensors, and their dims: transposing, selecting, joining.
Indices are read where elements are chosen."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.api import Tensor, values_of, wrap_dim
from .._core.api import functions as torch
from .compressed import SparseCompressed, from_parts
from .dispatch import IN_PLACE, handles
from .tensors import SparseCoo, SparseTensor, index_of, title, unsupported

__all__ = ["t", "transpose"]


def _coo(name: str, input: Any) -> None:
    if not isinstance(input, SparseCoo):
        unsupported(f"{name}() of the layout {title(input.layout)}")


def _permuted(s: SparseCoo, order: list[int]) -> SparseCoo:
    """Sparse dims in another order, and dense dims in another order."""
    n = s.sparse_dim()
    numbers: Any = s._numbers
    if order[n:] != list(range(n, len(order))):
        numbers = numbers.permute(0, *[d - n + 1 for d in order[n:]])
    same = order[:n] == list(range(n))
    index = s._index if same else s._index[order[:n]]  # type: ignore[index]
    return SparseCoo.make(index, numbers, tuple([s.shape[d] for d in order]), s._coalesced and same)


@handles("transpose")
def transpose(input: Any, dim0: int, dim1: int) -> Any:
    """Two dims exchanged: both sparse, or, of compressed tensors, row and column, or two of the batch."""
    d0, d1 = wrap_dim(dim0, input.ndim), wrap_dim(dim1, input.ndim)
    if d0 == d1:
        return input
    order = list(range(input.ndim))
    order[d0], order[d1] = d1, d0
    if isinstance(input, SparseCoo):
        n = input.sparse_dim()
        if max(d0, d1) >= n:
            raise RuntimeError(
                f"sparse transpose: transposed dimensions must be sparse Got sparse_dim: {n}, d0: {d0}, d1: {d1}"
            )
        return _permuted(input, order)
    n = input._batch()
    kinds = ["Batch" if d < n else "Sparse" if d < n + 2 else "Dense" for d in (d0, d1)]
    if kinds[0] != kinds[1]:
        raise RuntimeError(
            "transpose(): can only transpose dimensions of the same type (Batch, Sparse, Dense), got "
            f"{d0}({kinds[0]}) and {d1}({kinds[1]})"
        )
    if kinds[0] == "Sparse":
        return input._transposed()
    if kinds[0] == "Dense":
        inside = 1 + 2 * input._blocked() - 2
        return input._with(input._numbers.transpose(d0 + inside, d1 + inside))
    parts = [x.transpose(d0, d1) for x in (input._begins, input._places, input._numbers)]
    return from_parts(input.layout, *parts, tuple([input.shape[d] for d in order]))


@handles("t")
def t(input: Any) -> Any:
    """Transposed: a matrix with its dims exchanged, a vector or a scalar as it is."""
    if isinstance(input, SparseCoo):
        sparse, dense = input.sparse_dim(), input.dense_dim()
        if input.ndim and (sparse > 2 or dense):
            raise RuntimeError(
                f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {sparse} sparse and {dense} dense dimensions"
            )
    elif input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return transpose(input, 0, 1) if input.ndim == 2 else input


IN_PLACE.update(("t", "transpose"))


@handles("mT")
def _mt(input: Any) -> Any:
    return transpose(input, -2, -1)


@handles("mH")
def _mh(input: Any) -> Any:
    made = transpose(input, -2, -1)
    return made._with(made._numbers.conj())


def _reversed(input: Any) -> Any:
    return input if input.ndim < 2 else _permute(input, *reversed(range(input.ndim)))


for _attribute, _fn in (("T", _reversed), ("mT", _mt), ("H", _mh), ("mH", _mh)):
    setattr(SparseTensor, _attribute, property(_fn, doc="Transposed."))


@handles("permute")
def _permute(input: Any, *dims: Any) -> Any:
    _coo("permute", input)
    given = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
    if len(given) != input.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of "
            f"dimensions i.e. input.dim() = {input.ndim} is not equal to len(dims) = {len(given)}"
        )
    order = [wrap_dim(d, input.ndim) for d in given]
    if len(set(order)) < len(order):
        raise RuntimeError("permute(sparse_coo): duplicate dims are not allowed.")
    n = input.sparse_dim()
    if sorted(order[:n]) != list(range(n)):
        raise RuntimeError(
            "permute(sparse_coo): transpositions between sparse and dense dimensions are not allowed.Got sparse_dim: "
            f"{n}"
        )
    return _permuted(input, order)


# -- parts -------------------------------------------------------------------------------------------------------------


def _position(input: Any, dim: int, index: int) -> int:
    size = input.shape[dim]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input.shape)} at dimension {dim}"
        )
    return index % size


@handles("select")
def _select(input: Any, dim: int, index: int) -> Any:
    if not input.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    d = wrap_dim(dim, input.ndim)
    i = _position(input, d, int(index))
    if isinstance(input, SparseCompressed):
        n = input._batch()
        if d >= n + 2:
            return input._with(input._numbers.select(d - 1 + 2 * input._blocked(), i))
        if d < n:
            parts = [x.select(d, i) for x in (input._begins, input._places, input._numbers)]
            return from_parts(input.layout, *parts, (*input.shape[:d], *input.shape[d + 1 :]))
        if n or input._blocked():
            unsupported("selecting rows or columns of batches or blocks")
        made = _select(input.to_sparse_coo(), d, i)
        return made._coalesced_(True) if isinstance(made, SparseCoo) else made
    n = input.sparse_dim()
    if d >= n:
        return input._with(input._numbers.select(d - n + 1, i))._uncoalesced()
    where = index_of(np.nonzero(values_of(input._index)[d] == i)[0], input)
    values = input._numbers[where]
    if n == 1:
        return values.sum(0, dtype=input.dtype)
    rest = [k for k in range(n) if k != d]
    index_left = input._index[:, where][rest]
    return SparseCoo.make(index_left, values, tuple([s for k, s in enumerate(input.shape) if k != d]))


def _chosen(input: SparseCoo, dim: int, positions: np.ndarray) -> SparseCoo:
    """The parts at these positions of a sparse dim, in their order."""
    along = values_of(input._index)[dim]
    order = np.argsort(along, kind="stable")
    first = np.searchsorted(along[order], positions, "left")
    counts = np.searchsorted(along[order], positions, "right") - first
    ends = counts.cumsum()
    offset = np.arange(int(counts.sum())) - np.repeat(ends - counts, counts)
    where = order[np.repeat(first, counts) + offset]
    index = values_of(input._index)[:, where].copy()
    index[dim] = np.repeat(np.arange(positions.size), counts)
    shape = (*input.shape[:dim], positions.size, *input.shape[dim + 1 :])
    return SparseCoo.make(index_of(index, input), input._numbers[index_of(where, input)], shape)  # type: ignore[index]


@handles("index_select")
def _index_select(input: Any, dim: int, index: Any) -> Any:
    _coo("index_select", input)
    if index.ndim != 1:
        raise IndexError("index_select() argument index must be 1-D long-tensor.")
    d = wrap_dim(dim, input.ndim)
    n = input.sparse_dim()
    if d >= n:
        return input._with(input._numbers.index_select(d - n + 1, index))._uncoalesced()
    positions = values_of(index).astype(np.int64)
    size = input.shape[d]
    if positions.size and (positions.min() < -size or positions.max() >= size):
        raise IndexError(
            f"index_select(): index contains an out of range value for a dimension of size {size}"
        )
    return _chosen(input, d, positions % max(size, 1))


@handles("narrow_copy")
def _narrow_copy(input: Any, dim: int, start: int, length: int) -> Any:
    _coo("narrow_copy", input)
    d = wrap_dim(dim, input.ndim)
    if start < 0 or length < 0 or start + length > input.shape[d]:
        raise RuntimeError(
            f"Invalid range to narrow. range(start, start+length) must be a subset of range(0, {input.shape[d]})."
        )
    n = input.sparse_dim()
    if d >= n:
        return input._with(input._numbers.narrow(d - n + 1, start, length))
    index = values_of(input._index)
    where = np.nonzero((index[d] >= start) & (index[d] < start + length))[0]
    inside = index[:, where].copy()
    inside[d] -= start
    shape = (*input.shape[:d], length, *input.shape[d + 1 :])
    return SparseCoo.make(
        index_of(inside, input), input._numbers[index_of(where, input)], shape, input._coalesced
    )


@handles("getitem")
def _getitem(input: Any, index: Any) -> Any:
    parts = list(index) if isinstance(index, tuple) else [index]
    if any(
        (isinstance(p, Tensor) and p.ndim) or not isinstance(p, int | slice | type(None) | type(...) | Tensor)
        for p in parts
    ):  # type: ignore[attr-defined]
        unsupported("indexing with tensors or lists")
    if sum(p is Ellipsis for p in parts) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    taking = sum(p is not None and p is not Ellipsis for p in parts)
    if taking > input.ndim:
        raise IndexError(f"too many indices for tensor of dimension {input.ndim}")
    made, d = input, 0
    for p in parts:
        if p is Ellipsis:
            d += input.ndim - taking
        elif p is None:
            made, d = made.unsqueeze(d), d + 1
        elif isinstance(p, slice):
            if (p.start, p.stop, p.step) != (None, None, None):
                unsupported("indexing with a slice")
            d += 1
        else:
            size = made.shape[d]
            if not -size <= int(p) < size:
                raise IndexError(f"index {int(p)} is out of bounds for dimension {d} with size {size}")
            made = made.select(d, int(p))
    return made


@handles("unbind")
def _unbind(input: Any, dim: int = 0) -> tuple:
    return tuple([_select(input, dim, i) for i in range(input.shape[wrap_dim(dim, input.ndim)])])


# -- dims of size 1, and joining ---------------------------------------------------------------------------------------


@handles("unsqueeze")
def _unsqueeze(input: Any, dim: int) -> Any:
    _coo("unsqueeze", input)
    d = wrap_dim(dim, input.ndim + 1)
    n = input.sparse_dim()
    if d > n:
        return input._with(input._numbers.unsqueeze(d - n + 1))._uncoalesced()
    index = torch.cat([input._index[:d], torch.zeros_like(input._index[:1]), input._index[d:]])
    return SparseCoo.make(index, input._numbers, (*input.shape[:d], 1, *input.shape[d:]))


@handles("squeeze")
def _squeeze(input: Any, dim: Any = None) -> Any:
    _coo("squeeze", input)
    asked = range(input.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    gone = {wrap_dim(d, input.ndim) for d in asked if input.shape[d] == 1}
    n = input.sparse_dim()
    kept = [d for d in range(n) if d not in gone]
    index = input._index if len(kept) == n else input._index[kept]
    dense = [s for d, s in enumerate(input.shape) if d >= n and d not in gone]
    values = input._numbers.reshape(input._nnz(), *dense)
    return SparseCoo.make(index, values, (*[input.shape[d] for d in kept], *dense), input._coalesced)


@handles("reshape", "view", "flatten", "unflatten")
def _reshape(input: Any, *args, **kwargs) -> Any:
    raise RuntimeError("reshape is not implemented for sparse tensors")


@handles("expand", "expand_as", "broadcast_to")
def _expand(input: Any, *args, **kwargs) -> Any:
    raise RuntimeError(f"expand is unsupported for {title(input.layout)} tensors")


@handles("cat")
def _cat(tensors: Any, dim: int = 0) -> Any:
    ts = list(tensors)
    if not all(isinstance(s, SparseCoo) for s in ts):
        at = next(i for i, s in enumerate(ts) if not isinstance(s, SparseCoo))
        if isinstance(ts[at], SparseTensor):
            unsupported("cat() of compressed tensors")
        raise RuntimeError(f"Concatenating sparse tensors, but a dense tensor was found at position {at}.")
    first = ts[0]
    d, n = wrap_dim(dim, first.ndim), first.sparse_dim()
    for i, s in enumerate(ts):
        if (s.sparse_dim(), s.dense_dim()) != (n, first.dense_dim()):
            raise RuntimeError(
                "All tensors must have the same number of sparse and dense dimensions; tensor at position "
                f"{i} has {s.sparse_dim()} and {s.dense_dim()}, the first {n} and {first.dense_dim()}"
            )
        if any(k != d and a != b for k, (a, b) in enumerate(zip(first.shape, s.shape))):
            raise RuntimeError(
                f"All tensors must have the same shape: {list(first.shape)} (except in the concatenating dimension), but found shape: "
                f"{list(s.shape)} at position {i}."
            )
    dtype = ts[0].dtype
    for s in ts[1:]:
        dtype = torch.promote_types(dtype, s.dtype)
    shape = [*first.shape]
    shape[d] = sum(s.shape[d] for s in ts)
    indices, values, before = [], [], 0
    for s in ts:
        index, numbers = s._index, s._numbers.to(dtype)
        if d < n:
            shift = torch.zeros((n, 1), dtype=index.dtype, device=index.device)
            shift[d] = before
            index = index + shift
        else:
            place = d - n + 1
            around = [*numbers.shape]
            around[place] = before
            left = torch.zeros(tuple(around), dtype=dtype, device=s.device)
            around[place] = shape[d] - before - s.shape[d]
            numbers = torch.cat(
                [left, numbers, torch.zeros(tuple(around), dtype=dtype, device=s.device)], place
            )
        indices.append(index)
        values.append(numbers)
        before += s.shape[d]
    return SparseCoo.make(torch.cat(indices, 1), torch.cat(values), tuple(shape))


@handles("stack")
def _stack(tensors: Any, dim: int = 0) -> Any:
    ts = list(tensors)
    if any(tuple(s.shape) != tuple(ts[0].shape) for s in ts):
        raise RuntimeError("stack expects each tensor to be equal size")
    return _cat([_unsqueeze(s, dim) for s in ts], wrap_dim(dim, ts[0].ndim + 1))


@handles("hstack")
def _hstack(tensors: Any) -> Any:
    return _cat(tensors, 0 if tensors[0].ndim == 1 else 1)


@handles("vstack")
def _vstack(tensors: Any) -> Any:
    return _cat([_unsqueeze(s, 0) if s.ndim == 1 else s for s in tensors], 0)
