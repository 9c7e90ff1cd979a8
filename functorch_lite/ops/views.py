"""Views: reshapes, permutations, selections and windows of a tensor, each with the write through it.

A view op is a lens: `get(input, ...)` is the op itself and `put(base, part, ...)` gives base with the part replaced.
Memory layout does not exist here: which reshapes are views in torch is decided above, in `tensors/views.py`.
"""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .._core.api import (
    UNSET,
    Array,
    Number,
    Sizes,
    SymInt,
    Unset,
    bounded,
    check,
    check_type,
    from_numpy,
    is_number,
    is_whole,
    of_a_dim,
    scalar_name,
    view,
    wrap_dim,
    wrap_dims,
)
from . import on_host, strides
from .contracts.views import check_expanded, check_strided, check_view_as_complex


def infer_size(shape, numel: int) -> tuple[int, ...]:
    """`shape` with its -1 replaced so that it holds `numel` elements; torch's RuntimeError when that cannot be."""
    shape = list(shape)
    unknown = None
    for i, size in enumerate(shape):
        if size == -1:
            check(unknown is None, RuntimeError, "only one dimension can be inferred")
            unknown = i
        else:
            check(size >= 0, RuntimeError, f"invalid shape dimension {size} at index {i} of shape {shape}")
    known = math.prod(s for s in shape if s != -1)
    fits = numel == known if unknown is None else numel == known or (known > 0 and numel % known == 0)
    check(fits, RuntimeError, f"shape '{shape}' is invalid for input of size {numel}")
    if unknown is not None:
        check(
            known != 0,
            RuntimeError,
            f"cannot reshape tensor of 0 elements into shape {shape} because the unspecified dimension size -1 "
            "can be any value and is ambiguous",
        )
        shape[unknown] = numel // known
    return tuple(shape)


def conjugated(conjugate: bool, negative: bool, is_complex: bool):
    """For `signs=`: what is conjugated."""
    return conjugate ^ is_complex, negative, is_complex


def of_parts(conjugate: bool, negative: bool, is_complex: bool):
    """For `signs=`: real numbers, as they lie."""
    return False, negative, False


def _put_reshaped(base, part, *args, **kwargs):
    """The write through every view that keeps the elements in their order."""
    return part.reshape(base.shape)


@view(namespace="Tensor", put=_put_reshaped, reshapes=True, on_host=on_host.reshaped)
def view_(input: Array, size: Sizes):
    """The same elements in another shape; one size may be -1.

    >>> view_(jnp.arange(6), (2, -1)).shape
    (2, 3)
    """
    return input.reshape(infer_size(size, input.size))


@view(put=_put_reshaped, grad="View", reshapes=True, on_host=on_host.reshaped)
def reshape(input: Array, shape: Sizes):
    """The same elements in another shape; one size may be -1."""
    return input.reshape(infer_size(shape, input.size))


@view(put=_put_reshaped, grad="View", reshapes=True, on_host=on_host.flattened)
def flatten(input: Array, start_dim: int = 0, end_dim: int = -1):
    """The dims from `start_dim` to `end_dim` merged into one; a 0-d tensor becomes 1-d."""
    start, end = wrap_dim(start_dim, input.ndim), wrap_dim(end_dim, input.ndim)
    check(start <= end, RuntimeError, "flatten() has invalid args: start_dim cannot come after end_dim")
    merged = math.prod(input.shape[start : end + 1])
    return input.reshape((*input.shape[:start], merged, *input.shape[end + 1 :]))


@view(put=_put_reshaped, grad="View", reshapes=True, on_host=on_host.unflattened)
def unflatten(input: Array, dim: int, sizes: tuple[int, ...]):
    """The dim `dim` split into several of the given sizes, one of which may be -1.

    >>> tuple(torch.unflatten(torch.zeros(2, 3, 4), 2, (2, -1)).shape)
    (2, 3, 2, 2)
    """
    sizes = list(sizes)  # type: ignore
    dim = wrap_dim(dim, input.ndim)
    check(len(sizes) > 0, RuntimeError, "unflatten: sizes must be non-empty")
    check(input.ndim > 0, RuntimeError, "unflatten() cannot be applied to a 0-dim tensor")
    length = input.shape[dim]
    mismatch = f"unflatten: Provided sizes {sizes} don't multiply up to the size of dim {dim} ({length}) in the input tensor"
    check(sizes.count(-1) <= 1, RuntimeError, "only one dimension can be inferred")
    known = math.prod(s for s in sizes if s != -1)
    fits = known == length if -1 not in sizes else known != 0 and length % known == 0
    check(fits, RuntimeError, mismatch)
    return input.reshape((*input.shape[:dim], *infer_size(sizes, length), *input.shape[dim + 1 :]))


@view(put=_put_reshaped, grad="View", reshapes=True, on_host=on_host.flattened)
def ravel(input: Array):
    """All elements as one dim."""
    return input.reshape(-1)


def _permutation(input, dims) -> tuple[int, ...]:
    check(
        len(dims) == input.ndim,
        RuntimeError,
        "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
        f"ordering of dimensions i.e. input.dim() = {input.ndim} is not equal to len(dims) = {len(dims)}",
    )
    order: list[int] = []
    for d in dims:
        order.append(wrap_dim(d, input.ndim))
        check(order[-1] not in order[:-1], RuntimeError, "permute(): duplicate dims are not allowed.")
    return tuple(order)


def _put_permuted(base, part, dims):
    return jnp.transpose(part, np.argsort(_permutation(base, dims)))


@view(copied=True, put=_put_permuted, strides=strides.permuted, on_host=np.transpose)
def permute(input: Array, dims: Sizes):
    """The dims in another order: dim i of the result is dim `dims[i]` of the input.

    >>> tuple(torch.permute(torch.zeros(2, 3, 4), (2, 0, 1)).shape)
    (4, 2, 3)
    """
    return jnp.transpose(input, _permutation(input, dims))


def _swapped(input, dim0, dim1):
    dim0, dim1 = wrap_dim(dim0, input.ndim), wrap_dim(dim1, input.ndim)
    return jnp.swapaxes(input, dim0, dim1) if input.ndim else input


def _put_swapped(base, part, dim0, dim1):
    return _swapped(part, dim0, dim1)


@view(copied=True, put=_put_swapped, strides=strides.swapped, on_host=on_host.swapped)
def transpose(input: Array, dim0: int, dim1: int):
    """Two dims exchanged.

    >>> tuple(torch.transpose(torch.zeros(2, 3, 4), 0, 2).shape)
    (4, 3, 2)
    """
    return _swapped(input, dim0, dim1)


@view(
    put=lambda base, part, axis0, axis1: _swapped(part, axis0, axis1),
    grad="Transpose",
    strides=strides.swapped,
    on_host=on_host.swapped,
)
def swapaxes(input: Array, axis0: int, axis1: int):
    """Two dims exchanged (numpy's name of `transpose`).

    >>> tuple(torch.swapaxes(torch.zeros(2, 3, 4), 0, 2).shape)
    (4, 3, 2)
    """
    return _swapped(input, axis0, axis1)


@view(put=_put_swapped, grad="Transpose", strides=strides.swapped, on_host=on_host.swapped)
def swapdims(input: Array, dim0: int, dim1: int):
    """Two dims exchanged (another name of `transpose`).

    >>> tuple(torch.swapdims(torch.zeros(2, 3, 4), 0, 2).shape)
    (4, 3, 2)
    """
    return _swapped(input, dim0, dim1)


@view(copied=True, put=lambda base, part: part.T, strides=strides.transposed, on_host=np.transpose)
def t(input: Array):
    """The transpose of a matrix; a tensor with fewer dims is returned as it is.

    >>> tuple(torch.t(torch.zeros(2, 3)).shape)
    (3, 2)
    """
    check(
        input.ndim <= 2, RuntimeError, f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D"
    )
    return input.T


def _adjoint(input):
    return jnp.conj(jnp.swapaxes(input, -1, -2)) if input.ndim else jnp.conj(input)


@view(put=lambda base, part: _adjoint(part), grad="Transpose", strides=strides.transposed, signs=conjugated)
def adjoint(input: Array):
    """The conjugate transpose of the last two dims.

    >>> tuple(torch.adjoint(torch.zeros(2, 3, 4)).shape)
    (2, 4, 3)
    """
    check(
        input.ndim != 1,
        RuntimeError,
        f"tensor.adjoint() is only supported on matrices or batches of matrices. Got {input.ndim}-D tensor.",
    )
    return _adjoint(input)


def _moved_order(input, source, destination) -> tuple[int, ...]:
    check(
        isinstance(source, int) == isinstance(destination, int),
        TypeError,
        f"movedim() received an invalid combination of arguments - got (Tensor, {type(source).__name__}, "
        f"{type(destination).__name__}), but expected one of:",
    )
    source = (source,) if isinstance(source, int) else tuple(source)
    destination = (destination,) if isinstance(destination, int) else tuple(destination)
    check(
        len(source) == len(destination),
        RuntimeError,
        f"movedim: Invalid source or destination dims: source ({list(source)} dims) should contain the same number "
        f"of dims as destination ({list(destination)} dims)",
    )
    src = [wrap_dim(d, input.ndim) for d in source]
    dst = [wrap_dim(d, input.ndim) for d in destination]
    check(len(set(src)) == len(src), RuntimeError, f"movedim: repeated dim in `source` ({list(source)})")
    check(
        len(set(dst)) == len(dst),
        RuntimeError,
        f"movedim: repeated dim in `destination` ({list(destination)})",
    )
    if input.ndim == 0:
        return ()
    order = [d for d in range(input.ndim) if d not in src]
    for to, frm in sorted(zip(dst, src)):
        order.insert(to, frm)
    return tuple(order)


def _put_moved(base, part, source, destination):
    return jnp.transpose(part, np.argsort(_moved_order(base, source, destination)).astype(int).tolist())


@view(put=_put_moved, grad="Permute", strides=strides.moved, on_host=on_host.moved)
def movedim(input: Array, source: int | tuple[int, ...], destination: int | tuple[int, ...]):
    """The dims `source` moved to the positions `destination`; the others keep their order.

    >>> tuple(torch.movedim(torch.zeros(2, 3, 4), 0, 2).shape)
    (3, 4, 2)
    """
    return jnp.transpose(input, _moved_order(input, source, destination))


@view(put=_put_moved, grad="Permute", strides=strides.moved, on_host=on_host.moved)
def moveaxis(input: Array, source: int | tuple[int, ...], destination: int | tuple[int, ...]):
    """The dims `source` moved to the positions `destination` (numpy's name of `movedim`).

    >>> tuple(torch.moveaxis(torch.zeros(2, 3, 4), 0, 2).shape)
    (3, 4, 2)
    """
    return jnp.transpose(input, _moved_order(input, source, destination))


@view(
    copied=True,
    put=_put_reshaped,
    grad=of_a_dim,
    dims_alone=True,
    strides=strides.squeezed,
    on_host=on_host.squeezed,
)
def squeeze(input: Array, dim: int | tuple[int, ...] | Unset = UNSET):
    """The dims of size 1 removed: all, or those among `dim`.

    >>> tuple(torch.squeeze(torch.zeros(1, 2, 1, 3)).shape)
    (2, 3)
    """
    if dim is UNSET:
        dims = range(input.ndim)
    elif isinstance(dim, tuple | list) and len(dim) == 0:
        dims = ()
    else:
        dims = wrap_dims(dim, input.ndim, in_turn=True)
    return input.reshape([s for d, s in enumerate(input.shape) if not (d in dims and s == 1)])


@view(copied=True, put=_put_reshaped, strides=strides.unsqueezed, on_host=np.expand_dims)
def unsqueeze(input: Array, dim: int):
    """A dim of size 1 inserted at `dim`.

    >>> tuple(torch.unsqueeze(torch.zeros(2, 3, 4), 0).shape)
    (1, 2, 3, 4)
    """
    dim = wrap_dim(dim, input.ndim + 1)
    return input.reshape((*input.shape[:dim], 1, *input.shape[dim:]))


def expanded(input: Array, size) -> Array:
    """`input` broadcast to `size`, with torch's sentences when it cannot be."""
    check_expanded(input, size)
    new = len(size) - input.ndim
    return jnp.broadcast_to(input, [input.shape[d - new] if n == -1 else n for d, n in enumerate(size)])


def _put_expanded(base, part, size):
    if part.size == 0:
        return base
    if part.size != base.size:
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory "
            "location. Please clone() the tensor before performing the operation."
        )
    return part.reshape(base.shape)


@view(namespace="Tensor", put=_put_expanded, strides=strides.expanded, on_host=on_host.expanded)
def expand(input: Array, size: Sizes):
    """`input` broadcast to `size`; -1 keeps a size. Writing into what was really expanded raises, as in torch.

    RuntimeError for a size that the shape does not broadcast to.

    >>> torch.tensor([[1], [2]]).expand(2, 3)
    tensor([[1, 1, 1],
            [2, 2, 2]])
    """
    return expanded(input, size)


@view(put=_put_expanded, grad="Expand", strides=strides.expanded, on_host=on_host.expanded)
def broadcast_to(input: Array, size: Sizes):
    """`input` broadcast to `size`; -1 keeps a size.

    >>> tuple(torch.broadcast_to(torch.zeros(2, 3, 4), (5, 2, 3, 4)).shape)
    (5, 2, 3, 4)
    """
    return expanded(input, size)


def check_index(name: str, position: int, index) -> None:
    """Raises torch's error for the index of a select that is not an int."""
    if hasattr(index, "dtype"):
        index = {"b": False, "f": 0.0, "c": 0j}.get(np.dtype(index.dtype).kind, 0)
    check_type(index.__class__ is int, index, "int", name, "index", position)


def check_range(shape: tuple[int, ...], dim: int, index: int) -> None:
    """Raises torch's error for an index of a select that is beyond the dim."""
    if not -shape[dim] <= index < shape[dim]:
        dim %= len(shape)
        message = f"select(): index {index} out of range for tensor of size {list(shape)} at dimension {dim}"
        raise IndexError(message)


def index_in_range(op, static, inputs, result) -> None:
    """For `@op(numbers=)` of the selects: their index comes last."""
    if isinstance(inputs[-1], int):
        check_range(inputs[0].aval.shape, static[0], inputs[-1])


def _selected(input, dim, index):
    check_index("select", 3, index)
    check(input.ndim > 0, IndexError, "select() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, input.ndim)
    size = input.shape[dim]
    if is_whole(index):
        check_range(input.shape, dim, int(index))
        index = int(index) + (size if index < 0 else 0)
    elif not is_number(index):  # of a number that changes this was seen before
        index = bounded(index, size, f"index:{dim}", -size)
    return dim, index


def put_selected(base, part, dim, index):
    """base with its slice `index` along `dim` replaced by `part`."""
    dim, index = _selected(base, dim, index)
    return lax.dynamic_update_index_in_dim(base, part, index, dim)


@view(copied=True, put=put_selected, numbers=index_in_range, strides=strides.selected, window=True)
def select(input: Array, dim: int, index: Number):
    """The slice `index` along `dim`, without that dim.

    An index that is a tensor is clamped when it is out of range, and an error when a value is read."""
    dim, index = _selected(input, dim, index)
    if isinstance(index, int):
        return lax.index_in_dim(input, index, dim, keepdims=False)
    return lax.dynamic_index_in_dim(input, index, dim, keepdims=False)


def _selection(input, dim, index):
    """A key for an index that is still to be computed."""
    size = input.shape[dim]
    return (slice(None),) * dim + (bounded(index.astype(np.int64), size, f"index:{dim}", -size),)


def _put_selected_at(base, part, dim, index):
    return base.at[_selection(base, dim, index)].set(part, mode="drop")


@view(name="_select_at", put=_put_selected_at, method=False, strides=strides.selected)
def _select_at(input: Array, dim: int, index: Array):
    """The slice along `dim` at an index that is still to be computed; nan (the lowest integer), and an error when a
    value is read, where that is out of range."""
    return input.at[_selection(input, dim, index)].get(mode="fill")


def _slice_bounds(input, dim, start, end, step):
    check(input.ndim > 0, IndexError, "slice() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, input.ndim)
    check(step > 0, RuntimeError, "slice step must be positive")
    start, end, step = slice(start, end, step).indices(input.shape[dim])
    return dim, start, max(start, end), min(step, max(input.shape[dim], 1))


def put_sliced(base, part, dim=0, start=None, end=None, step=1):
    """base with the elements start:end:step along `dim` replaced by `part`."""
    dim, start, end, step = _slice_bounds(base, dim, start, end, step)
    if step == 1:
        return lax.dynamic_update_slice_in_dim(base, part, start, dim)
    where = (slice(None),) * dim + (slice(start, end, step),)
    return base.at[where].set(part, unique_indices=True, indices_are_sorted=True)


@view(namespace="Tensor", method=False, put=put_sliced, strides=strides.sliced, on_host=on_host.sliced)
def slice_(
    input: Array, dim: int = 0, start: SymInt | None = None, end: SymInt | None = None, step: SymInt = 1
):
    """The elements start:end:step along `dim`, with Python's meaning of negative and large bounds; step > 0."""
    dim, start, end, step = _slice_bounds(input, dim, start, end, step)
    return lax.slice_in_dim(input, start, end, step, dim)


def _put_narrowed(base, part, dim, start, length):
    return lax.dynamic_update_slice_in_dim(base, part, start, dim)


@view(put=_put_narrowed, grad="Slice", strides=strides.narrowed, window=True)
def narrow(input: Array, dim: int, start: Number, length: SymInt):
    """`length` elements along `dim` from `start` on.

    Whoever applies it has checked the bounds and counts both from the front: a `start` that changes is traced.
    """
    if isinstance(start, int):
        return lax.slice_in_dim(input, start, start + length, 1, dim)
    return lax.dynamic_slice_in_dim(input, start, length, dim)


def _diagonal_at(input, offset, dim1, dim2):
    """(dim1, dim2, rows, columns) of a diagonal; rows and columns are int32 index vectors."""
    first, second = wrap_dim(dim1, input.ndim), wrap_dim(dim2, input.ndim)
    check(first != second, RuntimeError, f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    rows, columns = input.shape[first], input.shape[second]
    offset = min(max(offset, -rows), columns)  # farther out there is nothing either
    length = min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns)
    along = jnp.arange(max(length, 0), dtype=np.int32)
    return first, second, along + max(-offset, 0), along + max(offset, 0)


def diagonal_of(input, offset, dim1, dim2):
    """The diagonal of the matrices in dims `dim1` and `dim2`, as the last dim."""
    dim1, dim2, rows, columns = _diagonal_at(input, offset, dim1, dim2)
    moved = jnp.moveaxis(input, (dim1, dim2), (-2, -1))
    if rows.size == 0:
        return jnp.zeros((*moved.shape[:-2], 0), input.dtype)
    return moved.at[..., rows, columns].get(mode="promise_in_bounds", unique_indices=True)


def put_diagonal(base, part, offset=0, dim1=0, dim2=1):
    """base with a diagonal replaced by `part`."""
    dim1, dim2, rows, columns = _diagonal_at(base, offset, dim1, dim2)
    if rows.size == 0:
        return base
    moved = jnp.moveaxis(base, (dim1, dim2), (-2, -1))
    moved = moved.at[..., rows, columns].set(part, mode="promise_in_bounds", unique_indices=True)
    return jnp.moveaxis(moved, (-2, -1), (dim1, dim2))


@view(copied=True, put=put_diagonal, strides=strides.diagonal, on_host=on_host.diagonal)
def diagonal(input: Array, offset: int = 0, dim1: int = 0, dim2: int = 1):
    """The diagonal of the matrices in dims `dim1` and `dim2`, as the last dim of the result.

    >>> tuple(torch.diagonal(torch.zeros(2, 3, 4), 0, 1, 2).shape)
    (2, 3)
    """
    return diagonal_of(input, offset, dim1, dim2)


def _windows(input, dimension, size, step):
    """(dim, window starts and offsets as an int32 matrix) of `unfold`; a 0-d tensor counts as one of shape [1]."""
    dim = wrap_dim(dimension, input.ndim)
    length = input.shape[dim] if input.ndim else 1
    check(size >= 0, RuntimeError, f"size is {size} but must be >= 0")
    check(
        size <= length,
        RuntimeError,
        f"maximum size for tensor at dimension {dim} is {length} but size is {size}",
    )
    check(step > 0, RuntimeError, f"step is {step} but must be > 0")
    starts = jnp.arange((length - size) // step + 1, dtype=np.int32) * np.int32(min(step, length))
    return dim, starts[:, None] + jnp.arange(size, dtype=np.int32)


def _put_unfolded(base, part, dimension, size, step):
    dim, where = _windows(base, dimension, size, step)
    if base.ndim == 0:
        return part.reshape(()) if part.size else base
    if step < size and where.shape[0] > 1:
        raise NotImplementedError(
            "unfold: writing into windows that overlap (step < size) is not supported; clone() the windows first"
        )
    moved = jnp.moveaxis(base, dim, -1)
    moved = moved.at[..., where].set(jnp.moveaxis(part, dim, -2), unique_indices=True)
    return jnp.moveaxis(moved, -1, dim)


_MOST_BLOCKS = 32
"""Up to how many blocks of `step` elements the windows are slices side by side, rather than places that are looked up:
4 to 18 x as fast."""


@view(copied=True, namespace="Tensor", put=_put_unfolded, strides=strides.windows, on_host=on_host.windows)
def unfold(input: Array, dimension: int, size: int, step: int):
    """All windows of `size` elements along `dimension`, `step` apart; a window is the last dim of the result.

    (…, n, …) to (…, number of windows, …, size). RuntimeError for a size above n.

    >>> torch.arange(4).unfold(0, 2, 1)
    tensor([[0, 1],
            [1, 2],
            [2, 3]])
    """
    dim, where = _windows(input, dimension, size, step)
    if input.ndim == 0:
        return input.reshape(1)[:size]
    if not where.size:
        return jnp.zeros((*input.shape[:dim], where.shape[0], *input.shape[dim + 1 :], size), input.dtype)
    step = min(step, input.shape[dim])  # a longer one is never taken
    blocks = -(-size // step)
    if blocks > _MOST_BLOCKS:
        return jnp.moveaxis(jnp.take(input, where, axis=dim, mode="clip"), dim + 1, -1)
    # a window is so many blocks of `step` elements that follow each other
    count, moved = where.shape[0], jnp.moveaxis(input, dim, -1)
    long = (count - 1 + blocks) * step
    if long > moved.shape[-1]:
        moved = jnp.pad(moved, [(0, 0)] * (moved.ndim - 1) + [(0, long - moved.shape[-1])])
    parts = moved[..., :long].reshape(*moved.shape[:-1], count - 1 + blocks, step)
    found = jnp.concatenate([parts[..., k : k + count, :] for k in range(blocks)], -1)[..., :size]
    return jnp.moveaxis(found, -2, dim)


def _positions(input, size, stride, storage_offset):
    """The position of each element of a strided view in the flattened input."""
    size, stride, offset = list(size), list(stride), storage_offset or 0
    check_strided(input, size, stride, offset)
    kind = np.int32 if input.size < 2**31 else np.int64
    where = jnp.full((), offset, kind)
    for d, (n, s) in enumerate(zip(size, stride)):
        axis = jnp.arange(n, dtype=kind) * kind(min(s, input.size))  # a longer step is never taken
        where = where + axis.reshape([n if d == i else 1 for i in range(len(size))])
    return where


def _put_strided(base, part, size, stride, storage_offset=None):
    where = _positions(base, size, stride, storage_offset)
    reach = 0
    for step, count in sorted((s, n) for n, s in zip(size, stride) if n > 1):
        if step <= reach:
            raise NotImplementedError("as_strided: writing into elements that may overlap is not supported")
        reach += step * (count - 1)
    return base.reshape(-1).at[where].set(part, unique_indices=True).reshape(base.shape)


@view(copied=True, put=_put_strided, strides=strides.strided)
def as_strided(
    input: Array, size: tuple[int, ...], stride: tuple[int, ...], storage_offset: SymInt | None = None
):
    """The elements at `storage_offset + sum(i * stride)` of the input, which counts as contiguous storage."""
    where = _positions(input, size, stride, storage_offset)
    if where.size == 0:
        return jnp.zeros(where.shape, input.dtype)
    return jnp.take(input.reshape(-1), where, mode="clip")


@view(
    copied=True,
    method=False,
    put=lambda base, part: lax.complex(part[..., 0], part[..., 1]),
    strides=strides.as_real,
    signs=of_parts,
)
def view_as_real(input: Array):
    """A complex tensor as a real one with a last dim of size 2: real and imaginary part.

    >>> torch.view_as_real(torch.tensor([1 + 2j]))
    tensor([[1., 2.]])
    """
    check(
        jnp.issubdtype(input.dtype, jnp.complexfloating),
        RuntimeError,
        "view_as_real is only supported for complex tensors",
    )
    return jnp.stack([jnp.real(input), jnp.imag(input)], axis=-1)


def of_whole(conjugate: bool, negative: bool, is_complex: bool):
    """For `signs=`: complex numbers of real ones."""
    return conjugate, negative, True


@view(
    copied=True,
    method=False,
    put=lambda base, part: jnp.stack([jnp.real(part), jnp.imag(part)], axis=-1),
    strides=strides.as_complex,
    signs=of_whole,
)
def view_as_complex(input: Array):
    """A real tensor whose last dim has size 2 as a complex one.

    >>> torch.view_as_complex(torch.tensor([[1., 2.]]))
    tensor([1.+2.j])
    """
    check_view_as_complex(input)
    return lax.complex(input[..., 0], input[..., 1])


@view(put=_put_reshaped, strides=strides.same)
def detach(input: Array):
    """The same values, cut off from derivatives."""
    return lax.stop_gradient(input)


@view(namespace="Tensor", method=False, put=_put_reshaped, strides=strides.same, on_host=on_host.same)
def alias(input: Array):
    """The tensor itself."""
    return jax.numpy.asarray(input)


def _parts(x):
    """x as plain numbers of one real dtype, complex ones with a last dim of 2; bools as bytes."""
    if jnp.iscomplexobj(x):
        return jnp.stack([jnp.real(x), jnp.imag(x)], axis=-1)
    return x.astype(np.uint8) if x.dtype == np.bool_ else x


def _bits(x, kind):
    """The bits of x read as another dtype: the last dim grows or shrinks with the size of an element."""
    shape, ratio = x.shape, kind.itemsize / x.dtype.itemsize
    numbers = _parts(x).reshape(-1)
    inner = np.dtype(np.uint8) if kind == np.bool_ else kind
    if kind.kind == "c":
        inner = np.dtype(f"float{4 * kind.itemsize}")
    ratio_inner = inner.itemsize // numbers.dtype.itemsize
    if ratio_inner > 1:
        numbers = numbers.reshape(-1, ratio_inner)
    out = lax.bitcast_convert_type(numbers, inner).reshape(-1)
    if kind.kind == "c":
        pairs = out.reshape(-1, 2)
        out = lax.complex(pairs[:, 0], pairs[:, 1])
    elif kind == np.bool_:
        out = out != 0
    last = () if not shape else (int(shape[-1] / ratio),)
    return out.reshape((*shape[:-1], *last))


@view(
    namespace="Tensor",
    name="_view_dtype",
    method=False,
    put=lambda base, part, dtype: _bits(part, np.dtype(base.dtype)),
    saves="nothing",
    strides=strides.read_as,
    on_host=on_host.read_as,
)
def view_dtype(input: Array, dtype):
    """The bits of the elements read as another dtype; the last dim grows or shrinks with the size of an element.

    Whoever applies it has checked sizes, and that the bits of that dim lie side by side. No derivative, as in torch.
    """
    have, want = from_numpy(input.dtype), dtype
    if have.itemsize != want.itemsize:
        what = (
            f"to view {scalar_name(input)} as {scalar_name(np.zeros(0, want.np))} (different element sizes)"
        )
        check(input.ndim > 0, RuntimeError, f"self.dim() cannot be 0 {what}")
    return _bits(lax.stop_gradient(input), np.dtype(want.np))
