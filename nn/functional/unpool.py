"""The partial inverse of max pooling: values go back to the places their maxima came from, zeros elsewhere."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp

from functorch_lite._core.api import Array, bounded, check, no_kernel, scalar_name
from functorch_lite.ops._pointwise import category

from ._declare import of_dims, shape_text

__all__ = ["max_unpool1d", "max_unpool2d", "max_unpool3d"]


def _output_size(input, kernel, step, pad, output_size) -> tuple[int, ...]:
    n = len(kernel)
    check(min(input.ndim, len(step), len(pad)) >= n, IndexError, "tuple index out of range")
    default = [(size - 1) * s - 2 * p + k for size, k, s, p in zip(input.shape[-n:], kernel, step, pad)]
    if output_size is None:
        for dim, size in enumerate(default):
            check(
                size >= 0,
                ValueError,
                "max_unpooling: output_size must contain non-negative spatial dimensions, but got "
                f"output_size[{dim}]={size}",
            )
        return tuple(default)
    given = tuple(output_size)
    given = given[2:] if len(given) == n + 2 else given
    check(
        len(given) == n,
        ValueError,
        f"output_size should be a sequence containing {n} or {n + 2} elements, but it has a length of '{len(given)}'",
    )
    for dim, (want, middle, s) in enumerate(zip(given, default, step)):
        check(
            middle - s < want < middle + s,
            ValueError,
            f'invalid output_size "{given}" (dim {dim} must be between {middle - s} and {middle + s})',
        )
    return given


def _check(n: int, input, indices, step, out) -> None:
    kind = 3 if n == 3 else 2  # torch unpools one dim as two
    lead = 0 if n == kind else 1
    check(
        indices.dtype == jnp.int64,
        RuntimeError,
        f"elements in indices should be type int64 but got: {scalar_name(indices)}",
    )
    check(
        input.ndim in (n + 1, n + 2),
        RuntimeError,
        f"Input to max_unpooling{kind}d should be a {kind + 1}d or {kind + 2}d Tensor, but got a tensor with "
        f"{input.ndim + lead} dimensions.",
    )
    check(
        input.shape == indices.shape,
        RuntimeError,
        f"Expected shape of indices to be same as that of the input tensor ({shape_text(input)}) but got indices tensor "
        f"with shape: {shape_text(indices)}",
    )
    check(
        len(out) == n,
        RuntimeError,
        f"There should be exactly {n} elements in output_size, but got {len(out)} elements.",
    )
    check(
        n < 3 or min(step) > 0,
        RuntimeError,
        f"strides should be greater than zero, but got stride: {list(step)}",
    )
    for dim in range(input.ndim - n - 1, input.ndim):
        check(
            input.shape[dim] > 0 or dim == 0,
            RuntimeError,
            f"max_unpooling{kind}d_forward_out_cpu(): Expected input to have non-zero size for non-batch dimensions, but "
            f"got {list(input.shape) + [1] * (kind - n)} with dimension {dim} being empty.",
        )
    if category(input) != 2 and input.size and math.prod(out):  # otherwise torch does not come to its kernel
        raise no_kernel(f"max_unpool{kind}d", input)


def _each(value, n: int) -> tuple:
    return value if isinstance(value, tuple) else (value,) * n


def _check_ints(n: int, **given: tuple) -> None:
    """torch's functions take ints, to which its Python code passes computed values and, for three dims, the given
    ones."""
    positions = {"output_size": 3, "stride": 4, "padding": 5}
    for name, values in given.items():
        wrong = next(
            (i for i, x in enumerate(values) if (isinstance(x, bool) and not i) or not isinstance(x, int)),
            None,
        )
        if wrong is not None:
            raise TypeError(
                f"max_unpool{3 if n == 3 else 2}d(): argument '{name}' (position {positions[name]}) must be tuple of ints, but "
                f"found element of type {type(values[wrong]).__name__} at pos {wrong}"
            )


def _max_unpool(
    name: str,
    n: int,
    input: Array,
    indices: Array,
    kernel_size: int | tuple[int, ...] | Any,
    stride: int | tuple[int, ...] | Any | None = None,
    padding: int | tuple[int, ...] | Any = 0,
    output_size: tuple[int, ...] | Any | None = None,
):
    kernel = _each(kernel_size, n)
    step, pad = kernel if stride is None else _each(stride, n), _each(padding, n)
    out = _output_size(input, kernel, step, pad, output_size)
    _check_ints(n, output_size=out)
    if n == 3:
        _check_ints(n, stride=step, padding=pad)
    _check(n, input, indices, step, out)
    places = math.prod(out)
    if not (places and input.size):
        return jnp.zeros((*input.shape[: input.ndim - n], *out), input.dtype)
    lead, taken = input.shape[: input.ndim - n], math.prod(input.shape[input.ndim - n :])
    flat_values, flat_where = (x.reshape((math.prod(lead), taken)) for x in (input, indices))
    flat_where = bounded(flat_where, places, "unpool")
    rows = jax.lax.broadcasted_iota(jnp.int64, flat_where.shape, 0)
    # windows that overlap give a place twice, with the same value: so the derivative is a gather for each, as torch's
    spread = (
        jnp.zeros((flat_where.shape[0], places), input.dtype)
        .at[rows, flat_where]
        .set(flat_values, mode="drop", unique_indices=True)
    )
    bad = jnp.any((flat_where < 0) | (flat_where >= places), 1, keepdims=True)
    spread = jnp.where(bad, jnp.asarray(jnp.nan, input.dtype), spread)
    return spread.reshape((*lead, *out))


@of_dims(_max_unpool, autocast=("float", None))
def max_unpool1d():
    """input (N, C, L) or (C, L) at the places `indices` that max_pool1d gave; planes with an index out of range become
    nan.

    >>> values, places = F.max_pool1d(torch.tensor([[[1., 3., 4., 2.]]]), 2, return_indices=True)
    >>> F.max_unpool1d(values, places, 2).tolist()
    [[[0.0, 3.0, 4.0, 0.0]]]
    """


@of_dims(_max_unpool, grad="MaxUnpool2D", autocast=("float", None))
def max_unpool2d():
    """input (N, C, H, W) or (C, H, W) at the places `indices` that max_pool2d gave, zeros elsewhere.

    >>> F.max_unpool2d(torch.tensor([[[5.0]]]), torch.tensor([[[3]]]), 2)
    tensor([[[0., 0.],
             [0., 5.]]])
    """


@of_dims(_max_unpool, grad="MaxUnpool3D", autocast=("float", None))
def max_unpool3d():
    """input (N, C, D, H, W) or (C, D, H, W) at the places `indices` that max_pool3d gave, zeros elsewhere.

    >>> values, places = F.max_pool3d(torch.arange(8.).view(1, 1, 2, 2, 2), 2, return_indices=True)
    >>> F.max_unpool3d(values, places, 2).flatten().tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 7.0]
    """
