"""Singular values and vectors of matrices that must be finite."""

from __future__ import annotations

import jax.numpy as jnp

from .._core.api import required, requirement
from ._pointwise import differentiated

NOT_FINITE = requirement(
    "LinAlgError",
    "linalg.svd: {batch}The algorithm failed to converge because the input matrix contained non-finite values.",
)


def _is_finite(x):
    return jnp.isfinite(x).all((-2, -1), keepdims=True)


@differentiated(lambda t, out, x: t * jnp.where(_is_finite(x), 1, jnp.nan))
def _finite_or_zero(x):
    return jnp.where(_is_finite(x), x, 0)


def svd_of(x, full_matrices: bool = False, compute_uv: bool = True):
    """jnp.linalg.svd of matrices that are required to be finite.

    Those that are not are never given to LAPACK, whose gesdd does not end for some of them: their results, and
    derivatives, are nan where the requirement is not looked at. With compute_uv=False too, as the derivative of the
    values is made from the vectors.
    """
    finite = _is_finite(x)
    found = jnp.linalg.svd(_finite_or_zero(x), full_matrices=full_matrices, compute_uv=compute_uv)

    def of_finite(part):
        valid = jnp.where(finite if part.ndim == x.ndim else finite[..., 0], part, jnp.nan)
        return required(valid, ~finite[..., 0, 0], NOT_FINITE)

    return tuple(map(of_finite, found)) if compute_uv else of_finite(found)
