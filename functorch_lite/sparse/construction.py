"""torch.sparse_coo_tensor, torch.sparse_csr_tensor and its kin; whether their arguments are checked (they are)."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from .._core.api import (
    Tensor,
    check_type,
    composite,
    dtypes,
    is_available,
    sparse_bsc,
    sparse_bsr,
    sparse_csc,
    sparse_csr,
    values_of,
)
from .._core.api import functions as torch
from .._core.api import layout as layout_class
from .compressed import NAMES, SparseCompressed, check, from_parts
from .tensors import SparseCoo, title

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
    check_type(isinstance(pin_memory, bool), pin_memory, "bool", "", "pin_memory")
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

    Indices may repeat: their values are added. The size is inferred if it is not given. Indices are read, to be
    checked.

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
        empty = torch.zeros(0, dtype=dtype or dtypes.default_dtype(), requires_grad=requires_grad)
        return SparseCoo.make(torch.zeros((len(size), 0), dtype=dtypes.int64), empty, tuple(size), True)
    index, numbers = _index(indices).to(dtypes.int64), _values(values, dtype, requires_grad)
    if index.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(index.shape)}")
    count = numbers.shape[0] if numbers.ndim else 1
    if index.shape[1] != count or not numbers.ndim:
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {index.shape[1]}, nnz from values: {count}"
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
    if size[sparse:] != tuple(numbers.shape[1:]):
        raise RuntimeError(
            f"values has incorrect size, expected {[count, *size[sparse:]]}, got {list(numbers.shape)}"
        )
    for d, row in enumerate(known):
        if row.size and (row.min() < 0 or row.max() >= size[d]):
            bad = row.min() if row.min() < 0 else row.max()
            if bad < 0:
                raise RuntimeError(f"found negative index {bad} for dim {d}")
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {d}, size is {size[d]} but found index {bad}"
            )
    if is_coalesced and known.size:
        flat = np.ravel_multi_index(tuple(known), size[:sparse])
        if (np.diff(flat) <= 0).any():
            raise RuntimeError(
                "cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor"
            )
    return SparseCoo.make(index, numbers, size, bool(is_coalesced))


def _compressed(layout: layout_class, parts: tuple, size: Any, options: dict) -> SparseCompressed:
    """The tensor of these parts, which are checked. Their order in a row is checked where the user asks for it."""
    begins, places, values = parts
    _check_place(options["device"], options["pin_memory"])
    first, inner = _index(begins), _index(places)
    numbers = _values(values, options["dtype"], options["requires_grad"])
    asked = options["check_invariants"]
    order = check_sparse_tensor_invariants.is_enabled() if asked is None else asked
    return from_parts(layout, first, inner, numbers, check(layout, first, inner, numbers, size, order))


@composite
def sparse_csr_tensor(
    crow_indices: Any, col_indices: Any, values: Any, size: Any = None, *, dtype=None, device=None, pin_memory=False,
    requires_grad: bool = False, check_invariants: bool | None = None,
) -> SparseCompressed:  # fmt: skip
    """A sparse matrix in row form: where each row begins, the column of each value, and the values.

    Indices are read, to be checked.

    All three may have the same batch dims in front, and values dense dims at the end.

    >>> torch.sparse_csr_tensor([0, 1, 2], [1, 0], [1.0, 2.0]).to_dense()
    tensor([[0., 1.],
            [2., 0.]])
    """
    options = {"dtype": dtype, "device": device, "pin_memory": pin_memory, "requires_grad": requires_grad}
    options["check_invariants"] = check_invariants
    return _compressed(sparse_csr, (crow_indices, col_indices, values), size, options)


@composite
def sparse_csc_tensor(
    ccol_indices: Any, row_indices: Any, values: Any, size: Any = None, *, dtype=None, device=None, pin_memory=False,
    requires_grad: bool = False, check_invariants: bool | None = None,
) -> SparseCompressed:  # fmt: skip
    """A sparse matrix in column form: where each column begins, the row of each value, and the values.

    Else as sparse_csr_tensor.

    >>> torch.sparse_csc_tensor([0, 1, 2], [1, 0], [1.0, 2.0]).to_dense()
    tensor([[0., 2.],
            [1., 0.]])
    """
    options = {"dtype": dtype, "device": device, "pin_memory": pin_memory, "requires_grad": requires_grad}
    options["check_invariants"] = check_invariants
    return _compressed(sparse_csc, (ccol_indices, row_indices, values), size, options)


@composite
def sparse_bsr_tensor(
    crow_indices: Any, col_indices: Any, values: Any, size: Any = None, *, dtype=None, device=None, pin_memory=False,
    requires_grad: bool = False, check_invariants: bool | None = None,
) -> SparseCompressed:  # fmt: skip
    """A sparse matrix in rows of blocks: as sparse_csr_tensor, with values of shape (nnz, rows of a block, columns of a
    block).

    >>> torch.sparse_bsr_tensor([0, 1], [1], [[[1.0, 2.0]]]).to_dense()
    tensor([[0., 0., 1., 2.]])
    """
    options = {"dtype": dtype, "device": device, "pin_memory": pin_memory, "requires_grad": requires_grad}
    options["check_invariants"] = check_invariants
    return _compressed(sparse_bsr, (crow_indices, col_indices, values), size, options)


@composite
def sparse_bsc_tensor(
    ccol_indices: Any, row_indices: Any, values: Any, size: Any = None, *, dtype=None, device=None, pin_memory=False,
    requires_grad: bool = False, check_invariants: bool | None = None,
) -> SparseCompressed:  # fmt: skip
    """A sparse matrix in columns of blocks: as sparse_csc_tensor, with values of shape (nnz, rows of a block, columns
    of a block).

    >>> torch.sparse_bsc_tensor([0, 1], [0], [[[1.0, 2.0]]]).to_dense()
    tensor([[1., 2.]])
    """
    options = {"dtype": dtype, "device": device, "pin_memory": pin_memory, "requires_grad": requires_grad}
    options["check_invariants"] = check_invariants
    return _compressed(sparse_bsc, (ccol_indices, row_indices, values), size, options)


@composite
def sparse_compressed_tensor(
    compressed_indices: Any, plain_indices: Any, values: Any, size: Any = None, *, dtype=None, layout: Any = None, device=None,
    pin_memory=False, requires_grad: bool = False, check_invariants: bool | None = None,
) -> SparseCompressed:  # fmt: skip
    """A matrix in the compressed form that `layout` says: torch.sparse_csr, sparse_csc, sparse_bsr or sparse_bsc.

    >>> torch.sparse_compressed_tensor([0, 1], [0], [2.0], layout=torch.sparse_csc).to_dense()
    tensor([[2.]])
    """
    if layout not in NAMES:
        found = "none" if layout is None else title(layout)
        raise RuntimeError(
            f"sparse_compressed_tensor expected sparse compressed tensor layout but got {found}"
        )
    options = {"dtype": dtype, "device": device, "pin_memory": pin_memory, "requires_grad": requires_grad}
    options["check_invariants"] = check_invariants
    return _compressed(layout, (compressed_indices, plain_indices, values), size, options)


class check_sparse_tensor_invariants:
    """Sets whether sparse tensors are checked when they are created.

    Here they always are; asked for, also the order inside of rows.

    A context manager, a decorator, and `enable()`, `disable()`, `is_enabled()`.
    """

    _on = False

    def __init__(self, enable: bool = True):
        self.state = enable
        self.saved: bool | None = None

    @staticmethod
    def is_enabled() -> bool:
        """Returns whether checks were asked for."""
        return check_sparse_tensor_invariants._on

    @staticmethod
    def enable() -> None:
        """Asks for checks."""
        check_sparse_tensor_invariants._on = True

    @staticmethod
    def disable() -> None:
        """Asks for none; what would be wrong is checked all the same."""
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


@composite
def _convert_indices_from_coo_to_csr(input: Tensor, size: int, *, out_int32: bool = False) -> Tensor:
    """Counts the sorted row indices, of shape (nnz), that are below each of size + 1 rows: int64 (size + 1), or int32.

    >>> torch._convert_indices_from_coo_to_csr(torch.tensor([0, 0, 2]), 4).tolist()
    [0, 2, 2, 3, 3]
    """
    rows = torch.arange(size + 1, dtype=input.dtype, device=input.device)
    return torch.searchsorted(input, rows, out_int32=out_int32)


@composite
def _convert_indices_from_csr_to_coo(
    crow_indices: Tensor, col_indices: Tensor, *, out_int32: bool = False, transpose: bool = False
) -> Tensor:
    """(rows, columns) of the elements of a compressed matrix, of shape (2, nnz), int64 or int32; (columns, rows) with
    transpose.

    >>> torch._convert_indices_from_csr_to_coo(torch.tensor([0, 2, 3]), torch.tensor([1, 0, 1])).tolist()
    [[0, 0, 1], [1, 0, 1]]
    """
    if crow_indices.ndim != 1:
        raise NotImplementedError(
            "_convert_indices_from_csr_to_coo: batches of matrices are not converted here"
        )
    at = torch.arange(col_indices.shape[0], dtype=crow_indices.dtype, device=crow_indices.device)
    rows = torch.searchsorted(crow_indices, at, right=True) - 1
    kind = dtypes.int32 if out_int32 else dtypes.int64
    pair = (col_indices, rows) if transpose else (rows, col_indices)
    return torch.stack([x.to(kind) for x in pair])
