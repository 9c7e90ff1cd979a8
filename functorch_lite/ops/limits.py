"""Pointwise functions that keep numbers within limits: relu, clamping, what stands for nan and infinity, frexp."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from .._core.api import (
    FOREVER,
    Array,
    Number,
    Real,
    all_tensors,
    beside_numbers,
    check,
    dtype_of,
    dtypes,
    is_number,
    need_kind,
    op,
    reads,
    result_dtype,
)
from . import _special as special
from ._pointwise import (
    BOOL,
    COMPLEX,
    FLOAT,
    as_number,
    broadcasted,
    category,
    constant,
    differentiated,
    fit,
)


@differentiated(lambda t, out, x: jnp.where(x <= 0, constant(0, t), t))
def positive_part(x):
    """max(x, 0), with derivative 0 at 0.

    One elementary operation: only past such does XLA for CPU move the transpositions around a convolution, whose
    channels come last.
    """
    return lax.max(x, constant(0, x))


@op(inplace=True, saves="result", out=False)
def relu(input: Array) -> Array:
    """max(input, 0); its derivative at 0 is 0.

    Same shape and dtype; RuntimeError for bool, NotImplementedError for complex.

    >>> torch.relu(torch.tensor([-1.5, 0., 2.5]))
    tensor([0.0000, 0.0000, 2.5000])
    """
    check(category(input) != BOOL, RuntimeError, "Boolean inputs not supported for relu")
    need_kind(input, "if", "clamp is not supported for complex types")
    return reads(positive_part(input), input, then=FOREVER)


@op(inplace=True, out="exact")
def nan_to_num(
    input: Array, nan: Real | None = None, posinf: Real | None = None, neginf: Real | None = None
) -> Array:
    """Replaces nan (by 0), inf (by the dtype's largest number) and -inf (by its smallest), or by the numbers given.

    Same shape and dtype.

    >>> torch.nan_to_num(torch.tensor([float('nan'), 1.]), nan=3.0)
    tensor([3., 1.])
    """
    if category(input) < FLOAT:
        return input
    if category(input) == COMPLEX:
        parts = (nan_to_num(x, nan, posinf, neginf) for x in (lax.real(input), lax.imag(input)))
        return lax.complex(*parts)
    limits = dtypes.finfo(dtype_of(input))
    out = jnp.where(jnp.isnan(input), constant(0.0 if nan is None else nan, input), input)
    out = jnp.where(input == jnp.inf, constant(limits.max if posinf is None else posinf, input), out)
    return jnp.where(input == -jnp.inf, constant(limits.min if neginf is None else neginf, input), out)


def _one_of_each(min, max):
    bounds = (min, max)
    if None not in bounds and any(getattr(b, "requires_grad", False) for b in bounds):
        raise TypeError(
            "clamp() received an invalid combination of arguments: one of min and max is a Tensor that requires grad, one a number"
        )
    return bounds


_MIXED = (("isinstance(min, Tensor) is not isinstance(max, Tensor)", "min, max", _one_of_each),)


@op(inplace=True, aliases=("clip",), out="exact", numbers=fit("min", "max"), asks=_MIXED, grad=beside_numbers)
def clamp(input: Array, min: Array | Number | None = None, max: Array | Number | None = None) -> Array:
    """Input limited to [min, max]; max wins where min > max; nan where a bound is nan.

    The derivative is 1 on the bounds themselves.

    >>> torch.clamp(torch.tensor([-1.0, 0.5, 3.0]), 0, 1)
    tensor([0.0000, 0.5000, 1.0000])
    """
    bounds = [b for b in (min, max) if b is not None]
    check(bounds, RuntimeError, "torch.clamp: At least one of 'min' or 'max' must not be None")
    mixed = any(map(is_number, bounds)) and any(getattr(b, "ndim", 0) for b in bounds)
    check(
        not mixed,
        TypeError,
        "clamp() received an invalid combination of arguments: one of min and max is a Tensor, one not",
    )
    result = result_dtype(input, *bounds)
    need_kind(jnp.zeros((), result.np), "bif", "clamp is not supported for complex types")
    if result.category == BOOL:
        if len(bounds) == 2 or not hasattr(bounds[0], "shape"):  # one bound is `maximum`, which knows bool
            need_kind(
                jnp.zeros((), bool), "if", "clamp_cpu" if hasattr(bounds[0], "shape") else "clamp_scalar_cpu"
            )
    low, high = (None if b is None else _bound(b, result) for b in (min, max))
    arrays = iter(broadcasted(*(x for x in (input.astype(result.np), low, high) if x is not None)))
    x = next(arrays)
    low, high = (None if b is None else next(arrays) for b in (low, high))
    inside, fixed = True, x
    if low is not None:
        inside, fixed = x >= low, jnp.maximum(fixed, low)
    if high is not None:
        inside, fixed = inside & (x <= high), jnp.minimum(fixed, high)
    if all(map(is_number, bounds)):  # which have no derivative
        return jnp.where(inside, x, lax.stop_gradient(fixed))
    # the derivative goes to the one that was taken; where one is nan, so is the value, but torch compares the others
    # all the same
    out = lax.stop_gradient(fixed)
    if low is not None:
        out = jnp.where((x < low) if high is None else (x < low) & (low < high), low, out)
    if high is not None:
        above = (x > high) if low is None else (x > high) | (high < low)
        out = jnp.where(above, jnp.where(fixed == fixed, high, high + lax.stop_gradient(fixed)), out)
    return jnp.where(inside, x, out)


def _bound(b, result):
    return as_number(b, result) if is_number(b) else b.astype(result.np)


@op(inplace=True, out="exact if not isinstance(min, Tensor)", numbers=fit("min"), grad=all_tensors(2))
def clamp_min(input: Array, min: Array | Number) -> Array:
    """Input, or `min` where that is greater.

    `min` is a number or a tensor that broadcasts; the dtype is promoted. NotImplementedError for complex.

    >>> torch.clamp_min(torch.tensor([-1., 0.5, 2.]), 0.)
    tensor([0.0000, 0.5000, 2.0000])
    """
    return clamp(input, min, None)


@op(inplace=True, out="exact if not isinstance(max, Tensor)", numbers=fit("max"), grad=all_tensors(2))
def clamp_max(input: Array, max: Array | Number) -> Array:
    """Input, or `max` where that is less.

    `max` is a number or a tensor that broadcasts; the dtype is promoted. NotImplementedError for complex.

    >>> torch.clamp_max(torch.tensor([-1., 0.5, 2.]), 1.)
    tensor([-1.0000,  0.5000,  1.0000])
    """
    return clamp(input, None, max)


@op(returns=("mantissa", "exponent"), out="exact", watches=True)
def frexp(input: Array) -> tuple[Array, Array]:
    """Mantissa in [0.5, 1) and int32 exponent with input == mantissa * 2 ** exponent; exponent 0 for 0, inf and nan.

    >>> m, e = torch.frexp(torch.tensor([6., 0.5]))
    >>> m.tolist(), e.tolist()
    ([0.75, 0.5], [3, 0])
    """
    check(category(input) == FLOAT, RuntimeError, "torch.frexp() only supports floating-point dtypes")
    x = lax.stop_gradient(input)
    wide = x.astype(jnp.float32) if x.dtype.itemsize < 4 else x
    mantissa, exponent = special.frexp(wide)
    return _with_slope(input, mantissa.astype(input.dtype), exponent), exponent.astype(jnp.int32)


@differentiated(lambda t, out, x, mantissa, exponent: t * jnp.ldexp(jnp.ones_like(t), -exponent), None, None)
def _with_slope(x, mantissa, exponent):
    return mantissa
