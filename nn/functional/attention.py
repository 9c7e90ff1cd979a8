"""Scaled dot-product attention (Vaswani et al. 2017, arXiv:1706.03762)."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np

from functorch_lite._core.api import (
    Array,
    Arrays,
    Number,
    Real,
    broadcast_shapes,
    check,
    check_broadcasts_to,
    cpp_name,
    for_cpu,
    scalar_name,
)
from functorch_lite.ops._pointwise import category

from ._declare import compute, nn_op
from .dropout import _drop as drop

__all__ = ["scaled_dot_product_attention"]


def _check(query, key, value, attn_mask, is_causal: bool) -> None:
    check(
        query.dtype == key.dtype == value.dtype,
        RuntimeError,
        f"Expected query, key, and value to have the same dtype, but got query.dtype: {cpp_name(query)} key.dtype: "
        f"{cpp_name(key)} and value.dtype: {cpp_name(value)} instead.",
    )
    check(
        min(query.ndim, key.ndim, value.ndim) >= 2,
        RuntimeError,
        "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
        f"{query.ndim} key.dim: {key.ndim} and value.dim: {value.ndim} instead.",
    )
    check(category(query) == 2, RuntimeError, f"expected scalar type Float but found {scalar_name(query)}")
    if attn_mask is not None:
        check(
            not is_causal,
            RuntimeError,
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True",
        )
        check(
            attn_mask.dtype in (jnp.bool_, jnp.float32, query.dtype),
            RuntimeError,
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{cpp_name(attn_mask)} and  query.dtype: {cpp_name(query)} instead.",
        )


def _check_sizes(query, key, value) -> None:
    lead = math.prod(query.shape[:-2])
    for a, b in ((query.shape[-1], key.shape[-1]), (key.shape[-2], value.shape[-2])):
        check(
            a == b,
            RuntimeError,
            f"Expected size for first two dimensions of batch2 tensor to be: [{lead}, {a}] but got: [{lead}, {b}].",
        )


def _share_heads(query, key, value):
    """Repeats the heads (dim -3) of key and value to match the heads of query."""
    check(
        min(query.ndim, key.ndim, value.ndim) >= 3,
        IndexError,
        f"Dimension out of range (expected to be in range of [{-query.ndim}, {query.ndim - 1}], but got -3)",
    )
    heads = query.shape[-3]
    for x in (key, value):
        check(
            x.shape[-3] > 0 and heads % x.shape[-3] == 0,
            RuntimeError,
            "Number of heads in key and value must divide the number of heads in ",
        )
    return jnp.repeat(key, heads // key.shape[-3], -3), jnp.repeat(value, heads // value.shape[-3], -3)


def _attend(
    query,
    key,
    value,
    attn_mask,
    is_causal: bool,
    scale,
    enable_gqa: bool,
    thin=None,
    changed=None,
    is_safe: bool = True,
):
    """The attention of query over key, value; `thin` is what dropout does to the weights, `changed` what is done to the
    scores. A query without keys gets zeros if it `is_safe`, else nan."""
    _check(query, key, value, attn_mask, is_causal)
    if enable_gqa:
        key, value = _share_heads(query, key, value)
    _check_sizes(query, key, value)
    lead = broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    q, k, v = compute(query), compute(key), compute(value)
    factor = 1 / math.sqrt(max(query.shape[-1], 1)) if scale is None else scale
    scores = jnp.matmul(q * factor, jnp.swapaxes(k, -1, -2))
    length, size = query.shape[-2], key.shape[-2]
    if is_causal:
        rows, columns = (jax.lax.broadcasted_iota(np.int32, (length, size), d) for d in (0, 1))
        attn_mask = rows >= columns
    if attn_mask is not None:
        check_broadcasts_to(scores.shape, attn_mask.shape)
        if attn_mask.dtype == jnp.bool_:
            scores = jnp.where(attn_mask, scores, -jnp.inf)
        else:
            scores = scores + attn_mask.astype(scores.dtype)
    scores = scores if changed is None else changed(scores)
    if size == 0:
        return jnp.zeros((*lead, length, value.shape[-1]), query.dtype)
    top = jax.lax.stop_gradient(jnp.max(scores, -1, keepdims=True, initial=-jnp.inf))
    weights = jnp.exp(scores - (jnp.where(top == -jnp.inf, 0, top) if is_safe else top))
    total = jnp.sum(weights, -1, keepdims=True)
    weights = weights if thin is None else thin(weights)
    out = jnp.matmul(weights, v) / (jnp.where(total == 0, 1, total) if is_safe else total)
    return out.astype(query.dtype)


@nn_op(autocast="lower")
def scaled_dot_product_attention(
    query: Array,
    key: Array,
    value: Array,
    attn_mask: Array | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: Real | None = None,
    enable_gqa: bool = False,
):
    """softmax(query key^T scale + mask) value; scale is 1 / sqrt(features) unless given.

    query: (..., L, E); key: (..., S, E); value: (..., S, F); result: (..., L, F). A bool mask is True where a key takes
    part, another is added. A query that may look at no key gets zeros. dropout_p is 0 here; see `_dropped_attention`.
    """
    if dropout_p != 0:
        raise NotImplementedError("the pure function has no dropout; F.scaled_dot_product_attention does")
    if not is_causal:
        return _attend(query, key, value, attn_mask, False, scale, enable_gqa)
    _check(query, key, value, attn_mask, True)
    return _attend_before(query, key, value, scale, enable_gqa)


_LONG = 512
"""Queries of a causal attention from which on its first half is not compared with the later keys: on a CPU a quarter of
the work, for about twice the time to compile. (Row `sdpa causal 512`: 2.0 x PyTorch's time, 1.6 x so; 128 in halves are
no faster.)"""


def _attend_before(query, key, value, scale, enable_gqa: bool):
    """Causal attention: each query looks at the keys up to its own place."""
    length, size = query.shape[-2], key.shape[-2]
    half = length // 2
    if length < _LONG or size <= half or not for_cpu():
        return _attend(query, key, value, None, True, scale, enable_gqa)
    early, late = query[..., :half, :], query[..., half:, :]
    rows, columns = (jax.lax.broadcasted_iota(np.int32, (length - half, size), d) for d in (0, 1))
    parts = [
        _attend_before(early, key[..., :half, :], value[..., :half, :], scale, enable_gqa),
        _attend(late, key, value, rows + half >= columns, False, scale, enable_gqa),
    ]
    return jnp.concatenate(parts, -2)


@nn_op(autocast="lower")
def _dropped_attention(
    query: Array,
    key: Array,
    value: Array,
    attn_mask: Array | None,
    rng: Array,
    p: Number,
    is_causal: bool = False,
    scale: Real | None = None,
    enable_gqa: bool = False,
):
    """scaled_dot_product_attention whose weights are zeroed with probability p, the rest scaled by 1 / (1 - p).

    rng: the uint32[2] data of a threefry key, or the factor of each weight (0 or 1 / (1 - p)), drawn already.
    """

    return _attend(query, key, value, attn_mask, is_causal, scale, enable_gqa, _thinned(rng, p))


def _thinned(rng, p):
    return lambda weights: drop(weights, rng, p, weights.shape) if rng.dtype == jnp.uint32 else weights * rng


@nn_op(autocast="lower")
def _softmax_attention(
    query: Array,
    key: Array,
    value: Array,
    operands: Arrays,
    changes: str,
    rng: Array | None,
    p: Real | None,
    scale: Real | None = None,
):
    """softmax(scores) value of scores = query key^T scale, changed one way after the other, as it would be written out:
    a query whose keys are all at -inf gets nan, and one all of whose scores are filled with another number no gradient.

    changes: words, "add", "times", "over", "maximum" or "clamp" (to what is not below), each with one of the operands;
    or "keep", with two: where the first one is False there is the second. Operands are broadcast to the scores. rng and
    p, if there are any, as for `_dropped_attention`.
    """
    thin = None if rng is None else _thinned(rng, p)

    def changed(scores):
        left = iter(operands)
        for change in changes.split():
            x = next(left)
            if change == "keep":
                scores = jnp.where(x, scores, next(left).astype(scores.dtype))
                continue
            x = x.astype(scores.dtype)
            check_broadcasts_to(scores.shape, x.shape)
            scores = _CHANGES[change](scores, x)
        return scores

    return _attend(query, key, value, None, False, scale, False, thin, changed, is_safe=False)


_CHANGES = {
    "add": jnp.add,
    "times": jnp.multiply,
    "over": jnp.divide,
    "maximum": jnp.maximum,
    "clamp": lambda scores, least: jnp.where(scores < least, least, scores),
}
"""Functions that change scores by an operand."""


@nn_op(float8=True)
def _equal_parts(input: Array, n: int):
    """input (..., n E) as n arrays (..., E).

    No views, whose gradients would be added up: here they are put side by side."""
    return tuple(jnp.split(input, n, -1))


@nn_op()
def _weigh(scores: Array, value: Array):
    """softmax(scores) value, and the logarithm of the sum of the scores' exponentials.

    scores: (..., L, S); value: (..., S, F); results: (..., L, F) and (..., L). A row of -inf gives zeros, and -inf.
    """
    top = jax.lax.stop_gradient(jnp.max(scores, -1, keepdims=True, initial=-jnp.inf))
    top = jnp.where(top == -jnp.inf, 0, top)
    weights = jnp.exp(scores - top)
    total = jnp.sum(weights, -1, keepdims=True)
    some = jnp.where(total == 0, 1, total)
    lse = jnp.where(total == 0, -jnp.inf, jnp.log(some) + top)
    out = jnp.matmul(weights, value.astype(scores.dtype)) / some
    return out.astype(value.dtype), lse[..., 0]
