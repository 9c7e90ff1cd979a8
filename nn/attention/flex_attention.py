"""flex_attention: attention whose scores are changed and masked by functions of the indices (Dong et al. 2024,
arXiv:2412.05496).

Computed densely: the functions are mapped over all indices, so they are differentiated, and what they capture too.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from functorch_lite._core.api import OPS, Tensor, apply_op, check, tidied
from functorch_lite._core.api import functions as torch

from .block_mask import (
    _DEFAULT_SPARSE_BLOCK_SIZE,  # noqa: F401
    BlockMask,
    and_masks,
    create_block_mask,
    create_mask,
    indices,
    noop_mask,
    or_masks,
    over_indices,
)

__all__ = [
    "AuxOutput", "AuxRequest", "BlockMask", "and_masks", "create_block_mask", "create_mask", "flex_attention",
    "noop_mask", "or_masks",
]  # fmt: skip


class AuxRequest(NamedTuple):
    """Request for more results of flex_attention: the log of the sum of exponentials of the scores, and the largest
    scores.

    >>> q, k, v = torch.zeros(3, 1, 1, 2, 4)
    >>> out, aux = flex_attention(q, k, v, return_aux=AuxRequest(max_scores=True))
    >>> aux.max_scores.tolist(), aux.lse
    ([[[0.0, 0.0]]], None)
    """

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """Results that an AuxRequest asked for, (B, Hq, L) each; None where it did not ask.

    >>> q, k, v = torch.zeros(3, 1, 1, 2, 4)
    >>> out, aux = flex_attention(q, k, v, return_aux=AuxRequest(lse=True))
    >>> type(aux).__name__, tuple(aux.lse.shape)
    ('AuxOutput', (1, 1, 2))
    """

    lse: Tensor | None = None
    max_scores: Tensor | None = None


def _check(query: Tensor, key: Tensor, value: Tensor, block_mask: BlockMask | None, enable_gqa: bool) -> None:
    check(
        query.dim() == key.dim() == value.dim() == 4,
        NotImplementedError,
        "NYI: query, key, and value must be 4D tensors",
    )
    check(
        query.size(-1) == key.size(-1),
        ValueError,
        f"Expect query and key/value to have the same embedding dimension but got E={query.size(-1)} and E={key.size(-1)}.",
    )
    batch, others = query.size(0), key.size(0)
    check(
        batch == others or (block_mask is not None and others == 1),
        ValueError,
        f"Expect query and key/value to have the same batch size, or non-none block_mask, but got block_mask={block_mask}, "
        f"Bq={batch}, and Bkv={others}.",
    )
    heads, key_heads = query.size(1), key.size(1)
    check(
        enable_gqa or heads == key_heads,
        ValueError,
        f"Expect query and key/value to have the same number of heads but got Hq={heads} and Hkv={key_heads}. "
        "Try setting enable_gqa=True for GQA.",
    )
    check(
        heads % key_heads == 0,
        ValueError,
        "Expect number of query heads to be a multiple of kv heads for GQA but got "
        f"Hq={heads} and Hkv={key_heads}.",
    )
    if block_mask is not None:
        made = block_mask.shape
        check(
            query.size(-2) <= made[-2] and key.size(-2) <= made[-1],
            ValueError,
            f"block_mask was created for block_mask.shape={made} but got q_len={query.size(-2)} and kv_len={key.size(-2)}. As the "
            "block mask was created for a smaller length than you're using it for, you likely need to create a new block mask.",
        )
        check(
            (query.size(-2), key.size(-2)) == tuple(made[-2:]),
            ValueError,
            f"block_mask was created for block_mask.shape={made} but got q_len={query.size(-2)} and kv_len={key.size(-2)}. As the "
            "block mask was created for a larger length than you're using it for, you can either 1. create a new block mask with the "
            "correct length, or 2. 'adjust' the existing block mask to the correct length by calling block_mask._adjust(q_len, kv_len). "
            "This essentially 'crops' the block mask to the upper left corner, which does not work for all mask_mods!",
        )


_said: set[str] = set()
"""Warnings that were given: each is given once in a process."""


def _without_lse(return_aux: Any) -> None:
    if return_aux is not None:
        raise ValueError(
            "Cannot specify both return_lse and return_aux. return_lse is deprecated, please use return_aux=AuxRequest(lse=True) "
            "instead."
        )
    if "return_lse" not in _said:
        _said.add("return_lse")
        warnings.warn(
            "return_lse is deprecated and will be removed in v2.10. Please use return_aux=AuxRequest(lse=True) instead.",
            FutureWarning,
            stacklevel=4,
        )


@tidied
def flex_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score_mod: Callable | None = None,
    block_mask: BlockMask | None = None,
    scale: float | None = None,
    enable_gqa: bool = False,
    return_lse: bool = False,
    kernel_options: Any = None,
    *,
    return_aux: AuxRequest | None = None,
) -> Any:
    """softmax(score_mod(query keyᵀ scale)) value over the pairs that block_mask allows; scale is 1/√E unless given.

    query: (B, Hq, L, E); key: (B, Hkv, S, E); value: (B, Hkv, S, F); result: (B, Hq, L, F), and (B, Hq, L) with
    return_lse. score_mod(score, b, h, q_idx, kv_idx): of 0-d tensors, the new score. kernel_options are hints to
    torch's kernels and mean nothing here. A query that may look at no key gets zeros.

    >>> q, k, v = torch.zeros(3, 1, 2, 4, 8)
    >>> out = flex_attention(q, k, v, lambda score, b, h, q_idx, kv_idx: score + (q_idx - kv_idx))
    >>> tuple(out.shape)
    (1, 2, 4, 8)
    """
    _check(query, key, value, block_mask, enable_gqa)
    if return_lse:
        _without_lse(return_aux)
    batch, heads, length, features = query.shape
    size, groups = key.size(-2), heads // key.size(1)
    if groups > 1:
        key, value = key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1)
    exact = torch.float64 if query.dtype is torch.float64 else torch.float32
    factor = 1 / math.sqrt(features) if scale is None else scale
    scores = (query.to(exact) @ key.to(exact).transpose(-2, -1)) * factor
    if score_mod is not None:
        at = indices(batch, heads, length, size, device=query.device)
        scores = over_indices(score_mod, True)(scores, *at)
    if block_mask is not None:
        allowed = block_mask.elements(batch, heads, length, size, query.device)
        scores = torch.where(allowed, scores, -math.inf)
    if value.size(0) != batch:
        value = value.expand(batch, -1, -1, -1)
    out, lse = apply_op(OPS["nn.functional._weigh"], (), (scores, value))
    out = out.to(query.dtype)
    if return_aux is not None:
        return out, AuxOutput(
            lse if return_aux.lse else None, scores.amax(-1) if return_aux.max_scores else None
        )
    return (out, lse) if return_lse else out
