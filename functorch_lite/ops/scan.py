"""Scans: results that accumulate along one dim (cumsum, cummax, …), differences, and the trapezoid rule."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from .._core import dtypes
from .._core.dtypes import dtype as DType
from .._core.errors import broadcast_shapes, check, wrap_dim
from .._core.op import Array, Number, op
from .._core.promote import dtype_of, result_dtype
from .reduce import cast_for_sum, take_selected, unsupported


def _scan(combine, x, axis: int):
    return combine(x, axis=axis) if x.ndim and x.size else x


@op(inplace=True)
def cumsum(input: Array, dim: int, *, dtype: DType | None = None):
    """The running sum along `dim`; bool and integers give int64 unless `dtype` is given.

    >>> cumsum(jnp.asarray([1.0, 2.0, 3.0]), 0)
    Array([1., 3., 6.], dtype=float32)
    """
    axis = wrap_dim(dim, input.ndim)
    if dtype is dtypes.bool_:
        raise unsupported("cumsum_out_cpu", dtype)
    x, result = cast_for_sum(input, dtype)
    return _scan(lax.cumsum, x, axis).astype(result)


@op(inplace=True)
def cumprod(input: Array, dim: int, *, dtype: DType | None = None):
    """The running product along `dim`; its gradient is right where elements are zero."""
    axis = wrap_dim(dim, input.ndim)
    if dtype is dtypes.bool_:
        raise unsupported("cumprod_out_cpu", dtype)
    x, result = cast_for_sum(input, dtype)
    return _scan(lax.cumprod, x, axis).astype(result)


def _cumulative_extreme(name: str, combine, input, dim):
    axis = wrap_dim(dim, input.ndim)
    source = dtype_of(input)
    if source.is_complex:
        raise unsupported(f"{name}_cpu", source)
    if input.ndim == 0 or input.size == 0:
        return input, jnp.zeros(input.shape, dtypes.int64.np)
    x = lax.stop_gradient(input.astype(jnp.uint8) if source is dtypes.bool_ else input)
    # The last of equal elements is selected; nan stays, and the last nan is selected.
    selected = x == combine(x, axis=axis)
    if source.is_floating_point:
        selected |= jnp.isnan(x)
    position = lax.broadcasted_iota(dtypes.int64.np, x.shape, axis)
    indices = lax.cummax(jnp.where(selected, position, 0), axis=axis)
    return take_selected(input, indices, axis, keepdim=True)


@op(returns=("values", "indices"))
def cummax(input: Array, dim: int):
    """(values, indices) of the largest element so far along `dim`; the gradient goes to the element selected."""
    return _cumulative_extreme("cummax", lax.cummax, input, dim)


@op(returns=("values", "indices"))
def cummin(input: Array, dim: int):
    """(values, indices) of the smallest element so far along `dim`; the gradient goes to the element selected."""
    return _cumulative_extreme("cummin", lax.cummin, input, dim)


def _cumlogaddexp(x, axis: int):
    if jnp.iscomplexobj(x):
        return lax.associative_scan(jnp.logaddexp, x, axis=axis)
    return lax.cumlogsumexp(x, axis=axis)


@op(promote="default")
def logcumsumexp(input: Array, dim: int):
    """log(cumsum(exp(input))) along `dim`, computed without overflow."""
    axis = wrap_dim(dim, input.ndim)
    if dtype_of(input).category < 2:
        raise unsupported("logcumsumexp_out_cpu", dtype_of(input))
    return _scan(_cumlogaddexp, input, axis)


@op
def diff(input: Array, n: int = 1, dim: int = -1, prepend: Array | None = None, append: Array | None = None):
    """The n-th difference of neighbours along `dim`, after joining `prepend` and `append`; bool differs by exclusive or.

    >>> diff(jnp.asarray([1.0, 4.0, 9.0]))
    Array([3., 5.], dtype=float32)
    """
    check(input.ndim > 0, RuntimeError, "diff expects input to be at least one-dimensional")
    axis = wrap_dim(dim, input.ndim)
    check(n >= 0, RuntimeError, f"order must be non-negative but got {n}")
    ends = [x for x in (prepend, append) if x is not None]
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


def _trapezoids(name: str, y, x, dx, dim):
    """Twice the areas of the trapezoids between neighbours along `dim`, and the axis; None if there are no samples."""
    check(x is None or dx is None, TypeError, f"{name}() received an invalid combination of arguments")
    if y.ndim == 0:
        message = f"Dimension specified as {dim} but tensor has no dimensions"
        raise IndexError(message if name == "trapezoid" else "slice() cannot be applied to a 0-dim tensor.")
    axis = wrap_dim(dim, y.ndim)
    length = y.shape[axis]
    if length == 0 and name == "trapezoid":
        return None, axis
    bools = [dtype_of(a) is dtypes.bool_ for a in (y, x) if a is not None]
    which = "`y`" if x is None else "`x` or `y`"
    check(not any(bools), RuntimeError, f"{name}: received a bool input for {which}, but bool is not supported")
    if x is None:
        is_real = not isinstance(dx, bool | complex)
        check(is_real, RuntimeError, f"{name}: Currently, we only support dx as a real number.")
        common = result_dtype(y)
        width = 1 if dx is None else dx
    else:
        common = result_dtype(y, x)
        if x.ndim == 1:
            message = f"{name}: There must be one `x` value for each sample point"
            check(x.shape[0] == length, RuntimeError, message)
            x = x.reshape([length if i == axis else 1 for i in range(y.ndim)])
        elif x.ndim < y.ndim:
            x = x.reshape((1,) * (y.ndim - x.ndim) + x.shape)
        along = axis - y.ndim + x.ndim
        width = _difference(x, along)
    if common.category < 2:
        common = dtypes.default_dtype()
    compute = common.np if common.itemsize > 2 else jnp.float32
    left, right = _neighbours(y, axis)
    total = (left + right).astype(compute)
    broadcast_shapes(total.shape, jnp.shape(width))
    width = jnp.asarray(width).astype(compute)
    return (total * width, common.np), axis


def _neighbours(x, axis: int):
    length = x.shape[axis]
    if length == 0:
        return x, x
    return lax.slice_in_dim(x, 0, length - 1, axis=axis), lax.slice_in_dim(x, 1, length, axis=axis)


def _difference(x, axis: int):
    left, right = _neighbours(x, axis)
    return right - left


@op(method=False, aliases=("trapz",))
def trapezoid(y: Array, x: Array | None = None, *, dx: Number | None = None, dim: int = -1):
    """The integral of the samples `y` along `dim` by the trapezoid rule; `x` holds their places, or they are `dx` (1) apart."""
    found, axis = _trapezoids("trapezoid", y, x, dx, dim)
    if found is None:
        return jnp.zeros(y.shape[:axis] + y.shape[axis + 1 :], y.dtype)
    areas, result = found
    return (jnp.sum(areas, axis=axis) / 2).astype(result)


@op(method=False)
def cumulative_trapezoid(y: Array, x: Array | None = None, *, dx: Number | None = None, dim: int = -1):
    """The running integral of `y` along `dim` by the trapezoid rule; one element shorter than `y`."""
    (areas, result), axis = _trapezoids("cumulative_trapezoid", y, x, dx, dim)
    return (_scan(lax.cumsum, areas, axis) / 2).astype(result)
