"""(B (x) A + damping)^-1 times columns, by the factors' eigenvectors, with derivatives that do not go through these:
eigenvectors of equal eigenvalues (a factor of fewer samples than entries has many of zero) have none."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from ..._core.api import DerivedOp, Tensor, apply_op

__all__ = ["kronecker_solved"]


def _both(B: Any, V: Any, A: Any) -> Any:
    """B V A^T, of V (fan out, fan in, k); A may be a diagonal."""
    V = jnp.einsum("op,pik->oik", B, V)
    return V * A[:, None] if A.ndim == 1 else jnp.einsum("ij,ojk->oik", A, V)


def _whole(A: Any, B: Any, V: Any, damping: Any) -> list:
    damping = damping.astype(V.dtype)

    def times(X: Any) -> Any:
        return _both(B, X, A) + damping * X

    def solve(_: Any, V: Any) -> Any:
        still_A, still_B, still = (jax.lax.stop_gradient(x) for x in (A, B, damping))
        b, Qb = jnp.linalg.eigh(still_B)
        a, Qa = (still_A, jnp.ones_like(A)) if A.ndim == 1 else jnp.linalg.eigh(still_A)
        return _both(Qb, _both(Qb.T, V, Qa.T) / (b[:, None] * a + still)[..., None], Qa)

    return [jax.lax.custom_linear_solve(times, V, solve, symmetric=True)]


_SOLVED = DerivedOp(_whole, "kronecker_solved")


def kronecker_solved(A: Tensor, B: Tensor, V: Tensor, damping: Tensor) -> Tensor:
    """X with B X A + damping X = V, of V (fan out, fan in, k): A (fan in, fan in) or its diagonal, B (fan out, fan
    out), both symmetric."""
    (X,) = apply_op(_SOLVED, None, (A, B, V.to(A.dtype), damping))  # type: ignore[attr-defined]
    return X.to(V.dtype)
