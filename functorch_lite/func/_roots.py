"""Square roots of a loss' Hessian in the outputs: columns S with S S^T = H, along which outputs are differentiated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from .._core.api import DerivedOp, Tensor, apply_op
from .._core.api import functions as torch
from ._models import check_scalar
from .jacobians import hessian

__all__ = ["root_of_loss"]


@jax.custom_jvp
def _root(H: Any) -> Any:
    """(n, n) whose columns are S, as many as H has positive eigenvalues, and zeros."""
    values, vectors = jnp.linalg.eigh((H + H.T) / 2)
    least = H.shape[0] * jnp.finfo(H.dtype).eps * jnp.abs(values).max()
    return jnp.where(values > least, vectors * jnp.sqrt(jnp.where(values > least, values, 0)), 0)


@_root.defjvp
def _root_along(primals: tuple, tangents: tuple) -> tuple[Any, Any]:
    """A root is one of many, and what is made of it depends on S S^T alone.

    So of all S' with S' S^T + S S'^T = H' the one without the difference of eigenvalues in it is taken, (H' - P H' / 2)
    S^+T, P the projector on the columns: it is there where eigenvalues are equal, too. H has the same rank nearby, as
    losses' Hessians have."""
    (H,), (dH,) = primals, tangents
    S, dH = _root(H), (dH + dH.T) / 2
    empty = jnp.diag(jnp.where(jnp.abs(S).sum(0) == 0, 1, 0).astype(S.dtype))
    inverse = S @ jnp.linalg.inv(S.T @ S + empty)
    return S, (dH - S @ (inverse.T @ dH) / 2) @ inverse


_ROOT = DerivedOp(lambda H: [_root(H)], "root")


def root_of_loss(loss: Callable, outputs: Tensor, y: Any) -> Tensor:
    """(C, *outputs), for one sample with C outputs, or a batch that counts as one. It works for any convex loss, by
    the eigenvalues of its Hessian; eigenvalues that rounding makes negative are set to 0. Source: Botev, Ritter &
    Barber, arXiv 1706.03662 (KFLR)."""
    z = outputs
    C = z.numel()  # type: ignore[attr-defined]
    H = hessian(lambda z: check_scalar(loss(z, y)))(z).reshape(C, C)
    wide = H.float() if H.dtype in (torch.bfloat16, torch.float16) else H
    (S,) = apply_op(_ROOT, None, (wide,))
    return S.mT.reshape(C, *z.shape).to(z.dtype)
