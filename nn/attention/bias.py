"""Causal masks for queries and keys of different lengths."""

from __future__ import annotations

import enum

from functorch_lite._core.bind import functions as torch
from functorch_lite._core.errors import check
from functorch_lite._core.tensor import Tensor

__all__ = ["CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(enum.IntEnum):
    """Which corner of the matrix of scores the diagonal of a causal mask starts from."""

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


def _causal(size: tuple, diagonal: int) -> Tensor:
    return torch.ones(size, dtype=torch.bool).tril(diagonal)


def causal_upper_left(*size: int) -> Tensor:
    """The bool mask (L, S) under which query i looks at keys 0 … i.

    >>> causal_upper_left(2, 3)
    tensor([[ True, False, False],
            [ True,  True, False]])
    """
    check(len(size) == 2, RuntimeError, "causal_upper_left only supports 2D tensors")
    return _causal(size, 0)


def causal_lower_right(*size: int) -> Tensor:
    """The bool mask (L, S) under which the last query looks at all keys, the one before at all but the last, and so on.

    >>> causal_lower_right(2, 3)
    tensor([[ True,  True, False],
            [ True,  True,  True]])
    """
    check(len(size) == 2, RuntimeError, "causal_lower_right only supports 2D tensors")
    return _causal(size, size[1] - size[0])
