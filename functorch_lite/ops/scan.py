"""Scans: results that accumulate along one dim (cumsum, cummax, …), differences, and the trapezoid rule."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from .._core.api import (
    ENTIRELY,
    Array,
    Number,
    broadcast_shapes,
    check,
    dtype_of,
    dtypes,
    for_cpu,
    no_kernel,
    op,
    reads,
    result_dtype,
    wrap_dim,
)
from .._core.api import dtype as DType
from ._pointwise import differentiated, no_dtype_asked
from ._special import logaddexp
from .reduce import INTO_ITS_DTYPE, cast_for_sum, take_selected

_IN_DOUBLE = {np.dtype(np.float32): np.float64, np.dtype(np.complex64): np.complex128}


def _scan(combine, x, axis: int):
    """Applies `combine` along the axis: single precision in double, as torch does on a CPU, and each element is rounded
    once."""
    if not x.ndim or not x.size:
        return x
    wide = x.astype(_IN_DOUBLE.get(x.dtype, x.dtype)) if for_cpu() else x
    return combine(wide, axis=axis).astype(x.dtype)


@op(inplace=True, out="dtype", autocast=(None, "float"), autocast_if=no_dtype_asked)
def cumsum(input: Array, dim: int, *, dtype: DType | None = None):
    """The running sum along `dim`; bool and integers give int64 unless `dtype` is given.

    >>> torch.cumsum(torch.tensor([1.0, 2.0, 3.0]), 0)
    tensor([1., 3., 6.])
    """
    axis = wrap_dim(dim, input.ndim)
    if dtype is dtypes.bool_ and input.ndim and input.size:
        raise no_kernel("cumsum_out_cpu", dtype)
    x, result = cast_for_sum(input, dtype)
    return _scan(lax.cumsum, x, axis).astype(result)


@op(inplace=True, flat_if_empty=True, out="dtype", autocast=(None, "float"), autocast_if=no_dtype_asked)
def cumprod(input: Array, dim: int, *, dtype: DType | None = None):
    """The running product along `dim`; its gradient is right where elements are zero.

    >>> torch.cumprod(torch.tensor([1, 2, 3]), 0)
    tensor([1, 2, 6])
    """
    axis = wrap_dim(dim, input.ndim)
    if dtype is dtypes.bool_ and input.ndim and input.size:
        raise no_kernel("cumprod_out_cpu", dtype)
    x, result = cast_for_sum(input, dtype)
    products = _scan(lax.cumprod, x, axis)
    if x.ndim and x.shape[axis] > 1:
        products = reads(products, x, then=ENTIRELY)
    return products.astype(result)


def _cumulative_extreme(name: str, combine, input, dim):
    message = f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}"
    check(input.ndim > 0 or dim in (-1, 0), IndexError, message)
    axis = wrap_dim(dim, input.ndim)
    source = dtype_of(input)
    if input.ndim == 0 or input.size == 0:
        return input, jnp.zeros(input.shape, dtypes.int64.np)
    if source.is_complex:
        raise no_kernel(f"{name}_cpu", source)
    x = lax.stop_gradient(input.astype(jnp.uint8) if source is dtypes.bool_ else input)
    # The last of equal elements is selected; nan stays, and the last nan is selected.
    selected = x == combine(x, axis=axis)
    if source.is_floating_point:
        selected |= jnp.isnan(x)
    short = for_cpu() and x.shape[axis] < 2**31  # CPUs have vectors of int32
    position = lax.broadcasted_iota(np.int32 if short else np.int64, x.shape, axis)
    indices = lax.cummax(jnp.where(selected, position, 0), axis=axis)
    return take_selected(input, indices, axis, keepdim=True)


def _look_at_outs(out, input):
    """torch's first look at the dtypes of `out=`."""
    for t, expected in zip(out, (input.dtype, dtypes.int64)):
        if t.dtype is not expected:
            raise RuntimeError(f"expected scalar_type {expected.scalar_name} but found {t.dtype.scalar_name}")
    return out, input


_INTO_BOTH = ("out is not None", "out, input", _look_at_outs)


@op(returns=("values", "indices"), out="exact", asks=(_INTO_BOTH,))
def cummax(input: Array, dim: int):
    """(values, indices) of the largest element so far along `dim`; the gradient goes to the element selected.

    >>> torch.cummax(torch.tensor([1, 3, 2]), 0).values
    tensor([1, 3, 3])
    """
    return _cumulative_extreme("cummax", lax.cummax, input, dim)


@op(returns=("values", "indices"), out="exact", asks=(_INTO_BOTH,))
def cummin(input: Array, dim: int):
    """(values, indices) of the smallest element so far along `dim`; the gradient goes to the element selected.

    >>> torch.cummin(torch.tensor([3, 1, 2]), 0).values
    tensor([3, 1, 1])
    """
    return _cumulative_extreme("cummin", lax.cummin, input, dim)


def _cumlogaddexp(x, axis: int):
    if jnp.iscomplexobj(x):  # one after the other: another order gives other multiples of 2 pi
        rows = jnp.moveaxis(x, axis, 0)
        first = rows[0]
        first = jnp.where(jnp.real(first) == -jnp.inf, -jnp.inf, first)
        first = jnp.where(jnp.isnan(first), complex(jnp.nan, jnp.nan), first).astype(x.dtype)
        _, rest = lax.scan(lambda sum, row: (logaddexp(row, sum),) * 2, first, rows[1:])
        return jnp.moveaxis(jnp.concatenate([first[None], rest]), 0, axis)
    # the slope of a sum's logarithm in x is exp(x - sum): 0 for a sum of inf, and nan where both are inf or both -inf
    out = lax.cumlogsumexp(_slope_is_nan(x, x == jnp.inf), axis=axis)
    out = jnp.where(out == jnp.inf, lax.stop_gradient(out), out)
    return jnp.where(out == -jnp.inf, _slope_is_nan(x, out == -jnp.inf), out)


@differentiated(lambda t, out, x, where: jnp.where(where, jnp.nan, 1) * t, None)
def _slope_is_nan(x, where):
    return x


@op(promote="default", flat_if_empty=True, out="exact", asks=(INTO_ITS_DTYPE,), watches=True)
def logcumsumexp(input: Array, dim: int):
    """log(cumsum(exp(input))) along `dim`, computed without overflow.

    >>> torch.logcumsumexp(torch.zeros(3), 0)
    tensor([0.0000, 0.6931, 1.0986])
    """
    axis = wrap_dim(dim, input.ndim)
    if dtype_of(input).category < 2:
        raise no_kernel("logcumsumexp_out_cpu", dtype_of(input))
    return _scan(_cumlogaddexp, input, axis)


def _check_diff(input, n: int, dim: int, ends) -> None:
    check(input.ndim > 0, RuntimeError, "diff expects input to be at least one-dimensional")
    check(n >= 0, RuntimeError, f"order must be non-negative but got {n}")
    axis = wrap_dim(dim, input.ndim)
    for end in ends:
        message = "diff expects prepend or append to be the same dimension as input"
        check(end.ndim == input.ndim, RuntimeError, message)
        for i in range(input.ndim):
            check(
                i == axis or end.shape[i] == input.shape[i],
                RuntimeError,
                "diff expects the shape of tensor to prepend or append to match that of input except along the "
                f"differencing dimension; input.size({i}) = {input.shape[i]}, but got "
                f"tensor.size({i}) = {end.shape[i]}",
            )


@op
def diff(input: Array, n: int = 1, dim: int = -1, prepend: Array | None = None, append: Array | None = None):
    """The n-th difference of neighbours along `dim`, after joining `prepend` and `append`; bool differs by exclusive
    or.

    >>> torch.diff(torch.tensor([1.0, 4.0, 9.0]))
    tensor([3., 5.])
    """
    ends = [x for x in (prepend, append) if x is not None]
    _check_diff(input, n, dim, ends)
    axis = wrap_dim(dim, input.ndim)
    if n == 0:
        return input
    if ends:
        common = result_dtype(input, *ends).np
        parts = [x.astype(common) for x in (prepend, input, append) if x is not None]
        input = jnp.concatenate(parts, axis=axis)
    length = input.shape[axis]
    for _ in range(min(n, length)):
        length = input.shape[axis]
        later = lax.slice_in_dim(input, 1, length, axis=axis) if length else input
        earlier = lax.slice_in_dim(input, 0, length - 1, axis=axis) if length else input
        input = later ^ earlier if input.dtype == jnp.bool_ else later - earlier
    return input


def _neighbours(x, axis: int):
    length = x.shape[axis]
    if length == 0:
        return x, x
    return lax.slice_in_dim(x, 0, length - 1, axis=axis), lax.slice_in_dim(x, 1, length, axis=axis)


def _check_real(name: str, dx, *arrays) -> None:
    which = "`y`" if len(arrays) == 1 else "`x` or `y`"
    is_bool = dtypes.bool_ in [dtype_of(a) for a in arrays]
    check(not is_bool, RuntimeError, f"{name}: received a bool input for {which}, but bool is not supported")
    message = f"{name}: Currently, we only support dx as a real number."
    check(not isinstance(dx, bool | complex), RuntimeError, message)


def _float_of(d: DType) -> tuple:
    """The numpy dtypes to compute in and of the result, for samples of dtype `d`."""
    d = d if d.category >= 2 else dtypes.default_dtype()
    return (jnp.float32 if d.itemsize == 2 else d.np), d.np


def _areas(name: str, y, x, axis: int):
    """Twice the areas of the trapezoids between neighbours at the places `x`; integers stay integers, as in torch."""
    if x.ndim == 1:
        message = f"{name}: There must be one `x` value for each sample point"
        check(x.shape[0] == y.shape[axis], RuntimeError, message)
        x = x.reshape([-1 if i == axis else 1 for i in range(y.ndim)])
    elif x.ndim < y.ndim:
        x = x.reshape((1,) * (y.ndim - x.ndim) + x.shape)
    common = result_dtype(y, x)
    compute = _float_of(common)[0] if common.category >= 2 else common.np
    left, right = _neighbours(y, axis)
    before, after = _neighbours(x, axis)
    height, width = (left + right).astype(compute), (after - before).astype(compute)
    broadcast_shapes(height.shape, width.shape)
    return height * width, common


def _step(dx, compute):
    return jnp.asarray(1 if dx is None else dx).astype(compute)


def _total(x, axis: int):
    """The sum along `axis`, in the dtype that torch accumulates in."""
    x, _ = cast_for_sum(x, None)
    return jnp.sum(x, axis=axis)


def _no_step_beside_places(name: str, x, dx) -> None:
    fits = x is None or dx is None
    check(fits, TypeError, f"{name}() received an invalid combination of arguments")


@op(method=False, aliases=("trapz",), out=False)
def trapezoid(y: Array, x: Array | None = None, *, dx: Number | None = None, dim: int = -1):
    """The integral of the samples `y` along `dim` by the trapezoid rule; they lie at `x`, or `dx` (1) apart.

    >>> torch.trapezoid(torch.tensor([1.0, 2.0, 3.0]))
    tensor(4.)
    """
    _no_step_beside_places("trapezoid", x, dx)
    message = f"Dimension specified as {dim} but tensor has no dimensions"
    check(y.ndim > 0, IndexError, message)
    axis = wrap_dim(dim, y.ndim)
    if y.shape[axis] == 0:
        return jnp.zeros(y.shape[:axis] + y.shape[axis + 1 :], y.dtype)
    if x is not None:
        _check_real("trapezoid", None, y, x)
        areas, common = _areas("trapezoid", y, x, axis)
        compute, result = _float_of(common)
        return (_total(areas, axis).astype(compute) / 2).astype(result)
    _check_real("trapezoid", dx, y)
    compute, result = _float_of(dtype_of(y))
    ends = lax.index_in_dim(y, 0, axis, keepdims=False) + lax.index_in_dim(y, -1, axis, keepdims=False)
    total = _total(y, axis).astype(compute) - ends.astype(compute) * 0.5
    return (total * _step(dx, compute)).astype(result)


@op(method=False, out=False)
def cumulative_trapezoid(y: Array, x: Array | None = None, *, dx: Number | None = None, dim: int = -1):
    """The running integral of `y` along `dim` by the trapezoid rule; one element shorter than `y`.

    >>> torch.cumulative_trapezoid(torch.tensor([1., 3., 5.]))
    tensor([2., 6.])
    """
    name = "cumulative_trapezoid"
    _no_step_beside_places(name, x, dx)
    _check_real(name, dx, *((y,) if x is None else (y, x)))
    check(y.ndim > 0, IndexError, "slice() cannot be applied to a 0-dim tensor.")
    axis = wrap_dim(dim, y.ndim)
    if x is not None:
        areas, common = _areas(name, y, x, axis)
    else:
        common = dtype_of(y)
        left, right = _neighbours(y, axis)
        compute = _float_of(common)[0]
        areas = (left + right).astype(compute) * _step(dx, compute)
    compute, result = _float_of(common)
    x, _ = cast_for_sum(areas, None)
    return (_scan(lax.cumsum, x, axis).astype(compute) / 2).astype(result)
