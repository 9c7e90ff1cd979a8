"""torch.sparse.spdiags: a sparse matrix given by its diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.api import Tensor, check, dtypes, sparse_coo, sparse_csc, sparse_csr, values_of
from .._core.api import functions as torch

__all__ = ["spdiags"]


def spdiags(diagonals: Tensor, offsets: Tensor, shape: tuple[int, int], layout: Any = None) -> Any:
    """The matrix with these rows as its diagonals, in the layout COO (the default), CSR or CSC.

    offsets: of each row, the diagonal it is for; 0 is the main one, those above it are positive. Element j of a row
    goes to column j.

    >>> torch.sparse.spdiags(torch.tensor([[1, 2], [3, 4]]), torch.tensor([0, -1]), (3, 2)).to_dense()
    tensor([[1, 0],
            [3, 2],
            [0, 4]])
    """
    rows = diagonals[None] if diagonals.ndim == 1 else diagonals
    places = offsets[None] if offsets.ndim == 0 else offsets
    layout = sparse_coo if layout is None else layout
    name = "".join(
        part.title() for part in str(layout).removeprefix("torch.").removesuffix("_coo").split("_")
    )
    check(rows.ndim == 2, RuntimeError, "Diagonals must be vector or matrix")
    check(len(shape) == 2, RuntimeError, "Output shape must be 2d")
    check(places.ndim == 1, RuntimeError, "Offsets must be scalar or vector")
    check(
        len(rows) == len(places),
        RuntimeError,
        f"Number of diagonals ({len(rows)}) does not match the number of offsets ({len(places)})",
    )
    check(
        layout in (sparse_coo, sparse_csr, sparse_csc),
        RuntimeError,
        f"Only output layouts (Sparse, SparseCsc, SparseCsr) are supported, got {name}",
    )
    given = places.dtype.scalar_name
    check(places.dtype is dtypes.int64, RuntimeError, f"Offset Tensor must have dtype Long but got {given}")
    starts = values_of(places)
    check(len(set(starts.tolist())) == len(starts), RuntimeError, "Offset tensor contains duplicate values")
    across = np.arange(min(rows.shape[1], shape[1]))
    down = across - starts[:, None]
    which, column = np.nonzero((0 <= down) & (down < shape[0]))
    found = np.stack([down[which, column], column])
    values = rows[torch.from_numpy(which), torch.from_numpy(column)]
    made = torch.sparse_coo_tensor(torch.from_numpy(found), values, tuple(shape))
    return made if layout is sparse_coo else made.to_sparse(layout=layout)
