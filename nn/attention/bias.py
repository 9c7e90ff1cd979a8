"""Causal masks for queries and keys of different lengths."""

from __future__ import annotations

import enum
import warnings

from functorch_lite._core.api import Tensor, check, disabled
from functorch_lite._core.api import functions as torch

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(enum.IntEnum):
    """Corner of the matrix of scores that the diagonal of a causal mask starts from.

    >>> causal_upper_left(2, 3).variant.name
    'UPPER_LEFT'
    """

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


class CausalBias(Tensor):
    """A causal mask for queries and keys of different lengths: attn_mask of nn.functional.scaled_dot_product_attention.

    Attributes: variant, seq_len_q, seq_len_kv. Unlike PyTorch's, which has no elements, it is the bool mask (L, S)
    itself.

    >>> mask = causal_lower_right(2, 3)
    >>> type(mask).__name__, mask.variant, tuple(mask.shape)
    ('CausalBias', <CausalVariant.LOWER_RIGHT: 2>, (2, 3))
    """

    __torch_function__ = staticmethod(disabled)  # what functions give is a plain tensor
    variant: CausalVariant
    seq_len_q: int
    seq_len_kv: int

    def __new__(cls, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> CausalBias:
        known = isinstance(variant, CausalVariant)
        check(known, AssertionError, f"variant must be a CausalVariant, got {type(variant).__name__}")
        diagonal = 0 if variant is CausalVariant.UPPER_LEFT else seq_len_kv - seq_len_q
        made = cls._make_subclass(cls, torch.ones(seq_len_q, seq_len_kv, dtype=torch.bool).tril(diagonal))
        made.variant, made.seq_len_q, made.seq_len_kv = variant, seq_len_q, seq_len_kv
        if diagonal < 0:
            warnings.warn(
                "Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!",
                stacklevel=2,
            )
        return made

    def __init__(self, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> None:
        """Does nothing: all is done by __new__."""

    def __repr__(self) -> str:
        return repr(self.as_subclass(Tensor))


def causal_upper_left(*size: int) -> CausalBias:
    """The mask (L, S) under which query i looks at keys 0 … i.

    >>> causal_upper_left(2, 3).tolist()
    [[True, False, False], [True, True, False]]
    """
    check(len(size) == 2, AssertionError, "causal_upper_left only supports 2D tensors")
    return CausalBias(CausalVariant.UPPER_LEFT, *size)


def causal_lower_right(*size: int) -> CausalBias:
    """The mask (L, S) under which the last query looks at all keys, the one before at all but the last, and so on.

    >>> causal_lower_right(2, 3).tolist()
    [[True, True, False], [True, True, True]]
    """
    check(len(size) == 2, AssertionError, "causal_lower_right only supports 2D tensors")
    return CausalBias(CausalVariant.LOWER_RIGHT, *size)
