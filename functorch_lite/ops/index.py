"""Reading and writing by index tensors: advanced indexing, gather, scatter and the `index_*` family.

Indices are data, so an op here cannot raise for one that is out of range. The caller checks concrete indices before
it applies an op. For others the op states the allowed range (`bounded`), and reading a value raises the error.
Meanwhile they read nan (the lowest number of an integer dtype) and write nowhere, never something plausible. Where
torch refuses negative indices (gather, scatter, index_select, ...) they count as out of range here. Where two writes
meet, which one wins is undefined and the derivative goes to both, as in torch.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from .._core.api import (
    Array,
    Arrays,
    DynamicInt,
    Number,
    SymInt,
    all_tensors,
    bounded,
    broadcast_shapes,
    check,
    check_fill,
    from_numpy,
    op,
    required,
    scalar_name,
    wrap_dim,
)
from ._pointwise import as_number, fit
from .contracts.index import (
    INT_OR_LONG,
    TOO_FEW,
    check_gather,
    check_index_copy,
    check_index_fill,
    check_part,
    check_slices,
    check_take_along_dim,
)
from .views import check_index, check_range, index_in_range, put_diagonal, put_selected, put_sliced


def _only_forward(index, size):
    """`index` with negative entries moved out of range, for ops in which torch refuses them."""
    return jnp.where(index < 0, jnp.asarray(size, index.dtype), index)


# --- advanced indexing --------------------------------------------------------------------------------------------


def _broadcast(indices):
    """The shape that the index tensors broadcast to; sizes may be symbolic. Raises ValueError."""
    return jnp.broadcast_shapes(*(x.shape for x in indices)) if indices else ()


def _index_key(input, indices, dims):
    """(key for jax's indexing, shape of the result) for index tensors at the positions `dims` of the input."""
    dims = tuple(range(len(indices))) if dims is None else tuple(dims)
    check(len(indices) == len(dims), RuntimeError, f"got {len(indices)} index tensors for {len(dims)} dims")
    for x in indices:
        if x.dtype == np.bool_ or x.dtype == np.uint8:
            raise NotImplementedError("index: a mask must be turned into integer indices before it gets here")
        check(
            x.dtype in INT_OR_LONG,
            IndexError,
            "tensors used as indices must be long, int, byte or bool tensors",
        )
    check(
        len(dims) <= input.ndim and max(dims, default=-1) < input.ndim,
        IndexError,
        f"too many indices for tensor of dimension {input.ndim}",
    )
    try:
        common = _broadcast(indices)
    except ValueError:
        shapes = ", ".join(str(list(x.shape)) for x in indices)
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
        ) from None
    key: list = [slice(None)] * input.ndim
    for d, x in zip(dims, indices):
        n = input.shape[d]
        looks = 0 not in common and (0 not in input.shape or not n)  # otherwise torch looks at no index
        key[d] = bounded(x, n, f"index:{d}", -n) if looks else x
    rest = [s for d, s in enumerate(input.shape) if d not in dims]
    adjacent = list(dims) == list(range(dims[0], dims[0] + len(dims))) if dims else True
    at = dims[0] if dims and adjacent else 0
    return tuple(key), (*rest[:at], *common, *rest[at:])


@op(namespace="Tensor", method=False, out=False, float8=True, mixes_devices=True)
def index(input: Array, indices: Arrays, dims: tuple[int, ...] | None = None):
    """input[..., i0, ..., i1, ...] with the index tensors at `dims` (ascending; by default the first dims).

    The index tensors broadcast together. Their dims replace the first of them if `dims` are adjacent, else they come
    first. Negative indices count from the end.

    >>> index(jnp.arange(6).reshape(2, 3), [jnp.array([0, -1])], (1,)).tolist()
    [[0, 2], [3, 5]]
    """
    key, shape = _index_key(input, indices, dims)
    if not indices:
        return input
    if input.size == 0 or 0 in shape:
        return _nothing_to_read(input, shape)
    return input.at[key].get(mode="fill")


def _nothing_to_read(input, shape):
    """The result of a read of which nothing can be in range: empty, or all of it out of range."""
    return jnp.full(shape, _out_of_range(input.dtype), input.dtype)


def _out_of_range(kind):
    if jnp.issubdtype(kind, jnp.inexact):
        return np.nan
    return (
        True
        if kind == np.bool_
        else np.iinfo(kind).min
        if jnp.issubdtype(kind, jnp.signedinteger)
        else np.iinfo(kind).max
    )


@op(out=False, autocast=(None, "widest"), float8=True, mixes_devices=True)
def index_put(
    input: Array,
    indices: Arrays,
    values: Array,
    accumulate: bool = False,
    dims: tuple[int, ...] | None = None,
):
    """`input` with `values` written (or added) at input[..., i0, ..., i1, ...]; see `index` for `dims`."""
    key, shape = _index_key(input, indices, dims)
    check(
        input.dtype == values.dtype,
        RuntimeError,
        f"Index put requires the source and destination dtypes match, got {scalar_name(input)} for the destination "
        f"and {scalar_name(values)} for the source.",
    )
    mismatch = (
        f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing result of shape "
        f"{list(shape)}"
    )
    check(values.ndim <= len(shape), RuntimeError, mismatch)
    check(
        all(a in (1, b) for a, b in zip(values.shape[::-1], shape[::-1])),
        RuntimeError,
        mismatch,
    )
    if input.size == 0 or 0 in shape:
        return input
    values = jnp.broadcast_to(values, shape)
    if accumulate:
        return added(input.at[key], values)
    return input.at[key].set(values, mode="drop", unique_indices=True)


def added(target, values):
    """target.at[...].add, where bool adds as "or"."""
    return target.max(values, mode="drop") if values.dtype == np.bool_ else target.add(values, mode="drop")


# --- gather -------------------------------------------------------------------------------------------------------


def gathered(input, dim, index):
    """input[..., index, ...] elementwise along dim; index may be smaller than input in the other dims."""
    if index.size == 0 or input.size == 0:
        return _nothing_to_read(input, index.shape)
    cut = tuple(slice(None) if d == dim else slice(0, n) for d, n in enumerate(index.shape))
    index = _only_forward(index, input.shape[dim])
    return jnp.take_along_axis(input[cut], index, axis=dim, mode="fill")


@op(out="exact", apart=("input",), mixes_devices=True)
def gather(input: Array, dim: int, index: Array, *, sparse_grad: bool = False):
    """result[i][j] = input[index[i][j]][j] for dim 0, and so on; the result has the shape of `index`.

    >>> torch.gather(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([[1], [0]]))
    tensor([[2],
            [3]])
    """
    dim = wrap_dim(dim, input.ndim)
    check_gather(input, dim, index, sparse_grad)
    if index.size == 0:
        return _nothing_to_read(input, index.shape)
    base = jnp.atleast_1d(input)
    flat = gathered(base, dim, bounded(jnp.atleast_1d(index), base.shape[dim], f"gather:{dim}"))
    return flat.reshape(index.shape)


def grid(shape, dim, index):
    """An indexing key that is `index` along dim and counts along the others."""
    index = _only_forward(index, shape[dim])
    return tuple(
        index if d == dim else lax.broadcasted_iota(index.dtype, index.shape, d) for d in range(index.ndim)
    )


# --- whole slices by a vector of indices --------------------------------------------------------------------------


def _along(input, dim, index, says="self"):
    """An indexing key that is the vector `index` along dim, whole along the others. says: what torch says of one that
    is out of range."""
    size = input.shape[dim]
    return (slice(None),) * dim + (_only_forward(bounded(jnp.atleast_1d(index), size, says), size),)


@op(out="exact", float8=True, apart=True)
def index_select(input: Array, dim: int, index: Array):
    """The slices along `dim` that the vector `index` names.

    >>> torch.index_select(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([1]))
    tensor([[2],
            [4]])
    """
    dim = wrap_dim(dim, input.ndim)
    check(index.ndim <= 1, IndexError, "index_select(): Index is supposed to be a vector")
    check(index.dtype in INT_OR_LONG, RuntimeError, "index_select(): Expected dtype int32 or int64 for index")
    if input.ndim == 0:
        check(
            index.size == 1,
            RuntimeError,
            f"index_select(): Index to scalar can have only 1 value, got {index.size} value(s)",
        )
        return gathered(input.reshape(1), 0, bounded(index.reshape(1), 1, "self")).reshape(())
    shape = (*input.shape[:dim], index.size, *input.shape[dim + 1 :])
    if input.size == 0 or index.size == 0:
        return _nothing_to_read(input, shape)
    says = "data" if input.ndim > 1 and dim == 1 else "self"
    return input.at[_along(input, dim, index, says)].get(mode="fill")


@op(inplace=True, out="exact", numbers=fit("alpha"), apart=("index", "source"))
def index_add(input: Array, dim: int, index: Array, source: Array, *, alpha: Number = 1):
    """`input` with alpha times the slices of `source` added to the slices that `index` names.

    >>> torch.index_add(torch.zeros(3), 0, torch.tensor([0, 0]), torch.ones(2))
    tensor([2., 0., 0.])
    """
    dim = wrap_dim(dim, input.ndim)
    check_slices("index_add_", input, dim, index, source)
    base, source = jnp.atleast_1d(input), jnp.atleast_1d(source)
    part = source * as_number(alpha, from_numpy(input.dtype))
    ends = input.ndim > 1 and dim in (0, input.ndim - 1) and index.dtype == np.int64
    key = _along(base, dim, index, f"gather:{dim}" if ends else "self")
    return added(base.at[key], part).reshape(input.shape)


@op(inplace=True, out="exact", autocast=("widest", None), apart=("index", "source"))
def index_copy(input: Array, dim: int, index: Array, source: Array):
    """`input` with the slices that `index` names replaced by slices of `source`.

    >>> torch.index_copy(torch.zeros(3), 0, torch.tensor([0, 2]), torch.ones(2))
    tensor([1., 0., 1.])
    """
    dim = wrap_dim(dim, input.ndim)
    check_index_copy(input, dim, index, source)
    base, source = jnp.atleast_1d(input), jnp.atleast_1d(source)
    out = base.at[_along(base, dim, index, f"index_copy:{dim}")].set(source, mode="drop", unique_indices=True)
    return out.reshape(input.shape)


_MAY_FILL = "isinstance(value, Tensor) and not value.ndim and (input.is_complex() or not value.is_complex())"
"""The op refuses others: of more dims, and complex where input is real."""


@op(
    inplace=True,
    out=False,
    asks=((_MAY_FILL, "input, value", check_fill),),
    numbers=fit("value"),
    grad=all_tensors(3),
    watches=False,
)
def index_fill(input: Array, dim: int, index: Array, value: Array | Number):
    """`input` with the slices that `index` names filled with `value`, a number or a 0-d tensor.

    >>> torch.index_fill(torch.zeros(3), 0, torch.tensor([1]), 5.0)
    tensor([0., 5., 0.])
    """
    check_index_fill(input, dim, index, value)
    dim = wrap_dim(dim, input.ndim)
    base = jnp.atleast_1d(input)
    # not a scatter: the derivative by `value` counts a slice that is named twice once
    size = base.shape[dim]
    index = bounded(jnp.atleast_1d(index), size, f"index:{dim}", -size)
    named = jnp.zeros(size, bool).at[index].set(True, mode="drop")
    named = named.reshape((-1,) + (1,) * (base.ndim - dim - 1))
    return jnp.where(named, as_number(value, from_numpy(input.dtype)), base).reshape(input.shape)


# --- positions in the flattened tensor ----------------------------------------------------------------------------


@op(out="exact", apart=True)
def take(input: Array, index: Array):
    """The elements at the given positions of the flattened tensor; negative ones count from the end.

    >>> torch.take(torch.tensor([[1, 2], [3, 4]]), torch.tensor([0, 3]))
    tensor([1, 4])
    """
    check(
        index.dtype == np.int64,
        RuntimeError,
        f"take(): Expected a long tensor for index, but got {scalar_name(index)}",
    )
    check(
        input.size > 0 or index.size == 0,
        IndexError,
        "take(): tried to take from an empty tensor",
    )
    if index.size == 0:
        return _nothing_to_read(input, index.shape)
    index = bounded(index, input.size, "take", -input.size)
    return input.reshape(-1).at[index].get(mode="fill")


@op(inplace=True, out=False, apart=("index", "source"))
def put(input: Array, index: Array, source: Array, accumulate: bool = False):
    """`input` with `source` written (or added) at the given positions of the flattened tensor.

    Same shape and dtype; RuntimeError for a source of another dtype, IndexError for a position that there is not.

    >>> torch.put(torch.zeros(3), torch.tensor([2, 0]), torch.tensor([1., 2.]))
    tensor([2., 0., 1.])
    """
    check(
        index.dtype == np.int64,
        RuntimeError,
        f"put_(): Expected a long tensor for index, but got {scalar_name(index)}",
    )
    check(
        input.dtype == source.dtype,
        RuntimeError,
        "put_(): self and source expected to have the same dtype, but got "
        f"self.dtype = {scalar_name(input)} and source.dtype = {scalar_name(source)}",
    )
    check(
        index.size == source.size,
        IndexError,
        "put_(): Expected source and index to have the same number of elements, but got "
        f"source.numel() = {source.size}, index.numel() = {index.size}",
    )
    if index.size == 0:
        return input
    check(input.size > 0, IndexError, "put_(): Tried to put elements into an empty tensor")
    index = bounded(index.reshape(-1), input.size, "take", -input.size)
    target, part = input.reshape(-1).at[index], source.reshape(-1)
    out = added(target, part) if accumulate else target.set(part, mode="drop", unique_indices=True)
    return out.reshape(input.shape)


@op(out="exact", grad="Gather", apart=("input",))
def take_along_dim(input: Array, indices: Array, dim: int | None = None):
    """`gather` whose index broadcasts against the input in the other dims; without `dim`, of the flattened tensor.

    Along a dim, indices count modulo its size, as in torch.
    """
    check_take_along_dim(input, indices, dim)
    cyclic = dim is not None
    if dim is None:
        input, indices, dim = input.reshape(-1), indices.reshape(-1), 0
    dim, shape = wrap_dim(dim, input.ndim), indices.shape
    input, indices = jnp.atleast_1d(input), jnp.atleast_1d(indices)
    without = [(*x.shape[:dim], 1, *x.shape[dim + 1 :]) for x in (input, indices)]
    common = broadcast_shapes(*without)
    whole = [(*common[:dim], x.shape[dim], *common[dim + 1 :]) for x in (input, indices)]
    check(not cyclic or whole[0][dim] or 0 in whole[1], RuntimeError, "ZeroDivisionError")  # as torch says it
    if 0 in whole[0] or 0 in whole[1]:
        return _nothing_to_read(input, whole[1])
    input, indices = jnp.broadcast_to(input, whole[0]), jnp.broadcast_to(indices, whole[1])
    size = input.shape[dim]
    indices = indices % size if cyclic else bounded(indices, size, f"gather:{dim}")
    out = jnp.take_along_axis(input, indices, axis=dim, mode="fill")
    return out.reshape(shape) if not shape else out


@op(inplace=True, out=False)
def masked_scatter(input: Array, mask: Array, source: Array):
    """`input` (broadcast with `mask`) with the elements of `source`, in order, where the mask is true.

    Requires that `source` has enough elements.
    """
    check(
        mask.dtype == np.bool_,
        RuntimeError,
        f"masked_scatter_ only supports boolean masks, but got mask with dtype {scalar_name(mask)}",
    )
    check(
        input.dtype == source.dtype,
        RuntimeError,
        f"masked_scatter: expected self and source to have same dtypes but got{scalar_name(input)} and {scalar_name(source)}",
    )
    shape = broadcast_shapes(mask.shape, input.shape)
    input, mask = jnp.broadcast_to(input, shape), jnp.broadcast_to(mask, shape)
    if source.size == 0 or input.size == 0:
        return jnp.where(mask, _nothing_to_read(input, shape), input)
    position = jnp.cumsum(mask.reshape(-1), dtype=np.int64).reshape(shape) - 1
    taken = source.reshape(-1).at[jnp.maximum(position, 0)].get(mode="fill")
    return required(jnp.where(mask, taken, input), position.reshape(-1)[-1] >= source.size, TOO_FEW)


# --- views written out of place -----------------------------------------------------------------------------------


def _checked_part(src, shape, input):
    check_part(src.shape, shape)
    return src.astype(input.dtype)


@op(out=False, numbers=index_in_range, float8=True)
def select_scatter(input: Array, src: Array, dim: int, index: Number):
    """`input` with its slice `index` along `dim` replaced by `src`."""
    check_index("select_scatter", 4, index)
    check(input.ndim > 0, IndexError, "select() cannot be applied to a 0-dim tensor.")
    at = wrap_dim(dim, input.ndim)
    if isinstance(index, int):
        check_range(input.shape, at, index)
    return put_selected(input, _checked_part(src, input.shape[:at] + input.shape[at + 1 :], input), at, index)


def _slice_fits(op, static, inputs, result) -> None:
    """For `@op(numbers=)` of slice_scatter."""
    src, start, end = inputs[1:]
    dim, step = static
    shape = list(result.shape)
    at = wrap_dim(dim, len(shape))
    shape[at] = len(range(*slice(start, end, step).indices(shape[at])))
    check_part(src.aval.shape, shape)


@op(out="exact", numbers=_slice_fits, float8=True)
def slice_scatter(
    input: Array,
    src: Array,
    dim: int = 0,
    start: DynamicInt | SymInt | None = None,
    end: DynamicInt | SymInt | None = None,
    step: SymInt = 1,
):
    """`input` with its elements start:end:step along `dim` replaced by `src`.

    Bounds that change are unknown here: the caller has checked that there are as many elements as in `src`.

    >>> torch.slice_scatter(torch.zeros(3), torch.ones(2), start=1)
    tensor([0., 1., 1.])
    """
    check(input.ndim > 0, IndexError, "slice() cannot be applied to a 0-dim tensor.")
    at = wrap_dim(dim, input.ndim)
    check(step > 0, RuntimeError, "slice step must be positive")
    if hasattr(start, "dtype") or hasattr(end, "dtype"):
        size = input.shape[at]
        start = 0 if start is None else jnp.clip(jnp.where(start < 0, start + size, start), 0, size)
        where = start + jnp.arange(src.shape[at]) * min(step, size)
        moved = jnp.moveaxis(input, at, 0).at[where]
        put = moved.set(jnp.moveaxis(src.astype(input.dtype), at, 0), mode="drop", unique_indices=True)
        return jnp.moveaxis(put, 0, at)
    count = len(range(*slice(start, end, step).indices(input.shape[at])))
    shape = (*input.shape[:at], count, *input.shape[at + 1 :])
    return put_sliced(input, _checked_part(src, shape, input), at, start, end, step)


@op(out=False, float8=True)
def diagonal_scatter(input: Array, src: Array, offset: int = 0, dim1: int = 0, dim2: int = 1):
    """`input` with a diagonal replaced by `src`.

    >>> torch.diagonal_scatter(torch.zeros(2, 2), torch.ones(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    first, second = wrap_dim(dim1, input.ndim), wrap_dim(dim2, input.ndim)
    check(first != second, RuntimeError, f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    rows, columns = input.shape[first], input.shape[second]
    length = max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)
    rest = [n for d, n in enumerate(input.shape) if d not in (first, second)]
    return put_diagonal(input, _checked_part(src, (*rest, length), input), offset, dim1, dim2)
