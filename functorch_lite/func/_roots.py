"""Square roots of a loss' Hessian in the outputs: columns S with S S^T = H, along which outputs are differentiated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core.api import Tensor, namespace
from .._core.api import functions as torch
from ._models import check_scalar
from .jacobians import hessian

linalg = namespace("linalg")

__all__ = ["root_of_loss"]


def root_of_loss(loss: Callable, outputs: Tensor, y: Any) -> Tensor:
    """(C, *outputs), of one sample with C outputs, or a batch that counts as one: of any convex loss, by the eigenvalues of its Hessian, of which
    those that rounding makes negative are 0. Source: Botev, Ritter & Barber, arXiv 1706.03662 (KFLR)."""
    z = outputs
    C = z.numel()  # type: ignore[attr-defined]
    H = hessian(lambda z: check_scalar(loss(z, y)))(z).reshape(C, C)
    wide = H.float() if H.dtype in (torch.bfloat16, torch.float16) else H
    values, vectors = linalg.eigh((wide + wide.mT) / 2)
    S = vectors * values.clamp(min=0).sqrt()
    return S.mT.reshape(C, *z.shape).to(z.dtype)
