"""Sorting and what reads off sorted data: topk, order statistics, quantiles, binary search, unique, histograms.

All sorts are stable and put nan last (first when descending). Where torch leaves open which of equal elements
is selected, it is the one that the stable sort puts there. Gradients go to the elements selected.

The ops marked `host` take and return numpy arrays, because the shapes of their results depend on data.
"""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import Primitive
from jax.interpreters import batching, mlir

from .._core.api import (
    UNSET,
    Array,
    Number,
    Scalar,
    SymInt,
    Unset,
    check,
    check_type,
    dtype_of,
    dtypes,
    for_cpu,
    is_number,
    is_python_number,
    no_kernel,
    of_a_dim,
    op,
    required,
    wrap_dim,
)
from ._pointwise import as_number, between, once
from .contracts.sort import (
    NO_PLACE,
    NO_SHARE,
    check_quantile,
    check_searchsorted,
    check_share,
    check_within_sequence,
)
from .reduce import (
    INTO_ITS_DTYPE,
    beside_dim,
    check_nonempty,
    spread_evenly,
    take_selected,
)

INT64 = dtypes.int64.np
_FEW_PLACES = 16
"""Ranks below which what comes before is selected, too."""


def _order(input, axis: int, descending: bool = False):
    """The indices that sort `input` along `axis`, int64; `input` has dims."""
    order = jnp.argsort(lax.stop_gradient(input), axis=axis, stable=True, descending=descending)
    return order.astype(INT64)


def _sorted(input, dim: int, descending: bool):
    axis = wrap_dim(dim, input.ndim)
    check(not jnp.iscomplexobj(input), RuntimeError, " Sort does not support complex dtypes on CPU")
    if input.ndim == 0:
        return input, jnp.zeros((), INT64)
    return take_selected(input, _order(input, axis, descending), axis, keepdim=True)


@op(returns=("values", "indices"), out="exact", watches=True)
def sort(input: Array, dim: int = -1, descending: bool = False, *, stable: bool | None = False):
    """(values, indices) of the elements in order along `dim`; equal elements keep their order even if not `stable`.

    >>> torch.sort(torch.tensor([3, 1, 2])).values
    tensor([1, 2, 3])
    """
    return _sorted(input, dim, descending)


@op(saves="nothing", out="exact")
def argsort(input: Array, dim: int = -1, descending: bool = False, *, stable: bool = False):
    """The indices that put the elements in order along `dim`.

    >>> torch.argsort(torch.tensor([3., 1., 2.]))
    tensor([1, 2, 0])
    """
    return _sorted(input, dim, descending)[1]


@op(out="exact", grad="Sort", watches=True)
def msort(input: Array):
    """The elements in order along the first dim.

    >>> torch.msort(torch.tensor([3., 1., 2.]))
    tensor([1., 2., 3.])
    """
    return _sorted(input, 0, False)[0]


def _first_of_order(input, k: int, axis: int, descending: bool):
    """The indices of the first k elements of the order."""
    if not for_cpu() or k == 0:
        return lax.slice_in_dim(_order(input, axis, descending), 0, k, axis=axis)
    x = lax.stop_gradient(input)
    if jnp.issubdtype(x.dtype, jnp.floating):  # XLA's order is that of the bits
        x = jnp.where(jnp.isnan(x), jnp.nan, jnp.where(x == 0, 0, x)).astype(x.dtype)
        x = x if descending else -x
    else:
        x = x if descending else ~x
    return lax.top_k(x, k, axis=axis)[1].astype(INT64)


_place_of_rank = Primitive("place_of_rank")
"""The index along `axis` of what the stable order puts at `rank`, int64; `rank` is an array of the shape with 1 at
`axis`. A primitive, since CPUs and NumPy have quicker ways than the order."""


@_place_of_rank.def_impl
def _by_order(x, rank, *, axis: int):
    with jax.enable_x64(True):  # it may be a part of a program of the user's own
        return jnp.take_along_axis(_order(x, axis), rank, axis, mode="promise_in_bounds")


_place_of_rank.def_abstract_eval(lambda x, rank, *, axis: jax.core.ShapedArray(rank.shape, INT64))
mlir.register_lowering(_place_of_rank, mlir.lower_fun(_by_order, multiple_results=False))


def _places_of_ranks(args, dims, *, axis: int):
    n = next(x.shape[d] for x, d in zip(args, dims) if d is not None)
    x, rank = [batching.bdim_at_front(x, d, n) for x, d in zip(args, dims)]
    return _place_of_rank.bind(x, rank, axis=axis + 1), 0


batching.primitive_batchers[_place_of_rank] = _places_of_ranks


@op(returns=("values", "indices"), out="exact", watches=True)
def topk(input: Array, k: SymInt, dim: int = -1, largest: bool = True, sorted: bool = True):
    """(values, indices) of the k largest (or smallest) elements along `dim`, in order even if not `sorted`.

    >>> torch.topk(torch.tensor([3., 1., 2.]), 2).values
    tensor([3., 2.])
    """
    axis = wrap_dim(dim, input.ndim)
    source = dtype_of(input)
    check(0 <= k <= (input.shape[axis] if input.ndim else 1), RuntimeError, "selected index k out of range")
    check(not source.is_complex, RuntimeError, " topk does not support complex dtypes on CPU")
    check(source is not dtypes.bool_, RuntimeError, "topk does not support bool dtypes on CPU")
    if input.ndim == 0:
        return input, jnp.zeros((), INT64)
    return take_selected(input, _first_of_order(input, k, axis, largest), axis, keepdim=True)


def _select_rank(input, rank, axis: int, keepdim: bool):
    """(values, indices) of what the sort puts at `rank` (an int, or an array of shape input.shape with 1 at axis)."""
    if input.ndim == 0:
        return input, jnp.zeros((), INT64)
    if input.size == 0:
        shape = (*input.shape[:axis], 1, *input.shape[axis + 1 :])
        indices = jnp.zeros(shape, INT64)
    elif isinstance(rank, int) and rank < min(_FEW_PLACES, input.shape[axis] // 8):
        indices = lax.slice_in_dim(_first_of_order(input, rank + 1, axis, False), rank, rank + 1, axis=axis)
    else:
        shape = (*input.shape[:axis], 1, *input.shape[axis + 1 :])
        rank = jnp.broadcast_to(jnp.asarray(rank, INT64), shape)
        indices = _place_of_rank.bind(lax.stop_gradient(input), rank, axis=axis)
    return take_selected(input, indices, axis, keepdim)


@op(returns=("values", "indices"), out="exact", apart=True)
def kthvalue(input: Array, k: SymInt, dim: int = -1, keepdim: bool = False):
    """(values, indices) of the k-th smallest element along `dim`, counted from 1.

    >>> torch.kthvalue(torch.tensor([3., 1., 2.]), 2).values
    tensor(2.)
    """
    axis = wrap_dim(dim, input.ndim)
    check_nonempty("kthvalue", input, (axis,))
    length = input.shape[axis] if input.ndim else 1
    message = f"kthvalue(): selected number k out of range for dimension {axis}"
    check(1 <= k <= length, RuntimeError, message)
    source = dtype_of(input)
    if input.ndim and (source.is_complex or source is dtypes.bool_):
        raise no_kernel("kthvalue_cpu", source)
    return _select_rank(input, k - 1, axis, keepdim)


def _median(input, dim, keepdim, skip_nan: bool):
    axis = 0 if dim is None else wrap_dim(dim, input.ndim)
    source = dtype_of(input)
    if dim is not None:
        check_nonempty("median", input, (axis,))
    if dim is None and input.size == 0:
        # torch converts nan to the dtype; x86 gives the smallest integer of 32 bits at least, cut to the dtype.
        wide = source.category == 1 and source.itemsize >= 4
        empty = jnp.iinfo(source.np).min if wide else 0 if source.category == 1 else jnp.nan
        return jnp.asarray(empty).astype(source.np)
    if source.is_complex or source is dtypes.bool_:
        raise no_kernel("median_cpu" if dim is None else "median_out", source)
    input = once(input) if dim is None else input
    x = input.reshape(-1) if dim is None else input
    length = x.shape[axis] if x.ndim else 1
    rank = (length - 1) // 2
    if source.is_floating_point and x.ndim and x.size:
        missing = jnp.isnan(x)
        count = jnp.sum(missing, axis=axis, keepdims=True, dtype=INT64)
        if skip_nan:
            rank = jnp.maximum((length - count - 1) // 2, 0)
        else:  # the first nan, if there is one
            rank = jnp.where(count > 0, length - count, rank)
    values, indices = _select_rank(x, rank, axis, keepdim)
    return spread_evenly(input, values) if dim is None else (values, indices)


def _along_a_dim(name: str) -> tuple:
    """For `asks=`: `out=` is for medians along a dim."""

    def refuse(dim):
        raise TypeError(f'{name}() missing 1 required positional arguments: "dim"')

    return (("out is not None and dim is _d_dim", "dim", refuse),)


@op(returns=("values", "indices"), out="exact", asks=_along_a_dim("median"), grad=of_a_dim)
def median(input: Array, dim: int | Unset = UNSET, keepdim: bool | Unset = UNSET):
    """The lower median of all elements, or (values, indices) along `dim`; nan if there is a nan.

    >>> torch.median(torch.tensor([3., 1., 2.]))
    tensor(2.)
    """
    return _median(input, *beside_dim("median", dim, keepdim), skip_nan=False)


@op(returns=("values", "indices"), out="exact", asks=_along_a_dim("nanmedian"), grad=of_a_dim)
def nanmedian(input: Array, dim: int | Unset = UNSET, keepdim: bool | Unset = UNSET):
    """The lower median of all elements that are not nan, or (values, indices) along `dim`.

    >>> torch.nanmedian(torch.tensor([1., float('nan'), 3.]))
    tensor(1.)
    """
    return _median(input, *beside_dim("nanmedian", dim, keepdim), skip_nan=True)


@op(returns=("values", "indices"), out="exact", watches=True)
def mode(input: Array, dim: int = -1, keepdim: bool = False):
    """(values, indices) of the smallest of the most frequent elements along `dim`; the index is the index of its last
    occurrence.

    >>> torch.mode(torch.tensor([1, 2, 2])).values
    tensor(2)
    """
    axis = wrap_dim(dim, input.ndim)
    check_nonempty("mode", input, (axis,))
    if input.ndim == 0 or input.size == 0:
        return _select_rank(input, 0, axis, keepdim)
    if jnp.iscomplexobj(input):
        raise no_kernel("mode_cpu", dtype_of(input))
    order = _order(input, axis)
    ordered = jnp.take_along_axis(lax.stop_gradient(input), order, axis, mode="promise_in_bounds")
    length = ordered.shape[axis]
    before = lax.slice_in_dim(ordered, 0, length - 1, axis=axis)
    after = lax.slice_in_dim(ordered, 1, length, axis=axis)
    first = jnp.ones_like(lax.slice_in_dim(ordered, 0, 1, axis=axis), dtype=bool)
    starts = jnp.concatenate([first, before != after], axis=axis)
    position = lax.broadcasted_iota(INT64, ordered.shape, axis)
    run_length = position - lax.cummax(jnp.where(starts, position, 0), axis=axis)
    at = jnp.argmax(run_length, axis=axis, keepdims=True)  # the end of the first of the longest runs
    indices = jnp.take_along_axis(order, at, axis, mode="promise_in_bounds")
    return take_selected(input, indices, axis, keepdim)


def _share(op, static, inputs, result) -> None:
    if is_python_number(inputs[1]):
        check_share(inputs[1])


def _quantile(input, q, dim, keepdim, interpolation: str, skip_nan: bool):
    check_quantile(input, q, interpolation)
    if is_number(q):
        q = jnp.asarray(q, input.dtype)
    axis = None if dim is None else wrap_dim(dim, input.ndim)
    if dim is None or input.ndim == 0:
        rows, kept = input.reshape(-1), (1,) * input.ndim
    else:
        rows = jnp.moveaxis(input, axis, -1)
        kept = (*input.shape[:axis], 1, *input.shape[axis + 1 :])
    length = rows.shape[-1]
    ordered = jnp.take_along_axis(rows, _order(rows, rows.ndim - 1), -1, mode="promise_in_bounds")
    missing = jnp.sum(jnp.isnan(ordered), axis=-1, keepdims=True, dtype=INT64)
    last = length - 1
    if skip_nan:
        ranks = q.reshape(-1) * (last - missing).astype(input.dtype)
        ranks = jnp.where(ranks < 0, 0, ranks)
    else:
        ranks = jnp.where(missing > 0, jnp.asarray(last, input.dtype), q.reshape(-1) * last)
    if interpolation in ("lower", "higher", "nearest"):
        ranks = {"lower": jnp.floor, "higher": jnp.ceil, "nearest": jnp.round}[interpolation](ranks)
    below = jnp.floor(ranks)
    lower = jnp.take_along_axis(ordered, below.astype(INT64), -1, mode="clip")
    if interpolation in ("linear", "midpoint"):
        weight = jnp.full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - below
        upper = jnp.take_along_axis(ordered, jnp.ceil(ranks).astype(INT64), -1, mode="clip")
        lower = between(lower, upper, weight)
    within = (q.reshape(-1) >= 0) & (q.reshape(-1) <= 1)
    lower = required(jnp.where(within, lower, jnp.nan), ~jnp.all(within), NO_SHARE)
    out = jnp.moveaxis(lower, -1, 0)
    out = out.reshape(out.shape[0], *kept) if keepdim else out
    return out[0] if q.ndim == 0 else out


@op(numbers=_share, out="exact", asks=(INTO_ITS_DTYPE,), autocast=("float", None))
def quantile(
    input: Array,
    q: Array | Number,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
):
    """The q-quantiles along `dim` or of all elements; a 1-D `q` gives a new first dim. nan if there is a nan.

    Raises RuntimeError if an element of `q` is outside [0, 1].

    >>> torch.quantile(torch.tensor([0.0, 1.0, 2.0, 3.0]), 0.5)
    tensor(1.5000)
    """
    return _quantile(input, q, dim, keepdim, interpolation, skip_nan=False)


@op(numbers=_share, out="exact", asks=(INTO_ITS_DTYPE,), autocast=("float", None))
def nanquantile(
    input: Array,
    q: Array | Number,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
):
    """The q-quantiles along `dim` of what is not nan.

    >>> torch.nanquantile(torch.tensor([1., float('nan'), 3.]), 0.5)
    tensor(2.)
    """
    return _quantile(input, q, dim, keepdim, interpolation, skip_nan=True)


def _binary_search(boundaries, values, right: bool, sorter=None):
    """Where each value belongs: torch's own bisection, so that nan and unsorted boundaries give torch's answer."""
    boundaries, values = lax.stop_gradient(boundaries), lax.stop_gradient(values)
    if jnp.iscomplexobj(boundaries):
        raise no_kernel("searchsorted_out_cpu", dtype_of(boundaries))
    length = boundaries.shape[-1]
    if length == 0 or values.size == 0:
        return jnp.zeros(values.shape, INT64)
    # vectors of int32, and of a few halvings no loop: row `bucketize 100k` 3.5 x PyTorch's time, 1.2 x so
    start = jnp.zeros(values.shape, np.int32 if length < 2**30 else np.int64)
    turns = length.bit_length()

    def at(source, i):
        if source.ndim == 1:
            inside = jnp.clip(i, 0, source.shape[0] - 1)
            return source.at[inside].get(mode="promise_in_bounds", wrap_negative_indices=False)
        return jnp.take_along_axis(source, i, -1, mode="clip")

    def halve(_, bounds):
        start, end = bounds
        middle = start + ((end - start) >> 1)
        found = at(boundaries, middle if sorter is None else at(sorter, middle))
        # `not >=` is not `<`: comparisons with nan are false, and then the search goes on to the right.
        onward = ~(found > values) if right else ~(found >= values)
        searching = start < end
        return jnp.where(searching & onward, middle + 1, start), jnp.where(searching & ~onward, middle, end)

    start, _ = lax.fori_loop(0, turns, halve, (start, jnp.full_like(start, length)), unroll=turns <= 16)
    return start.astype(INT64)


@op(
    promote=("same", "sorted_sequence", "input"),
    method=False,
    saves="nothing",
    out="exact",
    asks=(("isinstance(sorter, Tensor)", "sorter", check_within_sequence),),
)
def searchsorted(
    sorted_sequence: Array,
    input: Array | Number,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Array | None = None,
):
    """The index in the last dim of `sorted_sequence` at which each value of `input` would keep it sorted.

    >>> torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([2, 5]))
    tensor([1, 2])
    """
    b, x = sorted_sequence, jnp.asarray(input)
    check_searchsorted(b, x, right, side, sorter)
    if sorter is not None and sorter.ndim and sorter.size:
        inside = (sorter >= 0) & (sorter < sorter.shape[-1])
        sorter = required(sorter, ~jnp.all(inside), NO_PLACE)
    out = _binary_search(b, x, right or side == "right", sorter)
    return out.astype(jnp.int32) if out_int32 else out


@op(promote=("same", "input", "boundaries"), method=False, saves="nothing", out="exact")
def bucketize(input: Array | Number, boundaries: Array, *, out_int32: bool = False, right: bool = False):
    """The index of the bucket between 1-D sorted `boundaries` that each value of `input` falls into."""
    ndim = boundaries.ndim
    check(ndim == 1, RuntimeError, f"boundaries tensor must be 1 dimension, but got dim({ndim})")
    if boundaries.dtype == jnp.bool_:
        raise no_kernel("searchsorted_out_cpu", dtypes.bool_)
    out = _binary_search(boundaries, jnp.asarray(input), right)
    return out.astype(jnp.int32) if out_int32 else out


def _keys(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float32) if dtype_of(x).is_floating_point and x.dtype.itemsize < 4 else x


def _distinct(input: np.ndarray, dim: int | None, in_order: bool, return_inverse: bool, return_counts: bool):
    """The distinct elements (or slices along `dim`), sorted if `in_order`, else as runs; as torch, nan differs from
    nan."""
    if np.iscomplexobj(input):
        raise no_kernel("unique" if dim is None else "unique_dim", dtype_of(input))
    if dim is not None:
        message = f"Dimension specified as {dim} but tensor has no dimensions"
        check(input.ndim > 0, IndexError, message)
        dim = wrap_dim(dim, input.ndim)
        others = input.shape[:dim] + input.shape[dim + 1 :]
        message = "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied"
        check(0 not in others, RuntimeError, message)
    items = input.reshape(-1) if dim is None else np.moveaxis(input, dim, 0)
    rows = _keys(items).reshape(len(items), math.prod(items.shape[1:]))
    order = np.lexsort(rows.T[::-1]) if in_order else np.arange(len(rows))
    starts = np.ones(len(rows), bool)
    starts[1:] = (rows[order][1:] != rows[order][:-1]).any(axis=1)
    values = items[order][starts]
    inverse = np.empty(len(rows), np.int64)
    inverse[order] = np.cumsum(starts) - 1
    counts = np.diff(np.append(np.flatnonzero(starts), len(rows)))
    out = [values if dim is None else np.moveaxis(values, 0, dim)]
    if return_inverse:
        out.append(inverse.reshape(input.shape) if dim is None else inverse)
    if return_counts:
        out.append(counts.astype(np.int64))
    return tuple(out) if len(out) > 1 else out[0]


@op(host=True, out=False)
def unique(
    input: Array,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
):
    """The distinct elements in order (also if not `sorted`), then, if asked for, where each went and how often each is.

    >>> torch.tensor([3, 1, 3]).unique()
    tensor([1, 3])
    """
    return _distinct(input, dim, True, return_inverse, return_counts)


@op(host=True, out=False)
def unique_consecutive(
    input: Array,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
):
    """The first element of every run of equal elements, then, if asked for, where each went and the lengths of the
    runs.

    >>> torch.unique_consecutive(torch.tensor([1, 1, 2, 1]))
    tensor([1, 2, 1])
    """
    return _distinct(input, dim, False, return_inverse, return_counts)


@op(host=True, out=False, float8=True, apart=True)
def nonzero(input: Array):
    """The indices of the elements that are not zero, one row each (nan is not zero)."""
    return np.argwhere(input != 0).astype(np.int64)


@op(host=True, out=False, float8=True)
def bincount(input: Array, weights: Array | None = None, minlength: SymInt = 0):
    """How often each integer from 0 to the largest occurs in the 1-D `input`, or the sum of its weights.

    >>> torch.bincount(torch.tensor([0, 2, 2]))
    tensor([1, 0, 2])
    """
    source = dtype_of(input)
    if source.category != 1:
        raise no_kernel("bincount_cpu", source)
    check(minlength >= 0, RuntimeError, "minlength should be >= 0")
    if input.ndim == 1 and input.size == 0:
        return np.zeros(minlength, np.int64)
    valid = input.ndim == 1 and (not source.is_signed or int(input.min()) >= 0)
    check(valid, RuntimeError, "bincount only supports 1-d non-negative integral inputs.")
    if weights is None:
        return np.bincount(input, minlength=minlength).astype(np.int64)
    message = "weights should be 1-d and have the same length as input"
    check(weights.shape == input.shape, RuntimeError, message)
    kind = np.float32 if weights.dtype == np.float32 else np.float64
    out = np.zeros(max(minlength, int(input.max()) + 1), kind)
    np.add.at(out, input, weights.astype(out.dtype))
    return out


def _around(number: float, d: dtypes.dtype) -> tuple[float, float]:
    """The limits of a histogram of one number: 1 off, or the adjacent floats where these are farther."""
    low, high = number - 1, number + 1
    if d.itemsize < 4 or not math.isfinite(number):
        return low, high
    most = d.np.type(dtypes.finfo(d).max)
    below, above = (float(np.nextafter(d.np.type(number), end)) for end in (-most, most))
    return min(low, below), max(high, above)


@op(host="fixed shape", out="exact")
def histc(input: Array, bins: int = 100, min: Scalar = 0, max: Scalar = 0):
    """How many elements fall into each of `bins` equal bins from `min` to `max` (of the data, when those are equal).

    >>> torch.histc(torch.tensor([1., 2., 2.]), bins=2, min=0, max=4)
    tensor([1., 2.])
    """
    for name, edge in (("min", min), ("max", max)):
        check_type(isinstance(edge, int | float | complex), edge, "Number", "histc", name)
    source = dtype_of(input)
    message = f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0"
    check(bins > 0, RuntimeError, message)
    if source.is_complex or source.category < 2:
        kernels = {0: "linspace_cpu", 1: "histogram_cpu", 3: "aminmax_cpu" if min == max else "histogram_cpu"}
        raise no_kernel(kernels[source.category], source)
    for edge in (min, max):
        as_number(edge, dtypes.float64)  # refused where it does not fit
    low, high = min, max
    if low == high and input.size > 0:
        low, high = float(input.min()), float(input.max())
    if low == high:
        low, high = _around(low, source)
    finite = math.isfinite(low) and math.isfinite(high)
    check(finite, RuntimeError, f"torch.histc: range of [{low:g}, {high:g}] is not finite")
    check(low < high, RuntimeError, "torch.histc: max must be larger than min")
    for edge in (low, high):
        as_number(edge, source)
    x = np.asarray(input).reshape(-1)  # computed in its own dtype, as in torch
    left, right = (x.dtype.type(edge) for edge in (low, high))
    x = x[(x >= left) & (x <= right)]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        place = (x - left) * x.dtype.type(bins) / (right - left)
    place = np.where(np.isfinite(place), place, 0).astype(np.int64)
    return np.bincount(np.minimum(place, bins - 1), minlength=bins).astype(input.dtype)
