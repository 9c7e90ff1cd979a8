"""Changing dtype, and overwriting a tensor with something else: what `to`, `copy_` and `fill_` are made of."""

from __future__ import annotations

import jax.numpy as jnp

from .._core.api import (
    Array,
    Number,
    all_tensors,
    broadcast_shapes,
    check,
    dtype,
    dtype_of,
    float64,
    is_python_number,
    op,
)
from ._pointwise import converted, fit, written


@op(name="_cast", method=False, out=False, grad="ToCopy", float8=True)
def _cast(input: Array, dtype: dtype) -> Array:
    """input converted to `dtype`; complex to real keeps the real part, floating point to integer truncates."""
    if jnp.iscomplexobj(input) and not dtype.is_complex:
        input = (input.real != 0) | (input.imag != 0) if dtype.category == 0 else input.real
    return converted(input, dtype.np)


@op(method=False, out=False, name="_copy", grad="torch::autograd::CopyBackwards", float8=True)
def _copy(input: Array, src: Array) -> Array:
    """src broadcast to input's shape and cast to its dtype."""
    check(
        broadcast_shapes(input.shape, src.shape) == input.shape,
        RuntimeError,
        f"The size of tensor a ({input.shape}) must match the size of tensor b ({src.shape})",
    )
    if jnp.iscomplexobj(src) and not jnp.iscomplexobj(input):
        src = src.real
    return jnp.broadcast_to(converted(src, input.dtype), input.shape)


@op(inplace=True, out=False, numbers=fit("value", halves=float64, one=True), grad=all_tensors(2), float8=True)
def fill(input: Array, value: Array | Number) -> Array:
    """A tensor of input's shape and dtype filled with `value`.

    `value` is a number, or a tensor of no dims: RuntimeError for one of more.

    >>> torch.fill(torch.zeros(2), 3.)
    tensor([3., 3.])
    """
    check(jnp.ndim(value) == 0, RuntimeError, "fill_ only supports 0-dimension value tensor")
    if is_python_number(value):
        value = written(value, dtype_of(input))
    else:
        value = converted(
            value.real if jnp.iscomplexobj(value) and not jnp.iscomplexobj(input) else value, input.dtype
        )
    return jnp.broadcast_to(value, input.shape)


@op(inplace=True, name="zero", out=False, float8=True)
def zero(input: Array) -> Array:
    """Zeros of input's shape and dtype.

    >>> torch.ones(2).zero_()
    tensor([0., 0.])
    """
    return jnp.zeros_like(input)
