"""Draws from gamma, Dirichlet, Poisson, binomial, categorical and von Mises distributions, from a key of two uint32
words.

Draws of gamma and Dirichlet distributions have implicit derivatives (Figurnov et al. 2018, "Implicit
reparameterization gradients"): a draw is treated as the point where the distribution function has a fixed value.
"""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .._core.api import Array, Sizes, need_kind, op, threefry
from .sample import uniform01


def _jax_key(key):
    return jax.random.wrap_key_data(key, impl="threefry2x32")


def _work(x):
    return x.astype(jnp.float32) if jnp.finfo(x.dtype).bits < 32 else x


def _key_of_round(key, i):
    """A key of its own for each round of a rejection loop."""
    return jnp.stack(threefry(jnp, key, i.astype(jnp.uint32), jnp.uint32(0x5A17)))


def _uniforms(key, many: int, like):
    """So many arrays of uniform numbers in (0, 1), with the shape and dtype of `like`, drawn at once."""
    u = uniform01(jnp, key, many * like.size, np.dtype(like.dtype)).reshape(many, *like.shape)
    return jnp.maximum(u, jnp.finfo(u.dtype).tiny)


def _until_accepted(key, propose, like):
    """Rejection for all elements at once: `propose(key)` gives candidates and which of them are accepted."""

    def go(state):
        i, found, done = state
        candidate, accepted = propose(_key_of_round(key, i))
        return i + 1, jnp.where(accepted & ~done, candidate, found), done | accepted

    start = (jnp.int32(0), jnp.zeros_like(like), jnp.isnan(like))
    return lax.while_loop(lambda s: ~s[2].all(), go, start)[1]


@jax.custom_jvp
def _log_gamma(a, key):
    """Logarithms of gamma draws of rate 1. Source: Marsaglia & Tsang 2000, with their boost for a < 1."""
    raised = jnp.where(a < 1, a + 1, a)
    d = raised - 1 / 3
    c = 1 / jnp.sqrt(9 * d)

    def propose(key):
        u1, u2, u = _uniforms(key, 3, a)
        x = jnp.sqrt(-2 * jnp.log(u1)) * jnp.cos(2 * math.pi * u2)
        v = (1 + c * x) ** 3
        safe = jnp.where(v > 0, v, 1)
        return jnp.log(safe), (v > 0) & (jnp.log(u) < 0.5 * x * x + d * (1 - safe + jnp.log(safe)))

    drawn = jnp.log(d) + _until_accepted(key, propose, raised)
    boost = jnp.log(_uniforms(_key_of_round(key, jnp.int32(-1)), 1, a)[0]) / a
    drawn = jnp.where(a < 1, drawn + boost, drawn)
    return jnp.where(jnp.isnan(a), a, drawn)


@_log_gamma.defjvp
def _log_gamma_jvp(primals, tangents):
    a, key = primals
    drawn = _log_gamma(a, key)
    x = jnp.exp(drawn)
    small = x < jnp.finfo(a.dtype).eps  # there the distribution function is x^a / Gamma(a + 1)
    near_zero = (lax.digamma(a + 1) - drawn) / a
    x = jnp.where(small, 1, x)
    return drawn, jnp.where(small, near_zero, lax.random_gamma_grad(a, x) / x) * tangents[0]


@op(name="_sample_gamma", method=False, out=False)
def _sample_gamma(concentration: Array, key: Array) -> Array:
    """Draws of gamma distributions of rate 1, kept above 0 as far as the dtype allows."""
    need_kind(concentration, "f", "gamma_cpu")
    a = _work(concentration)
    return jnp.maximum(jnp.exp(_log_gamma(a, key)), jnp.finfo(a.dtype).tiny).astype(concentration.dtype)


@op(name="_sample_dirichlet", method=False, out=False)
def _sample_dirichlet(concentration: Array, key: Array) -> Array:
    """Draws of Dirichlet distributions over the last dim: gamma draws divided by their sum, in logarithms of float64,
    and kept between 0 and 1 as far as the dtype allows."""
    need_kind(concentration, "f", "dirichlet")
    drawn = jax.nn.softmax(_log_gamma(concentration.astype(jnp.float64), key), -1)
    limits = jnp.finfo(_work(concentration).dtype)
    inside = jnp.clip(drawn, limits.tiny, 1 - limits.epsneg)
    return (drawn + lax.stop_gradient(inside - drawn)).astype(concentration.dtype)


@op(name="_sample_poisson", method=False, out=False)
def _sample_poisson(rate: Array, key: Array) -> Array:
    """Poisson draws in the rates' dtype, without gradient; nan for a rate that is none."""
    need_kind(rate, "f", "poisson_cpu")
    r = lax.stop_gradient(_work(rate))
    drawn = jax.random.poisson(_jax_key(key), r, r.shape, jnp.int64)
    return jnp.where(r >= 0, drawn, jnp.nan).astype(rate.dtype)


@op(name="_sample_binomial", method=False, out=False)
def _sample_binomial(total_count: Array, probs: Array, key: Array) -> Array:
    """Binomial draws in the dtype of `probs`, without gradient; of infinitely many trials nan, but where they are all
    the same.

    Rejection is in float64, as in float32 it spreads wrongly from 10^7 trials on. Where it would round there too, and
    might never end, the numbers are drawn from the limits of the distribution: a normal one, or Poisson's where few
    of very many trials succeed.
    """
    n, p = (lax.stop_gradient(x).astype(jnp.float64) for x in (total_count.astype(probs.dtype), probs))
    n, p = abs(n), abs(p)  # jax's rejection of -0. never ends
    mean, spread = n * p, jnp.sqrt(n * p * (1 - p))
    wide = spread > 3e3
    rare = ~wide & (n > 1e13)
    failures = p > 0.5
    key = _jax_key(key)
    drawn = jax.random.binomial(key, jnp.where(wide | rare, 0, n), p, shape=p.shape, dtype=p.dtype)
    normal = jnp.clip(jnp.round(mean + spread * jax.random.normal(key, p.shape, p.dtype)), 0, n)
    expected = jnp.where(rare, jnp.where(failures, n * (1 - p), mean), 0)
    few = jax.random.poisson(key, expected, p.shape, jnp.int64).astype(p.dtype)
    drawn = jnp.where(wide, normal, jnp.where(rare, jnp.where(failures, n - few, few), drawn))
    endless = jnp.where(p == 0, 0.0, jnp.where(p == 1, jnp.inf, jnp.nan))
    return jnp.where(jnp.isinf(n), endless, drawn).astype(probs.dtype)


@op(name="_sample_categorical", method=False, out=False)
def _sample_categorical(logits: Array, key: Array, size: Sizes) -> Array:
    """Categories (int64) of shape `size + logits.shape[:-1]`, by inverting the distribution function over the last dim.

    Categories of probability 0 are never drawn.
    """
    p = jax.nn.softmax(lax.stop_gradient(_work(logits)), -1).astype(jnp.float64)
    sums = jnp.cumsum(p, -1)
    shape = (*size, *p.shape[:-1])
    u = uniform01(jnp, key, math.prod(shape), np.dtype(np.float64)).reshape(shape) * sums[..., -1]
    below = (sums <= u[..., None]).sum(-1)
    last = p.shape[-1] - 1 - jnp.argmax(jnp.flip(p > 0, -1), -1)
    return jnp.minimum(below, last).astype(jnp.int64)


@op(name="_sample_von_mises", method=False, out=False)
def _sample_von_mises(concentration: Array, key: Array) -> Array:
    """Angles in [-pi, pi] around 0, in float64.

    Source: Best & Fisher 1979, "Efficient simulation of the von Mises distribution"."""
    k = lax.stop_gradient(concentration)
    tau = 1 + jnp.sqrt(1 + 4 * k * k)
    rho = (tau - jnp.sqrt(2 * tau)) / (2 * k)
    r = jnp.where(k < 1e-5, 1 / k + k, (1 + rho * rho) / (2 * rho))  # rho cancels where k is small

    def propose(key):
        u1, u2, u3 = _uniforms(key, 3, k)
        z = jnp.cos(math.pi * u1)
        f = (1 + r * z) / (r + z)
        c = k * (r - f)
        accepted = (c * (2 - c) - u2 > 0) | (jnp.log(c / u2) + 1 - c >= 0)
        return jnp.sign(u3 - 0.5) * jnp.arccos(jnp.clip(f, -1, 1)), accepted

    return _until_accepted(key, propose, k)
