"""Refusals of the ops that index by tensors; dims are from the front, unless it is said."""

from __future__ import annotations

import numpy as np

from ..._core.api import check, requirement, scalar_name, wrap_dim
from .._pointwise import COMPLEX, category

TOO_FEW = requirement("RuntimeError", "Number of elements of source < number of ones in mask")
INT_OR_LONG = (np.dtype(np.int32), np.dtype(np.int64))


def check_index_dtype(name, index):
    check(index.dtype in INT_OR_LONG, RuntimeError, f"{name}(): Expected dtype int32/int64 for index")


def check_gather(input, dim: int, index, sparse_grad: bool) -> None:
    if sparse_grad:
        raise NotImplementedError(
            "gather: sparse_grad=True is not supported; leave it out to get a dense gradient"
        )
    if index.size == 0:  # of any dtype, as torch has it
        return
    check_index_dtype("gather", index)
    check(
        max(index.ndim, 1) == max(input.ndim, 1),
        RuntimeError,
        "Index tensor must have the same number of dimensions as input tensor",
    )
    for d, (n, m) in enumerate(zip(index.shape, input.shape)):
        check(
            d == dim or n <= m,
            RuntimeError,
            f"Size does not match at dimension {d} expected index {list(index.shape)} to be no larger than self "
            f"{list(input.shape)} apart from dimension {dim}",
        )


def check_slices(name, input, dim, index, source):
    """torch's checks of index_add and index_reduce."""
    check(
        index.ndim <= 1,
        IndexError,
        f"{name}(): Index is supposed to be a vector, but got dim: {index.ndim} with type: {scalar_name(index)} "
        f"and size: {list(index.shape)}",
    )
    check(
        index.dtype in INT_OR_LONG,
        RuntimeError,
        f"{name}(): Expected dtype int32/int64 for index but got: {scalar_name(index)}",
    )
    check(
        input.dtype == source.dtype,
        RuntimeError,
        f"{name}(): self ({scalar_name(input)}) and source ({scalar_name(source)}) must have the same scalar type",
    )
    check(
        dim == 0 or dim < source.ndim,
        RuntimeError,
        f"{name}(): Indexing dim {dim} is out of bounds of the source tensor with dim {source.ndim}",
    )
    single = source.ndim > 0 or index.size == 1
    check(single, IndexError, f"Dimension specified as {dim} but tensor has no dimensions")
    count = source.shape[dim] if source.ndim else 1
    check(
        index.size == count,
        RuntimeError,
        f"{name}(): Number of indices ({index.size}) should be equal to source.size(dim): ({count}), for dim: {dim}",
    )
    same = len(input.shape) == len(source.shape) and all(
        d == dim or n == m for d, (n, m) in enumerate(zip(input.shape, source.shape))
    )
    check(
        same,
        RuntimeError,
        "source tensor shape must match self tensor shape, excluding the specified dimension. "
        f"Got self.shape = {list(input.shape)} source.shape = {list(source.shape)}",
    )


def check_index_copy(input, dim: int, index, source) -> None:
    check(
        index.ndim <= 1, IndexError, f"index_copy_(): Index should have dimension 1 or 0 (got {index.ndim})"
    )
    if source.ndim == 0:
        check(
            index.size == 1,
            IndexError,
            f"index_copy_(): When source is scalar, index should have one element (got {index.size})",
        )
    else:
        check(
            source.ndim == input.ndim or input.ndim == 0,
            IndexError,
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. "
            f"Source dimensionality ({source.ndim}), destination dimensionality ({input.ndim})",
        )
    check(
        index.dtype == np.int64,
        RuntimeError,
        f"index_copy_(): Expected a long tensor for index, but got {scalar_name(index)}",
    )
    check(
        input.dtype == source.dtype,
        RuntimeError,
        "index_copy_(): self and source expected to have the same dtype, but got (self) "
        f"{scalar_name(input)} and (source) {scalar_name(source)}",
    )
    if source.ndim:
        ours = [n for d, n in enumerate(input.shape or (1,)) if d != dim]
        theirs = [n for d, n in enumerate(source.shape) if d != dim]
        check(
            ours == theirs,
            RuntimeError,
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{' '.join(map(str, ours))} at dimension {dim} and source slice shape: {' '.join(map(str, theirs))} "
            "at dimension 0.",
        )
        check(
            index.size == source.shape[dim],
            IndexError,
            f"index_copy_(): Number of indices ({index.size}) should be equal to source.size(dim) ({source.shape[dim]})",
        )
    else:
        check(input.ndim <= 1, RuntimeError, "index_copy_(): source does not fit the destination")


def check_index_fill(input, dim: int, index, value) -> None:
    """`dim` is as it was given."""
    check(
        np.ndim(value) == 0,
        RuntimeError,
        f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {np.ndim(value)} dimension(s).",
    )
    check(index.dtype == np.int64, IndexError, "index_fill_(): Expected dtype int64 for index.")
    if category(input) < COMPLEX and category(value) == COMPLEX:
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")
    wrap_dim(dim, input.ndim)  # raises
    check(index.ndim <= 1, RuntimeError, "Index has to be a vector/scalar")


def check_take_along_dim(input, indices, dim: int | None) -> None:
    if dim is None:
        if indices.size:
            check_index_dtype("gather", indices)
        return
    check(
        input.ndim == indices.ndim,
        RuntimeError,
        "torch.take_along_dim(): input and indices should have the same number of dimensions, "
        f"but got {input.ndim} dimensions for input, and {indices.ndim} dimensions for indices",
    )
    check(
        indices.dtype == np.int64,
        RuntimeError,
        f"torch.take_along_dim(): dtype of indices should be Long but got {scalar_name(indices)}",
    )


def check_part(have, want) -> None:
    check(
        tuple(have) == tuple(want),
        RuntimeError,
        f"expected src to have a size equal to the slice of self. src size = {list(have)}, slice size = {list(want)}",
    )
