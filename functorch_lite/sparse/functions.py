"""torch.sparse.mm and its kin, sums and softmax; torch.mm, torch.matmul, … for sparse arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.api import composite, values_of, wrap_dim
from .._core.api import functions as torch
from .compressed import SparseCompressed, from_grid
from .dispatch import IN_PLACE, handles
from .pointwise import add
from .tensors import SparseCoo, SparseTensor, index_of, title, unsupported

__all__ = ["addmm", "log_softmax", "mm", "sampled_addmm", "softmax", "spsolve", "sum"]

_REDUCTIONS = {"sum": "sum", "mean": "mean", "amax": "amax", "amin": "amin"}


def mm(mat1: Any, mat2: Any, reduce: str = "sum") -> Any:
    """The product of a sparse matrix and a dense matrix or vector (dense), or of two sparse ones (sparse).

    reduce: "sum", or, of a CSR matrix, "mean", "amax" or "amin" of the products that would be added.

    >>> torch.sparse.mm(torch.eye(2).to_sparse(), torch.ones(2, 1))
    tensor([[1.],
            [1.]])
    """
    if reduce not in _REDUCTIONS:
        raise ValueError(f"reduce argument must be either sum, mean, amax or amin, got {reduce}")
    if not isinstance(mat1, SparseTensor):
        return _from_the_right(mat1, mat2) if isinstance(mat2, SparseTensor) else torch.mm(mat1, mat2)
    if reduce != "sum" and not mat1.is_sparse_csr:
        unsupported(f"reduce={reduce!r} of the layout {title(mat1.layout)}")
    left = mat1.to_sparse_coo()
    if left.ndim != 2 or left.dense_dim():
        unsupported("a product of more or fewer than 2 dims")
    if mat2.ndim not in (1, 2):
        raise RuntimeError(f"addmm: matrices expected, got {mat2.ndim}D tensor")
    if mat2.shape[0] != left.shape[1]:
        raise RuntimeError(_mismatch(mat1, mat2))
    if isinstance(mat2, SparseTensor):
        return _of_two(mat1, mat2)
    if mat2.dtype is not left.dtype:
        raise RuntimeError(
            f"expected scalar type {left.dtype.scalar_name} but found {mat2.dtype.scalar_name}"
        )
    rows, columns = left._indices().unbind(0)
    found = mat2.index_select(0, columns)
    parts = left._numbers * found if mat2.ndim == 1 else left._numbers.unsqueeze(1) * found
    zeros = torch.zeros((left.shape[0], *mat2.shape[1:]), dtype=left.dtype, device=left.device)
    if reduce == "sum":
        return zeros.index_add(0, rows, parts)
    return zeros.index_reduce(0, rows, parts, reduce, include_self=False)


def _from_the_right(dense: Any, s: Any) -> Any:
    """dense @ s."""
    sizes = (*dense.shape, *s.shape)
    if len(sizes) == 4 and dense.shape[-1] != s.shape[0] and not isinstance(s, SparseCoo):
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})".format(*sizes))
    return mm(_transposed(s), dense) if dense.ndim == 1 else mm(_transposed(s), dense.mT).mT


def _transposed(s: Any) -> Any:
    c = s.to_sparse_coo()
    if c.ndim != 2 or c.dense_dim():
        unsupported("a product of more or fewer than 2 dims")
    return c.t()


def _of_two(a: Any, b: Any) -> Any:
    """The product of two sparse matrices, in the layout of the first: of each element of one with the row of the other
    that it meets."""
    left, right = a.to_sparse_coo().coalesce(), b.to_sparse_coo().coalesce()
    (rows, inner), (begins, columns) = values_of(left._index), values_of(right._index)
    first = np.searchsorted(begins, inner, "left")
    counts = np.searchsorted(begins, inner, "right") - first
    mine = np.repeat(np.arange(inner.size), counts)
    its = np.repeat(first, counts) + np.arange(mine.size) - np.repeat(counts.cumsum() - counts, counts)
    values = left._numbers[index_of(mine, left)] * right._numbers[index_of(its, left)]  # type: ignore[index]
    index = index_of(np.stack([rows[mine], columns[its]]), left)
    made = SparseCoo.make(index, values, (left.shape[0], right.shape[1])).coalesce()
    if isinstance(a, SparseCoo):
        return made
    layout = a.layout if not a._blocked() else None
    return from_grid(made, layout) if layout else unsupported("a product of two matrices of blocks")


def _mismatch(mat1: Any, mat2: Any) -> str:
    """The sentence about two sizes that should be the same; each layout has its own."""
    (rows, columns), size = mat1.shape, mat2.shape[0]
    coordinates = isinstance(mat1, SparseCoo)
    if mat2.ndim == 1:
        return (
            "mv: expected self.size(-1) == vec.size(-1)"
            if coordinates
            else f"size mismatch, got input ({rows}), mat ({rows}x{columns}), vec ({size})"
        )
    if coordinates and not isinstance(mat2, SparseTensor):
        return f"addmm: Argument #3 (dense): Expected dim 0 size {columns}, got {size}"
    return f"mat1 and mat2 shapes cannot be multiplied ({rows}x{columns} and {size}x{mat2.shape[1]})"


def addmm(mat: Any, mat1: Any, mat2: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """beta * mat + alpha * (mat1 @ mat2) with a sparse mat1.

    >>> torch.sparse.addmm(torch.ones(1, 1), torch.ones(1, 2).to_sparse(), torch.ones(2, 1), alpha=2)
    tensor([[5.]])
    """
    product = mm(mat1, mat2) if alpha == 1 else mm(mat1, mat2) * alpha
    scaled = mat if beta == 1 else mat * beta
    if isinstance(product, SparseTensor) or isinstance(scaled, SparseTensor):
        return add(scaled, product)
    return scaled + product


handles("mm", "mv")(mm)
handles("addmm", "addmv")(addmm)
IN_PLACE.update(("addmm", "addmv"))


@handles("matmul")
def _matmul(input: Any, other: Any) -> Any:
    if 3 in (input.ndim, other.ndim) and isinstance(input, SparseCoo):
        return _bmm(input, other)
    return mm(input, other)


@handles("rmatmul")
def _rmatmul(input: Any, other: Any) -> Any:
    return mm(other, input)


@handles("smm")
def _smm(input: Any, mat2: Any) -> Any:
    """The product, which stores the rows that the sparse matrix stores."""
    dense = mm(input, mat2)
    held = np.unique(values_of(input.to_sparse_coo()._index)[0])
    index = np.stack([np.repeat(held, dense.shape[1]), np.tile(np.arange(dense.shape[1]), held.size)])
    at = index_of(index, dense)
    return SparseCoo.make(at, dense[tuple(at.unbind(0))], tuple(dense.shape))


@composite
def smm(input: Any, mat2: Any) -> Any:
    """The product of a sparse and a dense matrix, as a sparse tensor.

    >>> torch.smm(torch.eye(2).to_sparse(), torch.ones(2, 2)).layout
    torch.sparse_coo
    """
    if not isinstance(input, SparseTensor):
        raise RuntimeError("smm: expected a sparse matrix")
    return _smm(input, mat2)


@composite
def spmm(input: Any, mat2: Any) -> Any:
    """torch.mm.

    >>> torch.spmm(torch.eye(2).to_sparse(), torch.ones(2, 1))
    tensor([[1.],
            [1.]])
    """
    return torch.mm(input, mat2)


@composite
def dsmm(input: Any, mat2: Any) -> Any:
    """torch.mm, under an older name.

    >>> torch.dsmm(torch.eye(2).to_sparse(), torch.ones(2, 1))
    tensor([[1.],
            [1.]])
    """
    return torch.mm(input, mat2)


@handles("bmm")
def _bmm(input: Any, mat2: Any) -> Any:
    """The products of a batch of sparse matrices and a batch of dense ones."""
    if (
        not isinstance(input, SparseCoo)
        or isinstance(mat2, SparseTensor)
        or input.ndim != 3
        or mat2.ndim != 3
    ):
        unsupported("bmm() of anything but sparse COO and dense batches")
    if input.dense_dim():
        unsupported("bmm() of dense dims")
    if input.shape[0] != mat2.shape[0] or input.shape[2] != mat2.shape[1]:
        raise RuntimeError("bmm_sparse: Tensors must have same batch size and the inner dims must be equal")
    batch, rows, columns = input._index.unbind(0)  # type: ignore[attr-defined]
    parts = input._numbers.unsqueeze(1) * mat2[batch, columns]  # type: ignore[attr-defined]
    zeros = torch.zeros((*input.shape[:2], mat2.shape[2]), dtype=parts.dtype, device=parts.device)
    return torch.index_put(zeros, (batch, rows), parts, accumulate=True)


@handles("linear")
def _linear(input: Any, weight: Any, bias: Any = None) -> Any:
    if isinstance(input, SparseTensor):
        made = mm(input, weight.t())
    else:
        flat = input.reshape(-1, input.shape[-1])
        made = mm(weight, flat.t()).t().reshape(*input.shape[:-1], weight.shape[0])
    return made if bias is None else made + bias


def sampled_addmm(
    input: Any, mat1: Any, mat2: Any, *, beta: float = 1.0, alpha: float = 1.0, out: Any = None
) -> Any:
    """beta * input + alpha * (mat1 @ mat2) at the elements that `input`, in CSR form, holds; no others are computed.

    >>> torch.sparse.sampled_addmm(torch.eye(2).to_sparse_csr(), torch.ones(2, 3), torch.ones(3, 2)).values()
    tensor([4., 4.])
    """
    if not (isinstance(input, SparseTensor) and input.is_sparse_csr):
        found = title(input.layout)
        raise RuntimeError(f"Expected input to have sparse csr layout, but got {found}")
    if out is not None or input.ndim != 2 or input.dense_dim():
        unsupported("sampled_addmm() of batches, or with out=,")
    if isinstance(mat1, SparseTensor) or isinstance(mat2, SparseTensor):
        raise RuntimeError("Expected mat1 and mat2 to have strided layout")
    if mat1.shape[1] != mat2.shape[0]:
        (a, b), (c, d) = mat1.shape, mat2.shape
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({a}x{b} and {c}x{d})")
    if (mat1.shape[0], mat2.shape[1]) != tuple(input.shape):
        raise RuntimeError(
            f"self.shape[-2] == mat1.shape[-2] and self.shape[-1] == mat2.shape[-1] is not satisfied: {tuple(input.shape)} and "
            f"{(mat1.shape[0], mat2.shape[1])}"
        )
    rows, columns = input._grid()._index.unbind(0)
    products = (mat1[rows] * mat2.t()[columns]).sum(-1)
    return input._with(input._numbers * beta + products * alpha)


def spsolve(input: Any, other: Any, *, left: bool = True) -> Any:
    """The solution of a sparse system, in PyTorch on CUDA alone: raises here as there."""
    unsupported("torch.sparse.spsolve, which PyTorch has on CUDA alone,")


# -- sums ------------------------------------------------------------------------------------------------------------


def sum(input: Any, dim: Any = None, dtype: Any = None) -> Any:
    """The sum of all elements, or along dims: a sparse tensor if sparse dims are left, else a dense one.

    >>> torch.sparse.sum(torch.eye(2).to_sparse(), 0).to_dense()
    tensor([1., 1.])
    """
    if not isinstance(input, SparseTensor):
        return torch.sum(input, dim, dtype=dtype) if dim is not None else torch.sum(input, dtype=dtype)
    if dim is None:
        return input._numbers.sum(dtype=dtype)
    if isinstance(input, SparseCompressed):
        raise RuntimeError(
            f"reduction operations on {title(input.layout)[6:].upper()} tensors with keepdim=False is unsupported"
        )
    given = [dim] if isinstance(dim, int) else list(dim)
    dims = {wrap_dim(d, input.ndim) for d in given}
    if len(dims) < len(given):
        raise RuntimeError(f"dim {given[-1]} appears multiple times in the list of dims")
    n = input.sparse_dim()
    values: Any = input._numbers
    inside = [d - n + 1 for d in dims if d >= n]
    values = values.sum(inside, dtype=dtype) if inside else values.to(dtype or _summed(input.dtype))
    kept = [d for d in range(n) if d not in dims]
    if not kept:
        return values.sum(0)
    shape = tuple([s for d, s in enumerate(input.shape) if d not in dims])
    if len(kept) == n:
        return SparseCoo.make(input._index, values, shape, input._coalesced)
    return SparseCoo.make(input._index[kept], values, shape).coalesce()  # type: ignore[index]


def _summed(dtype: Any) -> Any:
    """The dtype of a sum."""
    return torch.sum(torch.zeros(1, dtype=dtype)).dtype


@handles("sum")
def _sum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    dims = dim if dim != () and dim != [] else None
    if not keepdim or dims is None:
        return sum(input, dims, dtype)
    wrapped = {wrap_dim(d, input.ndim) for d in ([dim] if isinstance(dim, int) else dim)}
    if isinstance(input, SparseCompressed):
        if input.ndim != 2 or input._blocked() or dtype is not None:
            unsupported("sum() of batches, blocks or dense dims")
        return _kept_rows(input, wrapped)
    made = sum(input, dims, dtype)
    for d in sorted(wrapped):
        made = made.unsqueeze(d)
    return made


def _kept_rows(input: Any, dims: set[int]) -> Any:
    """The sums of a compressed matrix along dims, which stay as dims of size 1, in the same layout."""
    grid = input._grid()
    index = torch.stack(
        [torch.zeros_like(row) if d in dims else row for d, row in enumerate(grid._index.unbind(0))]
    )
    shape = tuple([1 if d in dims else s for d, s in enumerate(grid.shape)])
    return from_grid(SparseCoo.make(index, grid._numbers, shape), input.layout)


@handles("any")
def _any(input: Any, *args, **kwargs) -> Any:
    if args or kwargs:
        unsupported("any() along a dim")
    return input._numbers.any()


@handles("norm")
def _norm(input: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    if keepdim or (dim is not None and len([dim] if isinstance(dim, int) else dim) < input.ndim):
        unsupported("norm() along some of the dims")
    s = input.coalesce() if isinstance(input, SparseCoo) else input
    return torch.norm(s._numbers.reshape(-1), p, dtype=dtype)


def _normalized(input: Any, dim: int, dtype: Any, log: bool) -> Any:
    """softmax of the stored elements: over the elements that differ in no other dim."""
    plain = torch.log_softmax if log else torch.softmax
    if not isinstance(input, SparseTensor):
        return plain(input, dim, dtype=dtype)
    if not isinstance(input, SparseCoo):
        unsupported(f"softmax of the layout {title(input.layout)}")
    s = input.coalesce()
    s = s if dtype is None else s.to(dtype)
    d, n = wrap_dim(dim, s.ndim), s.sparse_dim()
    if d >= n:
        return s._with(plain(s._numbers, d - n + 1))
    others = [k for k in range(n) if k != d]
    index = values_of(s._index)
    pool = (
        np.ravel_multi_index(tuple(index[others]), [s.shape[k] for k in others])
        if others
        else np.zeros(index.shape[1], np.int64)
    )
    pools, which = np.unique(pool, return_inverse=True)
    at = index_of(which.reshape(-1), s)
    shape = (len(pools), *s._numbers.shape[1:])
    low = torch.full(shape, -float("inf"), dtype=s.dtype, device=s.device)
    top = low.index_reduce(0, at, s._numbers.detach(), "amax") if len(pools) else low  # type: ignore[attr-defined]
    shifted = s._numbers - top[at]
    total = torch.zeros(shape, dtype=s.dtype, device=s.device).index_add(0, at, shifted.exp())
    return s._with(shifted - total.log()[at] if log else shifted.exp() / total[at])


def softmax(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """softmax along dim of the elements that are kept; the others count as -inf.

    >>> torch.sparse.softmax(torch.eye(2).to_sparse(), 1).values()
    tensor([1., 1.])
    """
    return _normalized(input, dim, dtype, False)


def log_softmax(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """log_softmax along dim of the elements that are kept; the others count as -inf.

    >>> torch.sparse.log_softmax(torch.eye(2).to_sparse(), 1).values()
    tensor([0., 0.])
    """
    return _normalized(input, dim, dtype, True)
