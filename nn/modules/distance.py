"""Distances between rows of two tensors."""

from __future__ import annotations

import functorch_lite.nn.functional as F
from functorch_lite._core.api import Tensor

from .module import Module

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class PairwiseDistance(Module):
    """‖x1 − x2 + eps‖_p along the last dim. Shape: (N, D) or (D) twice to (N) or (), with a last 1 if `keepdim`.

    Args:
        p: the order of the norm. Default: 2.0.
        eps: a small number added to the difference. Default: 1e-06.
        keepdim: whether the reduced dim is kept, with size 1. Default: False.

    >>> nn.PairwiseDistance(eps=0)(torch.tensor([[3., 4.]]), torch.zeros(1, 2)).tolist()
    [5.0]
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """x1 · x2 / (‖x1‖ ‖x2‖) along `dim`. Shape: (*, D, *) twice to (*, *).

    Args:
        dim: the dim of the vectors. Default: 1.
        eps: the least product of norms. Default: 1e-08.

    >>> nn.CosineSimilarity()(torch.tensor([[1., 0.]]), torch.tensor([[0., 2.]])).tolist()
    [0.0]
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
