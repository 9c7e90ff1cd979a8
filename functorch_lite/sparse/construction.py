"""torch.sparse_coo_tensor, torch.sparse_csr_tensor and its kin; whether their arguments are checked (they are)."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from .._core import dtypes
from .._core.bind import composite
from .._core.bind import functions as torch
from .._core.device import is_available
from .._core.levels import values_of
from .._core.storage import layout as layout_class
from .._core.storage import sparse_bsc, sparse_bsr, sparse_coo, sparse_csc, sparse_csr
from .._core.tensor import Tensor
from .compressed import check, from_parts
from .tensors import SparseCoo, SparseCsr

__all__ = [
    "check_sparse_tensor_invariants", "sparse_bsc_tensor", "sparse_bsr_tensor", "sparse_compressed_tensor", "sparse_coo_tensor",
    "sparse_csc_tensor", "sparse_csr_tensor",
]  # fmt: skip


def _values(values: Any, dtype: Any, requires_grad: bool) -> Any:
    made = values if isinstance(values, Tensor) else torch.tensor(values)
    made = made if dtype is None else made.to(dtype)
    return made.detach().requires_grad_(True) if requires_grad else made


def _index(x: Any) -> Any:
    made = x if isinstance(x, Tensor) else torch.tensor(x, dtype=dtypes.int64)
    return made if made.dtype in (dtypes.int64, dtypes.int32) else made.to(dtypes.int64)


def _check_place(device: Any, pin_memory: Any) -> None:
    if not isinstance(pin_memory, bool):
        raise TypeError(f"argument 'pin_memory' must be bool, not {type(pin_memory).__name__}")
    if pin_memory and not is_available("cuda"):
        raise RuntimeError("Cannot access accelerator device when none is available.")
    if device is not None and str(device) != "cpu":
        raise NotImplementedError("sparse tensors are on the CPU here; use to_dense() and move the result")


@composite
def sparse_coo_tensor(
    indices: Any = None,
    values: Any = None,
    size: Any = None,
    *,
    dtype=None,
    device=None,
    pin_memory=False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> SparseCoo:
    """A sparse tensor in coordinate form: indices of shape (sparse dims, nnz), values of shape (nnz, *dense dims).

    Indices may repeat: their values are added. The size is inferred if it is not given. Indices are read, to be checked.

    >>> torch.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3)).to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 0.]])
    """
    if values is None and pin_memory:
        raise TypeError("sparse_coo_tensor(): pin_memory= is for indices and values")
    _check_place(device, pin_memory)
    if values is None and size is None and not isinstance(indices, Tensor):
        indices, size = None, indices
    if indices is None or values is None:
        if size is None:
            raise TypeError("sparse_coo_tensor(): expected indices and values, or a size")
        empty = torch.zeros(0, dtype=dtype or dtypes.default_dtype())
        return SparseCoo.make(torch.zeros((len(size), 0), dtype=dtypes.int64), empty, tuple(size), False)
    index, numbers = _index(indices).to(dtypes.int64), _values(values, dtype, requires_grad)
    if index.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(index.shape)}")
    if index.shape[1] != numbers.shape[0]:
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {index.shape[1]}, nnz from values: "
            f"{numbers.shape[0]}"
        )
    sparse, dense = index.shape[0], numbers.ndim - 1
    known = values_of(index)
    if size is None:
        size = (*[int(row.max(initial=-1)) + 1 for row in known], *numbers.shape[1:])
    size = tuple(size)
    if len(size) != sparse + dense:
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, sparse_dim = {sparse}, "
            f"dense_dim = {dense}"
        )
    for d, row in enumerate(known):
        if row.size and (row.min() < 0 or row.max() >= size[d]):
            bad = row.min() if row.min() < 0 else row.max()
            if bad < 0:
                raise RuntimeError(f"found negative index {bad} for dim {d}")
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {d}, size is {size[d]} but found index {bad}"
            )
    return SparseCoo.make(index, numbers, size, bool(is_coalesced))


@composite
def sparse_csr_tensor(
    crow_indices: Any,
    col_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype=None,
    device=None,
    pin_memory=False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> SparseCsr:
    """A sparse matrix in row form: where each row begins, the column of each value, and the values.

    >>> torch.sparse_csr_tensor([0, 1, 2], [1, 0], [1.0, 2.0]).to_dense()
    tensor([[0., 1.],
            [2., 0.]])
    """
    _check_place(device, pin_memory)
    crow, col, numbers = _index(crow_indices), _index(col_indices), _values(values, dtype, requires_grad)
    if crow.ndim != 1 or col.ndim != 1 or numbers.ndim != 1:
        raise NotImplementedError(
            "sparse_csr_tensor: batches and dense dims are not supported; use to_dense()"
        )
    if col.shape != numbers.shape:
        raise RuntimeError(
            f"number of columns indices {col.shape[0]} and of values {numbers.shape[0]} must be the same"
        )
    rows, columns = values_of(crow), values_of(col)
    if not rows.size or rows[0] != 0 or rows[-1] != columns.size or (np.diff(rows) < 0).any():
        raise RuntimeError(
            "`crow_indices` must begin with 0, end with the number of values, and not decrease"
        )
    size = (rows.size - 1, int(columns.max(initial=-1)) + 1) if size is None else tuple(size)
    if size[0] != rows.size - 1 or (columns.size and (columns.min() < 0 or columns.max() >= size[1])):
        raise RuntimeError(f"size {size} is inconsistent with {rows.size - 1} rows and the column indices")
    return SparseCsr.make(crow, col, numbers, size)


def _constructor(layout: layout_class, begins: str, places: str) -> Any:
    name = f"{layout.name}_tensor"

    def fn(
        begins, places, values, size=None, *, dtype=None, device=None, pin_memory=False, requires_grad=False, check_invariants=None
    ):  # fmt: skip
        _check_place(device, pin_memory)
        first, inner, numbers = _index(begins), _index(places), _values(values, dtype, requires_grad)
        return from_parts(layout, first, inner, numbers, check(layout, first, inner, numbers, size))

    fn.__name__ = fn.__qualname__ = name
    fn.__doc__ = (
        f"A matrix in {layout.name.removeprefix('sparse_').upper()} form: {begins}, {places} and values, which are blocks in BSR and BSC. "
        "Indices are read, to be checked."
    )
    return composite(fn)


sparse_csc_tensor = _constructor(sparse_csc, "ccol_indices", "row_indices")
sparse_bsr_tensor = _constructor(sparse_bsr, "crow_indices", "col_indices")
sparse_bsc_tensor = _constructor(sparse_bsc, "ccol_indices", "row_indices")
_CONSTRUCTORS = {
    sparse_csr: sparse_csr_tensor, sparse_csc: sparse_csc_tensor, sparse_bsr: sparse_bsr_tensor, sparse_bsc: sparse_bsc_tensor,
}  # fmt: skip


@composite
def sparse_compressed_tensor(
    compressed_indices: Any, plain_indices: Any, values: Any, size: Any = None, *, dtype=None, layout: Any = None, device=None,
    pin_memory=False, requires_grad: bool = False, check_invariants: bool | None = None,
) -> Any:  # fmt: skip
    """A matrix in the compressed form that `layout` says: torch.sparse_csr, sparse_csc, sparse_bsr or sparse_bsc."""
    if layout not in _CONSTRUCTORS:
        found = "none" if layout is None else "Sparse" if layout is sparse_coo else "Strided"
        raise RuntimeError(
            f"sparse_compressed_tensor expected sparse compressed tensor layout but got {found}"
        )
    options = {"dtype": dtype, "device": device, "pin_memory": pin_memory, "requires_grad": requires_grad}
    return _CONSTRUCTORS[layout](compressed_indices, plain_indices, values, size, **options)


class check_sparse_tensor_invariants:
    """Whether sparse tensors are to be checked when they are made: kept and told. Here they always are.

    A context manager, a decorator, and `enable()`, `disable()`, `is_enabled()`.
    """

    _on = False

    def __init__(self, enable: bool = True):
        self.state = enable
        self.saved: bool | None = None

    @staticmethod
    def is_enabled() -> bool:
        """Whether checks were asked for."""
        return check_sparse_tensor_invariants._on

    @staticmethod
    def enable() -> None:
        """Asks for checks."""
        check_sparse_tensor_invariants._on = True

    @staticmethod
    def disable() -> None:
        """Asks for none; they are made all the same."""
        check_sparse_tensor_invariants._on = False

    def __enter__(self) -> None:
        if self.saved is not None:
            raise RuntimeError(
                "This context manager instance is already activated. Use a different context manager instance for context nesting."
            )
        self.saved = self.is_enabled()
        check_sparse_tensor_invariants._on = self.state

    def __exit__(self, *exc) -> None:
        check_sparse_tensor_invariants._on = bool(self.saved)
        self.saved = None

    def __call__(self, function: Any) -> Any:
        @functools.wraps(function)
        def inner(*args, **kwargs):
            with type(self)(self.state):
                return function(*args, **kwargs)

        return inner
