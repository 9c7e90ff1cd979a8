"""Attention as users call it: scaled_dot_product_attention with dropout, and multi-head attention
(Vaswani et al. 2017)."""

from __future__ import annotations

import math
from typing import Any

from functorch_lite._core.api import OPS, Tensor, check, composite, dtype, make_function
from functorch_lite._core.api import functions as torch
from functorch_lite._core.api import namespace as functions_of
from functorch_lite.random import key_tensor
from functorch_lite.random.draws import exact_coins

from ._arguments import float_argument
from ._asked import warn

__all__: list[str] = []

F: Any = functions_of("nn.functional")
_plain = make_function(OPS["nn.functional.scaled_dot_product_attention"], "scaled_dot_product_attention")
_equal_parts = make_function(OPS["nn.functional._equal_parts"], "_equal_parts")
_dropped = make_function(OPS["nn.functional._dropped_attention"], "scaled_dot_product_attention")


@composite(namespace="nn.functional")
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """softmax(query keyᵀ scale + mask) value; scale is 1/√E unless given.

    query: (..., L, E); key: (..., S, E); value: (..., S, F); result: (..., L, F). A bool mask is True where a key
    takes part, a float mask is added. Dropout is always applied: pass dropout_p=0 when not training.

    >>> q, k, v = torch.zeros(1, 2, 3, 4), torch.zeros(1, 2, 5, 4), torch.ones(1, 2, 5, 6)
    >>> tuple(F.scaled_dot_product_attention(q, k, v).shape)
    (1, 2, 3, 6)
    """
    dropout_p = float_argument(dropout_p, "scaled_dot_product_attention", "dropout_p", 5)
    if scale is not None:
        scale = float_argument(scale, "scaled_dot_product_attention", "scale", 7)
        scale = float(scale)
    if dropout_p == 0 or (query.ndim != 4 and not dropout_p > 0):
        return _plain(query, key, value, attn_mask, 0.0, is_causal, scale=scale, enable_gqa=enable_gqa)
    check(
        0 <= dropout_p <= 1,
        RuntimeError,
        f"dropout probability has to be between 0 and 1, but got {dropout_p}",
    )
    rng = _drawn_factors(query, key, dropout_p, enable_gqa)
    rng = key_tensor() if rng is None else rng
    return _dropped(query, key, value, attn_mask, rng, float(dropout_p), is_causal, scale, enable_gqa)


def _drawn_factors(query: Tensor, key: Tensor, p: float, enable_gqa: bool) -> Tensor | None:
    """Draws the factors by which dropout multiplies the weights, as PyTorch's default generator does; None unless that
    is the engine."""
    if min(query.ndim, key.ndim) < 2:
        return None
    lead = query.shape[:-2] if enable_gqa else torch.broadcast_shapes(query.shape[:-2], key.shape[:-2])
    kept = exact_coins((*lead, query.shape[-2], key.shape[-2]), 1 - p, query)
    return None if kept is None else kept / (1 - p) if p < 1 else kept


# -- masks -------------------------------------------------------------------------------------------------------------


def additive_mask(
    mask: Tensor | None, name: str, to: dtype, other: Tensor | None = None, other_name: str = ""
):
    """A mask that is True where a key is left out, as one to be added: 0 and -inf, of dtype `to`.

    A float mask as it is."""
    if mask is None:
        return None
    is_float = torch.is_floating_point(mask)  # refuses what is no tensor
    is_bool = mask.dtype is torch.bool
    check(
        is_bool or is_float,
        AssertionError,
        f"only bool and floating types of {name} are supported",
    )
    if other is not None and other.dtype is not mask.dtype:
        warn(f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.")
    return torch.zeros_like(mask, dtype=to).masked_fill(mask, -math.inf) if is_bool else mask


def _merged_mask(attn_mask, key_padding_mask, batch: int, heads: int, length: int, size: int):
    """Both additive masks as one of shape (1, L, S) or (N heads, 1 or L, S); None when there is none."""
    if key_padding_mask is None:
        return attn_mask
    for d, expected in enumerate((batch, size)):
        check(
            key_padding_mask.shape[d] == expected,
            AssertionError,
            f"Expected key_padded_mask.shape[{d}] to be {expected}, but got {key_padding_mask.shape[d]}",
        )
    rows = key_padding_mask.view(batch, 1, 1, size).expand(-1, heads, -1, -1).reshape(batch * heads, 1, size)
    return rows if attn_mask is None else attn_mask + rows


def _check_mask_shape(attn_mask: Tensor, batch: int, heads: int, length: int, size: int) -> Tensor:
    """attn_mask in three dims."""
    dims = attn_mask.dim()
    check(dims in (2, 3), RuntimeError, f"attn_mask's dimension {dims} is not supported")
    expected = (length, size) if dims == 2 else (batch * heads, length, size)
    check(
        tuple(attn_mask.shape) == expected,
        RuntimeError,
        f"The shape of the {dims}D attn_mask is {attn_mask.shape}, but should be {expected}.",
    )
    return attn_mask.unsqueeze(0) if dims == 2 else attn_mask


# -- multi-head attention ----------------------------------------------------------------------------------------------


def _check_dims(query, key, value, key_padding_mask, attn_mask, num_heads: int) -> bool:
    """Returns whether the input has a batch dim; AssertionError when the dims do not fit together."""
    dims = query.dim()
    check(
        dims in (2, 3),
        AssertionError,
        f"query should be unbatched 2D or batched 3D tensor but received {dims}-D query tensor",
    )
    kind = "batched (3-D)" if dims == 3 else "unbatched (2-D)"
    check(
        key.dim() == dims and value.dim() == dims,
        AssertionError,
        f"For {kind} `query`, expected `key` and `value` to be {dims}-D but found {key.dim()}-D and {value.dim()}-D tensors "
        "respectively",
    )
    if key_padding_mask is not None:
        check(
            key_padding_mask.dim() == dims - 1,
            AssertionError,
            f"For {kind} `query`, expected `key_padding_mask` to be `None` or {dims - 1}-D but found {key_padding_mask.dim()}-D "
            "tensor instead",
        )
    if attn_mask is not None:
        check(
            attn_mask.dim() in (2, 3),
            AssertionError,
            f"For {kind} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {attn_mask.dim()}-D tensor instead",
        )
        expected = (num_heads, query.shape[0], key.shape[0])
        check(
            dims == 3 or attn_mask.dim() == 2 or tuple(attn_mask.shape) == expected,
            AssertionError,
            f"Expected `attn_mask` shape to be {expected} but got {attn_mask.shape}",
        )
    return dims == 3


def _project(query, key, value, weight: Tensor, bias: Tensor | None) -> tuple:
    """Query, key and value through the three parts of one weight (3E, E); what is the same tensor, in one product."""
    if query is key and key is value:
        return _equal_parts(F.linear(query, weight, bias), 3)
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    if key is value:
        size = query.shape[-1]
        w_q, w_kv = weight.split([size, 2 * size])
        b_q, b_kv = (None, None) if bias is None else bias.split([size, 2 * size])
        return (F.linear(query, w_q, b_q), *_equal_parts(F.linear(key, w_kv, b_kv), 2))
    return tuple([F.linear(x, w, b) for x, w, b in zip((query, key, value), weight.chunk(3), biases)])


def _project_apart(query, key, value, weights: tuple, bias: Tensor | None) -> tuple:
    for name, w in zip("qkv", weights):
        check(
            w is not None, AssertionError, f"use_separate_proj_weight is True but {name}_proj_weight is None"
        )
    size = query.shape[-1]
    for x, w, name in zip((query, key, value), weights, ("query", "key", "value")):
        expected = (size, x.shape[-1])
        check(
            tuple(w.shape) == expected,
            AssertionError,
            f"expecting {name} weights shape of {expected}, but got {w.shape}",
        )
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    return tuple([F.linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases)])


def _check_static(static: Tensor, name: str, lead: int, head_dim: int) -> Tensor:
    for d, expected in ((0, lead), (2, head_dim)):
        check(
            static.size(d) == expected,
            AssertionError,
            f"expecting {name}.size({d}) of {expected}, but got {static.size(d)}",
        )
    return static


@composite(namespace="nn.functional")
def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Attention of num_heads heads between projections; see nn.MultiheadAttention.

    query: (L, N, E) or (L, E); key and value: (S, N, ·) or (S, ·). Masks are True where a key is left out, or are
    added: key_padding_mask (N, S) or (S); attn_mask (L, S) or (N heads, L, S). Result: (L, N, E) or (L, E), and with
    need_weights the weights (N, L, S), or (N, heads, L, S) unless averaged.

    >>> x = torch.ones(5, 2, 4)
    >>> w, b = torch.zeros(12, 4), torch.zeros(12)
    >>> out, weights = F.multi_head_attention_forward(
    ...     x, x, x, 4, 2, w, b, None, None, False, 0.0, torch.eye(4), torch.zeros(4))
    >>> tuple(out.shape), tuple(weights.shape)
    ((5, 2, 4), (2, 5, 5))
    """
    batched = _check_dims(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        same_k, same_v = key is query, value is key
        query = query.unsqueeze(1)
        key = query if same_k else key.unsqueeze(1)
        value = key if same_v else value.unsqueeze(1)
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    (length, batch, embed_dim), size = query.shape, key.shape[0]
    key_padding_mask = additive_mask(
        key_padding_mask, "key_padding_mask", query.dtype, attn_mask, "attn_mask"
    )
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    is_causal = is_causal and key_padding_mask is None
    if is_causal and not need_weights:
        attn_mask = None
    attn_mask = additive_mask(attn_mask, "attn_mask", query.dtype)
    check(
        embed_dim == embed_dim_to_check,
        AssertionError,
        f"was expecting embedding dimension of {embed_dim_to_check}, but got {embed_dim}",
    )
    head_dim = embed_dim // num_heads
    check(
        head_dim * num_heads == embed_dim,
        AssertionError,
        f"embed_dim {embed_dim} not divisible by num_heads {num_heads}",
    )
    if use_separate_proj_weight:
        check(
            key.shape[:2] == value.shape[:2],
            AssertionError,
            f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}",
        )
        weights = (q_proj_weight, k_proj_weight, v_proj_weight)
        q, k, v = _project_apart(query, key, value, weights, in_proj_bias)
    else:
        check(
            key.shape == value.shape,
            AssertionError,
            f"key shape {key.shape} does not match value shape {value.shape}",
        )
        if in_proj_weight is None:
            raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
        q, k, v = _project(query, key, value, in_proj_weight, in_proj_bias)
    if attn_mask is not None:
        attn_mask = _check_mask_shape(attn_mask, batch, num_heads, length, size)

    if bias_k is not None and bias_v is not None:
        check(static_k is None, AssertionError, "bias cannot be added to static key.")
        check(static_v is None, AssertionError, "bias cannot be added to static value.")
        k, v = torch.cat([k, bias_k.repeat(1, batch, 1)]), torch.cat([v, bias_v.repeat(1, batch, 1)])
        attn_mask, key_padding_mask = _longer(attn_mask), _longer(key_padding_mask)
    else:
        check(bias_k is None, AssertionError, "bias_k is set but bias_v is None")
        check(bias_v is None, AssertionError, "bias_v is set but bias_k is None")

    by_heads = not (need_weights or add_zero_attn) and static_k is static_v is None
    lead = batch * num_heads
    if by_heads:  # hot path
        q, k, v = [
            x.reshape(x._aval.shape[0], batch, num_heads, head_dim).permute(1, 2, 0, 3) for x in (q, k, v)
        ]
        size = k._aval.shape[2]
    else:
        q = q.reshape(length, lead, head_dim).transpose(0, 1)
        if static_k is None:
            k = k.reshape(k.shape[0], lead, head_dim).transpose(0, 1)
        else:
            k = _check_static(static_k, "static_k", lead, head_dim)
        if static_v is None:
            v = v.reshape(v.shape[0], lead, head_dim).transpose(0, 1)
        else:
            v = _check_static(static_v, "static_v", lead, head_dim)
        if add_zero_attn:
            zero = torch.zeros(lead, 1, head_dim, dtype=k.dtype, device=k.device)
            k, v = torch.cat([k, zero], 1), torch.cat([v, zero], 1)
            attn_mask, key_padding_mask = _longer(attn_mask), _longer(key_padding_mask)
        size = k.size(1)
    mask = _merged_mask(attn_mask, key_padding_mask, batch, num_heads, length, size)
    dropout_p = dropout_p if training else 0.0

    if need_weights:
        q, k = q * math.sqrt(1.0 / head_dim), k.transpose(-2, -1)
        attention = F.softmax(torch.bmm(q, k) if mask is None else torch.baddbmm(mask, q, k), -1)
        attention = F.dropout(attention, dropout_p) if dropout_p > 0 else attention
        out = torch.bmm(attention, v).transpose(0, 1).reshape(length, batch, embed_dim)
        attention = attention.view(batch, num_heads, length, size)
        attention = attention.mean(1) if average_attn_weights else attention
        attention = attention if batched else attention.squeeze(0)
    else:
        if mask is not None:
            mask = (
                mask.unsqueeze(0) if mask.size(0) == 1 else mask.view(batch, num_heads, mask.size(-2), size)
            )
        if not by_heads:
            q, k, v = [x.reshape(batch, num_heads, x.size(-2), head_dim) for x in (q, k, v)]
        out = scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)
        out, attention = out.permute(2, 0, 1, 3).reshape(length, batch, embed_dim), None
    out = F.linear(out, out_proj_weight, out_proj_bias)
    return out if batched else out.squeeze(1), attention


def _longer(mask: Tensor | None) -> Tensor | None:
    """An additive mask with one more key, which takes part."""
    return None if mask is None else F.pad(mask, (0, 1))
