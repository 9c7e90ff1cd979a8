"""Compressed forms: by rows (CSR), by columns (CSC), and by rows or columns of blocks (BSR, BSC); also batches, and
dense dims.

Each is a *grid* in coordinate form, in a different notation: the sparse dims of the grid are the batch, the row and
the column (of blocks); a block is two dense dims of it. Operations that are complicated in the compressed notation
use the grid.
"""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np

from .._core.api import composite, sparse_bsc, sparse_bsr, sparse_csc, sparse_csr, values_of
from .dispatch import handles
from .tensors import SparseCoo, SparseTensor, index_of, made, shown, title

__all__ = ["NAMES", "SparseCompressed", "by_rows", "check", "compress", "from_grid", "from_parts"]

NAMES = {
    sparse_csr: ("crow_indices", "col_indices"), sparse_csc: ("ccol_indices", "row_indices"),
    sparse_bsr: ("crow_indices", "col_indices"), sparse_bsc: ("ccol_indices", "row_indices"),
}  # fmt: skip
"""Names of the two kinds of indices: where each row or column begins, and where in it each value stands."""

_BLOCKED = (sparse_bsr, sparse_bsc)
_TRANSPOSED = {
    sparse_csr: sparse_csc,
    sparse_csc: sparse_csr,
    sparse_bsr: sparse_bsc,
    sparse_bsc: sparse_bsr,
}


def by_rows(layout: Any) -> bool:
    """Returns whether it is rows that the layout compresses."""
    return layout in (sparse_csr, sparse_bsr)


class SparseCompressed(SparseTensor):
    """Compressed form: where rows begin (*batch, rows + 1), columns (*batch, nnz), values (*batch, nnz, *block, *dense
    dims); or the other way round."""

    layout = sparse_csr
    _begins: Any
    _places: Any
    _PARTS = ("_begins", "_places", "layout")

    def _with(self, values: Any) -> SparseCompressed:
        first = self._batch() + 2
        shape = (*self.shape[:first], *values.shape[self._batch() + 1 + 2 * self._blocked() :])
        return from_parts(self.layout, self._begins, self._places, values, shape)

    def _same_pattern(self, other: SparseTensor) -> bool:
        if (
            not isinstance(other, SparseCompressed)
            or self.layout is not other.layout
            or self.shape != other.shape
        ):
            return False
        pairs = ((self._begins, other._begins), (self._places, other._places))
        return self._block() == other._block() and all(
            a is b or np.array_equal(values_of(a), values_of(b)) for a, b in pairs
        )

    def _batch(self) -> int:
        """The number of batch dims."""
        return self._begins.ndim - 1

    def _blocked(self) -> bool:
        return self.layout in _BLOCKED

    def _block(self) -> tuple[int, int]:
        at = self._batch() + 1
        return tuple(self._numbers.shape[at : at + 2]) if self._blocked() else (1, 1)  # type: ignore[attr-defined, return-value]

    def _indices_named(self, name: str, number: int) -> Any:
        if NAMES[self.layout][number] != name:
            which = "row" if name in ("crow_indices", "col_indices") else "column"
            raise RuntimeError(
                f"{name} expected sparse {which} compressed tensor layout but got {title(self.layout)}"
            )
        return (self._begins, self._places)[number]

    def crow_indices(self) -> Any:
        """Returns the places where each row of blocks begins."""
        return self._indices_named("crow_indices", 0)

    def col_indices(self) -> Any:
        """The column of each block."""
        return self._indices_named("col_indices", 1)

    def ccol_indices(self) -> Any:
        """Returns the places where each column begins."""
        return self._indices_named("ccol_indices", 0)

    def row_indices(self) -> Any:
        """The row of each value or block."""
        return self._indices_named("row_indices", 1)

    def values(self) -> Any:
        """The values."""
        return self._numbers

    def _nnz(self) -> int:
        return self._places.shape[-1]

    def sparse_dim(self) -> int:
        """2."""
        return 2

    def dense_dim(self) -> int:
        """The number of dims of each value (or of each element of a block)."""
        return self._numbers.ndim - self._batch() - 1 - 2 * self._blocked()  # type: ignore[attr-defined]

    def _of_coordinates(self, name: str) -> NoReturn:
        raise RuntimeError(f"{name} expected sparse coordinate tensor layout but got {title(self.layout)}")

    def is_coalesced(self) -> NoReturn:
        """Not of these forms."""
        self._of_coordinates("is_coalesced")

    def indices(self) -> NoReturn:
        """Not of these forms."""
        self._of_coordinates("indices")

    def coalesce(self) -> NoReturn:
        """Not of these forms."""
        self._of_coordinates("coalesce")

    def _grid(self) -> SparseCoo:
        """Returns the tensor in coordinate form, with blocks as dense dims. Indices are read."""
        begins, places = values_of(self._begins), values_of(self._places)
        count = places.shape[-1]
        batches = begins.shape[:-1]
        many = math.prod(batches)
        flat_begins, flat_places = begins.reshape(many, -1), places.reshape(many, count)
        outer = [np.repeat(np.arange(b.size - 1), np.diff(b)) for b in flat_begins]
        batch = np.repeat(np.arange(len(outer)), count)
        outer_flat = np.concatenate(outer) if outer else np.zeros(0, np.int64)
        pair = (outer_flat, flat_places.reshape(-1))
        index = np.stack(
            [*np.unravel_index(batch, batches), *(pair if by_rows(self.layout) else pair[::-1])]
            if batches
            else pair
            if by_rows(self.layout)
            else pair[::-1]
        )
        values = self._numbers.reshape(-1, *self._numbers.shape[self._batch() + 1 :])  # type: ignore[attr-defined]
        n, (height, width) = self._batch(), self._block()
        rows, columns = self.shape[n] // height, self.shape[n + 1] // width
        shape = (*self.shape[:n], rows, columns, *values.shape[1:])
        flat = np.ravel_multi_index(tuple(index), shape[: n + 2]) if index.size else np.zeros(0)
        return SparseCoo.make(index_of(index, values), values, shape, bool((np.diff(flat) > 0).all()))

    def to_sparse_coo(self) -> SparseCoo:
        """Returns the tensor in coordinate form."""
        grid = self._grid()
        if not self._blocked():
            return grid.coalesce()
        height, width = self._block()
        *batch, rows, columns = values_of(grid._index)
        shape = (grid._nnz(), height, width)
        rows = rows.reshape(-1, 1, 1) * height + np.arange(height).reshape(1, -1, 1)
        columns = columns.reshape(-1, 1, 1) * width + np.arange(width)
        parts = [np.broadcast_to(p, shape) for p in (*[b.reshape(-1, 1, 1) for b in batch], rows, columns)]
        index = index_of(np.stack([p.reshape(-1) for p in parts]), self)
        values = grid._numbers.reshape(-1, *grid._numbers.shape[3:])  # type: ignore[attr-defined]
        return SparseCoo.make(index, values, tuple(self.shape))

    def to_dense(self, dtype=None, *, masked_grad=None) -> Any:
        """The tensor with its zeros.

        >>> torch.sparse_csr_tensor([0, 1, 2], [1, 0], [1.0, 2.0]).to_dense()
        tensor([[0., 1.],
                [2., 0.]])
        """
        return self.to_sparse_coo().to_dense(dtype)

    def _transposed(self) -> SparseCompressed:
        """Exchanges rows and columns: the same parts, read the other way round."""
        n = self._batch()
        values: Any = self._numbers.transpose(n + 1, n + 2) if self._blocked() else self._numbers  # type: ignore[attr-defined]
        shape = (*self.shape[:n], self.shape[n + 1], self.shape[n], *self.shape[n + 2 :])
        return from_parts(_TRANSPOSED[self.layout], self._begins, self._places, values, shape)

    def __repr__(self, *args, **kwargs) -> str:
        begins, places = NAMES[self.layout]
        parts = {begins: self._begins, places: self._places, "values": self._numbers.detach()}  # type: ignore[attr-defined]
        lines = shown(parts, self, on_new_line=False).split("\n")
        return "\n".join([line.rstrip() for line in lines])


def from_parts(layout: Any, begins: Any, places: Any, values: Any, shape: tuple) -> SparseCompressed:
    """The compressed tensor of checked parts."""
    t = made(SparseCompressed, values, shape)
    t.layout, t._begins, t._places = layout, begins, places
    return t


def from_grid(grid: SparseCoo, layout: Any) -> SparseCompressed:
    """The compressed tensor of a grid whose blocks, if the layout has them, are its first two dense dims."""
    grid = grid.coalesce()
    batches = tuple(grid.shape[: grid.sparse_dim() - 2])
    rows, columns = grid.shape[len(batches) : len(batches) + 2]
    *batch, r, c = values_of(grid._index)
    outer, inner, count = (r, c, rows) if by_rows(layout) else (c, r, columns)
    number = np.ravel_multi_index(tuple(batch), batches) if batch else np.zeros(r.size, np.int64)
    per_batch = np.bincount(number, minlength=math.prod(batches))
    if per_batch.size and (per_batch != per_batch[0]).any():
        raise RuntimeError("Expect the same number of specified elements per batch.")
    nnz = int(per_batch[0]) if per_batch.size else 0
    order = np.lexsort((inner, outer, number))
    counts = np.bincount(number * count + outer, minlength=math.prod(batches) * count).reshape(
        math.prod(batches), count
    )
    begins = np.zeros((counts.shape[0], count + 1), np.int64)
    np.cumsum(counts, 1, out=begins[:, 1:])
    values: Any = grid._numbers
    if (order != np.arange(order.size)).any():
        values = values[index_of(order, values)]
    block = tuple(values.shape[1:3]) if layout in _BLOCKED else (1, 1)
    dense = values.shape[3:] if layout in _BLOCKED else values.shape[1:]
    return from_parts(
        layout,
        index_of(begins.reshape(*batches, count + 1), values),
        index_of(inner[order].reshape(*batches, nnz), values),
        values.reshape(*batches, nnz, *values.shape[1:]),
        (*batches, rows * block[0], columns * block[1], *dense),
    )


def compress(t: Any, layout: Any, blocksize: Any = None, dense_dim: int | None = None) -> Any:
    """The compressed form of a dense or sparse tensor: its elements that are not zero, or that are kept, or the blocks
    that have one. They are read."""
    sparse = isinstance(t, SparseTensor)
    origin = "dense" if not sparse else "coo" if isinstance(t, SparseCoo) else "sparse_compressed"
    name = f"{origin}_to_{layout.name}" if origin != "coo" else f"coo_to_{layout.name}"
    if sparse and dense_dim is not None:
        raise RuntimeError(
            f"to_{layout.name}: conversion from {title(t.layout)} to {title(layout)} with dense_dim argument given is not supported"
        )
    dense = t.dense_dim() if sparse else dense_dim or 0
    if not sparse and not 0 <= dense <= max(t.ndim - 2, 0):
        raise RuntimeError(
            f"{name}: dense_dim argument must be in [0,{t.ndim - 2}] range, but {dense} is given"
        )
    if t.ndim - dense < 2 or (isinstance(t, SparseCoo) and t.sparse_dim() != 2):
        what = (
            "for input tensors with sparse_dim()!=2 is not supported" if sparse else "needs at least 2 dims"
        )
        raise RuntimeError(f"{name}: conversion from {title(t.layout)} to {title(layout)} {what}")
    at = t.ndim - dense - 2
    rows, columns = t.shape[at : at + 2]
    height, width = (1, 1) if blocksize is None else tuple(blocksize)
    if height <= 0 or width <= 0 or rows % height or columns % width:
        raise RuntimeError(
            f"{name}: tensor sparse size ({rows},{columns}) must be divisible by given blocksize ({height},{width})"
        )
    if isinstance(t, SparseCompressed) and t._block() == (height, width):
        grid = t._grid()
        if layout in _BLOCKED and not t._blocked():
            grid = grid._with(grid._numbers[:, None, None])  # type: ignore[index]
        elif t._blocked() and layout not in _BLOCKED:
            grid = grid._with(grid._numbers[:, 0, 0])  # type: ignore[index]
        return from_grid(grid, layout)
    if sparse and blocksize is None:
        return from_grid(t.to_sparse_coo(), layout)
    kept = _kept(t, at + 2)
    full = t.to_dense()
    if blocksize is not None:
        cut = (*t.shape[:at], rows // height, height, columns // width, width)
        full = full.reshape(*cut, *t.shape[at + 2 :]).movedim(at + 2, at + 1)
        kept = kept.reshape(cut).any((at + 1, at + 3))
    index = np.stack(np.nonzero(kept))
    values = full[tuple([index_of(i, full) for i in index])]
    return from_grid(SparseCoo.make(index_of(index, values), values, tuple(full.shape), True), layout)


def _kept(t: Any, dims: int) -> np.ndarray:
    """Returns the mask of the elements (or dense parts) of the first dims that are not zero; for a sparse tensor, of
    its stored elements."""
    if isinstance(t, SparseTensor):
        c = t.to_sparse_coo()
        mask = np.zeros(tuple(t.shape[:dims]), bool)
        mask[tuple(values_of(c._index))] = True
        return mask
    mask = values_of(t) != 0
    return mask.reshape((*t.shape[:dims], math.prod(t.shape[dims:]))).any(-1) if dims < t.ndim else mask


# -- checks ------------------------------------------------------------------------------------------------------------


def check(
    layout: Any, begins: Any, places: Any, values: Any, size: Any, order: bool = False
) -> tuple[int, ...]:
    """The shape of the tensor, given or inferred; PyTorch's errors for parts that do not go together. Indices are
    read. `order` says whether the indices of a row are checked to be sorted and distinct: nothing here relies on
    it."""
    first, second = NAMES[layout]
    base = 2 if layout in _BLOCKED else 0
    if begins.ndim < 1:
        raise RuntimeError(f"{first} must have dimensionality >= 1 but got {begins.ndim}")
    if begins.ndim != places.ndim:
        raise RuntimeError(
            f"{first} and {second} dimensionalities must be equal but got {begins.ndim} and {places.ndim}, respectively"
        )
    n = begins.ndim - 1
    if values.ndim <= n + base:
        raise RuntimeError(
            f"values must have dimensionality > sum of batch and block dimensionalities (={n} + {base}) but got {values.ndim}"
        )
    block = tuple(values.shape[n + 1 : n + 3]) if base else (1, 1)
    dense = tuple(values.shape[n + 1 + base :])
    b, p = values_of(begins), values_of(places)
    if size is None:
        counts = (max(b.shape[-1] - 1, 0), int(p.max(initial=-1)) + 1)
        counts = counts if by_rows(layout) else counts[::-1]
        size = (*b.shape[:-1], *[c * k for c, k in zip(counts, block)], *dense)
    size = tuple(size)
    if len(size) != n + 2 + len(dense):
        raise RuntimeError(
            f"tensor dimensionality must be sum of batch, base, and dense dimensionalities (={n} + 2 + {len(dense)}) but got {len(size)}"
        )
    for d in (0, 1) if base else ():
        if size[n + d] % block[d]:
            raise RuntimeError(
                f"tensor shape[{n + d}] (={size[n + d]}) must be divisible with blocksize[{d}] (={block[d]}) as defined by values shape"
            )
    nnz = values.shape[n]
    outer, inner = [size[n + d] // block[d] for d in ((0, 1) if by_rows(layout) else (1, 0))]
    lines, counted = ("row", "ncols") if by_rows(layout) else ("column", "nrows")
    if (
        begins.shape[:n] != places.shape[:n]
        or begins.shape[:n] != values.shape[:n]
        or tuple(begins.shape[:n]) != size[:n]
    ):
        raise RuntimeError(
            f"all batch dimensions of {first} (={list(begins.shape[:n])}), {second} (={list(places.shape[:n])}), values "
            f"(={list(values.shape[:n])}) and of the size (={list(size[:n])}) must be equal"
        )
    if b.shape[-1] != outer + 1:
        raise RuntimeError(
            f"{first}.shape[-1] must be equal to the number of {lines}s + 1 (={outer + 1}), but got {b.shape[-1]}"
        )
    if p.shape[-1] != nnz:
        raise RuntimeError(
            f"{second}.shape[-1] must be equal to nnz (={nnz}) as defined by values.shape[{n}], but got {p.shape[-1]}"
        )
    if tuple(size[n + 2 :]) != dense:
        raise RuntimeError(
            f"values.shape[{n + 1 + base}:] must be equal to the dense part of the size (={list(size[n + 2 :])}), but got {list(dense)}"
        )
    if begins.dtype is not places.dtype:
        names = {"int64": "Long", "int32": "Int"}
        raise RuntimeError(
            f"{first} and {second} must have the same dtype, bot got {names[begins.dtype.name]} and {names[places.dtype.name]}, respectively"
        )
    steps = np.diff(b)
    for holds, rule in (
        ((b[..., 0] == 0).all(), f"{first}[..., 0] == 0"),
        ((b[..., -1] == nnz).all(), f"{first}[..., -1] == nnz"),
        (((p >= 0) & (p < inner)).all(), f"0 <= {second} < {counted}"),
        (((steps >= 0) & (steps <= inner)).all(), f"0 <= {first}[..., 1:] - {first}[..., :-1] <= {counted}"),
    ):
        if not holds:
            raise RuntimeError(f"`{rule}` is not satisfied.")
    for begin, place in zip(b.reshape(-1, b.shape[-1]), p.reshape(-1, nnz)) if order else ():
        inside = np.ones(nnz, bool)
        inside[begin[begin < nnz]] = False  # the first of each row has nothing before it
        if (np.diff(place) <= 0)[inside[1:]].any():
            counts = "nrows" if by_rows(layout) else "ncols"
            raise RuntimeError(
                f"`{second}[..., {first}[..., i - 1]:{first}[..., i]] for all i = 1, ..., {counts} are sorted and distinct along the last "
                "dimension values` is not satisfied."
            )
    return size


# -- conversions -------------------------------------------------------------------------------------------------------


def _conversion(layout: Any) -> None:
    if layout in _BLOCKED:

        def fn(self, blocksize, dense_dim=None):  # pyright: ignore[reportRedeclaration]
            if self.layout is layout and self._block() == tuple(blocksize):
                return self
            return compress(self, layout, blocksize, dense_dim)

    else:

        def fn(self, dense_dim=None):
            if self.layout is layout:
                return self
            return compress(self, layout, None, dense_dim)

    fn.__name__ = fn.__qualname__ = f"to_{layout.name}"
    fn.__doc__ = f"The matrix (or batch of matrices) in {layout.name.removeprefix('sparse_').upper()} form; `dense_dim` dims at the end stay dense.\n\n    >>> torch.eye(2).to_{layout.name}({'(1, 1)' if 'b' in layout.name.rpartition('_')[2] else ''}).layout\n    {layout}\n    "
    setattr(SparseTensor, fn.__name__, fn)
    composite(fn, namespace="Tensor", method=True)


for _layout in NAMES:
    _conversion(_layout)


_SUFFIX = {"crow_indices": "_csr", "col_indices": "_csr", "ccol_indices": "_csc", "row_indices": "_csc"}


def _copy(method: str) -> None:
    def fn(input, *, out=None):
        if out is not None:
            raise NotImplementedError(f"{method}_copy: out= is not supported")
        return getattr(input, method)().clone()

    fn.__name__ = fn.__qualname__ = f"{method}_copy"
    fn.__doc__ = f"A copy of `input.{method}()`; RuntimeError for other layouts.\n\n    >>> x = torch.eye(2).to_sparse{_SUFFIX.get(method, '')}()\n    >>> torch.equal(torch.{method}_copy(x), x.{method}())\n    True\n    "
    handles(fn.__name__)(lambda input: getattr(input, method)().clone())
    composite(fn)


for _name in ("values", "indices", "crow_indices", "col_indices", "ccol_indices", "row_indices"):
    _copy(_name)
