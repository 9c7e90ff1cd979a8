"""Singular values and vectors of matrices that may hold anything."""

from __future__ import annotations

import jax.numpy as jnp

from ._pointwise import differentiated


def _is_finite(x):
    return jnp.isfinite(x).all((-2, -1), keepdims=True)


@differentiated(lambda t, out, x: t * jnp.where(_is_finite(x), 1, jnp.nan))
def _finite_or_zero(x):
    return jnp.where(_is_finite(x), x, 0)


def svd_of(x, full_matrices: bool = False, compute_uv: bool = True):
    """jnp.linalg.svd of finite matrices, and nan, with derivatives that are nan, of others: LAPACK's gesdd does not end
    for some of them.

    With compute_uv=False too, as the derivative of the values is made from the vectors.
    """
    finite = _is_finite(x)
    found = jnp.linalg.svd(_finite_or_zero(x), full_matrices=full_matrices, compute_uv=compute_uv)

    def of_finite(part):
        return jnp.where(finite if part.ndim == x.ndim else finite[..., 0], part, jnp.nan)

    return tuple(map(of_finite, found)) if compute_uv else of_finite(found)
