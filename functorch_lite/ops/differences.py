"""Numerical derivatives of sampled functions: what torch.gradient is made of."""

from __future__ import annotations

import jax.numpy as jnp

from .._core.api import Array, Number, check, dtype_of, dtypes, op, result_dtype
from ._pointwise import FLOAT, category, check_subtraction
from ._special import quotient


@op(name="_gradient", method=False, out=False)
def _gradient(input: Array, coordinates: Array | None, spacing: Number, dim: int, edge_order: int):
    """The derivative along `dim` (not negative) by central differences, at points given or `spacing` apart.

    At the ends it is one-sided, of order edge_order.
    https://numpy.org/doc/stable/reference/generated/numpy.gradient.html
    """
    check(dtype_of(input) is not dtypes.uint8, RuntimeError, "torch.gradient does not support uint8 input.")
    check_subtraction(input, input)
    result = dtypes.default_dtype() if category(input) < FLOAT else dtype_of(input)
    if coordinates is not None and category(coordinates) >= FLOAT:
        result = result_dtype(jnp.zeros(1, result.np), jnp.zeros(1, coordinates.dtype))
    if coordinates is None and jnp.iscomplexobj(spacing):
        result = result.to_complex()
    compute = dtypes.float32 if result.category == FLOAT and result.itemsize < 4 else result
    x = jnp.moveaxis(input.astype(compute.np), dim, -1)
    given = spacing if coordinates is None else coordinates
    kind = compute.np if jnp.iscomplexobj(given) else compute.to_real().np
    if coordinates is None:
        h = jnp.asarray(spacing).astype(kind)
        inner = (x[..., 2:] - x[..., :-2]) / (2 * h)
        if edge_order == 1:
            first, last = (x[..., 1:2] - x[..., :1]) / h, (x[..., -1:] - x[..., -2:-1]) / h
        else:
            first = (-1.5 * x[..., :1] + 2 * x[..., 1:2] - 0.5 * x[..., 2:3]) / h
            last = (0.5 * x[..., -3:-2] - 2 * x[..., -2:-1] + 1.5 * x[..., -1:]) / h
    else:
        steps = jnp.diff(coordinates.astype(kind))
        left, right = steps[:-1], steps[1:]
        both = left + right
        inner = (
            quotient(-right, left * both) * x[..., :-2]
            + quotient(right - left, left * right) * x[..., 1:-1]
            + quotient(left, right * both) * x[..., 2:]
        )
        if edge_order == 1:
            first = quotient(x[..., 1:2] - x[..., :1], steps[0])
            last = quotient(x[..., -1:] - x[..., -2:-1], steps[-1])
        else:
            a, b = steps[0], steps[1]
            first = (
                quotient(-(2 * a + b), a * (a + b)) * x[..., :1]
                + quotient(a + b, a * b) * x[..., 1:2]
                - quotient(a, b * (a + b)) * x[..., 2:3]
            )
            a, b = steps[-2], steps[-1]
            last = (
                quotient(b, a * (a + b)) * x[..., -3:-2]
                - quotient(a + b, a * b) * x[..., -2:-1]
                + quotient(2 * b + a, b * (a + b)) * x[..., -1:]
            )
    out = jnp.concatenate([first, inner, last], axis=-1)
    return jnp.moveaxis(out, -1, dim).astype(result.np)
