"""The other compressed forms of a matrix: by columns (CSC), and by rows or columns of blocks (BSR, BSC).

They are made, converted, shown, scaled and multiplied by dense matrices; gradients flow through their values. For anything else convert them.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from .._core.apply import from_array
from .._core.bind import composite
from .._core.bind import functions as torch
from .._core.levels import values_of
from .._core.storage import sparse_bsc, sparse_bsr, sparse_csc, sparse_csr
from .._core.tensor import Tensor
from .tensors import SparseCoo, SparseCsr, SparseTensor, _made, _shown, pattern, unsupported

__all__ = ["SparseCompressed", "compress", "from_parts"]

_NAMES = {
    sparse_csr: ("crow_indices", "col_indices"), sparse_csc: ("ccol_indices", "row_indices"),
    sparse_bsr: ("crow_indices", "col_indices"), sparse_bsc: ("ccol_indices", "row_indices"),
}  # fmt: skip
"""What the two kinds of indices are called: where each row or column begins, and where in it each value stands."""


def _by_rows(layout: Any) -> bool:
    return layout in (sparse_csr, sparse_bsr)


class SparseCompressed(SparseTensor):
    """A matrix in CSC, BSR or BSC form: values of shape (nnz,) or (nnz, rows of a block, columns of a block)."""

    is_sparse_csr = False
    layout = sparse_csc
    _begins: Any
    _places: Any

    def _with(self, values: Any) -> SparseCompressed:
        return from_parts(self.layout, self._begins, self._places, values, tuple(self.shape))

    def _block(self) -> tuple[int, int]:
        return tuple(self._values.shape[1:]) or (1, 1)  # type: ignore[attr-defined, return-value]

    def _indices_named(self, name: str, number: int) -> Any:
        if _NAMES[self.layout][number] != name:
            which = "row" if name in ("crow_indices", "col_indices") else "column"
            raise RuntimeError(
                f"{name} expected sparse {which} compressed tensor layout but got {_title(self.layout)}"
            )
        return (self._begins, self._places)[number]

    def crow_indices(self) -> Any:
        """Where each row of blocks begins."""
        return self._indices_named("crow_indices", 0)

    def col_indices(self) -> Any:
        """The column of each block."""
        return self._indices_named("col_indices", 1)

    def ccol_indices(self) -> Any:
        """Where each column begins."""
        return self._indices_named("ccol_indices", 0)

    def row_indices(self) -> Any:
        """The row of each value or block."""
        return self._indices_named("row_indices", 1)

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
        """Not of these forms."""
        raise RuntimeError(
            f"is_coalesced expected sparse coordinate tensor layout but got {_title(self.layout)}"
        )

    def to_sparse_coo(self) -> SparseCoo:
        """In coordinate form."""
        nnz = torch.arange(self._nnz())
        outer = torch.searchsorted(self._begins, nnz, right=True) - 1
        inner = self._places.long()
        rows, columns = (outer, inner) if _by_rows(self.layout) else (inner, outer)
        height, width = self._block()
        shape = (self._nnz(), height, width)
        rows = (rows.reshape(-1, 1, 1) * height + torch.arange(height).reshape(1, -1, 1)).expand(shape)
        columns = (columns.reshape(-1, 1, 1) * width + torch.arange(width)).expand(shape)
        index = torch.stack([rows.reshape(-1), columns.reshape(-1)])
        return SparseCoo.make(index, self._values.reshape(-1), tuple(self.shape)).coalesce()  # type: ignore[attr-defined]

    def to_dense(self, dtype=None, *, masked_grad=None) -> Any:
        """The matrix with its zeros."""
        return self.to_sparse().to_dense(dtype)

    def to_sparse_csr(self, dense_dim=None) -> SparseCsr:
        """In row form."""
        return self.to_sparse().to_sparse_csr()

    def t(self) -> Any:
        """Transposed, in coordinate form."""
        return self.to_sparse().t()

    def __mul__(self, other):
        if isinstance(other, Tensor) and other.ndim:  # type: ignore[attr-defined]
            unsupported(f"a product of a {_title(self.layout)} matrix and a tensor, element by element,")
        return self._with(self._values * other)

    __rmul__ = __mul__

    def _join(self, other: Any, sign: int) -> NoReturn:
        unsupported(f"a sum of {_title(self.layout)} matrices")

    def __repr__(self, *args, **kwargs) -> str:
        begins, places = _NAMES[self.layout]
        parts = {begins: self._begins, places: self._places, "values": self._values.detach()}  # type: ignore[attr-defined]
        lines = _shown(parts, self, on_new_line=False).split("\n")
        return "\n".join([line.rstrip() for line in lines])


def _title(layout: Any) -> str:
    name = layout.name.removeprefix("sparse_")
    return f"Sparse{name[0].upper()}{name[1:]}"


def from_parts(layout: Any, begins: Any, places: Any, values: Any, shape: tuple) -> Any:
    """The compressed tensor of checked parts."""
    if layout is sparse_csr:
        return SparseCsr.make(begins, places, values, shape)
    t = _made(SparseCompressed, values, shape)
    t.layout, t._begins, t._places = layout, begins, places
    return t


def compress(dense: Any, layout: Any, blocksize: Any = None, mask: Any = None) -> Any:
    """The compressed form of a dense matrix: its elements that are not zero (or that the mask keeps), or the blocks that have one.
    They are read."""
    if dense.ndim != 2:
        raise NotImplementedError(
            f"to_{layout.name}: only matrices are converted; a batch has to be converted one by one"
        )
    height, width = (1, 1) if blocksize is None else tuple(blocksize)
    rows, columns = dense.shape
    if height <= 0 or width <= 0 or rows % height or columns % width:
        raise RuntimeError(
            f"dense_to_{layout.name}: tensor sparse size ({rows},{columns}) must be divisible by given blocksize ({height},{width})"
        )
    blocks = dense.reshape(rows // height, height, columns // width, width).movedim(2, 1)
    mask = values_of(dense) != 0 if mask is None else mask
    kept = mask.reshape(rows // height, height, columns // width, width).any((1, 3))
    outer, inner = np.nonzero(kept if _by_rows(layout) else kept.T)
    begins = np.concatenate(
        [[0], np.bincount(outer, minlength=kept.shape[0 if _by_rows(layout) else 1]).cumsum()]
    )
    at = (outer, inner) if _by_rows(layout) else (inner, outer)
    values = blocks[tuple([from_array(i.astype(np.int64)) for i in at])]
    values = values.reshape(-1) if blocksize is None else values
    return from_parts(
        layout,
        from_array(begins.astype(np.int64)),
        from_array(inner.astype(np.int64)),
        values,
        (rows, columns),
    )


def check(layout: Any, begins: Any, places: Any, values: Any, size: Any) -> tuple[int, int]:
    """The shape of the matrix, given or inferred; PyTorch's errors for parts that do not go together. Indices are read."""
    names = _NAMES[layout]
    blocked = layout in (sparse_bsr, sparse_bsc)
    if begins.ndim != 1 or places.ndim != 1 or values.ndim != (3 if blocked else 1):
        raise NotImplementedError(
            f"{layout.name}_tensor: batches and dense dims are not supported; use to_dense()"
        )
    if places.shape[0] != values.shape[0]:
        raise RuntimeError(
            f"number of elements in {names[1]} ({places.shape[0]}) and of values ({values.shape[0]}) must be the same"
        )
    first, inner = values_of(begins), values_of(places)
    if not first.size or first[0] != 0 or first[-1] != inner.size or (np.diff(first) < 0).any():
        raise RuntimeError(f"`{names[0]}` must begin with 0, end with the number of values, and not decrease")
    block = tuple(values.shape[1:]) or (1, 1)
    counts = (first.size - 1, int(inner.max(initial=-1)) + 1)
    counts = counts if _by_rows(layout) else counts[::-1]
    least = tuple([n * b for n, b in zip(counts, block)])
    if size is None:
        return least  # type: ignore[return-value]
    size = tuple(size)
    outer = 0 if _by_rows(layout) else 1
    if (
        len(size) != 2
        or size[outer] != least[outer]
        or size[1 - outer] < least[1 - outer]
        or size[1 - outer] % block[1 - outer]
    ):
        raise RuntimeError(f"size {size} is inconsistent with {names[0]}, {names[1]} and blocks of {block}")
    if inner.size and inner.min() < 0:
        raise RuntimeError(f"`{names[1]}` must not be negative")
    return size


# -- conversions -------------------------------------------------------------------------------------------------------


def _conversion(layout: Any) -> None:
    name = f"to_{layout.name}"
    if layout is sparse_csc:

        def of_dense(self, dense_dim=None):  # pyright: ignore[reportRedeclaration]
            _no_dense_dims(name, dense_dim)
            return compress(self, layout)

        def of_sparse(self, dense_dim=None):  # pyright: ignore[reportRedeclaration]
            _no_dense_dims(name, dense_dim)
            return self if self.layout is layout else compress(self.to_dense(), layout, None, pattern(self))

    else:

        def of_dense(self, blocksize, dense_dim=None):
            _no_dense_dims(name, dense_dim)
            return compress(self, layout, blocksize)

        def of_sparse(self, blocksize, dense_dim=None):
            _no_dense_dims(name, dense_dim)
            if self.layout is layout and self._block() == tuple(blocksize):
                return self
            return compress(self.to_dense(), layout, blocksize, pattern(self))

    for fn in (of_dense, of_sparse):
        fn.__name__ = fn.__qualname__ = name
        fn.__doc__ = f"The matrix in {layout.name.removeprefix('sparse_').upper()} form."
    composite(of_dense, namespace="Tensor", method=True)
    setattr(SparseTensor, name, of_sparse)


def _no_dense_dims(name: str, dense_dim: Any) -> None:
    if dense_dim:
        raise NotImplementedError(f"{name}: dense dims are not supported; use to_dense()")


for _layout in (sparse_csc, sparse_bsr, sparse_bsc):
    _conversion(_layout)


def _copy(method: str) -> None:
    def fn(input, *, out=None):
        if out is not None:
            raise NotImplementedError(f"{method}_copy: out= is not supported")
        return getattr(input, method)().clone()

    fn.__name__ = fn.__qualname__ = f"{method}_copy"
    fn.__doc__ = f"A copy of `input.{method}()`."
    composite(fn)


for _name in ("values", "indices", "crow_indices", "col_indices", "ccol_indices", "row_indices"):
    _copy(_name)
