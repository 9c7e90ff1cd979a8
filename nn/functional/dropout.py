"""Dropout as pure functions of a random key: the drawing of the key and `training` are where tensors are bound.

`key` is a uint32[2] array, the key of a threefry generator. `p` is the probability that an element is dropped.
"""

from __future__ import annotations

import jax.numpy as jnp

from functorch_lite._core.api import Array, Number, check
from functorch_lite.ops.sample import bits_of

from ._declare import compute, nn_op

__all__: list[str] = []


def _keep(key, p, shape):
    """Independently True with probability 1 - p (to 32 bits); always for p = 0, never for p = 1."""
    bits = bits_of(key, tuple(shape))
    p = jnp.asarray(p, jnp.float64)
    limit = jnp.minimum(p * 2.0**32, 2.0**32 - 1).astype(jnp.uint32)
    return (bits >= limit) & (p < 1)


def _scale(p, d):
    """1 / (1 - p), and 0 for p = 1."""
    p = jnp.asarray(p, d)
    return jnp.where(p == 1, 0, 1 / jnp.where(p == 1, 1, 1 - p))


def _drop(input, key, p, mask_shape):
    x = compute(input)
    scale = _scale(p, x.dtype if x.dtype.kind == "f" else jnp.float32)
    return (x * jnp.where(_keep(key, p, mask_shape), scale, 0)).astype(input.dtype)  # nan stays nan


@nn_op(saves="nothing")
def _dropout(input: Array, key: Array, p: Number):
    """input / (1 - p) with each element zeroed with probability p (Hinton et al. 2012, arXiv:1207.0580)."""
    return _drop(input, key, p, input.shape)


@nn_op(saves="nothing")
def _feature_dropout(input: Array, key: Array, p: Number):
    """input / (1 - p) with whole channels (indices of dims 0 and 1) zeroed with probability p."""
    check(input.ndim >= 2, RuntimeError, "Feature dropout requires at least 2 dimensions in the input")
    return _drop(input, key, p, input.shape[:2] + (1,) * (input.ndim - 2))


def _alpha_drop(input, key, p, mask_shape):
    x = compute(input)
    keep = _keep(key, p, mask_shape)
    p = jnp.asarray(p, x.dtype)
    alpha = 1.7580993408473766  # scale * alpha of selu: minus its limit at -infinity
    slope = jnp.where(p == 1, 0, 1 / jnp.sqrt(jnp.where(p == 1, 1, (alpha * alpha * p + 1) * (1 - p))))
    dropped = alpha * slope * (p - 1)
    return (x * jnp.where(keep, slope, 0) + jnp.where(keep, alpha * slope * p, dropped)).astype(input.dtype)


@nn_op(saves="nothing")
def _alpha_dropout(input: Array, key: Array, p: Number):
    """Dropout that keeps the mean and variance of selu units (Klambauer et al. 2017, arXiv:1706.02515)."""
    return _alpha_drop(input, key, p, input.shape)


@nn_op(saves="nothing")
def _feature_alpha_dropout(input: Array, key: Array, p: Number):
    """_alpha_dropout of whole channels (indices of dims 0 and 1)."""
    check(input.ndim >= 2, RuntimeError, "Feature dropout requires at least 2 dimensions in the input")
    return _alpha_drop(input, key, p, input.shape[:2] + (1,) * (input.ndim - 2))
