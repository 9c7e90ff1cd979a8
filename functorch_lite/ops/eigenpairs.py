"""The derivative of a few eigenpairs of a symmetric matrix, found elsewhere: `torch.lobpcg` iterates, this op is
differentiated."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from .._core.api import Array, op
from .decompose import without_derivative

__all__: list[str] = []


@jax.custom_jvp
def _held(a, values, vectors):
    return values, vectors


@_held.defjvp
def _held_jvp(primals, tangents):
    # perturbation theory: u_j moves within the span of the other vectors by their overlap over the distance of the
    # eigenvalues, and out of the span by what solves (d_j I - A) x = P dA u_j, with the projection P to its complement
    a, values, vectors = primals
    d, u = _held(a, values, vectors)
    moved = tangents[0] @ u
    within = u.mT @ moved
    gaps = d[..., None, :] - d[..., :, None]
    same = jnp.eye(d.shape[-1], dtype=bool)
    share = jnp.where(same, 0, within / jnp.where(same, 1, gaps))
    projection = jnp.eye(a.shape[-1], dtype=a.dtype) - u @ u.mT
    # one system for each pair; on the span it is the identity, so that it can be solved
    system = d[..., None, None] * projection[..., None, :, :] - (projection @ a @ projection)[..., None, :, :]
    system = system + (u @ u.mT)[..., None, :, :]
    outside = jnp.linalg.solve(system, (projection @ moved).mT[..., None])[..., 0].mT
    return (d, u), (jnp.diagonal(within, axis1=-2, axis2=-1), u @ share + projection @ outside)


_refused = without_derivative(
    lambda a, b, values, vectors: (values, vectors),
    "lobpcg.backward does not support backward with B != I yet.",
    ValueError,
)


@op(out=False, method=False)
def _eigenpairs(A: Array, B: Array | None, values: Array, vectors: Array):
    """(values, vectors), which are eigenpairs of the symmetric A (n, n), as functions of A: (k,) and (n, k), or batches
    of them.

    A has derivatives of every order where its eigenvalues are distinct; with B, of A x = lambda B x, there is none.
    """
    if B is not None:
        return _refused(A, B, values, vectors)
    return _held(A, values, vectors)
