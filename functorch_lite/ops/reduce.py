"""Reductions: sums, products, extremes, truth and norms over some or all dims of a tensor.

`dim` is an int or a tuple of ints; None and () mean all dims, except for `all` and `any`, where () means none (as in
torch).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from .._core.api import (
    ENTIRELY,
    UNSET,
    Array,
    Order,
    Unset,
    check,
    check_type,
    dim_given,
    dtype_of,
    dtypes,
    no_kernel,
    of_a_dim,
    of_tensors,
    op,
    promote_types,
    reads,
    wrap_dim,
    wrap_dims,
)
from .._core.api import dtype as DType
from ._pointwise import broadcasted, converted, differentiated, no_dtype_asked, once, structure
from ._special import mean as exact_mean
from ._special import quotient
from ._svd import svd_of


def cast_for_sum(input, dtype: DType | None):
    """`input` cast as torch's accumulating functions do, and the numpy dtype of the result.

    Integers accumulate in int64 unless `dtype` says otherwise; half precision accumulates in float32.
    """
    result = dtype or dtype_of(input)
    if dtype is None and result.category < 2:
        result = dtypes.int64
    # a complex number without a real part is true as well
    x = input != 0 if result is dtypes.bool_ else converted(input, result.np)
    if result in (dtypes.float16, dtypes.bfloat16):
        x = x.astype(jnp.float32)
    return x, result.np


def count_over(input, axes) -> int:
    """How many elements each element of a reduction over `axes` is made of."""
    return math.prod(input.shape[a] for a in axes)


def check_nonempty(name: str, input, axes) -> None:
    """Raises torch's IndexError if a dim without elements is reduced by a function that has no identity."""
    for a in axes:
        check(
            input.ndim == 0 or input.shape[a] != 0,
            IndexError,
            f"{name}(): Expected reduction dim {a} to have non-zero size.",
        )


def take_selected(input, indices, axis: int, keepdim: bool):
    """(values, indices) for `indices` that keep the reduced `axis` with size 1; the gradient goes to what is
    selected."""
    if input.ndim == 0:
        return input, jnp.zeros((), dtypes.int64.np)
    values = jnp.take_along_axis(input, indices, axis, mode="promise_in_bounds")
    indices = indices.astype(dtypes.int64.np)
    return (values, indices) if keepdim else (values.squeeze(axis), indices.squeeze(axis))


@jax.custom_jvp
def _spread(x, value):
    return value


@_spread.defjvp
def _spread_jvp(primals, tangents):
    x, value = primals
    chosen = (x == value) | (jnp.isnan(x) & jnp.isnan(value))
    count = jnp.sum(chosen, dtype=x.dtype)
    return _spread(x, value), jnp.sum(jnp.where(chosen, tangents[0], jnp.zeros_like(x))) / count


def spread_evenly(x, value):
    """The 0-d `value` found in x, with torch's derivative: spread evenly over all elements of x that equal it."""
    return _spread(x, lax.stop_gradient(value)) if jnp.issubdtype(x.dtype, jnp.inexact) else value


def beside_dim(name: str, dim, keepdim) -> tuple[Any, bool]:
    """(dim or None, keepdim) of a reduction that accepts keepdim, even False, only together with a dim."""
    fits = dim is not UNSET or keepdim is UNSET
    check(fits, TypeError, f"{name}() received an invalid combination of arguments: keepdim needs a dim")
    return (None if dim is UNSET else dim), keepdim is True


@op(method=True, out="dtype", grad=of_a_dim, autocast=(None, "float"), autocast_if=no_dtype_asked)
def sum_(
    input: Array,
    dim: int | tuple | Unset | None = UNSET,
    keepdim: bool | Unset = UNSET,
    *,
    dtype: DType | None = None,
):
    """The sum over `dim`; bool and integers give int64 unless `dtype` is given.

    >>> torch.sum(torch.ones(2, 3), 1)
    tensor([3., 3.])
    """
    dim, keepdim = beside_dim("sum", dim, keepdim)
    axes = wrap_dims(dim, input.ndim)
    x, result = cast_for_sum(input, dtype)
    if result.kind == "b":
        return jnp.any(x, axis=axes, keepdims=keepdim)
    return jnp.sum(x, axis=axes, keepdims=keepdim, dtype=x.dtype).astype(result)


@op
def nansum(
    input: Array, dim: int | tuple | None = None, keepdim: bool = False, *, dtype: DType | None = None
):
    """The sum over `dim` of what is not nan.

    >>> torch.nansum(torch.tensor([1., float("nan"), 2.]))
    tensor(3.)
    """
    source = dtype_of(input)
    if source.is_floating_point:
        input = jnp.where(jnp.isnan(input), jnp.zeros_like(input), input)
    total = sum_(input, dim, keepdim, dtype=dtype)  # looks at dim first
    if source.is_floating_point and dtype is not None and dtype.is_complex and input.size:
        raise no_kernel("nansum_cpu", dtype)
    check(not source.is_complex, RuntimeError, "nansum on CPU does not support complex inputs")
    return total


def _check_mean_dtype(name: str, which: str, d: DType) -> None:
    check(
        d.category >= 2,
        RuntimeError,
        f"{name}(): could not infer output dtype. {which} dtype must be either a floating point or complex dtype. "
        f"Got: {d.scalar_name}",
    )


@op(out="real dtype", grad=of_a_dim)
def mean(
    input: Array,
    dim: int | tuple | Unset | None = UNSET,
    keepdim: bool | Unset = UNSET,
    *,
    dtype: DType | None = None,
):
    """The mean over `dim`; integers need a floating point `dtype`.

    >>> torch.mean(torch.tensor([[1., 5.], [7., 2.]]), dim=1)
    tensor([3.0000, 4.5000])
    """
    dim, keepdim = beside_dim("mean", dim, keepdim)
    _check_mean_dtype("mean", "Optional" if dtype else "Input", dtype or dtype_of(input))
    axes = wrap_dims(dim, input.ndim)
    x, result = cast_for_sum(input, dtype)
    return exact_mean(x, axes, keepdim).astype(result)


@op
def nanmean(
    input: Array, dim: int | tuple | None = None, keepdim: bool = False, *, dtype: DType | None = None
):
    """The mean over `dim` of what is not nan."""
    source = dtype_of(input)
    check(
        source.category >= 2,
        RuntimeError,
        f"nanmean(): expected input to have floating point or complex dtype but got {source.scalar_name}",
    )
    if dtype is not None:
        _check_mean_dtype("nanmean", "Optional", dtype)
    check(not source.is_complex, RuntimeError, "nansum on CPU does not support complex inputs")
    axes = wrap_dims(dim, input.ndim)
    missing = jnp.isnan(input)
    x, result = cast_for_sum(jnp.where(missing, jnp.zeros_like(input), input), dtype)
    count = jnp.sum(~missing, axis=axes, keepdims=keepdim, dtype=x.dtype)
    return (jnp.sum(x, axis=axes, keepdims=keepdim) / count).astype(result)


@op(out="dtype", grad=of_a_dim, autocast="float", autocast_if=no_dtype_asked)
def prod(
    input: Array, dim: int | Unset = UNSET, keepdim: bool | Unset = UNSET, *, dtype: DType | None = None
):
    """The product over one dim or all; its gradient is right where elements are zero.

    >>> torch.prod(torch.tensor([[1., 5.], [7., 2.]]), dim=1)
    tensor([ 5., 14.])
    """
    dim, keepdim = beside_dim("prod", dim, keepdim)
    axes = wrap_dims(dim, input.ndim)
    x, result = cast_for_sum(input, dtype)
    if result.kind == "b":
        return jnp.all(x, axis=axes, keepdims=keepdim)
    out = jnp.prod(x, axis=axes, keepdims=keepdim, dtype=x.dtype)
    return (reads(out, x, then=ENTIRELY) if x.ndim else out).astype(result)


def _truth(reduce, input, dim, keepdim):
    axes = () if dim == () or dim == [] else wrap_dims(dim, input.ndim)
    out = reduce(input != 0, axis=axes, keepdims=keepdim)
    return out.astype(jnp.uint8) if input.dtype == jnp.uint8 else out


def _into_truth(name: str):
    def look(out):
        check_type(hasattr(out, "dtype"), out, "Tensor", name, "out")
        truth = out.dtype in (dtypes.bool_, dtypes.uint8)
        message = (
            "" if truth else f"{name} only supports bool tensor for result, got: {out.dtype.scalar_name}"
        )
        check(truth, RuntimeError, message)
        return out

    return "out is not None", "out", look


@op(saves="nothing", method=True, out="asked", asks=(_into_truth("all"),), float8=True)
def all_(input: Array, dim: int | tuple | None = None, keepdim: bool = False):
    """Tests whether all elements along `dim` are nonzero; bool, or uint8 for uint8.

    >>> torch.all(torch.tensor([True, False]))
    tensor(False)
    """
    return _truth(jnp.all, input, dim, keepdim)


@op(saves="nothing", method=True, out="asked", asks=(_into_truth("any"),), float8=True)
def any_(input: Array, dim: int | tuple | None = None, keepdim: bool = False):
    """Tests whether any element along `dim` is nonzero; bool, or uint8 for uint8.

    >>> torch.any(torch.tensor([True, False]))
    tensor(True)
    """
    return _truth(jnp.any, input, dim, keepdim)


@op(saves="nothing", out=False, float8=True, dims_alone=True)
def count_nonzero(input: Array, dim: int | tuple | None = None):
    """How many elements along `dim` are nonzero (nan is).

    >>> torch.count_nonzero(torch.tensor([0, 1, 2]))
    tensor(2)
    """
    return jnp.sum(input != 0, axis=wrap_dims(dim, input.ndim), dtype=dtypes.int64.np)


def _extreme_over(name: str, kernel: str, reduce, input, dim, keepdim):
    if input.size == 0:
        check(
            dim is not None and dim != () and dim != [],
            RuntimeError,
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
            "Specify the reduction dim with the 'dim' argument.",
        )
        for d in dim if isinstance(dim, tuple | list) else (dim,):  # each is looked at before the next one
            check_nonempty(name, input, (wrap_dim(d, input.ndim),))
    axes = wrap_dims(dim, input.ndim)
    if jnp.iscomplexobj(input):
        raise no_kernel(kernel, dtype_of(input))
    # JAX's derivative of reduce_max spreads evenly over ties, as torch's does for amax and amin.
    return reduce(once(input), axis=axes, keepdims=keepdim)


def _other_dtype(input, out):
    names = [t.dtype.scalar_name for t in (input, out)]
    raise RuntimeError(
        f"Expected the dtype for input and out to match, but got {names[0]} for input's dtype and {names[1]} for out's dtype."
    )


INTO_ITS_DTYPE = (
    "out is not None and getattr(out, 'dtype', input.dtype) is not input.dtype",
    "input, out",
    _other_dtype,
)
"""For `asks=`: the dtype of `out=`, which must be the input's, is looked at before anything else."""


@op(out="exact", asks=(INTO_ITS_DTYPE,))
def amax(input: Array, dim: int | tuple | None = (), keepdim: bool = False):
    """The largest element over `dim`; ties share the gradient evenly.

    >>> torch.amax(torch.tensor([[1., 5.], [7., 2.]]), dim=1)
    tensor([5., 7.])
    """
    return _extreme_over("amax", "max_values_cpu", jnp.max, input, dim, keepdim)


@op(out="exact", asks=(INTO_ITS_DTYPE,))
def amin(input: Array, dim: int | tuple | None = (), keepdim: bool = False):
    """The smallest element over `dim`; ties share the gradient evenly.

    >>> torch.amin(torch.tensor([[1., 5.], [7., 2.]]), dim=1)
    tensor([1., 2.])
    """
    return _extreme_over("amin", "min_values_cpu", jnp.min, input, dim, keepdim)


@op(returns=("min", "max"), out="exact")
def aminmax(input: Array, *, dim: int | None = None, keepdim: bool = False):
    """The smallest and the largest element over one dim or all.

    >>> torch.aminmax(torch.tensor([[1., 5.], [7., 2.]]))
    torch.return_types.aminmax(
    min=tensor(1.),
    max=tensor(7.))
    """
    axes = wrap_dims(dim, input.ndim)
    if dim is None:
        check(
            input.size > 0,
            RuntimeError,
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.",
        )
    else:
        bad = input.ndim and input.shape[axes[0]] == 0
        check(not bad, IndexError, f"aminmax: Expected reduction dim {(*axes, 0)[0]} to have non-zero size.")
    if jnp.iscomplexobj(input):
        raise no_kernel("aminmax_cpu", dtype_of(input))
    input = once(input)
    return jnp.min(input, axis=axes, keepdims=keepdim), jnp.max(input, axis=axes, keepdims=keepdim)


def _index_of_extreme(argreduce, input, axis: int):
    if input.ndim == 0:
        return jnp.zeros((), dtypes.int64.np)
    if input.size == 0:
        return jnp.zeros((*input.shape[:axis], 1, *input.shape[axis + 1 :]), dtypes.int64.np)
    return argreduce(input, axis=axis, keepdims=True)


def _share(x, y):
    """Returns the share of x in the gradient of max(x, y): as in torch, half where both are equal, all where one is
    nan."""
    half, rest = jnp.asarray(0.5, x.dtype), jnp.where(x < y, 0, 1).astype(x.dtype)
    return jnp.where(x == y, half, rest)


_maximum = differentiated(lambda t, out, x, y: t * _share(x, y), lambda t, out, x, y: t * _share(y, x))(
    lambda x, y: lax.max(x, y)
)


def larger_of(x, y):
    """The greater of two arrays of one shape; ties share the gradient, and it is both's where one is nan."""
    return _maximum(x, y) if jnp.issubdtype(x.dtype, jnp.inexact) else lax.max(x, y)


def smaller_of(x, y):
    """The smaller of two arrays of one shape; ties share the gradient, and it is both's where one is nan."""
    return -_maximum(-x, -y) if jnp.issubdtype(x.dtype, jnp.inexact) else lax.min(x, y)


def _check_extreme(name: str, input, dim, keepdim, other) -> None:
    fits = other is UNSET or (hasattr(other, "dtype") and dim is keepdim is UNSET)
    check(fits, TypeError, f"{name}() received an invalid combination of arguments")
    dim, _ = beside_dim(name, dim, keepdim)
    is_complex = dtype_of(input).is_complex
    if other is not UNSET:
        check(not is_complex, RuntimeError, f"{name}imum not implemented for complex tensors.")
    elif dim is not None:
        check_nonempty(name, input, (wrap_dim(dim, input.ndim),))
        check(not is_complex, RuntimeError, f"{name}(): does not support complex input")


def _extreme(name: str, input, dim, keepdim, other, reduce, argreduce, pairwise):
    _check_extreme(name, input, dim, keepdim, other)
    if other is not UNSET:
        return pairwise(*broadcasted(input, other))
    dim, keepdim = beside_dim(name, dim, keepdim)
    if dim is not None:
        axis = wrap_dim(dim, input.ndim)
        return take_selected(input, _index_of_extreme(argreduce, input, axis), axis, keepdim)
    input = once(input)
    return spread_evenly(input, _extreme_over(name, f"{name}_all", reduce, input, None, False))


def _grad_of_extremum(name: str, static: tuple, ranks) -> str:
    if len(of_tensors(ranks)) == 2:
        return f"{name}imumBackward0"
    return f"{name}Backward{int(not dim_given(static))}"


def _into_one(name: str) -> tuple[str, str, Callable]:
    """For `asks=`: writes the largest or smallest of all elements into one tensor; without elements it is the least
    or greatest value of the dtype."""

    def look(input, out):
        if not hasattr(out, "dtype"):
            kind = type(out).__name__
            raise TypeError(
                f"{name}() received an invalid combination of arguments - got (Tensor, out={kind})"
            )
        d = input.dtype
        if input.numel() or d.is_complex:
            return input, out
        sign = -1 if name == "max" else 1
        if d.is_floating_point:
            return input.new_full((), sign * math.inf), out
        ends = (0, 1) if d is dtypes.bool_ else (dtypes.iinfo(d).min, dtypes.iinfo(d).max)
        return input.new_full((), ends[sign > 0]), out

    return "out is not None and dim is _d_dim and _other_static is _d_other", "input, out", look


_extremum = functools.partial(
    op,
    promote="same",
    returns=("values", "indices"),
    method=True,
    out="exact if isinstance(result, tuple)",
    grad=_grad_of_extremum,
    watches=True,
    second="other",
)


@_extremum(asks=(_into_one("max"),))
def max_(
    input: Array,
    dim: int | Unset = UNSET,
    keepdim: bool | Unset = UNSET,
    *,
    other: Array | Unset = UNSET,
):
    """The largest element; with an int `dim` (values, indices) along it; with a tensor the elementwise maximum of both.

    >>> torch.max(torch.tensor([[1., 5.], [7., 2.]]), dim=1).values
    tensor([5., 7.])
    """
    return _extreme("max", input, dim, keepdim, other, jnp.max, jnp.argmax, larger_of)


@_extremum(asks=(_into_one("min"),))
def min_(
    input: Array,
    dim: int | Unset = UNSET,
    keepdim: bool | Unset = UNSET,
    *,
    other: Array | Unset = UNSET,
):
    """The smallest element; with an int `dim` (values, indices) along it; with a tensor the elementwise minimum of
    both.

    >>> torch.min(torch.tensor([[1., 5.], [7., 2.]]), dim=1).values
    tensor([1., 2.])
    """
    return _extreme("min", input, dim, keepdim, other, jnp.min, jnp.argmin, smaller_of)


def _arg_extreme(name: str, argreduce, input, dim, keepdim):
    source = dtype_of(input)
    check(
        dim is None or isinstance(dim, int), TypeError, f"{name}(): argument 'dim' (position 2) must be int"
    )
    check(source.category != 0, RuntimeError, f"{name}(): does not support bool input")
    check(not source.is_complex, RuntimeError, f"{name}(): does not support complex input")
    axis = None if dim is None else wrap_dim(dim, input.ndim)
    if axis is None:
        check(
            input.size > 0,
            IndexError,
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0.",
        )
        shape = (1,) * input.ndim if keepdim else ()
        return argreduce(input.reshape(-1)).astype(dtypes.int64.np).reshape(shape)
    check_nonempty(name, input, (axis,))
    out = _index_of_extreme(argreduce, input, axis).astype(dtypes.int64.np)
    return out if keepdim or input.ndim == 0 else out.squeeze(axis)


@op(saves="nothing", out="exact")
def argmax(input: Array, dim: int | None = None, keepdim: bool = False):
    """The index of the first largest element along `dim`, or in the flattened tensor.

    >>> torch.argmax(torch.tensor([[1., 5.], [7., 2.]]), dim=1)
    tensor([1, 0])
    """
    return _arg_extreme("argmax", jnp.argmax, input, dim, keepdim)


@op(saves="nothing", out="exact")
def argmin(input: Array, dim: int | None = None, keepdim: bool = False):
    """The index of the first smallest element along `dim`, or in the flattened tensor.

    >>> torch.argmin(torch.tensor([[1., 5.], [7., 2.]]), dim=1)
    tensor([0, 1])
    """
    return _arg_extreme("argmin", jnp.argmin, input, dim, keepdim)


def sqrt_flat_at_zero(x):
    """sqrt whose derivatives at 0 are 0, as torch has it for `std` and for norms."""
    zero = x == 0
    return jnp.where(zero, jnp.zeros_like(x), jnp.sqrt(jnp.where(zero, jnp.ones_like(x), x)))


@op(promote="float", autocast=(None, "float"))
def logsumexp(input: Array, dim: int | tuple, keepdim: bool = False):
    """log(sum(exp(input))) over `dim`, computed without overflow; integers give floating point.

    >>> torch.logsumexp(torch.zeros(2, 3), dim=1)
    tensor([1.0986, 1.0986])
    """
    check_type(dim is not None, dim, "tuple of ints", "logsumexp", "dim", 2)
    check(
        keepdim or input.ndim == 0 or input.size == 0 or not isinstance(dim, tuple) or len(dim) > 0,
        RuntimeError,
        f"output with shape [] doesn't match the broadcast shape {[1] * input.ndim}",
    )
    axes = wrap_dims(dim, input.ndim)
    real = lax.stop_gradient(input.real if jnp.iscomplexobj(input) else input)
    top = jnp.max(real, axis=axes, keepdims=True, initial=-jnp.inf)
    top = jnp.where(jnp.isinf(top), jnp.zeros_like(top), top)
    out = jnp.log(jnp.sum(jnp.exp(input - top), axis=axes, keepdims=True)) + top
    return out if keepdim else out.squeeze(axes)


@differentiated(lambda t, out, x: t * jnp.where(jnp.isnan(x), jnp.zeros_like(x), jnp.sign(x)))
def _magnitude(x):
    """|x| of real numbers.

    JAX's derivatives at 0 and nan are ±1; torch's is 0, which times a derivative that is nan is nan."""
    return jnp.abs(x)


def _direction(x, norm):
    """x / norm, and 0 where the norm is 0.

    The derivative of that is nan there, as torch's: the second one of a norm has no limit."""
    return jnp.where(norm == 0, jnp.zeros_like(x), quotient(x, norm))


@functools.cache
def _euclidean(axes: tuple[int, ...], keepdim: bool):
    """The function that takes the 2-norm over `axes`."""

    def along(t, out, x):
        unit = _direction(x, out if keepdim else jnp.expand_dims(out, axes))
        products = t.real * unit.real + t.imag * unit.imag if jnp.iscomplexobj(x) else t * unit
        return jnp.sum(products, axis=axes, keepdims=keepdim)

    @differentiated(along)
    def euclidean(x):
        squares = x.real**2 + x.imag**2 if jnp.iscomplexobj(x) else x * x
        total = jnp.sum(squares, axis=axes, keepdims=keepdim)
        if math.prod(x.shape[a] for a in axes) == 1:  # XLA would make |x| of it, which does not overflow
            return jnp.where(total == 0, total, jnp.sqrt(jnp.where(total == 0, 1.0, total)))
        return jnp.sqrt(total)

    return euclidean


@functools.cache
def _size_of_one(axes: tuple[int, ...], keepdim: bool):
    """The same of axes of one element, whose norm is its size: no square overflows."""

    def reduced(x):
        return x if keepdim else jnp.squeeze(x, axes)

    @differentiated(lambda t, out, x: reduced(t * _direction(x, jnp.abs(x))))
    def size_of_one(x):
        return reduced(jnp.abs(x))

    return size_of_one


@differentiated(lambda t, out, size: t * jnp.where(size == 0, jnp.nan, 0))
def _slope_at_zero(size):
    return jnp.zeros_like(size)


@differentiated(lambda t, out, size: t * _slope_at_zero(size))
def _flat_once(size):
    """0, whose derivative is 0; the second one is nan where size is 0, as torch's of its powers below the third."""
    return jnp.zeros_like(size)


def p_norm(input, p, axes: tuple[int, ...], keepdim: bool, by_powers: bool = False):
    """(sum |input|^p)^(1/p) over `axes`, with its limits at 0 and at ±inf, and torch's subgradient 0 at 0 (and of
    |nan|).

    Of a single element it is the absolute value, for every p but 0, unless it is computed `by_powers`, which may
    overflow (torch does so for a tensor without dims along a dim, which `by_powers_of` says).
    """
    options = {"axis": axes, "keepdims": keepdim}
    kind = structure(p)
    single = kind != 0 and not by_powers and math.prod(input.shape[a] for a in axes) == 1
    if kind == 2 and (not single or not jnp.iscomplexobj(input)):
        return (_size_of_one if single else _euclidean)(axes, keepdim)(input)
    if jnp.iscomplexobj(input):
        size = jnp.abs(input)
        size = jnp.where(size == 0, jnp.zeros_like(size), size)
    else:
        size = reads(_magnitude(input), input)
    if kind == 0:
        return jnp.sum(size != 0, dtype=size.dtype, **options)
    if kind == 1 or single:
        return jnp.sum(size, **options)
    if math.isinf(kind):
        return _extreme_size(jnp.max if kind > 0 else jnp.min, options)(once(size))
    if size.dtype == jnp.float32 and abs(kind) > jnp.finfo(jnp.float32).max and size.size:
        return _of_infinite_powers(size, math.copysign(math.inf, p), options)
    unit = _largest_of_powers(size, p, options) if kind >= 8 else None
    if unit is not None:
        size = quotient(size, unit)
    zero = size == 0
    first = _flat_once(size) if kind < 3 else size
    powers = jnp.where(zero, first if kind > 0 else jnp.inf + first, jnp.where(zero, 1.0, size) ** p).astype(
        size.dtype
    )
    total = jnp.sum(powers, **options)
    if kind < 0:
        return total ** (1 / p)
    zero = total == 0
    none = 0 * total if kind < 1 and not by_powers else 0.0
    norm = jnp.where(zero, none, jnp.where(zero, 1.0, total) ** (1 / p)).astype(size.dtype)
    return norm if unit is None else norm * unit.reshape(norm.shape)


def _extreme_size(reduce, options: dict):
    """torch's rule: the elements that equal the extreme share its derivative; none does where it is nan."""
    kept = {**options, "keepdims": True}

    def derivative(t, out, size):
        won = converted(size == reduce(size, **kept), size.dtype)
        count = jnp.maximum(jnp.sum(won, **options), 1)
        return jnp.sum(t * won, **options) / count

    return differentiated(derivative)(lambda size: reduce(size, **options))


def by_powers_of(x, dim) -> bool:
    """Returns whether torch computes the norm of x along `dim` by powers although it has a single element."""
    return x.ndim == 0 and dim not in (None, (), [])


def _of_infinite_powers(size, p, options: dict):
    """torch converts an order beyond float32 to inf, but does not treat it as the maximum norm: the sum of powers to
    the power of 1 / inf is 1."""

    def derivative(t, out, size):
        return jnp.sum(t * jnp.where(size == 0, 0, size**p), **options)

    return differentiated(derivative)(lambda size: jnp.ones_like(jnp.sum(size, **options)))(size)


def _largest_of_powers(size, p, options: dict):
    """Returns the unit to measure `size` in so that the derivatives of its p-th powers are in range: its largest
    element. It is 1 where the sum of the powers is not, and torch's norm is infinite or 0."""
    size = lax.stop_gradient(size)
    options = {**options, "keepdims": True}
    limits, powers = jnp.finfo(size.dtype), size.astype(jnp.float64) ** p
    # torch has subnormal numbers, which to XLA are 0
    some = jnp.max(powers, **options, initial=0) > float(limits.smallest_subnormal) / 2
    in_range = some & (jnp.sum(powers, **options) <= float(limits.max))
    return jnp.where(in_range, jnp.max(size, **options, initial=0), 1)


def check_norm_dtypes(name: str, source: DType, dtype: DType | None) -> None:
    """torch's checks of a norm's input and `dtype`."""
    check(
        source.category >= 2,
        RuntimeError,
        f"linalg.{name}: Expected a floating point or complex tensor as input. Got {source.scalar_name}",
    )
    if dtype is None:
        return
    named = dtype.scalar_name
    check(
        dtype.category >= 2,
        RuntimeError,
        f"linalg.{name}: dtype should be floating point or complex, but got {named}",
    )
    kind = "complex" if source.is_complex else "real"
    check(
        dtype.is_complex == source.is_complex,
        RuntimeError,
        f"linalg.{name}: dtype should be {kind} for {kind} inputs, but got {named}",
    )
    check(
        promote_types(source, dtype) is dtype,
        RuntimeError,
        f"linalg.{name}: the dtype of the input ({source.scalar_name}) should be convertible without narrowing "
        f"to the specified dtype ({named})",
    )


def _nuclear_norm(input, dims: tuple, keepdim: bool):
    check(
        len(dims) == 2,
        RuntimeError,
        f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dims))}",
    )
    axes = wrap_dims(dims, input.ndim)
    matrices = jnp.moveaxis(input, axes, (-2, -1))
    if input.size == 0:
        out = jnp.zeros(matrices.shape[:-2], matrices.real.dtype)
    else:
        out = jnp.sum(svd_of(matrices, compute_uv=False), axis=-1)
    return jnp.expand_dims(out, tuple(sorted(axes))) if keepdim else out


@op(
    out="exact",
    undefined=lambda given, wanted: given["p"] == 0,
    grad="LinalgVectorNorm",
    autocast=(None, "float"),
)
def norm(
    input: Array,
    p: Order | str | None = "fro",
    dim: int | tuple | None = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
):
    """The p-norm of the elements over `dim`; "fro" is p=2, "nuc" the sum of the singular values of a matrix.

    >>> torch.norm(torch.tensor([3.0, 4.0]))
    tensor(5.)
    """
    dims = (dim,) if isinstance(dim, int) else dim
    flat = p is None or not isinstance(p, str) or (p == "fro" and (dims is None or len(dims) <= 2))
    if not flat:
        check(p in ("fro", "nuc"), RuntimeError, f"linalg.matrix_norm: Order {p} not supported.")
    source = dtype_of(input)
    check_norm_dtypes("vector_norm" if flat else "matrix_norm", source, dtype)
    result = (dtype or source).to_real().np
    x, _ = cast_for_sum(input, dtype)
    if not flat:
        name = "linalg.matrix_norm: Low precision dtypes not supported. Got"
        check(source.itemsize >= 4, RuntimeError, f"{name} {source.scalar_name}")
        return _nuclear_norm(x, tuple(range(x.ndim)) if dims is None else dims, keepdim).astype(result)
    p = 2 if p is None or p == "fro" else p
    message = "linalg.vector_norm: Expected a non-complex scalar as the order of norm."
    check(not isinstance(p, complex), RuntimeError, message)
    check_type(isinstance(structure(p), int | float), p, "Number", "linalg_vector_norm", "ord", 2)
    axes = wrap_dims(dims, x.ndim)
    if x.size == 0 and (structure(p) < 0 or structure(p) == math.inf):
        no_identity = "because the operation does not have an identity"
        every = dims is None or len(dims) == 0
        name = "linalg.vector_norm cannot compute the"
        check(not every, RuntimeError, f"{name} {p:g} norm on an empty tensor {no_identity}")
        for a in axes:
            check(
                x.shape[a] != 0,
                RuntimeError,
                f"{name} {p:g} norm on the dimension {a}because this dimension is empty and "
                "the operation does not have an identity",
            )
    return p_norm(x, p, axes, keepdim, by_powers_of(x, dims)).astype(result)
