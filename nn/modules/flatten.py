"""Flatten and Unflatten: reshaping as modules."""

from __future__ import annotations

from typing import Any

from functorch_lite._core.api import Tensor

from .module import Module

__all__ = ["Flatten", "Unflatten"]


class Flatten(Module):
    """Joins the dims from start_dim to end_dim into one; by default all but the batch.

    Args:
        start_dim: the first dim to merge. Default: 1.
        end_dim: the last dim to merge. Default: -1.

    >>> tuple(nn.Flatten()(torch.ones(2, 3, 4)).shape)
    (2, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Cuts one dim into several. `unflattened_size`: a tuple of ints (one may be −1).

    Args:
        dim: the dim to split: an int.
        unflattened_size: the sizes of the new dims; one may be -1.

    Raises RuntimeError for sizes that do not multiply to the dim's.

    >>> tuple(nn.Unflatten(1, (3, -1))(torch.ones(2, 12)).shape)
    (2, 3, 4)
    """

    def __init__(self, dim: Any, unflattened_size: Any) -> None:
        super().__init__()
        if isinstance(dim, str):
            raise NotImplementedError("nn.Unflatten: named dimensions are not supported; use an int dim")
        self._require_ints(unflattened_size)
        self.dim = dim
        self.unflattened_size = unflattened_size

    def _require_ints(self, sizes: Any) -> None:
        if not isinstance(sizes, tuple | list):
            raise TypeError(
                f"unflattened_size must be a tuple of ints, but found type {type(sizes).__name__}"
            )
        for i, size in enumerate(sizes):
            if not isinstance(size, int):
                raise TypeError(
                    f"unflattened_size must be tuple of ints, but found element of type {type(size).__name__} at pos {i}"
                )

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
